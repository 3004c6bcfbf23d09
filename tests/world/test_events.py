"""The diary: one JSON object a line, whoever writes."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from truelap.world.events import Events


def test_lines(tmp_path):
    heard = []
    path = tmp_path / "events.jsonl"
    with Events(path, heard.append) as events:
        events.say("station", name="tests", odd=Path("/x"), text="a\nb")
        events.progress("half way")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["station", "progress"]
    assert lines[0]["name"] == "tests"
    assert lines[0]["odd"] == "/x"
    assert lines[0]["t"] <= lines[1]["t"]
    assert lines[0]["at"].endswith("+00:00")
    assert heard == ["half way"]


def test_without_a_file_only_the_watcher_hears():
    heard = []
    with Events(listener=heard.append) as events:
        events.say("nothing")
        events.progress("something")
    assert heard == ["something"]


def test_lines_of_several_threads_do_not_mix(tmp_path):
    path = tmp_path / "events.jsonl"
    with Events(path) as events:
        threads = [
            threading.Thread(target=lambda: [events.say("x", text="y" * 5000) for _ in range(50)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 200


def test_a_glance_is_for_the_watcher_alone_and_not_more_often_than_an_eye_follows(tmp_path):
    said = []
    with Events(tmp_path / "events.jsonl", said.append) as events:
        for number in range(1000):
            events.glance(f"{number}")
        events.progress("tests")
    assert said == ["0", "tests"]
    assert [json.loads(line)["text"] for line in (tmp_path / "events.jsonl").read_text().splitlines()] == [
        "tests"
    ]

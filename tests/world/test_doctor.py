"""What this machine offers, as data."""

from __future__ import annotations

import json
import os

from truelap.world import bubblewrap, core_locks, doctor, slots
from truelap.world.doctor import cpu_quota, survey
from truelap.world.landlock import GIVES_UP
from truelap.world.topology import cores_among


def test_every_line_says_something(interpreter, tmp_path):
    found = survey(interpreter, tmp_path).as_data()
    assert json.loads(json.dumps(found)) == found
    lines = {line["name"]: line for line in found["machine"]}
    assert set(lines) == {
        "git",
        "bubblewrap",
        "namespaces",
        "landlock",
        "system calls",
        "cores",
        "slots",
        "CPU clock",
        "noise",
        "disk",
    }
    assert all(line["detail"] for line in lines.values())
    assert lines["CPU clock"]["holds"]
    assert lines["git"]["detail"].startswith("git version")
    assert str(len(os.sched_getaffinity(0))) in lines["cores"]["detail"]
    assert list(found["backends"]) == ["bubblewrap", "landlock", "none"]
    assert not any(line["holds"] for line in found["backends"]["none"])
    assert "bubblewrap" in found["trusted"]
    assert "none" not in found["trusted"]


def test_what_landlock_gives_up_is_said_in_words(reachable, tmp_path):
    found = survey(reachable, tmp_path)
    assert "landlock" in found.trusted
    lines = {line.name: line for line in found.backends["landlock"].lines}
    for name, words in GIVES_UP.items():
        assert not lines[name].holds
        assert lines[name].detail.startswith(words)


def test_what_is_missing_is_a_line_and_not_an_error(interpreter, tmp_path, monkeypatch):
    monkeypatch.setattr(bubblewrap, "_candidates", list)
    bubblewrap.find_bubblewrap.cache_clear()
    monkeypatch.setenv("PATH", "")
    found = survey(interpreter, tmp_path / "missing")
    bubblewrap.find_bubblewrap.cache_clear()
    lines = {line.name: line for line in found.machine}
    assert not lines["bubblewrap"].holds
    assert not lines["git"].holds
    assert not lines["disk"].holds
    assert [(line.name, line.holds) for line in found.backends["bubblewrap"].lines] == [("works", False)]
    assert "bubblewrap" not in found.trusted


def test_where_measurements_cannot_take_turns_that_is_a_line(monkeypatch):
    cores = cores_among({0, 1, 2, 3}, {2: (2, 6), 3: (3, 7)})
    monkeypatch.setattr(slots, "cores_here", lambda: cores)
    assert slots.offered().detail.startswith("1 at a time, locks in ")
    assert slots.offered().holds
    monkeypatch.setattr(slots, "cores_here", lambda: cores_among({2, 3}, {2: (2, 6), 3: (3, 7)}))
    assert not slots.offered().holds
    monkeypatch.setattr(core_locks, "_PLACES", ())
    assert "--slots" in slots.offered().detail


def test_refused_namespaces_are_a_line(monkeypatch):
    monkeypatch.setattr(doctor.namespaces, "refusal", lambda: "new namespaces: Operation not permitted")
    line = doctor._namespaces()
    assert not line.holds
    assert line.detail.startswith("new namespaces: Operation not permitted")


def test_a_machine_without_a_filter_is_a_line(monkeypatch):
    monkeypatch.setattr(doctor.platform, "machine", lambda: "riscv64")
    assert doctor._filter().detail == "there is no filter for riscv64: no sandbox"


def test_quota_of_a_cgroup(monkeypatch):
    def files(**contents):
        monkeypatch.setattr(doctor, "_text", lambda path: contents.get(path.name.replace(".", "_"), ""))

    files(cpu_max="150000 100000")
    assert cpu_quota() == 1.5
    files(cpu_max="max 100000")
    assert cpu_quota() is None
    files(cpu_cfs_quota_us="50000", cpu_cfs_period_us="100000")
    assert cpu_quota() == 0.5
    files(cpu_cfs_quota_us="-1", cpu_cfs_period_us="100000")
    assert cpu_quota() is None
    files()
    assert cpu_quota() is None

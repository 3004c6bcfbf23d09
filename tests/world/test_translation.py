"""Paths of the sandbox and real ones, where nothing can be mounted."""

from __future__ import annotations

import socket
from pathlib import Path, PurePosixPath

import pytest

from truelap.errors import StepFault
from truelap.world.channel import DEEPEST
from truelap.world.translation import Paths, TranslatingChannel

PLACES = {
    PurePosixPath("/tmp"): Path("/work/x1/tmp"),
    PurePosixPath("/workspace/repo"): Path("/work/x2"),
    PurePosixPath("/tmp/venv"): Path("/tmp/venv"),
}


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ("/workspace/repo", "/work/x2"),
        ("/workspace/repo/a/b.py", "/work/x2/a/b.py"),
        ("--rootdir=/workspace/repo", "--rootdir=/work/x2"),
        ("in /workspace/repo. And '/workspace/repo/x'", "in /work/x2. And '/work/x2/x'"),
        ("file:///workspace/repo/x", "file:///work/x2/x"),
        ("/workspace/repo:/tmp/pycache", "/work/x2:/work/x1/tmp/pycache"),
        ("/workspace/repository", "/workspace/repository"),
        ("/workspace/repo.old", "/workspace/repo.old"),
        ("/workspace/repo-2", "/workspace/repo-2"),
        ("/var/tmp/x", "/var/tmp/x"),
        ("/tmp2", "/tmp2"),
        ("/tmp/venv/bin/python", "/tmp/venv/bin/python"),
        ("tmp/x", "tmp/x"),
    ],
)
def test_whole_paths_and_nothing_else(inside, outside):
    paths = Paths(PLACES)
    assert paths.outside(inside) == outside
    assert paths.inside(outside) == inside


def test_at_any_depth():
    message = {"/tmp/key": ["/tmp/a", {"n": ("/tmp/b", 1, None, 2.5, True)}]}
    assert Paths(PLACES).outside(message) == {
        "/work/x1/tmp/key": ["/work/x1/tmp/a", {"n": ["/work/x1/tmp/b", 1, None, 2.5, True]}]
    }


def test_each_side_of_a_channel_sees_its_own():
    ours, theirs = socket.socketpair()
    channel = TranslatingChannel(ours, message_bytes=1000, messages=9, paths=Paths(PLACES))
    channel.send({"where": "/workspace/repo"})
    got = theirs.recv(1000)
    assert got[4:] == b'{"where": "/work/x2"}'
    theirs.sendall(got)
    assert channel.receive(5) == {"where": "/workspace/repo"}
    channel.close()
    theirs.close()


def test_what_is_nested_too_deeply_is_a_fault_of_the_worker():
    here, there = socket.socketpair()
    channel = TranslatingChannel(here, message_bytes=1 << 16, messages=3, paths=Paths(PLACES))
    for depth, fault in ((DEEPEST - 1, None), (DEEPEST, "garbled"), (30000, "garbled")):
        body = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
        there.sendall(len(body).to_bytes(4, "big") + body)
        if fault is None:
            assert channel.receive(1.0)["a"]
            continue
        with pytest.raises(StepFault) as caught:
            channel.receive(1.0)
        assert caught.value.code == fault
    there.close()
    channel.close()

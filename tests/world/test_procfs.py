"""What the kernel says about processes, whatever they call themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from truelap.world import procfs

FAMILY = """
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(15, b"a) R 1 (", 0, 0, 0)
if os.fork() == 0:
    if os.fork() == 0:
        time.sleep(60)
    time.sleep(60)
import threading
def from_a_thread():
    if os.fork() == 0:
        time.sleep(60)
    time.sleep(60)
threading.Thread(target=from_a_thread).start()
print("ready", flush=True)
"""


@pytest.fixture
def family():
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", FAMILY], stdout=subprocess.PIPE, start_new_session=True
    ) as parent:
        parent.stdout.readline()
        time.sleep(0.3)
        yield parent.pid
        os.killpg(parent.pid, 9)


def test_a_family_is_found_whole(family, monkeypatch):
    found = procfs.descendants(family)
    assert len(found) == 3
    assert len(procfs.children(family)) == 2
    monkeypatch.setattr(procfs, "children", procfs._children_by_scan)
    assert set(procfs.descendants(family)) == set(found)


def test_a_hostile_name_confuses_nobody(family):
    assert procfs.name(family) == "a) R 1 ("
    assert procfs.state(family) == "S"


def test_users_namespaces_and_variables_of_this_process():
    me = os.getpid()
    assert procfs.users(me)[0] == os.getuid()
    assert me in procfs.in_pid_namespace(procfs.pid_namespace(me))
    assert procfs.environment(me)
    assert me in procfs.of_user(os.getuid())


def test_nobody_is_nothing():
    with subprocess.Popen(["/bin/true"]) as ended:
        ended.wait()
    pid = ended.pid
    assert (procfs.state(pid), procfs.name(pid), procfs.children(pid)) == ("", "", [])
    assert (procfs.users(pid), procfs.pid_namespace(pid), procfs.environment(pid)) == ((), None, b"")
    assert procfs.waited_for_s(pid) == 0
    assert (procfs.threads_in(pid), procfs.is_alive(pid)) == (set(), False)


def test_a_process_is_dead_when_all_its_threads_are(family):
    assert procfs.threads_in(family) == {"S"}
    assert procfs.is_alive(family)
    ended = subprocess.Popen(["/bin/true"])
    time.sleep(0.3)
    assert procfs.threads_in(ended.pid) == {"Z"}
    assert not procfs.is_alive(ended.pid)
    ended.wait()

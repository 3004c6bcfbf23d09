"""What is particular to the landlock backend; what every backend must do is in conformance.py."""

from __future__ import annotations

import os
import random
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from truelap.errors import WorldError
from truelap.world import landlock as module
from truelap.world import landlock_rules, procfs, traces
from truelap.world.landlock import Landlock
from truelap.world.landlock_view import demand_reach
from truelap.world.sandbox import Bind

SEE = landlock_rules._SEE
DAEMONS = """
import os, signal, sys, time # {mark}
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
open('/dev/shm/{mark}', 'w').close()
open(os.environ['TMPDIR'] + '/written', 'w').close()
for stopped in (False, True):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if stopped: os.kill(os.getpid(), signal.SIGSTOP)
            while True: time.sleep(9)
        os._exit(0)
time.sleep(0.3)
print('there', flush=True)
while True: time.sleep(9)
"""
JUDGE = """
import sys, time
from pathlib import Path
from truelap.policy import load_policy
from truelap.world.interpreter import inspect
from truelap.world.landlock import Landlock
from truelap.world.sandbox import Step
from truelap.world.workspace import open_workspace
python, mark, code = sys.argv[1:]
interpreter = inspect(Path(python))
sandbox = Landlock(interpreter)
kept = []
with open_workspace(Path("/var/tmp")) as workspace:
    print(workspace.root, flush=True)
    for number in range(4):
        tree = workspace.folder("tree")
        argv = (str(interpreter.executable), "-I", "-S", "-c", code.replace("{mark}", f"{mark}-{number}"))
        kept.append(sandbox.start(Step("s", argv, tree, load_policy().limits, channel=False)))
    print("all", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def interpreter(reachable):
    return reachable


@pytest.fixture(scope="module")
def sandbox(reachable) -> Landlock:
    try:
        return Landlock(reachable)
    except WorldError as error:
        pytest.skip(f"no landlock here: {error}")


def shared(mark: str) -> list[Path]:
    return list(Path(traces.SHARED).glob(f"{mark}*"))


def judge(python: Path, mark: str) -> subprocess.Popen:
    argv = [sys.executable, "-c", JUDGE, str(python), mark, DAEMONS]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_a_reaper_survives_the_judge_and_cleans_up(sandbox, reachable, is_root, with_text, gone):
    chance = random.Random(os.environ.get("TRUELAP_TEST_SEED", "30"))
    seen = 0
    for round_number in range(6):
        mark = secrets.token_hex(8)
        with judge(reachable.executable, mark) as running:
            root = Path(running.stdout.readline().strip())
            if round_number < 2:
                running.stdout.readline()
                time.sleep(0.5)
            else:
                time.sleep(chance.uniform(0, 0.5))
            seen += len(with_text(mark))
            running.kill()
        assert gone(f"{mark}-", f"launch_landlock.main({running.pid})")
        # The workspace goes with the next judge; what the steps wrote beside their trees has gone already.
        assert list(root.glob("*/tmp/written")) == []
        assert not is_root or shared(mark) == []
        subprocess.run(["rm", "-rf", str(root)], check=True)
    assert seen > 10, "the moments were all too early to mean anything"


def test_the_judge_cleans_up_when_the_launcher_was_killed(sandbox, step, is_root, with_text):
    if not is_root:
        pytest.skip("an ordinary judge cannot tell the step's processes from its own, and says so")
    mark = secrets.token_hex(8)
    with sandbox.start(step(DAEMONS.replace("{mark}", mark))) as session:
        while not shared(mark):
            time.sleep(0.01)
        time.sleep(0.5)
        os.kill(session.pids()[0], signal.SIGKILL)
        with pytest.raises(WorldError, match="launcher was killed"):
            session.wait(10)
    assert with_text(mark) == []
    assert shared(mark) == []


def test_when_both_were_killed_the_next_judge_cleans_up(sandbox, reachable, is_root, with_text, gone):
    if not is_root:
        pytest.skip("only users of a root judge can be told apart")
    mark = secrets.token_hex(8)
    with judge(reachable.executable, mark) as running:
        root = Path(running.stdout.readline().strip())
        running.stdout.readline()
        time.sleep(0.5)
        launchers = with_text(f"launch_landlock.main({running.pid})")
        for pid in launchers:
            os.kill(pid, signal.SIGSTOP)
        running.kill()
        for pid in launchers:
            os.kill(pid, signal.SIGKILL)
    # The programs themselves died with their launchers; what they had started goes on.
    assert len(with_text(f"{mark}-")) >= 4
    Landlock(reachable)
    assert gone(f"{mark}-", within_s=2.0)
    assert shared(mark) == []
    subprocess.run(["rm", "-rf", str(root)], check=True)


def test_nothing_of_a_step_is_left_beside_its_tree(sandbox, step):
    mark = secrets.token_hex(8)
    code = f"import os; os.makedirs(os.environ['TMPDIR'] + '/deep/er'); open('/dev/shm/{mark}', 'w').close()"
    asked = step(code)
    before = set(asked.tree.parent.iterdir())
    with sandbox.start(asked) as session:
        assert session.wait(20).code == 0
    assert set(asked.tree.parent.iterdir()) == before
    assert shared(mark) == []


def test_two_sandboxes_never_share_a_user(sandbox, step, is_root):
    if not is_root:
        pytest.skip("an ordinary judge has only its own user")
    with (
        sandbox.start(step("import time; time.sleep(9)")) as one,
        sandbox.start(step("import time; time.sleep(9)")) as two,
    ):
        assert not set(procfs.users(one.worker_pid)) & set(procfs.users(two.worker_pid))


def test_one_step_cannot_reach_another(sandbox, step, is_root):
    """Two are alive at a time when base and candidate are timed."""
    first = step(
        "import os, time; open(os.environ['TMPDIR'] + '/x', 'w').close(); print(os.environ['TMPDIR'], flush=True); time.sleep(9)"
    )
    with sandbox.start(first) as one:
        deadline = time.monotonic() + 10
        while not (scratch := list(first.tree.parent.glob("*/tmp/x"))) and time.monotonic() < deadline:
            time.sleep(0.01)
        names = [
            str(scratch[0])[1:],
            str(first.tree / "pkg" / "mod.py")[1:],
            f"proc/{one.worker_pid}/environ",
        ]
        code = f"""
import os
for name in {names!r}:
    try: print('open', open('/' + name).read())
    except PermissionError: pass
try: os.kill({one.worker_pid}, 9); print('killed')
except PermissionError: print('closed')
"""
        with sandbox.start(step(code)) as two:
            assert two.wait(20).output == b"closed\n"
        assert procfs.is_alive(one.worker_pid)


def test_something_hidden_below_a_folder_that_is_shown(reachable, step, grounds):
    outer = grounds.folder("shown")
    outer.chmod(0o755)
    for name in ("open/file", "app/repo/file", "app/open/file"):
        (outer / name).parent.mkdir(parents=True)
        (outer / name).write_text("seen")
    hiding = Landlock(reachable, hidden=(outer / "app" / "repo",))
    code = f"""
for name in ('open/file', 'app/open/file', 'app/repo/file'):
    try: print(name, open('/' + {str(outer)[1:]!r} + '/' + name).read())
    except PermissionError: print(name, 'closed')
"""
    bind = Bind(outer, PurePosixPath(outer))
    with hiding.start(replace(step(code), binds=(bind,))) as session:
        said = session.wait(20).output.decode()
    assert said == "open/file seen\napp/open/file seen\napp/repo/file closed\n"


def test_rules_leave_hidden_folders_out(tmp_path):
    for name in ("a/b/hidden", "a/b/c", "d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a" / "link").symlink_to(tmp_path / "a" / "b" / "hidden")

    def seen(*hidden: Path) -> set[str]:
        rules = landlock_rules.rules([tmp_path], [], hidden, terminals=False)
        inside = (Path(path) for path, access in rules if access == SEE)
        return {str(path.relative_to(tmp_path)) for path in inside if path.is_relative_to(tmp_path)}

    assert seen() == {"."}
    assert seen(tmp_path / "a" / "b" / "hidden") == {"a/b/c", "d"}
    assert seen(tmp_path / "a" / "link") == {"a/b/c", "d"}
    assert seen(tmp_path) == set()
    assert seen(tmp_path.parent) == {"."}


@pytest.mark.parametrize(
    ("version", "handled"),
    [(1, (0x1FFF,)), (2, (0x3FFF,)), (3, (0x7FFF,)), (4, (0x7FFF, 3)), (5, (0xFFFF, 3)), (6, (0xFFFF, 3, 3))],
)
def test_all_that_a_kernel_can_deny_is_denied(version, handled):
    assert landlock_rules.handled(version) == handled


@pytest.mark.parametrize(
    ("version", "root", "said"),
    [(0, True, "has no Landlock"), (1, True, "version 1"), (5, False, "it takes 6")],
)
def test_an_old_kernel_is_one_clear_line(version, root, said):
    with pytest.raises(WorldError, match=said):
        module._demand_kernel(version, root=root)
    module._demand_kernel(6, root=root)


def test_another_kind_of_machine_is_one_clear_line(monkeypatch):
    monkeypatch.setattr(module.platform, "machine", lambda: "riscv64")
    with pytest.raises(WorldError, match="no filter of system calls for riscv64"):
        module._demand_kernel(7, root=True)


def test_an_interpreter_that_others_cannot_reach_is_one_clear_line(reachable, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "python").symlink_to(reachable.executable)
    with pytest.raises(WorldError, match=r"is closed to other users.*chmod o\+x"):
        demand_reach(replace(reachable, executable=closed / "python"))
    (closed / "true").write_bytes(b"")
    with tempfile.TemporaryDirectory() as folder:
        linked = Path(folder, "linked")
        linked.parent.chmod(0o755)
        linked.symlink_to(closed / "true")
        with pytest.raises(WorldError, match="linked, which leads into it by a link; name an interpreter"):
            demand_reach(replace(reachable, executable=linked))


def test_a_tree_that_others_cannot_reach_is_one_clear_line(sandbox, step, tmp_path, is_root):
    if not is_root:
        pytest.skip("an ordinary judge shares its user with the step")
    closed = tmp_path / "closed"
    (closed / "tree").mkdir(parents=True)
    closed.chmod(0o700)
    with pytest.raises(WorldError, match="--work"):
        sandbox.start(replace(step("pass"), tree=closed / "tree"))


def test_a_sandbox_starts_in_time(sandbox, step):
    """A wide bound: the measured median on an idle machine is a tenth of it."""
    hello = "import os,sys; os.write(int(sys.argv[1]), b'\\0\\0\\0\\2{}')"
    took = []
    for _ in range(5):
        start = time.monotonic()
        with sandbox.start(step(hello, channel=True)) as session:
            session.channel.receive(10)
            took.append(time.monotonic() - start)
    assert statistics.median(took) < 0.5

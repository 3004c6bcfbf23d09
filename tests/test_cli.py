"""The console: exit codes, one line for what is wrong, data on stdout and words on stderr."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from truelap.cli import spelled_out
from truelap.cli.words import one_line
from truelap.policy import load_policy, shipped_bytes

if TYPE_CHECKING:
    from pathlib import Path

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="mounts and process namespaces need root")
COMMANDS = (
    "verify",
    "test",
    "outputs",
    "time",
    "demo",
    "grade",
    "report",
    "collect",
    "admit",
    "restore",
    "doctor",
)
QUICK = ("--effort", "quick", "--seed", "3")


def truelap(
    *argv: object, env: dict[str, str] | None = None, timeout: float = 240
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "truelap", *map(str, argv)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env={**os.environ, **(env or {})}
    )


def complaint(done: subprocess.CompletedProcess[str], code: int) -> str:
    """The one line of a command that could not do its work; nothing else may be said."""
    assert done.returncode == code, done.stderr + done.stdout
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("truelap: ")
    assert "Traceback" not in done.stderr
    return lines[0]


def _test(tiny, patch):
    """A command line that runs the tests of a patch."""
    return ("test", tiny.folder, "--base", "HEAD", "--patch", patch)


@contextmanager
def small_disk(folder: Path, size: str):
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def out(tmp_path) -> Path:
    return tmp_path / "out"


@pytest.fixture(scope="module")
def verified(tmp_path_factory, make_tiny):
    """A whole run of the command on an honest patch."""
    folder = tmp_path_factory.mktemp("verified")
    tiny = make_tiny(folder / "tiny")
    argv = (
        "verify",
        tiny.folder,
        "--base",
        "HEAD",
        "--patch",
        folder / "faster.diff",
        "--out",
        folder / "out",
    )
    return truelap(*argv, *QUICK, "--json"), folder / "out"


# --- help ---


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS), ("policy",), ("policy", "show")])
def test_every_command_has_help(command):
    done = truelap(*command, "--help")
    assert done.returncode == 0
    assert "Usage: truelap" in done.stdout


def test_help_is_quick():
    used = []
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-m", "truelap", "--help"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        used.append(usage.ru_utime + usage.ru_stime)
    assert min(used) < 0.3


def test_help_loads_nothing_that_it_does_not_need():
    program = "import sys; from truelap.cli.commands import app; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not {"pydantic", "rich", "truelap.verify", "truelap.world"} & set(loaded)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("verify", ".", "--no-such-option"), "verify: there is no option --no-such-option"),
        (("verify",), "verify: missing argument 'REPO'"),
        (("verify", ".", "--jobs", "0"), "verify: --jobs: give 1 or more"),
        (("verify", ".", "--jobs", "x"), "verify: --jobs: "),
        (("verify", ".", "--sandbox", "x"), "verify: --sandbox: 'x' is not one of 'auto', 'bubblewrap'"),
        (("verify", ".", "--base"), "--base"),
        (("verify", ".", "more"), "(more)"),
        (("verfy",), "there is no command verfy. Did you mean 'verify'? See `truelap --help`"),
        (("no-such-command",), "there is no command no-such-command"),
        (("policy", "show", "--as", "x"), "policy show: --as: 'x'"),
        (("demo", "--require", "faster"), "demo: there is no option --require"),
        (("demo", "--layout", "harbor"), "demo: there is no option --layout"),
    ],
)
def test_a_command_line_that_cannot_be_read_is_one_line(argv, said):
    line = complaint(truelap(*argv), 2)
    assert said in line
    assert "--help`" in line
    assert "Value error" not in line


def test_no_command_shows_the_help():
    done = truelap()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: truelap" in done.stderr


def test_help_says_what_an_option_is_when_it_is_not_given():
    shown = " ".join(truelap("verify", "--help").stdout.split())
    for default in (
        "[default: auto]",
        "[default: standard]",
        "[default: harbor]",
        "default: the shipped one",
    ):
        assert default in shown
    assert shown.index("--base REV") < shown.index("--effort") < shown.index("--debug")


def test_every_command_is_told_in_full_in_the_list_of_them():
    assert "..." not in truelap("--help").stdout.split("Commands:")[1]


def test_the_version_is_that_of_the_package():
    done = truelap("--version")
    assert (done.returncode, done.stdout) == (0, f"truelap {version('truelap')}\n")


# --- verify ---


def test_verify_prints_the_verdict_and_nothing_else(verified):
    done, out = verified
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    verdict = json.loads(done.stdout)
    assert (verdict["outcome"], verdict["speed"], verdict["seed"]) == ("accepted", "faster", 3)
    assert json.loads((out / "verdict.json").read_text()) == verdict


def test_grade_and_report_read_a_result_back(verified):
    done, out = verified
    graded = truelap("grade", out)
    assert (graded.returncode, json.loads(graded.stdout)) == (0, json.loads(done.stdout))
    shown = truelap("report", out, out)
    assert shown.returncode == 0
    assert shown.stdout.count(f"{out}:\nACCEPTED") == 2
    assert [one["outcome"] for one in json.loads(truelap("report", out, "--json").stdout)] == ["accepted"]


def test_rejected_is_1_and_said_in_words(tiny, tmp_path):
    done = truelap(
        "test", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "wrong.diff", "--work", tmp_path
    )
    assert done.returncode == 1
    assert re.match(
        r"tests: 2 of 4 pass again(; \d+ checks? of the judge's own failed)?: tests_regressed\n", done.stdout
    )
    assert done.stdout.count("tests/test_total.py::test_total[3] (failed") == 1
    assert "4 of 4 tests that pass at base (100%) are judged by what they compare" in " ".join(
        done.stdout.split()
    )
    assert "REJECTED" not in done.stdout
    assert done.stderr == ""


def test_the_attacks_are_listed_without_being_run():
    done = truelap("redteam", "--list", "--only", "git-26-new", timeout=20)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("git-26-new-link  [rule:symlinks]\n    A new symbolic link ")
    assert done.stdout.endswith("\n1 attack.\n")
    told = json.loads(truelap("redteam", "--list", "--only", "git-26-new", "--json").stdout)
    assert [attack["id"] for attack in told] == ["git-26-new-link"]
    assert "truelap redteam --list" in complaint(truelap("redteam", "--only", "nothing"), 2)


def test_one_check_leaves_no_verdict_to_be_read_back(tiny, tmp_path, out):
    argv = ("test", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff", "--out", out)
    done = truelap(*argv, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["check"]) == (0, "tests")
    assert not {"outcome", "reward", "speed"} & set(found)
    report = (out / "report.txt").read_text()
    assert report.startswith("tests: 4 of 4 pass again\n")
    assert "ACCEPTED" not in report
    for command in ("grade", "report"):
        assert "one check alone" in complaint(truelap(command, out), 2)


def test_outputs_alone_say_what_differs(tiny, tmp_path, out):
    argv = ("outputs", tiny.folder, "--base", "HEAD", "--out", out, "--patch")
    wrong = truelap(*argv, tmp_path / "wrong.diff")
    assert wrong.returncode == 1
    assert wrong.stdout.startswith(
        "outputs: 0 equal, 1 different, 0 missing, 0 not comparable: outputs_differ\n"
    )
    assert "12497500 became 0" in " ".join(wrong.stdout.split())
    assert (
        json.loads((out / "outputs.json").read_text())["benchmarks"]["bench.time_total"]["status"]
        == "differs"
    )
    right = truelap(*argv, tmp_path / "faster.diff")
    assert (right.returncode, right.stdout.splitlines()[0]) == (
        0,
        "outputs: 1 equal, 0 different, 0 missing, 0 not comparable",
    )


def test_quiet_says_nothing(tiny, tmp_path):
    done = truelap("test", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "wrong.diff", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_quiet_says_why_nothing_can_be_said(tiny, tmp_path):
    (tmp_path / "task.toml").write_text("[tests]\nmin_base_pass = 99\n")
    argv = ("--patch", tmp_path / "wrong.diff", "--task", tmp_path / "task.toml", "--quiet")
    done = truelap("test", tiny.folder, "--base", "HEAD", *argv)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("truelap: 4 tests pass at base, at least 99 are needed")


def test_require_faster_turns_an_accepted_patch_away(tiny, tmp_path):
    tiny.write({"tiny/__init__.py": "def total(n):\n    return sum([i for i in range(n)])  # as it was\n"})
    argv = ("time", tiny.folder, "--base", "HEAD", "--worktree", *QUICK, "--json")
    plain, required = truelap(*argv), truelap(*argv, "--require", "faster")
    found = json.loads(plain.stdout)
    assert found["speed"] == "same"
    assert not {"outcome", "reward"} & set(found)
    assert (plain.returncode, required.returncode) == (0, 1)
    assert "--require faster" not in plain.stderr
    assert "--require faster: accepted, but no confirmed speed-up (speed: same)" in required.stderr


@pytest.mark.parametrize(
    ("command", "option"),
    [(name, "--layout=harbor") for name in ("test", "outputs", "time")]
    + [(name, "--require=faster") for name in ("test", "outputs")],
)
def test_one_check_does_not_offer_what_it_cannot_heed(command, option):
    assert "there is no option" in complaint(
        truelap(command, ".", "--base", "HEAD", "--head", "HEAD", option), 2
    )


def test_worktree_may_name_a_folder_or_not(tiny):
    tiny.write({"sitecustomize.py": ""})
    for worktree in (("--worktree", tiny.folder), ("--worktree",)):
        done = truelap("verify", tiny.folder, "--base", "HEAD", "--json", *worktree)
        assert (done.returncode, json.loads(done.stdout)["outcome"]) == (1, "refused")


def test_spelling_out_touches_nothing_else():
    assert spelled_out(["--worktree", "d", "--out", "x"]) == ["--worktree", "d", "--out", "x"]
    assert spelled_out(["r", "--worktree"]) == ["r", "--worktree="]
    assert spelled_out(["--worktree", "--json"]) == ["--worktree=", "--json"]
    assert spelled_out([]) == []


# --- what a user can get wrong: one clear line, exit 2 or 3, nothing lost ---


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (("--base", "no-such-revision"), "no-such-revision"),
        (("--base", "-x"), "-x"),
        (("--base", ""), "no commit ''"),
        (("--base-file", "/no/such/file"), "/no/such/file"),
        (("--base-file", "/dev/null"), "/dev/null"),
        (("--base-dir", "/no/such/folder"), "/no/such/folder"),
        ((), "--base, --base-file, --base-dir"),
        (("--base", "HEAD", "--base-dir", "."), "--base and --base-dir"),
    ],
)
def test_a_base_that_cannot_be_used(tiny, tmp_path, named, said):
    done = truelap("verify", tiny.folder, "--patch", tmp_path / "faster.diff", *named)
    assert said in complaint(done, 2)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (("--patch", "/no/such.diff"), "/no/such.diff"),
        (("--patch", "/"), "patch /"),
        (("--head", "no-such-revision"), "no-such-revision"),
        (("--worktree", "/no/such/folder"), "/no/such/folder"),
        ((), "--patch, --head, --worktree"),
        (("--patch", "x", "--worktree"), "--patch and --worktree"),
    ],
)
def test_a_submission_that_cannot_be_used(tiny, named, said):
    assert said in complaint(truelap("verify", tiny.folder, "--base", "HEAD", *named), 2)


def test_a_shallow_clone_is_named_as_the_cause(tiny, tmp_path):
    tiny.commit({"more": ""})
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{tiny.folder}", clone], check=True)
    argv = ("--base", "main~1", "--head", "main")
    assert "it is a shallow clone" in complaint(truelap("admit", clone, *argv), 2)
    assert "shallow clone" not in complaint(
        truelap("admit", tiny.folder, "--base", "main~9", "--head", "main"), 2
    )


def test_the_folder_of_an_environment_is_no_interpreter(tiny, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    argv = ("test", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff", "--python")
    assert "did you mean its bin/python?" in complaint(truelap(*argv, tmp_path / "bare"), 2)


def test_no_repository(tmp_path):
    assert str(tmp_path) in complaint(truelap("verify", tmp_path, "--base", "HEAD", "--worktree"), 2)


def test_no_asv_config(tiny, tmp_path):
    tiny.git("rm", "-q", "asv.conf.json")
    tiny.commit()
    said = complaint(truelap("verify", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff"), 2)
    assert "asv config" in said


def test_no_tests(tiny, tmp_path, out):
    tiny.git("rm", "-qr", "tests")
    tiny.commit()
    argv = ("verify", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff", *QUICK)
    done = truelap(*argv, "--out", out, "--json")
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["outcome"], verdict["reward"]["value"]) == (3, "inconclusive", None)
    assert [f["code"] for f in verdict["findings"] if f["level"] == "inconclusive"] == [
        "tests:too_few_base_passes"
    ]
    assert not (out / "reward.json").exists()
    assert (out / "timing.json").exists()


def test_an_interpreter_without_pytest(tiny, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    argv = ("verify", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff")
    bare = tmp_path / "bare/bin/python"
    assert "pytest" in complaint(truelap(*argv, "--python", bare), 2)
    attacks = ("redteam", "--only", "git-26-new-link", "--work", tmp_path)
    assert f"{bare} has no pytest" in complaint(truelap(*attacks, "--python", bare), 2)


@pytest.mark.parametrize("python", ["/no/such/python", "/bin/true", "/bin/false"])
def test_no_interpreter(tiny, tmp_path, python):
    argv = ("verify", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff", "--python", python)
    assert python in complaint(truelap(*argv), 2)


@AS_ROOT
def test_a_full_disk_under_the_results(tiny, tmp_path):
    with small_disk(tmp_path / "disk", "16k") as disk:
        done = truelap(*_test(tiny, tmp_path / "wrong.diff"), "--out", disk / "out")
        assert (done.returncode, done.stdout.splitlines()[0][:18]) == (3, "tests: 2 of 4 pass")
        assert done.stderr == (
            f"truelap: --out {disk / 'out'}: No space left on device; no result was written, make room or name another folder\n"
        )
        assert list(disk.iterdir()) == []


@AS_ROOT
def test_a_full_disk_under_a_restored_tree(tiny, tmp_path):
    (tmp_path / "empty.diff").write_bytes(b"")
    tiny.commit({"tiny/large.py": f"# {'x' * 60_000}\n"})
    with small_disk(tmp_path / "disk", "32k") as disk:
        argv = ("restore", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff", "--into")
        assert f"--into {disk / 'new'}: No space left on device" in complaint(truelap(*argv, disk / "new"), 3)
        assert list(disk.iterdir()) == []
        there = disk / "there"
        there.mkdir()
        assert "No space left" in complaint(truelap(*argv, there), 3)
        assert list(there.iterdir()) == []


@AS_ROOT
def test_a_full_disk_under_what_is_kept(tiny, tmp_path):
    with small_disk(tmp_path / "disk", "8k") as disk:
        (disk / "filler").write_bytes(b"x" * 8192)
        argv = (*_test(tiny, tmp_path / "faster.diff"), "--keep", disk / "k")
        assert f"--keep {disk / 'k'}: No space left on device; make room" in complaint(truelap(*argv), 3)
        assert [path.name for path in disk.iterdir()] == ["filler"]


@pytest.mark.parametrize(
    ("where", "cause"), [(">/dev/full", "stdout: No space left"), (">&-", "stdout is closed")]
)
@pytest.mark.parametrize(
    "command",
    ["collect {0} --base $(git -C {0} rev-parse HEAD)", "policy show", "--help", "verify --help"],
)
def test_a_stdout_that_takes_nothing_is_named(tiny, where, cause, command):
    tiny.write({"tiny/more.py": ""})
    line = f"{sys.executable} -m truelap {command.format(tiny.folder)} {where}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert done.returncode == 3
    assert cause in done.stderr
    assert "fault of truelap" not in done.stderr
    assert len([text for text in done.stderr.splitlines() if text.startswith("truelap: ")]) == 1


def test_a_diff_from_stdin(tiny, tmp_path):
    argv = [sys.executable, "-m", "truelap", "admit", str(tiny.folder), "--base", "HEAD", "--patch", "-"]
    done = subprocess.run(argv, input=(tmp_path / "faster.diff").read_bytes(), capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"admitted: 1 file, +1 -1\n")


def test_nothing_left_of_a_submission_is_not_admitted(tiny, tmp_path):
    tiny.write({"benchmarks/bench.py": "", "tests/test_total.py": ""})
    argv = ("admit", tiny.folder, "--base", "HEAD", "--worktree")
    done = truelap(*argv)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-2:] == [
        "no_patch: nothing is left of the submission after discarding",
        "no_patch",
    ]
    assert "discarded:protected benchmarks/bench.py: " in done.stdout
    assert json.loads(truelap(*argv, "--json").stdout)["rejected"] == "no_patch"
    again = truelap("restore", *argv[1:], "--into", tmp_path / "new")
    assert (again.returncode, "no_patch: nothing is left" in again.stderr) == (0, True)
    assert (tmp_path / "new" / "benchmarks" / "bench.py").read_text() != ""
    tiny.write({"tiny/more.py": ""})
    done = truelap(*argv)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "admitted: 3 files, +0 -12; put back to base: 2"


@AS_ROOT
@pytest.mark.parametrize("size", ["16k", "200k", "1m"])
def test_a_full_disk_under_the_working_folder(tiny, tmp_path, out, size):
    with small_disk(tmp_path / "disk", size) as disk:
        argv = (*_test(tiny, tmp_path / "wrong.diff"), "--work", disk)
        assert "make space" in complaint(truelap(*argv, "--out", out), 3)
        assert list(disk.iterdir()) == []


@AS_ROOT
@pytest.mark.parametrize("where", ["base", "submission"])
def test_a_working_folder_that_fills_up_meanwhile(tiny, tmp_path, where):
    large = {"tiny/large.py": f"# {'x' * (14 << 20)}\n"}
    if where == "base":
        tiny.commit(large)
    tiny.write({"tiny/more.py": ""} if where == "base" else large)
    (tmp_path / "sent.diff").write_bytes(tiny.diff())
    with small_disk(tmp_path / "disk", "12m") as disk:
        argv = ("test", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "sent.diff", "--work", disk)
        done = truelap(*argv)
        assert done.returncode == 3, done.stdout + done.stderr
        assert "No space left" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        assert list(disk.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--policy", "/no/policy.toml"), "/no/policy.toml"),
        (("--task", "/no/truelap.toml"), "/no/truelap.toml"),
        (("--work", "/no/such/folder"), "/no/such/folder"),
        (("--out", "/dev/null/out"), "/dev/null/out"),
        (("--bench", "("), "--bench ("),
        (("--sandbox", "none"), "--unsafe"),
    ],
)
def test_options_that_cannot_be_used(tiny, tmp_path, option, said):
    argv = ("verify", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff")
    assert said in complaint(truelap(*argv, *option), 2)


@pytest.mark.parametrize(
    "wrong",
    [("--base", "nowhere"), ("--base", "HEAD", "--task", "none.toml"), ("--base", "HEAD", "--work", "no")],
)
def test_an_older_verdict_that_stays_is_said_to_be_older(tiny, tmp_path, out, wrong):
    out.mkdir()
    (out / "verdict.json").write_text("{}")
    argv = ("verify", tiny.folder, "--patch", tmp_path / "faster.diff", "--out", out, *wrong)
    assert complaint(truelap(*argv), 2).endswith(f"; verdict.json in {out} is an earlier run's")
    assert (out / "verdict.json").read_text() == "{}"
    (out / "verdict.json").unlink()
    assert "earlier" not in complaint(truelap(*argv), 2)


@pytest.mark.parametrize("option", ["--task", "--policy"])
def test_a_file_of_settings_is_complained_about_in_our_words(tiny, tmp_path, option):
    (tmp_path / "mine.toml").write_text("[tests]\nselct = 1\n")
    argv = ("verify", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff")
    line = complaint(truelap(*argv, option, tmp_path / "mine.toml"), 2)
    assert f"{tmp_path}/mine.toml: tests.selct: there is no such key" in line


def test_a_linked_result_folder_is_refused(tiny, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    argv = (
        "verify",
        tiny.folder,
        "--base",
        "HEAD",
        "--patch",
        tmp_path / "faster.diff",
        "--out",
        tmp_path / "link",
    )
    assert "is a link" in complaint(truelap(*argv), 2)


def test_debug_shows_the_traceback(tiny):
    done = truelap("verify", tiny.folder, "--base", "nowhere", "--worktree", "--debug")
    assert "Traceback" in done.stderr


def test_what_a_terminal_would_obey_is_shown_and_not_sent(tiny):
    said = complaint(truelap("verify", tiny.folder, "--base", "\x1b]0;gotcha\x07\nno", "--worktree"), 2)
    assert "\x1b" not in said
    assert one_line("a\tb\r\nc\x9b") == "a b c\\x9b"


# --- stations that run nothing ---


def test_admit_says_yes(tiny, tmp_path):
    done = truelap("admit", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"admitted": True, "rejected": None, "findings": []}


def test_admit_says_no_and_why(tiny, tmp_path):
    tiny.write({"a/evil.pth": "import os"})
    (tmp_path / "bad.diff").write_bytes(tiny.diff())
    argv = ("admit", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "bad.diff")
    done = truelap(*argv)
    assert done.returncode == 1
    assert "a/evil.pth" in done.stdout
    answer = json.loads(truelap(*argv, "--json").stdout)
    assert (answer["admitted"], answer["rejected"]) == (False, "tree_diff_refused")
    assert [(f["code"], f["path"]) for f in answer["findings"]] == [("refused:startup_files", "a/evil.pth")]


def test_collect_gives_a_diff_that_admit_takes(tiny, tmp_path):
    tiny.write({"tiny/more.py": "x = 1\n", "tiny/data.bin": bytes(range(256))})
    diff = tmp_path / "tree.diff"
    assert truelap("collect", tiny.folder, "--base", "HEAD", "--out", diff).returncode == 0
    assert truelap("collect", tiny.folder, "--base", "HEAD").stdout.encode() == diff.read_bytes()
    assert b"GIT binary patch" in diff.read_bytes()
    assert truelap("admit", tiny.folder, "--base", "HEAD", "--patch", diff).returncode == 0
    assert "GIT binary patch" not in subprocess.run(
        [sys.executable, "-m", "truelap", "collect", tiny.folder, "--base", "HEAD", "--text"],
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "replace")


def test_collect_replaces_a_planted_link(tiny, tmp_path):
    victim, diff = tmp_path / "victim", tmp_path / "tree.diff"
    victim.write_text("precious")
    diff.symlink_to(victim)
    assert truelap("collect", tiny.folder, "--base", "HEAD", "--out", diff).returncode == 0
    assert victim.read_text() == "precious"
    assert not diff.is_symlink()
    diff.unlink()
    diff.symlink_to(tmp_path)
    assert truelap("collect", tiny.folder, "--base", "HEAD", "--out", diff).returncode == 0
    assert diff.is_file()


def test_a_note_without_a_path_has_no_dash_in_its_place(tiny):
    done = truelap("collect", tiny.folder, "--base", "HEAD")
    assert done.stderr.startswith("truelap: base:movable: base was named 'HEAD'")


@pytest.mark.parametrize("place", ["", "no/such/folder/tree.diff"])
def test_collect_into_a_folder_is_one_clear_line(tiny, tmp_path, place):
    done = truelap("collect", tiny.folder, "--base", "HEAD", "--out", tmp_path / place)
    assert "name one in a folder that is there" in complaint(done, 2)


def test_collect_without_a_place_to_write(tiny):
    assert "/no/such" in complaint(
        truelap("collect", tiny.folder, "--base", "HEAD", "--out", "/no/such/tree.diff"), 2
    )


@AS_ROOT
def test_collect_ends_the_agents_processes_and_only_on_demand(tiny, tmp_path):
    # A process namespace of its own: in the test's, this would end the test.
    script = f"""
setsid sleep 300 & first=$!
setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 1; done' & second=$!
sleep 0.3
{sys.executable} -m truelap collect {tiny.folder} --base HEAD --out {tmp_path}/tree.diff $1
kill -0 $first 2>/dev/null && echo first lives; kill -0 $second 2>/dev/null && echo second lives; echo end
"""
    said = {}
    for option in ("", "--end-processes"):
        argv = [
            "unshare",
            "--pid",
            "--fork",
            "--mount-proc",
            "--kill-child",
            "sh",
            "-c",
            script,
            "sh",
            option,
        ]
        said[option] = subprocess.run(
            argv, capture_output=True, text=True, check=True, timeout=60
        ).stdout.split("\n")
    assert said[""] == ["first lives", "second lives", "end", ""]
    assert said["--end-processes"] == ["end", ""]


def test_restore_writes_the_candidate_and_its_records(tiny, tmp_path, out):
    tiny.write(
        {"tiny/more.py": "x = 1\n", "tests/test_total.py": "", "benchmarks/bench.py": "", "conftest.py": ""}
    )
    into = tmp_path / "candidate"
    done = truelap("restore", tiny.folder, "--base", "HEAD", "--worktree", "--into", into, "--out", out)
    assert done.returncode == 0, done.stderr
    assert (into / "tiny/more.py").read_text() == "x = 1\n"
    assert (into / "tests/test_total.py").read_text() != ""
    assert not (into / "conftest.py").exists()
    record = json.loads((out / "protected_restore.json").read_text())
    assert (record["ran"], record["discarded"], record["remaining"]) == (
        True,
        ["benchmarks/bench.py", "conftest.py"],
        [],
    )
    assert json.loads((out / "test_edits.json").read_text())["modified"] == ["tests/test_total.py"]


def test_restore_without_its_base_file_does_nothing(tiny, tmp_path, out):
    into = tmp_path / "candidate"
    argv = (
        "restore",
        tiny.folder,
        "--base-file",
        tmp_path / "none",
        "--worktree",
        "--into",
        into,
        "--out",
        out,
    )
    done = truelap(*argv)
    assert (done.returncode, done.stdout) == (0, "")
    assert not into.exists()
    assert not out.exists()


def test_restore_from_a_base_file(tiny, tmp_path):
    (tmp_path / "sha").write_text(tiny.head() + "\n")
    argv = (
        "restore",
        tiny.folder,
        "--base-file",
        tmp_path / "sha",
        "--worktree",
        "--into",
        tmp_path / "candidate",
    )
    assert truelap(*argv).returncode == 0
    assert (tmp_path / "candidate/tiny/__init__.py").exists()


def test_restore_writes_into_a_new_folder_only(tiny, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/file").write_text("mine")
    done = truelap("restore", tiny.folder, "--base", "HEAD", "--worktree", "--into", tmp_path / "there")
    assert "name a new folder" in complaint(done, 2)
    assert (tmp_path / "there/file").read_text() == "mine"


# --- policy, doctor ---


def test_the_policy_is_shown_in_three_forms():
    assert truelap("policy", "show").stdout.encode() == shipped_bytes()
    shown = json.loads(truelap("policy", "show", "--as", "json").stdout)
    policy = load_policy()
    assert tuple(shown["protected"]["patterns"]) == policy.protected.patterns
    assert shown["digest"] == policy.digest
    script = (
        truelap("policy", "show", "--as", "sh").stdout + 'printf "%s\\n" "${TRUELAP_PROTECTED_PATTERNS[@]}"'
    )
    patterns = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert tuple(patterns) == policy.protected.patterns


def test_doctor_says_what_is_here():
    done = truelap("doctor", "--json")
    assert {"backends", "machine"} <= set(json.loads(done.stdout))
    assert done.returncode == 0, "the other tests need a sandbox as well"
    shown = truelap("doctor").stdout
    assert "Sandbox bubblewrap works here." in shown
    assert "  -   sandbox: not needed, bubblewrap works (the submission runs as the judge's\n" in shown
    assert "  NO " not in shown.split("\nmachine\n")[0]
    assert all(len(line) <= 80 or " " not in line.strip() for line in shown.splitlines())
    assert "--python" not in shown


def test_grade_of_nothing(tmp_path):
    assert str(tmp_path) in complaint(truelap("grade", tmp_path), 2)


@pytest.mark.parametrize(
    ("named", "env", "said"),
    [
        (("--slots", "none/at/all"), {}, "--slots none/at/all: No such file or directory"),
        ((), {"TRUELAP_SLOTS": "none/at/all"}, "--slots none/at/all: No such file or directory"),
        ((), {"MEASURE_GATE_URL": "nonsense"}, "--gate nonsense: give an address like"),
    ],
)
def test_a_slot_that_cannot_be_had_so_is_told_before_anything_runs(tiny, tmp_path, named, env, said):
    argv = ("verify", tiny.folder, "--base", "HEAD", "--patch", tmp_path / "faster.diff", *named)
    assert said in complaint(truelap(*argv, env=env), 2)

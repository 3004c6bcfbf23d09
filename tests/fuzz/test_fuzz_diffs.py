"""Diffs: what the judge understands of one is what `git apply` does with it in a real working tree, or it is no patch at all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from truelap.model import GITLINK, REGULAR, SYMLINK, Base, Case
from truelap.policy import load_policy
from truelap.prepare.admit import admit
from truelap.prepare.collect import PatchFile, collect, collect_patch
from truelap.prepare.diff_text import readings
from truelap.prepare.restore import restore
from truelap.settings import Settings
from truelap.task import Task
from truelap.world.git import Store

SUBMODULE = re.compile(rb"^(?:(?:old|new|new file|deleted file) mode|index \S+) 160000", re.MULTILINE)
NO_LINK = re.compile(rb"unable to write file '.*' mode 120000")
FUZZ = settings.get_profile("fuzz")
LINES = [
    b"one",
    b"two",
    b"three",
    b"",
    b"-- ",
    b"+++ b/a.py",
    b"@@ -1 +1 @@",
    b"tail  ",
    b"\xff\xfe",
    b"x" * 90,
]
NAMES = [
    *(
        "a.py",
        "pkg/a.py",
        "pkg/b.py",
        "pkg/sub/c.txt",
        "pkg/sub",
        "with space",
        "tab\there",
        'quo"te',
        "\u00e9.txt",
    ),
    *("a/b", "b/a", "-dash", "pkg/.hidden", "new\nline", "back\\slash", "pkg/data.bin"),
]
CONTENT = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=9).map(b"\n".join),
    st.lists(st.sampled_from(LINES), max_size=9).map(lambda lines: b"".join(line + b"\n" for line in lines)),
    st.binary(max_size=30),
    st.sampled_from([b"", b"\n", b"\0" * 50, b"a\r\nb\r\n", b"one\n" * 60]),
)
ENTRY = st.one_of(
    CONTENT.map(lambda content: ("file", content)),
    CONTENT.map(lambda content: ("program", content)),
    st.sampled_from(["a.py", "../out", "/etc/passwd", "pkg"]).map(lambda target: ("link", target.encode())),
)
TREE = st.dictionaries(st.sampled_from(NAMES), ENTRY, min_size=1, max_size=5)
MAKING = [
    *(
        ["--binary"],
        ["--binary", "-M"],
        ["--binary", "-C", "-M10%"],
        ["--binary", "-U0"],
        ["--binary", "-U1"],
        [],
    ),
    *(
        ["--binary", "--no-prefix"],
        ["--full-index", "--binary", "-B"],
        ["--binary", "-D"],
        ["--binary", "--relative=pkg"],
    ),
]


class Ground:
    """A real repository with a working tree, beside the judge's private store."""

    interpreter = None
    """Nothing runs here."""

    def __init__(self) -> None:
        self.root = Path(mkdtemp(prefix="truelap-fuzz-"))
        self.tree = self.root / "tree"
        self.tree.mkdir()
        self.git("init", "-q", ".")
        self.store = Store.create(self.root / "store.git")

    def git(self, *argv, stdin=b"", check=True):
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
        }
        # As everywhere that takes odd names in its stride: the judge keeps them for its rules to refuse.
        plain = ("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false", "-c", "core.autocrlf=false")
        done = subprocess.run(
            ["git", *plain, *argv], cwd=self.tree, env=env, input=stdin, capture_output=True
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    def clear(self):
        for place in self.tree.iterdir():
            if place.name != ".git":
                shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()

    def write(self, files):
        """Put files into the emptied working tree, and answer with the tree's id; what cannot stand beside others is left out."""
        self.clear()
        for name, (kind, content) in files.items():
            place = self.tree / name
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                if kind == "link":
                    place.symlink_to(os.fsdecode(content))
                    continue
                with place.open("xb") as file:
                    file.write(content)
            except OSError:
                continue
            place.chmod(0o755 if kind == "program" else 0o644)
        return self.taken()

    def taken(self):
        """The id of the working tree as it stands."""
        self.git("add", "-A", "-f", "--", ".")
        return self.git("write-tree").stdout.decode().strip()

    def applied(self, base, diff, options):
        """What the working tree is after `git apply`, by the git of everybody; None when git says no."""
        self.git("read-tree", "--reset", base)
        self.clear()
        self.git("checkout-index", "-a", "-f")
        # Into the working tree alone, as a person would: no index of ours has a say.
        done = self.git("apply", "--whitespace=nowarn", *options, stdin=diff, check=False)
        if SUBMODULE.search(diff) or NO_LINK.search(done.stderr):
            return self.in_index(base, diff, options)
        return None if done.returncode else self.taken()

    def in_index(self, base, diff, options):
        """What git makes of it where no folder has a say.

        A folder keeps an empty one in place of a submodule, whatever the diff says of it, and it takes no link to nothing, not
        even one that a later part of the diff replaces.
        """
        self.git("read-tree", "--reset", base)
        argv = ("apply", "--cached", "--whitespace=nowarn", *options)
        if self.git(*argv, stdin=diff, check=False).returncode:
            return None
        return self.git("write-tree").stdout.decode().strip()


@cache
def ground():
    return Ground()


@pytest.fixture(scope="module", autouse=True)
def _swept():
    yield
    shutil.rmtree(ground().root, ignore_errors=True)


@st.composite
def diffs(draw, base_id, new_id):
    """A real diff between two trees, and what happens to diffs on their way."""
    place = ground()
    diff = place.git("diff", *draw(st.sampled_from(MAKING)), base_id, new_id).stdout
    for _ in range(draw(st.integers(0, 3))):
        diff = draw(st.sampled_from(CHANGES))(draw, diff)
    return diff


def _line(draw, diff):
    lines = diff.split(b"\n")
    return lines, draw(st.integers(0, len(lines) - 1))


def dropped(draw, diff):
    lines, at = _line(draw, diff)
    return b"\n".join(lines[:at] + lines[at + 1 :])


def doubled(draw, diff):
    lines, at = _line(draw, diff)
    return b"\n".join([*lines[:at], lines[at], *lines[at:]])


def swapped(draw, diff):
    lines, at = _line(draw, diff)
    lines[at : at + 2] = lines[at : at + 2][::-1]
    return b"\n".join(lines)


def inserted(draw, diff):
    lines, at = _line(draw, diff)
    extra = draw(
        st.sampled_from(
            [
                *(
                    b"rename from a.py",
                    b"rename to ../x",
                    b"old mode 100644",
                    b"new mode 100755",
                    b"new mode 120000",
                ),
                *(
                    b"deleted file mode 100644",
                    b"new file mode 160000",
                    b"copy from pkg/a.py",
                    b"--- /dev/null",
                ),
                *(
                    b"diff --git a/a.py b/.git/config",
                    b"+++ b/pkg/../a.py",
                    b"Index: a.py",
                    b"GIT binary patch",
                    b"literal 3",
                ),
                *(
                    b"\\ No newline at end of file",
                    b" ",
                    b"+one",
                    b"-one",
                    b"@@ -1 +1 @@",
                    b"@@ -0,0 +1 @@",
                    b"index 0000000..1111111",
                ),
            ]
        )
    )
    return b"\n".join([*lines[:at], extra, *lines[at:]])


def renamed(draw, diff):
    old, new = (
        draw(st.sampled_from(NAMES)),
        draw(st.sampled_from([*NAMES, "../x", ".git/config", "/x", "pkg//a.py", "./a.py"])),
    )
    return diff.replace(b"b/" + old.encode(), b"b/" + new.encode())


def renumbered(draw, diff):
    numbers = list(re.finditer(rb"\d+", diff))
    if not numbers:
        return diff
    at = draw(st.sampled_from(numbers))
    new = draw(st.sampled_from([b"0", b"1", b"2", b"7", b"100644", b"120000", b"99999999999", b"-1"]))
    return diff[: at.start()] + new + diff[at.end() :]


def flipped(draw, diff):
    if not diff:
        return diff
    at = draw(st.integers(0, len(diff) - 1))
    return diff[:at] + draw(st.binary(min_size=1, max_size=1)) + diff[at + 1 :]


def cut(draw, diff):
    return diff[: draw(st.integers(0, len(diff)))]


CHANGES = [
    *(dropped, doubled, swapped, inserted, renamed, renumbered, flipped, cut),
    *(lambda draw, diff: diff.replace(b"\n", b"\r\n"), lambda draw, diff: diff + diff),
    *(
        lambda draw, diff: b"From: a\nSubject: words\n\n" + diff + b"-- \n2.39\n",
        lambda draw, diff: diff.rstrip(b"\n"),
    ),
]


@given(st.data())
@settings(FUZZ)
def any_diff(data):
    place = ground()
    before = data.draw(TREE)
    after = {name: entry for name, entry in before.items() if data.draw(st.booleans())} | data.draw(TREE)
    new_id, base_id = place.write(after), place.write(before)
    diff = data.draw(diffs(base_id, new_id))
    note(repr(diff))
    agree(before, diff)


def agree(before, diff):
    """What the judge makes of a diff is what git makes of it."""
    place = ground()
    base_id = place.write(before)
    base = Base(given="x", commit=None, tree=place.store.import_directory(place.tree))
    assert base.tree == base_id
    patch, _ = collect_patch(place.store, base, PatchFile(diff), load_policy())
    # The judge ends a last line that has no end: without one, git passes over "Binary files .. differ" and makes an empty file.
    theirs = place.applied(base_id, diff if diff.endswith(b"\n") else diff + b"\n", ())
    if theirs is not None and theirs != base_id:
        assert patch.applied, f"git applies it, and the judge does not: {patch.error}"
    if patch.applied:
        links = [entry.new_blob for entry in patch.entries if entry.new_mode == SYMLINK]
        # The system ends the name of a link at its first zero; the rule for links refuses it whatever it says.
        cut_short = any(b"\0" in target for _, target in place.store.blobs(links))
        made = place.in_index if cut_short else place.applied
        results = {made(base_id, reading.text, reading.options) for reading in readings(diff)}
        assert patch.tree in {*results, theirs}, "the judge made of it what git would not"
        changed = place.git(
            "diff-tree", "-r", "-z", "--name-only", "--no-renames", base_id, patch.tree
        ).stdout
        assert [entry.path for entry in patch.entries] == changed.split(b"\0")[:-1]
    else:
        assert patch.entries == ()
    ride(base, diff)
    return patch


def ride(base, diff):
    """Through the stations before anything runs: whatever the diff is, the judge has an answer, and it is about the diff."""
    case, rest = (
        Case(name="x", base=base),
        (ground(), load_policy(), Task(), Settings(python=Path(sys.executable), seed=1)),
    )
    for station in (partial(collect, PatchFile(diff)), admit, restore):
        case = station(case, *rest)
    assert {finding.level for finding in case.findings} <= {"info", "fail"}
    assert case.candidate_tree is not None
    if case.refused or not case.patch.applied:
        assert case.candidate_tree == base.tree, "of what is refused nothing is used"


def test_a_diff_is_what_git_makes_of_it(for_a_while):
    for_a_while(any_diff, 0.4)


def part(path, mode, text, between=b""):
    """One file's part of a diff: new, of one line without an end."""
    head = b"diff --git a/%s b/%s\nnew file mode %s\nindex 0000000..8ce4f79\n" % (path, path, mode)
    lines = b"--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+%s\n\\ No newline at end of file\n" % (path, text)
    return head + between + lines


A_PY, A_PY_0_B = "8ce4f79e7299350428fce0bfbdb724e387b47128", "0934ca380d5cf9ca2ddaa52f0b6a1e257215d847"
COMMIT = b"Subproject commit " + b"a" * 40
FILLED = b"diff --git a/l b/l\nnew file mode 120000\ndiff --git a/l b/l\nindex e69de29..8ce4f79 120000\n"


@pytest.mark.parametrize(
    ("diff", "made"),
    [
        # A folder keeps an empty one in place of a submodule, whatever stands in it; git's index, and the judge, say no.
        pytest.param(
            part(b"b", b"100644", b"one") + part(b"l", b"120000", b"a.py", b"new file mode 160000\n"),
            None,
            id="no submodule",
        ),
        pytest.param(part(b"l", b"160000", COMMIT), (GITLINK, "a" * 40), id="submodule"),
        # The header ends at a line that is none of git's: a link to nothing, and then a file in its place.
        pytest.param(
            part(b"l", b"120000", b"a.py", b"Index: a.py\n"), (REGULAR, A_PY), id="link becomes file"
        ),
        pytest.param(
            FILLED + part(b"l", b"1", b"a.py").partition(b"8ce4f79\n")[2].replace(b"/dev/null", b"a/l"),
            (SYMLINK, A_PY),
            id="link is filled",
        ),
        pytest.param(part(b"l", b"120000", b"a.py\0b"), (SYMLINK, A_PY_0_B), id="link with a zero"),
    ],
)
def test_what_a_folder_cannot_hold_is_what_gits_index_makes_of_it(diff, made):
    patch = agree({"a.py": ("file", b"")}, diff)
    assert [(entry.new_mode, entry.new_blob) for entry in patch.entries] == ([made] if made else [])

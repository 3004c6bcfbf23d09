"""Honest submissions in the forms that people and tools give them: none is lost, and nothing of a tool's is an edit."""

import hashlib
import os
import subprocess
import sys

import pytest

from truelap.policy import load_policy
from truelap.prepare.base import base_of_revision
from truelap.prepare.collect import Head, PatchFile, Worktree

POLICY = load_policy()
FILES = {"pkg/a.py": "one\ntwo\nthree\n", "pkg/w.txt": "one\r\ntwo\r\nthree\r\n", "top.py": "t\n"}
EDIT = {"pkg/a.py": "one\n2\nthree\n", "new.py": "n\n"}
CHANGED = {b"pkg/a.py": b"one\n2\nthree\n", b"new.py": b"n\n"}


@pytest.fixture
def admitted(store, base, prepared):
    """What a submission changes, by path; and every finding, by code."""

    def judged(submission, base=base):
        case = prepared(submission, base)
        new = [entry for entry in case.patch.entries if entry.new_mode]
        found = {entry.path: store.blob(entry.new_blob) for entry in new}
        return found, {f.code: f for f in case.findings}

    return judged


def edited(repo, *argv):
    repo.write(EDIT)
    return repo.diff(*argv)


MAIL = b"""From 4b825dc Mon Sep 17 00:00:00 2001
From: A <a@b.example>
Subject: [PATCH] Faster

diff of the year
---
 pkg/a.py | 2 +-

"""


def bare(diff):
    headers = (b"diff ", b"index ", b"new file")
    return b"".join(line for line in diff.splitlines(keepends=True) if not line.startswith(headers))


FORMS = {
    "as it is": edited,
    "no final newline": lambda repo: edited(repo).removesuffix(b"\n"),
    "no prefix": lambda repo: edited(repo, "--no-prefix"),
    "no prefix, no final newline": lambda repo: edited(repo, "--no-prefix").removesuffix(b"\n"),
    "mnemonic prefix": lambda repo: edited(repo, "--src-prefix=i/", "--dst-prefix=w/"),
    "own prefix": lambda repo: edited(repo, "--src-prefix=old/", "--dst-prefix=new/"),
    "crlf": lambda repo: edited(repo).replace(b"\n", b"\r\n"),
    "crlf, no prefix": lambda repo: edited(repo, "--no-prefix").replace(b"\n", b"\r\n"),
    "mail": lambda repo: MAIL + edited(repo) + b"-- \n2.39.5\n\n",
    "fenced": lambda repo: b"Here is the patch:\n\n" + edited(repo) + b"\nI hope that it helps.\n",
    "no header of git": lambda repo: bare(edited(repo)),
    "no header of git, no prefix": lambda repo: bare(edited(repo, "--no-prefix")),
    "partly crlf": lambda repo: edited(repo).replace(b"\n", b"\r\n", 6),
    "utf-16": lambda repo: edited(repo).decode().encode("utf-16"),
    "utf-16, crlf": lambda repo: edited(repo).replace(b"\n", b"\r\n").decode().encode("utf-16"),
    "subversion": lambda repo: b"Index: pkg/a.py\n" + b"=" * 67 + b"\n" + bare(edited(repo, "--no-prefix")),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_diff_in_this_form_is_taken(repo, base, admitted, form):
    found, said = admitted(PatchFile(FORMS[form](repo)))
    assert (found, said) == (CHANGED, {})


def test_a_new_file_without_prefix_lies_where_it_says(repo, admitted):
    repo.write({"pkg/sub/new.py": "n\n"})
    assert admitted(PatchFile(repo.diff("--no-prefix")))[0] == {b"pkg/sub/new.py": b"n\n"}


def test_a_rename_without_prefix(repo, admitted):
    repo.git("mv", "pkg/a.py", "pkg/b.py")
    repo.write({"top.py": "u\n"})
    diff = repo.git("diff", "--cached", "-M", "--no-prefix") + repo.git("diff", "--no-prefix")
    assert admitted(PatchFile(diff))[0].keys() == {b"pkg/b.py", b"top.py"}


def test_lines_that_end_with_crlf_in_the_file_stay(repo, admitted):
    repo.write({"pkg/w.txt": "one\r\n2\r\nthree\r\n"})
    diff = repo.diff()
    expected = {b"pkg/w.txt": b"one\r\n2\r\nthree\r\n"}
    assert admitted(PatchFile(diff))[0] == expected
    # A carrier that gives every line a CRLF and leaves those that have one alone.
    carried = diff.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    assert admitted(PatchFile(carried))[0] == expected


@pytest.mark.parametrize(
    "diff",
    [
        lambda repo: edited(repo).replace(b"-two", b"-tow").replace(b"\n", b"\r\n"),
        lambda repo: edited(repo).rpartition(b"\n+n")[0],
        lambda repo: b"a line\nof prose\n",
    ],
)
def test_what_git_cannot_take_is_one_clear_line(repo, base, admitted, diff):
    found, said = admitted(PatchFile(diff(repo)))
    assert found == {}
    assert said["no_patch"].message.startswith("the diff does not apply to base: ")
    assert "\n" not in said["no_patch"].message


# Working trees in which tools have worked.


def virtual_environment(repo):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", repo.folder / ".venv"], check=True)
    repo.write(
        {
            ".venv/.gitignore": "*\n",
            ".venv/lib/python3/site-packages/evil.pth": "import os\n",
            ".venv/lib/python3/site-packages/x/_x.so": "\x7fELF",
            ".venv/lib/python3/site-packages/x-1.dist-info/METADATA": "Name: x\n",
        }
    )
    return ".venv"


def asv_environment(repo):
    repo.write(
        {
            "env/0a1b/pyvenv.cfg": "home = /usr\n",
            "env/0a1b/bin/activate": "x\n",
            "env/0a1b/asv-env-info.json": "{}",
        }
    )
    (repo.folder / "env/0a1b/bin/python").symlink_to("/usr/bin/python3")
    return "env/0a1b"


def conda_environment(repo):
    repo.write({"envs/conda-meta/history": "", "envs/bin/python": "\x7fELF", "envs/lib/sitecustomize.py": ""})
    return "envs"


def editable_install(repo):
    repo.write(
        {
            "pkg.egg-info/PKG-INFO": "Name: pkg\n",
            "pkg.egg-info/SOURCES.txt": "",
            "pkg.egg-info/entry_points.txt": "[pytest11]\nx = x\n",
        }
    )
    return "pkg.egg-info"


def tool_cache(repo):
    tag = "Signature: 8a477f597d28d172789f06886806bc55\n# a cache\n"
    repo.write({".pytest_cache/CACHEDIR.TAG": tag, ".pytest_cache/v/cache/lastfailed": "{}"})
    return ".pytest_cache"


def fetched_eggs(repo):
    repo.write({".eggs/README.txt": "x\n", ".eggs/tool-1-py3.egg/EGG-INFO/PKG-INFO": "Name: tool\n"})
    return ".eggs"


def setuptools_build(repo):
    made = "build/lib.linux-x86_64-cpython-311"
    repo.write({f"{made}/pkg/_c.so": "\x7fELF", f"{made}/sitecustomize.py": ""})
    return made


def cmake_build(repo):
    repo.write({"out/CMakeCache.txt": "", "out/pkg/_c.so": "\x7fELF"})
    return "out"


def archives(repo):
    repo.write({"dist/pkg-1.0-py3-none-any.whl": "PK", "dist/pkg-1.0.tar.gz": "\x1f\x8b"})
    return "dist"


@pytest.mark.parametrize(
    "tool",
    [
        virtual_environment,
        asv_environment,
        conda_environment,
        editable_install,
        tool_cache,
        fetched_eggs,
        setuptools_build,
        cmake_build,
        archives,
    ],
    ids=lambda f: f.__name__,
)
def test_a_folder_of_a_tool_is_no_edit(repo, base, admitted, tool):
    repo.write(EDIT)
    folder = tool(repo)
    found, said = admitted(Worktree(repo.folder))
    assert found == CHANGED
    assert said.keys() == {"discarded:environment"}
    assert said["discarded:environment"].level == "info"
    assert folder in said["discarded:environment"].message


def test_the_same_files_in_a_diff_or_a_commit_are_refused(repo, base, admitted):
    editable_install(repo)
    _, said = admitted(PatchFile(repo.diff()))
    assert "refused:package_metadata" in said
    _, said = admitted(Head(repo.folder, repo.commit()))
    assert "refused:package_metadata" in said


@pytest.mark.parametrize(
    "mark",
    ["pkg/pyvenv.cfg", "pyvenv.cfg", "pkg/conda-meta/history", "pkg/CACHEDIR.TAG", "pkg/CMakeCache.txt"],
)
def test_a_mark_in_a_folder_of_base_hides_nothing(repo, base, admitted, mark):
    repo.write(
        {
            mark: "Signature: 8a477f597d28d172789f06886806bc55\n",
            "pkg/sitecustomize.py": "x\n",
            "pkg/a.py": "1\n",
        }
    )
    found, said = admitted(Worktree(repo.folder))
    assert found.keys() == {mark.encode(), b"pkg/a.py", b"pkg/sitecustomize.py"}
    assert "refused:startup_files" in said


def test_a_mark_that_is_none_hides_nothing(repo, base, admitted):
    repo.write({"x/CACHEDIR.TAG": "no signature\n", "x/sitecustomize.py": "x\n"})
    repo.write({"pkg/build/lib/a.py": "1\n", "build/library/a.py": "1\n", "dist/a.py": "1\n"})
    (repo.folder / "y").mkdir()
    (repo.folder / "y/pyvenv.cfg").symlink_to("/etc/passwd")
    assert admitted(Worktree(repo.folder))[0].keys() == {
        b"x/CACHEDIR.TAG",
        b"x/sitecustomize.py",
        b"y/pyvenv.cfg",
        b"pkg/build/lib/a.py",
        b"build/library/a.py",
        b"dist/a.py",
    }


# Files that Git LFS keeps elsewhere.

CONTENT = os.urandom(50_000)
POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    f"oid sha256:{hashlib.sha256(CONTENT).hexdigest()}\nsize {len(CONTENT)}\n"
)


@pytest.fixture
def pointing(store, repo, base):
    files = {
        ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
        "data.bin": POINTER,
        "pkg/a.py": "1\n",
    }
    return base_of_revision(store, repo.folder, repo.commit(files))


def test_content_that_a_pointer_of_base_names_is_no_edit(repo, pointing, admitted):
    repo.write({"data.bin": CONTENT, "pkg/a.py": "2\n"})
    assert admitted(Worktree(repo.folder), pointing) == ({b"pkg/a.py": b"2\n"}, {})


@pytest.mark.parametrize(
    "content", [CONTENT[:-1] + b"!", CONTENT + b"!", b"", POINTER.replace("size 5", "size 6")]
)
def test_any_other_content_is_one(repo, pointing, admitted, content):
    repo.write({"data.bin": content})
    assert admitted(Worktree(repo.folder), pointing)[0].keys() == {b"data.bin"}


def test_content_larger_than_a_submission_may_be_is_still_no_edit(store, repo, admitted):
    size = POLICY.refuse.max_unpacked_bytes + 1
    digest = hashlib.sha256()
    for start in range(0, size, 1 << 24):
        digest.update(bytes(min(1 << 24, size - start)))
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest.hexdigest()}\nsize {size}\n"
    base = base_of_revision(store, repo.folder, repo.commit({"data.bin": pointer, "pkg/a.py": "1\n"}))
    with (repo.folder / "data.bin").open("wb") as sparse:
        sparse.truncate(size)
    repo.write({"pkg/a.py": "2\n"})
    assert admitted(Worktree(repo.folder), base) == ({b"pkg/a.py": b"2\n"}, {})

"""Every rule over every entry and every claimed path; one refusal makes base the candidate."""

import json

import pytest

from truelap.policy import load_policy
from truelap.prepare.base import base_of_revision
from truelap.prepare.collect import Head, PatchFile, Worktree

POLICY = load_policy()
FILES = {"pkg/__init__.py": "", "pkg/a.py": "one\n", "base.pth": "x\n", "tests/test_a.py": "t\n"}


@pytest.fixture
def run(prepared, base):
    return lambda submission, policy=POLICY: prepared(submission, base, policy)


def refusals(case):
    return {(f.code, f.path) for f in case.findings if f.code.startswith("refused:")}


def new_file(path, content="x"):
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{content}\n"
    ).encode()


def test_an_honest_patch_is_admitted(repo, run, base):
    repo.write({"pkg/a.py": "two\n", "pkg/new.py": "n\n", "tests/test_a.py": "weaker\n"})
    case = run(Worktree(repo.folder))
    assert (case.refused, case.candidate_tree, case.findings) == (False, None, ())
    assert case.get("admit").artifacts() == {}


@pytest.mark.parametrize("form", ["worktree", "patch", "head"])
def test_one_refusal_makes_base_the_candidate(repo, run, base, form):
    repo.write({"pkg/a.py": "two\n", "é/evil.pth": "import os\n", "tests/sitecustomize.py": "x\n"})
    (repo.folder / "pkg/link").symlink_to("/tests")
    if form == "patch":
        submission = PatchFile(repo.diff())
    else:
        submission = Worktree(repo.folder) if form == "worktree" else Head(repo.folder, repo.commit())
    case = run(submission)
    assert case.refused
    assert case.candidate_tree == base.tree
    paths = {path for _, path in refusals(case)}
    assert paths == {"é/evil.pth", "tests/sitecustomize.py", "pkg/link"}
    files = case.get("admit").artifacts()
    assert files["agent_tree.txt"] == "tree_diff_refused"
    lines = [json.loads(line) for line in files["tree_diff_refused.txt"].splitlines()]
    assert {line["path"] for line in lines} == paths
    assert all(line["rule"] and line["reason"] for line in lines)


@pytest.mark.parametrize("path", ["../up.py", "a/../../up.py", ".git/hooks/post-checkout", "/etc/cron.d/x"])
def test_paths_that_git_refuses_are_refused_by_name(run, path):
    case = run(PatchFile(new_file(path)))
    assert case.refused
    assert path in {found for _, found in refusals(case)}


def test_a_git_folder_in_other_letters_is_refused(repo, run):
    repo.write({"sub/.GIT/hooks/x": "x\n"})
    assert {path for _, path in refusals(run(Worktree(repo.folder)))} == {"sub/.GIT/hooks/x"}


def test_both_ends_of_a_rename_are_judged(repo, run):
    repo.git("mv", "pkg/a.py", "pkg/evil.pth")
    diff = repo.git("diff", "--cached", "-M", "HEAD")
    assert b"rename to" in diff
    assert {path for _, path in refusals(run(PatchFile(diff)))} == {"pkg/evil.pth"}


def test_a_diff_that_does_not_apply_is_not_used(run, base):
    case = run(PatchFile(b"diff --git a/no.py b/no.py\n--- a/no.py\n+++ b/no.py\n@@ -1 +1 @@\n-x\n+y\n"))
    assert (case.refused, case.candidate_tree) == (True, base.tree)
    assert [(f.code, f.level) for f in case.findings] == [("no_patch", "fail")]
    assert "does not apply" in case.findings[0].message
    assert case.get("admit").artifacts() == {"agent_tree.txt": "tree_diff_failed"}


@pytest.mark.parametrize("diff", [b"", b"\n"])
def test_an_empty_diff_is_neither_refused_nor_failed(run, diff):
    case = run(PatchFile(diff))
    assert (case.refused, case.findings, case.get("admit").artifacts()) == (False, (), {})


def test_a_start_up_file_of_base_is_kept_and_the_rest_admitted(repo, run):
    repo.write({"base.pth": "changed\n", "pkg/a.py": "two\n"})
    case = run(Worktree(repo.folder))
    assert not case.refused
    assert [path for _, path, _ in case.get("admit").discarded] == [b"base.pth"]
    assert {(f.level, f.path) for f in case.findings if f.code.startswith("discarded:")} == {
        ("info", "base.pth")
    }


def limited(**limits):
    return POLICY.model_copy(update={"refuse": POLICY.refuse.model_copy(update=limits)})


def test_limits_of_size(repo, run):
    repo.write({"pkg/big.txt": "x" * 5000, "pkg/small.txt": "x"})
    assert refusals(run(Worktree(repo.folder), limited(max_file_bytes=4999))) == {
        ("refused:size", "pkg/big.txt")
    }
    assert refusals(run(Worktree(repo.folder), limited(max_file_bytes=5000))) == set()
    assert refusals(run(Worktree(repo.folder), limited(max_files=1))) == {("refused:size", None)}
    assert refusals(run(Worktree(repo.folder), limited(max_diff_bytes=4000))) == {("refused:size", None)}
    diff = repo.diff()
    for count, expected in ((len(diff) - 1, {("refused:size", None)}), (len(diff), set())):
        assert refusals(run(PatchFile(diff), limited(max_diff_bytes=count))) == expected


def test_a_rule_that_is_off_is_not_asked(repo, run):
    repo.write({"evil.pth": "x\n"})
    assert refusals(run(Worktree(repo.folder)))
    assert not refusals(run(Worktree(repo.folder), limited(off=("startup_files",))))


def test_a_module_in_a_folder_that_only_a_conftest_makes_importable_hides_another_as_well(
    store, repo, prepared
):
    files = {
        "pyproject.toml": "[tool.setuptools]\npackage-dir = {'' = 'lib'}\n",
        "conftest.py": "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\n",
        "lib/mine/__init__.py": "",
        "lib/mine/core.py": "x = 1\n",
    }
    base = base_of_revision(store, repo.folder, repo.commit(files))
    assert "lib" in base.import_folders
    repo.write({"lib/mine/core.py": "x = 2\n", "lib/mine/queue.py": "", "lib/more.py": ""})
    assert refusals(prepared(Worktree(repo.folder), base)) == set()
    repo.write({"lib/queue.py": ""})
    assert refusals(prepared(Worktree(repo.folder), base)) == {("refused:shadow_modules", "lib/queue.py")}

"""One patch out of every form of submission."""

import os
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from truelap.errors import UsageError
from truelap.model import GITLINK, Case
from truelap.policy import load_policy
from truelap.prepare.base import base_of_directory, base_of_revision
from truelap.prepare.collect import Head, PatchFile, Worktree, collect, collect_patch, read_patch
from truelap.prepare.collected import Collected

POLICY = load_policy()
FILES = {
    "pkg/a.py": "one\ntwo\n",
    "pkg/b.py": "b\n",
    "benchmarks/x.py": "x\n",
    ".gitignore": "*.log\nbuild/\n",
}


def kinds(patch):
    return {os.fsdecode(entry.path): entry.kind for entry in patch.entries}


def edit(repo):
    repo.write({"pkg/a.py": "one\n2\n", "new é.py": "n\n"})
    (repo.folder / "pkg/b.py").unlink()


EDITED = {"pkg/a.py": "modified", "pkg/b.py": "deleted", "new é.py": "added"}


def test_three_forms_give_the_same_tree(store, repo, base):
    edit(repo)
    diff = repo.diff()
    worktree, notes = collect_patch(store, base, Worktree(repo.folder), POLICY)
    repo.commit()
    head, _ = collect_patch(store, base, Head(repo.folder, "HEAD"), POLICY)
    patch, _ = collect_patch(store, base, PatchFile(diff), POLICY)
    assert kinds(patch) == EDITED
    assert patch.tree == head.tree == worktree.tree
    assert (patch.files, patch.added_lines, patch.removed_lines, patch.applied) == (3, 2, 2, True)
    assert patch.size_bytes == len(diff)
    assert notes == ()


def test_the_evidence_holds_every_line(store, repo, base):
    repo.write({".gitattributes": "benchmarks/** -diff\n", "benchmarks/x.py": "def time_x(): return 0\n"})
    case = Case(name="t", base=base)
    done = collect(Worktree(repo.folder), case, SimpleNamespace(store=store), POLICY, None, None)
    files = done.get("collect").artifacts()
    assert b"+def time_x(): return 0" in files["patch.diff"]
    assert files["patch_info.json"] == {"applied": True, "files": 2, "added_lines": 2, "removed_lines": 1}


def test_a_diff_that_does_not_apply_is_kept_as_it_came(store, repo, base):
    diff = b"diff --git a/no.py b/no.py\n--- a/no.py\n+++ b/no.py\n@@ -1 +1 @@\n-x\n+y\n"
    case = Case(name="t", base=base)
    done = collect(PatchFile(diff), case, SimpleNamespace(store=store), POLICY, None, None)
    assert done.patch.applied is False
    assert done.patch.error.startswith(
        "the diff does not apply to base: error: no.py: does not exist in index; is it against this base"
    )
    assert done.patch.claimed_paths == (b"no.py",)
    assert done.get("collect").artifacts()["patch.diff"] == diff


def test_a_config_of_base_that_cannot_be_used_is_noted(store, repo):
    base = base_of_revision(store, repo.folder, repo.commit({"asv.conf.json": "{"}))
    done = collect(
        PatchFile(b""), Case(name="t", base=base), SimpleNamespace(store=store), POLICY, None, None
    )
    assert [(finding.code, finding.level) for finding in done.findings] == [("suite:config", "info")]


@pytest.mark.parametrize("diff", [b"", b"\n \n"])
def test_an_empty_diff_is_no_patch_and_no_error(store, base, diff):
    patch, _ = collect_patch(store, base, PatchFile(diff), POLICY)
    assert (patch.applied, patch.error, patch.entries) == (False, None, ())


@pytest.mark.parametrize("form", [Worktree, lambda folder: Head(folder, "HEAD")])
def test_an_unchanged_tree_is_no_patch(store, repo, base, form):
    patch, _ = collect_patch(store, base, form(repo.folder), POLICY)
    assert (patch.applied, patch.error, patch.tree) == (False, None, base.tree)


def test_what_is_not_there_is_one_clear_line(store, base, tmp_path):
    for submission in (Worktree(tmp_path / "no"), Head(tmp_path, "HEAD")):
        with pytest.raises(UsageError, match="name"):
            collect_patch(store, base, submission, POLICY)
    with pytest.raises(UsageError, match="No such file"):
        read_patch(tmp_path / "no.diff", POLICY)


def test_a_diff_over_the_limit_is_not_even_read_whole(store, base, tmp_path):
    refuse = POLICY.refuse.model_copy(update={"max_diff_bytes": 1000})
    policy = POLICY.model_copy(update={"refuse": refuse})
    (tmp_path / "big.diff").write_bytes(b"x" * 5000)
    patch, _ = collect_patch(store, base, read_patch(tmp_path / "big.diff", policy), policy)
    assert patch.size_bytes == 1001
    assert patch.error == "the diff has more than 1000 bytes"


@pytest.mark.parametrize("where", ["new.bin", "pkg/a.py"])
def test_a_file_larger_than_any_diff_is_not_read(store, repo, base, where):
    with (repo.folder / where).open("wb") as sparse:
        sparse.truncate(1 << 42)
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert patch.applied is False
    assert where in patch.error
    assert patch.unpacked_bytes > POLICY.refuse.max_unpacked_bytes


def test_ignored_files_and_special_files_are_noted(store, repo, base):
    repo.write({"x.log": "", "build/y.o": "", "pkg/z.log": ""})
    (repo.folder / "pkg/b.py").unlink()
    os.mkfifo(repo.folder / "pkg/b.py")
    patch, notes = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch) == {"pkg/b.py": "deleted"}
    said = {note.code: note for note in notes}
    assert said["discarded:special_file"].path == "pkg/b.py"
    assert said["discarded:ignored"].message.startswith("3 new files")


def test_all_that_is_set_aside_is_on_record(store, repo, base):
    repo.write({f"{name}.log": "" for name in "abcdefg"})
    patch, (note,) = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert note.message.endswith("(a.log, b.log, c.log, d.log, e.log and 2 more)")
    found = Collected(
        diff=b"", applied=True, files=1, added_lines=0, removed_lines=0, set_aside=patch.set_aside
    )
    assert found.artifacts()["set_aside.json"] == {
        "ignored": {"n": 7, "paths": [f"{name}.log" for name in "abcdefg"]}
    }
    nothing = found.model_copy(update={"set_aside": {}})
    assert set(nothing.artifacts()) == {"patch.diff", "patch_info.json"}


@pytest.mark.parametrize(
    ("out", "expected"),
    [("results", {"pkg/c.py": "added"}), ("pkg", {"pkg/c.py": "added", "results/verdict.json": "added"})],
)
def test_the_judges_own_folder_in_a_working_tree_is_no_edit(store, repo, base, out, expected):
    repo.write({"results/verdict.json": "{}", "pkg/c.py": ""})
    given = Worktree(repo.folder, (repo.folder / out, repo.folder, repo.folder.parent))
    patch, notes = collect_patch(store, base, given, POLICY)
    assert kinds(patch) == expected
    assert [note.path for note in notes if note.code == "discarded:results"] == (
        ["results"] if out == "results" else []
    )


UNHIDDEN = {
    ".gitignore": "*.log\nbuild/\n!pkg/build/\n",
    "pkg/build/new.py": "",
    "pkg/build/x.log": "",
    "build/y": "",
}


@pytest.mark.parametrize("committed", [True, False])
def test_what_the_author_takes_out_of_the_ignore_rules_is_an_edit(store, repo, base, committed):
    (repo.commit if committed else repo.write)(UNHIDDEN)
    patch, (note,) = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch) == {".gitignore": "modified", "pkg/build/new.py": "added"}
    assert (note.code, note.message.partition(" ")[0]) == ("discarded:ignored", "2")


@pytest.mark.parametrize("where", [".gitignore", "pkg/.gitignore"])
def test_an_ignore_file_of_the_author_hides_no_edit(store, repo, base, where):
    repo.write({where: "*\n", "pkg/new.py": "", "pkg/a.py": "edited\n"})
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch).keys() == {where, "pkg/new.py", "pkg/a.py"}


def test_an_ignore_file_that_is_a_link_or_a_nested_one_only_adds(store, repo, base):
    repo.write({"x.log": "", "pkg/x.log": "", "pkg/.gitignore": "!x.log\n", "rules": "!x.log\n"})
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch).keys() == {"pkg/.gitignore", "pkg/x.log", "rules"}
    (repo.folder / ".gitignore").unlink()
    (repo.folder / ".gitignore").symlink_to("rules")
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch).keys() == {".gitignore", "pkg/.gitignore", "pkg/x.log", "rules", "x.log"}


def test_pythons_caches_are_no_edit_and_bytecode_elsewhere_is(store, repo, base):
    repo.write({"pkg/__pycache__/a.cpython-311.pyc": "", "pkg/a.pyc": "", "pkg/__pycache__/x.py": ""})
    patch, (note,) = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch) == {"pkg/a.pyc": "added", "pkg/__pycache__/x.py": "added"}
    assert (note.code, note.message.partition(" ")[0]) == ("discarded:ignored", "1")


@pytest.mark.parametrize("form", ["worktree", "head"])
def test_a_carried_build_output_is_bases_own_whatever_became_of_it(store, repo, form):
    repo.commit({".gitignore": "*.so\n", "pkg/a.py": "a\n"})
    repo.write({"pkg/_ext.so": "built", "pkg/_gone.so": "built", "pkg/_other.so": "not carried"})
    base = base_of_directory(store, repo.folder, ("_ext.so", "_gone.so"))
    assert base.carried == (b"pkg/_ext.so", b"pkg/_gone.so")
    repo.write({"pkg/_ext.so": "built again", "pkg/_new.so": "new", "pkg/a.py": "b\n"})
    (repo.folder / "pkg/_gone.so").unlink()
    submission = Worktree(repo.folder) if form == "worktree" else Head(repo.folder, repo.commit())
    patch, notes = collect_patch(store, base, submission, POLICY)
    assert kinds(patch) == {"pkg/a.py": "modified"}
    said = {note.code: note.message for note in notes}
    assert said["discarded:build_output"].startswith("2 build outputs are base's own")


def test_a_tracked_file_counts_although_ignored(store, repo):
    repo.write({"data.log": "1\n", ".gitignore": "*.log\n"})
    repo.git("add", "-f", "data.log", ".gitignore")
    repo.git("commit", "-q", "-m", "x")
    base = base_of_revision(store, repo.folder, "HEAD")
    repo.write({"data.log": "2\n"})
    assert kinds(collect_patch(store, base, Worktree(repo.folder), POLICY)[0]) == {"data.log": "modified"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_the_submissions_doing(store, repo, base):
    (repo.folder / "pkg/a.py").chmod(0)
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert "pkg/a.py: cannot be read" in patch.error


@pytest.fixture
def bottomless(repo):
    """Folders nested deeper than a path can be long; removed by rm, since Python's own way is recursive."""
    place = os.open(repo.folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=place))
    os.close(place)
    yield
    subprocess.run(["rm", "-rf", repo.folder / "d"], check=True)


def test_folders_nested_without_end(store, repo, base, bottomless):
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert "nested deeper" in patch.error


def test_names_that_git_does_not_hold_are_claimed(store, repo, base):
    repo.write({"sub/.GIT/config": "x\n", "fine.py": ""})
    (repo.folder / ".gitmodules").symlink_to("fine.py")
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch) == {"fine.py": "added"}
    assert patch.claimed_paths == (b".gitmodules", b"sub/.GIT/config")


def test_a_file_in_place_of_a_folder_and_back(store, repo, base):
    shutil.rmtree(repo.folder / "pkg")
    repo.write({"pkg": "a file\n"})
    (repo.folder / ".gitignore").unlink()
    repo.write({".gitignore/inner": "x"})
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch) == {
        "pkg": "added",
        "pkg/a.py": "deleted",
        "pkg/b.py": "deleted",
        ".gitignore": "deleted",
        ".gitignore/inner": "added",
    }


def with_submodule(repo, commit):
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},ext")
    repo.git("commit", "-q", "-m", "a submodule")


def test_submodules_of_a_commit_do_not_count_and_are_named(store, repo, base):
    with_submodule(repo, "1" * 40)
    base = base_of_revision(store, repo.folder, repo.head())
    repo.write({"ext/lib.c": "int x;\n", "pkg/a.py": "new\n"})
    patch, notes = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch) == {"pkg/a.py": "modified"}
    assert [(note.code, note.path) for note in notes] == [("discarded:submodule", "ext")]
    head, _ = collect_patch(store, base, Head(repo.folder, "HEAD"), POLICY)
    assert head.entries == ()


@pytest.mark.parametrize("at_base", [True, False])
def test_a_new_or_moved_submodule_is_an_entry(store, repo, base, at_base):
    if at_base:
        with_submodule(repo, "1" * 40)
        base = base_of_revision(store, repo.folder, "HEAD")
    with_submodule(repo, "2" * 40)
    patch, _ = collect_patch(store, base, Head(repo.folder, "HEAD"), POLICY)
    assert [(entry.path, entry.new_mode) for entry in patch.entries] == [(b"ext", GITLINK)]


def test_a_nested_suite_of_a_pristine_directory_is_part_of_base(store, repo, make_repo):
    repo.commit(FILES)
    suite = make_repo("repo/suite")
    suite.commit({"benchmarks/wcs.py": "w\n"})
    base = base_of_directory(store, repo.folder)
    suite.commit({"benchmarks/wcs.py": "edited\n"})
    suite.write({"benchmarks/sp ace.py": "new\n"})
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert kinds(patch) == {"suite/benchmarks/wcs.py": "modified", "suite/benchmarks/sp ace.py": "added"}


@pytest.mark.parametrize("name", ["main", "HEAD", "v1", "main~0"])
@pytest.mark.parametrize("form", [Worktree, lambda folder: Head(folder, "HEAD")])
def test_a_base_that_its_author_could_move_is_noted(store, repo, base, form, name):
    repo.git("tag", "v1")
    moved = base_of_revision(store, repo.folder, name)
    _, notes = collect_patch(store, moved, form(repo.folder), POLICY)
    assert [(note.code, note.level) for note in notes] == [("base:movable", "info")]
    assert repr(name) in notes[0].message
    assert f"commit {repo.head()} now" in notes[0].message


def test_a_base_that_nobody_can_move_needs_no_note(store, repo, base, tmp_path):
    for given in (repo.head(), repo.head()[:8]):
        named = base_of_revision(store, repo.folder, given)
        assert collect_patch(store, named, Worktree(repo.folder), POLICY)[1] == ()
    pristine = base_of_directory(store, repo.folder)
    assert collect_patch(store, pristine, Worktree(repo.folder), POLICY)[1] == ()

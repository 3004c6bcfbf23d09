from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truelap.peers.formulacode.diff import DiffError, edited_files, unquote
from truelap.policy import load_policy

PATTERNS = load_policy().protected.patterns
SUITE = "class Suite:\n    def time_it(self):\n        run()\n"


def edited(diff: bytes) -> list[str]:
    return [path.decode() for path in edited_files(diff, PATTERNS)]


def git_diff(repo, before, after, *argv) -> bytes:
    """The diff that the trials record: git's own, renames found or not as `argv` says."""
    repo.commit(before)
    for name in before:
        if name not in after:
            (repo.folder / name).unlink()
    repo.write(after)
    repo.git("add", "-A")
    return repo.git("diff", "--cached", *argv, "HEAD")


@pytest.mark.parametrize(
    "name",
    [
        "benchmarks/b.py",
        "benchmarks/sp ace.py",
        'benchmarks/quo"te.py',
        "benchmarks/t\tab.py",
        "benchmarks/n\nl.py",
        "benchmarks/back\\slash.py",
        "benchmarks/\xe9.py",
        "sub/asv.conf.json",
        "conftest.py",
        ".github/x.yml",
        ".snapshots/db",
    ],
)
@pytest.mark.parametrize(
    "argv", [("--text",), ("--no-prefix",), ("--src-prefix=i/", "--dst-prefix=w/"), ("-M", "--binary")]
)
def test_an_edited_line_is_seen_under_any_name(repo, name, argv):
    assert edited(
        git_diff(repo, {name: SUITE, "pkg.py": "x\n"}, {name: SUITE + "x = 1\n", "pkg.py": "y\n"}, *argv)
    ) == [name]


def test_added_and_deleted_files_are_seen(repo):
    diff = git_diff(
        repo, {"benchmarks/old.py": SUITE, "x.py": "x\n"}, {"benchmarks/new.py": "other = 1\n", "x.py": "x\n"}
    )
    assert edited(diff) == ["benchmarks/new.py", "benchmarks/old.py"]


@pytest.mark.parametrize(
    "after",
    [SUITE + "\n\n", "# note\n" + SUITE, SUITE + "    # indented note\n", SUITE.replace("\n", "\n\n")],
)
def test_blank_lines_and_comments_do_not_count(repo, after):
    assert edited(git_diff(repo, {"benchmarks/b.py": SUITE}, {"benchmarks/b.py": after})) == []


def test_a_removed_comment_does_not_count_but_a_commented_out_line_does(repo):
    before = {"benchmarks/b.py": "# a\n" + SUITE}
    assert edited(git_diff(repo, before, {"benchmarks/b.py": SUITE})) == []
    assert (
        edited(
            git_diff(
                repo, before, {"benchmarks/b.py": "# a\n" + SUITE.replace("        run()", "#        run()")}
            )
        )
        != []
    )


def test_other_files_do_not_count(repo):
    before = {"pkg/benchmarking.py": "x\n", "docs/conftest.md": "x\n", "pkg/core.py": "x\n"}
    assert edited(git_diff(repo, before, dict.fromkeys(before, "y\n"))) == []


@pytest.mark.parametrize(
    ("source", "target"), [("benchmarks/b.py", "pkg/b.py"), ("pkg/b.py", "benchmarks/b.py")]
)
def test_a_pure_move_in_or_out_counts(repo, source, target):
    diff = git_diff(repo, {source: SUITE, "x": "x\n"}, {target: SUITE, "x": "x\n"}, "-M")
    assert b"rename from" in diff
    assert edited(diff) == ["benchmarks/b.py"]


def test_a_copy_counts_for_its_target_alone(repo):
    longer = SUITE * 9
    away = git_diff(
        repo,
        {"benchmarks/b.py": longer},
        {"benchmarks/b.py": longer, "pkg/b.py": longer + "x = 1\n"},
        "-C",
        "--find-copies-harder",
    )
    assert b"copy from" in away
    assert edited(away) == []


def test_a_copy_into_the_suite_counts(repo):
    longer = SUITE * 9
    into = git_diff(
        repo,
        {"pkg/b.py": longer},
        {"pkg/b.py": longer, "benchmarks/b.py": longer},
        "-C",
        "--find-copies-harder",
    )
    assert b"copy to" in into
    assert edited(into) == ["benchmarks/b.py"]


@pytest.mark.parametrize("argv", [(), ("--binary",)])
def test_lines_that_the_diff_does_not_show_count(repo, argv):
    before = {"benchmarks/b.py": SUITE, "benchmarks/sp ace.npy": b"\0\1", ".gitattributes": "*.py -diff\n"}
    diff = git_diff(
        repo, before, {**before, "benchmarks/b.py": SUITE + "x\n", "benchmarks/sp ace.npy": b"\0\2"}, *argv
    )
    assert edited(diff) == ["benchmarks/b.py", "benchmarks/sp ace.npy"]


def test_a_mode_alone_does_not_count(repo):
    repo.commit({"benchmarks/b.py": SUITE})
    (repo.folder / "benchmarks/b.py").chmod(0o755)
    assert edited(repo.diff()) == []


def test_content_that_looks_like_a_header_is_content(repo):
    before = "x\n" * 5
    forged = "-- a/pkg/x.py\n++ b/benchmarks/b.py\n@@ -1,9 +1,9 @@\ndiff --git a/benchmarks/c.py b/benchmarks/c.py\n"
    diff = git_diff(repo, {"pkg/notes.txt": before}, {"pkg/notes.txt": before + forged})
    assert edited(diff) == []
    hidden = git_diff(repo, {"benchmarks/b.py": "-- x\n"}, {"benchmarks/b.py": "++ b/pkg/x.py\n"})
    assert edited(hidden) == ["benchmarks/b.py"]


def test_files_follow_each_other_without_a_git_header():
    plain = b"--- a/pkg.py\n+++ b/pkg.py\n@@ -1 +1 @@\n-x\n+y\n--- a/benchmarks/b.py\n+++ b/benchmarks/b.py\n@@ -1 +1,2 @@\n x\n+# y\n"
    assert edited(plain) == []
    assert edited(plain.replace(b"# y", b"y")) == ["benchmarks/b.py"]


def test_the_last_line_may_lack_its_end(repo):
    assert edited(git_diff(repo, {"benchmarks/b.py": "x"}, {"benchmarks/b.py": "y"})) == ["benchmarks/b.py"]
    assert (
        edited(
            git_diff(repo, {"conftest.py": "x = 1", "a.py": "a"}, {"conftest.py": "x = 1\n# y", "a.py": "b"})
        )
        != []
    )


@pytest.mark.parametrize(
    "diff",
    [b"@@ -1,9 +1,9 @@\n x\n", b"@@ nonsense\n", b"@@ -1 +1 @@\nwhat is this\n", b"@@@ -1 -1 +1 @@@\n"],
)
def test_what_git_does_not_write_is_not_believed(diff):
    with pytest.raises(DiffError):
        edited(b"diff --git a/x b/x\n--- a/x\n+++ b/x\n" + diff)


def test_nothing_is_edited_by_nothing():
    assert edited(b"") == []
    assert edited(b"words before\n\ndiff --git a/x b/x\nnew file mode 100644\n") == []


def test_names_are_unquoted_as_git_quotes_them():
    assert unquote(b'"a/\\a\\b\\t\\n\\v\\f\\r\\"\\\\\\001\\377"') == b'a/\a\b\t\n\v\f\r"\\\x01\xff'
    assert unquote(b"a/sp ace.py\t") == b"a/sp ace.py"


PIECES = [
    *(
        b"diff --git ",
        b"a/benchmarks/b.py",
        b'"b/\\303\\251"',
        b'"\\8',
        b"--- ",
        b"+++ ",
        b"rename from ",
        b"copy from ",
        b"@@ -1 +1 @@",
    ),
    *(
        b"@@ -0,0 +1,2 @@",
        b"\n",
        b"+x",
        b"-x",
        b" ",
        b"\\ No newline",
        b"Binary files ",
        b"/dev/null",
        b"\t",
        b'"',
        b"\xff",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_the_reader_stumble(diff):
    try:
        found = edited_files(diff, PATTERNS)
    except DiffError:
        return
    assert all(isinstance(path, bytes) for path in found)


@pytest.mark.parametrize(
    "line",
    [
        b"diff --git " + b"a " * 2_000_000,
        b"diff --git " + b'"' * 2_000_000,
        b"diff --git " + b"a/" * 2_000_000,
    ],
)
def test_a_header_without_end_takes_no_time_to_speak_of(line):
    assert edited(line + b"\nindex 1..2\n") == []


def test_a_binary_file_without_a_name_cannot_be_judged():
    with pytest.raises(DiffError, match="which one"):
        edited(b"diff --git benchmarks/a x b\nBinary files differ\n")


@pytest.mark.parametrize("argv", [(), ("--no-prefix",)])
def test_a_binary_file_with_spaces_in_its_name_is_found(repo, argv):
    name = "benchmarks/a b c .bin"
    assert edited(git_diff(repo, {name: b"\0"}, {name: b"\0\1"}, *argv)) == [name]


def test_a_binary_file_that_moves_is_found_under_both_names(repo):
    noise = bytes(range(256)) * 40
    diff = git_diff(repo, {"benchmarks/a b": noise}, {"benchmarks/c d e": noise + b"\0"}, "-M")
    assert edited(diff) == ["benchmarks/a b", "benchmarks/c d e"]

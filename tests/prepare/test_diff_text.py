"""What a diff says of itself, before git reads it: sizes of what git itself would unpack, and names that git itself would take."""

import os
import zlib
from base64 import b85encode

import pytest

from truelap.prepare.diff_text import hint, readings, unpacked_bytes

NOISE = os.urandom(30_000)


def lines(packed):
    length = "0ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    for start in range(0, len(packed), 52):
        piece = packed[start : start + 52]
        yield length[len(piece)].encode() + b85encode(piece + b"\0" * (-len(piece) % 4)) + b"\n"


def part(kind, claimed, content):
    return b"%s %s\n" % (kind, claimed) + b"".join(lines(zlib.compress(content))) + b"\n"


@pytest.mark.parametrize(
    ("before", "after", "at_least"),
    [
        (b"", NOISE, 30_000),
        (NOISE, b"\0" + NOISE * 3, 90_001),  # a delta of a few bytes
        (NOISE, b"", 30_000),  # git unpacks the old content too
    ],
)
def test_what_git_itself_writes_is_counted(repo, before, after, at_least):
    repo.commit({"x.bin": before})
    repo.write({"x.bin": after})
    found = unpacked_bytes(repo.diff("--full-index"))
    assert at_least <= found < 2 * at_least + 100


def test_text_claims_nothing(repo):
    repo.commit({"a.md": "literal 1\n"})
    repo.write({"a.md": "literal 99999999\nGIT binary patch\nliteral 5\n"})
    assert unpacked_bytes(b"literal 77777 words of a mail\n\n" + repo.diff()) == 0


HUGE = 10**12


@pytest.mark.parametrize(
    "diff",
    [
        part(b"literal", b"%d" % HUGE, b"x"),
        part(b"literal", b"\t +%d " % HUGE, b"x"),
        part(b"literal", b"-1", b"x"),
        part(b"delta", b"-1", b"x"),
        part(b"literal", b"9" * 10_000, b"x"),
        part(b"literal", b"0", b"") + part(b"literal", b"%d" % HUGE, b"x"),
        # Numbers of seven bits a byte: a source of 5, a result of 2**48.
        part(b"delta", b"9", b"\x05" + b"\x80" * 6 + b"\x40"),
        b"delta 9\n"
        + b"".join(
            lines(
                zlib.compress(b"")[:2]
                + b"\0\0\0\xff\xff" * 40
                + zlib.compress(b"\x05" + b"\x80" * 6 + b"\x40")[2:]
            )
        ),
    ],
)
def test_claims_that_git_would_believe_are_believed(diff):
    text = b"diff --git a/x b/x\nGIT binary patch\n" + diff
    assert unpacked_bytes(text) >= HUGE
    assert unpacked_bytes(text.replace(b"\n", b"\r\n")) >= HUGE


@pytest.mark.parametrize(
    "diff",
    [b"literal\n", b"delta 5\n", b"delta 5\nzxx", b"delta 5\nG~\x00\n", b"delta 5\n\n", b"", b"literal 5"],
)
def test_what_is_cut_short_is_left_to_git(diff):
    assert unpacked_bytes(b"GIT binary patch\n" + diff) <= 5


def test_many_parts_take_no_time_to_speak_of():
    assert unpacked_bytes(b"GIT binary patch\n" * 200_000) == 0
    assert unpacked_bytes(b"GIT binary patch\n" + b"literal 5\n" * 100_000) == 500_000
    assert unpacked_bytes(b"GIT binary patch\n" + b"literal 5\n" * 4_000_000) >= HUGE


def options(header):
    return [reading.options for reading in readings(b"diff --git %s\n" % header)]


@pytest.mark.parametrize(
    "header",
    [
        b"a/pkg/x.py b/pkg/x.py",
        b"i/x.py w/x.py",
        b'"a/\\303.py" "b/\\303.py"',
        b"a/a/x b/a/x",
        b"old/x.py new/x.py",
    ],
)
def test_names_with_prefixes_lose_one_part(header):
    assert options(header) == [()]


@pytest.mark.parametrize(
    "header",
    [b"pkg/x.py pkg/x.py", b"x x", b"a/x.py a/x.py", b"my file.py my file.py", b'"\\303.py" "\\303.py"'],
)
def test_names_without_prefixes_lose_none(header):
    assert options(header) == [("-p0",)]


def test_a_diff_with_crlf_is_also_read_without():
    as_is, plain = readings(b"diff --git a/x b/x\r\n+1\r\n")
    assert (as_is.text, plain.text) == (b"diff --git a/x b/x\r\n+1\r\n", b"diff --git a/x b/x\n+1\n")
    assert [r.text for r in readings(b"diff --git a/x b/x\n+1\r\n")][1:] == [b"diff --git a/x b/x\n+1\n"]
    assert len(list(readings(b"diff --git a/x b/x\n+1"))) == 1


def test_names_of_a_diff_without_a_line_of_git_are_read_both_ways():
    assert [r.options for r in readings(b"--- a/x\n+++ b/x\n")] == [(), ("-p0",)]


def test_utf_16_is_turned_back_and_what_only_looks_so_is_not():
    text = "diff --git a/é b/é\n"
    for sent in (text.encode("utf-16"), b"\xfe\xff" + text.encode("utf-16-be")):
        assert [r.text for r in readings(sent)] == [text.encode()]
    assert next(readings(b"\xff\xfe\x00")).text == b"\xff\xfe\x00\n"


@pytest.mark.parametrize(
    ("diff", "said"),
    [
        (b"\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n", "--no-color"),
        (b"*** a/x\n--- b/x\n***************\n*** 3,8 ****\n", "a context diff"),
        (b"5a6,10\n>     items\n", "has no context"),
        (b"--- /home/u/a/x\n+++ /home/u/b/x\n@@ -1 +1 @@\n", "lead out of the repository"),
        (b"--- x\n+++ ../b/x\n@@ -1 +1 @@\n", "lead out of the repository"),
        (b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", "without --relative"),
        (b"no diff at all", "no change in the form of git diff"),
    ],
)
def test_a_diff_of_another_form_is_told_what_is_expected(diff, said):
    assert said in hint(diff)

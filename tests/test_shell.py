"""Patterns for bash: what `grep -E` would read otherwise is not printed."""

import re
import subprocess

import pytest

from truelap.errors import UsageError
from truelap.policy import load_policy
from truelap.shell import as_shell

PATHS = ["a.py", "test_a.py", "pkg/bench/a.py", "a+b", "aab", "a-b", "a{2}", "x|y", "[z]", "", "dir/"]


def policy(*patterns):
    shipped = load_policy()
    return shipped.model_copy(
        update={"protected": shipped.protected.model_copy(update={"patterns": patterns})}
    )


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<!^mine)/bench",
        r"(?i)bench",
        r"(?:a|b)",
        r"a*?b",
        r"a++b",
        r"\d+",
        r"\Aa",
        r"a\Z",
        r"(a)\1",
        r"[\w]",
        r"[[:alpha:]]",
        "a\nb",
        "é*",
        "a{b",
        r"\x41",
        "",
    ],
)
def test_a_pattern_that_only_python_reads_so_is_refused(pattern):
    with pytest.raises(UsageError, match=r"protected\.patterns: grep -E does not read .* --as json"):
        as_shell(policy("^fine$", pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        r"(^|/)[^/]*_[^/]+\.py$",
        "^a{2}b$",
        "a{1,}b",
        r"a\+b",
        r"\[z\]$",
        "^(a|x)?.b$",
        "[a-c]+[+-]b",
        r"x\|y",
        "()",
    ],
)
def test_what_is_printed_grep_reads_as_python_does(pattern):
    assert as_shell(policy(pattern)).startswith("TRUELAP_PROTECTED_PATTERNS=(")
    done = subprocess.run(
        ["grep", "-E", "-e", pattern], input="\n".join(PATHS) + "\n", capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [path for path in PATHS if re.search(pattern, path)]

"""Messages of rewritten tests, as base's own lines."""

import pytest

from truelap.checks.tests.attest_rewrite import attest
from truelap.checks.tests.readable import as_written, changed_lines

NAME = "_d1f6e39e32e89de8"
SOURCE = b"def test_a():\n    given = 3\n    assert merge(given) == [4, (5)]\n    assert f(1)(2)\n"


def test_a_rewritten_line_is_shown_as_it_was():
    rewritten = attest(SOURCE, "t.py", name=NAME).source
    assert NAME in rewritten.decode()
    message = rewritten.decode().replace("    assert", ">   assert", 1) + "\nE   assert 3 == 4"
    assert as_written(message, NAME, changed_lines(SOURCE, rewritten)) == (
        SOURCE.decode().replace("    assert", ">   assert", 1) + "\nE   assert 3 == 4"
    )


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"E    +  where 3 = {NAME}(1, 0, 3)", None),
        (f"E    +  where False = all({NAME}(1, 0, [1, 0]))", "E    +  where False = all([1, 0])"),
        (f"E   assert {NAME}(1,0,({NAME}(0,0,(f(1))) + 1)) == 2", "E   assert f(1) + 1 == 2"),
        (f"E   name {NAME} cut off ({NAME}(1,0,(f", f"E   name {NAME} cut off ({NAME}(1,0,(f"),
        ("E   nothing of ours", "E   nothing of ours"),
    ],
)
def test_what_pytest_tells_of_the_recorder_is_taken_out(line, shown):
    assert as_written(f"a\n{line}\nb", NAME, {}) == ("a\nb" if shown is None else f"a\n{shown}\nb")

"""Messages of rewritten tests, as base's own lines."""

import pytest

from truelap.checks.tests.attest_rewrite import attest
from truelap.checks.tests.readable import as_written, changed_lines, written_by_base
from truelap.checks.tests.results import Fault, Node, Session
from truelap.checks.tests.sides import Side

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
        (
            f"E   name {NAME} cut off ({NAME}(1,0,(f",
            "E   name <the judge's> cut off (<the judge's>(1,0,(f",
        ),
        (
            f"E   NameError: name '{NAME}' is not defined",
            "E   NameError: name '<the judge's>' is not defined",
        ),
        ("E   nothing of ours", "E   nothing of ours"),
    ],
)
def test_what_pytest_tells_of_the_recorder_is_taken_out(line, shown):
    assert as_written(f"a\n{line}\nb", NAME, {}) == ("a\nb" if shown is None else f"a\n{shown}\nb")


@pytest.mark.parametrize(
    ("frames", "shown"),
    [
        (
            "t.py:3: in test\n    f(1)\n/truelap/probes/attest.py:126: in call\n    result = function(*args)\nm.py:1: in f",
            "t.py:3: in test\n    f(1)\nm.py:1: in f",
        ),
        (
            '  File "/truelap/probes/attest.py", line 126, in call\n    result = function()\n             ^^^^\n  File "m.py", line 1',
            '  File "m.py", line 1',
        ),
        (
            'Fatal Python error: Aborted\n  File "m.py", line 1 in f\n  File "/truelap/probes/run_tests.py", line 9 in main',
            'Fatal Python error: Aborted\n  File "m.py", line 1 in f',
        ),
        ('  File "/workspace/repo/m.py", line 1\n    f()', '  File "/workspace/repo/m.py", line 1\n    f()'),
    ],
)
def test_frames_of_the_judges_own_programs_are_taken_out(frames, shown):
    assert as_written(frames, NAME, {}) == shown


def test_what_a_session_says_of_its_end_and_of_what_it_could_not_collect_is_reread():
    said = f"NameError: name '{NAME}' is not defined"
    fault = Fault(code="internal", message="pytest ended with status 3", detail=said, after=None)
    session = Session(
        nodes={"a": Node(outcome="failed", seconds=0, message=said)},
        plugins=(),
        uncollected={"t.py": said},
        warnings=0,
        fault=fault,
        seconds=0,
    )
    assert NAME not in written_by_base(Side(sessions=(session,)), NAME, {}).model_dump_json()
    assert written_by_base(Side(sessions=(session,)), "", {}).faults == (fault,)


def test_a_crash_is_told_by_what_it_was():
    detail = 'noise\nFatal Python error: Segmentation fault\n\n  File "m.py", line 1 in f\nExtension modules: x (total: 1)'
    fault = Fault(
        code="signal", message="the worker did not end as agreed [signal 11]", detail=detail, after="t"
    )
    assert fault.text.endswith(", last heard of t: Fatal Python error: Segmentation fault")

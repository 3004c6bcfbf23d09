"""The runner, with stand-in stations: order, endings, records, faults."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from truelap.errors import StepFault, UsageError, WorldError
from truelap.model import Base, Case, Evidence, Finding, Patch
from truelap.policy import load_policy
from truelap.runner import Station, check, conclude, walk
from truelap.settings import Settings
from truelap.task import Task

POLICY = load_policy()
CASE = Case(
    name="t",
    base=Base(given="b", commit=None, tree="base-tree"),
    patch=Patch(sha256="", applied=True),
    candidate_tree="candidate-tree",
)
BAD = Finding(code="tests:regressed", level="fail", message="bad")
TOLD = Finding(code="discarded:x", level="info", message="told")
UNSURE = Finding(code="tests:too_few_base_passes", level="inconclusive", message="unsure")


class Diary:
    def __init__(self) -> None:
        self.lines: list[Any] = []

    def progress(self, text: str) -> None:
        self.lines.append(text)

    def say(self, kind: str, **data: Any) -> None:
        self.lines.append((kind, data["name"], data["status"]))


class Line:
    """A line under test: each station adds its name to `visited` and then does what it is told."""

    def __init__(self) -> None:
        self.visited: list[str] = []
        self.diary = Diary()

    def station(self, name: str, does=None, **more: bool) -> Station:
        def run(case, world, policy, task, settings):
            self.visited.append(name)
            return does(case) if does else case.plus(findings=(TOLD,))

        return Station(name, run, **more)

    def walk(self, *stations: Station, case: Case = CASE, policy=POLICY) -> Case:
        world = SimpleNamespace(events=self.diary)
        settings = Settings(python=Path("python"), seed=1)
        return walk(stations, case, world, policy, task=Task(), settings=settings)


@pytest.fixture
def line() -> Line:
    return Line()


def _raises(error):
    def run(case):
        raise error

    return run


def statuses(case: Case) -> dict[str, str]:
    return {record.name: record.status for record in case.stations}


def test_stations_are_walked_in_order_and_recorded(line):
    case = line.walk(line.station("one"), line.station("two"), line.station("three", lambda case: case))
    assert line.visited == ["one", "two", "three"]
    assert statuses(case) == {"one": "done", "two": "done", "three": "skipped"}
    assert all(record.seconds >= 0 for record in case.stations)
    assert line.diary.lines[:2] == ["one", ("station", "one", "done")]


def test_a_failed_check_does_not_end_the_line(line):
    case = line.walk(line.station("tests", lambda case: case.plus(findings=(BAD,))), line.station("time"))
    assert statuses(case) == {"tests": "failed", "time": "done"}


@pytest.mark.parametrize("finding", [BAD, UNSURE])
def test_a_failed_preparation_does(line, finding):
    failing = line.station("rebuild", lambda case: case.plus(findings=(finding,)), prepares=True)
    case = line.walk(failing, line.station("tests"), line.station("time"))
    assert line.visited == ["rebuild"]
    assert statuses(case) == {"rebuild": "failed", "tests": "not_run", "time": "not_run"}


def test_stop_on_fail_ends_the_line_early(line):
    judging = POLICY.verdict.model_copy(update={"stop_on_fail": True})
    policy = POLICY.model_copy(update={"verdict": judging})
    line.walk(
        line.station("tests", lambda case: case.plus(findings=(BAD,))), line.station("time"), policy=policy
    )
    assert line.visited == ["tests"]


def test_a_refusal_ends_the_line_at_once(line):
    refusing = line.station("admit", lambda case: case.plus(refused=True, candidate_tree=case.base.tree))
    case = line.walk(refusing, line.station("restore"))
    assert line.visited == ["admit"]
    assert statuses(case)["restore"] == "not_run"


def test_nothing_left_to_judge_ends_the_line(line):
    line.walk(
        line.station("restore", lambda case: case.plus(candidate_tree=case.base.tree)), line.station("tests")
    )
    assert line.visited == ["restore"]


@pytest.mark.parametrize(
    "error",
    [ValueError("odd"), WorldError("odd"), OSError("odd"), StepFault("late", "odd"), RecursionError("odd")],
)
def test_a_fault_of_ours_is_inconclusive_and_ends_the_line(line, error):
    case = line.walk(line.station("one"), line.station("two", _raises(error)), line.station("three"))
    assert line.visited == ["one", "two"]
    assert statuses(case) == {"one": "done", "two": "failed", "three": "not_run"}
    (finding,) = (finding for finding in case.findings if finding.level != "info")
    assert (finding.code, finding.level) == ("station:two", "inconclusive")
    assert "odd" in finding.message


def test_what_a_user_did_wrong_comes_through(line):
    with pytest.raises(UsageError, match="no asv config"):
        line.walk(line.station("time", _raises(UsageError("no asv config"))))


def test_being_stopped_is_nobodys_finding(line):
    with pytest.raises(KeyboardInterrupt):
        line.walk(line.station("tests", _raises(KeyboardInterrupt())))


class Measured(Evidence):
    section: ClassVar[str] = "tests"
    value: int


def test_a_check_measures_and_then_judges_what_it_measured(line):
    order = []

    def gather(case, world, policy, task, settings):
        order.append("gather")
        return Measured(value=7)

    def judge(evidence, policy):
        order.append("judge")
        return (Finding(code="tests:regressed", level="fail", message=str(evidence.value)),)

    case = line.walk(check("tests", SimpleNamespace(gather=gather, judge=judge)))
    assert order == ["gather", "judge"]
    assert case.get("tests") == Measured(value=7)
    assert [finding.message for finding in case.findings] == ["7"]


def test_a_station_that_may_be_skipped_is_not_required(line):
    world = SimpleNamespace(
        interpreter=SimpleNamespace(version=(3, 11, 7), executable=Path("python")),
        sandbox=SimpleNamespace(name="bubblewrap"),
    )
    evident = line.station("collect", lambda case: case.plus(evidence=(("collect", Measured(value=1)),)))
    for optional, outcome in ((True, "accepted"), (False, "inconclusive")):
        stations = (evident, line.station("rebuild", lambda case: case, optional=optional))
        verdict = conclude(stations, line.walk(*stations), world, POLICY, 3)
        assert (verdict.outcome, verdict.seed) == (outcome, 3)


def test_a_build_of_which_nothing_is_known_does_not_end_the_line():
    line = Line()
    unsure = line.station("rebuild", lambda case: case.plus(findings=(UNSURE,)), prepares=True, optional=True)
    case = line.walk(unsure, line.station("tests", lambda case: case.plus(findings=(BAD,))))
    assert line.visited == ["rebuild", "tests"]
    assert [station.status for station in case.stations] == ["failed", "failed"]


def test_a_build_that_fails_does():
    line = Line()
    line.walk(
        line.station("rebuild", lambda case: case.plus(findings=(BAD,)), prepares=True, optional=True),
        line.station("tests"),
    )
    assert line.visited == ["rebuild"]

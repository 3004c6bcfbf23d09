"""truelap beside other ways to time, in the same minutes (`make bench-peers`): real `asv continuous`, and FormulaCode's A-B-B-A rounds.

Each task is one of `make bench-ab`, with two costs alone, 0 and 10 %, both signs. Every way times it once, in turn, and another one begins each time.
Seconds are those of a whole way from two trees to decisions; environments are made beforehand, for everyone. Every run adds to
bench/results/peers.jsonl; what is printed is of all runs with the same policy and options together.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import ab  # noqa: E402
import abba  # noqa: E402
import bounds  # noqa: E402
import bundle  # noqa: E402
import continuous  # noqa: E402
import experiment  # noqa: E402

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

COST = 0.10
SHARES = (0.0, COST)
NAMES = tuple(f"b.time_{name}" for name in bundle.KINDS)
OURS = "truelap"

FEWER_SECONDS, FALSE_SHARE, MORE_POWER = 5.0, 0.1, 3.0
"""What is asked of us against each other way: so many times fewer seconds, at most that share of its false calls, so many times its power."""


@dataclass(frozen=True)
class Score:
    """What one way came to.

    Attributes:
        trials: tasks.
        undecided: benchmarks without a decision. They count as not found, but as no verdict.
        seconds: per verdict.
        false: benchmarks without a cost that it called changed, of how many, and the upper 95 % bound of their share.
        found: benchmarks with the cost that it called so, in the right direction, of how many, and the lower bound.
    """

    trials: int
    undecided: int
    seconds: float
    false: tuple[int, int, float]
    found: tuple[int, int, float]


def score(rows: list[dict[str, Any]]) -> Score:
    """The score of the rows of one way.

    Raises:
        ValueError: it came to no verdict at all.
    """
    seconds = {row["seed"]: row["seconds"] for row in rows}
    decided = [row for row in rows if row["decision"] in experiment.DECIDED]
    if not decided:
        raise ValueError("not one verdict")
    plain, costly = ([row for row in rows if bool(row["cost"]) is costs] for costs in (False, True))
    wrong = sum(row["decision"] in {"faster", "slower"} for row in plain)
    right = sum(row["decision"] == ("slower" if row["cost"] > 0 else "faster") for row in costly)
    return Score(
        trials=len(seconds),
        undecided=len(rows) - len(decided),
        seconds=sum(seconds.values()) / len(decided),
        false=(wrong, len(plain), bounds.upper(wrong, len(plain))),
        found=(right, len(costly), bounds.lower(right, len(costly))),
    )


@dataclass(frozen=True)
class Ratio:
    """One of the three comparisons.

    Attributes:
        what: is compared.
        value: None where the other way's number is zero.
        bound: the same with both shares at the ends of their 95 % bounds that are worse for us; None for seconds.
        wanted: what is asked.
        met: whether `value` is that.
    """

    what: str
    value: float | None
    bound: float | None
    wanted: str
    met: bool


def against(ours: Score, other: Score) -> list[Ratio]:
    """The three ratios that are asked for."""
    fewer = other.seconds / ours.seconds
    false, false_bound = (
        ratio(share(ours.false), share(other.false)),
        ratio(ours.false[2], bounds.lower(*other.false[:2])),
    )
    power, power_bound = (
        ratio(share(ours.found), share(other.found)),
        ratio(ours.found[2], bounds.upper(*other.found[:2])),
    )
    never = other.found[0] == 0 < ours.found[0]
    return [
        Ratio(
            "times fewer seconds per verdict", fewer, None, f">= {FEWER_SECONDS:g}", fewer >= FEWER_SECONDS
        ),
        Ratio(
            "of its false calls",
            false,
            false_bound,
            f"<= {FALSE_SHARE:g}",
            false is not None and false <= FALSE_SHARE,
        ),
        Ratio(
            "times its power",
            power,
            power_bound,
            f">= {MORE_POWER:g}",
            never or (power is not None and power >= MORE_POWER),
        ),
    ]


def share(found: tuple[int, int, float]) -> float:
    """Hits of how many; zero of none."""
    return found[0] / found[1] if found[1] else 0.0


def ratio(one: float, other: float) -> float | None:
    """One by the other, if that can be."""
    return one / other if other else None


def scores(rows: list[dict[str, Any]]) -> dict[str, Score]:
    """By way, ours first."""
    ways = sorted({row["way"] for row in rows}, key=lambda way: (way != OURS, way))
    return {way: score([row for row in rows if row["way"] == way]) for way in ways}


def table(found: Mapping[str, Score]) -> list[str]:
    """A line a way, and three a comparison."""
    lines = [
        f"{'':20}tasks  s/verdict   {'false calls (95 % bound)':32}{f'{COST:.0%} found (95 % bound)':32}undecided"
    ]
    lines += [
        f"{way:20}{one.trials:5}{one.seconds:11.2f}   {told(one.false, 'under'):32}{told(one.found, 'over'):32}{one.undecided:9}"
        for way, one in found.items()
    ]
    for way, other in found.items():
        if way != OURS:
            lines.append(f"{OURS} against {way}:")
            lines += [f"  {line(one)}" for one in against(found[OURS], other)]
    return lines


def told(found: tuple[int, int, float], side: str) -> str:
    """A share with its bound."""
    return f"{found[0]} of {found[1]}, {share(found):.1%} ({side} {found[2]:.1%})"


def line(one: Ratio) -> str:
    """One comparison."""
    value = "none to divide by" if one.value is None else f"{one.value:.2f}"
    bound = "" if one.bound is None else f", {one.bound:.2f} with both bounds against us"
    return f"{value} {one.what}{bound} (asked: {one.wanted}): {'met' if one.met else 'NOT met'}"


def printed(book: experiment.Book, *, as_json: bool) -> str:
    """Everything that was found so far."""
    found = scores(book.rows)
    if not as_json:
        return "\n".join([book.place(), *table(found)])
    others = {
        way: [asdict(one) for one in against(found[OURS], other)]
        for way, other in found.items()
        if way != OURS
    }
    ways = {way: asdict(one) for way, one in found.items()}
    return json.dumps({"where": book.place(), "ways": ways, "against": others}, indent=2)


def ours(project: experiment.Project, seed: int, told: argparse.Namespace) -> dict[str, experiment.Trial]:
    """The whole protocol."""
    data = experiment.timed(project, seed, told)
    decisions = {f"b.{name.rpartition('.')[2]}": one["decision"] for name, one in data["benchmarks"].items()}
    return {OURS: experiment.Trial(data["seconds"], decisions)}


def task(seed: int, told: argparse.Namespace, asv: continuous.Continuous) -> list[dict[str, Any]]:
    """One task, timed every way: a row for each way and benchmark."""
    with TemporaryDirectory() as folder:
        made, costs = ab.project(seed, Path(folder), SHARES)
        ways: list[Callable[[], dict[str, experiment.Trial]]] = [
            lambda: ours(made, seed, told),
            lambda: asv.trial(made, NAMES),
            lambda: abba.trial(made, NAMES),
        ]
        turn = seed % len(ways)
        trials: dict[str, experiment.Trial] = {}
        for way in ways[turn:] + ways[:turn]:
            trials |= way()
            print(".", end="", flush=True, file=sys.stderr)
    return [
        {
            "way": way,
            "id": name,
            "cost": costs[name.removeprefix("b.time_")],
            "decision": trial.decisions.get(name, "missing"),
            "seconds": round(trial.seconds, 2),
        }
        for way, trial in trials.items()
        for name in NAMES
    ]


def main() -> int:
    parser = experiment.options(__doc__ or "")
    parser.add_argument("--json", action="store_true", help="print JSON")
    told = parser.parse_args()
    if told.suite != "synthetic":
        raise SystemExit("costs can be added to the synthetic suite alone")
    book = experiment.Book(
        told.results / "peers.jsonl", told, asv=continuous.ASV, rounds=f"{abba.ROUNDS}, {abba.AGAIN}"
    )
    with TemporaryDirectory() as folder, experiment.neighbour(wanted=told.neighbour):
        # Others wait for nobody either; what is compared is work, not a queue.
        if told.slots is None:
            told.slots = Path(folder) / "slots"
            told.slots.mkdir()
        asv = continuous.Continuous(Path(folder))
        for seed in experiment.repeat(told, book):
            book.keep(task(seed, told, asv), seed)
    print(f"\n{printed(book, as_json=told.json)}" if book.rows else "nothing was measured")
    return 0 if book.rows else 1


if __name__ == "__main__":
    raise SystemExit(main())

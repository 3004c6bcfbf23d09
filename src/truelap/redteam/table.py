"""What the suite found, for people."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from truelap.report import visible
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

    from truelap.redteam.campaign import Score
    from truelap.redteam.trial import Trial, Variant

_WIDTH = 80
"""Columns where there is no terminal to fit into."""

_HEAD = ("", "attack", "caught by", "without it", "came out")
"""What there is no room for is left out, from the end."""
_GAP, _INDENT = "  ", " " * 4
_WHOSE: dict[Variant, str] = {"attack": "", "twin": "its honest twin: ", "ablated": "without its defence: "}


def show(scores: Iterable[Score], console: Console) -> None:
    """Print a line for each attack, what is wrong with it below, and a line of sums; no wider than the terminal."""
    known = tuple(scores)
    width = console.width if console.is_terminal else _WIDTH
    for line, wrong in _lines(known, width):
        console.print(line, style="bold" if wrong else "", markup=False, highlight=False, soft_wrap=True)
    for line in textwrap.wrap(summed(known), width):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def summed(scores: tuple[Score, ...]) -> str:
    """The sums in one sentence."""
    waiting = sum(score.attack.waiting for score in scores)
    caught = sum(score.trials["attack"].wrong is None for score in scores if not score.attack.waiting)
    accused = sum(score.trials["twin"].accused for score in scores)
    ablated = [trial for score in scores if (trial := score.trials.get("ablated"))]
    won = sum(trial.wrong is None for trial in ablated)
    wrong = sum(not score.right for score in scores) - waiting
    sums = [f"{caught} of {counted(len(scores), 'attack')} caught"]
    sums += [f"{waiting} not yet (their defence is not there)"] * bool(waiting)
    sums += [f"{counted(accused, 'honest twin')} accused"] * bool(accused)
    sums += [f"without its defence {won} of {len(ablated)} succeeded"] * bool(ablated)
    seconds = sum(trial.seconds for score in scores for trial in score.trials.values())
    return f"{'; '.join(sums)}. {seconds:.0f} s of work{f'; {wrong} wrong' if wrong else ''}."


def as_data(score: Score) -> dict[str, Any]:
    """One attack for JSON."""
    attack = score.attack
    return {
        "id": attack.id,
        "how": attack.how,
        "caught_by": attack.caught_by,
        "needs": attack.needs,
        "status": _status(score),
        "unablated": attack.unablated,
        **{variant: trial.as_data() for variant, trial in score.trials.items()},
    }


def _status(score: Score) -> str:
    if score.attack.waiting:
        return "not yet"
    return "as expected" if score.right else "NOT as expected"


def _lines(scores: Sequence[Score], width: int) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is about what is not as it must be."""
    rows = [_row(score) for score in scores]
    widths = _widths([_HEAD, *rows], width)
    yield _line(_HEAD, widths), False
    ablated = any("ablated" in score.trials for score in scores)
    for score, row in zip(scores, rows, strict=True):
        yield _line(row, widths), not score.right
        for remark in _remarks(score, ablated=ablated):
            told = textwrap.wrap(visible(remark), width, initial_indent=_INDENT, subsequent_indent=_INDENT)
            yield from ((line, not score.right) for line in told)


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Of the columns that fit: all but the last ones, and never less than which attack it is."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    while len(widths) > 2 and sum(widths) + len(_GAP) * (len(widths) - 1) > room:  # noqa: PLR2004 - mark and name
        widths.pop()
    return widths


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(text.ljust(width) for text, width in zip(row, widths, strict=False)).rstrip()


def _row(score: Score) -> tuple[str, ...]:
    attack, ablated = score.attack, score.trials.get("ablated")
    mark = "--" if attack.waiting else "ok" if score.right else "NO"
    caught_by = f"needs {attack.needs}" if attack.waiting else attack.caught_by
    without = "-" if ablated is None else "succeeds" if ablated.wrong is None else "NO"
    came = score.trials["attack"]
    return mark, attack.id, caught_by, without, _found(came) if came.wrong is None else "see below"


def _remarks(score: Score, *, ablated: bool) -> Iterator[str]:
    """What the row does not hold: what is wrong, and why an attack is not tried without its defence."""
    attack = score.attack
    if attack.waiting:
        yield f"not yet: {score.trials['attack'].wrong or 'gets through'}"
    for variant, whose in _WHOSE.items():
        trial = score.trials.get(variant)
        if trial and trial.wrong is not None and not (attack.waiting and variant == "attack"):
            yield f"{whose}{trial.wrong}"
    if ablated and attack.unablated:
        yield f"not tried without it: {attack.unablated}"


def _found(trial: Trial) -> str:
    outcome = "accepted without its gain" if trial.came.outcome == "accepted" else trial.came.outcome
    why = trial.attack.expect.finding or trial.attack.expect.failure_reason
    return f"{outcome}: {why}" if why else outcome

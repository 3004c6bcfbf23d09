"""What the suite found, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from truelap.redteam.campaign import Score
    from truelap.redteam.trial import Trial, Variant

_WIDTH = 150
"""Columns of the table where there is no terminal to fit into."""


def show(scores: Iterable[Score], console: Console) -> None:
    """Print a table with a line for each attack, and a line of sums."""
    known = tuple(scores)
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH)
    table = Table(title="truelap redteam")
    for name, ratio in (
        ("attack", 3),
        ("caught by", 1),
        ("came out", 2),
        ("honest twin", 1),
        ("without the defence", 2),
    ):
        table.add_column(name, ratio=ratio)
    for score in known:
        table.add_row(*_row(score))
    console.print(table)
    console.print(summed(known))


def summed(scores: tuple[Score, ...]) -> str:
    """The sums in one sentence."""
    waiting = [score for score in scores if score.attack.waiting]
    caught = sum(score.trials["attack"].wrong is None for score in scores if not score.attack.waiting)
    accused = sum(score.trials["twin"].wrong is not None for score in scores)
    ablated = [trial for score in scores if (trial := score.trials.get("ablated"))]
    sums = [
        f"{caught} of {len(scores)} attacks caught",
        f"{len(waiting)} not yet (their defence is not there)",
        f"{accused} honest twins accused",
    ]
    if ablated:
        won = sum(trial.wrong is None for trial in ablated)
        sums.append(f"without their defence {won} of {len(ablated)} succeed")
    seconds = sum(trial.seconds for score in scores for trial in score.trials.values())
    return f"{'; '.join(sums)}. {seconds:.0f} s of work."


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


def _row(score: Score) -> tuple[str, ...]:
    attack = score.attack
    name = attack.id if score.right else f"[bold]{attack.id}[/bold]"
    caught_by = f"needs {attack.needs}" if attack.waiting else attack.caught_by
    came = score.trials["attack"]
    first = (
        escape(f"not yet: {came.wrong or 'gets through'}") if attack.waiting else _cell(came, _found(came))
    )
    ablated = score.trials.get("ablated")
    last = _cell(ablated, "succeeds") if ablated else (attack.unablated or "-")
    return name, caught_by, first, _cell(score.trials["twin"], "accepted"), last


def _found(trial: Trial) -> str:
    outcome = "accepted without its gain" if trial.came.outcome == "accepted" else trial.came.outcome
    why = trial.attack.expect.finding or trial.attack.expect.failure_reason
    return f"{outcome}: {why}" if why else outcome


def _cell(trial: Trial, right: str) -> str:
    return escape(right if trial.wrong is None else f"NO: {trial.wrong}")


def progress(trial: Trial) -> str:
    """One line about one trial."""
    words: dict[Variant, str] = {"attack": "", "twin": " (honest twin)", "ablated": " (without its defence)"}
    return f"{trial.attack.id}{words[trial.variant]}: {trial.wrong or 'as expected'}"

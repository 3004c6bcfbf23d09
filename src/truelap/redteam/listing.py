"""What the attacks are, without running them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from truelap.redteam.attack import Attack

_WIDTH = 80
"""Columns where there is no terminal to fit into."""
_INDENT = " " * 4


def described(attacks: Sequence[Attack], console: Console) -> None:
    """Print of each attack its id, what catches it and how it works, and how many there are."""
    width = console.width if console.is_terminal else _WIDTH
    for attack in attacks:
        console.print(f"{attack.id}  [{_stop(attack)}]", markup=False, highlight=False, soft_wrap=True)
        for line in textwrap.wrap(attack.how, width, initial_indent=_INDENT, subsequent_indent=_INDENT):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(f"{counted(len(attacks), 'attack')}.", markup=False, highlight=False, soft_wrap=True)


def named(attack: Attack) -> dict[str, Any]:
    """One attack for JSON, under the keys that it has once it was run."""
    return {
        "id": attack.id,
        "how": attack.how,
        "caught_by": attack.caught_by,
        "needs": attack.needs,
        "off": list(attack.ablated),
        "unablated": attack.unablated,
        "checks": list(attack.checks),
    }


def _stop(attack: Attack) -> str:
    return f"needs {attack.needs}" if attack.waiting else attack.caught_by

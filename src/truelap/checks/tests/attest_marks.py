"""What is said of a place where a test file makes a claim, and of an expression that is recorded there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import ast

Kind = Literal["compare", "truth", "call", "handed", "raises", "assert", "prints"]
Role = Literal["claim", "witness"]
Choice = bool | int | tuple[Any, ...]
"""A condition of several claims: what stands there, the id of a claim's site, or `or`, `and` or `not` with the parts it joins."""


@dataclass(frozen=True)
class Operand:
    """One value of a site.

    Attributes:
        slot: its number within the site.
        role: a `claim` is what the assertion itself compares; a `witness` is a value it was computed from.
        known: the source text holds a literal there; the judge has the value and the worker sends none.
        constant: that literal, encoded.
    """

    slot: int
    role: Role
    known: bool = False
    constant: Any = None


@dataclass(frozen=True)
class Site:
    """One place of a source file where a test claims something.

    Attributes:
        id: unique within the run.
        line: of the file, from 1.
        scope: dotted names of the classes and functions around it.
        kind: what stands there.
        operators: comparisons between neighbouring claims, as `values.holds` names them; empty when the judge knows none.
        operands: what is compared or observed.
        back: whether it is in code that the package under test may call, as often as it likes.
        choice: the whole condition that it is a part of, where others of its parts can hold in its place.
        close: what it tolerates, relative and absolute, where it claims that its witnesses are close to each other.
    """

    id: int
    line: int
    scope: str
    kind: Kind
    operators: tuple[str, ...] = ()
    operands: tuple[Operand, ...] = ()
    close: tuple[float, float] | None = None
    back: bool = False
    choice: Choice | None = None


@dataclass(frozen=True)
class Mark:
    """An expression to be sent through the recorder.

    Attributes:
        node: the expression.
        method: of the recorder; empty for the recorder itself.
        site: id of the site.
        slot: of the operand; None where the method takes none.
        bare: a generator expression that shares its parentheses with the call it is the only argument of.
    """

    node: ast.expr
    method: str
    site: int
    slot: int | None = None
    bare: bool = False

"""The one schema of what the test probe may say. Everything in it is a claim; `fold` decides what it is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from truelap.errors import StepFault
from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT_CHARS = 8192
"""Longest free text (a failure's representation) that a message may carry."""

NodeName = Annotated[str, Field(min_length=1, max_length=8192)]
Text = Annotated[str, Field(max_length=TEXT_CHARS)]
Name = Annotated[str, Field(max_length=1024)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, lt=1 << 40)]


_EVENT = 3


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Hello(Frozen):
    """The probe is up, and nothing of the tree has been importable so far."""

    type: Literal["hello"]


class Plugin(Frozen):
    """One plugin that pytest registered."""

    name: Name
    """As pytest's plugin manager calls it; `object:<type>` for one without a name."""
    dist: Name
    """Distribution whose entry point brought it, "" for none."""
    in_tree: bool
    """Whether its code lies in the tree under test."""


class Plugins(Frozen):
    """Plugins registered since the last such message."""

    type: Literal["plugins"]
    plugins: Annotated[tuple[Plugin, ...], BeforeValidator(_as_tuple)]


class Collector(Frozen):
    """One file, class or folder was collected."""

    type: Literal["collector"]
    id: Annotated[str, Field(max_length=8192)]
    outcome: Literal["passed", "failed", "skipped"]
    text: Text


class Collected(Frozen):
    """A part of the complete list of tests, in the order in which they will run."""

    type: Literal["collected"]
    ids: Annotated[tuple[NodeName, ...], BeforeValidator(_as_tuple)]
    last: bool
    """Whether the list ends here. No test may report before that."""


class Phase(Frozen):
    """One phase of one test, or one subtest within its call."""

    type: Literal["phase"]
    id: NodeName
    when: Literal["setup", "call", "teardown"]
    outcome: Literal["passed", "failed", "skipped", "rerun"]
    xfail: bool
    """Whether pytest holds the outcome for that of an expected failure."""
    sub: bool
    """True for a subtest: it adds to the test's outcome and ends nothing."""
    seconds: Seconds
    text: Text


def _events(value: Any) -> Any:
    """A list of [site, slot, anything]; what the values are is read when they are compared."""
    if not isinstance(value, list):
        raise ValueError("events that are no list")
    for event in value:
        if (
            not isinstance(event, list)
            or [type(part) for part in event[:2]] != [int, int]
            or len(event) != _EVENT
        ):
            raise ValueError("an event that is none")
    return value


class Values(Frozen):
    """What assertions of one test compared, in order."""

    type: Literal["values"]
    test: NodeName
    events: Annotated[Any, BeforeValidator(_events)]


class Example(Frozen):
    """One example of a doctest, as the standard library keeps it."""

    source: str
    want: str
    exc: str | None
    """The exception that is wanted, as its last lines say it."""
    line: int
    """Within the docstring or document, from 0."""
    indent: int
    options: dict[str, bool]
    """Flags that the example switches on or off, by name."""


class DocTest(Frozen):
    """One doctest."""

    name: str
    file: str | None
    line: int | None
    """Where its docstring starts, from 0."""
    doc: str | None
    examples: Annotated[tuple[Example, ...], BeforeValidator(_as_tuple)]


class Doctest(Frozen):
    """A doctest that somebody looked for."""

    type: Literal["doctest"]
    home: NodeName
    """The file that was being collected, or the test that ran."""
    call: Count
    """Number of the request, counted per home."""
    test: DocTest | None
    """None for one that cannot be told: then base's answer to this request is not known."""


def _as_pairs(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


class Opened(Frozen):
    """Files of the tree that its own code opened to read."""

    type: Literal["opened"]
    pairs: Annotated[tuple[tuple[NodeName, NodeName], ...], BeforeValidator(_as_pairs)]
    """Path, and the file of the code that opened it; "<doctest>" for an example."""


Change = Annotated[tuple[Name, Name], BeforeValidator(_as_tuple)]
"""A place, and what has become of it."""


class Integrity(Frozen):
    """What code of the tree has changed since before it could be imported."""

    type: Literal["integrity"]
    when: Literal["collected", "end"]
    changes: Annotated[tuple[Change, ...], BeforeValidator(_as_tuple)]
    """In what judges the tests."""
    notes: Annotated[tuple[Change, ...], BeforeValidator(_as_tuple)]
    """In what is the process's own affair."""
    loaded: Annotated[tuple[Change, ...], BeforeValidator(_as_pairs)] = ()
    """Modules of the tree by name, and the files they come from; told at the end."""


class End(Frozen):
    """pytest has returned; nothing may follow but the end of the process."""

    type: Literal["end"]
    exit: Annotated[int, Field(ge=-(1 << 31), lt=1 << 31)]
    warnings: Count
    text: Text
    """pytest's own internal error, "" for none."""


Message = Hello | Plugins | Collector | Collected | Phase | Values | Doctest | Opened | Integrity | End
_ADAPTER: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def parse(data: Mapping[str, Any]) -> Message:
    """Read one message strictly.

    Raises:
        StepFault: "garbled" for anything that the schema does not name.
    """
    try:
        return _ADAPTER.validate_python(dict(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise StepFault(
            "garbled", f"the worker sent no valid test message: {place}: {first['msg']}"
        ) from error

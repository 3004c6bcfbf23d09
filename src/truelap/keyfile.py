"""What is wrong with a file of settings, in our own words: which key, what is wrong with it, what to do. Pure."""

from __future__ import annotations

import difflib
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Collection

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_CLOSE = 0.6
_SHOWN_CHARS = 40

_KINDS = {
    "string_type": "a text in quotes",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list in [ ]",
    "list_type": "a list in [ ]",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def complaint(error: ValidationError, model: type[BaseModel]) -> str:
    """The first thing that is wrong, and how many there are.

    Args:
        error: pydantic's.
        model: what was to be read.
    """
    # A misspelt key explains the one that is missing.
    found = sorted(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    wrong = {_place(model, one["loc"]).key for one in found}
    more = f" (and that is not all: {len(wrong)} keys are wrong)" if len(wrong) > 1 else ""
    return f"{_place(model, found[0]['loc']).key}: {_wrong(found[0], model)}{more}"


def near(name: str, known: Collection[str]) -> str | None:
    """What may have been meant by a name that there is not.

    >>> near("output", ["values", "outputs"]), near("x", ["values"])
    ('outputs', None)
    """
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=_CLOSE)), None)


class _Place(NamedTuple):
    """A key as TOML writes it (`tests.select`, `environment.build[0]`), and the type of what stands there."""

    key: str
    kind: Any


def _place(model: type[BaseModel], loc: tuple[int | str, ...]) -> _Place:
    key, kind = "", (model,)
    for part in loc:
        if len(kind) > 1:
            # Which of several types was tried, says pydantic: no key.
            kind = tuple(one for one in kind if getattr(one, "__name__", None) == part)
            continue
        key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{part}"
        kind = _arms(_below(kind[0], part)) if kind else ()
    return _Place(key, kind[0] if len(kind) == 1 else None)


def _arms(kind: Any) -> tuple[Any, ...]:
    """The types that a type is made of: those of a union but None, or itself."""
    if get_origin(kind) is Annotated:
        return _arms(get_args(kind)[0])
    if get_origin(kind) in {Union, UnionType}:
        return tuple(arm for one in get_args(kind) if one is not NoneType for arm in _arms(one))
    return (kind,)


def _below(kind: Any, part: int | str) -> Any:
    """The type of what a table or a list holds."""
    if _is_model(kind):
        field = kind.model_fields.get(part)
        return field.annotation if field else None
    inside = get_args(kind)
    return inside[0 if isinstance(part, int) else -1] if inside else None


def _wrong(error: ErrorDetails, model: type[BaseModel]) -> str:
    if text := _of_key(error, model) or _of_value(error):
        return text
    said = str(error["ctx"]["error"]) if "error" in error.get("ctx", {}) else error["msg"]
    return f"{said}; it is {_shown(error['input'])}"


def _of_key(error: ErrorDetails, model: type[BaseModel]) -> str | None:
    if error["type"] == "missing":
        return "is missing; add it"
    if error["type"] != "extra_forbidden":
        return None
    name, table = str(error["loc"][-1]), _place(model, error["loc"][:-1]).kind
    known = sorted(table.model_fields) if _is_model(table) else []
    if meant := near(name, known):
        return f"there is no such key; did you mean {meant}?"
    return f"there is no such key; the keys here are {', '.join(known)}" if known else "there is no such key"


def _of_value(error: ErrorDetails) -> str | None:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "literal_error":
        wanted = str(context["expected"]).replace("'", '"')
    elif kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        wanted = f"{words} {context[name]:g}"
    elif kind in _KINDS:
        wanted = _KINDS[kind]
    else:
        return None
    return f"must be {wanted}, and is {_shown(error['input'])}"


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, list | tuple):
        text = "a list"
    else:
        text = "a table" if isinstance(value, dict) else str(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."

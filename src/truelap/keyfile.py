"""What is wrong with a file of settings, in our own words: which key, what is wrong with it, what to do. Pure."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_CLOSE = 0.6
_SHOWN_CHARS = 40

_KINDS = {
    "string_type": "a text in quotes",
    "int_type": "a whole number",
    "float_type": "a number",
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
    more = f" (and that is not all: {len(found)} keys are wrong)" if len(found) > 1 else ""
    first = found[0]
    return f"{_key(first)}: {_wrong(first, model)}{more}"


def _key(error: ErrorDetails) -> str:
    """The key as TOML writes it: `tests.select`, `environment.build[0]`."""
    key = ""
    for part in error["loc"]:
        key += f"[{part}]" if isinstance(part, int) else f"{'.' if key else ''}{part}"
    return key


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
    name, known = str(error["loc"][-1]), _keys(model, error["loc"][:-1])
    near = difflib.get_close_matches(name, known, n=1, cutoff=_CLOSE)
    if near:
        return f"there is no such key; did you mean {near[0]}?"
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


def _keys(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The keys of the table at a place; none where it is not one of ours."""
    here: Any = model
    for part in place:
        field = here.model_fields.get(part) if _is_model(here) else None
        if field is None:
            return []
        kinds = (field.annotation, *get_args(field.annotation))
        here = next(filter(_is_model, kinds), None)
    return sorted(here.model_fields) if _is_model(here) else []


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

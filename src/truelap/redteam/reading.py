"""Reads attacks from their files, and says what is wrong with one before anything runs: keys, names of defences, task and limits."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from truelap.defences import DEFENCES
from truelap.errors import TruelapError, UsageError, WorldError
from truelap.keyfile import complaint, near
from truelap.model import Frozen
from truelap.policy import Policy, load_policy
from truelap.redteam.attack import PENDING, SANDBOX, SECTIONS, Attack
from truelap.redteam.naive import REPLACED
from truelap.rules import load_rules
from truelap.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.resources.abc import Traversable

_ID = re.compile(rf"({'|'.join(SECTIONS)})-(\d\d-)?[a-z0-9]+(-[a-z0-9]+)*")
_OWN = "own-"
_RULE = "rule:"

_M = TypeVar("_M", bound=BaseModel)


def load_attacks(only: Sequence[str] = ()) -> tuple[Attack, ...]:
    """The attacks of the bundled folder, by section and id.

    Args:
        only: what the ids must start with; all where empty. Nothing else is read.

    Raises:
        UsageError: nothing is called so, or a file is not named as an attack or is an own one that is none.
        WorldError: a file that ships with truelap is not an attack.
    """
    chosen = [file for file in (files("truelap") / "redteam" / "attacks").iterdir() if _is_one(file, only)]
    if missing := [start for start in only if not any(file.name.startswith(start) for file in chosen)]:
        raise UsageError(
            f"--only {' '.join(missing)}: no attack has such an id; `truelap redteam --list` names them all"
        )
    policy = load_policy()
    found = [_load(file, policy) for file in chosen]
    return tuple(sorted(found, key=lambda attack: (SECTIONS.index(attack.section), attack.id)))


def _is_one(file: Traversable, only: Sequence[str]) -> bool:
    return not only or file.name.removesuffix(".toml").startswith(tuple(only))


def _load(file: Traversable, policy: Policy) -> Attack:
    name = file.name.removesuffix(".toml")
    if name == file.name or not _ID.fullmatch(name):
        raise UsageError(
            f"attack {file.name}: call it {_OWN}WORDS.toml, or SECTION-NUMBER-WORDS.toml where the catalogue has it"
            f" ({', '.join(SECTIONS[:-1])}); WORDS are small letters, digits and dashes"
        )
    wrong: type[TruelapError] = UsageError if name.startswith(_OWN) else WorldError
    try:
        return read_attack(name, file.read_text("utf-8"), policy)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise wrong(f"attack {file.name}: is not TOML: {error}") from error
    except (OSError, ValueError) as error:
        raise wrong(f"attack {file.name}: {error}") from error


def read_attack(name: str, text: str, policy: Policy) -> Attack:
    """One attack.

    Args:
        name: its id.
        text: TOML.
        policy: whose sections, rules and defences it may name.

    Raises:
        ValueError: what is wrong with it, in one line.
    """
    data = tomllib.loads(text)
    if "id" in data:
        raise ValueError("id: there is no such key; it is the file's name")
    attack = _checked(Attack, {"id": name, **data}, "")
    _checked(Task, {"task": {"name": name}, **attack.task}, "task.")
    for section, limits in attack.limits.items():
        _check_limits(policy, section, limits)
    for problem in _misnamed(attack, policy):
        raise ValueError(problem)
    return attack


def _checked(model: type[_M], data: dict[str, Any], place: str) -> _M:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ValueError(f"{place}{complaint(error, model)}") from error


def _check_limits(policy: Policy, section: str, limits: dict[str, Any]) -> None:
    known = getattr(policy, section, None) if section in Policy.model_fields else None
    if not isinstance(known, Frozen):
        sections = [name for name in Policy.model_fields if isinstance(getattr(policy, name), Frozen)]
        raise ValueError(f"limits.{section}: a policy has no such section{_meant(section, sections)}")
    _checked(type(known), {**known.model_dump(), **limits}, f"limits.{section}.")


def _misnamed(attack: Attack, policy: Policy) -> Iterator[str]:
    """What is wrong with the names of defences."""
    rules = [f"{_RULE}{name}" for name, _ in load_rules(policy)]
    named = {"caught_by": attack.caught_by, **{f"off[{n}]": name for n, name in enumerate(attack.off)}}
    for key, name in named.items():
        if not (name in {*DEFENCES, *REPLACED, *PENDING, *rules} or (key, name) == ("caught_by", SANDBOX)):
            what, known = ("rule", rules) if name.startswith(_RULE) else ("defence", [*DEFENCES, *REPLACED])
            yield f"{key}: no {what} is called {name}{_meant(name, known, rules)}"
    if attack.needs is not None and not attack.waiting:
        yield f"needs: {attack.needs} is no defence to come, those of PENDING in redteam/attack.py are; leave it out"
    if attack.unablated is None and attack.caught_by == SANDBOX:
        yield "caught_by: the sandbox as a whole is never switched off; say in `unablated` why nothing else shows it"
    if attack.unablated is None and attack.caught_by not in attack.ablated:
        yield f"off: {attack.caught_by} (`caught_by`) is not in it; add it"


def _meant(name: str, known: Sequence[str], rules: Sequence[str] = ()) -> str:
    if f"{_RULE}{name}" in rules:
        return f"; did you mean {_RULE}{name}?"
    bare = {one.removeprefix(_RULE): one for one in known}
    meant = near(name.removeprefix(_RULE), bare)
    return f"; did you mean {bare[meant]}?" if meant else f"; there are {', '.join(known)}"

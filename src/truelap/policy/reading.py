"""Reads a policy: the shipped file, or a named one that is laid over it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from truelap.errors import UsageError
from truelap.keyfile import complaint
from truelap.policy.model import Policy

if TYPE_CHECKING:
    from pathlib import Path


def shipped_bytes() -> bytes:
    """The bytes of the policy that ships with truelap."""
    return files("truelap").joinpath("policy.toml").read_bytes()


def parse_policy(content: bytes, origin: str) -> Policy:
    """Read a policy file. A key that one of its tables lacks has the shipped file's value.

    The digest is the sha256 of the file's bytes, and of the shipped file's behind them where it gave a value.

    Args:
        content: TOML, UTF-8.
        origin: what to call the file in messages.

    Raises:
        UsageError: not TOML, an unknown key, a wrong type, a pattern that does not compile, or a reward scheme for
            which nothing is measured yet.
    """
    try:
        own = tomllib.loads(content.decode("utf-8"))
        if "digest" in own:
            raise UsageError(f"policy {origin}: digest: there is no such key; it is worked out")
        data = _laid_over_shipped(own)
        parts = (content,) if data == own else (content, shipped_bytes())
        policy = Policy(digest=hashlib.sha256(b"\0".join(parts)).hexdigest(), **data)
    except ValidationError as error:
        raise UsageError(f"policy {origin}: {complaint(error, Policy)}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"policy {origin}: is not TOML: {error}") from error
    if policy.reward.scheme == "advantage":
        raise UsageError(
            f"policy {origin}: reward.scheme: advantage needs a reference patch timed in the same run, which truelap"
            " does not do yet; take log-speedup or formulacode-v1"
        )
    return policy


def load_policy(path: Path | None = None) -> Policy:
    """The shipped policy, or the one in a named file.

    Raises:
        UsageError: the file cannot be read or is not a policy.
    """
    return parse_policy(*_read(path))


def policy_text(path: Path | None = None) -> str:
    """The policy in force as TOML: its file as it is or, where that lacks keys, all of them without comments.

    Raises:
        UsageError: as for `load_policy`.
    """
    content, origin = _read(path)
    policy = parse_policy(content, origin)
    text = content.decode("utf-8")
    own = tomllib.loads(text)
    return text if _laid_over_shipped(own) == own else _as_toml(policy.as_data())


def _read(path: Path | None) -> tuple[bytes, str]:
    """A policy file's bytes, and what to call it."""
    if path is None:
        return shipped_bytes(), "(shipped)"
    try:
        return path.read_bytes(), str(path)
    except OSError as error:
        raise UsageError(f"policy {path}: {error.strerror}; name a readable file with --policy") from error


def _laid_over_shipped(own: dict[str, Any]) -> dict[str, Any]:
    """Every table with the shipped file's keys below its own. What stands outside of tables says what a file is."""
    shipped = tomllib.loads(shipped_bytes().decode("utf-8"))
    tables = {name: table for name, table in shipped.items() if isinstance(table, dict)}
    named = {name: own.get(name, {}) for name in tables}
    return own | {
        name: {**tables[name], **table} if isinstance(table, dict) else table for name, table in named.items()
    }


def _as_toml(data: dict[str, Any]) -> str:
    tables = {name: value for name, value in data.items() if isinstance(value, dict)}
    lines = [f"{name} = {_value(value)}" for name, value in data.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # TOML's texts, numbers and truths are JSON's, but for a control character and an infinite number.
    return (
        repr(value)
        if isinstance(value, float)
        else json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    )

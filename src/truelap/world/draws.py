"""Which seed base is measured with: one that it was measured with before, so that what is kept is of use, but not always."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

from truelap.settings import joined
from truelap.world.provenance import key_of

if TYPE_CHECKING:
    from truelap.settings import Settings
    from truelap.world.keep import Keep

_LEAST, _MOST = 1 << 31, 1 << 32
_FRESH = 16
"""One verification in so many draws anew: whoever tries often enough must not meet the same choices for ever."""
_POOL = 8


def with_seed(settings: Settings, keep: Keep | None, tree: str) -> Settings:
    """The settings, with a seed whose share for base may be an earlier verification's of the same task.

    Args:
        settings: a seed that the user named stays as it is.
        keep: None for no choice among earlier ones.
        tree: id of base.
    """
    if not settings.seed_drawn:
        return settings
    fresh = _LEAST + secrets.randbelow(_MOST - _LEAST)
    seed = joined(fresh if keep is None else _of_pool(keep, tree, fresh), secrets.randbits(32))
    return settings.model_copy(update={"seed": seed})


def _of_pool(keep: Keep, tree: str, fresh: int) -> int:
    key = key_of(draws=tree)
    pool = _read(keep.get("draws", key))
    if pool and secrets.randbelow(_FRESH):
        return secrets.choice(pool)
    keep.put("draws", key, json.dumps([*pool, fresh][-_POOL:]).encode())
    return fresh


def _read(content: bytes | None) -> list[int]:
    found = json.loads(content) if content else []
    return [seed for seed in found if type(seed) is int and _LEAST <= seed < _MOST]

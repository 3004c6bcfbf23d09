"""One entry in front of one rule, with as much of base and of the rest of the submission as a test cares to say."""

from __future__ import annotations

from importlib import import_module

import pytest

from truelap.model import REGULAR, Entry
from truelap.policy import load_policy
from truelap.rules import Change, Scene

ABSENT = "0" * 40


def blob(content: bytes) -> str:
    return f"{hash(content) & (2**160 - 1):040x}"


@pytest.fixture
def scene():
    """Make a scene: `base` maps paths to bytes (or to a mode), `others` are entries beside the one at hand."""

    def make(base=(), *, roots=(b"",), others=(), **fields):
        base = dict(base)
        policy = load_policy()
        given = {"files": 1, "diff_bytes": 100, "protected": policy.protected.patterns, **fields}
        return Scene(
            policy=policy,
            base_modes={
                path: content if isinstance(content, int) else REGULAR for path, content in base.items()
            },
            import_roots=roots,
            base_content=lambda path: base[path] if isinstance(base.get(path), bytes) else None,
            entries=tuple(others),
            **given,
        )

    return make


@pytest.fixture
def added():
    """Make the change that adds a file."""

    def make(path, content=b"x = 1\n", mode=REGULAR):
        return Change(
            Entry(path=path, old_mode=0, new_mode=mode, old_blob=ABSENT, new_blob=blob(content)), content
        )

    return make


@pytest.fixture
def changed():
    """Make the change of a file that base has; content None deletes it."""

    def make(path, content=b"x = 2\n", mode=REGULAR, *, was=REGULAR, before=b"x = 1\n"):
        gone = content is None
        entry = Entry(
            path=path,
            old_mode=was,
            new_mode=0 if gone else mode,
            old_blob=blob(before),
            new_blob=ABSENT if gone else blob(content),
        )
        return Change(entry, content)

    return make


@pytest.fixture
def action(request, scene):
    """What the rule that the test file is named after does with a change: "refuse", "discard" or None."""
    rule = import_module(f"truelap.rules.{request.path.stem.removeprefix('test_')}")

    def judge(change, where=None):
        ruling = rule.judge(
            change, where or scene({change.path: change.entry.old_mode} if change.entry.old_mode else ())
        )
        assert ruling is None or ruling.reason
        return ruling and ruling.action

    return judge

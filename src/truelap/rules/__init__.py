"""Refusal rules, one file each: a change goes in, a ruling or None comes out. The file's docstring is the attack.

Rules see every entry of a submission, those in test and protected folders included: what is discarded later must be
harmless to hold even so. A rule is found by scanning this folder; a file without a `judge` stops the program.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Literal, NamedTuple

from truelap.errors import UsageError, WorldError
from truelap.model import EXECUTABLE, REGULAR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from truelap.model import Entry
    from truelap.policy import Policy

_BINARY_MODULE = re.compile(r"\.(?:pyc|pyo|pyd|dll|dylib|so(?:\.\d+)*)$")


def fold(name: bytes) -> str:
    """What a name becomes where case, composition and invisible characters do not count.

    >>> fold(b"CONFTEST.PY"), fold("ﬁle\u200d.py".encode())
    ('conftest.py', 'file.py')
    """
    if name.isascii():
        return name.decode().lower()
    text = unicodedata.normalize("NFKC", name.decode("utf-8", "surrogateescape")).casefold()
    return unicodedata.normalize("NFKC", "".join(c for c in text if unicodedata.category(c) != "Cf"))


def module_name(file_name: str) -> str | None:
    """The module that Python would look for in a file of this name; None when it looks for none there.

    >>> module_name("queue.py"), module_name("queue.cpython-311-x86_64-linux-gnu.so"), module_name("queue.pyi")
    ('queue', 'queue', None)
    """
    if file_name.endswith((".py", ".pyw")):
        return file_name.rpartition(".")[0]
    return file_name.partition(".")[0] if _BINARY_MODULE.search(file_name) else None


@dataclass(frozen=True)
class Change:
    """One raw entry, or a path that the diff's text claims without ever reaching the index (mode regular, no blob).

    `content` holds the new blob of a regular file up to the policy's `max_file_bytes`; None for anything else.
    """

    entry: Entry
    content: bytes | None

    @property
    def path(self) -> bytes:
        """The entry's path."""
        return self.entry.path

    @cached_property
    def parts(self) -> tuple[bytes, ...]:
        """The path's components."""
        return tuple(self.path.split(b"/"))

    @cached_property
    def folded(self) -> tuple[str, ...]:
        """The path's components, each folded."""
        return tuple(fold(part) for part in self.parts)

    @property
    def deleted(self) -> bool:
        """Whether the submission takes the path away."""
        return self.entry.new_mode == 0 and self.entry.old_mode != 0

    @property
    def keeps_content(self) -> bool:
        """Whether the file's bytes are base's own (a change of mode at most)."""
        return self.entry.kind == "mode_changed"


@dataclass(frozen=True)
class Scene:
    """What a rule may know besides the change: the policy, the base tree, the submission as a whole."""

    policy: Policy
    base_modes: Mapping[bytes, int]
    """Every path of the base tree and its mode."""
    protected: tuple[str, ...]
    """The policy's protected patterns and what base's own asv config adds."""
    import_roots: tuple[bytes, ...]
    """Folders that will be on `sys.path`: b"" for the root, else with a trailing slash (b"src/")."""
    files: int
    diff_bytes: int
    unpacked_bytes: int = 0
    """All changed and new files together."""
    installed: frozenset[str] = frozenset()
    """Dotted names of the modules in the project's environment that are not the project's own."""
    base_content: Callable[[bytes], bytes | None] = field(default=lambda _path: None)
    """Base's bytes of a path; None where base has no regular file there."""
    entries: tuple[Entry, ...] = ()
    """All entries of the submission: what it adds and takes away beside the change at hand."""

    @cached_property
    def base_folders(self) -> frozenset[bytes]:
        """Every folder of the base tree, without a trailing slash."""
        return frozenset(_folders(self.base_modes))

    @cached_property
    def spellings(self) -> Mapping[str, frozenset[bytes]]:
        """For each folded path that a new file could collide with: the spellings that the candidate tree will hold."""
        gone = {e.path for e in self.entries if e.new_mode == 0}
        kept = [p for p in self.base_modes if p not in gone] + [
            e.path for e in self.entries if e.new_mode != 0
        ]
        found: dict[str, set[bytes]] = {}
        for path in {*kept, *_folders(kept)}:
            found.setdefault(fold(path), set()).add(path)
        return {folded: frozenset(paths) for folded, paths in found.items() if len(paths) > 1}

    @cached_property
    def base_modules(self) -> frozenset[tuple[bytes, str]]:
        """(import root, module) for each top-level module or regular package of base."""
        named = ((root, top_module(path, root)) for root in self.import_roots for path in self.base_modes)
        return frozenset((root, name) for root, name in named if name)

    @cached_property
    def base_dotted(self) -> frozenset[tuple[bytes, str]]:
        """(import root, dotted name) for each module of base, of whatever depth."""
        named = ((root, dotted(path, root)) for root in self.import_roots for path in self.base_modes)
        return frozenset((root, name) for root, name in named if name)


class Ruling(NamedTuple):
    """What a rule says. `whole` marks a ruling on the submission, not on the path; it is reported once."""

    action: Literal["refuse", "discard"]
    reason: str
    whole: bool = False


class Examined(NamedTuple):
    """A ruling, and whose it is on what."""

    rule: str
    path: bytes
    ruling: Ruling


if TYPE_CHECKING:
    Judge = Callable[[Change, Scene], Ruling | None]
    Rules = tuple[tuple[str, Judge], ...]


def load_rules(policy: Policy) -> Rules:
    """The rules in force, by name.

    Raises:
        UsageError: the policy turns off a rule that does not exist.
        WorldError: a file of this folder is not a rule.
    """
    names = sorted(found.name for found in iter_modules(__path__))
    if unknown := set(policy.refuse.off) - set(names):
        raise UsageError(
            f"policy: refuse.off: no rule is called {', '.join(sorted(unknown))}; rules: {', '.join(names)}"
        )
    return tuple((name, _judge(name)) for name in names if name not in policy.refuse.off)


def examine(changes: Iterable[Change], scene: Scene, rules: Rules) -> Iterator[Examined]:
    """Every ruling of every rule, in the order of the changes; a ruling on the whole submission comes once."""
    said: set[tuple[str, str]] = set()
    for change in changes:
        for name, judge in rules:
            ruling = judge(change, scene)
            if ruling is None or (ruling.whole and (name, ruling.reason) in said):
                continue
            if ruling.whole:
                said.add((name, ruling.reason))
            yield Examined(name, change.path, ruling)


def refuse_unless_tracked(change: Change, scene: Scene, reason: str) -> Ruling | None:
    """Refuse a path that is new; discard the change where base already tracks it: base's own file is no attack."""
    if change.entry.old_mode != 0 or change.path in scene.base_modes:
        return Ruling("discard", f"base's own file is kept: {reason}")
    return Ruling("refuse", reason)


def may_run(change: Change) -> bool:
    """Whether Python or a shell would run the file as it stands: by its name, or by its mode."""
    return change.entry.new_mode == EXECUTABLE or module_name(change.folded[-1]) is not None


def is_file(change: Change) -> bool:
    """Whether the candidate will hold a regular file at the path, of whatever permission bits."""
    return change.entry.new_mode & 0o170000 == REGULAR & 0o170000


def top_module(path: bytes, root: bytes) -> str | None:
    """The top-level module that a file gives to an import root, or None.

    A package counts by its `__init__` alone: a folder without one never wins against a module elsewhere.

    >>> top_module(b"src/json/__init__.py", b"src/"), top_module(b"src/json/x.py", b"src/"), top_module(b"json.py", b"")
    ('json', None, 'json')
    """
    if not path.startswith(root):
        return None
    parts = path[len(root) :].decode("utf-8", "surrogateescape").split("/")
    if len(parts) == 1:
        return module_name(parts[0])
    return parts[0] if len(parts) == 2 and module_name(parts[1]) == "__init__" else None  # noqa: PLR2004 - package, file


def dotted(path: bytes, root: bytes) -> str | None:
    """The dotted name under which a file is imported from an import root, or None.

    >>> dotted(b"src/a/b.py", b"src/"), dotted(b"a/__init__.py", b""), dotted(b"a.md", b"")
    ('a.b', 'a', None)
    """
    *folders, file = path.removeprefix(root).decode("utf-8", "surrogateescape").split("/")
    name = module_name(file) if path.startswith(root) else None
    return None if name is None else ".".join(folders if name == "__init__" else [*folders, name]) or None


def _folders(paths: Iterable[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for path in paths:
        folder = path.rpartition(b"/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(b"/")[0]
    return found


def _judge(name: str) -> Judge:
    module = import_module(f"{__name__}.{name}")
    judge = getattr(module, "judge", None)
    if not callable(judge) or not module.__doc__:
        raise WorldError(f"rules/{name}.py needs a docstring that names the attack, and judge(change, scene)")
    found: Judge = judge
    return found

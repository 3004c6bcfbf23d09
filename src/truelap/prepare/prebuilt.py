"""What base has of a build's outputs before any build: carried files, and tracked compiled ones.

They must not stand in for what the candidate's build does not make, so both sides are built without them. Where base does not
build without all of them, those stay, made old, that its build does not make. What base's build makes of them, and the
candidate's does not, is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truelap.model import SYMLINK, Finding, shown
from truelap.prepare.guard import Guard
from truelap.rules.compiled_files import is_compiled
from truelap.world.harvest import make_old, remade

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.model import Base
    from truelap.policy import Policy
    from truelap.world.files import Manifest, TreeOnDisk
    from truelap.world.git import Store


_NOT_MADE = "is made by base's build and not by the candidate's, so the candidate goes without it"


class Prebuilt(NamedTuple):
    """Such files, as base has them; `stay` are those that its build needs."""

    files: Manifest
    stay: frozenset[bytes] = frozenset()

    def absent(self, side: Manifest) -> frozenset[bytes]:
        """What a side is built without: what it has as base has it."""
        return self._same(side) - self.stay

    def make_old(self, copy: TreeOnDisk) -> None:
        """Have them made anew by whatever goes by times, where they stay."""
        make_old(copy.root, self._same(copy.manifest) & self.stay)

    def needing(self, made: frozenset[bytes]) -> Prebuilt:
        """The same, but for what base's build made: that need not be there before."""
        return Prebuilt(self.files, self.stay - made)

    def remade(self, copy: TreeOnDisk) -> frozenset[bytes]:
        """Those that a build in this copy made."""
        return remade(copy.root, self.files)

    def not_made(self, side: Manifest, copy: TreeOnDisk, by_base: frozenset[bytes]) -> frozenset[bytes]:
        """Those that a side has from base alone: base's build makes them, and the one in this copy did not."""
        return (self._same(side) & by_base) - self.remade(copy)

    def _same(self, side: Manifest) -> frozenset[bytes]:
        # By content alone: a submission may change the mode of a compiled file, and that makes it no file of its own.
        return frozenset(
            path for path, held in self.files.items() if path in side and side[path].sha256 == held.sha256
        )


def ways(
    store: Store, base: Base, standing: Manifest, policy: Policy, places: Iterable[str]
) -> tuple[Prebuilt, ...]:
    """How base's build is to be tried, one after the other: without them, then with them.

    What lies among the tests or the measurement setup is left alone: it is base's on both sides, made or not.
    """
    named = (*base.carried, *filter(is_compiled, standing)) if policy.keeps("prebuilt") else ()
    guard = Guard(store, base, policy, places, named)
    regular = (path for path in named if path in standing and standing[path].mode != SYMLINK)
    files = {path: standing[path] for path in regular if not guard.holds(path)}
    return (Prebuilt(files), Prebuilt(files, frozenset(files))) if files else (Prebuilt(files),)


def told(paths: Iterable[bytes]) -> tuple[Finding, ...]:
    """A note on outputs that the candidate's build does not make; whatever needs them fails by itself."""
    return tuple(
        Finding(code="rebuild:not_made", level="info", message=_NOT_MADE, path=shown(path))
        for path in sorted(paths)
    )

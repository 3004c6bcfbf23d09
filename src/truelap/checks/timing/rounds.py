"""Generations of workers: fresh ones each time, and one account of what they took and what they left behind."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from truelap.workers.track import Track
from truelap.workers.venue import SIDES, Name, Venue
from truelap.world.clock import running_on

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from truelap.world.files import TreeOnDisk


class Rounds:
    """Starts workers for both sides, as often as somebody asks.

    Args:
        venue: where.
        trees: of both sides.
        station_s: seconds that the candidate may take for all benchmarks together; base has half of them.
    """

    def __init__(self, venue: Venue, trees: Mapping[Name, TreeOnDisk], station_s: float) -> None:
        self._venue = venue
        self._trees = trees
        self._station_s = station_s
        self._losses: dict[Name, int] = dict.fromkeys(SIDES, 0)
        self._spent: dict[Name, float] = dict.fromkeys(SIDES, 0.0)
        self._changed: dict[Name, set[str]] = {name: set() for name in SIDES}
        self._touched: dict[Name, set[str]] = {name: set() for name in SIDES}

    @contextmanager
    def workers(self, number: int, seed: int, modules: Iterable[str]) -> Iterator[Track]:
        """Workers of one generation, on cores that change from one to the next.

        Args:
            number: of the generation, from 0.
            seed: of the interpreters' hashes and of the suite's random numbers.
            modules: of the suite, to be loaded before the first case.
        """
        _, judge = self._venue.slot.turn(number)
        started = self._track(
            number, seed, modules, trees=self._trees, losses=self._losses, spent=self._spent
        )
        with running_on(judge), started as track:
            yield track
            self._keep(track)
        for name in SIDES:
            self._changed[name] |= track.changed[name]
            self._touched[name] |= track.touched[name]

    @contextmanager
    def twin(self, number: int, seed: int, modules: Iterable[str]) -> Iterator[Track]:
        """What else is needed to time base beside itself in a generation: base in both places.

        Args:
            number: as for its workers.
            seed: likewise.
            modules: likewise.
        """
        beside = self._track(
            number,
            seed,
            modules,
            trees=dict.fromkeys(SIDES, self._trees["base"]),
            losses=dict.fromkeys(SIDES, 0),
            spent=dict.fromkeys(SIDES, 0.0),
        )
        with beside as track:
            yield track
        # What base's tree suffers here is the suite's habit as well.
        for name in SIDES:
            self._changed["base"] |= track.changed[name]
            self._touched["base"] |= track.touched[name]

    def _track(
        self,
        number: int,
        seed: int,
        modules: Iterable[str],
        *,
        trees: Mapping[Name, TreeOnDisk],
        losses: dict[Name, int],
        spent: dict[Name, float],
    ) -> Track:
        cores, _ = self._venue.slot.turn(number)
        wanted = sorted(set(modules))
        return Track(self._venue, trees, cores=cores, seed=seed, modules=wanted, losses=losses, spent=spent)

    def late(self, track: Track) -> Name | None:
        """The side that has used up its time. Base must do with half of it: a candidate may be twice as slow as that.

        Asked before each visit; the slot is looked after then.

        Raises:
            WorldError: the slot was lost.
        """
        self._keep(track)
        if "station_bound" in self._venue.without:
            return None
        if track.spent("base") > self._station_s / 2:
            return "base"
        return "candidate" if track.spent("candidate") > self._station_s else None

    def _keep(self, track: Track) -> None:
        self._venue.slot.keep(track.spent("base"), track.spent("candidate"))

    # What base's own workers write to is the suite's habit, not the submission's doing.

    @property
    def changed(self) -> set[str]:
        """Files that only the candidate's workers changed."""
        return self._changed["candidate"] - self._changed["base"]

    @property
    def touched(self) -> set[str]:
        """Files and folders of tests and benchmarks that only the candidate's workers wrote to."""
        return self._touched["candidate"] - self._touched["base"]

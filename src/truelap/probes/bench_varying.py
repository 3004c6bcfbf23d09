"""Part of run_benchmarks: a benchmark whose calls get another input each time, for timing.

Before each call of the product, parts of an argument change places, and last call's are put back: it is always close to the
benchmark's own input, costs about as much, and has hardly ever been seen before. Whoever knows the answer has to work it out.
"""

from bench_changes import ALONE, changes

WIDE = 32
"""With fewer parts the inputs come again too soon."""

_MASK = (1 << 48) - 1


class Spot:
    """One argument of one call. Plain arithmetic on few names: it is timed together with the call, on both sides."""

    __slots__ = ("last", "name", "place", "size", "state", "value")

    def __init__(self, argument, seed):
        word = argument.partition(" ")[2]
        self.place = int(word) - 1 if word.isdigit() else None
        self.name = word
        self.state = seed & _MASK
        self.value = self.last = None
        self.size = 0

    def turn(self, args, named):
        value = named[self.name] if self.place is None else args[self.place]
        size = len(value)
        if value is self.value and size == self.size:
            one, other, third, fourth = self.last
            value[third], value[fourth] = value[fourth], value[third]
            value[one], value[other] = value[other], value[one]
        elif size < WIDE:
            return
        state = (self.state * 25214903917 + 11) & _MASK
        one, other = (state >> 12) % size, (state >> 30) % size
        state = self.state = (state * 25214903917 + 11) & _MASK
        third, fourth = (state >> 12) % size, (state >> 30) % size
        value[one], value[other] = value[other], value[one]
        value[third], value[fourth] = value[fourth], value[third]
        self.value, self.size, self.last = value, size, (one, other, third, fourth)


class Varying:
    """Stands between a benchmark and what it calls.

    Args:
        plan: places and arguments.
        seed: of what changes places.
    """

    def __init__(self, plan, seed):
        self.spots = {}
        for number, (place, argument) in enumerate(plan):
            self.spots.setdefault(place, []).append(Spot(argument, seed + number))

    def called(self, place, callee):
        spots = self.spots.get(place)
        if spots is None:
            return callee

        def other(*args, **named):
            for spot in spots:
                spot.turn(args, named)
            return callee(*args, **named)

        return other


def varied(calls, numpy):
    """What of a benchmark's calls can be varied: places and arguments."""
    change = ALONE + "two swapped"
    return [
        [place, name]
        for place, call in calls.items()
        for name, value in call.kept.items()
        if type(value) is not dict and change in changes(value, numpy) and len(value) >= WIDE
    ]

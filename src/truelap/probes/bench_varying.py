"""Part of run_benchmarks: a benchmark whose calls get another input each time, for timing.

Before each call of the product, parts of an argument change places (of a text: lines or words), and last call's are put back: it is always close to the
benchmark's own input, costs about as much, and has hardly ever been seen before. Whoever knows the answer has to work it out.
"""

from bench_changes import ALONE, changes

WIDE = 32
"""With fewer parts the inputs come again too soon."""

_MASK = (1 << 48) - 1


class Spot:
    """One argument of one call. Plain arithmetic on few names: it is timed together with the call, on both sides."""

    def __init__(self, argument, seed):
        word = argument.partition(" ")[2]
        self.place = int(word) - 1 if word.isdigit() else None
        self.name = word
        self.state = seed & _MASK
        self.value = self.parts = self.last = None
        self.size = 0

    def turn(self, args, named):
        """The call's positional arguments, as they are to be; `named` is the call's own."""
        value = named[self.name] if self.place is None else args[self.place]
        kind = type(value)
        if kind is not tuple and kind is not str:
            self.swap(value, value)
            return args
        if value is not self.value:
            self.parts = list(value) if kind is tuple else value.split(between(value))
        self.swap(value, self.parts)
        made = tuple(self.parts) if kind is tuple else between(value).join(self.parts)
        if self.place is None:
            named[self.name] = made
            return args
        return (*args[: self.place], made, *args[self.place + 1 :])

    def swap(self, value, parts):
        size = len(parts)
        if value is self.value and size == self.size:
            one, other, third, fourth = self.last
            parts[third], parts[fourth] = parts[fourth], parts[third]
            parts[one], parts[other] = parts[other], parts[one]
        elif size < WIDE:
            return
        state = (self.state * 25214903917 + 11) & _MASK
        one, other = (state >> 12) % size, (state >> 30) % size
        state = self.state = (state * 25214903917 + 11) & _MASK
        third, fourth = (state >> 12) % size, (state >> 30) % size
        parts[one], parts[other] = parts[other], parts[one]
        parts[third], parts[fourth] = parts[fourth], parts[third]
        self.value, self.size, self.last = value, size, (one, other, third, fourth)


def between(text):
    """What parts the lines of a text, or its words where it has few lines."""
    return "\n" if text.count("\n") >= WIDE else " "


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
                args = spot.turn(args, named)
            return callee(*args, **named)

        return other


def varied(calls, numpy):
    """What of a benchmark's calls can be varied: places and arguments."""
    return [
        [place, name]
        for place, call in calls.items()
        for name, value in call.kept.items()
        if _can_be_varied(value, numpy)
    ]


def _can_be_varied(value, numpy):
    if type(value) is str:
        return value.count(between(value)) >= WIDE
    if type(value) is dict or "two swapped" not in changes(value, numpy) or len(value) < WIDE:
        return False
    return type(value) is tuple or ALONE + "two swapped" in changes(value, numpy)

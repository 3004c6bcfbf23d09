"""Part of run_benchmarks: what can be changed about an argument so that a call with it still makes sense.

What may be promised of a value stays so. Parts only change places or are left out: nothing new comes in, what is sorted stays
sorted, what has no repetition gets none, and of a square or of what has no known order nothing changes places.
"""

ALONE = "in place: "
"""Changes of the very object that a benchmark hands over; it is put back afterwards."""

LONG_TEXT = 16
SMALLEST, LARGEST = 2, 1 << 31
MOST = 1 << 20
DEEP = 4

LEAF = (type(None), bool, int, float, complex, str, bytes)
ORDERED = (int, float, str, bytes)
NUMERIC = "biufcmMSU"


def changes(value, numpy):
    """What can be done to a value, by name; nothing where it cannot be known what it stands for."""
    kind = type(value)
    if kind is int:
        return ["one less", "one more"] if SMALLEST <= value < LARGEST else []
    if kind is float:
        return ["a little smaller"] if value - value == 0 and value else []
    if kind is str or kind is bytes:
        return ["shorter"] if len(value) >= LONG_TEXT else []
    if kind is range:
        return ["one shorter", "one longer"] if len(value) > 1 else []
    if kind is dict:
        plain = 1 < len(value) <= MOST and all(type(part) in LEAF for part in value.values())
        return ["one shorter", "two swapped", ALONE + "two swapped"] if plain else []
    if kind is list or kind is tuple:
        if not 1 < len(value) <= MOST:
            return []
        alone = ["one shorter", "two swapped"] if kind is list else []
        return _of_sequence(_repeats(value), _is_sorted(value), alone)
    if numpy is not None and kind is numpy.ndarray:
        return _of_array(value, numpy)
    return []


def _of_sequence(repeated, ordered, alone):
    """Changes of a sequence; `alone`: what can be done to the object itself."""
    found = ["one shorter"] + (["one longer"] if repeated else [])
    if not ordered:
        found += ["shuffled", "two swapped"] + (["one replaced"] if repeated else [])
    return found + [ALONE + change for change in alone if not ordered or change != "two swapped"]


def _of_array(value, numpy):
    shape = value.shape
    if not shape or shape[0] < 2 or not 0 < value.size <= MOST or value.dtype.kind not in NUMERIC:
        return []
    if len(shape) > 1:
        return [] if shape[0] == shape[1] else ["one shorter", "shuffled"]
    ordered = bool((value[1:] >= value[:-1]).all() or (value[1:] <= value[:-1]).all())
    repeated = numpy.unique(value).size < value.size
    return _of_sequence(repeated, ordered, ["two swapped"] if value.flags.writeable else [])


def _repeats(value):
    return all(type(part) in LEAF for part in value) and len(set(value)) < len(value)


def _is_sorted(value):
    """Whether parts stand in order, or in one that is not known."""
    for part in value:
        inner = part if type(part) is tuple or type(part) is list else (part,)
        if not all(type(leaf) in ORDERED for leaf in inner):
            return True
    try:
        pairs = [(value[place - 1], part) for place, part in enumerate(value) if place]
        return all(one <= other for one, other in pairs) or all(one >= other for one, other in pairs)
    except TypeError:
        return True


def changed(value, change, draw, numpy):
    """Another value, with one change."""
    kind = type(value)
    if kind is int:
        return value + (1 if change == "one more" else -1)
    if kind is float:
        return value * (1 - 1 / 64)
    if kind is str or kind is bytes:
        return _cut(value)
    if kind is range:
        count = len(value) + (1 if change == "one longer" else -1)
        return range(value.start, value.start + count * value.step, value.step)
    order = rearranged(len(value), change, draw)
    if kind is dict:
        keys, parts = list(value), list(value.values())
        return {keys[place]: parts[part] for place, part in enumerate(order)}
    if kind is list or kind is tuple:
        return kind(copied(value[place], numpy) for place in order)
    return numpy.ndarray.take(value, order, axis=0)


def _cut(text):
    """A text without its last line, else its last word, else its last character."""
    line, word = ("\n", " ") if type(text) is str else (b"\n", b" ")
    place = text.rstrip(line).rfind(line)
    if place > 0:
        return text[: place + 1]
    place = text.rstrip(word).rfind(word)
    return text[:place] if place > 0 else text[:-1]


def rearranged(count, change, draw):
    """Which of its own parts stand where after a change."""
    order = list(range(count))
    if change == "one shorter":
        return order[:-1]
    if change == "one longer":
        return [*order, count - 1]
    if change == "shuffled":
        draw.shuffle(order)
        return order
    one, other = draw.sample(order, 2)
    order[one] = other
    if change == "two swapped":
        order[other] = one
    return order


def put(value, content):
    """Give an object the content of another of its kind."""
    if type(value) is dict:
        value.clear()
        value.update(content)
    else:
        value[:] = content


def copied(value, numpy, deep=DEEP):
    """A copy of containers and arrays; everything else as it is."""
    kind = type(value)
    if not deep:
        return value
    if kind is list or kind is tuple:
        return kind(part if type(part) in LEAF else copied(part, numpy, deep - 1) for part in value)
    if kind is dict:
        return {key: copied(part, numpy, deep - 1) for key, part in value.items()}
    if kind is set or kind is bytearray:
        return kind(value)
    if numpy is not None and kind is numpy.ndarray and value.dtype.kind in NUMERIC:
        return numpy.ndarray.copy(value, "K")
    return value

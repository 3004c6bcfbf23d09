"""What is told of values that are too long to be told: digests that rounding does not disturb, or a sample of the parts.

Every float that is left out of a digest goes into sums, each part with a weight of its own and in short rows, so that the
judge can hold them against a tolerance: what is within the tolerance number by number is so in its sum.
"""

from binascii import a2b_base64
from hashlib import sha256 as _sha256
from math import fsum
from struct import iter_unpack

from encode_leaf import Exact, Number, Raw, dumps, sha256
from encode_objects import MRO, type_name

FLAT = 1 << 20
ROWS = 256
SAMPLED = 32
_CHUNK = 4096
_SCALARS = frozenset(map(id, (type(None), bool, int, str)))
_LENGTHS = [(kind, kind.__len__) for kind in (list, tuple, dict, set, frozenset, str, bytes, bytearray)]
_ITEMS = {id(list): list.__getitem__, id(tuple): tuple.__getitem__}
_UNORDERED = frozenset(("st", "fs", "dk", "di"))
_HASHED = frozenset(map(id, (dict, set, frozenset)))
_LETTERS = {"f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d"}
_SINGLE = ("f2", "f4", "c8")


def flat(walk, tag, items):
    """The digest of a long row of texts and short whole numbers, taken piece by piece; None where it holds anything else."""
    if not _SCALARS.issuperset(map(id, map(type, items))):
        return None
    walk.leaf(sum([len(item) for item in items if type(item) is str]))
    digest = _sha256()
    for start in range(0, len(items), _CHUNK):
        piece = items[start : start + _CHUNK]
        if any(type(item) is int and item.bit_length() > 63 for item in piece):
            return None
        said = dumps(piece).encode()
        digest.update(said)
        walk.read += len(said)
    walk.leaf(walk.limits.leaf + 1)
    found = Exact(digest.hexdigest())
    return ["big", tag, len(items), found, str(found)]


def condense(value, parts):
    """The digests of an encoding of many parts: of all of it, of what is no float, and sums of the floats."""
    floats = _Floats()
    rest = sha256(dumps(floats.taken(value, floats.row)).encode())
    exact = sha256(dumps(value).encode())
    kind = value[0] if type(value) is list else "s"
    return [
        "much",
        kind,
        parts,
        str(exact),
        str(rest),
        floats.single,
        [[len(floats.row), _rows(floats.row)], [len(floats.loose), [_weight(floats.loose)]]],
        floats.whole,
    ]


class _Floats:
    """Takes the floats out of an encoding."""

    def __init__(self):
        self.row = []
        self.loose = []
        self.single = False
        self.whole = True

    def taken(self, value, into):
        """The encoding without its floats, which go `into` a list."""
        kind = type(value)
        if kind is Number:
            return self._number(float.fromhex(value), into)
        if kind is Raw:
            return self._raw(value, into)
        if kind is not list or not value:
            return value
        if type(value[0]) is str and value[0] in _UNORDERED and type(value[-1]) is list:
            return [*value[:-1], self._sorted([self.taken(part, self.loose) for part in value[-1]])]
        if value[0] == "d" and _is_mapping(value):
            return ["d", self._pairs(value[1], into)]
        if len(value) > 1 and type(value[-2]) is Exact and value[-2] != value[-1]:
            # Digests of floats that stand in it: rounding would disturb them.
            self.whole = False
            return value[:4] if value[0] == "abig" else value[:-2]
        return [self.taken(part, into) for part in value]

    def _number(self, number, into):
        if number - number != 0:
            return repr(number)
        into.append(number)
        return ""

    def _raw(self, value, into):
        letter = _LETTERS.get(value.dtype[1:])
        if letter is None:
            return value
        self.single = self.single or value.dtype[1:] in _SINGLE
        form = (">" if value.dtype[0] == ">" else "<") + letter
        return [self._number(number, into) for (number,) in iter_unpack(form, a2b_base64(value))]

    def _sorted(self, parts):
        # Without floats the encoder's own order, or that of the keys, is as good.
        return sorted(parts, key=dumps) if self.loose else parts

    def _pairs(self, pairs, into):
        found = []
        for key, part in sorted(pairs, key=_key):
            before = len(self.loose)
            name = self.taken(key, self.loose)
            # The order of keys that are floats is one that rounding disturbs.
            found.append([name, self.taken(part, self.loose if len(self.loose) > before else into)])
        return self._sorted(found)


def _key(pair):
    return dumps(pair[0])


def _is_mapping(value):
    pairs = value[1] if len(value) == 2 else None
    return type(pairs) is list and all(type(pair) is list and len(pair) == 2 for pair in pairs)


def _rows(numbers):
    length = -(-len(numbers) // ROWS) or 1
    weighed = [
        number * (1 + (place * 2654435761 & 0xFFFFFFFF) / 4294967296) for place, number in enumerate(numbers)
    ]
    return [_weight(weighed[start : start + length]) for start in range(0, len(weighed), length)]


def _weight(numbers):
    return [_sum(numbers), _sum(map(abs, numbers))]


def _sum(numbers):
    try:
        return fsum(numbers).hex()
    except (OverflowError, ValueError):
        return "inf"


def too_large(value, error, stack, encode):
    """What is told of a value that is not walked: why, its type, what was too large in it, and some parts of that.

    Args:
        value: the whole value.
        error: `TooLargeError`.
        stack: frames that were open; where a set or a dictionary is among them, which part comes first is chance.
        encode: of one part.
    """
    inner = value if error.value is None or any(_is_hashed(frame.source) for frame in stack) else error.value
    length, parts = None, []
    for kind, measure in _LENGTHS:
        if any(base is kind for base in MRO(type(inner))):
            length = measure(inner)
            item = _ITEMS.get(id(kind))
            parts = [encode(item(inner, place)) for place in _places(length)] if item else []
            break
    return ["no", "too large: %s" % error, type_name(type(value)), type_name(type(inner)), length, parts]


def _is_hashed(value):
    return any(id(base) in _HASHED for base in MRO(type(value)))


def _places(length):
    half = min(length, SAMPLED // 2)
    return sorted(set(range(half)) | {(length - 1) * place // half for place in range(1, half + 1)})

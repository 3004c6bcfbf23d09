"""The leaves of an encoding, its canonical text, and its digests."""

import json
import re
from binascii import a2b_base64, b2a_base64
from hashlib import sha256 as _sha256
from math import frexp, isfinite, ldexp
from struct import calcsize, pack, unpack

NEAR_BITS = 24
TINY = 2.0**-40
_ROUNDED = re.compile(r'\["(?:f|c|a|n|big|abig)",')
_FLOATS = {"f2": "e", "f4": "f", "f8": "d", "c8": "f", "c16": "d"}


class Number(str):
    """The hex text of a float, told apart from any text of the value: texts of values are exact `str`."""

    __slots__ = ()


class Exact(str):
    """A digest of the value to the last bit: not part of what is compared with a tolerance."""

    __slots__ = ()


class Raw(str):
    """The bytes of a numpy value, in base64, with their dtype."""

    __slots__ = ("dtype",)


# Tests patch modules: what is needed while they run is taken out of the modules here.
_dumps = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def dumps(value):
    """The canonical text of an encoding."""
    return _dumps(value)


def text(value):
    """Encode an exact `str`; lone surrogates survive."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return ["s", value.encode("utf-8", "surrogatepass").hex()]
    return value


def raw(data):
    """Encode bytes as base64 text."""
    return b2a_base64(data, newline=False).decode("ascii")


def raw_array(dtype, data):
    """Encode the bytes of a numpy value, whose numbers can be rounded later."""
    encoded = Raw(raw(data))
    encoded.dtype = dtype
    return encoded


def number(value):
    """Encode a float as hex text, exact to the bit."""
    return Number(float.hex(value))


def sha256(data):
    """Hex digest, marked as exact."""
    return Exact(_sha256(data).hexdigest())


def near(number):
    """A float rounded to 24 bits; next to nothing is nothing, and minus zero is zero."""
    if not isfinite(number):
        return number
    if abs(number) < TINY:
        return 0.0
    mantissa, exponent = frexp(number)
    if exponent > 1000:
        return number
    return ldexp(round(ldexp(mantissa, NEAR_BITS)), exponent - NEAR_BITS)


def near_raw(dtype, data):
    """Bytes of a float array with every number rounded, or `data` itself for other types."""
    letter = _FLOATS.get(dtype[1:])
    if letter is None:
        return data
    order = ">" if dtype[0] == ">" else "<"
    size = calcsize(order + letter)
    numbers = unpack("%s%d%s" % (order, len(data) // size, letter), data)
    return pack("<%dd" % len(numbers), *[near(number) for number in numbers])


def _rounded(value):
    kind = type(value)
    if kind is list:
        return [_rounded(item) for item in value]
    if kind is Number:
        return near(float.fromhex(value)).hex()
    if kind is Raw:
        return raw(near_raw(value.dtype, a2b_base64(value)))
    return "" if kind is Exact else value


def texts(value):
    """The canonical text of an encoding, and the same with every number rounded and every exact digest left out."""
    exact = dumps(value)
    return exact, dumps(_rounded(value)) if _ROUNDED.search(exact) else exact


def collapse(value):
    """Replace an encoding by its digests; digests of digests are fine (a Merkle tree)."""
    exact, close = texts(value)
    kind = value[0] if type(value) is list else "s"
    return ["big", kind, len(exact), sha256(exact.encode()), str(sha256(close.encode()))]

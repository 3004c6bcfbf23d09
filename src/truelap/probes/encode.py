"""Turn any Python object into plain JSON data by its exact type, without asking the object anything.

It runs beside code that lies, so `type(x)` is compared by identity, content is read through the built-in types' own
methods (kept before foreign code ran), and no `__eq__`, `__hash__`, `__iter__`, `__len__`, `__reduce__`, `__getattr__`
or `__class__` of a foreign object is called. There are two exceptions: a foreign `__repr__`, for objects that show no public
attribute, and attributes that the judge asks for by name, because base's objects of the type show them (a candidate may
compute them when they are asked for). What these answer is a claim like any other, and the judge compares it with base's.

What comes out (`truelap.values` reads it): null, booleans, text and ints below 2**63 stand for themselves; all else is a
list that starts with a tag:

  ["i", hex]  ["f", float.hex]  ["c", re, im]  ["s", hex of surrogatepass UTF-8]  ["b"|"ba", base64]  ["k", constant]
  ["l"|"t"|"st"|"fs"|"dk"|"dv"|"di", [..]]  ["d", [[key, value], ..]]  ["dq", maxlen, [..]]  ["r"|"sl", a, b, c]
  ["sub", type, content, [[attribute, value], ..]]       a subclass: the built-in's content and its own public state
  ["o", type, [[attribute, value], ..], text | null]     any other object; with ["label", n] at its end, where it is met again
  ["again", type, n]                                     that object, from the second time on
  ["enum", type, name, value]  ["x", type, [args]]  ["fn"|"cls"|"mod", name]  ["m", name, self]  ["pt", fn, args, keywords]
  ["v", kind, parts..]                                   dates, decimals, fractions, paths, patterns, uuids, ...
  ["a", dtype, shape, order, base64]  ["ao", dtype, shape, order, [..]]  ["n", dtype, base64]
  ["as", shape, order, [[field, part], ..]]  ["abig", dtype, shape, order, sums, sha256, near]      numpy
  ["big", tag, size, sha256, near]  ["up", levels]  ["no", reason]
  ["much", tag, parts, sha256, rest, single, sums, whole]                     many parts: `encode_large.condense`
  ["no", "too large: ..", type, type of the part, its length | null, [..]]    more than that: some of its items

`near` is the digest of the same data with every float rounded to 24 bits, so that over-long values can still be compared
with a tolerance.
"""

import encode_builtins
import encode_numpy
import encode_stdlib
from encode_large import condense, too_large
from encode_leaf import collapse, dumps
from encode_objects import MRO, encode_object, encode_subclass
from encode_walk import Limits, TooLargeError, Walk

_SMALL = 1 << 62
_PART = Limits(nodes=256, read=1 << 16)


class Encoder:
    """Encodes values, one after the other.

    Args:
        exact: `id(type) -> handler(walk, value)`; the encoder's tables keep the types alive. By id, because a lookup by
            the type itself would ask a hostile metaclass for its hash.
        other: the handler of every other type.
        limits: `Limits`.
        shown: names of attributes to ask for, by the type's name.

    Attributes:
        work: what all encodings so far have cost, in bytes read; a measure that is the same for the same values.
    """

    def __init__(self, exact, other, limits=None, shown=None):
        self._exact = exact
        self._other = other
        self.limits = limits or Limits()
        self._shown = shown or {}
        self.work = 0

    def encode(self, value):
        """The encoding of `value` and about how many bytes it takes.

        It never raises an `Exception`: what cannot be encoded is `["no", reason]`.
        """
        if value is None or type(value) is bool or (type(value) is int and -_SMALL < value < _SMALL):
            self.work += 16
            return value, 8
        walk = Walk(self._exact, self._other, self.limits, self._shown)
        try:
            encoded = walk.run(value)
            return self._bounded(encoded, walk)
        except TooLargeError as error:
            told = too_large(value, error, walk.stack, self._part)
            return told, len(dumps(told))
        except Exception as error:
            return _fault(error), 64
        finally:
            self.work += walk.read + 16 * walk.nodes

    def _bounded(self, encoded, walk):
        if walk.size <= self.limits.size:
            return encoded, walk.size
        if walk.nodes > self.limits.whole:
            told = condense(encoded, walk.nodes)
            return told, len(dumps(told))
        return collapse(encoded), 192

    def _part(self, value):
        walk = Walk(self._exact, self._other, _PART, self._shown)
        try:
            return walk.run(value)
        except TooLargeError:
            return ["no", "too large: a part"]
        except Exception as error:
            return _fault(error)
        finally:
            self.work += walk.read + 16 * walk.nodes


def _fault(error):
    return ["no", "fault: %s" % type.__dict__["__name__"].__get__(type(error))]


def make_encoder(numpy=None, limits=None, shown=None):
    """An encoder for the standard library's types, and for numpy's when the module is handed in.

    Args:
        numpy: the real module, imported before any foreign code; None when there is none.
        limits: `encode_walk.Limits`.
        shown: names of attributes to ask for, by the type's name.
    """
    nature = list(encode_stdlib.NATURE)
    content = encode_builtins.CONTENT + encode_stdlib.CONTENT
    exact = encode_builtins.EXACT + encode_stdlib.EXACT
    if numpy is not None:
        exact = exact + encode_numpy.exact(numpy)
        nature = encode_numpy.natures(numpy) + nature
    kept = [kind for kind, _ in nature + content + exact]
    natures = {id(kind): handler for kind, handler in nature}
    contents = {id(kind): handler for kind, handler in content}

    def other(walk, value, kept=kept):
        mro = MRO(type(value))
        for base in mro:
            if id(base) in natures:
                return natures[id(base)](walk, value)
        for base in mro:
            if id(base) in contents:
                return encode_subclass(walk, value, contents[id(base)])
        return encode_object(walk, value)

    table = {id(kind): handler for kind, handler in content if kind is not encode_builtins.ODICT}
    table.update({id(kind): handler for kind, handler in exact})
    return Encoder(table, other, limits, shown)

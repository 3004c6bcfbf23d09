"""The encoder's handlers for the built-in types.

Methods of the types are taken here, at import, before any foreign code has run.
"""

import collections
import functools
import types
from itertools import islice

from encode_large import FLAT, flat
from encode_leaf import collapse, dumps, number, raw, text
from encode_objects import long_text, type_name
from encode_walk import Frame, TooLargeError

_MODULE_VARS = types.ModuleType.__dict__["__dict__"].__get__
_CONSTANTS = {id(Ellipsis): "Ellipsis", id(NotImplemented): "NotImplemented"}


def _int(walk, value):
    if -(1 << 63) < value < 1 << 63:
        return value
    walk.leaf(value.bit_length() // 8)
    return ["i", hex(value)]


def _float(walk, value):
    return ["f", number(value)]


def _complex(walk, value):
    return ["c", number(value.real), number(value.imag)]


def _bytes(tag):
    def handler(walk, value):
        long = walk.leaf(len(value))
        encoded = [tag, raw(value)]
        return collapse(encoded) if long else encoded

    return handler


def _memoryview(walk, value):
    walk.leaf(value.nbytes)
    return ["v", "memoryview", value.format, list(value.shape), raw(value.tobytes())]


def _same(tag):
    def build(out):
        return [tag, out]

    return build


def _sorted(tag):
    def build(out):
        return [tag, sorted(out, key=dumps)]

    return build


def _pairs(out):
    return ["d", [list(pair) for pair in zip(out[::2], out[1::2])]]


def _taken(walk, value, items):
    kept = list(islice(items, walk.limits.nodes + 1))
    if len(kept) > walk.limits.nodes:
        raise TooLargeError("more than %d parts" % walk.limits.nodes, value)
    return kept


def _items(iterate, build):
    def handler(walk, value):
        return Frame(value, _taken(walk, value, iterate(value)), build)

    return handler


def _row(kind, tag):
    handler = _items(kind.__iter__, _same(tag))
    length = kind.__len__

    def row(walk, value):
        told = None
        if walk.limits.whole < length(value) <= FLAT:
            told = flat(walk, tag, list(kind.__iter__(value)))
        return told or handler(walk, value)

    return row


def _mapping(items):
    def handler(walk, value):
        pairs = _taken(walk, value, items(value))
        return Frame(value, [part for pair in pairs for part in pair], _pairs)

    return handler


_DEQUE_MAXLEN = collections.deque.__dict__["maxlen"].__get__


def _deque(walk, value):
    maxlen = _DEQUE_MAXLEN(value)
    items = _taken(walk, value, collections.deque.__iter__(value))
    return Frame(value, items, lambda out: ["dq", maxlen, out])


def _span(tag):
    def handler(walk, value):
        return Frame(value, [value.start, value.stop, value.step], lambda out: [tag, *out])

    return handler


def _constant(walk, value):
    return ["k", _CONSTANTS[id(value)]]


def _named(walk, value):
    module = getattr(value, "__module__", None)
    return ["fn", text("%s:%s" % (module if type(module) is str else "?", value.__qualname__))]


def _builtin(walk, value):
    owner = value.__self__
    if owner is None or type(owner) is types.ModuleType:
        return _named(walk, value)
    return Frame(value, [owner], lambda out: ["m", text(value.__name__), out[0]])


def _method(walk, value):
    function = value.__func__
    name = function.__name__ if type(function) is types.FunctionType else "?"
    return Frame(value, [value.__self__], lambda out: ["m", text(name), out[0]])


def _partial(walk, value):
    return Frame(value, [value.func, value.args, value.keywords], lambda out: ["pt", *out])


def encode_module(walk, value):
    name = _MODULE_VARS(value).get("__name__")
    return ["mod", text(name) if type(name) is str else "?"]


def encode_class(walk, value):
    return ["cls", type_name(value)]


def _exactly(convert, handler):
    """Give a handler the content of a subclass instance as an object of the exact type."""
    return lambda walk, value: handler(walk, convert(value))


ODICT = collections.OrderedDict
_WHOLE = slice(None)

# Types that may be subclassed: an instance's content comes by the type's own methods, which no subclass can replace.
CONTENT = [
    (str, _exactly(lambda value: str.__getitem__(value, _WHOLE), long_text)),
    (int, _exactly(lambda value: int.__add__(value, 0), _int)),
    (float, _float),
    (complex, _exactly(complex.__pos__, _complex)),
    (bytes, _exactly(lambda value: bytes.__getitem__(value, _WHOLE), _bytes("b"))),
    (bytearray, _exactly(lambda value: bytearray.__getitem__(value, _WHOLE), _bytes("ba"))),
    (list, _row(list, "l")),
    (tuple, _row(tuple, "t")),
    (set, _items(set.__iter__, _sorted("st"))),
    (frozenset, _items(frozenset.__iter__, _sorted("fs"))),
    (ODICT, _mapping(ODICT.items)),
    (dict, _mapping(dict.items)),
    (collections.deque, _deque),
]

EXACT = [
    (type(None), lambda walk, value: None),
    (bool, lambda walk, value: value),
    (str, long_text),
    (int, _int),
    (complex, _complex),
    (bytes, _bytes("b")),
    (bytearray, _bytes("ba")),
    (memoryview, _memoryview),
    (type(Ellipsis), _constant),
    (type(NotImplemented), _constant),
    (range, _span("r")),
    (slice, _span("sl")),
    (type({}.keys()), _items(type({}.keys()).__iter__, _sorted("dk"))),
    (type({}.values()), _items(type({}.values()).__iter__, _same("dv"))),
    (type({}.items()), _items(type({}.items()).__iter__, _sorted("di"))),
    (types.FunctionType, _named),
    (types.BuiltinFunctionType, _builtin),
    (types.MethodType, _method),
    (functools.partial, _partial),
    (types.ModuleType, encode_module),
    (type, encode_class),
]

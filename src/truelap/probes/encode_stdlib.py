"""The encoder's handlers for value types of the standard library: each is told by a few plain parts.

Methods of the types are taken here, at import, before any foreign code has run.
"""

import array
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import re
import types
import uuid

from encode_builtins import encode_class, encode_module
from encode_leaf import text
from encode_objects import MRO, encode_object, instance_dict, type_name
from encode_walk import Frame

_ARGS = BaseException.__dict__["args"].__get__
_UNSET = object()


def _value(kind, parts):
    """A handler for a value type that is told by a few plain parts."""

    def handler(walk, value):
        return Frame(value, parts(value), lambda out: ["v", kind, *out])

    return handler


def _getters(kind, *names):
    found = [kind.__dict__[name].__get__ for name in names]
    return lambda value: [get(value) for get in found]


def _enum(walk, value):
    state = instance_dict(value, MRO(type(value))) or {}
    name, content = state.get("_name_"), state.get("_value_", _UNSET)
    if content is _UNSET:
        return encode_object(walk, value)
    shown = text(name) if type(name) is str else None
    return Frame(value, [content], lambda out: ["enum", type_name(type(value)), shown, out[0]])


def _exception(walk, value):
    return Frame(value, list(_ARGS(value)), lambda out: ["x", type_name(type(value)), out])


_DATE = ("year", "month", "day")
_TIME = ("hour", "minute", "second", "microsecond", "fold", "tzinfo")
_DELTA = ("days", "seconds", "microseconds")
_of_date = _getters(dt.date, *_DATE)
_of_time = _getters(dt.datetime, *_TIME)
_array_code = array.array.__dict__["typecode"].__get__
_array_bytes = array.array.tobytes
_path_text = pathlib.PurePath.__str__
_decimal_text = decimal.Decimal.__str__
_zone_text = dt.timezone.__repr__
_PATHS = (pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath)

# Types that may be subclassed.
CONTENT = [
    (dt.datetime, _value("datetime", lambda value: _of_date(value) + _of_time(value))),
    (dt.date, _value("date", _of_date)),
    (dt.time, _value("time", _getters(dt.time, *_TIME))),
    (dt.timedelta, _value("timedelta", _getters(dt.timedelta, *_DELTA))),
    (decimal.Decimal, _value("decimal", lambda value: [_decimal_text(value)])),
    (fractions.Fraction, _value("fraction", _getters(fractions.Fraction, "_numerator", "_denominator"))),
    (array.array, _value("array", lambda value: [_array_code(value), _array_bytes(value)])),
]

EXACT = [
    (dt.timezone, _value("timezone", lambda value: [_zone_text(value)])),
    (uuid.UUID, _value("uuid", _getters(uuid.UUID, "int"))),
    (type(re.compile("")), _value("pattern", lambda value: [value.pattern, value.flags])),
    (type(re.match("", "")), _value("match", lambda value: [value.re.pattern, value.span(), value.groups()])),
] + [(kind, _value(kind.__name__, lambda value: [_path_text(value)])) for kind in _PATHS]

# Looked for before any content: an IntEnum is an enum, not an int.
NATURE = [
    (type, encode_class),
    (enum.Enum, _enum),
    (BaseException, _exception),
    (types.ModuleType, encode_module),
]

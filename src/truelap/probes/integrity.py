"""What code of the tree changes in that which judges it: pytest, unittest, the interpreter's own modules, these probes.

A `Watch` is made before anything of the tree can be imported. It keeps by identity what modules and classes hold, and what
functions are made of, so that a look at all of it takes a few milliseconds. It looks twice:

  {"type": "integrity", "when": "collected" | "end", "changes": [[place, became], ..], "notes": [[place, became], ..]}

`changes` are what no library has to do with; `notes` are the process's own affairs (threads, exit handlers, hooks of the
interpreter). Nothing here decides anything: pytest itself and base's tests change some of it too, and the judge holds one
side against the other.
"""

import atexit
import builtins
import gc
import importlib
import re
import sys
import threading
import types
from operator import attrgetter, is_
from zlib import crc32

from integrity_hooks import Hooks, Instance, TestCode, described, named

# A copy, so that nobody's later changes reach the functions below.
__builtins__ = dict(vars(builtins))

FAMILIES = ("pytest", "_pytest", "pluggy", "unittest", "numpy.testing")
SINGLE = (
    *("builtins", "sys", "time", "gc", "threading", "atexit", "importlib"),
    *("_frozen_importlib", "_frozen_importlib_external"),
)
HOOKS = frozenset(("sys.excepthook", "sys.unraisablehook", "sys.displayhook", "sys.breakpointhook"))
HOOKS |= {"sys.__interactivehook__", "threading.excepthook"}
LAZY = frozenset(
    ("__annotations__", "__annotate_func__", "__annotations_cache__", "__slotnames__", "_abc_impl")
)
PLAIN = (bool, int, float, str, bytes, type(None), list, dict, set, frozenset, tuple)
# A fork makes these anew.
PLAIN += (type(threading.Lock()), type(threading.RLock()))
MOST = 300

_parts = attrgetter("__code__", "__defaults__", "__kwdefaults__", "__closure__")


def load(modules):
    """Import what pytest imports anyway, and `modules`: what is watched has to be there before the tree is."""
    names = ["unittest", "unittest.case", *modules]
    try:
        from _pytest.config import default_plugins

        names += ["_pytest." + name for name in default_plugins]
    except ImportError:
        pass
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            pass


class Watch:
    """Keeps what there is, and tells what has become of it.

    Args:
        modules: names of further modules to have ready.
        ours: the probe's modules, by name; they may be out of sight.
        owned: the probe's objects that work beside the tree's code.
    """

    def __init__(self, modules, ours, owned):
        load(modules)
        self._modules = dict(_watched(modules))
        self._spaces = [(name, module, dict(vars(module))) for name, module in self._modules.items()]
        self._spaces += [(name, module, dict(vars(module))) for name, module in ours.items()]
        names = {module.__name__ for _, module, _ in self._spaces}
        classes = _classes([space for _, _, space in self._spaces], names)
        self._spaces += [(named(kind), kind, dict(vars(kind))) for kind in classes]
        self._functions = [
            (function, _parts(function), crc32(function.__code__.co_code))
            for function in _functions([space for _, _, space in self._spaces])
        ]
        self._owned = [Instance("the probe's " + type(one).__name__, one) for one in owned]
        self._shadowable = frozenset(vars(builtins))
        self._trace = (
            (sys.gettrace, sys.gettrace(), "trace function"),
            (sys.getprofile, sys.getprofile(), "profile function"),
        )
        self._tools = _tools()
        self._paths = [
            ("finder", sys.meta_path, list(sys.meta_path)),
            ("path hook", sys.path_hooks, list(sys.path_hooks)),
        ]
        self._threads = threading.enumerate
        self._main = threading.main_thread()
        self._exits = getattr(atexit, "_ncallbacks", int)
        self._collecting = gc.isenabled
        self.hooks = Hooks()
        self.tests = TestCode()

    def look(self, when):
        """The message that says what has changed since the start."""
        try:
            changes, notes = self._found()
        except Exception as error:
            changes, notes = [["the look at what has changed", type(error).__name__]], []
        return {"type": "integrity", "when": when, "changes": _told(changes), "notes": _told(notes)}

    def _found(self):
        changes = [*self._differences(), *self._changed_functions(), *self._traced(), *self.hooks.changes()]
        changes += self.tests.changes()
        for instance in self._owned:
            changes += instance.changes()
        notes = [change for change in changes if change[0] in HOOKS]
        changes = [change for change in changes if change[0] not in HOOKS]
        for kind, places, before in self._paths:
            front, behind = _added(kind, places, before)
            changes += front
            notes += behind
        return changes, [*notes, *self._process()]

    def _differences(self):
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                yield [name, described(sys.modules.get(name))]
        for label, owner, before in self._spaces:
            now = vars(owner)
            if len(now) != len(before) or not all(map(is_, now.values(), before.values())):
                yield from self._difference(label, owner, before, dict(now))

    def _difference(self, label, owner, before, now):
        for name, value in before.items():
            if name not in now:
                if _tells(value):
                    yield [label + "." + name, "nothing"]
            elif now[name] is not value and name not in LAZY and (_tells(value) or _tells(now[name])):
                yield [label + "." + name, described(now[name])]
        for name in sorted(now.keys() - before.keys() - LAZY, key=str):
            if isinstance(owner, type):
                found = _tells(now[name]) or any(name in vars(kind) for kind in owner.__mro__[1:])
            else:
                # A module's own name comes before the built-in one.
                found = name in self._shadowable and _tells(now[name])
            if found:
                yield ["{}.{}".format(label, name), described(now[name])]

    def _changed_functions(self):
        for function, parts, digest in self._functions:
            now = _parts(function)
            if not all(map(is_, now, parts)):
                changed = "other code" if now[0] is not parts[0] else "other defaults"
                yield [named(function), changed]
            elif crc32(now[0].co_code) != digest:
                yield [named(function), "other bytecode"]

    def _traced(self):
        for get, before, name in self._trace:
            if get() is not before:
                yield [name, described(get())]
        for tool in _tools() - self._tools:
            yield ["monitoring tool", tool]

    def _process(self):
        for thread in self._threads():
            if thread is not self._main:
                yield ["thread", re.sub("[0-9]+", "N", str(thread.name))]
        yield ["exit handlers", str(self._exits())]
        yield ["garbage collection", "on" if self._collecting() else "off"]
        for callback in gc.callbacks:
            yield ["garbage collection callback", described(callback)]


def _watched(modules):
    for name, module in list(sys.modules.items()):
        family = any(name == root or name.startswith(root + ".") for root in (*FAMILIES, *modules))
        if (family or name in SINGLE) and isinstance(module, types.ModuleType):
            yield name, module


def _classes(spaces, names):
    found = {}
    while spaces:
        inner = []
        for space in spaces:
            for value in space.values():
                if isinstance(value, type) and value.__module__ in names and id(value) not in found:
                    found[id(value)] = value
                    inner.append(vars(value))
        spaces = inner
    return list(found.values())


def _functions(spaces):
    found, queue = {}, [value for space in spaces for value in space.values()]
    while queue:
        value = queue.pop()
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, property):
            queue += [value.fget, value.fset, value.fdel]
        elif isinstance(value, types.FunctionType) and id(value) not in found:
            found[id(value)] = value
            queue += [_content(cell) for cell in value.__closure__ or ()]
    return list(found.values())


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _tells(value):
    return type(value) not in PLAIN


def _tools():
    monitoring = getattr(sys, "monitoring", None)
    return {str(name) for name in map(monitoring.get_tool, range(6)) if name} if monitoring else set()


def _added(kind, places, before):
    """What was put in front of one that was there before, and what comes after all of them."""
    old = [id(place) for place in before]
    last = max((index for index, place in enumerate(places) if id(place) in old), default=-1)
    new = [
        (index < last, ["new {}: {}".format(kind, described(place)), ""])
        for index, place in enumerate(places)
        if id(place) not in old
    ]
    return [told for front, told in new if front], [told for front, told in new if not front]


def _told(changes):
    told = {(str(place)[:300], str(became)[:300]): None for place, became in changes}
    return [list(change) for change in told][:MOST]

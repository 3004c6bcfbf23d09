"""Parts of `integrity`: hook implementations, the probe's own objects, and the code of tests. Python >= 3.8."""

import builtins
import sys
import types

# A copy, so that nobody's later changes reach the functions below.
__builtins__ = dict(vars(builtins))

_NAME = type.__dict__["__qualname__"].__get__
_SAID = 200


def named(value):
    """Where a function or class says that it comes from."""
    said = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return ".".join(part for part in said if type(part) is str)[:_SAID]


def described(value):
    """What an object is, without asking its class."""
    if type(value) in (classmethod, staticmethod):
        value = value.__func__
    if type(value) is property:
        value = value.fget
    if type(value) in (types.FunctionType, types.BuiltinFunctionType):
        return named(value)
    if type(value) is types.MethodType:
        return "a method of " + _kind(type(value.__self__))
    if type(value) is types.ModuleType:
        return "module {}".format(vars(value).get("__name__"))[:_SAID]
    if isinstance(value, type):
        return "class " + _kind(value)
    return "nothing" if value is None else "a " + _kind(type(value))


def _kind(kind):
    module = type.__getattribute__(kind, "__dict__").get("__module__")
    return ".".join([module, _NAME(kind)] if type(module) is str else [_NAME(kind)])[:_SAID]


class Hooks:
    """The hook implementations that there are before any plugin of the tree, and all later ones."""

    def __init__(self):
        self._manager = None
        self._before = {}
        self._calls = {}

    def start(self, manager):
        """Keep what there is; nothing of the tree has been loaded."""
        self._manager = Instance("plugin manager", manager), manager
        for name, caller, implementations in self._all(manager):
            self._calls[name] = caller, getattr(caller, "_hookexec", None)
            for one in implementations:
                self._before[id(one)] = one, one.function

    def changes(self):
        """Implementations that are new, changed or gone."""
        if self._manager is None:
            return
        instance, manager = self._manager
        yield from instance.changes()
        missing = dict(self._before)
        for name, caller, implementations in self._all(manager):
            known, call = self._calls.get(name, (caller, getattr(caller, "_hookexec", None)))
            if known is not caller or _parts(getattr(caller, "_hookexec", None)) != _parts(call):
                yield ["hook " + name, described(getattr(caller, "_hookexec", None))]
            for one in implementations:
                before = missing.pop(id(one), None)
                if before is None or one.function is not before[1]:
                    yield ["new hook {} of {}: {}".format(name, _owner(one), described(one.function)), ""]
        for one, function in missing.values():
            yield ["hook {} of {}".format(getattr(function, "__name__", "?"), _owner(one)), "nothing"]

    def _all(self, manager):
        for name, caller in sorted(vars(manager.hook).items()):
            if hasattr(caller, "get_hookimpls"):
                yield name, caller, caller.get_hookimpls()


def _parts(call):
    """Bound methods are made anew each time."""
    return id(getattr(call, "__self__", None)), id(getattr(call, "__func__", call))


def _owner(implementation):
    name = str(implementation.plugin_name)
    # A plugin without a name has its address for one.
    return _kind(type(implementation.plugin)) if name.isdigit() else name


class Instance:
    """One object of the judge's in this process: its class, and the attributes that do its work."""

    def __init__(self, name, value):
        self._name = name
        self._value = value
        self._type = type(value)
        self._state = dict(vars(value))
        self._known = {name for kind in type(value).__mro__ for name in vars(kind)}

    def changes(self):
        """Attributes that hide a method, and callables that were replaced."""
        if type(self._value) is not self._type:
            yield [self._name, described(self._value)]
        for name, value in vars(self._value).items():
            before = self._state.get(name, self)
            if value is before:
                continue
            if (before is self and name in self._known) or (before is not self and callable(before)):
                yield ["{}: {}".format(self._name, name), described(value)]


class TestCode:
    """Test functions and the names that their modules call by, from collection to the end."""

    def __init__(self):
        self._functions = []
        self._spaces = []

    def start(self, items):
        """Keep what was collected."""
        found = {}
        for item in items:
            function = getattr(item, "__dict__", {}).get("_obj")
            function = getattr(function, "__func__", function)
            if type(function) is types.FunctionType and id(function) not in found:
                found[id(function)] = function
        self._functions = [(function, function.__code__) for function in found.values()]
        spaces = {id(function.__globals__): function.__globals__ for function in found.values()}
        self._spaces = [(space, dict(space)) for space in spaces.values()]

    def changes(self):
        """Functions with other code, and module names that stand for other functions or classes."""
        for function, code in self._functions:
            # A test that was given other code while it was collected has that of another file.
            if function.__code__ is not code or code.co_filename != function.__globals__.get("__file__"):
                yield ["test function " + named(function), "other code"]
        for space, before in self._spaces:
            for name, value in before.items():
                if type(value) in (types.FunctionType, type) and space.get(name, sys) is not value:
                    yield [
                        "test module {}: {}".format(space.get("__name__"), name),
                        described(space.get(name)),
                    ]

"""Part of run_benchmarks: what a suite holds, module by module."""

import hashlib
import importlib
import inspect
import math
import os
import sys

from origins import origins

TEXT_LIMIT = 2000
VALUE_LIMIT = 200
UNIT_LIMIT = 40
PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, set, frozenset, dict)
TOLD = 5


def said(error):
    return "{}: {}".format(type(error).__name__, error)[:TEXT_LIMIT]


class Runner:
    """What is taken of asv_runner, imported before anything of a tree can stand in for it."""

    def __init__(self, folder):
        sys.path.insert(0, folder)
        from asv_runner._aux import update_sys_path
        from asv_runner.benchmarks.mark import SkipNotImplemented
        from asv_runner.benchmarks.time import TimeBenchmark
        from asv_runner.discovery import _get_benchmark

        sys.path.remove(folder)
        self.add_suite = update_sys_path
        self.skip = SkipNotImplemented
        self.benchmark = _get_benchmark
        self.time = TimeBenchmark


class Suite:
    """The benchmarks of one folder, module by module: one that cannot be imported costs only its own.

    Args:
        order: the judge's `start`.
        around: `surroundings.Surroundings`.
        before: names of modules that were there before the tree was.
    """

    def __init__(self, order, around, before):
        self.runner = around.runner
        self.paths = order["roots"]
        self.before = before
        self.mount = order["mount"]
        self.begin(order, around)

    def begin(self, order, around):
        """Make the suite importable."""
        self.name = os.path.basename(order["suite"])
        self.runner.add_suite(order["suite"])

    def load(self, module):
        """Import one module."""
        return importlib.import_module(module)

    def owns(self, module):
        """Whether a module, by name, is the suite's and not the product's."""
        return module.split(".")[0] == self.name

    def from_elsewhere(self):
        """Modules that the tree has, and that came from the environment all the same: an installed copy would be timed."""
        names = {name.split(".")[0] for path in self.paths for name in os.listdir(path)}
        files = {
            name: getattr(sys.modules[name], "__file__", None)
            for name in names & set(sys.modules) - self.before
        }
        inside = tuple(os.path.join(path, "") for path in self.paths)
        return sorted(name for name, file in files.items() if file and not file.startswith(inside))[:TOLD]

    def loaded(self):
        """See `origins`."""
        return origins(self.mount)

    def discover(self, module_name):
        module = self.load(module_name)
        found = []
        for attr, value in sorted(vars(module).items()):
            if attr.startswith("_"):
                continue
            if inspect.isclass(value) and not inspect.isabstract(value):
                for name, member in inspect.getmembers(value):
                    if inspect.isfunction(member) or inspect.ismethod(member):
                        found += self.describe(module_name, attr, name)
            elif inspect.isfunction(value):
                found += self.describe(module_name, None, attr)
        return found

    def describe(self, module_name, klass, attr):
        where = {"module": module_name, "class": klass, "attr": attr}
        try:
            benchmark = self.build(module_name, klass, attr)
            return [] if benchmark is None else [dict(where, **facts(benchmark))]
        except BaseException as error:
            name = ".".join(part for part in (module_name, klass, attr) if part).split(".", 1)[1]
            return [dict(where, name=name, error=said(error))]

    def build(self, module_name, klass, attr):
        module = self.load(module_name)
        owner = None if klass is None else getattr(module, klass)
        func = getattr(module if owner is None else owner, attr)
        return self.runner.benchmark(attr, module, owner, func)


def told_values(benchmark):
    """Every parameter's value, axis by axis: of what kind it is, and what is printed of it, without an address.

    A function or a class stands for what it does; how that is printed is the product's to change.
    """
    return [
        [[kind_of(value), "" if callable(value) else bounded(shown)] for value, shown in zip(*axis)]
        for axis in zip(benchmark._params, benchmark.params)
    ]


def kind_of(value):
    kind = type(value)
    if kind is list or kind is tuple:
        return bounded("{}: {}".format(kind.__name__, sorted({kind_of(part) for part in value})))
    if any(kind is plain for plain in PLAIN):
        return kind.__name__
    return "callable" if callable(value) else bounded("object " + kind.__qualname__)


def bounded(shown):
    if len(shown) <= VALUE_LIMIT:
        return shown
    return shown[:VALUE_LIMIT] + ".. " + hashlib.sha256(shown.encode("utf-8", "replace")).hexdigest()


def facts(benchmark):
    timeout = benchmark.timeout
    return {
        "name": benchmark.name,
        "error": None,
        # Not its `type`: a suite may set that for track_ benchmarks, and timeraw_ has the same as time_.
        "kind": type(benchmark).__name__.replace("Benchmark", "").lower(),
        "params": benchmark.params,
        "values": told_values(benchmark),
        "timeout_s": float(timeout) if timeout is not None and math.isfinite(timeout) else None,
        "cache_key": benchmark.setup_cache_key,
        "unit": str(benchmark.unit)[:UNIT_LIMIT],
        "has_setup": bool(benchmark._setups),
    }

"""Part of run_benchmarks: benchmarks that are plain scripts, each with a `setup` and a function to time.

    def setup():            makes the input; a benchmark without it has none
    def run(...):           or `workload`, or `experiment`: what is timed, with what setup returned if it takes anything
    def teardown():         may follow

A script is imported under its path, never as the main program: what it does for itself when it is one is left out.
"""

import importlib.util
import inspect
import os
import sys

from bench_suite import Suite, facts, said

CALLED = ("run", "workload", "experiment")


class ScriptSuite(Suite):
    """Scripts of one tree, by their paths."""

    def begin(self, order, around):
        self.scripts = {}

    def load(self, module):
        if module not in self.scripts:
            file = os.path.join(self.mount, module)
            # As for a program, but behind everything: what lies beside a script must not stand in for the product.
            if os.path.dirname(file) not in sys.path:
                sys.path.append(os.path.dirname(file))
            spec = importlib.util.spec_from_file_location(module, file)
            made = sys.modules[module] = importlib.util.module_from_spec(spec)
            try:
                spec.loader.exec_module(made)
            except BaseException:
                del sys.modules[module]
                raise
            self.scripts[module] = made
        return self.scripts[module]

    def owns(self, module):
        return module in self.scripts

    def discover(self, module_name):
        self.load(module_name)
        where = {"module": module_name, "class": None, "attr": "run"}
        try:
            return [dict(where, **facts(self.build(module_name, None, None)))]
        except BaseException as error:
            return [dict(where, name=module_name, error=said(error))]

    def build(self, module_name, klass, attr):
        # What the script itself has: its module can be given another class.
        names = vars(self.load(module_name))
        found = [names[name] for name in CALLED if inspect.isfunction(names.get(name))]
        if not found:
            raise LookupError("the script has no function " + ", ".join(CALLED))
        hooks = Hooks(names, found[0])
        benchmark = self.runner.time(module_name, found[0], [found[0], hooks])
        benchmark._build_params, benchmark.made = hooks.arguments, hooks.globals
        return benchmark


class Hooks:
    """What asv_runner finds beside the function of a script.

    Args:
        names: of the script.
        func: what is timed.

    Attributes:
        number: calls that a setup is good for, where the function says none: such scripts make an input for each call.
    """

    def __init__(self, names, func):
        self._made = ()
        self._names, self._before = names, dict(names)
        self._takes = [
            one
            for one in inspect.signature(func).parameters.values()
            if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        ]
        make, end = names.get("setup"), names.get("teardown")
        if callable(make):
            self.number = 1
            self.setup = lambda *_: self._keep(make())
        if callable(end):
            self.teardown = lambda *_: end()

    def _keep(self, made):
        needed = [one for one in self._takes if one.default is one.empty]
        if not self._takes or (made is None and not needed):
            self._made = ()
        else:
            self._made = made if type(made) is tuple and len(needed) > 1 else (made,)

    def globals(self):
        """Globals that `setup` has set."""
        before = self._before
        return {
            name: value
            for name, value in self._names.items()
            if name not in before or value is not before[name]
        }

    def arguments(self):
        """What the function is called with."""
        return self._made

"""Part of run_benchmarks: benchmarks that are tests of pytest-benchmark, by pytest's ids.

The test itself is the setup, up to the point where it calls its fixture `benchmark`: there the judge is spoken to, and calls
of what was handed over are what is timed. Then the fixture makes one call more and returns what it gives, and the test goes
on. The fixture is the judge's own; pytest-benchmark need not be installed. What follows in the test decides nothing here.
"""

import functools
import gc
import os
import sys
from contextlib import suppress

from bench_case import Case, Heap, answer
from bench_suite import Suite, bounded, kind_of

TEXT_CHARS = 500
UNUSABLE = (2, 3, 4)
"""Exit codes of pytest: interrupted, an error of its own, wrong usage."""
OPTIONS = (
    # pytest's settings are none that a tree has; what base's conftest.py does counts.
    *("-c", os.devnull, "-q", "--capture=no", "--assert=plain"),
    *("-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:timeout", "-p", "no:xdist"),
    *("-p", "no:benchmark", "-p", "no:codspeed"),
)
"""The last two bring the fixture themselves."""


class TestSuite(Suite):
    """Files of tests, by their paths."""

    __test__ = False

    def begin(self, order, around):
        self.pytest = around.pytest
        self.files = {}

    def load(self, module):
        if module not in self.files:
            watch = Watch(None)
            self.session(module, watch, "--collect-only")
            if watch.error is not None:
                raise ImportError(watch.error)
            self.files[module] = watch.items
        return self.files[module]

    def session(self, what, watch, *more):
        """One run of pytest on a file or a test."""
        if self.pytest is None:
            raise ImportError("pytest cannot be imported")
        where = os.path.join(self.mount, what)
        argv = [where, "--rootdir=" + self.mount, *OPTIONS, *more]
        status = int(self.pytest.main(argv, plugins=[made_plugin(self.pytest, watch)]))
        if status in UNUSABLE:
            watch.failed("pytest itself failed: exit code {}".format(status))

    def owns(self, module):
        file = getattr(sys.modules.get(module), "__file__", None)
        return isinstance(file, str) and any(file == self.mount + path for path in self.files)

    def discover(self, module_name):
        plain = {"module": module_name, "class": None, "attr": "", "error": None, "kind": "time"}
        return [
            dict(plain, name=item.nodeid, values=told_parameters(item))
            for item in self.load(module_name)
            if "benchmark" in item.fixturenames
        ]


class Hooks:
    """Hooks of pytest-benchmark, for a conftest.py that has some: pytest takes none that it does not know."""

    def pytest_benchmark_scale_unit(self, config, unit, benchmarks, best, worst, sort):
        """Not called here, like all that follow."""

    def pytest_benchmark_generate_machine_info(self, config):
        pass

    def pytest_benchmark_update_machine_info(self, config, machine_info):
        pass

    def pytest_benchmark_generate_commit_info(self, config):
        pass

    def pytest_benchmark_update_commit_info(self, config, commit_info):
        pass

    def pytest_benchmark_group_stats(self, config, benchmarks, group_by):
        pass

    def pytest_benchmark_generate_json(self, config, benchmarks, include_data, machine_info, commit_info):
        pass

    def pytest_benchmark_update_json(self, config, benchmarks, output_json):
        pass

    def pytest_benchmark_compare_machine_info(
        self, config, benchmarksession, machine_info, compared_benchmark
    ):
        pass


class Watch:
    """What is seen of one run of pytest.

    Args:
        talk: is given each call of the fixture; None where tests are not run.
    """

    def __init__(self, talk):
        self.talk = talk
        self.items = []
        self.error = None
        self.skipped = False

    def failed(self, text):
        if self.error is None:
            lines = [line for line in str(text).splitlines() if line.strip()]
            self.error = " ".join(
                (line[2:] if line.startswith("E ") else line).strip() for line in lines[-2:]
            )[-TEXT_CHARS:]


def made_plugin(pytest, watch):
    """The judge's plugin for one run."""

    class Plugin:
        def pytest_addhooks(self, pluginmanager):
            pluginmanager.add_hookspecs(Hooks)

        def pytest_configure(self, config):
            config.addinivalue_line("markers", "benchmark: of pytest-benchmark")

        def pytest_collection_modifyitems(self, items):
            watch.items = list(items)

        def pytest_collectreport(self, report):
            if report.failed:
                watch.failed(report.longrepr)

        def pytest_runtest_logreport(self, report):
            watch.skipped = watch.skipped or report.skipped
            if report.failed:
                watch.failed(report.longrepr)

        @pytest.fixture
        def benchmark(self, request):
            return Fixture(watch.talk, request.node)

    return Plugin()


class Fixture:
    """What a test gets as `benchmark`."""

    def __init__(self, talk, item):
        self._talk = talk
        self._item = item
        self._used = False
        self.extra_info = {}
        self.name = item.name
        self.fullname = item.nodeid
        self.group = self.param = self.params = self.stats = None
        self.enabled, self.disabled = True, False

    def __call__(self, function, *args, **named):
        return self.pedantic(function, args, named)

    def pedantic(self, target, args=(), kwargs=None, setup=None, teardown=None, **_):
        if self._used:
            raise RuntimeError("the fixture benchmark is for one use")
        self._used = True
        call = Call(target, args, kwargs or {}, setup, teardown)
        self._talk(self._item, call)
        return call.once()


class Call:
    """What is timed, in the form of asv_runner's benchmarks.

    Args:
        target: the function.
        args: positional arguments.
        named: the others.
        setup: makes them anew for each call, where it returns any.
        teardown: follows a call.
        number: calls that a setup is good for; 0 where it may have many.
    """

    def __init__(self, target, args, named, setup, teardown):
        self.target, self.args, self.named = target, tuple(args), dict(named)
        self.make, self.end = setup, teardown
        self.number = 1 if setup or teardown else 0
        self.recorder = None

    def do_setup(self):
        if self.make is not None:
            made = self.make()
            if made:
                self.args, self.named = tuple(made[0]), dict(made[1])

    def do_teardown(self):
        if self.end is not None:
            self.end(*self.args, **self.named)

    @property
    def func(self):
        """To be called with `args`; where other calls are tried, what it calls passes the recorder."""
        if self.recorder is not None and self.recorder.gathering is not None:
            return lambda *args: self.recorder.called("benchmark(...)", self.target)(*args, **self.named)
        return functools.partial(self.target, **self.named) if self.named else self.target

    def made(self):
        """Variables of the test that a function of its own reads."""
        names = getattr(getattr(self.target, "__code__", None), "co_freevars", ())
        cells = getattr(self.target, "__closure__", None) or ()
        found = {}
        for name, cell in zip(names, cells):
            # One that has no value yet says so by an error.
            with suppress(ValueError):
                found[name] = cell.cell_contents
        return found

    def once(self):
        """One call more, for the test."""
        self.do_setup()
        try:
            return self.target(*self.args, **self.named)
        finally:
            self.do_teardown()


class TestCase(Case):
    """One test, alive in one process."""

    __test__ = False

    def __init__(self, suite, order, recorder):
        self.heap = Heap()
        self.suite = suite
        self.skip = suite.runner.skip
        self.name, self.module = order["name"], order["module"]
        self.recorder = recorder
        self.skipped = False
        self.values = []
        self.args = ()

    def live(self, cache, talk):
        told = []

        def called(item, call):
            told.append(True)
            self.begin(item, call)
            reply = answer(self, self.setup, cache)
            talk(reply)
            gc.enable()
            if reply["type"] == "ready":
                call.do_teardown()

        watch, temporary = Watch(called), "--basetemp=" + os.path.join(os.getcwd(), "tmp")
        os.chdir(self.suite.mount)
        self.suite.session(self.name, watch, temporary)
        if not told and watch.skipped:
            talk({"type": "skipped"})
        elif not told:
            talk(
                {
                    "type": "failed",
                    "error": watch.error or "there is no such test, or it does not call benchmark",
                }
            )

    def begin(self, item, call):
        """From here on the test's call is what is asked of."""
        if item.nodeid != self.name:
            raise LookupError("another test than the one asked for")
        self.values = told_parameters(item)
        call.recorder = self.recorder
        self.benchmark = call

    def setup(self, cache):
        self.heap.shake()
        self.benchmark.do_setup()
        self.args = self.benchmark.args

    def again(self):
        gc.enable()
        self.benchmark.do_teardown()
        self.setup(None)
        gc.disable()


def told_parameters(item):
    """Parameters of a test by their names, as `told_values` has them."""
    given = getattr(getattr(item, "callspec", None), "params", {})
    return [
        [[kind_of(value), "" if callable(value) else bounded(repr(value))]]
        for _, value in sorted(given.items())
    ]

"""Part of run_benchmarks: the plugin that a run of pytest gets, with the fixture `benchmark`."""

import functools
from contextlib import suppress

TEXT_CHARS = 500


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

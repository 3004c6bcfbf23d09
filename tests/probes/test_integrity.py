"""The watch: it sees each way to change what judges, in a process of its own, and nothing where nothing was changed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROBES = Path(__file__).parents[2] / "src" / "truelap" / "probes"
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import json, os
from json import dumps
import attest, integrity, integrity_plugin
import _pytest.config

recorder = attest.Recorder(print, None)
watch = integrity.Watch(["json"], integrity_plugin.OURS, [recorder])
manager = _pytest.config.get_config().pluginmanager
watch.hooks.start(manager)

class Item: pass

def one(text):
    space = {"__name__": "test_it"}
    exec(text, {"__name__": "tree", "recorder": recorder, "manager": manager, "space": space})
    if "test" in space:
        item = Item()
        item._obj = space["test"]
        watch.tests.start([item])
        exec(space.get("then", ""), space)
    return watch.look("end")

for kind, text in json.load(sys.stdin).items():
    out, into = os.pipe()
    if not os.fork():
        os.close(out)
        os.write(into, dumps(one(text)).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as file:
        print(json.dumps([kind, json.load(file)]))
    os.wait()
"""

TEST = """
exec(compile('def same(): pass\\ndef test(): same()', 't.py', 'exec'), space)
space['__file__'] = 't.py'
"""
CHANGES = {
    "attribute of a module": ("import pytest\npytest.raises = len", "pytest.raises"),
    "attribute of a class": (
        "from _pytest.python import Function\nFunction.runtest = lambda self: None",
        "_pytest.python.Function.runtest",
    ),
    "attribute of a class that was not there": (
        "from _pytest.reports import TestReport\nTestReport.failed = False",
        "_pytest.reports.TestReport.failed",
    ),
    "attribute that is gone": (
        "import unittest\ndel unittest.TestCase.assertEqual",
        "unittest.case.TestCase.assertEqual",
    ),
    "code of a function": (
        "import _pytest.runner as r\nr.call_and_report.__code__ = (lambda item, when, log=True, **kw: None).__code__",
        "_pytest.runner.call_and_report",
    ),
    "defaults of a function": (
        "import _pytest.runner as r\nr.call_and_report.__defaults__ = (False,)",
        "_pytest.runner.call_and_report",
    ),
    "name of a module that hides a built-in one": (
        "import _pytest.runner\n_pytest.runner.isinstance = lambda *a: False",
        "_pytest.runner.isinstance",
    ),
    "built-in function": ("import builtins\nbuiltins.any = lambda *a: True", "builtins.any"),
    "clock": ("import time\ntime.perf_counter = time.time", "time.perf_counter"),
    "another module": ("import sys, types\nsys.modules['pytest'] = types.ModuleType('pytest')", "pytest"),
    "module that was asked for": ("import json\njson.dumps = len", "json.dumps"),
    "the probe's method": ("recorder.note = lambda *a: None", "the probe's Recorder: note"),
    "the probe's class": ("type(recorder).note = lambda *a: None", "attest.Recorder.note"),
    "class of the probe's object": (
        "class Other(type(recorder)): pass\nrecorder.__class__ = Other",
        "the probe's Recorder",
    ),
    "hook": (
        "class P:\n  def pytest_runtest_logreport(self, report): pass\nmanager.register(P())",
        "new hook pytest_runtest_logreport of tree.P: a method of tree.P",
    ),
    "function of a hook": (
        "for one in manager.hook.pytest_runtest_call.get_hookimpls():\n one.function = len",
        "new hook pytest_runtest_call of runner: builtins.len",
    ),
    "hook that is gone": (
        "manager.unregister(name='runner')",
        "hook pytest_runtest_call of runner",
    ),
    "call of a hook": (
        "manager.hook.pytest_runtest_call._hookexec = lambda *a: []",
        "hook pytest_runtest_call",
    ),
    "plugin manager": ("manager._inner_hookexec = lambda *a: []", "plugin manager: _inner_hookexec"),
    "trace function": ("import sys\nsys.settrace(lambda *a: None)", "trace function"),
    "profile function": ("import sys\nsys.setprofile(lambda *a: None)", "profile function"),
    "finder in front": (
        "import sys\nclass F:\n  def find_spec(*a): return None\nsys.meta_path.insert(0, F())",
        "new finder: a tree.F",
    ),
    "code of a test": (
        TEST + "space['then'] = 'test.__code__ = (lambda: None).__code__'",
        "test function test_it.test",
    ),
    "code of a test, while it is collected": (
        "exec(compile('def test(): pass', 'o.py', 'exec'), space)\nspace['__file__'] = 't.py'",
        "test function test_it.test",
    ),
    "helper of a test": (
        TEST + "space['then'] = 'same = lambda: None'",
        "test module test_it: same",
    ),
}
HONEST = {
    "nothing": ("", []),
    "a thread": (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
        ["thread"],
    ),
    "an exit handler": ("import atexit\natexit.register(len, ())", []),
    "a finder behind all others": (
        "import sys\nclass F:\n  def find_spec(*a): return None\nsys.meta_path.append(F())",
        ["new finder: a tree.F"],
    ),
    "a hook of the interpreter": ("import sys\nsys.excepthook = print", ["sys.excepthook"]),
    "the collector": ("import gc\ngc.disable()", []),
    "a name among the built-in ones": ("import builtins\nbuiltins._ = str", []),
    "recursion and warnings": (
        "import sys, warnings\nsys.setrecursionlimit(5000)\nwarnings.simplefilter('ignore')",
        [],
    ),
}


@pytest.fixture(scope="module")
def looks():
    """What the watch says after each, in a process that was forked for it."""
    texts = {kind: text for kind, (text, _) in (*CHANGES.items(), *HONEST.items())}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(PROBES)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_is_seen(looks, kind):
    assert CHANGES[kind][1] in {change[0] for change in looks[kind]["changes"]}


@pytest.mark.parametrize("kind", HONEST)
def test_what_libraries_do_is_at_most_noted(looks, kind):
    assert looks[kind]["changes"] == []
    assert set(HONEST[kind][1]) <= {note[0] for note in looks[kind]["notes"]}

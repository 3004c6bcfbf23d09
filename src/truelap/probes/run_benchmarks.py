"""Part of worker: runs ASV benchmarks at the judge's word, beside the code of a tree. Standard library and asv_runner only;
Python >= 3.8.

The program imports the suite's modules once and forks a child for each case (one benchmark, one parameter index); the
child holds the conversation until it ends. Nothing here measures anything: the judge reads the kernel's clocks from
outside and decides how many calls are made. Replies are claims of a process that shares its memory with the tree's code.

Conversation, after the worker's hello:
    start                  -> started        suite folder, its style (SUITES), seed, name of the recorder;
                                             it is there whether or not the suite is rewritten to tell what it computes
    discover {module}      -> found          import one module and describe its benchmarks
    load {module}          -> loaded         import one module, so that children have it; what came from where
    case {...}             -> ready {values}|skipped|failed   fork, build the benchmark, run setup at all levels;
                                             values: its parameters, as `told_values` has them
      run {calls, token}   -> done {token, claimed_ns}|skipped|failed   that many calls, nothing else; none: shake the heap.
                                             claimed_ns: what they took by the clock that a benchmark would use
          {empty: true}    calls of a function that does nothing
      redo                 -> ready|skipped|failed   teardown and setup again
      output {seed, sample, token} -> told {token, frames}, values.. |skipped|failed   one call, and what it computed
      state {sample, token} -> told {token, frames}, values.. |skipped|failed   arguments, what the benchmark's object and variables hold
      siblings {plan, most, seed, sample, token} -> told {plan, token, frames}, values.. |skipped|failed   calls beside the
                                             benchmark's own, see `bench_siblings`; without a plan, one is made
      vary {plan, seed, token} -> varied {plan, token}|skipped|failed   from here on runs get other inputs, see `bench_varying`;
                                             without a plan, one is made
      chart                -> charted {whole, ran}   the functions that ran since the fork, see `bench_chart`
      value {token} -> valued {token, value}|skipped|failed   one call of a benchmark that is no time: its number, as text
      close                                  teardown; then the child ends
                           -> ended {status} from the parent, once the child is gone, whatever happened
    chart                  -> charted        the same since the start, of a worker that was started with it
    end                    -> end            the program ends
"""

import builtins
import gc
import os
import shutil
import sys
import tempfile
import time

import bench_answers
import bench_case
import bench_changes
import bench_chart
import bench_fixture
import bench_output
import bench_pytest
import bench_raw
import bench_script
import bench_siblings
import bench_suite
import bench_varying
import bench_wire
from bench_answers import tell, value, vary
from bench_case import Caches, Case, Heap, answer, in_child, reap, seed_all
from bench_pytest import TestCase, TestSuite
from bench_raw import RawCase
from bench_script import ScriptSuite
from bench_suite import Suite, said
from bench_wire import Wire

OWN_CHANGED = 86
"""Exit status of a case in whose process functions of this program were replaced. A tripwire: who knows of it gets around it."""


def converse(wire, case):
    """What the judge asks of one case, until it closes it or the case cannot go on."""
    while True:
        asked = wire.receive()
        if asked["type"] == "run":
            began = time.perf_counter()
            reply = answer(case, case.run, asked["calls"], asked.get("empty", False))
            if reply["type"] == "ready":
                claimed_ns = round((time.perf_counter() - began) * 1e9)
                reply = {"type": "done", "token": asked["token"], "claimed_ns": claimed_ns}
        elif asked["type"] == "redo":
            reply = answer(case, case.again)
        elif asked["type"] == "vary":
            reply = vary(case, asked, RECORDERS[0])
        elif asked["type"] == "chart":
            reply = CHARTS[0].told()
        elif asked["type"] == "value":
            reply = value(case, asked)
        elif asked["type"] in ("output", "state", "siblings"):
            reply = tell(wire, case, asked, RECORDERS[0])
            if reply is None:
                continue
        else:
            return
        wire.send(reply)
        if reply["type"] not in ("done", "ready", "varied", "charted", "valued"):
            return


def program():
    """What this program consists of: the names of its modules and classes, and the code behind them.

    Not names of Python's own, such as the record of warnings that a module gets when one points to it.
    """
    spaces = [vars(module) for module in MODULES]
    spaces += [vars(value) for space in spaces for value in space.values() if isinstance(value, type)]
    return [
        (name, id(value), id(getattr(value, "__code__", None)))
        for space in spaces
        for name, value in space.items()
        if not name.startswith("__")
    ]


def serve_case(wire, suite, order, cache_folder):
    """The child's life."""
    own = cache_folder or tempfile.mkdtemp(prefix="case-")
    os.chdir(own)
    seed_all(order["seed"])
    for chart in CHARTS:
        chart.again()
        if cache_folder:
            chart.add(cache_folder + ".chart")
    try:
        case = made_case(suite, order)
        cache = Caches.load(cache_folder)
    except BaseException as error:
        wire.send({"type": "failed", "error": said(error)})
        return

    def talk(reply):
        # As timeit does: no collection inside a sample.
        gc.disable()
        if reply["type"] == "ready":
            reply["values"] = case.values
        wire.send(reply)
        if reply["type"] == "ready":
            converse(wire, case)

    case.live(cache, talk)
    if order.get("own_code") and program() != OWN:
        os._exit(OWN_CHANGED)
    os.chdir("/")
    if own != cache_folder:
        shutil.rmtree(own, ignore_errors=True)


def made_case(suite, order):
    """The case that an order asks for."""
    if isinstance(suite, TestSuite):
        return TestCase(suite, order, RECORDERS[0])
    return (RawCase if order.get("kind") == "timeraw" else Case)(suite, order)


def start(order, around):
    # What the tree's modules hold comes to lie elsewhere in each process: a layout that is slow must not be a side's for good.
    HEAP.shake()
    RECORDERS.append(bench_output.make_recorder(around.numpy))
    setattr(builtins, order["name"], RECORDERS[0])
    # Whoever runs pytest needs its modules, whatever the tree may see.
    around.settle("benchmarks", order["roots"], order["apart"] and order["style"] != "pytest")
    before = set(sys.modules)
    seed_all(order["seed"])
    if order["chart"]:
        CHARTS.append(bench_chart.Chart(order["mount"]))
        CHARTS[0].begin()
    return SUITES[order["style"]](order, around, before)


def discovered(suite, module):
    try:
        return {"type": "found", "error": None, "benchmarks": suite.discover(module)}
    except BaseException as error:
        return {"type": "found", "error": said(error), "benchmarks": []}


def loaded(suite, module):
    try:
        suite.load(module)
        return {
            "type": "loaded",
            "error": None,
            "elsewhere": suite.from_elsewhere(),
            "modules": suite.loaded(),
        }
    except BaseException as error:
        return {"type": "loaded", "error": said(error), "elsewhere": [], "modules": []}
    finally:
        # What is loaded stays: a collection in a child would copy its pages.
        gc.freeze()


def serve(wire, order, around):
    suite = start(order, around)
    caches = Caches(CHARTS)
    wire.send({"type": "started"})
    while True:
        order = wire.receive()
        if order["type"] == "discover":
            wire.send(discovered(suite, order["module"]))
        elif order["type"] == "load":
            wire.send(loaded(suite, order["module"]))
        elif order["type"] == "chart":
            wire.send(CHARTS[0].told())
        elif order["type"] == "case":
            folder = caches.folder(suite, order)
            status = reap(in_child(lambda order=order, folder=folder: serve_case(wire, suite, order, folder)))
            wire.send({"type": "ended", "status": status})
        else:
            return


def work(end, order, around):
    """The life of a worker that runs benchmarks; `end` is its end of the channel."""
    wire = Wire(end)
    serve(wire, order, around)
    wire.send({"type": "end"})


SUITES = {"asv": Suite, "scripts": ScriptSuite, "pytest": TestSuite}
HEAP = Heap()
RECORDERS = []
CHARTS = []
MODULES = (
    sys.modules[__name__],
    bench_answers,
    bench_case,
    bench_changes,
    bench_chart,
    bench_fixture,
    bench_output,
    bench_pytest,
    bench_raw,
    bench_script,
    bench_siblings,
    bench_suite,
    bench_varying,
    bench_wire,
)
OWN = []
OWN += program()

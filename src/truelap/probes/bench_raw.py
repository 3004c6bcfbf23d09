"""Part of run_benchmarks: a benchmark of kind timeraw. Its function returns code, which each setup gives to an interpreter of its own.

As in asv, neither the interpreter's start nor the code's own setup is timed: they belong to the setup of the case. That
interpreter starts with hardly a module, since what it had already would cost the code's imports nothing. It lives until the
next setup, so that the judge's clock of the whole sandbox counts it.
"""

import os
import signal
import sys
import textwrap
import timeit

from bench_case import Case, reap

PROGRAM = r"""
import gc, os, sys, timeit
def serve(answers):
    size, text = int(os.read(0, 20)), b""
    while len(text) < size:
        part = os.read(0, size - len(text))
        if not part:
            return
        text += part
    # As timeit does, for the code's own setup as well.
    gc.disable()
    space, runs = dict(vars(timeit)), {}
    try:
        exec(compile(text, "<timeraw>", "exec"), space)
        for name in (b"run", b"empty"):
            runs[name] = space.pop("_raw_" + name.decode())()
            next(runs[name])
        while True:
            os.write(answers, b"ok")
            asked = os.read(0, 40).split()
            if not asked:
                return
            runs[asked[0]].send(int(asked[1]))
    except BaseException as error:
        os.write(answers, "{}: {}".format(type(error).__name__, error).encode("utf-8", "replace")[:2000])
serve(int(sys.argv.pop()))
"""

TEMPLATE = """
def _raw_run(_repeat=itertools.repeat):
    {setup}
    _calls = yield
    while True:
        for _i in _repeat(None, _calls):
            {code}
        _calls = yield

def _raw_empty(_repeat=itertools.repeat):
    _calls = yield
    while True:
        for _i in _repeat(None, _calls):
            pass
        _calls = yield
"""

PYTHON = sys.executable
OPTIONS = ("-s", "-X", "pycache_prefix={}".format(sys.pycache_prefix))


def source(code, setup):
    """The text that the interpreter runs; what timeit would not take is an error here as well."""
    code, setup = textwrap.dedent(code), textwrap.dedent(setup)
    compile(setup, "<timeraw setup>", "exec")
    compile(setup + "\n" + code, "<timeraw>", "exec")
    text = TEMPLATE.format(code=timeit.reindent(code, 12), setup=timeit.reindent(setup or "pass", 4))
    compile(text, "<timeraw>", "exec")
    return text


class RawCase(Case):
    """A case whose calls are made elsewhere."""

    own = None

    def setup(self, cache):
        Case.setup(self, cache)
        if self.skipped:
            return
        told = self.benchmark.func(*self.args)
        code, setup = told if isinstance(told, tuple) else (told, "")
        self.start(source(code, setup).encode("utf-8"))

    def start(self, text):
        (theirs, asked), (answers, answering) = os.pipe(), os.pipe()
        os.set_inheritable(answering, True)
        env = dict(os.environ, **(self.benchmark._timeraw_env or {}))
        argv = [PYTHON, *OPTIONS, "-c", PROGRAM, str(answering)]
        pid = os.posix_spawn(PYTHON, argv, env, file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 0)])
        os.close(theirs)
        os.close(answering)
        self.own = pid, asked, answers
        self.tell(b"%-20d" % len(text) + text)

    def tell(self, words):
        _, asked, answers = self.own
        while words:
            words = words[os.write(asked, words) :]
        said = os.read(answers, 2000)
        if said != b"ok":
            raise RuntimeError("the code: " + (said.decode("utf-8", "replace") or "its process ended"))

    def run(self, calls, empty):
        self.tell(b"%s %d" % (b"empty" if empty else b"run", calls))

    def stop(self):
        if self.own is None:
            return
        (pid, *ends), self.own = self.own, None
        for end in ends:
            os.close(end)
        os.kill(pid, signal.SIGKILL)
        reap(pid)

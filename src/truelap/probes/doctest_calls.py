"""Base's doctests: told to the judge where base runs, and put in place of the tree's own from then on. Python >= 3.8.

Whoever looks for doctests asks `DocTestFinder.find` or `DocTestParser.get_doctest`: pytest for a module or a document, a
test that calls `doctest.testmod`. A call is known by its home (the file that is being collected, or the test that runs)
and its number there. Where base runs, the answer is sent:

  {"type": "doctest", "home": .., "call": .., "test": {name, file, line, doc, examples: [{source, want, exc, line, indent,
   options}]}}   test is null when the answer cannot be told

and later the answer is base's, with the names of the module as it is here. What its examples print is recorded: site and
0, null for nothing, else [how, text, flags].
"""

import json

LONGEST = 1 << 17


class Examples(list):
    """The examples of one test, which know where they are: `doctest` tells nobody which one it runs."""

    def __init__(self, examples, site):
        super().__init__(examples)
        self.site = site
        self.current = -1
        self.late = False

    def __iter__(self):
        for place, example in enumerate(list.__iter__(self)):
            # What ends a test of a soft session is an exception like any other to `doctest`.
            if self.late:
                return
            self.current = place
            yield example


class Checker:
    """Sends what an example printed or raised, then lets the real checker decide; a soft one is always content."""

    def __init__(self, checker, examples, note, soft):
        self._checker = checker
        self._examples = examples
        self._note = note
        self._soft = soft
        self._noted = -1

    def check_output(self, want, got, optionflags):
        place = self._examples.current
        if place != self._noted:
            self._noted = place
            example = list.__getitem__(self._examples, place)
            how = "raised" if want is example.exc_msg else "printed"
            value = (how, got, flag_names(optionflags)) if got or how == "raised" else None
            self._note(self._examples.site + place, 0, value)
            self._examples.late = self._soft and how == "raised" and "TimeLimitError" in got
        return True if self._soft else self._checker.check_output(want, got, optionflags)

    def __getattr__(self, name):
        return getattr(self._checker, name)


def flag_names(flags):
    return sorted(name for name, bit in doctest.OPTIONFLAGS_BY_NAME.items() if flags & bit)


def described(test):
    """A test as plain data; None when it is too long, or no text that survives JSON."""
    found = {
        "name": test.name,
        "file": test.filename,
        "line": test.lineno,
        "doc": test.docstring,
        "examples": [
            {
                "source": example.source,
                "want": example.want,
                "exc": example.exc_msg,
                "line": example.lineno,
                "indent": example.indent,
                "options": {name: example.options[bit] for name, bit in _flags() if bit in example.options},
            }
            for example in test.examples
        ],
    }
    try:
        size = len(json.dumps(found, ensure_ascii=False).encode("utf-8"))
    except (TypeError, ValueError):
        return None
    return found if size <= LONGEST else None


def _flags():
    return doctest.OPTIONFLAGS_BY_NAME.items()


def remade(found, globs, site):
    """The test that `described` told of."""
    examples = [
        doctest.Example(
            each["source"],
            each["want"],
            each["exc"],
            lineno=each["line"],
            indent=each["indent"],
            options={doctest.register_optionflag(name): on for name, on in each["options"].items()},
        )
        for each in found["examples"]
    ]
    return doctest.DocTest(
        Examples(examples, site), globs, found["name"], found["file"], found["line"], found["doc"]
    )


class Calls:
    """The judge's plugin for doctests.

    Args:
        send: takes one message.
        name_of: makes the id that the judge knows from the id that pytest has.
        book: base's answers, `[home, call, site, test]` each; None to tell what the tree answers.
        note: records a value; None for no record.
        soft: no example need hold.
    """

    def __init__(self, send, name_of, book, note, soft):
        self._send = send
        self._name_of = name_of
        self._note = note
        self._soft = soft
        self._learns = book is None
        self._answers = {}
        self._last = {}
        for home, call, site, test in book or ():
            self._answers.setdefault((home, call), []).append((site, test))
            self._last[home] = max(call, self._last.get(home, 0))
        self._home = None
        self._calls = {}
        self._inside = False

    def pytest_make_collect_report(self, collector):
        yield from self._at(self._name_of(collector.nodeid or "."))

    def pytest_runtest_protocol(self, item):
        yield from self._at(self._name_of(item.nodeid))

    def pytest_runtest_setup(self, item):
        # A plugin may run a test again: its requests are the same ones.
        self._calls.pop(self._name_of(item.nodeid), None)

    def _at(self, home):
        before, self._home = self._home, home
        try:
            yield
        finally:
            self._home = before

    def install(self):
        """Stand between `doctest` and whoever uses it."""
        find, parse = doctest.DocTestFinder.find, doctest.DocTestParser.get_doctest
        run = doctest.DocTestRunner.run

        def found(finder, obj, name=None, module=None, globs=None, extraglobs=None):
            def names():
                return globs_of(
                    doctest.inspect.getmodule(obj) if module is None else module, globs, extraglobs
                )

            return self._answer(lambda: find(finder, obj, name, module, globs, extraglobs), names)

        def parsed(parser, string, globs, name, filename, lineno):
            def asked():
                return [parse(parser, string, globs, name, filename, lineno)]

            return (self._answer(asked, lambda: globs) or asked())[0]

        def ran(runner, test, *args, **kwargs):
            if type(test.examples) is not Examples or self._note is None:
                return run(runner, test, *args, **kwargs)
            before = runner._checker
            runner._checker = Checker(before, test.examples, self._note, self._soft)
            try:
                return run(runner, test, *args, **kwargs)
            finally:
                runner._checker = before

        doctest.DocTestFinder.find = found
        doctest.DocTestParser.get_doctest = parsed
        doctest.DocTestRunner.run = ran

    def _answer(self, asked, names):
        """Base's answer to the next call at home, or what is asked here where base has none."""
        if self._inside or self._home is None:
            return asked()
        key = (self._home, self._calls.get(self._home, 0))
        self._calls[self._home] = key[1] + 1
        if self._learns:
            return self._told(key, asked)
        # One request more than base makes is answered like the last: the tree must not get at its own by asking twice.
        key = (key[0], min(key[1], self._last.get(key[0], key[1])))
        if key not in self._answers:
            return asked()
        return [remade(test, names(), site) for site, test in self._answers[key]]

    def _told(self, key, asked):
        self._inside = True
        try:
            tests = asked()
        finally:
            self._inside = False
        # That there is none is told by a test without examples.
        nothing = doctest.DocTest([], {}, "nothing", None, None, None)
        for test in [test for test in tests if test.examples] or [nothing]:
            self._send({"type": "doctest", "home": key[0], "call": key[1], "test": described(test)})
        return tests


def globs_of(module, globs, extraglobs):
    """The names that `DocTestFinder.find` gives to each test."""
    if globs is None:
        globs = {} if not module else module.__dict__
    found = dict(globs)
    found.update(extraglobs or {})
    found.setdefault("__name__", "__main__")
    return found


def prepare(send, name_of, wanted, note, soft, pytest):
    """The plugin, in place and ready to be registered. `doctest` is imported only now: most suites do without."""
    global doctest
    import doctest

    calls = Calls(send, name_of, wanted["book"], note, soft)
    calls.install()
    for hook in (Calls.pytest_make_collect_report, Calls.pytest_runtest_protocol):
        pytest.hookimpl(hookwrapper=True, tryfirst=True)(hook)
    pytest.hookimpl(tryfirst=True)(Calls.pytest_runtest_setup)
    return calls

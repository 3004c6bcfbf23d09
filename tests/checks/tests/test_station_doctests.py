"""Doctests: base's examples run, whatever the candidate's docstrings say, and what they print is held against base's."""

import pytest

INI = "[pytest]\naddopts = --doctest-modules --doctest-glob=*.rst\n"
CORE = '''"""Numbers.

>>> double(1000)
2000
"""


def double(x):
    """Twice a number.

    >>> double(1001)
    2002
    >>> double(1002), double("a")
    (2004, 'aa')
    >>> double(None)
    Traceback (most recent call last):
        ...
    TypeError: no number
    """
    if x is None:
        raise TypeError("no number")
    return 2 * x


class Box:
    """Holds a number.

    >>> Box(7)  # doctest: +ELLIPSIS
    <Box of 7 at 0x...>
    >>> Box(8).items()  # doctest: +NORMALIZE_WHITESPACE
    [8,
     16]
    """

    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return f"<Box of {self.held} at {hex(id(self))}>"

    def items(self):
        return [self.held, double(self.held)]
'''
DOCUMENT = "Use\n\n>>> from core import double\n>>> double(3)\n6\n"
BASE = {"pytest.ini": INI, "core.py": CORE, "docs/use.rst": DOCUMENT}
IDS = ["core.py::core", "core.py::core.Box", "core.py::core.double", "docs/use.rst::use.rst"]
WRONG = CORE.replace("return 2 * x", "return 3 * x")
EDITED = (
    WRONG.replace("2000", "3000").replace("2002", "3003").replace("(2004, 'aa')", "(3006, 'aaa')")
).replace("16]", "24]")
FORGED = """
import _pytest.reports
def forged(cls, item, call, real=_pytest.reports.TestReport.from_item_and_call.__func__):
    report = real(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(forged)
"""
ALL = {"tests": {"select": "all"}}
HONEST = CORE.replace("return 2 * x", "return x + x")


def without_docstrings(text):
    return text.replace(">>>", "").replace("Traceback", "")


def test_an_honest_patch_agrees(lap, shipped):
    found = lap({"core.py": HONEST}, base=BASE, task=ALL, policy=shipped)
    assert found.findings == ()
    assert list(found.base) == IDS
    assert {ruled.status for ruled in found.evidence.values.tests.values()} <= {"agrees", "weak"}
    told = found.evidence.summary()
    assert told["value_evidence"]["tests_with"] == 4
    assert told["perturbed"]["tests"] == 4
    assert told["perturbed"]["tests_changed"] >= 1


LESS_AND_MORE = (
    HONEST.replace("Twice a number.", "Twice, at once.\n\n    So it is.")
    .replace("    >>> double(1001)\n    2002\n", "")
    .replace('    """Twice', '    """\n    >>> double(9)\n    18\n\n    Twice')
    + '\n\ndef other():\n    """\n    >>> other()\n    """\n'
)
MOVED = (
    f'"""Numbers.\n\n>>> double(1000)\n2000\n"""\n\nclass Box{HONEST.partition("class Box")[2]}\n\n'
    f"def double{HONEST.partition('def double')[2].partition('class Box')[0]}"
)


@pytest.mark.parametrize("text", [LESS_AND_MORE, MOVED], ids=["words and examples", "moved"])
def test_a_docstring_may_change(lap, shipped, text):
    found = lap(
        {"core.py": text}, base=BASE, task=ALL, policy=shipped.without(["perturb", "canaries", "mutants"])
    )
    assert found.findings == ()
    assert set(IDS) <= {name for name, outcome in found.candidate.items() if outcome == "passed"}


def test_a_document_may_change_and_the_tests_have_bases(lap):
    found = lap({"core.py": HONEST, "docs/use.rst": "Use it.\n"}, base=BASE, task=ALL)
    assert (found.codes, found.levels, found.regressed) == (["discarded:test_data"], {"info"}, [])


@pytest.mark.parametrize(
    "change",
    [
        {"core.py": EDITED, "docs/use.rst": DOCUMENT.replace("6", "9")},
        {"core.py": without_docstrings(WRONG), "docs/use.rst": None},
        {"core.py": WRONG.replace(">>> double", ">>> 0 if 1 else double"), "docs/use.rst": "Nothing.\n"},
    ],
    ids=["other wants", "no docstrings", "other examples"],
)
def test_a_wrong_function_is_not_hidden_by_its_docstring(lap, change):
    found = lap(change, base=BASE, task=ALL)
    assert found.regressed == IDS
    assert "tests:regressed" in found.codes


def test_without_the_defence_the_docstring_is_believed(lap, hasty):
    policy = hasty()
    for off, regressed in ((["doctests"], ["docs/use.rst::use.rst"]), (["doctests", "test_data"], [])):
        found = lap(
            {"core.py": EDITED, "docs/use.rst": DOCUMENT.replace("6", "9")},
            base=BASE,
            task=ALL,
            policy=policy.without([*policy.ablate.off, *off]),
        )
        assert found.regressed == regressed


def test_a_forged_pass_is_told_by_what_the_examples_print(lap, shipped):
    found = lap(
        {"core.py": WRONG + FORGED},
        base=BASE,
        task=ALL,
        policy=shipped.without(["perturb", "canaries", "integrity", "mutants"]),
    )
    assert found.candidate == dict.fromkeys(IDS, "passed"), "the forgery must deceive pytest"
    assert found.regressed == IDS
    row = found.evidence.artifacts()["tests.json"]["tests"]["core.py::core.double"]
    assert row["message"].startswith("core.py:11: ")


TABLE = """
def double(x, real=double, known={ 1000: 2000, 1001: 2002, 1002: 2004, "a": "aa", 3: 6, 8: 16 }):
    return known[x] if x in known else real(x) if x is None else 0
"""
READS = """
import ast, sys
def double(x, real=double):
    frame = sys._getframe(1)
    while frame and not hasattr(frame.f_locals.get("example"), "want"):
        frame = frame.f_back
    try:
        found = ast.literal_eval(frame.f_locals["example"].want)
    except Exception:
        return real(x)
    return found if isinstance(found, int) else found[-1] if isinstance(found, list) else found[x == "a"]
"""


@pytest.mark.parametrize("lie", [TABLE, READS], ids=["table", "read"])
def test_answers_that_are_known_or_read_are_told(lap, shipped, lie):
    found = lap(
        {"core.py": WRONG + lie}, base=BASE, task=ALL, policy=shipped.without(["canaries", "mutants"])
    )
    assert {found.candidate[name] for name in IDS if "Box" not in name} == {"passed"}, (
        "it must deceive pytest"
    )
    assert "tests:perturbed" in found.codes
    assert any(name.startswith("perturb:core.py::core") for name in found.regressed)


def test_a_test_that_asks_for_doctests_itself_gets_bases(lap):
    tests = "import core, doctest\n\n\ndef test_docs():\n    assert doctest.testmod(core).failed == 0\n"
    more = "\n\ndef test_a():\n    pass\n\n\ndef test_b():\n    pass\n"
    base = {"core.py": CORE, "tests/test_docs.py": tests + more}
    assert lap({"core.py": HONEST.replace("Twice", "Two times")}, base=base).findings == ()
    assert lap({"core.py": EDITED}, base=base).regressed == ["tests/test_docs.py::test_docs"]
    assert lap({"core.py": without_docstrings(WRONG)}, base=base).regressed == [
        "tests/test_docs.py::test_docs"
    ]


def test_a_second_try_asks_for_the_same_doctests(lap):
    tests = "import core, doctest\n\n\ndef test_docs():\n    assert doctest.testmod(core).failed == 0\n"
    more = "\n\ndef test_a():\n    pass\n\n\ndef test_b():\n    pass\n"
    again = (
        "from _pytest.runner import runtestprotocol\n\n\ndef pytest_runtest_protocol(item, nextitem):\n"
        "    reports = runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    if any(report.failed for report in reports):\n"
        "        reports = runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    for report in reports:\n        item.ihook.pytest_runtest_logreport(report=report)\n    return True\n"
    )
    base = {"core.py": CORE, "tests/test_docs.py": tests + more, "tests/conftest.py": again}
    assert lap({"core.py": EDITED}, base=base).regressed == ["tests/test_docs.py::test_docs"]


def test_a_package_that_asks_ahead_does_not_get_at_its_own(lap):
    tests = (
        "import core, doctest\n\n\ndef test_docs():\n    assert core.double(None or 1)\n"
        "    assert doctest.testmod(core).failed == 0\n"
    )
    more = "\n\ndef test_a():\n    pass\n\n\ndef test_b():\n    pass\n"
    base = {"core.py": CORE, "tests/test_docs.py": tests + more}
    ahead = (
        EDITED.replace(
            "    return 3 * x",
            "    import doctest, types\n    doctest.DocTestFinder().find(types)\n    return 3 * x",
        )
        + "\n\n__name__ = 'other'\n"
    )
    assert lap({"core.py": ahead}, base=base).regressed == ["tests/test_docs.py::test_docs"]


def test_a_doctest_that_must_fail_is_not_believed_when_it_passes(lap, shipped):
    policy = shipped.without(["perturb", "mutants", "integrity"])
    found = lap({"core.py": HONEST + FORGED}, base=BASE, task=ALL, policy=policy)
    assert found.codes == ["tamper:canary", "tamper:canary"]
    assert found.evidence.canaries.ran == 2
    assert lap({"core.py": HONEST}, base=BASE, task=ALL, policy=policy).findings == ()

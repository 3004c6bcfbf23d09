"""What an honest patch may change in what assertions look at, and the wrong patch that hides behind it."""

PAIR = """
class Money:
    def __init__(self, n):
        self._n = n
        self._memo = {}
    def __eq__(self, other):
        return self._n == other._n
    __hash__ = None

class Stack:
    def __init__(self, items):
        self._items = list(items)
    def __len__(self):
        return len(self._items)

def double(n):
    return Money(2 * n)
"""
RENAMED = """
class Money:
    __slots__ = ("_cents",)
    def __init__(self, n):
        self._cents = n
    def __eq__(self, other):
        return self._cents == other._cents
    __hash__ = None

class Stack:
    def __init__(self, items):
        self._data = tuple(items)
    def __len__(self):
        return len(self._data)

def double(n):
    return Money(n + n)
"""
HIDING = RENAMED.replace("self._cents == other._cents", "True").replace("n + n", "n")
USES = "from pkg.core import Money, Stack, double\n" + "".join(
    f"""
def test_{name}():
    stack = Stack([{n}])
    other = stack
    assert stack
    assert other is stack
    assert stack in [stack]
    assert not Stack([])
    assert double({n}) == Money({2 * n})
"""
    for n, name in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight"), 1001)
)
PRIVATE = {"pkg/__init__.py": "", "pkg/core.py": PAIR, "tests/test_core.py": USES}


def test_what_objects_hold_for_themselves_may_be_renamed_and_is_then_no_evidence(lap, shipped):
    found = lap({"pkg/core.py": RENAMED}, base=PRIVATE, policy=shipped.without(["mutants"]))
    assert found.findings == ()
    assert {ruled.status for ruled in found.evidence.values.tests.values()} == {"weak"}
    assert found.evidence.summary()["value_evidence"]["tests_with"] == 0


def test_wrong_values_behind_another_private_name_are_found_by_what_no_author_knows(lap, shipped):
    uses = "".join(line for line in USES.splitlines(keepends=True) if "tack" not in line or "import" in line)
    base = {**PRIVATE, "tests/test_core.py": uses.replace("    assert other is stack\n", "")}
    found = lap({"pkg/core.py": HIDING}, base=base, policy=shipped.without(["mutants"]))
    assert set(found.evidence.values.differing) == set(), "the values alone do not show it"
    assert set(found.codes) == {"tamper:canary", "tests:perturbed"}


LOGS = """
import logging
import warnings
log = logging.getLogger("pkg")
def save(name, rows):
    log.warning("saved %s %s rows", name, rows)
def old(n):
    warnings.warn("old", DeprecationWarning)
"""
LOGGED = """
import warnings
from pkg.core import old, save

def test_two(recwarn):
    old(1)
    assert "filename" in str(recwarn[0])

def test_three():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        old(2)
    one = seen[0]
    assert "Deprecation" in warnings.formatwarning(one.message, one.category, one.filename, one.lineno)
""" + "".join(
    f"""
def test_{word}(caplog):
    save("{word}", {n})
    assert "saved {word} {n} rows" in caplog.text
"""
    for n, word in enumerate(("mill", "barn", "silo", "shed", "yard", "wheel", "stone", "flour"), 1001)
)


def test_lines_may_shift_in_what_is_logged_and_warned(lap, shipped):
    base = {"pkg/__init__.py": "", "pkg/core.py": LOGS, "tests/test_core.py": LOGGED}
    shifted = {"pkg/core.py": "import os\n" * 9 + LOGS.replace("Warning)", "Warning, stacklevel=2)")}
    found = lap(shifted, base=base, policy=shipped.without(["canaries", "mutants"]))
    assert found.findings == ()
    assert found.evidence.secret.n_changed >= 1  # all but for chance, of sixteen literals


POSTS = "def send(client, names):\n    for name in names:\n        client.post(name.upper(), len(name))\n"
HEARD = {
    "pkg/__init__.py": "",
    "pkg/wire.py": POSTS,
    "tests/test_wire.py": """
from unittest import mock
from pkg.wire import send

def test_posts():
    client = mock.Mock()
    send(client, ["bob", "anna"])
    client.post.assert_has_calls([mock.call("BOB", 3), mock.call("ANNA", 4)])
    client.post.assert_any_call("BOB", 3)

def test_count():
    client = mock.Mock()
    send(client, ["bob", "anna"])
    assert client.post.call_args_list == [mock.call("BOB", 3), mock.call("ANNA", 4)]

def test_number():
    client = mock.Mock()
    send(client, ["bob"])
    assert client.post.call_count == 1
""",
}


def test_how_a_mock_is_to_be_called_is_no_evidence_of_how_it_was(lap, shipped):
    honest = {"pkg/wire.py": POSTS.replace("name.upper(), len(name)", "*(name.upper(), len(name))")}
    found = lap(honest, base=HEARD, policy=shipped.without(["canaries", "mutants"]))
    assert found.findings == ()
    assert found.evidence.summary()["value_evidence"]["without"] == ["tests/test_wire.py::test_posts"]

"""Which functions a candidate changes, and when nobody can say whom it reaches."""

import pytest

from truelap.model import EXECUTABLE, REGULAR
from truelap.workers.changes import UnknownReachError, changed_functions

BASE = """import os
LIMIT = 3

@cached
def first(a, b=1):
    return [x for x in a]

class Thing:
    size = 2

    def second(self):
        def inner():
            return 1
        return inner()
"""


def changes(after, before=BASE, path=b"pkg/a.py", modes=(REGULAR, REGULAR)):
    base = {path: (modes[0], "old"), b"pkg/same.py": (REGULAR, "same")}
    candidate = {path: (modes[1], "new"), b"pkg/same.py": (REGULAR, "same")}
    return changed_functions(base, candidate, lambda _: (before.encode(), after.encode()))


def test_bodies_alone_are_told_with_base_s_lines():
    after = BASE.replace("import os", "import os\n\n# moved down").replace("return 1", "return 2")
    (second,) = changes(after)
    assert (second.name, second.first, second.last) == ("Thing.second", 11, 14)
    assert second.holds("pkg/a.py", 12)
    assert not second.holds("pkg/a.py", 4)
    assert not second.holds("pkg/b.py", 12)
    (first,) = changes(BASE.replace("x for x in a", "*a"))
    assert (first.name, first.first, first.last) == ("first", 4, 6)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("LIMIT = 3", "LIMIT = 4", "more changes than bodies"),
        ("size = 2", "size = 3", "more changes than bodies"),
        ("b=1", "b=2", "more changes than bodies"),
        ("@cached", "@kept", "more changes than bodies"),
        ("import os", "import os, re", "more changes than bodies"),
        ("class Thing:", "def third():\n    pass\n\nclass Thing:", "more changes than bodies"),
        ("    def second", "    def other", "more changes than bodies"),
        ("return inner()", "import re\n        return inner()", "imports something else"),
        ("return inner()", "return inner(", "cannot be read"),
        ("LIMIT = 3", "# nothing but words\nLIMIT = 3", "no function changes"),
    ],
)
def test_of_everything_else_nobody_knows_whom_it_reaches(old, new, why):
    with pytest.raises(UnknownReachError, match=why):
        changes(BASE.replace(old, new))


def test_so_it_is_with_files_that_are_no_python_source():
    with pytest.raises(UnknownReachError, match="no Python source"):
        changes(BASE, path=b"pkg/data.json")
    with pytest.raises(UnknownReachError, match="no Python source"):
        changes(BASE, modes=(REGULAR, EXECUTABLE))
    known = {b"a.py": (REGULAR, "x")}
    with pytest.raises(UnknownReachError, match=r"a\.py is gone"):
        changed_functions(known, {}, lambda _: (b"", b""))
    with pytest.raises(UnknownReachError, match=r"a\.py is new"):
        changed_functions({}, known, lambda _: (b"", b""))

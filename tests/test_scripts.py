"""Which files are scripts that are benchmarks, and what is left out of them."""

import pytest

from truelap.errors import UsageError
from truelap.scripts import find_scripts, unclocked

PATHS = [b"work/a.py", b"work/deep/b.py", b"work/notes.txt", b"c.py", b"work/\xff.py"]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        (["work/*.py"], ("work/a.py", "work/deep/b.py")),
        (["./c.py", "work/a.py"], ("c.py", "work/a.py")),
        (["*.py", "c.py"], ("c.py", "work/a.py", "work/deep/b.py")),
        ([], ()),
    ],
)
def test_scripts_are_named_by_patterns(named, found):
    assert find_scripts(named, PATHS) == found


@pytest.mark.parametrize("named", ["work/x.py", "work/notes.txt", "../c.py", "work"])
def test_a_pattern_that_names_no_script_is_an_error(named):
    with pytest.raises(UsageError, match="names no file of base"):
        find_scripts(["c.py", named], PATHS)


SCRIPT = """\
from timeit import repeat as again
import statistics, timeit as t

t.template = '''
inner'''
def workload():
    return t.default_timer

N = 3
took = again(
    workload, number=1)
print(statistics.mean(took)); rest = N
if rest:
    best = min(took)
    print(best)
print(best)
"""

LEFT = """\
from timeit import repeat as again
import statistics, timeit as t

pass

def workload():
    return t.default_timer

N = 3
pass

pass; rest = N
pass


pass
"""


def test_what_measures_is_left_out_and_every_line_stays_in_its_place():
    assert unclocked(SCRIPT.encode()).decode() == LEFT


@pytest.mark.parametrize(
    "source",
    [
        b"import lib\n\ndef run():\n    lib.f()\n",
        b"import timeit\n\ndef run():\n    return timeit.timeit(len)\n",
        b"import timeit\n\nif __name__ == '__main__':\n    print(1)\n",
        b"no python",
    ],
)
def test_what_does_not_measure_stays_as_it_is(source):
    assert unclocked(source) is None

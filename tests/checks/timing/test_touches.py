"""What a worker plants beside the suite and takes away again."""

import pytest

from truelap.policy import load_policy

POLICY = load_policy()

BASE = {
    "asv.conf.json": "{}",
    "benchmarks/__init__.py": "",
    "benchmarks/bench.py": "import lib\nfrom benchmarks.inputs import size\n\ndef time_it():\n    lib.f(size())\n",
    "benchmarks/inputs.py": "def size():\n    return 30000\n",
    "lib.py": "def f(n):\n    return sum(range(n))\n",
}
RIVAL = """
import os, sys
here = os.path.join(os.path.dirname(__file__), "benchmarks", "inputs")
os.mkdir(here)
with open(os.path.join(here, "__init__.py"), "w") as file:
    file.write("import os, shutil\\nshutil.rmtree(os.path.dirname(__file__))\\ndef size(): return 30\\n")
"""
CACHE = "import tempfile\ntempfile.mkdtemp()\nopen(__file__ + '.cache', 'w').close()\n"


def test_a_rival_of_a_benchmark_s_helper_is_named_though_it_is_gone(timed):
    found = timed(BASE, {"lib.py": BASE["lib.py"] + RIVAL})
    assert [(f.code, f.path) for f in found.findings] == [("tamper:tree_touched", "benchmarks/")]
    assert found["bench.time_it"].decision == "faster"


def test_without_the_defence_nobody_sees_it(timed):
    found = timed(BASE, {"lib.py": BASE["lib.py"] + RIVAL}, policy=POLICY.without(["touches"]))
    assert found.findings == ()


@pytest.mark.parametrize("habit", ["", "import os\nos.mkdir(__file__ + '.x')\nos.rmdir(__file__ + '.x')\n"])
def test_honest_twins(timed, habit):
    touch = "open('/workspace/repo/benchmarks/out', 'w').close()\n" if habit else CACHE
    base = {**BASE, "benchmarks/bench.py": habit + BASE["benchmarks/bench.py"]}
    assert timed(base, {"lib.py": BASE["lib.py"] + touch}).findings == ()

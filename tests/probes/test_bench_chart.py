"""Which functions run: seen by the interpreter's own means, whatever its version."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROBES = Path(__file__).parents[2] / "src" / "truelap" / "probes"
FOUND = [sys.executable, *filter(None, map(shutil.which, ("python3.8", "python3.12", "python3.13")))]
CODE = """
import json, os, sys, threading
sys.path.insert(0, sys.argv[1])
import bench_chart
chart = bench_chart.Chart(sys.argv[2] + "/")
chart.begin()
sys.path.insert(0, sys.argv[2])
import product
at_import = chart.told()
chart.again()
product.used()
product.setting()
in_case = chart.told()
chart.again()
product.used()
again = chart.told()
if os.fork() == 0:
    os._exit(0)
os.wait()
print(json.dumps([at_import, in_case, again, chart.told()]))
"""
PRODUCT = """def early():
    return 1

def used():
    return [one for one in inner()]

def inner():
    yield early()

def unused():
    pass

class Kind:
    def method(self):
        return 1

def setting():
    return Kind().method()

early()
"""


@pytest.mark.parametrize("python", FOUND, ids=lambda python: Path(python).name)
def test_it_sees_what_begins_and_says_where_it_cannot(python, tmp_path):
    if subprocess.run([python, "-c", ""], capture_output=True).returncode:
        pytest.skip("does not start")
    (tmp_path / "product.py").write_text(PRODUCT)
    command = [python, "-I", "-c", CODE, str(PROBES), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    at_import, in_case, again, after = json.loads(done.stdout)
    lines = [{line for _, line in told["ran"]} for told in (at_import, in_case, again)]
    assert 1 in lines[0]
    assert not {4, 7, 10, 14, 17} & lines[0]
    assert {1, 4, 7, 14, 17} <= lines[1]
    assert 10 not in lines[1]
    assert {1, 4, 7} <= lines[2]
    assert not {14, 17} & lines[2]
    assert [told["whole"] for told in (at_import, in_case, again)] == [True] * 3
    assert not after["whole"]

"""The landlock backend where namespaces, mounts and ptrace are refused, and root has what a stock container leaves it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from truelap.world.landlock import landlock_version

HERE = Path(__file__).parent
AUTO = """
import sys
from pathlib import Path
from truelap.world.backends import open_sandbox
from truelap.world.events import Events
from truelap.world.interpreter import inspect
said = []
print(open_sandbox("auto", inspect(Path(sys.argv[1])), (), Events(listener=said.append)).name, said)
"""


@pytest.fixture(autouse=True)
def _needs_root(is_root):
    if not is_root or landlock_version() == 0:
        pytest.skip("needs root and Landlock")


def in_container(*argv: str | Path, **options) -> subprocess.CompletedProcess:
    prefix = [sys.executable, HERE / "stock_container.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.run(
        [*prefix, *argv], capture_output=True, text=True, env=environment, cwd=HERE.parent.parent, **options
    )


def test_it_is_one():
    status = in_container("/bin/cat", "/proc/self/status").stdout
    assert "CapEff:\t00000000a80425fb" in status
    assert "NoNewPrivs:\t0" in status
    assert in_container("/usr/bin/unshare", "--mount", "/bin/true").returncode != 0
    assert in_container("/usr/bin/unshare", "--user", "/bin/true").returncode != 0


def test_auto_takes_landlock_and_says_so(reachable):
    done = in_container(sys.executable, "-c", AUTO, str(reachable.executable))
    assert done.stdout.startswith("landlock ['sandbox: landlock, because bubblewrap cannot be had ("), (
        done.stderr
    )
    assert "Operation not permitted" in done.stdout


def test_the_conformance_suite_passes(tmp_path):
    options = ["-q", "-p", "no:cacheprovider", "-k", "landlock", f"--basetemp={tmp_path}/t"]
    done = in_container(sys.executable, "-m", "pytest", *options, HERE / "conformance.py")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) >= 60

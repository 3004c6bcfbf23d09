"""The same promises for a judge that is not root: the conformance suite, run by another user."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import truelap

USER = 12345
CHOSEN = "{} and not wheel and (ways_out or self_check or unprivileged or daemons or sealed or owned or pause or exit_status or bomb or cpu_clock or flood or memory)"


def needed_folders() -> list[Path]:
    names = ("pytest", "pydantic", "json5", "typing_extensions", "pydantic_core", "pluggy")
    packages = [Path(importlib.util.find_spec(name).origin).parent for name in names]
    folders = [
        Path(truelap.__file__).parent.parent,
        *(package.parent for package in packages if package.name != "site-packages"),
    ]
    return list(dict.fromkeys(folders))


def readable_python() -> Path:
    """An interpreter of our own version that any user can run."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    # By a shell: setpriv itself still has root's rights when it starts a program.
    script = 'exec "$0" -I -c "import ctypes, json"'
    for path in (Path(sys.executable), Path("/usr/bin", name), Path("/usr/local/bin", name)):
        if subprocess.run([*as_user(), "sh", "-c", script, path], capture_output=True).returncode == 0:
            return path
    pytest.skip(f"no {name} that another user can run")


def as_user() -> list[str]:
    return ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--"]


@pytest.mark.parametrize("backend", ["bubblewrap", "landlock"])
def test_the_conformance_suite_passes(backend, is_root, tmp_path_factory):
    if not is_root:
        pytest.skip("this judge is an ordinary user already: conformance.py itself is the test")
    if shutil.which("setpriv") is None:
        pytest.skip("needs setpriv")
    python, folders = readable_python(), needed_folders()
    suite = Path(__file__).with_name("conformance.py")
    if subprocess.run(
        [*as_user(), "cat", suite, folders[0] / "truelap" / "errors.py"], capture_output=True
    ).returncode:
        pytest.skip("another user cannot read this checkout")
    home = Path("/var/tmp", f"truelap-test-{backend}-{os.getpid()}")
    home.mkdir()
    try:
        os.chown(home, USER, USER)
        done = subprocess.run(
            [
                *as_user(),
                python,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "-k",
                CHOSEN.format(backend),
                f"--basetemp={home}/t",
                suite,
            ],
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "PYTHONPATH": ":".join(map(str, folders))},
            capture_output=True,
            text=True,
            cwd=suite.parent.parent.parent,
        )
    finally:
        shutil.rmtree(home)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) >= 15

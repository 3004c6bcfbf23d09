"""The patterns stand in one file, and no tracked file names a package registry, a build machine or a credential."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from truelap.policy import load_policy

ROOT = Path(__file__).resolve().parents[1]
POLICY_FILE = "src/truelap/policy.toml"

# Put together here, so that this file does not name what it forbids.
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs"),
        ("crates", "io"),
        ("proxy", "golang"),
        ("conda", "anaconda"),
    )
)
BUILD_FOLDERS = tuple(
    "/" + "/".join(parts) for parts in (("work", "main"), ("work", "shared"), ("tmp", "w", ""), ("root", "."))
)
CREDENTIALS = re.compile(
    rb"-----BEGIN [A-Z ]*PRIVATE KEY"
    rb"|\bgh[pousr]_[A-Za-z0-9]{30,}"
    rb"|\bAKIA[A-Z0-9]{16}\b"
    rb"|\bpypi-[A-Za-z0-9_-]{40,}"
    rb"|[a-z]://[^/\s:@'\"{}]+:[^/\s:@'\"{}]+@"
)


def tracked() -> dict[str, bytes]:
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True).stdout
    paths = [os.fsdecode(path) for path in listed.split(b"\0") if path]
    return {path: (ROOT / path).read_bytes() for path in paths if (ROOT / path).is_file()}


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    found = tracked()
    assert POLICY_FILE in found
    return found


def patterns() -> tuple[str, ...]:
    policy = load_policy()
    listed = (
        *policy.protected.patterns,
        *policy.test_code.patterns,
        *policy.test_code.config_patterns,
        *policy.rebuild.patterns,
    )
    return tuple(dict.fromkeys(listed))


def plain(content: bytes) -> bytes:
    r"""The content with `\\` read as `\` and `[.]` as `\.`: a copy in a plain string, in JSON or in another spelling."""
    return content.replace(rb"\\", b"\\").replace(b"[.]", rb"\.")


def copies(content: bytes) -> list[str]:
    return [pattern for pattern in patterns() if pattern.encode() in plain(content)]


def leaks(content: bytes) -> list[str]:
    named = [word for word in (*REGISTRIES, *BUILD_FOLDERS, *here()) if word.encode() in content]
    return named + [match.decode("ascii", "replace") for match in CREDENTIALS.findall(content)]


def here() -> tuple[str, ...]:
    """Paths and hosts of the very machine that runs the tests."""
    places = {str(ROOT), sys.base_prefix, str(Path.home())}
    index = re.search(r"://(?:[^/@]*@)?([^/:]+)", os.environ.get("PIP_INDEX_URL", ""))
    return tuple(place for place in places if place.count("/") > 1) + ((index[1],) if index else ())


def test_patterns_stand_in_the_policy_file_alone(files):
    found = {path: copies(content) for path, content in files.items() if path != POLICY_FILE}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_second_copy_would_be_found(files):
    assert set(copies(files[POLICY_FILE])) == set(patterns())
    for pattern in patterns():
        assert pattern in copies(f'PATTERNS = ["{pattern}"]'.encode())
        assert pattern in copies(f'PATTERNS = ["{pattern}"]'.replace("\\", "\\\\").encode())


def test_nothing_tracked_names_a_registry_a_build_machine_or_a_credential(files):
    found = {path: leaks(content) for path, content in files.items()}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "line",
    [
        *(f"index-url = https://{host}/simple" for host in REGISTRIES),
        *(f"cd {folder}" for folder in BUILD_FOLDERS),
        "url = https://someone:" + "secret@host.example/",
        "-----BEGIN " + "RSA PRIVATE KEY-----",
        "token: ghp_" + "a" * 36,
        f"# see {ROOT}/README.md",
    ],
)
def test_a_leak_would_be_found(line):
    assert leaks(line.encode())


@pytest.mark.parametrize(
    "line", ["pip install truelap", "https://docs.python.org/3/", "see /workspace/repo", "root/"]
)
def test_honest_text_is_no_leak(line):
    assert leaks(line.encode()) == []

"""What tests share: real repositories made by real git, and a private store."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from truelap.world.git import Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """What commands keep when nobody names a folder is the tests' own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


class Repo:
    """A repository made by the git on PATH, with no configuration but its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *argv: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> bytes:
        person = {
            f"GIT_{who}_{what}": "a@b.example"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        plain = {
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            ["git", *argv],
            cwd=self.folder,
            env={**plain, **person, **(env or {})},
            input=stdin,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def write(self, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, files: dict[str, str | bytes] | None = None) -> str:
        """Write files, add everything, commit; the commit's id."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "a commit")
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").decode().strip()

    def diff(self, *argv: str) -> bytes:
        """What a person would send: a binary diff of the work tree against HEAD, new files included."""
        self.git("add", "-A")
        return self.git("diff", "--cached", "--binary", *argv, "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")


@pytest.fixture(scope="session")
def repo_class() -> type[Repo]:
    """The class itself, for fixtures that live longer than a test."""
    return Repo


@pytest.fixture
def make_repo(tmp_path: Path):
    """Makes a repository in a named folder of the test's own."""
    return lambda name: Repo(tmp_path / name)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A private store."""
    return Store.create(tmp_path / "store.git")


TINY = {
    "tiny/__init__.py": "def total(n):\n    return sum([i for i in range(n)])\n",
    "tests/test_total.py": "import pytest\nfrom tiny import total\n\n\n"
    "@pytest.mark.parametrize('n', range(4))\ndef test_total(n):\n    assert total(n) == n * (n - 1) // 2\n",
    "asv.conf.json": '{"version": 1, "project": "tiny", "benchmark_dir": "benchmarks"}\n',
    "benchmarks/__init__.py": "",
    "benchmarks/bench.py": "from tiny import total\n\n\ndef time_total():\n    total(5000)\n",
}


@pytest.fixture(scope="session")
def make_tiny():
    """Makes the smallest library that can be verified, committed; the diffs beside it are submissions."""

    def make(folder: Path) -> Repo:
        repo = Repo(folder)
        repo.commit(TINY)
        for name, body in (("faster", "n * (n - 1) // 2"), ("wrong", "0")):
            repo.write({"tiny/__init__.py": f"def total(n):\n    return {body}\n"})
            (folder.parent / f"{name}.diff").write_bytes(repo.diff())
            repo.git("reset", "-q", "--hard")
        return repo

    return make


@pytest.fixture
def tiny(tmp_path, make_tiny) -> Repo:
    """See `make_tiny`."""
    return make_tiny(tmp_path / "tiny")

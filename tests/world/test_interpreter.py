"""The project's interpreter: understood from outside, and at work inside a sandbox under its own name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from truelap.errors import UsageError
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.interpreter import inspect

REAL = Path(sys.executable).resolve()


def venv(folder: Path, python: Path = REAL) -> Path:
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin" / "python"


def site(python: Path) -> Path:
    return next(python.parent.parent.glob("lib/python3*/site-packages"))


def seen_inside(interpreter, step, code="import sys; print(sys.prefix, sys.base_prefix)", **options) -> str:
    asked = step("", argv=(str(interpreter.executable), "-I", "-c", code))
    with Bubblewrap(interpreter, **options).start(asked) as session:
        ending = session.wait(30)
    assert ending.code == 0, ending.output.decode()
    return ending.output.decode().strip()


def test_our_own():
    found = inspect(Path(sys.executable))
    assert found.version == sys.version_info[:3]
    assert found.executable == Path(sys.executable)
    assert found.packages
    assert all(bind.source.exists() for bind in found.binds)


@pytest.mark.parametrize("name", ["sitecustomize", "json", "importlib_metadata"])
def test_nothing_of_the_repository_runs_while_its_environment_is_described(tmp_path, name):
    """An editable install makes the tree importable for whatever starts this interpreter, the judge included."""
    python, source, mark = venv(tmp_path / "env"), tmp_path / "repo" / "src", tmp_path / "ran"
    source.mkdir(parents=True)
    (site(python) / "__editable__.pkg.pth").write_text(f"{source}\n")
    (source / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    found = inspect(python, tmp_path / "repo")
    assert found.editable_roots == (PurePosixPath("src"),)
    assert not mark.exists()
    if name == "sitecustomize":
        subprocess.run([python, "-c", ""], check=True)
        assert mark.exists(), "a plain start of the interpreter runs it"


def test_the_live_tree_behind_an_editable_install_is_never_shown(tmp_path):
    """Its author would be read and imported in base's sandbox as well."""
    python, source = venv(tmp_path / "env"), tmp_path / "repo" / "src"
    source.mkdir(parents=True)
    (site(python) / "__editable__.pkg.pth").write_text(f"{source}\n")
    found = inspect(python, tmp_path / "repo")
    assert source not in found.path
    assert source not in inspect(python, tmp_path / "elsewhere", [tmp_path / "repo"]).path
    assert not [bind for bind in found.binds if bind.source.is_relative_to(tmp_path / "repo")]


def test_an_environment_inside_the_repository_is_shown_without_the_rest(tmp_path):
    repo = tmp_path / "repo"
    python = venv(repo / ".venv")
    (repo / "src").mkdir()
    (site(python) / "__editable__.pkg.pth").write_text(f"{repo / 'src'}\n")
    found = inspect(python, repo)
    assert {bind.source for bind in found.binds if bind.source.is_relative_to(repo)} == {repo / ".venv"}
    assert site(python) in found.path


def test_a_virtual_environment_below_a_closed_home_works_inside(tmp_path, step):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    python = venv(home / "env")
    (home / "secret").write_text("x")
    (site(python) / "inenv.py").write_text("where = __file__")
    found = inspect(python)
    code = f"import sys, os, inenv; print(inenv.where, sys.prefix, os.path.exists({str(home / 'secret')!r}))"
    assert seen_inside(found, step, code) == f"{site(python) / 'inenv.py'} {home / 'env'} False"


def test_every_link_to_the_interpreter_works_inside(tmp_path, step):
    middle = tmp_path / "links" / "python-middle"
    middle.parent.mkdir()
    middle.symlink_to(REAL)
    python = venv(tmp_path / "env")
    python.unlink()
    python.symlink_to("../../links/python-middle")
    (tmp_path / "shown").symlink_to(tmp_path / "env")
    found = inspect(tmp_path / "shown" / "bin" / "python")
    assert seen_inside(found, step).split()[0] == str(tmp_path / "shown")


def test_a_link_in_front_of_an_interpreter_of_the_system(tmp_path, step):
    link = tmp_path / "python"
    link.symlink_to(REAL)
    found = inspect(link)
    assert found.executable.exists()
    assert seen_inside(found, step)


def test_a_bare_name_is_looked_up(monkeypatch, tmp_path):
    (tmp_path / "projectpython").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert inspect(Path("projectpython")).version == sys.version_info[:3]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (None, "no such program"),
        ("echo nothing", "is not a Python interpreter"),
        ("echo broken libc >&2; exit 127", "does not work: broken libc"),
        ("exit 3", "does not work: exit status 3"),
        ("exec /usr/bin/env -i /bin/kill -9 $$", "does not work"),
    ],
)
def test_what_is_no_interpreter_is_one_clear_line(tmp_path, script, message):
    python = tmp_path / "python"
    if script is not None:
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
    with pytest.raises(UsageError, match=message) as caught:
        inspect(python)
    assert str(python) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_talkative_environment_is_understood(tmp_path):
    python = venv(tmp_path / "env")
    (site(python) / "loud.pth").write_text("import sys; print('hello from site')\n")
    assert inspect(python).version == sys.version_info[:3]


# The repository beside it.


def test_folders_of_the_repository_are_not_shown_for_the_interpreters_sake(tmp_path):
    repo = tmp_path / "repo"
    (repo / "src").mkdir(parents=True)
    python = venv(tmp_path / "env")
    (site(python) / "x.pth").write_text(f"{repo}\n{tmp_path}\n")
    found = inspect(python, repo)
    assert all(not repo.is_relative_to(bind.source) for bind in found.binds)
    other = tmp_path / "other"
    other.mkdir()
    (site(python) / "x.pth").write_text(f"{other}\n")
    assert any(bind.source == other for bind in inspect(python, repo).binds)


def test_an_environment_inside_the_repository_is_shown_alone(tmp_path, step):
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "agent.py").write_text("x")
    found = inspect(venv(repo / ".venv"), repo)
    code = f"import os; print(sorted(os.listdir({str(repo)!r})))"
    assert seen_inside(found, step, code, hidden=[repo]) == "['.venv']"


def test_a_repository_inside_the_environment_is_covered(tmp_path, step):
    python = venv(tmp_path / "env")
    repo = tmp_path / "env" / "src" / "project"
    repo.mkdir(parents=True)
    (repo / "agent.py").write_text("x")
    found = inspect(python, repo)
    code = f"import os; print(os.listdir({str(repo)!r}))"
    assert seen_inside(found, step, code, hidden=[repo]) == "[]"
    assert seen_inside(found, step, code) == "['agent.py']"


def editable(tmp_path: Path, **files: str) -> tuple[PurePosixPath, ...]:
    repo = tmp_path / "repo"
    (repo / "src" / "pkg").mkdir(parents=True)
    (repo / "lib" / "deep" / "sub").mkdir(parents=True)
    python = venv(tmp_path / "env")
    for name, content in files.items():
        place = site(python) / name.replace("_DOT_", ".")
        place.parent.mkdir(exist_ok=True)
        place.write_text(content.replace("REPO", str(repo)))
    return inspect(python, repo).editable_roots


def test_roots_of_a_plain_editable_install(tmp_path):
    assert editable(tmp_path, pkg_DOT_pth="REPO/src\n# comment\n/elsewhere\n") == (PurePosixPath("src"),)


def test_roots_of_an_editable_finder(tmp_path):
    finder = "from x import y\nMAPPING: dict[str, str] = {'pkg': 'REPO/src/pkg', 'deep.sub': 'REPO/lib/deep/sub'}\nNAMESPACES = {}\n"
    found = editable(tmp_path, __editable___pkg_1_0_finder_DOT_py=finder)
    assert found == (PurePosixPath("src"), PurePosixPath("lib"))


def test_roots_by_the_record_of_the_installer(tmp_path):
    folder = "pkg-1.dist-info"
    python = venv(tmp_path / "env")
    repo = tmp_path / "my repo"
    repo.mkdir()
    (site(python) / folder).mkdir()
    (site(python) / folder / "METADATA").write_text("Metadata-Version: 2.1\nName: pkg\nVersion: 1.5\n")
    record = {"url": repo.as_uri(), "dir_info": {"editable": True}}
    (site(python) / folder / "direct_url.json").write_text(json.dumps(record))
    found = inspect(python, repo)
    assert found.editable_roots == (PurePosixPath(),)
    assert found.packages["pkg"] == "1.5"
    assert inspect(python, tmp_path / "env").editable_roots == ()


def test_the_interpreters_binds_may_be_given_again(interpreter, bubblewrap, step):
    asked = step("print(1)")
    asked = replace(asked, binds=interpreter.binds)
    with bubblewrap.start(asked) as session:
        assert session.wait(20).output == b"1\n"


def installed(folder, name, *files):
    """A distribution with its record, as pip leaves it."""
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def test_what_is_installed_and_who_brought_it(tmp_path):
    python = venv(tmp_path / "env")
    place = site(python)
    installed(
        place, "One", "one/__init__.py", "one/inner.py", "_one.abi3.so", "docs/index.md", "one-data/x.py"
    )
    installed(place, "two-a", "space/a/__init__.py", "space/a/b.py")
    installed(place, "two-b", "space/deep/b.py")
    (place / "alone.py").touch()
    assert inspect(python).modules == {
        "one": {"One"},
        "_one": {"One"},
        "space": set(),
        "space.a": {"two-a"},
        "space.deep": set(),
        "space.deep.b": {"two-b"},
        "alone": set(),
    }


def test_what_an_editable_install_offers_is_installed_unless_it_is_the_repository(tmp_path):
    python, repo, other = venv(tmp_path / "env"), tmp_path / "repo", tmp_path / "other"
    for folder, name in ((repo, "mine"), (other, "theirs")):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
        (folder / "docs").mkdir()
        (folder / "docs/conf.py").touch()
    (site(python) / "__editable__.x.pth").write_text(f"{repo}\n{other}\n")
    assert inspect(python, repo).modules == {"theirs": set()}

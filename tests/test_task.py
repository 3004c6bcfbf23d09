"""Import roots: worked out from base, unless the task file names them."""

import pytest

from truelap.errors import UsageError
from truelap.task import Environment, Task, import_roots, load_task, moved_roots


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([b"pkg/__init__.py", b"setup.py"], ("",)),
        ([b"src/pkg/__init__.py", b"pyproject.toml"], ("src", "")),
        ([b"src/__init__.py", b"src/a.py"], ("",)),
        ([b"src/lib.c"], ("",)),
        ([b"python/pyproject.toml", b"python/src/pkg/__init__.py", b"c/lib.c"], ("", "python/src", "python")),
        ([b"tests/data/proj/pyproject.toml", b"m.py"], ("",)),
    ],
)
def test_roots_follow_the_layout_of_base(paths, expected):
    assert import_roots(Environment(), paths) == expected


def test_the_task_file_has_the_last_word():
    assert import_roots(Environment(python_path=("lib/", ".")), [b"src/a.py"]) == ("lib", "")


def test_what_is_asked_for_and_not_there_yet_is_not_passed_over(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text('[reference]\npatch = "expert.diff"')
    with pytest.raises(UsageError, match=r"reference\.patch: .* yet; leave the key out"):
        load_task(path)


def test_a_config_and_scripts_are_two_suites(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text('[benchmarks]\nconfig = "asv.conf.json"\nscripts = ["a.py"]')
    with pytest.raises(UsageError, match="each name a suite; give one of them"):
        load_task(path)


@pytest.mark.parametrize(
    ("named", "meant"),
    [("../venv/bin/python", "@/../venv/bin/python"), ("/x/python", "/x/python"), ("python3", "python3")],
)
def test_files_of_this_machine_are_read_from_the_folder_of_the_task_file(tmp_path, monkeypatch, named, meant):
    path = tmp_path / "tasks" / "task.toml"
    path.parent.mkdir()
    path.write_text(f"[task]\nbase_file = 'sha'\n[environment]\npython = '{named}'")
    monkeypatch.chdir(tmp_path)
    task = load_task(path.relative_to(tmp_path))
    assert task.environment.python == meant.replace("@", str(path.parent))
    assert task.task.base_file == str(path.parent / "sha")


def test_what_a_task_file_leaves_out_stays_out(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text("[task]\nname = 't'")
    task = load_task(path)
    assert (task.environment.python, task.task.base_file) == (None, None)


@pytest.mark.parametrize(
    "mount", ["", "repo", "/", "/usr", "/tmp", "/proc/x", "/etc", "/a/../usr", "//a", "/dev/shm", "/a\\u0000"]
)
def test_a_mount_that_no_sandbox_has_is_an_error(tmp_path, mount):
    path = tmp_path / "task.toml"
    path.write_text(f'[environment]\nmount = "{mount}"')
    with pytest.raises(UsageError, match=r"task\.toml: environment\.mount: .*for example /workspace/repo"):
        load_task(path)


@pytest.mark.parametrize(
    "mount", ["/workspace/repo", "/home/u/repo", "/testbed", "/tmp/x", "/usr/src/app", "/r/"]
)
def test_a_mount_of_its_own_is_fine(tmp_path, mount):
    path = tmp_path / "task.toml"
    path.write_text(f'[environment]\nmount = "{mount}"')
    assert load_task(path).environment.mount == mount.rstrip("/")


@pytest.mark.parametrize("env", ['"A=B" = "1"', '"" = "1"', '"A\\u0000" = "1"', 'A = "\\u0000"'])
def test_a_variable_that_cannot_be_set_is_an_error(tmp_path, env):
    path = tmp_path / "task.toml"
    path.write_text(f"[environment]\nenv = {{ {env} }}")
    with pytest.raises(UsageError, match=r"task\.toml: environment\.env: .* cannot be set"):
        load_task(path)


def test_a_task_knows_what_file_it_came_from(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text("")
    assert load_task(path).origin == f"task file {path}"
    assert load_task(path).model_dump() == Task().model_dump()


FLAT = [b"pkg/__init__.py", b"pkg/a.py", b"tests/test_a.py", b"tools.py"]


@pytest.mark.parametrize(
    ("tree", "moved"),
    [
        ([b"src/pkg/__init__.py", b"src/pkg/a.py", b"tests/test_a.py", b"tools.py"], True),
        ([b"src/pkg/__init__.py", b"src/other.py"], True),
        # Some of it stays, or comes back.
        ([b"src/pkg/__init__.py", b"pkg/a.py"], False),
        ([b"src/pkg/__init__.py", b"pkg.py"], False),
        ([b"src/pkg/__init__.py", b"src/tools.py", b"tools.py"], False),
        # Nothing of base's comes there, or it is a package itself.
        ([b"src/new/__init__.py", b"tools.py"], False),
        ([b"src/pkg/__init__.py", b"src/__init__.py"], False),
        (FLAT, False),
    ],
)
def test_a_product_moves_whole_to_src(tree, moved):
    assert moved_roots([""], FLAT, tree, ["src"]) == (("src", "") if moved else ("",))
    assert moved_roots([""], FLAT, tree, ["perf"]) == ("",)


def test_where_base_imports_from_src_nothing_moves_there():
    assert moved_roots(["src", ""], FLAT, [b"src/pkg/__init__.py"], ["src"]) == ("src", "")

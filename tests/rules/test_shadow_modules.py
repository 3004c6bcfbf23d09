from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "path",
    [
        b"random.py",
        b"json/__init__.py",
        b"queue.cpython-311-x86_64-linux-gnu.so",
        b"imp.py",
        b"annotationlib.py",
        b"pytest.py",
        b"_pytest/__init__.py",
        b"_pytest/reports.py",
        b"pluggy.py",
        b"asv_runner/__init__.py",
        b"asv_runner/benchmarks/time.py",
        b"ASV_Runner/__init__.py",
        b"PyTest.py",
        b"numpy/__init__.py",
        b"hypothesis.py",
        b"src/time.py",
        b"src/pytest/__init__.py",
    ],
)
def test_a_top_level_module_of_such_a_name_is_refused(action, added, scene, path):
    assert action(added(path), scene({b"src/pkg/core.py": b""}, roots=(b"", b"src/"))) == "refuse"


def test_a_folder_of_base_may_not_become_a_package(action, added, scene):
    assert action(added(b"code/__init__.py"), scene({b"code/run.py": b""})) == "refuse"


@pytest.mark.parametrize(
    "path",
    [
        b"pkg/queue.py",
        b"pkg/json/__init__.py",
        b"src/pkg/random.py",
        b"code/run.py",
        b"docs/pytest/index.md",
        b"pytest/README.md",
        b"lib/pytest/plugin.py",
        b"random.md",
        b"random.pyi",
        b"Queue.py",
        b"fast.py",
        b"\xff.py",
        "\xe9.py".encode(),
    ],
)
def test_names_that_hide_nothing_are_fine(action, added, scene, path):
    assert action(added(path), scene({b"src/pkg/core.py": b""}, roots=(b"", b"src/"))) is None


def test_a_module_that_base_has_is_the_choice_of_base(action, added, changed, scene):
    base = {b"numpy/__init__.py": b"", b"types.py": b"", b"py/setup.py": b"", b"asv_runner/x.py": b""}
    for change in (
        changed(b"types.py"),
        changed(b"types.py", None),
        added(b"numpy/fast.py"),
        added(b"py/more.py"),
    ):
        assert action(change, scene(base)) is None
    assert action(added(b"types/__init__.py"), scene(base)) is None
    assert action(added(b"asv_runner/y.py"), scene(base)) is None


INSTALLED = frozenset({"json5", "google", "google.protobuf", "yaml"})


@pytest.mark.parametrize(
    "path",
    [
        b"json5.py",
        b"json5/__init__.py",
        b"json5.abi3.so",
        b"src/yaml.py",
        b"google/__init__.py",
        b"google/protobuf/__init__.py",
        b"google/protobuf.py",
        b"checks/json5.py",
    ],
)
def test_what_is_installed_is_not_hidden(action, added, scene, path):
    roots = (b"src/", b"", b"checks/")
    assert (
        action(added(path), scene({b"checks/test_x.py": b""}, roots=roots, installed=INSTALLED)) == "refuse"
    )


@pytest.mark.parametrize(
    "path",
    [
        b"pkg/json5.py",
        b"pkg/json5/__init__.py",
        b"json5/data.py",
        b"json5.md",
        b"google/other.py",
        b"tests/json5.py",
        b"benchmarks/yaml/__init__.py",
        b"conftest.py",
    ],
)
def test_what_hides_nothing_installed_is_fine(action, added, scene, path):
    roots = (b"", b"tests/", b"benchmarks/")
    assert action(added(path), scene(roots=roots, installed=INSTALLED | {"conftest"})) is None


def test_a_module_of_base_may_be_called_like_an_installed_one(action, added, changed, scene):
    base = scene(
        {b"json5.py": b"", b"google/protobuf/x.py": b"", b"yaml/__init__.py": b""}, installed=INSTALLED
    )
    for change in (
        changed(b"json5.py"),
        changed(b"json5.py", None),
        added(b"json5/__init__.py"),
        added(b"yaml/x.py"),
    ):
        assert action(change, base) is None


def test_standard_modules_count_where_tests_lie_beside_their_source(action, added, scene):
    base = scene({b"lib/test_x.py": b""}, roots=(b"", b"lib/"))
    assert action(added(b"lib/random.py"), base) == "refuse"
    assert action(added(b"lib/test_random.py"), base) is None

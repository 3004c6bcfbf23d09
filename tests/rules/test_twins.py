from __future__ import annotations

import unicodedata

import pytest

from truelap.model import REGULAR, Entry


@pytest.mark.parametrize(
    "path",
    [
        b"Benchmarks/x.py",
        b"BENCHMARK/x.py",
        b"pkg/CONFTEST.PY",
        b"conftest.Py",
        b"asv.CONF.json",
        b".GitHub/workflows/x.yml",
        b".Snapshots/db",
        b"pkg/Tests/x.py",
        b"TEST_core.py",
        b"PyTest.ini",
        b"PyProject.TOML",
        "\uff42enchmarks/x.py".encode(),
        "bench\u200bmarks/x.py".encode(),
        "con\u00adftest.py".encode(),
    ],
)
def test_twins_of_guarded_names_are_refused(action, added, path):
    assert action(added(path)) == "refuse"


def test_what_the_asv_config_of_base_names_has_twins_too(action, added, scene):
    where = scene(protected=(r"^asv_bench/",))
    assert action(added(b"ASV_bench/common.py"), where) == "refuse"
    assert action(added(b"asv_bench/common.py"), where) is None


def test_two_names_that_fold_together_are_refused(action, added, scene):
    composed, apart = "pkg/\xe9.py".encode(), unicodedata.normalize("NFD", "pkg/\xe9.py").encode()
    for new, old in ((b"pkg/Core.py", b"pkg/core.py"), (b"PKG/new.py", b"pkg/core.py"), (apart, composed)):
        change = added(new)
        assert action(change, scene({old: b""}, others=[change.entry])) == "refuse"


def test_twins_within_one_submission_are_refused(action, added, scene):
    first, second = added(b"pkg/new.py"), added(b"pkg/NEW.py")
    where = scene(others=[first.entry, second.entry])
    assert [action(first, where), action(second, where)] == ["refuse", "refuse"]


def test_a_rename_that_only_changes_case_is_fine(action, added, scene):
    new = added(b"pkg/core.py")
    gone = Entry(path=b"pkg/Core.py", old_mode=REGULAR, new_mode=0, old_blob="1" * 40, new_blob="0" * 40)
    assert action(new, scene({b"pkg/Core.py": b""}, others=[new.entry, gone])) is None


def test_the_spelling_of_base_is_no_twin(action, added, changed, scene):
    base = {b"Tests/data/a.txt": b"", b"pkg/Benchmarks/x.py": b"", b"xt_MARK.h": b"", b"xt_mark.h": b""}
    for change in (
        changed(b"pkg/Benchmarks/x.py"),
        changed(b"xt_MARK.h"),
        added(b"Tests/data/b.txt"),
        added(b"Tests/new/b.txt"),
    ):
        assert action(change, scene(base, others=[change.entry])) is None


@pytest.mark.parametrize(
    "path",
    [
        b"benchmarks/x.py",
        b"tests/x.py",
        b"pkg/core.py",
        "\xe9.py".encode(),
        "e\u0301.py".encode(),
        b"README.md",
    ],
)
def test_names_without_a_twin_are_fine(action, added, scene, path):
    change = added(path)
    assert action(change, scene({b"pkg/other.py": b""}, others=[change.entry])) is None


def test_deleting_a_twin_is_fine(action, changed):
    assert action(changed(b"Benchmarks/x.py", None)) is None

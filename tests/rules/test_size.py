from __future__ import annotations

import dataclasses

import pytest

from truelap.model import EXECUTABLE, GITLINK
from truelap.rules import Change, examine, load_rules


def test_too_many_files_are_refused_once(added, scene):
    where = scene(files=25_001)
    found = list(examine([added(b"a.py"), added(b"b.py")], where, load_rules(where.policy)))
    assert [(f.rule, f.ruling.action) for f in found] == [("size", "refuse")]
    assert "25001 files" in found[0].ruling.reason


def test_too_many_bytes_are_refused(action, added, scene):
    assert action(added(b"a.py"), scene(diff_bytes=67_108_865)) == "refuse"
    assert action(added(b"a.py"), scene(files=25_000, diff_bytes=67_108_864)) is None


def test_the_whole_is_refused_once_whatever_the_limit(added, scene):
    where = scene(diff_bytes=67_108_865)
    assert len(list(examine([added(b"a.py"), added(b"b.py")], where, load_rules(where.policy)))) == 1


def test_a_long_path_of_base_and_what_has_no_bytes_are_fine(action, added, changed):
    assert action(changed(b"x" * 256)) is None
    assert action(changed(b"d/" * 150 + b"x.py")) is None
    assert action(dataclasses.replace(added(b"vendor", mode=GITLINK), content=None)) is None


def test_a_file_too_large_to_be_read_is_refused(action, added):
    assert action(dataclasses.replace(added(b"data/big.bin"), content=None)) == "refuse"


def test_a_large_file_that_goes_or_only_changes_mode_is_fine(action, changed):
    assert action(changed(b"data/big.bin", None)) is None
    same = changed(b"data/big.bin", b"same", EXECUTABLE, before=b"same")
    assert action(dataclasses.replace(same, content=None)) is None


@pytest.mark.parametrize("path", [b"x" * 256, b"/".join([b"x" * 100] * 11), b"d/" * 101 + b"x.py"])
def test_a_path_that_no_disk_holds_is_refused(action, added, path):
    assert action(added(path)) == "refuse"


@pytest.mark.parametrize("path", [b"x" * 255, b"/".join([b"x" * 100] * 10), b"d/" * 100 + b"x.py", b"a.py"])
def test_usual_paths_are_fine(action, added, path):
    assert action(added(path)) is None


def test_a_claim_has_no_size(action, added):
    entry = added(b"a.py").entry.model_copy(update={"new_blob": "0" * 40})
    assert action(Change(entry, None)) is None


def test_too_many_unpacked_bytes_are_refused(action, added, scene):
    assert action(added(b"a.py"), scene(unpacked_bytes=134_217_729)) == "refuse"
    assert action(added(b"a.py"), scene(unpacked_bytes=134_217_728)) is None

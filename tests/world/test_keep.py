"""A folder for base's truth: whole or not at all, and nobody else's."""

import os

import pytest

from truelap.errors import UsageError
from truelap.world.keep import Keep


def test_what_is_put_is_got(tmp_path):
    keep = Keep(tmp_path / "a" / "b")
    assert keep.get("tests", "ab12") is None
    keep.put("tests", "ab12", b"truth")
    assert keep.get("tests", "ab12") == b"truth"
    assert Keep(tmp_path / "a" / "b").get("tests", "ab12") == b"truth"
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", [b"", b"x" * 10, b"x" * 200])
def test_a_damaged_value_is_none(tmp_path, damage):
    keep = Keep(tmp_path / "keep")
    keep.put("tests", "ab12", b"truth")
    (tmp_path / "keep" / "ab" / "ab12.tests").write_bytes(damage)
    assert keep.get("tests", "ab12") is None
    assert keep.damaged == ["tests ab12"]
    keep.put("tests", "ab12", b"truth")
    assert keep.get("tests", "ab12") == b"truth"


def test_a_truncated_value_is_none(tmp_path):
    keep = Keep(tmp_path / "keep")
    keep.put("tests", "ab12", b"truth" * 100)
    place = tmp_path / "keep" / "ab" / "ab12.tests"
    place.write_bytes(place.read_bytes()[:-1])
    assert keep.get("tests", "ab12") is None
    assert keep.damaged == ["tests ab12"]


def test_what_was_used_longest_ago_goes_first(tmp_path):
    keep = Keep(tmp_path / "keep")
    keep.task = "mine"
    for number, key in enumerate(("aa", "bb", "cc")):
        keep.put("outputs", key, os.urandom(1000))
        os.utime(keep.folder / key / f"{key}.outputs", (number, number))
    assert keep.get("outputs", "aa") is not None
    assert [(e.path.stem, e.kind, e.task) for e in keep.entries()] == [
        (key, "outputs", "mine") for key in ("bb", "cc", "aa")
    ]
    left = Keep(tmp_path / "keep", most=2500)
    assert [e.path.stem for e in left.entries()] == ["cc", "aa"]
    assert left.damaged == []


def test_a_folder_that_others_may_write_is_refused(tmp_path):
    (tmp_path / "keep").mkdir(mode=0o700)
    (tmp_path / "keep").chmod(0o777)
    with pytest.raises(UsageError, match="chmod 700"):
        Keep(tmp_path / "keep")
    (tmp_path / "keep").chmod(0o755)
    assert Keep(tmp_path / "keep").get("tests", "ab12") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "keep").mkdir(mode=0o700)
    os.chown(tmp_path / "keep", 12345, 12345)
    with pytest.raises(UsageError, match="others may write"):
        Keep(tmp_path / "keep")


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "keep").write_text("")
    with pytest.raises(UsageError, match="is not a folder"):
        Keep(tmp_path / "keep")


def test_a_full_disk_keeps_nothing(tmp_path):
    keep = Keep(tmp_path / "keep")
    (tmp_path / "keep" / "ab").write_text("in the way of the folder")
    keep.put("tests", "ab12", b"truth")
    assert keep.get("tests", "ab12") is None


def test_a_folder_with_other_things_in_it_is_not_taken(tmp_path):
    (tmp_path / "keep").mkdir(mode=0o700)
    (tmp_path / "keep" / "thesis.tex").write_text("")
    with pytest.raises(UsageError, match=r"holds thesis\.tex, which is not truelap's"):
        Keep(tmp_path / "keep")
    assert [path.name for path in (tmp_path / "keep").iterdir()] == ["thesis.tex"]


def test_a_folder_that_another_judge_has_just_begun_is_taken(tmp_path):
    (tmp_path / "keep").mkdir(mode=0o700)
    (tmp_path / "keep" / ".0123456789abcdef").write_text("")
    assert (Keep(tmp_path / "keep").folder / "CACHEDIR.TAG").is_file()

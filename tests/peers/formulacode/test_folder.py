from __future__ import annotations

import os

import pytest

from truelap.errors import UsageError
from truelap.peers.formulacode.folder import BrokenError, Folder, Lenient, check_json


class Thing(Lenient):
    number: float
    name: str = ""


@pytest.fixture
def folder(tmp_path):
    with Folder(tmp_path) as opened:
        yield opened


def test_a_file_is_read_at_the_top_or_in_artifacts(folder, tmp_path):
    (tmp_path / "artifacts/lsv").mkdir(parents=True)
    (tmp_path / "artifacts/lsv/x").write_text("inner")
    (tmp_path / "artifacts/y").write_text("inner")
    (tmp_path / "y").write_text(" top \n")
    assert (folder.read("lsv/x"), folder.text("y"), folder.read("z"), folder.text("y/z")) == (
        b"inner",
        "top",
        None,
        None,
    )
    assert folder.names("y", "") == ("y",)
    (tmp_path / "artifacts/summary_a.json").write_text("{}")
    (tmp_path / "summary_b.txt").write_text("{}")
    assert folder.names("summary_", ".json") == ("summary_a.json",)


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "large"])
def test_only_regular_files_of_sensible_size_are_read(folder, tmp_path, kind):
    path = tmp_path / "x"
    if kind == "link":
        (tmp_path / "elsewhere").write_text("{}")
        path.symlink_to("elsewhere")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        with path.open("wb") as file:
            file.truncate(1 << 30)
    with pytest.raises(BrokenError, match="x"):
        folder.read("x")


def test_no_link_is_followed_on_the_way(folder, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/x").write_text("{}")
    (tmp_path / "lsv").symlink_to("real")
    (tmp_path / "artifacts").symlink_to("real")
    assert folder.read("real/x") == b"{}"
    assert folder.read("lsv/x") is None
    assert folder.read("x") is None
    assert folder.names("x", "") == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"number": NaN}',
        '{"number": -Infinity}',
        '{"number": 1, "more": 1e999}',
        '{"number": 1, "number": 2}',
        '{"number": "1"}',
        '{"number": true}',
        '{"number": 1, "name": 3}',
        "{}",
        "[]",
        "null",
        "{",
        "",
        '{"number": 1} x',
        "\xff",
        "[" * 100_000,
    ],
)
def test_json_without_tricks_or_not_at_all(folder, tmp_path, text):
    (tmp_path / "x.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(BrokenError, match=r"x\.json"):
        folder.json("x.json", Thing)


def test_unknown_keys_are_theirs(folder, tmp_path):
    (tmp_path / "x.json").write_text('{"number": 1, "more": [1e300, null]}')
    assert folder.json("x.json", Thing) == Thing(number=1.0)
    assert folder.json("y.json", Thing) is None


def test_checked_json_keeps_its_value():
    assert check_json(b'{"a": [1, 2.5, null, "x"]}') == {"a": [1, 2.5, None, "x"]}


def test_what_is_not_a_folder_is_a_usage_error(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("file", "missing"):
        with pytest.raises(UsageError, match="name a folder of artifacts"):
            Folder(tmp_path / name)

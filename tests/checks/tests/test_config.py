"""Which file pytest reads, and the judge's copy of it. The order is compared with the installed pytest's own."""

import itertools
import os

import pytest
from _pytest.config.findpaths import locate_config

from truelap.checks.tests.config import write_copy
from truelap.errors import WorldError
from truelap.pytest_config import pick

VERSION = tuple(int(part) for part in pytest.__version__.split(".")[:2])

CHOICES = {
    "pytest.toml": [None, "", "[pytest]\naddopts = ['-q']\n"],
    ".pytest.toml": [None, ""],
    "pytest.ini": [None, "", "[pytest]\n"],
    ".pytest.ini": [None, "[other]\n"],
    "pyproject.toml": [
        None,
        "[project]\nname = 'x'\n",
        "[tool.pytest.ini_options]\n",
        "tool.pytest.ini_options.addopts = '-q'\n",
        "[tool.pytest]\naddopts = ['-q']\n",
    ],
    "tox.ini": [None, "[tox]\n", "[pytest]\n"],
    "setup.cfg": [None, "[metadata]\n", "[tool:pytest]\n"],
}


def picked(files, version=VERSION, folders=("",)):
    found = {name: text.encode() for name, text in files.items() if text is not None}
    return pick(found.get, folders, version)


def test_the_order_is_that_of_the_installed_pytest(tmp_path):
    combinations = list(itertools.product(*CHOICES.values()))
    for number, contents in enumerate(combinations[::3]):
        files = dict(zip(CHOICES, contents, strict=True))
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in files.items():
            if text is not None:
                (folder / name).write_text(text)
        own = locate_config(folder, [folder])
        # With nothing configured pytest still names pyproject.toml, for its folder alone: nothing is read from it.
        expected = own[1].name if own[1] is not None and (own[2] or own[1].name != "pyproject.toml") else None
        if (
            expected is None
            and files["pyproject.toml"] is not None
            and "tool.pytest" in files["pyproject.toml"]
        ):
            expected = "pyproject.toml"
        assert picked(files).origin == expected, files


@pytest.mark.parametrize(
    ("version", "files", "origin"),
    [
        ((9, 0), {"pytest.toml": "[pytest]\n", "pytest.ini": "[pytest]\n"}, "pytest.toml"),
        ((8, 4), {"pytest.toml": "[pytest]\n", "pytest.ini": "[pytest]\n"}, "pytest.ini"),
        ((9, 0), {".pytest.ini": "", "tox.ini": "[pytest]\n"}, ".pytest.ini"),
        ((8, 4), {".pytest.ini": "", "tox.ini": "[pytest]\n"}, "tox.ini"),
        ((7, 2), {".pytest.ini": "[pytest]\n", "tox.ini": "[pytest]\n"}, ".pytest.ini"),
        ((7, 1), {".pytest.ini": "[pytest]\n", "tox.ini": "[pytest]\n"}, "tox.ini"),
        (
            (8, 4),
            {"pyproject.toml": "[tool.pytest]\naddopts = []\n", "setup.cfg": "[tool:pytest]\n"},
            "setup.cfg",
        ),
        (
            (9, 0),
            {"pyproject.toml": "[tool.pytest]\naddopts = []\n", "setup.cfg": "[tool:pytest]\n"},
            "pyproject.toml",
        ),
        ((9, 0), {"pyproject.toml": "not toml [", "setup.cfg": "[tool:pytest]\n"}, "pyproject.toml"),
        ((9, 0), {"tox.ini": "a line before any section\n", "setup.cfg": "[tool:pytest]\n"}, "tox.ini"),
        ((9, 0), {}, None),
    ],
)
def test_each_version_by_its_own_rules(version, files, origin):
    assert picked(files, version).origin == origin


def test_only_files_with_a_meaning_of_their_own_keep_their_name():
    assert picked({"pytest.ini": ""}).copy_path == "pytest.ini"
    assert picked({"pyproject.toml": "[tool.pytest.ini_options]\n"}).copy_path == ".truelap-pytest.toml"
    assert picked({"setup.cfg": "[tool:pytest]\n"}).copy_path == ".truelap-pytest.cfg"
    assert picked({}).copy_path == ".truelap-pytest.ini"


def test_the_nearest_folder_wins_and_keeps_its_copy_beside_it():
    files = {"python/tox.ini": "[pytest]\n", "pytest.ini": "[pytest]\n"}
    found = picked(files, folders=("python/tests", "python", ""))
    assert (found.origin, found.copy_path, found.folder) == (
        "python/tox.ini",
        "python/.truelap-pytest.ini",
        "python",
    )


def test_what_selection_needs_is_read_in_every_form():
    forms = (
        {
            "setup.cfg": "[tool:pytest]\npython_files = check_*.py\n  test*.py\ntestpaths = a b\naddopts = -q '-k x y'\n"
        },
        {
            "pyproject.toml": "[tool.pytest.ini_options]\npython_files = ['check_*.py', 'test*.py']\n"
            "testpaths = ['a', 'b']\naddopts = \"-q '-k x y'\"\n"
        },
    )
    for files in forms:
        found = picked(files)
        assert found.python_files == ("check_*.py", "test*.py")
        assert found.testpaths == ("a", "b")
        assert found.addopts == ("-q", "-k x y")


def test_the_copy_is_written_over_what_stands_there(tmp_path):
    config = picked({"setup.cfg": "[tool:pytest]\naddopts = -q\n"})
    (tmp_path / config.copy_path).write_text("planted")
    assert write_copy(config, tmp_path) is None
    assert (tmp_path / config.copy_path).read_text() == "[tool:pytest]\naddopts = -q\n"


def test_a_link_in_its_place_is_replaced_not_followed(tmp_path):
    config = picked({"setup.cfg": "[tool:pytest]\n"})
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / config.copy_path).symlink_to(other)
    assert write_copy(config, tmp_path / "tree") is None
    assert other.read_text() == "mine"


def test_a_folder_in_its_place_makes_it_unavailable(tmp_path):
    config = picked({"setup.cfg": "[tool:pytest]\n"})
    (tmp_path / config.copy_path / "inner").mkdir(parents=True)
    assert config.copy_path in (write_copy(config, tmp_path) or "")


def test_a_link_instead_of_the_config_folder_makes_it_unavailable(tmp_path):
    config = picked({"python/tox.ini": "[pytest]\n"}, folders=("python", ""))
    (tmp_path / "tree").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "tree" / "python").symlink_to(tmp_path / "outside")
    assert write_copy(config, tmp_path / "tree") is not None
    assert not list((tmp_path / "outside").iterdir())


def test_a_full_disk_is_the_machines_fault(tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(WorldError, match="No space left"):
        write_copy(picked({}), tmp_path)

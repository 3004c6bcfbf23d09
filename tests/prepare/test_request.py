"""What the user may name, and what the judge will not share with a submission."""

import sys

import pytest

from truelap.errors import UsageError
from truelap.prepare.request import Request
from truelap.task import Task


def test_a_judge_that_would_import_from_the_submission_says_so(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    with pytest.raises(UsageError, match="belongs to the submission"):
        Request(repo=tmp_path, base="main", worktree=tmp_path).check(Task())


def test_an_environment_that_lies_in_the_working_tree_is_no_part_of_it(tmp_path, monkeypatch):
    packages = tmp_path / ".venv/lib/site-packages"
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    Request(repo=tmp_path, base="main", worktree=tmp_path).check(Task())


def test_other_forms_take_nothing_from_the_working_tree(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    Request(repo=tmp_path, base="main", head="topic").check(Task())

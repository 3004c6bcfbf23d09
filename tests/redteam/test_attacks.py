"""The attack suite as data: nothing is missing, each entry is whole, and the pages say what is there."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from truelap.defences import DEFENCES
from truelap.errors import WorldError
from truelap.policy import load_policy
from truelap.redteam.attack import PENDING, SANDBOX, SECTIONS, Submission, load_attacks
from truelap.redteam.bench import policy_for
from truelap.redteam.naive import REPLACED
from truelap.rules import load_rules
from truelap.task import Task

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
ATTACKS = load_attacks()
KNOWN = {*DEFENCES, *REPLACED, *(f"rule:{name}" for name, _ in load_rules(load_policy()))}


def test_no_attack_has_gone():
    golden = (HERE / "attacks.txt").read_text("utf-8").split()
    assert [attack.id for attack in ATTACKS] == golden
    assert len(golden) >= 110


def test_every_file_of_the_folder_is_an_attack():
    folder = files("truelap") / "redteam" / "attacks"
    assert {file.name for file in folder.iterdir()} == {f"{attack.id}.toml" for attack in ATTACKS}


def test_every_section_of_the_catalogue_is_attacked():
    assert {attack.section for attack in ATTACKS} == set(SECTIONS) - {"own"}


@pytest.mark.parametrize(
    "more",
    [{"base": "own"}, {"start": [{"do": "write", "path": "a"}]}, {"plant": [{"do": "write", "path": "a"}]}],
)
def test_what_a_diff_would_pass_over_is_refused(more):
    with pytest.raises(ValueError, match="leave out plant, start and base"):
        Submission.model_validate({"diff": "", **more})
    assert Submission.model_validate({"diff": "", "out": more.get("plant", [])})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('chekcs = ["tests"]', "chekcs: there is no such key; did you mean checks"),
        ('how = "x."', "caught_by: is missing; add it"),
        ("how = ", "Invalid value"),
    ],
)
def test_a_file_that_is_no_attack_is_told_what_to_do(tmp_path, monkeypatch, text, said):
    folder = tmp_path / "redteam" / "attacks"
    folder.mkdir(parents=True)
    (folder / "own-mine.toml").write_text(text)
    monkeypatch.setattr("truelap.redteam.attack.files", lambda _: tmp_path)
    with pytest.raises(WorldError, match=rf"attack own-mine\.toml: {re.escape(said)}"):
        load_attacks()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_an_attack_is_whole(attack):
    for submission in (attack.submission, attack.twin):
        assert (submission.diff is None) != (not submission.plant and not submission.start)
        assert submission.base == "own" or not submission.start
    assert attack.submission != attack.twin
    if attack.waiting:
        assert attack.caught_by in PENDING
    elif attack.unablated:
        assert attack.caught_by in KNOWN | {SANDBOX}
    else:
        assert set(attack.ablated) <= KNOWN | PENDING
        assert attack.caught_by in attack.ablated
    Task.model_validate(attack.task)
    for section, limits in attack.limits.items():
        assert limits.keys() <= type(getattr(load_policy(), section)).model_fields.keys()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_an_ablation_is_seen_in_the_digest(attack):
    if attack.waiting or attack.unablated or set(attack.ablated) <= REPLACED.keys() - {"assembled"}:
        pytest.skip("nothing of the policy is switched off")
    ablated = policy_for(attack, set(attack.ablated) - PENDING)
    assert ablated.digest != policy_for(attack).digest


def test_almost_every_attack_has_an_ablation():
    assert sum(attack.unablated is not None for attack in ATTACKS) * 20 <= len(ATTACKS)


def test_the_page_names_every_attack_and_every_defence():
    page = (ROOT / "docs/reference/redteam.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)` \| (.+?) \|", page, re.MULTILINE))
    assert {name: rows.get(name) for name in DEFENCES} == dict(DEFENCES)
    assert {name: rows.get(name) for name in REPLACED} == dict(REPLACED)
    assert {attack.id: rows.get(attack.id) for attack in ATTACKS} == {a.id: a.how for a in ATTACKS}

"""The attack suite as data: nothing is missing, each entry is whole, and the pages say what is there."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from truelap.defences import DEFENCES
from truelap.errors import UsageError, WorldError
from truelap.policy import load_policy
from truelap.redteam.attack import (
    PENDING,
    SANDBOX,
    SECTIONS,
    Attack,
    Expected,
    Gain,
    Planted,
    Submission,
)
from truelap.redteam.bench import policy_for
from truelap.redteam.naive import REPLACED
from truelap.redteam.reading import load_attacks, read_attack
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


WHOLE = """
how = "It cheats."
caught_by = "outputs"
[expect]
outcome = "accepted"
[submission]
diff = "a"
[twin]
diff = "b"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """In place of the folder of attacks, one that holds two good ones and a bad one."""
    made = tmp_path / "redteam" / "attacks"
    made.mkdir(parents=True)
    for name, text in {"git-01-good": WHOLE, "own-good": WHOLE, "own-mine": "how = "}.items():
        (made / f"{name}.toml").write_text(text)
    monkeypatch.setattr("truelap.redteam.reading.files", lambda _: tmp_path)
    return made


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("caught_by", "caughtby", "caughtby: there is no such key; did you mean caught_by"),
        ('caught_by = "outputs"\n', "", "caught_by: is missing; add it"),
        ('"It', "It", "is not TOML: Invalid value"),
        ("how", 'id = "x"\nhow', "id: there is no such key; it is the file's name"),
        ('"outputs"', '"output"', "caught_by: no defence is called output; did you mean outputs?"),
        ('"outputs"', '"x"', "caught_by: no defence is called x; there are text_diff, counted,"),
        ('"outputs"', '"symlinks"', "caught_by: no defence is called symlinks; did you mean rule:symlinks?"),
        (
            '"outputs"',
            '"rule:symlink"',
            "caught_by: no rule is called rule:symlink; did you mean rule:symlinks?",
        ),
        ('"outputs"', '"rule:qqq"', "caught_by: no rule is called rule:qqq; there are rule:bidi,"),
        ('"outputs"', '"sandbox"', "caught_by: the sandbox as a whole is never switched off"),
        (
            "how",
            'off = ["outputs", "value"]\nhow',
            "off[1]: no defence is called value; did you mean values?",
        ),
        ("how", 'off = ["values"]\nhow', "off: outputs (`caught_by`) is not in it; add it"),
        ("how", 'needs = "values"\nhow', "needs: values is no defence to come"),
        (
            "how",
            "limits = { tets = {} }\nhow",
            "limits.tets: a policy has no such section; did you mean tests?",
        ),
        ("how", 'limits.time.pairs = "x"\nhow', 'limits.time.pairs: must be a whole number, and is "x"'),
        ("how", 'task.tests.select = "al"\nhow', 'task.tests.select: must be "mapped" or "all", and is "al"'),
        (
            "accepted",
            "acepted",
            'expect.outcome: must be "accepted", "rejected", "refused", "inconclusive" or "usage",',
        ),
        (
            'diff = "a"',
            'plant = [{ kind = "x" }]',
            "submission.plant[0].kind: there is no such key; the keys here are argv, do,",
        ),
        ('diff = "a"', 'plant = [{ do = "link" }]', "submission.plant[0]: link needs a path"),
        ('diff = "a"', 'plant = [{ do = "git" }]', "submission.plant[0]: git needs argv"),
        ('diff = "a"', "", "submission: nothing is submitted: give a diff, or plant something"),
    ],
)
def test_a_file_that_is_no_attack_is_told_what_to_do_in_one_line(folder, old, new, said):
    assert old in WHOLE
    for name, fault in {"own-mine": UsageError, "git-01-good": WorldError}.items():
        (folder / f"{name}.toml").write_text(WHOLE.replace(old, new, 1))
        with pytest.raises(fault) as caught:
            load_attacks([name])
        assert str(caught.value).startswith(f"attack {name}.toml: {said}")
        assert "\n" not in str(caught.value)


def test_only_what_is_chosen_is_read(folder):
    assert [attack.id for attack in load_attacks(["own-good", "git-"])] == ["git-01-good", "own-good"]
    with pytest.raises(UsageError, match=r"^attack own-mine\.toml: is not TOML: "):
        load_attacks()
    for only in (["own-x"], ["own-good", "own-x"]):
        with pytest.raises(UsageError, match=r"^--only own-x: no attack has such an id; .*--list"):
            load_attacks(only)


@pytest.mark.parametrize("name", ["mine.toml", "own_mine.toml", "own-Mine.toml", "own-mine.txt"])
def test_a_file_with_another_name_is_told_how_to_be_called(folder, name):
    (folder / "own-mine.toml").rename(folder / name)
    with pytest.raises(UsageError, match=rf"^attack {re.escape(name)}: call it own-WORDS\.toml, or SECTION-"):
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


GUIDE = (ROOT / "docs/how-to/write-an-attack.md").read_text("utf-8")


@pytest.mark.parametrize("model", [Attack, Expected, Gain, Submission, Planted])
def test_the_guide_names_every_key(model):
    # `id` is the file's name; `expect`, `gain`, `submission` and `twin` are tables.
    keys = model.model_fields.keys() - {"id", "expect", "gain", "submission", "twin"}
    assert {key for key in keys if f"`{key}`" not in GUIDE} == set()
    assert set(get_args(Planted.model_fields["do"].annotation)) <= set(re.findall(r"`([a-z]+)`", GUIDE))


def test_the_attacks_of_the_guide_are_some():
    blocks = re.findall(r"^```toml\n(.+?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    attacks = [read_attack("own-mine", block, load_policy()) for block in blocks]
    assert {attack.expect.faster for attack in attacks} == {None, False}
    assert any(attack.submission.plant for attack in attacks)

"""The suite for real: a few attacks of each kind in every run, all of them on demand."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from truelap.redteam.bench import Came
from truelap.redteam.campaign import Score, run
from truelap.redteam.listing import described, named
from truelap.redteam.reading import load_attacks
from truelap.redteam.table import as_data, show, summed
from truelap.redteam.trial import Trial
from truelap.settings import Settings

ATTACKS = {attack.id: attack for attack in load_attacks()}
QUICK = (
    "git-01-binary-hides-lines",
    "git-26-new-link",
    "git-37-half-applies",
    "py-01-pth-line",
    "tst-02-weakened-test",
    "bld-03-build-that-fails",
    "res-01-planted-evidence",
    "res-03-link-in-the-result-folder",
)


def attempted(chosen, tmp_path, **more):
    settings = Settings(work=tmp_path, python=Path(sys.executable), effort="quick", seed=7)
    return run(chosen, settings, ablate=True, jobs=2, **more)


def wrong(scores):
    return {
        (score.attack.id, variant): trial.wrong
        for score in scores
        for variant, trial in score.trials.items()
        if trial.wrong is not None
    }


def test_some_of_each_kind_end_as_their_entries_say(tmp_path):
    scores = attempted([ATTACKS[name] for name in QUICK], tmp_path)
    assert wrong(scores) == {}
    assert all(score.right for score in scores)
    assert f"{len(QUICK)} of {len(QUICK)} attacks caught" in summed(scores)
    shown = io.StringIO()
    show(scores, Console(file=shown, width=200, force_terminal=True))
    assert "accepted without its gain" in shown.getvalue()


def imagined(attack, **wrong):
    """A score as if the attack had run: whichever variant is named went wrong so."""
    variants = ("attack", "twin") if attack.unablated or attack.waiting else ("attack", "twin", "ablated")
    came = Came(attack.expect.outcome, "")
    return Score(attack, {name: Trial(attack, name, came, wrong.get(name), 1.0) for name in variants})


def printed(scores, **console):
    shown = io.StringIO()
    show(scores, Console(file=shown, color_system=None, **console))
    return shown.getvalue().splitlines()


def test_a_row_for_each_attack_fits_into_eighty_columns_where_there_is_no_terminal():
    scores = [imagined(attack) for attack in ATTACKS.values()]
    lines = printed(scores, width=200)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["attack", "caught", "by", "without", "it"]
    rows = [line.split() for line in lines if line.startswith(("ok ", "-- "))]
    assert [row[1] for row in rows] == list(ATTACKS)
    assert {row[-1] for row in rows} == {"succeeds", "-"}
    assert [row[0] == "--" for row in rows] == [attack.waiting for attack in ATTACKS.values()]
    assert "".join(lines).count("not tried without it: ") == sum(bool(a.unablated) for a in ATTACKS.values())


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_a_terminal_is_never_too_narrow_for_a_row_and_a_wide_one_says_what_came_out(width):
    scores = [imagined(ATTACKS[name]) for name in QUICK]
    lines = printed(scores, width=width, force_terminal=True)
    assert max(map(len, lines)) <= width
    assert ("refused: refused:symlinks" in "\n".join(lines)) is (width >= 100)


@pytest.mark.parametrize(("terminal", "width"), [(False, 80), (True, 40)])
def test_the_list_says_of_each_attack_what_catches_it_and_how_it_works(terminal, width):
    shown = io.StringIO()
    described(
        list(ATTACKS.values()),
        Console(file=shown, color_system=None, width=width, force_terminal=terminal),
    )
    *lines, last = shown.getvalue().splitlines()
    assert max(len(line) for line in lines if line.startswith(" ")) <= width
    heads = [line.split() for line in lines if not line.startswith(" ")]
    assert heads == [[attack.id, f"[{attack.caught_by}]"] for attack in ATTACKS.values()]
    assert " ".join(attack.how for attack in ATTACKS.values()) == " ".join(
        line.strip() for line in lines if line.startswith(" ")
    )
    assert last == f"{len(ATTACKS)} attacks."


def test_an_attack_has_the_same_keys_before_and_after_it_was_run():
    attack = ATTACKS["tst-02-weakened-test"]
    told, came = json.loads(json.dumps(named(attack))), as_data(imagined(attack))
    shared = {"id", "how", "caught_by", "needs", "unablated"}
    assert {key: told[key] for key in shared} == {key: came[key] for key in shared}
    assert told["off"] == list(attack.ablated)


def test_what_is_wrong_stands_below_its_row():
    scores = [imagined(ATTACKS["git-26-new-link"], twin=f"an honest\x1b submission {'was refused ' * 9}")]
    lines = printed(scores, width=200)
    assert lines[1].startswith("NO  git-26-new-link ")
    assert lines[2].startswith("    its honest twin: an honest\\x1b submission was refused")
    assert lines[3].startswith("    ")
    assert max(map(len, lines)) <= 80


def test_sums_leave_out_zeros_and_say_how_many_are_wrong():
    attack = ATTACKS["git-26-new-link"]
    assert (
        summed((imagined(attack),))
        == "1 of 1 attack caught; without its defence 1 of 1 succeeded. 3 s of work."
    )
    accused = "1 of 1 attack caught; 1 honest twin accused; without its defence 0 of 1 succeeded. 3 s of work; 1 wrong."
    assert summed((imagined(attack, twin="x", ablated="x"),)) == accused


def test_a_twin_that_cannot_be_read_is_wrong_and_nobody_is_accused(tmp_path):
    attack = ATTACKS["git-26-new-link"]
    unread = ATTACKS["git-08-forged-base"].submission
    broken = attack.model_copy(update={"twin": unread})
    lines: list[str] = []
    (score,) = attempted([broken], tmp_path, progress=lines.append)
    assert score.trials["twin"].wrong.startswith("was not judged: ")
    assert "accused" not in summed((score,))
    assert summed((score,)).endswith("; 1 wrong.")
    assert lines[0] == "0 of 3 runs done; setting up what they run on"
    assert lines[1] == "0 of 3 runs done; git-26-new-link"
    assert lines[-1] == "3 of 3 runs done, 1 wrong"
    assert any(line.endswith("git-26-new-link (without its defence)") for line in lines)


def test_an_entry_that_is_wrong_is_found(tmp_path):
    attack = ATTACKS["git-26-new-link"]
    harmless = attack.model_copy(update={"submission": attack.twin, "twin": attack.submission})
    (score,) = attempted([harmless], tmp_path)
    assert {variant for _, variant in wrong([score])} == {"attack", "twin"}
    assert not score.right
    data = json.loads(json.dumps(as_data(score)))
    assert data["status"] == "NOT as expected"
    assert "symbolic link" in data["twin"]["message"]


def test_an_attack_that_waits_for_a_defence_is_never_counted_as_caught(tmp_path, monkeypatch):
    monkeypatch.setattr("truelap.redteam.attack.PENDING", frozenset({"another"}))
    attack = ATTACKS["git-26-new-link"].model_copy(update={"needs": "another"})
    (score,) = attempted([attack], tmp_path)
    assert score.attack.waiting
    assert not score.right
    assert "ablated" not in score.trials


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_whole_suite(tmp_path):
    scores = attempted(ATTACKS.values(), tmp_path)
    assert wrong([score for score in scores if not score.attack.waiting]) == {}

"""Which benchmark is timed when, and what a failure leads to; the visits themselves are made up."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from truelap.checks.timing import campaign, control, rounds
from truelap.checks.timing.visit import Broken
from truelap.policy import load_policy
from truelap.workers.cases import Benchmark, timed_cases
from truelap.workers.worker import Undelivered
from truelap.world.events import Events
from truelap.world.slots import anywhere

from .test_decide import visit

TIME = load_policy().time


def cases(*names):
    told = {"module": "b.m", "class": None, "attr": "f", "error": None, "kind": "time"}
    return timed_cases([Benchmark(**told, name=name) for name in names])


class Trees(dict):
    """No trees, and a base to be timed beside itself."""

    def __getitem__(self, name):
        return "base's"


class Stage:
    """Plays the track and the laps: `script` says per benchmark what each visit brings (a ratio, or failures)."""

    def __init__(self, monkeypatch, script, barred=()):
        self.script = {name: list(visits) for name, visits in script.items()}
        self.barred = barred
        self.spent = {"base": 0.0, "candidate": 0.0}
        self.order, self.modules, self.seeds, self.tidied = [], [], [], []
        self.controlled, self.noise, self.time = [], 1.0, TIME
        self.twin = SimpleNamespace(
            workers={"base": "twin", "candidate": "twin"},
            ready=lambda name, module: None,
            tidy=lambda blamed: None,
            changed={"base": set(), "candidate": set()},
            touched={"base": set(), "candidate": set()},
        )
        monkeypatch.setattr(rounds, "Track", self.track)
        monkeypatch.setattr(campaign, "Lap", lambda workers, plan, draw: SimpleNamespace(run=self.lap))
        monkeypatch.setattr(control, "Lap", lambda workers, plan, draw: SimpleNamespace(run=self.beside))
        monkeypatch.setattr(rounds, "running_on", lambda cores: nullcontext())

    def beside(self, order):
        self.controlled.append(order["name"])
        return visit(self.noise)

    def track(self, venue, trees, *, cores, seed, modules, losses, spent):
        if trees:
            return nullcontext(self.twin)
        self.order.append([])
        self.modules.append(modules)
        self.seeds.append(seed)
        stage = SimpleNamespace(
            workers={"base": "b", "candidate": "c"},
            spent=lambda name: self.spent[name],
            changed={"base": {"both"}, "candidate": {"both", "its own"}},
            touched={"base": {"a/"}, "candidate": {"a/", "b/"}},
            ready=lambda name, module: "it hangs" if name in self.barred else None,
            tidy=lambda blamed: self.tidied.append(set(blamed)),
        )
        return nullcontext(stage)

    def lap(self, order):
        self.order[-1].append(order["name"])
        found = self.script[order["name"]].pop(0)
        if isinstance(found, dict):
            raise Broken(found)
        return visit(found)

    def run(self, seed=1):
        events = Events()
        venue = SimpleNamespace(world=SimpleNamespace(events=events), without=frozenset(), slot=anywhere())
        self.made = campaign.Campaign(venue, Trees(), self.time, seed)
        return {result.id: result for result in self.made.run(cases(*sorted(self.script.keys() - {"lost"})))}


FAILS = Undelivered("failed", "boom")
HANGS = Undelivered("late", "too late")


def test_only_what_looks_changed_is_looked_at_again(monkeypatch):
    stage = Stage(monkeypatch, {"a": [1.0], "b": [2.0, 2.1, 2.2, 2.1], "c": [2.0, 1.0, 1.0]})
    results = stage.run()
    assert [sorted(names) for names in stage.order] == [["a", "b", "c"], ["b", "c"], ["b", "c"], ["b"]]
    assert {name: result.decision for name, result in results.items()} == {
        "a": "same",
        "b": "faster",
        "c": "same",
    }
    assert len(set(stage.seeds)) == 4
    assert len(stage.controlled) == 3, "base beside itself, once a round of confirmation"
    assert set(stage.controlled) <= {"b", "c"}


def test_a_noisy_machine_takes_more_visits_and_then_gives_no_answer(monkeypatch):
    stage = Stage(monkeypatch, {"a": [1.0], "b": [2.0] * 9})
    stage.noise = 1.3
    result = stage.run()["b"]
    assert (result.decision, len(result.visits)) == ("same", 9)
    assert result.proof.noisy
    assert stage.made.bar is None


def test_on_a_noisy_machine_large_changes_are_told_all_the_same(monkeypatch):
    stage = Stage(monkeypatch, {"a": [1.0], "b": [2.0] * 9, "c": [1.08] * 9})
    stage.noise = 1.07
    results = stage.run()
    assert (results["b"].decision, results["c"].decision) == ("faster", "same")
    assert results["c"].reason == "not established: base beside itself changes as often"
    assert stage.made.bar == (0.1, 0.05)


def test_what_base_does_not_deliver_beside_itself_says_nothing(monkeypatch):
    stage = Stage(monkeypatch, {"b": [2.0] * 4})
    stage.beside = lambda order: stage.lap({"name": "lost"})
    stage.script["lost"] = [{"base": FAILS}] * 3
    assert stage.run()["b"].decision == "faster"
    assert (stage.made.control.visits, stage.made.bar) == ([], (0.05, 0.05))


def test_a_policy_may_do_without_base_beside_itself(monkeypatch):
    stage = Stage(monkeypatch, {"b": [2.0] * 4})
    stage.time = TIME.model_copy(update={"control": 0.0})
    assert stage.run()["b"].decision == "faster"
    assert stage.controlled == []


def test_many_benchmarks_ask_for_more_visits_of_one(monkeypatch):
    names = {f"n{number}": [1.0] for number in range(40)}
    stage = Stage(monkeypatch, names | {"b": [2.0] * 5})
    assert stage.run()["b"].decision == "faster"
    assert stage.order[-1] == ["b"]
    assert len(stage.order) == 5


def test_an_unchanged_task_ends_after_the_first_pass_and_needs_no_control(monkeypatch):
    stage = Stage(monkeypatch, {"a": [1.0], "b": [1.02]})
    stage.run()
    assert (len(stage.order), stage.controlled) == (1, [])


def test_the_order_is_the_seed_s_and_on_record(monkeypatch):
    names = {letter: [1.0] for letter in "abcdefgh"}
    stages = []
    for seed in (1, 1, 2):
        stages.append(Stage(monkeypatch, names))
        stages[-1].run(seed=seed)
    first, second, third = (stage.order for stage in stages)
    assert first == second != third
    assert list(stages[0].made.order) == first[0]


def test_a_candidate_that_fails_once_gets_one_more_try(monkeypatch):
    stage = Stage(
        monkeypatch, {"a": [{"candidate": FAILS}, 1.0], "b": [{"candidate": FAILS}, {"candidate": FAILS}]}
    )
    results = stage.run()
    assert results["a"].decision == "same"
    assert (results["b"].decision, results["b"].reason) == ("missing", "boom")


def test_a_hang_gets_no_second_try(monkeypatch):
    results = Stage(monkeypatch, {"a": [{"candidate": HANGS}]}).run()
    assert results["a"].decision == "missing"


def test_a_failure_at_base_is_nobody_s_and_its_loss_is_base_s_alone(monkeypatch):
    stage = Stage(monkeypatch, {"a": [{"base": HANGS, "candidate": HANGS}]})
    assert stage.run()["a"].decision == "invalid"
    assert stage.tidied == [{"base"}]


def test_a_failure_after_a_first_gain_is_still_missing(monkeypatch):
    results = Stage(monkeypatch, {"a": [3.0, {"candidate": HANGS}]}).run()
    assert results["a"].decision == "missing"


@pytest.mark.parametrize(("barred", "decision"), [("candidate", "missing"), ("base", "invalid")])
def test_a_side_without_a_worker_is_not_timed(monkeypatch, barred, decision):
    stage = Stage(monkeypatch, {"a": []}, barred=(barred,))
    result = stage.run()["a"]
    assert result.decision == decision
    assert "it hangs" in result.reason


def test_files_that_base_s_own_run_changes_are_not_held_against_the_candidate(monkeypatch):
    stage = Stage(monkeypatch, {"a": [1.0]})
    stage.run()
    assert stage.made.rounds.changed == {"its own"}


@pytest.mark.parametrize(
    ("spent", "decision", "ours"),
    [
        ({"base": 1700.0, "candidate": 3500.0}, "same", False),
        ({"base": 1700.0, "candidate": 3700.0}, "missing", False),
        ({"base": 1900.0, "candidate": 1900.0}, "invalid", True),
    ],
)
def test_all_benchmarks_together_have_a_bound_of_time(monkeypatch, spent, decision, ours):
    stage = Stage(monkeypatch, {"a": [1.0], "b": [1.0]})
    stage.spent = spent
    assert {result.decision for result in stage.run().values()} == {decision}
    assert stage.made.out_of_time is ours


def test_what_was_measured_but_not_confirmed_in_time_is_no_gain(monkeypatch):
    stage = Stage(monkeypatch, {"a": [3.0, 3.0, 3.0]})
    whole = stage.lap

    def lap(order):
        stage.spent["candidate"] += 2000.0
        return whole(order)

    stage.lap = lap
    result = stage.run()["a"]
    assert (result.decision, len(result.visits)) == ("same", 2)
    assert "not confirmed" in result.reason

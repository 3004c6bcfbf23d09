"""The order of effects in one visit, and the numbers that come out, on workers whose clock is exact."""

import math
from contextlib import contextmanager
from random import Random

import pytest

from truelap.checks.timing.amount import Plan
from truelap.checks.timing.visit import Broken, Lap
from truelap.workers.worker import Sample, Undelivered

MS = 1_000_000
PLAN = Plan(sample_s=0.004, pairs=12, max_pair_s=1.5, limit_s=60.0)


class FakeWorker:
    """Costs `call_ns` a call and `setup_ns` a setup; writes down everything that it is asked."""

    def __init__(
        self,
        name,
        log,
        *,
        call_ns=MS,
        setup_ns=0,
        number=0,
        fails=None,
        waits_ns=0,
        stands_ns=0,
        claims=1.0,
        put_off_ns=0,
    ):
        self.name, self.log = name, log
        self.waits_ns, self.stands_ns, self.claims = waits_ns, stands_ns, claims
        self.call_ns, self.setup_ns, self.number = call_ns, setup_ns, number
        self.fails = fails or {}
        self.put_off_ns, self.calls = put_off_ns, 0
        self.usable, self.in_case = True, False
        self.stray_ns = self.asleep_ns = self.queued_ns = self.total_ns = 0
        self.is_awake = False

    def _do(self, what):
        assert self.is_awake, f"{self.name} was asked to {what} while it was stopped"
        self.log.append(f"{self.name} {what}")
        failure = self.fails.get(what.split()[0])
        if failure is not None:
            self.in_case = False
            raise failure

    def cpu_ns(self):
        return self.total_ns

    def open(self, order, limit_s):
        self.in_case = True
        self._do("open")
        return self.number

    def redo(self, limit_s):
        self._do("redo")
        return self.setup_ns

    def run(self, calls, limit_s):
        self._do(f"run {calls}")
        self.calls += calls
        self.total_ns += calls * self.call_ns
        wall_ns = calls * (self.call_ns + self.waits_ns)
        return Sample(
            calls, calls * self.call_ns, wall_ns, calls * self.stands_ns, int(self.claims * wall_ns)
        )

    def trial(self, calls, limit_s):
        return self.run(calls, limit_s).wall_ns

    def close(self, limit_s):
        self._do("close")
        self.total_ns += self.calls * self.put_off_ns
        self.in_case = False

    @contextmanager
    def awake(self):
        others = [worker for worker in self.everybody if worker.is_awake]
        assert not others, "two sides were awake at once"
        self.is_awake = True
        try:
            yield
        finally:
            self.is_awake = False

    @contextmanager
    def turn(self, limit_s):
        with self.awake():
            self.log.append(f"{self.name} turn")
            yield []


def sides(base=None, candidate=None):
    log = []
    workers = {
        "base": FakeWorker("base", log, **(base or {})),
        "candidate": FakeWorker("candidate", log, **(candidate or {})),
    }
    for worker in workers.values():
        worker.everybody = workers.values()
    return workers, log


def visit(workers, plan=PLAN):
    return Lap(workers, plan, Random(1)).run({"type": "case"})


def test_the_ratio_is_exact_and_samples_last_equally_long():
    workers, _ = sides(base={"call_ns": 3 * MS // 4}, candidate={"call_ns": MS // 4})
    found = visit(workers)
    assert found.effect.log_ratio == pytest.approx(math.log(3))
    assert (found.base.calls, found.candidate.calls) == (5, 16)
    assert len(found.pairs) == 12


def test_what_is_put_off_until_teardown_is_outside_of_the_samples():
    workers, _ = sides(base={"call_ns": 2 * MS}, candidate={"put_off_ns": MS, "number": 0})
    found = visit(workers)
    assert found.base.outside_s == pytest.approx(0, abs=1e-9)
    assert found.candidate.outside_s == pytest.approx(workers["candidate"].calls * 1e-3)


@pytest.mark.parametrize("stands", [3 * MS, 30 * MS])
def test_a_queue_that_only_the_candidate_stands_in_is_waiting(stands):
    # Most of its work is done where no clock looks, and processes of its own are made to queue meanwhile.
    workers, _ = sides(
        base={"call_ns": 4 * MS}, candidate={"call_ns": MS, "waits_ns": 3 * MS, "stands_ns": stands}
    )
    effect = visit(workers).effect
    assert effect.log_ratio == pytest.approx(math.log(4))
    assert 0 <= effect.elapsed < 0.03


def test_a_queue_that_both_stand_in_is_no_waiting():
    # Half of the core is somebody else's, for both.
    workers, _ = sides(
        base={"call_ns": 4 * MS, "waits_ns": 4 * MS, "stands_ns": 4 * MS},
        candidate={"call_ns": MS, "waits_ns": MS, "stands_ns": MS},
    )
    assert visit(workers).effect.elapsed == pytest.approx(math.log(4))


def test_a_base_whose_own_processes_queue_behind_each_other_excuses_nothing():
    workers, _ = sides(
        base={"call_ns": 4 * MS, "stands_ns": 12 * MS},
        candidate={"call_ns": MS, "waits_ns": 3 * MS, "stands_ns": 12 * MS},
    )
    assert 0 <= visit(workers).effect.elapsed < 0.03


def test_turns_are_a_bb_aa_b():
    workers, log = sides()
    visit(workers)
    start = next(n for n, line in enumerate(log) if line.endswith("turn"))
    end = next(n for n, line in enumerate(log) if "redo" in line)
    block = log[start:end]
    one, other = block[0].split()[0], block[2].split()[0]
    assert {one, other} == {"base", "candidate"}
    turns = [one, other, other, one, one, other]
    assert [line.split()[0] for line in block if "run" in line] == turns


def test_both_are_set_up_before_either_is_timed_and_again_between_blocks():
    workers, log = sides()
    visit(workers)
    steps = [line for line in log if "run" not in line and "turn" not in line]
    assert sorted(steps[:2]) == ["base open", "candidate open"]
    assert sorted(steps[2:8]) == ["base redo"] * 3 + ["candidate redo"] * 3
    assert steps[8:] == ["base close", "candidate close"]


def test_a_number_of_the_suite_is_never_exceeded_between_two_setups():
    # One call a setup, as for a benchmark that sorts in place.
    workers, log = sides(base={"number": 1, "call_ns": 1000}, candidate={"number": 99, "call_ns": 1000})
    found = visit(workers)
    assert (found.base.calls, found.candidate.calls) == (1, 1)
    last_redo = None
    for line in log:
        if line == "candidate redo":
            last_redo = 0
        elif line.startswith("candidate run") and last_redo is not None:
            last_redo += 1
            assert last_redo == 1
    # Short samples: four times as many.
    assert len(found.pairs) == 48


@pytest.mark.parametrize(("number", "samples"), [(12, 3), (11, 1)])
def test_a_number_is_cut_into_samples(number, samples):
    # Calls of a millisecond: twelve calls a setup are three samples of four.
    workers, log = sides(base={"number": number}, candidate={"number": number})
    visit(workers)
    start = max(n for n, line in enumerate(log) if "redo" in line)
    assert [line for line in log[start:] if line.startswith("base run")] == ["base run 4"] * samples


def test_a_clock_in_doubt_is_asked_once_more_for_long():
    workers, log = sides(candidate={"claims": 0.1})
    assert visit(workers).clock.lie
    assert log[-3:] == ["candidate run 100", "base close", "candidate close"]
    workers, log = sides()
    assert visit(workers).clock is None


def test_a_clock_in_doubt_is_asked_no_more_calls_than_a_setup_is_good_for():
    workers, log = sides(base={"number": 4}, candidate={"number": 4, "claims": 0.1})
    found = visit(workers)
    assert "candidate redo" in log[-6:]
    assert log[-3] == "candidate run 4"
    # 4 ms are too short to accuse anybody.
    assert found.clock.lie is None


def test_each_side_has_as_many_first_samples_of_a_turn_in_its_pairs():
    workers, log = sides()
    visit(workers)
    runs = [line.split()[0] for line in log[log.index("base redo") :] if "run" in line]
    for block in (runs[n : n + 6] for n in range(0, len(runs), 6)):
        pairs = [block[0:2], block[2:4], block[4:6]]
        assert pairs[0] == pairs[2]
        assert pairs[0] == pairs[1][::-1]


def test_sides_that_cost_nearly_the_same_make_the_same_number_of_calls():
    workers, _ = sides(base={"call_ns": 600_000}, candidate={"call_ns": 500_000})
    found = visit(workers)
    assert found.base.calls == found.candidate.calls == 8


def test_a_slow_first_call_does_not_shorten_the_samples():
    workers, _ = sides()
    costs = iter([50 * MS])
    first, worker = workers["candidate"].run, workers["candidate"]

    def run(calls, limit_s):
        worker.call_ns = next(costs, MS)
        return first(calls, limit_s)

    worker.run = run
    assert visit(workers).candidate.calls == 4


def test_long_calls_get_few_pairs():
    # Blocks of one pair: a block of three would be over the limit at once.
    workers, _ = sides(base={"call_ns": 500 * MS}, candidate={"call_ns": 100 * MS})
    found = visit(workers)
    assert (found.base.calls, found.candidate.calls) == (1, 1)
    assert len(found.pairs) == 4


def test_very_long_calls_get_two_pairs():
    workers, log = sides(base={"call_ns": 9000 * MS}, candidate={"call_ns": 9000 * MS})
    assert len(visit(workers).pairs) == 2
    assert sum("base run" in line for line in log) == 3


def test_expensive_setups_shorten_a_visit():
    workers, _ = sides(base={"setup_ns": 2000 * MS})
    assert len(visit(workers).pairs) == 6


def test_a_side_that_cannot_be_opened_is_named_and_the_other_is_closed():
    workers, log = sides(candidate={"fails": {"open": Undelivered("failed", "boom")}})
    with pytest.raises(Broken) as caught:
        visit(workers)
    assert {name: str(why) for name, why in caught.value.failures.items()} == {"candidate": "boom"}
    assert log[-1] == "base close"


def test_both_failing_are_both_named():
    skip = {"fails": {"open": Undelivered("skipped", "no")}}
    workers, _ = sides(skip, skip)
    with pytest.raises(Broken) as caught:
        visit(workers)
    assert set(caught.value.failures) == {"base", "candidate"}


def test_a_failure_while_it_is_timed_is_a_failure():
    workers, log = sides(candidate={"fails": {"run": Undelivered("failed", "boom")}})
    with pytest.raises(Broken) as caught:
        visit(workers)
    assert set(caught.value.failures) == {"candidate"}
    assert log[-1] == "base close"


def test_a_failing_teardown_is_a_failure():
    workers, _ = sides(candidate={"fails": {"close": Undelivered("failed", "boom")}})
    with pytest.raises(Broken) as caught:
        visit(workers)
    assert set(caught.value.failures) == {"candidate"}

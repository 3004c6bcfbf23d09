"""How often the whole rule is wrong, on made-up visits with the noise that was measured; docs/explanation/measurement.md quotes this."""

import math
from random import Random

import pytest
from tests.checks.timing.test_decide import CASE, side

from truelap.checks.timing.decide import measured
from truelap.checks.timing.evidence import Visit
from truelap.checks.timing.proof import goes_on, prove
from truelap.policy import load_policy

RULES = load_policy().time
BENCHMARKS = 12


class Noise:
    """A visit is off by a normal error, and some by a much larger one."""

    def __init__(self, spread, wild, seed=1):
        self.spread, self.wild, self.draw = spread, wild, Random(seed)

    def visit(self, change):
        spread = 0.1 if self.draw.random() < self.wild else self.spread
        ratio = (1 + change) * math.exp(self.draw.gauss(0, spread))
        return Visit(base=side(0.001, pairs=1), candidate=side(0.001 / ratio, pairs=1))


def task(noise, changes):
    """As the campaign does it, without workers."""
    seen, control, first = [[] for _ in changes], [], True
    while True:
        proofs = prove(seen, control, RULES)
        left = [number for number, proof in enumerate(proofs) if goes_on(seen[number], proof, RULES)]
        if not left:
            return [
                measured(CASE, visits, proof, RULES.margin)
                for visits, proof in zip(seen, proofs, strict=True)
            ]
        for number in left:
            seen[number].append(noise.visit(changes[number]))
        if not first:
            control += [noise.visit(0.0) for _ in range(math.ceil(RULES.control * len(left)))]
        first = False


QUIET, BAD = (0.016, 0.03), (0.03, 0.05)


@pytest.mark.parametrize(
    ("noise", "most", "visits"), [(QUIET, 0.001, 1.2), (BAD, 0.002, 2.0)], ids=["quiet", "bad"]
)
def test_what_did_not_change_is_seldom_called_changed(noise, most, visits):
    made, tasks = Noise(*noise), 250
    results = [one for _ in range(tasks) for one in task(made, [0.0] * BENCHMARKS)]
    assert sum(one.decision != "same" for one in results) <= most * len(results)
    assert sum(len(one.visits) for one in results) <= visits * len(results)


@pytest.mark.parametrize(
    ("change", "noise", "power"),
    [(0.07, QUIET, 0.92), (0.10, QUIET, 0.97), (-0.0909, QUIET, 0.97), (0.10, BAD, 0.9), (0.5, BAD, 0.97)],
)
def test_what_changed_is_found_and_told_right(change, noise, power):
    made, tasks, true = Noise(*noise), 200, math.log1p(change)
    found = [task(made, [change] + [0.0] * (BENCHMARKS - 1))[0] for _ in range(tasks)]
    wanted = "faster" if change > 0 else "slower"
    right = [one for one in found if one.decision == wanted]
    assert len(right) >= power * tasks
    bias = sum(one.log_ratio for one in found) / tasks - true
    assert abs(bias) < 0.01
    covered = sum(low <= true <= high for low, high in (one.interval for one in right))
    assert covered >= 0.93 * len(right)

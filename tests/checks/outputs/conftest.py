"""Compares the outputs of small projects for real."""

import pytest

from truelap.checks import outputs

FIXED = {"asv.conf.json": '{"benchmark_dir": "benches"}', "benches/__init__.py": ""}


class Outputs:
    """What the check found; `found["b.time_a"]` is the ruling of that case."""

    def __init__(self, found) -> None:
        self._found = found
        self.evidence, self.findings, self.codes = found.evidence, found.findings, found.codes

    def __getitem__(self, name):
        return self._found[name].ruling

    def statuses(self):
        return {case.id.partition(".")[2]: case.ruling.status for case in self.evidence.cases}


@pytest.fixture
def compared(on_projects, tmp_path):
    """Compares: `base` holds `lib.py` and the suite's one module, `candidate` is another `lib.py`."""

    def run(base, candidate, fixed=(), **more):
        fixed = {**FIXED, **dict(fixed), "benches/b.py": base[1]}
        sides = [{**fixed, "lib.py": content} for content in (base[0], candidate)]
        return Outputs(on_projects(tmp_path, outputs, *sides, **more))

    return run

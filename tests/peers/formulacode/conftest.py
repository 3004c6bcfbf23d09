"""Folders of older trials, as datasmith's template leaves them, one change at a time."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from truelap.peers.formulacode import grade
from truelap.policy import load_policy

if TYPE_CHECKING:
    from pathlib import Path

BASE = "d" * 40
PATCH = """\
diff --git a/pkg/core.py b/pkg/core.py
--- a/pkg/core.py
+++ b/pkg/core.py
@@ -1 +1 @@
-x = slow()
+x = fast()
"""


def benchmark(ratio):
    return {
        "name": "b",
        "baseline": 0.01,
        "current": 0.01 / math.exp(ratio),
        "paired": {"median_log_ratio": ratio},
    }


def regression(**changed):
    block = {
        "ran": True,
        "reverted": [],
        "restore_ok": True,
        "base_ref": BASE,
        "n_selected_tests": 12,
        "n_agent_tests": 12,
        "n_base_pass": 11,
        "regressed": [],
        "n_regressed": 0,
        "agent_only_plugins": [],
        **changed,
    }
    return {"base_ref": BASE, "strategy": "mapped", "results": {"exit_code": 0}, "regression": block}


def lsv(*ratios, **changed):
    benchmarks = {f"b.time_{i}": benchmark(ratio) for i, ratio in enumerate(ratios)}
    measure = {
        "benchmarks": benchmarks,
        "selected_count": len(ratios),
        "dropped_count": 0,
        "error": None,
        **changed,
    }
    return {"init": {}, "measure": measure, "timing": {"total_s": 1.0}}


class Trial:
    """A trial that went well; a test changes what it is about."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.put("setup_status.json", {"exit_code": 0, "failed_phase": None, "succeeded": True})
        self.put("patch.diff", PATCH)
        self.put("patch_info.json", {"applied": True, "files": 1, "added_lines": 1, "removed_lines": 1})
        self.put("test_results.json", regression())
        self.put("lsv/lsv_results.json", lsv(math.log(2), 0.0))

    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return self

    def drop(self, *names):
        for name in names:
            (self.folder / name).unlink()
        return self

    def restored(self, discarded=(), remaining=()):
        record = {"ran": True, "base": BASE, "discarded": list(discarded), "remaining": list(remaining)}
        return self.put("protected_restore.json", record)

    def grade(self, policy=None):
        return grade(self.folder, policy or load_policy(), tool="truelap 0.1.0")


@pytest.fixture
def trial(tmp_path):
    return Trial(tmp_path / "artifacts-of-a-trial")


@pytest.fixture
def make():
    """Makers of the trial's files."""
    return type(
        "Makers",
        (),
        {
            "lsv": staticmethod(lsv),
            "regression": staticmethod(regression),
            "benchmark": staticmethod(benchmark),
        },
    )

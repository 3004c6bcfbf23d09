"""What counts: patterns, thresholds and limits, read from `policy.toml` (shipped beside this folder) or a named file.

A policy is never taken from the environment, the current folder or the tree under test.

model.py      the sections and their keys
patterns.py   patterns of paths, and how they are searched
reading.py    files to policies
"""

from truelap.policy.measuring import followed, measurement_setup, measuring
from truelap.policy.model import Limits, Outputs, Policy, RewardRules, TestCode, Time
from truelap.policy.patterns import matches
from truelap.policy.reading import load_policy, parse_policy, policy_text, shipped_bytes

__all__ = [
    "Limits",
    "Outputs",
    "Policy",
    "RewardRules",
    "TestCode",
    "Time",
    "followed",
    "load_policy",
    "matches",
    "measurement_setup",
    "measuring",
    "parse_policy",
    "policy_text",
    "shipped_bytes",
]

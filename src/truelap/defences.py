"""Every defence that a policy can switch off, for measuring what it is worth. Refusal rules have their own list (`refuse.off`).

A switch is one condition at the defence's own place: `policy.keeps("sealed_tree")`. A verdict made without a defence says so.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFENCES: Mapping[str, str] = MappingProxyType(
    {
        # collect
        "text_diff": "the diff for people shows every line, of files that look binary too",
        "counted": "a submission of more files than the policy allows is read no further",
        # restore
        "protected": "the policy's protected patterns are put back to base",
        "suite": "what base's own asv config resolves to, and files of benchmarks that a task names, are protected as well",
        "test_code": "test code is put back to base",
        "own_tests": "what base's own pytest configuration and conftest files name is test code as well",
        "links": "what base's own links among tests and measurement setup lead to is put back as they are",
        "rivals": "an addition that would be imported in place of a restored file is put back",
        "packages": "an `__init__.py` that decides from where a restored test is imported stays as base has it",
        "doubles": "what has the name of a module at another place to import from is put back: each name has one place",
        "helpers": "what only tests use, or tests and benchmarks import from outside of the product, counts as test code",
        # rebuild
        "build_ends_well": "a candidate that does not build where base does is a failure",
        "build_sources": "a build that changes tracked files which base's build leaves alone is a failure",
        "build_outputs": "what a build leaves is judged by the rules for a submission",
        "prebuilt": "what base has of a build already does not stand in for what the candidate's build does not make",
        "installed_copy": "a candidate without a module of base that the environment has a copy of is a failure",
        # tests
        "widen": "tests that the submission's paths chose, and of which base says nothing, give way to all",
        "base_config": "pytest reads the judge's copy of base's configuration",
        "plugins": "a plugin that only the candidate brings is a failure",
        "complete_ids": "a test that passes at base and is not reported is a regression",
        "skips": "a test that passes at base and is skipped or expected to fail is a regression",
        "session_end": "a session ends with its end message, status 0, and nothing after it",
        "fresh_process": "test files run in processes of their own, or in small groups, in an order of the judge's",
        "doctests": "the examples of a doctest, and what they should print, are base's",
        "test_data": "data that base's test code reads is base's",
        "turns": "messages come in the order that a true session has",
        "values": "what assertions compare is held against base's, whatever the worker says of the outcome",
        "perturb": "tests run once more with literals that only the judge knows, and must compute what base computes",
        "canaries": "tests that must fail ride along, and none of them may pass",
        "mutants": "tests of a package that the judge has changed must fail as they do at base",
        "integrity": "what code of the candidate changes in that which judges it is held against what base's changes",
        # outputs
        "outputs": "what base's benchmarks compute must be what they compute on base",
        "origins": "a module that tests and benchmarks of the candidate load from different files is a failure",
        "siblings": "what benchmarks call must compute for inputs beside theirs what it computes on base, and a gain must be there for them as well",
        # time
        "moved": "a gain that is paid for by dearer setup or imports is none",
        "outside_clock": "the judge reads the clock, not the worker",
        "pause": "one side is stopped while the other is timed",
        "second_clock": "a change on one clock that the other does not bear out is none",
        "claims": "a worker whose own clock tells another time than the judge's is a failure",
        "floor": "a call that costs less than a call of nothing is a failure",
        "waiting": "a loss of wall time is a loss, whatever the CPU clock says",
        "own_code": "a worker whose functions of ours were replaced delivers nothing",
        "station_bound": "all benchmarks together have a bound of time",
        "stray": "work outside of the samples takes a gain away",
        "parameters": "parameters of benchmarks that the product provides must be those of base",
        "missing_benchmarks": "a benchmark that base delivers and the candidate does not is a failure",
        # steps
        "mode_blind": "a worker's code finds no word of what it is for: command line, arguments and modules are those of every other",
        "manifest": "after a step its tree is compared with its manifest",
        "touches": "tests, benchmarks and their folders are left alone while a step runs, or it is a failure, though all be put back",
        "sealed_tree": "a step cannot change the files of its tree",
        "fresh_tree": "each step gets a copy of the tree of its own",
        "no_network": "a sandbox has a network namespace of its own, without a way out",
        "strict_json": "a message that is no plain JSON object is the worker's fault, not the judge's",
        "cleared_environment": "nothing of the judge's environment reaches a sandbox",
        # results
        "clean_output": "what an earlier run left in the result folder is removed first",
        "plain_output": "a link under a result's name is refused",
        "atomic_output": "a result is written aside and renamed, whatever stands there",
    }
)

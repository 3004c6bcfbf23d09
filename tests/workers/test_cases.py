"""What base's suite holds, and what is chosen of it."""

import json

import pytest

from truelap.errors import UsageError
from truelap.task import BenchmarkChoice, OutputChoice, Skip, Task
from truelap.workers.cases import Benchmark, check_names, chosen, modules_of, read_benchmarks, timed_cases

TOLD = {
    "module": "benchmarks.m",
    "class": "C",
    "attr": "time_x",
    "name": "m.C.time_x",
    "error": None,
    "kind": "time",
    "params": [["1", "2"], ["'a'"]],
    "timeout_s": 3.0,
    "cache_key": None,
}


def benchmark(name, params=(), error=None):
    return Benchmark(
        **{"module": "b", "class": None, "attr": "f", "name": name, "error": error, "params": params}
    )


def test_modules_are_files_whose_folders_are_packages():
    paths = [b"x/benches/__init__.py", b"x/benches/a.py", b"x/benches/data/b.py", b"x/benches/s/__init__.py"]
    paths += [b"x/benches/s/c.py", b"x/other.py", b"setup.py", b"x/benches/notes.txt", b"x/benches/\xff.py"]
    found = modules_of(paths, "x/benches", "benches")
    assert found == ("benches", "benches.a", "benches.s", "benches.s.c", "benches.\N{REPLACEMENT CHARACTER}")


def test_a_suite_in_the_root_takes_the_mount_s_name():
    assert modules_of([b"bench.py"], ".", "repo") == ("repo.bench",)


def test_a_reply_of_the_known_form_is_read():
    (found,) = read_benchmarks({"benchmarks": [TOLD]})
    assert (found.owner, found.params) == ("C", (("1", "2"), ("'a'",)))


@pytest.mark.parametrize(
    "change", [{"module": 1}, {"params": "x"}, {"surprise": 1}, {"timeout_s": "soon"}, {"params": [[1]]}]
)
def test_a_reply_of_another_form_is_garbled(change):
    with pytest.raises(ValueError, match="form"):
        read_benchmarks({"benchmarks": [TOLD | change]})


def test_a_reply_without_benchmarks_is_garbled():
    with pytest.raises(ValueError, match="form"):
        read_benchmarks({})


def test_each_set_of_parameters_is_a_case_as_asv_numbers_them():
    cases = timed_cases([benchmark("b.f", (("1", "2"), ("x", "y"))), benchmark("b.g")])
    assert [(case.id, case.param, case.params) for case in cases] == [
        ("b.f-0", 0, ("1", "x")),
        ("b.f-1", 1, ("1", "y")),
        ("b.f-2", 2, ("2", "x")),
        ("b.f-3", 3, ("2", "y")),
        ("b.g", None, ()),
    ]


def test_the_first_of_a_name_counts():
    first, second = benchmark("b.f"), benchmark("b.f", error="later")
    assert timed_cases([first, second])[0].benchmark == first


def test_a_benchmark_that_cannot_be_built_stands_once():
    (case,) = timed_cases([benchmark("b.f", (("1", "2"),), error="boom")])
    assert case.id == "b.f"


def test_the_order_dictates_base_s_metadata():
    case = timed_cases([benchmark("b.f", (("1", "2"),))])[1]
    assert case.order(7)["param"] == 1
    assert case.order(7)["axes"] == [2]
    assert case.order(7)["seed"] == 7


CASES = timed_cases([benchmark("a.one"), benchmark("a.two"), benchmark("b.one")])


@pytest.mark.parametrize(
    ("pattern", "include", "exclude", "ids"),
    [
        (None, (), (), ["a.one", "a.two", "b.one"]),
        ("one$", (), (), ["a.one", "b.one"]),
        ("one$", ("^a",), (), ["a.one"]),
        (None, (), ("two", "^b"), ["a.one"]),
    ],
)
def test_patterns_choose(pattern, include, exclude, ids):
    choice = BenchmarkChoice(include=include, exclude=exclude)
    assert [case.id for case in chosen(CASES, pattern, choice)] == ids


def test_choosing_nothing_is_a_mistake_in_the_command():
    with pytest.raises(
        UsageError, match=r"^--bench nothing matches none of the 3 .* a\.one, a\.two, b\.one$"
    ):
        chosen(CASES, "nothing", BenchmarkChoice())
    with pytest.raises(UsageError, match=r"include and exclude leave none of the 2 .*a\.one, b\.one$"):
        chosen(CASES, "one", BenchmarkChoice(exclude=("one",)))


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [(r"^b\.f\(50, 'x'\)$", ["b.f-1"]), (r"f\(5,", ["b.f-0"]), (r"^b\.f-1$", ["b.f-1"]), ("50", ["b.f-1"])],
)
def test_a_set_of_parameters_is_named_as_asv_prints_it_too(pattern, ids):
    cases = timed_cases([benchmark("b.f", (("5", "50"), ("'x'",))), benchmark("b.g")])
    assert [case.id for case in chosen(cases, pattern, BenchmarkChoice())] == ids
    left = chosen(cases, None, BenchmarkChoice(exclude=(pattern,)))
    assert {case.id for case in left} == {case.id for case in cases} - set(ids)


def test_an_unreadable_pattern_is_named():
    with pytest.raises(UsageError, match=r"'\('"):
        chosen(CASES, "(", BenchmarkChoice())


def test_an_empty_suite_is_not_the_command_s_fault():
    assert chosen((), None, BenchmarkChoice()) == ()


CHOICES = (
    ("outputs.skip", Task(outputs=OutputChoice(skip=(Skip(benchmark="@", reason="r"),)))),
    ("outputs.overrides", Task(outputs=OutputChoice(overrides={"@": {"rtol": 1.0}}))),
    ("benchmarks.include", Task(benchmarks=BenchmarkChoice(include=("@", "m")))),
    ("benchmarks.exclude", Task(benchmarks=BenchmarkChoice(exclude=("@",)))),
)


@pytest.mark.parametrize(("key", "task"), CHOICES, ids=[key for key, _ in CHOICES])
@pytest.mark.parametrize(
    ("name", "fits"),
    [("m.time_fit", True), ("m.time_fit-1", True), ("m.time_fti", False), ("m.time_fit-2", False)],
)
def test_an_entry_of_the_task_file_must_name_a_benchmark(key, task, name, fits):
    cases = timed_cases([benchmark("m.time_fit", (("1", "2"),))])
    named = Task(**json.loads(task.model_dump_json().replace("@", name)))
    if fits:
        check_names(cases, named)
        return
    said = rf"task file: {key}: '{name}' matches none of the 2 benchmarks of base.* perhaps m\.time_fit"
    with pytest.raises(UsageError, match=said):
        check_names(cases, named)

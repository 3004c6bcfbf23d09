"""How test files are spread over processes."""

from random import Random

from truelap.checks.tests.plan import in_small_groups

FILES = {f"test_{n}.py": 0.4 for n in range(20)} | {"test_long.py": 30.0}


def test_every_file_runs_once_and_whole():
    groups = in_small_groups(FILES, 2.0, Random(3))
    assert sorted(file for group in groups for file in group) == sorted(FILES)


def test_a_long_file_has_a_process_to_itself():
    assert ("test_long.py",) in in_small_groups(FILES, 2.0, Random(3))


def test_short_files_share_one_until_it_is_worth_it():
    groups = [group for group in in_small_groups(FILES, 2.0, Random(3)) if group != ("test_long.py",)]
    assert {len(group) for group in groups} == {5}


def test_the_order_is_the_seeds():
    orders = [in_small_groups(FILES, 2.0, Random(seed)) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


def test_nothing_is_nothing():
    assert in_small_groups({}, 2.0, Random(1)) == ()

"""Which seed base is measured with: mostly an earlier one of the same task, and never for ever the same."""

from pathlib import Path

from truelap.settings import Settings
from truelap.world.draws import with_seed
from truelap.world.keep import Keep

DRAWN = Settings(python=Path("python"), seed=0, seed_drawn=True)


def test_a_named_seed_stays(tmp_path):
    named = Settings(python=Path("python"), seed=7)
    assert with_seed(named, Keep(tmp_path / "keep"), "tree") == named
    assert named.base_seed == 7


def test_without_a_folder_every_seed_is_new():
    assert len({with_seed(DRAWN, None, "tree").base_seed for _ in range(20)}) == 20


def test_with_one_base_s_part_comes_back_and_changes_in_time(tmp_path):
    keep = Keep(tmp_path / "keep")
    drawn = [with_seed(DRAWN, keep, "tree") for _ in range(300)]
    shared = {one.base_seed for one in drawn}
    assert 1 < len(shared) < 60
    assert len({one.seed for one in drawn}) > 290
    assert all(one.seed < 2**53 for one in drawn)
    assert not shared & {with_seed(DRAWN, keep, "other tree").base_seed}

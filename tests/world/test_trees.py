"""Trees on disk: written once, proved before each use, replaced by what was built."""

from __future__ import annotations

import pytest

from truelap.errors import WorldError
from truelap.model import REGULAR, Base, Case
from truelap.world.files import TreeOnDisk, deviations
from truelap.world.trees import Trees, overlaid
from truelap.world.workspace import open_workspace


@pytest.fixture
def workspace(tmp_path):
    with open_workspace(tmp_path) as workspace:
        yield workspace


@pytest.fixture
def trees(store, workspace):
    return Trees(store, workspace)


@pytest.fixture
def case(store):
    ids = [
        store.replace(None, [(b"a.py", REGULAR, store.add_blob(text))]) for text in (b"base", b"candidate")
    ]
    return Case(name="t", base=Base(given="b", commit=None, tree=ids[0]), candidate_tree=ids[1])


def test_each_side_is_written_once(trees, case):
    assert (trees.base(case).root / "a.py").read_bytes() == b"base"
    assert (trees.candidate(case).root / "a.py").read_bytes() == b"candidate"
    assert trees.base(case) is trees.base(case)


def test_the_folders_do_not_say_which_side_they_are(trees, case):
    names = {trees.base(case).root.name, trees.candidate(case).root.name}
    assert not any(part in name for name in names for part in ("base", "cand", case.base.tree[:7]))


def test_there_is_no_candidate_before_it_was_assembled(trees, case):
    with pytest.raises(WorldError, match="no candidate tree"):
        trees.candidate(case.plus(candidate_tree=None))


def test_a_copy_is_a_steps_own_and_gone_afterwards(trees, case):
    base = trees.base(case)
    with trees.fresh(base, "step") as copy:
        (copy.root / "a.py").write_bytes(b"changed")
        (copy.root / "locked").mkdir(mode=0o000)
    assert (base.root / "a.py").read_bytes() == b"base"
    assert not copy.root.exists()


def test_a_copy_goes_even_when_its_step_fails(trees, case):
    with pytest.raises(RuntimeError), trees.fresh(trees.base(case), "step") as copy:
        raise RuntimeError
    assert not copy.root.exists()


@pytest.mark.parametrize("spoil", ["change", "add", "remove"])
def test_an_original_that_somebody_touched_is_not_used(trees, case, spoil):
    base = trees.base(case)
    file = base.root / "a.py"
    {"change": lambda: file.write_bytes(b"x"), "add": (base.root / "b").touch, "remove": file.unlink}[spoil]()
    with pytest.raises(WorldError, match="changed outside"), trees.fresh(base, "step"):
        pass


def test_what_was_built_takes_the_place(trees, case, tmp_path):
    built = TreeOnDisk(tmp_path / "built", {})
    trees.replace(case.base.tree, built)
    assert trees.base(case) is built
    assert trees.candidate(case) is not built


def test_what_is_known_of_a_tree_is_found_out_once(trees, case):
    asked = []

    def find():
        asked.append(1)
        return len(asked)

    base = trees.base(case)
    assert [trees.known(base, "a", find), trees.known(base, "a", find), trees.known(base, "b", find)] == [
        1,
        1,
        2,
    ]
    assert trees.known(trees.candidate(case), "a", find) == 3


@pytest.mark.parametrize("restore", [False, True])
def test_the_judges_sources_lie_in_a_copy_and_are_not_taken_for_a_change(trees, case, restore):
    base = trees.base(case)
    with trees.fresh(base, "step") as copy:
        (copy.root / "a.py").chmod(0o444)
        with overlaid(copy, base, {b"a.py": b"judge"}, restore=restore) as tree:
            assert (tree.root / "a.py").read_bytes() == b"judge"
            assert not deviations(tree.root, tree.manifest)
            assert deviations(tree.root, copy.manifest)
        assert (copy.root / "a.py").read_bytes() == (b"base" if restore else b"judge")
    assert (base.root / "a.py").read_bytes() == b"base"

"""The judge's own look after steps: when it ends one, when not, and what looking costs."""

from __future__ import annotations

import os
import resource
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from truelap.errors import WorldError
from truelap.world import usage, watch
from truelap.world.usage import Amount, FolderPlace, SharedPlace
from truelap.world.watch import Guard, Pace


class Cage:
    def __init__(self) -> None:
        self.killed = 0

    def members(self) -> list[int]:
        return [1, 2]

    def kill(self) -> None:
        self.killed += 1


class Place:
    def __init__(self, free: list[Amount], written: Amount) -> None:
        self._free = free
        self._written = written
        self.walks = 0

    def free(self) -> Amount:
        return self._free.pop(0) if len(self._free) > 1 else self._free[0]

    def written(self) -> Amount:
        self.walks += 1
        return self._written


@pytest.fixture
def small(limits):
    return limits.model_copy(update={"memory_bytes": 1000, "scratch_bytes": 1000, "files": 10})


@pytest.fixture(autouse=True)
def _no_memory(monkeypatch):
    for name in ("memory", "own_memory", "nameless"):
        monkeypatch.setattr(usage, name, lambda _: 0)


def looked(limits, *places: Place, times: int = 1) -> tuple[str, int]:
    cage = Cage()
    guard = Guard(cage, limits, places)
    for _ in range(times):
        guard.look()
    return guard.over, cage.killed


@pytest.mark.parametrize(
    ("amounts", "over"),
    [
        ((900, 900, 0), ""),
        ((1100, 900, 0), ""),
        ((1100, 1100, 0), "memory"),
        ((0, 0, 1100), "memory"),
        ((0, 0, 900), ""),
    ],
)
def test_memory(small, monkeypatch, amounts, over):
    for name, value in zip(("memory", "own_memory", "nameless"), amounts, strict=True):
        monkeypatch.setattr(usage, name, lambda _, value=value: value)
    assert looked(small) == (over, int(bool(over)))


@pytest.mark.parametrize(
    ("free", "written", "over", "walks"),
    [
        (Amount(9600, 100), Amount(5000, 0), "", 0),
        (Amount(9400, 100), Amount(900, 0), "", 1),
        (Amount(9400, 100), Amount(1100, 0), "disk", 1),
        (Amount(10000, 94), Amount(0, 11), "files", 1),
        (Amount(10000, 96), Amount(0, 11), "", 0),
        (Amount(20000, 200), Amount(5000, 50), "", 0),
    ],
)
def test_files_are_counted_when_it_is_worth_the_trouble(small, free, written, over, walks):
    place = Place([Amount(10000, 100), free], written)
    assert looked(small, place) == (over, int(bool(over)))
    assert place.walks == walks


def test_all_places_count_together(small):
    places = [Place([Amount(10000, 100), Amount(9400, 100)], Amount(600, 0)) for _ in range(2)]
    assert looked(small, *places)[0] == "disk"


def test_a_walk_is_not_repeated_at_once(small):
    place = Place([Amount(10000, 100), Amount(9000, 100)], Amount(900, 0))
    looked(small, place, times=5)
    assert place.walks == 1


def test_a_costly_look_rests(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(watch.time, "monotonic", lambda: now[0])
    pace = Pace()
    with pace:
        now[0] += 2.0
    now[0] += 39.0
    assert not pace.is_due()
    now[0] += 2.0
    assert pace.is_due()


def test_who_is_over_is_killed_once_and_not_after_the_end(small, monkeypatch):
    monkeypatch.setattr(usage, "nameless", lambda _: 5000)
    assert looked(small, times=3) == ("memory", 1)
    cage = Cage()
    guard = Guard(cage, small, ())
    guard.end()
    guard.look()
    assert (guard.over, cage.killed) == ("", 0)


def test_who_is_paused_is_not_looked_at(small, monkeypatch):
    monkeypatch.setattr(usage, "nameless", lambda _: 5000)
    cage = Cage()
    guard = Guard(cage, small, ())
    guard.paused = True
    guard.look()
    assert cage.killed == 0


def test_one_thread_looks_after_all_and_ends_with_them(small, monkeypatch):
    def threads() -> int:
        return sum(thread.name == "truelap-watch" for thread in threading.enumerate())

    cages = [Cage(), Cage()]
    guards = [Guard(cage, small, ()) for cage in cages]
    before = threads()
    for guard in guards:
        watch.begin(guard)
    monkeypatch.setattr(usage, "nameless", lambda _: 5000)
    for guard in guards:
        guard._seldom = Pace()
    deadline = time.monotonic() + 10
    while not all(cage.killed for cage in cages) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() == 1
    for guard in guards:
        watch.end(guard)
        watch.end(guard)
    while threads() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() <= before
    assert [cage.killed for cage in cages] == [1, 1]


def test_what_a_step_has_written(tmp_path):
    old = tmp_path / "old"
    old.write_bytes(bytes(100_000))
    time.sleep(0.05)
    now = time.time()
    time.sleep(0.05)
    place = FolderPlace(tmp_path, now)
    assert place.written().bytes < 50_000
    (tmp_path / "deep" / "er").mkdir(parents=True)
    new = tmp_path / "deep" / "er" / "new"
    new.write_bytes(bytes(200_000))
    (tmp_path / "link").symlink_to("/usr")
    # The kernel dates a change of the date, too.
    os.utime(new, (1, 1))
    found = place.written()
    assert 200_000 <= found.bytes < 300_000
    assert found.files == 4
    with old.open("ab") as file:
        file.write(b"x")
    assert place.written().bytes > 300_000


def test_folders_without_end_are_no_trouble(tmp_path):
    now = time.time() - 1
    here = os.open(tmp_path, os.O_RDONLY)
    folders = [here]
    for _ in range(300):
        os.mkdir("d", dir_fd=folders[-1])
        folders.append(os.open("d", os.O_RDONLY, dir_fd=folders[-1]))
    assert FolderPlace(tmp_path, now).written().files > 1 << 30
    for folder in reversed(folders[:-1]):
        os.rmdir("d", dir_fd=folder)
    for folder in folders:
        os.close(folder)


def test_a_place_that_is_gone(tmp_path):
    place = FolderPlace(tmp_path / "gone", 0.0)
    for ask in (place.free, place.written):
        with pytest.raises(FileNotFoundError):
            ask()


def test_a_folder_that_a_step_has_closed_hides_nothing(grounds, is_root):
    folder = grounds.folder("closed")
    (folder / "file").write_bytes(b"x")
    place = FolderPlace(folder, 0.0)
    assert place.written().files == 1
    folder.chmod(0o300)
    with ordinary_user(is_root):
        assert place.written().files > 1 << 30
    folder.chmod(0o700)


@contextmanager
def ordinary_user(is_root):
    """Root reads every folder."""
    if is_root:
        os.seteuid(12345)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def blind(guard: Guard, looks: int) -> None:
    for _ in range(looks):
        guard.look()


def test_who_cannot_be_looked_after_is_ended(small, tmp_path):
    (tmp_path / "tree").mkdir()
    cage = Cage()
    guard = Guard(cage, small, [FolderPlace(tmp_path / "tree", 0.0)])
    (tmp_path / "tree").rename(tmp_path / "elsewhere")
    blind(guard, 4)
    assert (guard.fault, cage.killed) == ("", 0)
    (tmp_path / "elsewhere").rename(tmp_path / "tree")
    blind(guard, 1)
    (tmp_path / "tree").rename(tmp_path / "elsewhere")
    blind(guard, 4)
    assert (guard.fault, cage.killed) == ("", 0)
    blind(guard, 3)
    assert (guard.over, cage.killed) == ("", 1)
    assert guard.fault.startswith("FileNotFoundError: ")


def test_a_walk_that_fails_is_not_forgotten_until_the_next_one(small):
    class Unreadable(Place):
        def written(self) -> Amount:
            raise OSError("cannot be read")

    cage = Cage()
    guard = Guard(cage, small, [Unreadable([Amount(10000, 100), Amount(9000, 100)], Amount())])
    blind(guard, 5)
    assert (guard.fault, cage.killed) == ("OSError: cannot be read", 1)


def test_a_judge_that_can_open_no_more_files_sees_nothing_and_says_so(small, monkeypatch):
    monkeypatch.undo()
    cage = Cage()
    guard = Guard(cage, small, ())
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, most[1]))
    try:
        blind(guard, 5)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, most)
    assert "Too many open files" in guard.fault
    assert cage.killed == 1


def test_a_step_that_cannot_be_looked_after_says_nothing_of_the_submission(bubblewrap, step, monkeypatch):
    monkeypatch.undo()
    made = step("import time; time.sleep(60)")
    session = bubblewrap.start(made)
    made.tree.rename(made.tree.with_name("elsewhere"))
    for end in (lambda: session.wait(30), session.kill, lambda: session.__exit__(None, None, None)):
        with pytest.raises(WorldError, match="could not be looked after"):
            end()
    assert session.pids() == ()


def test_shared_memory_counts_by_user_and_date(tmp_path):
    name = Path("/dev/shm", f"truelap-test-{os.getpid()}")
    now = time.time() - 1
    try:
        name.write_bytes(bytes(50_000))
        found = SharedPlace(os.getuid(), now).written()
        assert found.bytes >= 50_000
        assert SharedPlace(os.getuid(), time.time() + 60).written() == Amount()
        assert SharedPlace(4_000_000, now).written() == Amount()
    finally:
        name.unlink()


def test_memory_of_this_process(monkeypatch):
    monkeypatch.undo()
    held = bytearray(64 << 20)
    held[::4096] = b"x" * len(held[::4096])
    for measured in (usage.memory, usage.own_memory):
        assert 64 << 20 < measured([os.getpid()]) < 8 << 30
        assert measured([4_000_000]) == 0
    file = os.memfd_create("test")
    before = usage.nameless([os.getpid()])
    os.write(file, bytes(4 << 20))
    other = os.dup(file)
    assert usage.nameless([os.getpid()]) - before == 4 << 20
    os.close(file)
    os.close(other)

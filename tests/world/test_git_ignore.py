"""Ignore rules are read as git reads them, from contents alone."""

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truelap.world.git import Store
from truelap.world.git_ignore import ignored

NAMES = st.binary(min_size=1, max_size=10).filter(lambda b: not set(b) & {0, 0x2F} and b not in {b".", b".."})
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map(b"/".join), max_size=5)


def test_nested_rules_exceptions_and_folders(store):
    rules = {b".gitignore": b"build/\n*.so\n!keep.so\n/top\n", b"sub/.gitignore": b"*\n!.gitignore\n"}
    paths = [
        b"build/a",
        b"x/build/b",
        b"a.so",
        b"keep.so",
        b"top",
        b"x/top",
        b"sub/a",
        b"sub/.gitignore",
        b"build",
    ]
    assert ignored(store.git, rules, paths) == {b"build/a", b"x/build/b", b"a.so", b"top", b"sub/a"}


def test_the_rules_agree_with_git_in_a_real_work_tree(store, repo):
    repo.write(
        {".gitignore": "*.o\n!b.o\nd/\n", "a.o": "", "b.o": "", "d/x": "", "e/d/y": "", "e/c.o": "", "f": ""}
    )
    files = [os.fsencode(p.relative_to(repo.folder)) for p in repo.folder.rglob("*") if p.is_file()]
    files = [path for path in files if not path.startswith(b".git/")]
    shown = set(repo.git("ls-files", "-z", "-o", "--exclude-standard").split(b"\0")[:-1])
    rules = {b".gitignore": (repo.folder / ".gitignore").read_bytes()}
    assert set(files) - ignored(store.git, rules, files) == shown


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(paths=PATHS)
def test_any_bytes_in_a_path(tmp_path_factory, paths):
    store = Store.create(tmp_path_factory.mktemp("s"))
    marked = [path + b".log" for path in paths] + [b":(top)x.log", b":(bad)x.log", b":!x.log", b"*.log"]
    assert ignored(store.git, {b".gitignore": b"*.log\n"}, [*marked, *paths]) >= set(marked)
    assert ignored(store.git, {b".gitignore": b"/nothing-of-this-name/\n"}, [*marked, *paths]) == frozenset()

"""Opens the starting tree: a commit, the commit that a file names, or a pristine directory."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from truelap.errors import UsageError
from truelap.imports import above
from truelap.links import lies_in
from truelap.model import Base, Finding
from truelap.prepare.linked import links_of, seen
from truelap.product import Product
from truelap.pytest_config import pick, test_code_patterns, test_folders, test_modules
from truelap.scripts import find_scripts
from truelap.serving import import_places
from truelap.suite import find_asv_configs, protected_patterns
from truelap.world.git_ignore import ignored, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from truelap.links import Leads, Links
    from truelap.scripts import Style
    from truelap.suite import AsvConfig
    from truelap.world.git import Store
    from truelap.world.git_listing import TreeFile

SuiteFiles = tuple[tuple[str, ...], "Style"]
"""As in `BenchmarkChoice.files`."""

_ASV: SuiteFiles = ((), "asv")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def base_of_revision(store: Store, repo: Path, revision: str, suite: SuiteFiles = _ASV) -> Base:
    """The tree of a commit, without its submodules.

    Args:
        store: the private store.
        repo: the repository.
        revision: names the commit.
        suite: patterns of files that hold it, and how they are written.

    Raises:
        UsageError: no such repository, revision or file, or its objects are not whole.
    """
    found = store.import_revision(repo, revision)
    base = Base(given=revision, commit=found.commit, tree=found.tree, gitlinks=found.gitlinks)
    return _with_suite(store, base, suite)


def base_of_directory(
    store: Store, folder: Path, carry: tuple[str, ...] = (), suite: SuiteFiles = _ASV
) -> Base:
    """A pristine directory whole: untracked suites, nested repositories and submodules are part of it.

    Args:
        store: the private store.
        folder: the directory.
        carry: globs, as in a `.gitignore` file, of ignored files that are taken all the same.
        suite: patterns of files that hold it, and how they are written.

    Raises:
        UsageError: it cannot be read, or holds no such files.
    """
    tree = store.import_directory(folder, carry)
    base = Base(given=str(folder), commit=None, tree=tree, carried=_carried(store, tree, carry))
    return _with_suite(store, base, suite)


def read_base_file(path: Path) -> str | None:
    """The commit id that a file holds (`/opt/fc_baseline_sha`), or None when there is no such file.

    Raises:
        UsageError: the file cannot be read, or holds something else.
    """
    try:
        text = path.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"base file {path}: {error.strerror}") from error
    if not _COMMIT.fullmatch(text):
        raise UsageError(f"base file {path}: holds no commit id (40 hexadecimal digits)")
    return text


def asv_configs(store: Store, base: Base) -> tuple[AsvConfig, ...]:
    """Base's asv configurations."""
    files = tuple(store.list_tree(base.tree))
    return find_asv_configs(*_files(store, seen(files, links_of(store, files))))


def suite_findings(configs: tuple[AsvConfig, ...]) -> tuple[Finding, ...]:
    """A note for each configuration that cannot be used, and so protects nothing but itself."""
    return tuple(
        Finding(
            code="suite:config",
            level="info",
            message=f"asv config of base: {config.problem}",
            path=config.path,
        )
        for config in configs
        if config.problem is not None
    )


def _with_suite(store: Store, base: Base, suite: SuiteFiles) -> Base:
    files = tuple(store.list_tree(base.tree))
    links = links_of(store, files)
    with store.reader() as read_blob:
        paths, read = _files(store, seen(files, links), read_blob)
        configs, scripts = find_asv_configs(paths, read), find_scripts(suite[0], paths, suite[1])
        # The newest pytest knows all the names that any version reads.
        config = pick(lambda path: read(path) if path.encode() in paths else None, ("",), (9,))
        names = {path.decode("utf-8", "surrogateescape") for path in paths}
        conftests = (read(name) for name in names if name.rpartition("/")[2] == "conftest.py")
        product = Product(names, read)
        suites = {one.benchmark_dir for one in configs if one.problem is None}
        modules = (*test_modules(config, names), *scripts)
        measuring = frozenset(_measuring(names, modules, suites, product))
        own = measuring.union(links.aliases())
        added = import_places(measuring, names, read)
        return base.model_copy(
            update={
                "protected_paths": protected_patterns(configs, paths, read, links, scripts),
                "links": tuple(_leads(links, lambda end: product.reached(end, own.__contains__))),
                "test_code": test_code_patterns(config, conftests, product.names),
                "distributions": tuple(sorted(product.distributions)),
                "import_folders": tuple(
                    sorted(
                        {*map(posixpath.dirname, {*suites, *scripts}), *added, *test_folders(config, names)}
                    )
                ),
            }
        )


def _leads(links: Links, is_product: Callable[[str], bool]) -> Iterator[Leads]:
    """What each link leads to, the product apart."""
    for link in links:
        passed, end = links.way(link)
        whole = end is None or lies_in(link, end) or is_product(end)
        others = [path for path in (*passed, *([] if whole or end is None else [end])) if path != link]
        if others:
            yield _bytes(link), tuple(map(_bytes, others))


def _measuring(
    paths: Iterable[str], tests: tuple[str, ...], suites: set[str], product: Product
) -> Iterator[str]:
    """Modules of tests and benchmarks, and what lies with them and is not the product's."""
    known = frozenset(tests)
    homes = {posixpath.dirname(path) for path in tests} - {""}
    for path in paths:
        folders = {*above(path)}
        beside = not homes.isdisjoint(folders) and not product.holds(path)
        if path in known or (path.endswith(".py") and (beside or not suites.isdisjoint(folders))):
            yield path


def _carried(store: Store, tree: str, carry: tuple[str, ...]) -> tuple[bytes, ...]:
    files = list(store.list_tree(tree))
    paths = [file.path for file in files]
    named = ignored(store.git, {b".gitignore": "\n".join(carry).encode()}, paths)
    return tuple(sorted(named & ignored(store.git, rules_of(store, files), paths)))


def _files(
    store: Store, files: Iterable[TreeFile], read: Callable[[str], bytes] | None = None
) -> tuple[Mapping[bytes, str], Callable[[str], bytes]]:
    blobs = {file.path: file.blob for file in files}
    content = read or store.blob
    return blobs, lambda path: content(blobs[_bytes(path)])


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")

"""What base's own asv configurations resolve to: the suite, and the files beside it that decide what is measured.

Everything is read, nothing is run. The answers are patterns that are protected like the policy's.
"""

from __future__ import annotations

import ast
import json
import math
import posixpath
import re
from typing import TYPE_CHECKING, Any

import json5

from truelap.errors import UsageError
from truelap.links import NO_LINKS, escaped
from truelap.model import Frozen
from truelap.product import Product
from truelap.serving import Serving, import_places

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from truelap.links import Links
    from truelap.product import Read

_CONFIG = re.compile(r"(^|/)asv(\.[^/]*)?\.jsonc?\Z|(^|/)asv[^/]*\.conf\.jsonc?\Z")
_CODE = (".py", ".pyx", ".pxd", ".c", ".cc", ".cpp", ".h", ".rs", ".f90", ".f")
_LONGEST_NAME = 200
_NO_FOLDER = "benchmark_dir names a folder that base does not have (a submodule is not part of a commit)"


class AsvConfig(Frozen):
    """One asv configuration of base. Paths are relative to the tree's root, "." for the root itself."""

    path: str
    benchmark_dir: str
    data: dict[str, Any]
    """The file's content, as asv reads it."""
    problem: str | None = None
    """Why it cannot be used, in one line."""

    @property
    def default_timeout_s(self) -> float | None:
        """Seconds for a benchmark that says nothing of it; None where the configuration does not either."""
        told = self.data.get("default_benchmark_timeout")
        if not isinstance(told, int | float) or isinstance(told, bool) or not 0 < told < math.inf:
            return None
        return float(told)


def find_asv_configs(paths: Iterable[bytes], read: Read) -> tuple[AsvConfig, ...]:
    """Every asv configuration of a tree, by path: `asv*.conf.json`, `asv.*.json`, `asv.json`, and the same in `.jsonc`.

    Args:
        paths: every path of the tree.
        read: content of a path.
    """
    known = sorted(_texts(paths))
    folders = {folder for path in known for folder in _folders(path)}
    return tuple(_read_config(path, read(path), folders) for path in known if _CONFIG.search(path))


def choose_config(configs: Iterable[AsvConfig], named: str | None) -> AsvConfig:
    """The one configuration to measure with.

    Args:
        configs: of base.
        named: its path, where the task names one.

    Raises:
        UsageError: there is none, several and none is named, or the one cannot be used.
    """
    known = tuple(configs)
    wanted = posixpath.normpath(named) if named else None
    found = [config for config in known if wanted in {None, config.path}]
    usable = [config for config in found if config.problem is None]
    if len(usable) == 1:
        return usable[0]
    if usable:
        names = ", ".join(config.path for config in usable)
        raise UsageError(
            f"base has several asv configs ({names}); name one in the task file: benchmarks.config"
        )
    if found:
        raise UsageError(f"asv config {found[0].path} of base: {found[0].problem}")
    if known:
        names = ", ".join(config.path for config in known)
        raise UsageError(f"base has no asv config {wanted!r}, but: {names}")
    raise UsageError(
        "base has no asv config (asv*.conf.json or asv.*.json), so there is nothing to measure with"
    )


def protected_patterns(
    configs: Iterable[AsvConfig],
    paths: Iterable[bytes],
    read: Read,
    links: Links = NO_LINKS,
    scripts: Iterable[str] = (),
) -> tuple[str, ...]:
    """Regular expressions for what the configurations resolve to, and what scripts take.

    These are the configuration files, their benchmark folders, and what the benchmarks import or read by name from
    beside their folder and outside of the product; scripts, and what they take likewise.

    Args:
        configs: of base.
        paths: every path of the tree, through links too.
        read: content of a path.
        links: of the tree.
        scripts: that are benchmarks.
    """
    known = frozenset(_texts(paths))
    patterns = set()
    for config in configs:
        patterns.add(_through(config.path, "$"))
        folder = config.benchmark_dir
        if config.problem is None or config.problem.startswith(_NO_FOLDER):
            patterns.add(f"^{escaped(folder.encode())}/")
            patterns |= {_through(path, "(/|$)") for path in links.ways(folder) - {folder}}
        if config.problem is None:
            inside = {path for path in known if path.startswith(f"{folder}/")}
            above, home = posixpath.dirname(folder), posixpath.dirname(config.path)
            beside = _Beside(inside, above, {folder, home}, known, read).found()
            patterns |= {_through(other, "$") for path in beside for other in links.ways(path)}
    for script in scripts:
        folder = posixpath.dirname(script)
        taken = _Beside({script}, folder, {folder}, known, read).found() | {script}
        patterns |= {_through(other, "$") for path in taken for other in links.ways(path)}
    return tuple(sorted(patterns))


def _through(path: str, end: str) -> str:
    return f"^{escaped(path.encode('utf-8', 'surrogateescape'))}{end}"


def _texts(paths: Iterable[bytes]) -> Iterator[str]:
    # A name that is not UTF-8 is neither a configuration nor a module that a benchmark could name.
    for path in paths:
        try:
            yield path.decode()
        except UnicodeDecodeError:
            continue


def _read_config(path: str, content: bytes, folders: Collection[str]) -> AsvConfig:
    try:
        data = _tolerant(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return AsvConfig(path=path, benchmark_dir=".", data={}, problem=f"is not JSON: {error}")
    if not isinstance(data, dict):
        return AsvConfig(path=path, benchmark_dir=".", data={}, problem="is not a JSON object")
    named = data.get("benchmark_dir", "benchmarks")
    if not isinstance(named, str):
        return AsvConfig(path=path, benchmark_dir=".", data=data, problem="benchmark_dir is not a text")
    folder = posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
    return AsvConfig(path=path, benchmark_dir=folder, data=data, problem=_problem(folder, folders))


def _tolerant(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return json5.loads(text)


def _problem(folder: str, folders: Collection[str]) -> str | None:
    if folder.startswith(("/", "..")):
        return "benchmark_dir lies outside of the tree"
    if folder == ".":
        return "benchmark_dir is the whole tree; move the benchmarks into a folder of their own"
    if folder not in folders:
        return f"{_NO_FOLDER}: {folder}"
    return None


class _Beside:
    """Finds what modules of a suite take from beside it, starting from every one.

    Args:
        inside: files of the suite.
        above: the folder that its modules are imported from.
        homes: further folders that names of data are relative to.
        paths: of the tree.
        read: content of a path.
    """

    def __init__(
        self,
        inside: Collection[str],
        above: str,
        homes: Collection[str],
        paths: Collection[str],
        read: Read,
    ) -> None:
        self._inside = inside
        self._above = above
        self._homes = {above, *homes}
        self._paths = paths
        self._folders = {posixpath.dirname(path) for path in paths}
        self._with_code = {above for path in paths if path.endswith(_CODE) for above in _folders(path)}
        self._read = read

    def found(self) -> set[str]:
        product = Product(self._paths, self._read)
        modules = [path for path in self._inside if path.endswith(".py")]
        added = import_places(modules, self._paths, self._read)
        aside = {self._above} - product.projects - {posixpath.join(root, "src") for root in product.projects}
        serving = Serving(
            self._paths,
            self._read,
            dict.fromkeys([self._above, *sorted(product.projects), *sorted(added)]),
            product,
            is_guarded=lambda path: path in self._inside,
            aside=aside,
            alone=True,
        )
        return {*serving.found(self._inside, self._data)} - set(self._inside)

    def _data(self, path: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
        said = {
            node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        texts = {text for text in said if 0 < len(text) < _LONGEST_NAME}
        for start in {posixpath.dirname(path), *self._homes}:
            inner = {folder for text in texts if (folder := _joined(start, text)) in self._folders}
            for place in (start, *inner):
                named = (_joined(place, text) for text in texts)
                yield from (other for other in named if other in self._paths and not other.endswith(".py"))
            # Without a single source below, a folder holds data and nothing else: a suite may list it.
            for folder in inner - self._with_code - {"."}:
                yield from (other for other in self._paths if other.startswith(f"{folder}/"))


def _joined(folder: str, text: str) -> str:
    return posixpath.normpath(posixpath.join(folder, text))


def _folders(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path

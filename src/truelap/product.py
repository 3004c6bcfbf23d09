"""Which modules of base are its product, by what base's build metadata says. Pure: everything is read, nothing is run.

It is the other side of the measurement: what tests and benchmarks import from outside of it merely serves them.
"""

from __future__ import annotations

import configparser
import posixpath
import re
import tomllib
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    Read = Callable[[str], bytes]

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
"""A folder with one of these is a project's root."""

_BUILD_FILES = (*PROJECT_FILES, "meson.build", "CMakeLists.txt")
_BACKENDS = frozenset(
    {
        "setuptools",
        "distutils",
        "poetry",
        "flit",
        "hatch",
        "pdm",
        "uv",
        "meson-python",
        "maturin",
        "scikit-build",
    }
)
_OF_PROJECT = ("name", "scripts", "gui-scripts", "entry-points", "import-names")
_PACKAGES = (
    ("setuptools", "packages"),
    ("setuptools", "py-modules"),
    ("poetry", "packages"),
    ("flit", "module", "name"),
    ("hatch", "build", "targets", "wheel", "packages"),
    ("hatch", "build", "targets", "wheel", "only-include"),
)
_LISTS = re.compile(r"""\bpackages\s*=\s*[\[(]\s*["']""")
_FINDS = re.compile(r"\bfind_(?:namespace_)?packages\b")
_WORD = re.compile(r"\w+")
_SETUP_NAME = re.compile(r"""\bname\s*=\s*["']([\w.-]+)["']""")
_QUOTED = re.compile(r"""["']([\w.-]+)["']""")
_PAGES = (".rst", ".md", ".txt")
_SOURCES = (".py", ".pyi", ".pyx", ".pxd")


class Product:
    """What base's metadata makes of a path. Paths are texts relative to the tree's root.

    Args:
        paths: every path of base.
        read: content of a path.
    """

    def __init__(self, paths: Collection[str], read: Read) -> None:
        self._paths = frozenset(paths)
        self._read = read

    @cached_property
    def projects(self) -> frozenset[str]:
        """Roots of projects: the tree's own, and each folder with metadata at its top or one below ("" is the root)."""
        split = [posixpath.split(path) for path in self._paths if path.count("/") <= 1]
        return frozenset({"", *(folder for folder, name in split if name in PROJECT_FILES)})

    @cached_property
    def distributions(self) -> frozenset[str]:
        """Names under which the projects are installed, in their normal form."""
        return frozenset(
            re.sub(r"[-_.]+", "-", name).lower() for path in self._metadata for name in self._names(path)
        )

    @cached_property
    def known(self) -> bool:
        """Whether metadata names some top-level module of base outright: else nothing can be told apart by it."""
        sources = (path for path in self._paths if path.endswith(".py"))
        return any(self._in_src(path) or self._top(path) in self._whole for path in sources)

    def holds(self, path: str) -> bool:
        """Whether metadata names a path's module or a folder on the way to it, or the path lies below a project's `src`."""
        *folders, file = path.split("/")
        return self._in_src(path) or not self._words.isdisjoint([*folders, file.partition(".")[0]])

    def names(self, module: str) -> bool:
        """Whether metadata names a module outright, as a distribution, a package or an entry point.

        Args:
            module: its dotted name.
        """
        return re.sub(r"[-.]+", "_", module) in self._whole

    def lists(self, project: str) -> bool:
        """Whether the metadata of one project lists its packages, so that any other one at its root is not shipped.

        It does not where a build backend is to find them.

        Args:
            project: one of `projects`.
        """
        places = (posixpath.join(project, name) for name in PROJECT_FILES)
        said = {self._listed(path) for path in places if path in self._paths}
        return "lists" in said and "finds" not in said

    def imports(self, top: str, is_guarded: Callable[[str], bool]) -> bool:
        """Whether some source of the product speaks of a top-level module as one does who imports it.

        Where metadata does not say what the product is, it may be any source.

        Args:
            top: the module's path, without an ending.
            is_guarded: whether a path belongs to tests or benchmarks, wherever it lies.
        """
        name = re.escape(posixpath.basename(top))
        line = rf"^[ \t]*(?:from[ \t]+{name}\b|c?import[ \t][^#\n]*\b{name}\b)|[\"']{name}[\"'.]"
        speaks = re.compile(line.encode(), re.MULTILINE)
        sources = (path for path in self._paths if path.endswith(_SOURCES) and not path.startswith(f"{top}/"))
        own = (path for path in sources if not is_guarded(path) and (self.holds(path) or not self.known))
        return any(speaks.search(self._read(path)) for path in own)

    def is_mentioned(self, name: str, besides: Callable[[str], bool]) -> bool:
        """Whether a source or a page of base so much as mentions a name; some paths are not asked."""
        word = re.compile(rf"\b{re.escape(name)}\b".encode())
        speaking = (path for path in self._paths if path.endswith((*_SOURCES, *_PAGES)))
        return any(word.search(self._read(path)) for path in speaking if not besides(path))

    def reached(self, end: str, besides: Callable[[str], bool]) -> bool:
        """Whether a file or folder that tests have a link to is the product or a part of it, and not theirs.

        It is where a module that metadata names outright lies there, or where the product imports it. What lies inside of the
        product is, unless nothing but the tests speaks of it. Where metadata says nothing, what lies at the root is.

        Args:
            end: its path.
            besides: whether a path belongs to tests or benchmarks, or is one by another name.
        """
        stem = posixpath.basename(end).partition(".")[0]
        inside = [path for path in self._paths if path == end or path.startswith(posixpath.join(end, ""))]
        mine = frozenset(inside)
        speaks = self.is_mentioned(stem, lambda path: path in mine or besides(path)) if stem else True
        if not self.known:
            return "/" not in end or speaks
        home = posixpath.dirname(end)
        parts = {part for path in inside for part in path[len(home) :].split("/")}
        if any(self.names(part.removesuffix(".py")) for part in parts):
            return True
        return speaks if self.holds(end) else self.imports(end.partition("/")[0].removesuffix(".py"), besides)

    def _in_src(self, path: str) -> bool:
        return any(path.startswith(posixpath.join(project, "src/")) for project in self.projects)

    def _top(self, path: str) -> str:
        project = path.partition("/")[0]
        rest = path.removeprefix(f"{project}/") if project in self.projects else path
        return rest.partition("/")[0].removesuffix(".py")

    @cached_property
    def _metadata(self) -> tuple[str, ...]:
        places = (posixpath.join(project, name) for project in self.projects for name in _BUILD_FILES)
        return tuple(sorted(path for path in places if path in self._paths))

    @cached_property
    def _whole(self) -> frozenset[str]:
        # A distribution's name is a module's with other signs between its parts.
        return frozenset(re.sub(r"[-.]+", "_", text) for path in self._metadata for text in self._said(path))

    @cached_property
    def _words(self) -> frozenset[str]:
        return self._whole.union(
            *map(_WORD.findall, (text for p in self._metadata for text in self._said(p)))
        )

    def _said(self, path: str) -> Iterator[str]:
        name = posixpath.basename(path)
        if name == "pyproject.toml":
            data = _toml(self._read(path))
            chosen = [data.get("build-system", {}), *(_part(data, "project", key) for key in _OF_PROJECT)]
            yield from (text for part in chosen for text in _texts(part))
            yield from (text for tool in _BACKENDS for text in _texts(_part(data, "tool", tool)))
        elif name == "setup.cfg":
            config = _ini(self._read(path))
            shipped = [s for s in config if s == "metadata" or s.startswith(("options", "build"))]
            for section in shipped:
                yield from (
                    value for key, value in config[section].items() if section != "metadata" or key == "name"
                )
        else:
            text = self._read(path).decode("utf-8", "replace")
            yield text
            yield from _QUOTED.findall(text)

    def _listed(self, path: str) -> str:
        """Whether a file of metadata "lists" packages, "finds" them, or says nothing ("")."""
        name = posixpath.basename(path)
        if name == "pyproject.toml":
            data = _toml(self._read(path))
            said = [_part(data, "tool", *keys) for keys in _PACKAGES]
            return "finds" if isinstance(said[0], dict) else "lists" if any(said) else ""
        if name == "setup.cfg":
            text = _ini(self._read(path)).get("options", {}).get("packages") or ""
            return "finds" if text.strip().startswith("find") else "lists" if text.strip() else ""
        text = self._read(path).decode("utf-8", "replace")
        return "finds" if _FINDS.search(text) else "lists" if _LISTS.search(text) else ""

    def _names(self, path: str) -> Iterator[str]:
        name = posixpath.basename(path)
        if name == "pyproject.toml":
            data = _toml(self._read(path))
            yield from _texts([_part(data, "project", "name"), _part(data, "tool", "poetry", "name")])
        elif name == "setup.cfg":
            yield from _texts(_ini(self._read(path)).get("metadata", {}).get("name"))
        elif name == "setup.py":
            yield from _SETUP_NAME.findall(self._read(path).decode("utf-8", "replace"))


def _toml(content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _ini(content: bytes) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(content.decode("utf-8", "replace"))
    except configparser.Error:
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _part(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, keys of tables included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)

"""The base's pytest configuration: which file pytest would read, what it says, and what it makes test code. Pure.

pytest resolves relative paths of a configuration (`pythonpath = src`) against the folder of the file that `-c` names,
whatever `--rootdir` says; so the judge's copy stands beside the original, inside the tree that a step runs on.
"""

from __future__ import annotations

import ast
import itertools
import posixpath
import re
import shlex
import tomllib
from typing import TYPE_CHECKING, Any

import iniconfig

from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

# Only pytest reads these, and it reads them differently from any other name: the copy keeps the name.
_DEDICATED = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_COPY = ".truelap-pytest"

# Written by the judge where base has no configuration, so that a file of the candidate cannot become one.
_EMPTY = b"[pytest]\n"

_DEFAULT_PYTHON_FILES = ("test_*.py", "*_test.py")
_LETTERS = re.compile("[A-Za-z]")
_DEFAULT_NORECURSE = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")


class PytestConfig(Frozen):
    """What pytest reads at base."""

    origin: str | None
    """Path of base's file, `/`-separated from the root; None when base configures nothing."""
    copy_path: str
    """Where the judge's copy stands in each step's tree."""
    content: bytes
    python_files: tuple[str, ...] = _DEFAULT_PYTHON_FILES
    testpaths: tuple[str, ...] = ()
    """Relative to the file's folder; empty for everywhere."""
    norecursedirs: tuple[str, ...] = _DEFAULT_NORECURSE
    addopts: tuple[str, ...] = ()
    pythonpath: tuple[str, ...] = ()
    """Folders to import from, relative to the file's folder."""

    @property
    def folder(self) -> str:
        """The file's folder, "" for the root."""
        return self.copy_path.rpartition("/")[0]


def names_for(version: tuple[int, ...]) -> tuple[str, ...]:
    """The files that a version of pytest looks for, first match first.

    >>> names_for((8, 4))[0], names_for((9, 0))[0]
    ('pytest.ini', 'pytest.toml')
    """
    since = {"pytest.toml": (9,), ".pytest.toml": (9,), "pytest.ini": (), ".pytest.ini": (7, 2)}
    dedicated = (name for name in _DEDICATED if version >= since[name])
    return (*dedicated, "pyproject.toml", "tox.ini", "setup.cfg")


def pick(
    read: Callable[[str], bytes | None], folders: Iterable[str], version: tuple[int, ...]
) -> PytestConfig:
    """Find what pytest would read, by the rules of the installed version.

    Args:
        read: content of a file of base by its path, None where there is none.
        folders: where to look, nearest to the tests first, "" for the root.
        version: of the project's pytest.
    """
    last = ""
    for folder in folders:
        last = folder
        for name in names_for(version):
            content = read(_join(folder, name))
            options = None if content is None else _options(name, content, version)
            if content is not None and options is not None:
                copy = name if name in _DEDICATED else _COPY + name[name.rindex(".") :]
                found = PytestConfig(
                    origin=_join(folder, name), copy_path=_join(folder, copy), content=content
                )
                return found.model_copy(update=_known(options))
    return PytestConfig(origin=None, copy_path=_join(last, _COPY + ".ini"), content=_EMPTY)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _options(name: str, content: bytes, version: tuple[int, ...]) -> dict[str, Any] | None:
    """The options of one file; None when pytest passes it over. A file that pytest cannot read is still its choice."""
    try:
        text = content.decode("utf-8")
        if name.endswith(".toml"):
            return _toml_options(name, tomllib.loads(text), version)
        return _ini_options(name, iniconfig.IniConfig(name, data=text), version)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, iniconfig.ParseError, AttributeError):
        return {}


def _toml_options(name: str, data: dict[str, Any], version: tuple[int, ...]) -> dict[str, Any] | None:
    if name in _DEDICATED:
        return dict(data.get("pytest", {}))
    table = data.get("tool", {}).get("pytest", {})
    native = {key: value for key, value in table.items() if key != "ini_options"}
    if native and version >= (9,):
        return native
    options = table.get("ini_options")
    return None if options is None else dict(options)


def _ini_options(name: str, ini: iniconfig.IniConfig, version: tuple[int, ...]) -> dict[str, Any] | None:
    if name == "setup.cfg":
        # A bare [pytest] there stops pytest with an error: still its choice.
        found = "tool:pytest" in ini.sections or "pytest" in ini.sections
        return dict(ini.sections.get("tool:pytest", {})) if found else None
    if "pytest" in ini.sections:
        return dict(ini.sections["pytest"])
    counts_empty = name == "pytest.ini" or (name == ".pytest.ini" and version >= (9,))
    return {} if counts_empty else None


def _known(options: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    keys = ("python_files", "testpaths", "norecursedirs", "addopts", "pythonpath")
    return {key: _words(options[key]) for key in keys if key in options}


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(str(part) for part in value)
    try:
        return tuple(shlex.split(str(value)))
    except ValueError:
        return tuple(str(value).split())


def test_code_patterns(
    config: PytestConfig, conftests: Iterable[bytes], is_shipped: Callable[[str], bool]
) -> tuple[str, ...]:
    """Regular expressions for what base's own pytest set-up makes test code, besides the policy's patterns.

    Args:
        config: base's; its `python_files` say what a test module is called. A glob that takes every module counts only
            below `testpaths`: it must not make the product test code.
        conftests: contents of base's conftest.py files; the modules in their `pytest_plugins` hold fixtures and hooks.
        is_shipped: whether base's metadata names a module outright. A plugin that is the product may be named by `-p` or
            by a conftest.py, and stays the product.
    """
    globs = [glob for glob in config.python_files if glob not in _DEFAULT_PYTHON_FILES]
    below = [re.escape(path.strip("/")) for path in config.testpaths if path.strip("/.")]
    found = [f"(^|/){_regex(glob)}$" for glob in globs if _LETTERS.search(glob.removesuffix(".py"))]
    if below and len(found) < len(globs):
        found.append(f"^({'|'.join(below)})/")
    plugins = {*_loaded(config.addopts), *(name for content in conftests for name in _plugin_names(content))}
    own = sorted(name for name in plugins if not is_shipped(name))
    found += [f"(^|/){re.escape(name.replace('.', '/'))}(/__init__)?\\.py$" for name in own]
    return tuple(found)


def test_folders(config: PytestConfig, paths: Collection[str]) -> tuple[str, ...]:
    """Folders that pytest puts on `sys.path` for the tests of a tree, relative to its root ("" is the root itself).

    These are `pythonpath` and, for each test module and conftest.py, the first folder above it that is no package.

    Args:
        config: base's.
        paths: every path of the tree.
    """
    own = (posixpath.normpath(_join(config.folder, path)) for path in config.pythonpath)
    found = {"" if path == "." else path for path in own}
    if not {"importlib", "--import-mode=importlib"} & {*config.addopts}:
        found |= {package_home(path, paths) for path in test_modules(config, paths)}
    return tuple(sorted(found))


def test_modules(config: PytestConfig, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of some paths that are test modules or conftest.py by their names."""
    names = re.compile("|".join(_regex(glob) for glob in (*config.python_files, "conftest.py")))
    return tuple(path for path in paths if path.endswith(".py") and names.fullmatch(path.rpartition("/")[2]))


def package_home(path: str, paths: Collection[str]) -> str:
    """The first folder above a module that is no package: its name counts from there.

    >>> package_home("a/b/c/test_x.py", {"a/b/c/__init__.py", "a/b/__init__.py"})
    'a'
    """
    folder = path.rpartition("/")[0]
    while folder and f"{folder}/__init__.py" in paths:
        folder = folder.rpartition("/")[0]
    return folder


def _regex(glob: str) -> str:
    return re.escape(glob.rpartition("/")[2]).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def _loaded(addopts: tuple[str, ...]) -> Iterator[str]:
    """The modules that `-p NAME` and `-pNAME` have pytest load."""
    pairs = itertools.zip_longest(addopts, addopts[1:], fillvalue="")
    names = (after if option == "-p" else option[2:] for option, after in pairs if option.startswith("-p"))
    yield from (name for name in map(str.strip, names) if _is_module(name))


def _is_module(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _plugin_names(conftest: bytes) -> set[str]:
    try:
        tree = ast.parse(conftest)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    values = [node.value for node in assigned if node.value is not None and _sets_plugins(node)]
    texts = (leaf.value for value in values for leaf in ast.walk(value) if isinstance(leaf, ast.Constant))
    return {text for text in texts if isinstance(text, str) and _is_module(text)}


def _sets_plugins(node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id == "pytest_plugins" for target in targets)

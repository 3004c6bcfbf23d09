"""A module at an import root wins over the one of the same name that Python, pytest or the judge's probes mean to import.

So `random.py`, `json/__init__.py` or `asv_runner/` beside the package decides what tests and benchmarks really call, and so
does a module of the name of any installed package that is not the project's own. The same name inside a package
(`pkg/queue.py`) hides nothing, a module that base itself has is base's own choice, and what is put back hides nothing either.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from truelap.policy import matches
from truelap.rules import Ruling, dotted, fold, module_name, top_module

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_OTHER_PYTHONS = {  # standard modules of 3.8 to 3.15 that some version in between lacks: the project's may differ from ours
    *(
        "annotationlib",
        "asynchat",
        "asyncore",
        "audioop",
        "aifc",
        "binhex",
        "cgi",
        "cgitb",
        "chunk",
        "compression",
    ),
    *(
        "crypt",
        "distutils",
        "dummy_threading",
        "formatter",
        "imghdr",
        "imp",
        "lib2to3",
        "mailcap",
        "msilib",
        "nis",
    ),
    *("nntplib", "ossaudiodev", "parser", "pipes", "profiling", "smtpd", "sndhdr", "spwd", "sunau", "symbol"),
    *("telnetlib", "tomllib", "uu", "xdrlib", "zoneinfo"),
}
_STANDARD = frozenset(sys.stdlib_module_names | _OTHER_PYTHONS)

# What pytest and the probes import, what plugs into them, and numpy because its assertions are the tests' own judge.
_JUDGE = frozenset(
    {
        *(
            "pytest",
            "_pytest",
            "pluggy",
            "py",
            "iniconfig",
            "packaging",
            "pygments",
            "exceptiongroup",
            "tomli",
        ),
        *(
            "attr",
            "attrs",
            "colorama",
            "coverage",
            "hypothesis",
            "_hypothesis_pytestplugin",
            "xdist",
            "execnet",
            "anyio",
        ),
        *(
            "pytest_asyncio",
            "pytest_benchmark",
            "pytest_cov",
            "pytest_mock",
            "pytest_randomly",
            "pytest_timeout",
        ),
        *("asv", "asv_runner", "pympler", "setuptools", "pkg_resources", "numpy", "truelap"),
    }
)
# No honest folder has one of these names, so it need not even be a package: what is not installed must stay missing.
_NEVER = ("pytest", "_pytest", "pluggy", "asv", "asv_runner", "truelap")


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse a new top-level module or package that hides another one."""
    put_back = matches((*scene.protected, *scene.policy.test_code.patterns), change.path)
    for root in scene.import_roots:
        name = _hidden(change, root, scene)
        if name is not None and (root, name) not in scene.base_modules and (name in _NEVER or not put_back):
            return _refused(name, "the one that Python, pytest or the judge means")
        name = dotted(change.path, root)
        if name in scene.installed and (root, name) not in scene.base_dotted and not put_back:
            return _refused(name, "the installed one")
    return None


def _refused(name: str | None, hidden: str) -> Ruling:
    return Ruling("refuse", f"a top-level module `{name}` hides {hidden}")


def _hidden(change: Change, root: bytes, scene: Scene) -> str | None:
    module = top_module(change.path, root)
    if module is not None:
        folded = fold(module.encode("utf-8", "surrogateescape"))
        guarded = module in _STANDARD or folded in _JUDGE
        return module if guarded else None
    first, slash, _ = change.path[len(root) :].partition(b"/")
    if not change.path.startswith(root) or not slash or root + first in scene.base_folders:
        return None
    return fold(first) if fold(first) in _NEVER and module_name(change.folded[-1]) is not None else None

"""Part of worker: what the tree's code finds around it, the same in every worker. Python >= 3.8.

Modules of pytest, asv_runner and numpy are there before anything of the tree can stand in for them, in tests as in
benchmarks: a package that asks whether pytest is loaded learns nothing. What is not installed is missing everywhere.
"""

import faulthandler
import importlib
import os
import sys
from importlib.machinery import all_suffixes

from bench_suite import Runner

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_NAMES_ITSELF = (8, 2)
"""The first pytest that puts its version into the environment."""

_ON_THE_WAY = ("unittest", "unittest.case", "doctest", "pdb", "readline", "_pytest._argcomplete")
"""What pytest imports only when it runs."""


def hide():
    """Take the probes' modules out of sight: the tree may have some of the same names."""
    for name, module in list(sys.modules.items()):
        if name != "__main__" and str(getattr(module, "__file__", "")).startswith(_FOLDER):
            del sys.modules[name]


class Surroundings:
    """Loads modules, and settles what the tree's code can see of the process.

    Attributes:
        pytest: the module; None where it is not to be had.
        runner: what is taken of asv_runner, likewise.
        numpy: the module, where it was asked for and is installed.
    """

    def __init__(self):
        before = set(sys.modules)
        self.pytest = _pytest()
        self.runner = self.numpy = None
        self._brought = {"tests": set(sys.modules) - before, "benchmarks": set()}

    def load(self, asv, numpy):
        """Import asv_runner from its folder, and numpy where it is asked for."""
        before = set(sys.modules)
        try:
            self.runner = Runner(asv)
        except Exception as error:
            sys.stderr.write("asv_runner cannot be imported: {}\n".format(error))
        self._brought["benchmarks"] = set(sys.modules) - before
        if numpy:
            try:
                self.numpy = importlib.import_module("numpy")
                for part in ("numpy.random", "numpy.testing"):
                    importlib.import_module(part)
            except ImportError:
                sys.stderr.write("numpy cannot be imported\n")

    def settle(self, mode, roots, apart):
        """From here on the tree can be imported.

        Args:
            mode: "tests" or "benchmarks".
            roots: folders to import from.
            apart: whether the tree's code may see the mode.
        """
        hide()
        other = "tests" if mode == "benchmarks" else "benchmarks"
        # What only the other mode needs, and the tree has itself, is to come from the tree.
        own = {module for root in roots for module in _modules_in(root)}
        for name in self._brought[other]:
            if apart or name.partition(".")[0] in own:
                sys.modules.pop(name, None)
        for name in [name for name in os.environ if name.startswith("PYTEST_")]:
            del os.environ[name]
        if self.pytest is not None and getattr(self.pytest, "version_tuple", ())[:2] >= _NAMES_ITSELF:
            os.environ["PYTEST_VERSION"] = self.pytest.__version__
        if self.pytest is not None and (mode == "tests" or not apart):
            sys.argv[:] = [self.pytest.__file__]
            # As pytest does; it says no more than where a crash was.
            faulthandler.enable()
        else:
            del sys.argv[1:]
        sys.path[:0] = roots
        os.environ["PYTHONPATH"] = os.pathsep.join(roots)


def _modules_in(root):
    """Names of top-level modules that a folder has."""
    for name in os.listdir(root) if os.path.isdir(root) else ():
        module, dot, _ = name.partition(".")
        if (dot and name[len(module) :] in all_suffixes()) or os.path.exists(
            os.path.join(root, name, "__init__.py")
        ):
            yield module


def _pytest():
    try:
        import _pytest.config
        import pytest
    except Exception as error:
        sys.stderr.write("pytest cannot be imported: {}\n".format(error))
        return None
    plugins = getattr(_pytest.config, "default_plugins", ())
    for name in (*_ON_THE_WAY, *("_pytest." + plugin for plugin in plugins)):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    return pytest

"""What base's build metadata says of its modules."""

import pytest

from truelap.product import Product

PACKAGE = {"pkg/__init__.py": "", "pkg/core.py": ""}


def product(files: dict[str, str]) -> Product:
    return Product(files.keys(), lambda path: files[path].encode())


@pytest.mark.parametrize(
    "metadata",
    [
        {"pyproject.toml": "[project]\nname = 'pkg'\n"},
        {
            "pyproject.toml": "[project]\nname = 'x'\n[project.scripts]\nrun = 'pkg.core:main'\n[tool.flit.module]\nname = 'pkg'\n"
        },
        {"pyproject.toml": "[tool.hatch.build.targets.wheel]\npackages = ['pkg']\n"},
        {"setup.cfg": "[options]\npackages = pkg\n"},
        {"setup.cfg": "[metadata]\nname = pkg\n"},
        {"setup.py": "setup(packages=['pkg', 'pkg.sub'])"},
        {"meson.build": "project('pkg')"},
        {"sub/setup.py": "setup(name='pkg')"},
    ],
)
def test_metadata_names_the_product(metadata):
    found = product({**PACKAGE, **metadata, "ci/a.py": "", "helper.py": ""})
    assert found.known
    assert found.holds("pkg/core.py")
    assert not found.holds("ci/a.py")
    assert not found.holds("helper.py")


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['pkg']\n[tool.ruff]\nsrc = ['pkg']\n"},
        {"pyproject.toml": "[project]\nname = 'other'\ndescription = 'pkg'\nkeywords = ['pkg']\n"},
        {"setup.cfg": "[tool:pytest]\ntestpaths = pkg\n[flake8]\nexclude = pkg\n"},
        {"setup.cfg": "no section\n", "pyproject.toml": "= broken"},
    ],
)
def test_what_other_tools_are_told_names_no_product(metadata):
    found = product({**PACKAGE, **metadata})
    assert not found.known
    assert not found.holds("pkg/core.py")


def test_what_lies_below_src_is_the_product():
    found = product(
        {"src/anything/a.py": "", "python/pyproject.toml": "", "python/src/b.py": "", "src.py": ""}
    )
    assert found.known
    assert [
        path
        for path in ("src/anything/a.py", "python/src/b.py", "src.py", "lib/src/c.py")
        if found.holds(path)
    ] == [
        "src/anything/a.py",
        "python/src/b.py",
    ]


@pytest.mark.parametrize(
    "metadata",
    [
        {"pyproject.toml": "[project]\nname = 'My_Pkg.core'\n"},
        {"pyproject.toml": "[tool.poetry]\nname = 'my-pkg-core'\n"},
        {"setup.cfg": "[metadata]\nname = my.pkg-core\n"},
        {"setup.py": "setup(\n    name = 'MY-pkg_core',\n)"},
    ],
)
def test_under_which_name_it_is_installed(metadata):
    assert product(metadata).distributions == {"my-pkg-core"}


def test_which_modules_it_names_outright():
    found = product(
        {
            "pyproject.toml": "[project]\nname = 'my-plugin'\n[project.entry-points.pytest11]\nx = 'other.hooks'\n",
            "other/__init__.py": "",
        }
    )
    assert [
        name for name in ("my_plugin", "other.hooks", "other.fixtures", "fixtures") if found.names(name)
    ] == [
        "my_plugin",
        "other.hooks",
    ]


SETUPTOOLS = "[tool.setuptools]\npackages = ['pkg']\n"


@pytest.mark.parametrize(
    "metadata",
    [
        {"pyproject.toml": SETUPTOOLS},
        {"pyproject.toml": "[tool.setuptools]\npy-modules = ['pkg']\n"},
        {"pyproject.toml": "[tool.poetry]\npackages = [{ include = 'pkg' }]\n"},
        {"pyproject.toml": "[tool.flit.module]\nname = 'pkg'\n"},
        {"pyproject.toml": "[tool.hatch.build.targets.wheel]\nonly-include = ['pkg']\n"},
        {"setup.cfg": "[options]\npackages =\n    pkg\n"},
        {"setup.py": "setup(packages = [\n    'pkg'])"},
    ],
)
def test_metadata_that_lists_packages(metadata):
    assert product({**PACKAGE, **metadata}).lists("")
    below = {f"sub/{name}": text for name, text in metadata.items()}
    found = product({**PACKAGE, **below})
    assert (found.lists(""), found.lists("sub")) == (False, True)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"pyproject.toml": "[project]\nname = 'pkg'\n"},
        {"pyproject.toml": "[tool.setuptools.packages.find]\nwhere = ['.']\n"},
        {"pyproject.toml": "[tool.setuptools]\npackages = []\n"},
        {"setup.cfg": "[options]\npackages = find:\n"},
        {"setup.cfg": "[options]\npackages = find_namespace:\n", "pyproject.toml": SETUPTOOLS},
        {"setup.py": "setup(packages=find_packages())", "pyproject.toml": SETUPTOOLS},
        {"setup.py": "setup(packages=['pkg'] + find_packages('more'))"},
    ],
)
def test_metadata_that_has_packages_found(metadata):
    assert not product({**PACKAGE, **metadata}).lists("")

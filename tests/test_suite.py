"""What base's asv configurations resolve to."""

import pytest

from truelap.errors import UsageError
from truelap.policy import matches
from truelap.suite import choose_config, find_asv_configs, protected_patterns


def resolve(files: dict[str, str]):
    paths = [path.encode() for path in files]
    configs = find_asv_configs(paths, lambda path: files[path].encode())
    patterns = protected_patterns(configs, paths, lambda path: files[path].encode())
    return configs, {path for path in files if matches(patterns, path.encode())}


@pytest.mark.parametrize(
    "name",
    [
        "asv.conf.json",
        "asv.conf.jsonc",
        "asv.x.json",
        "asv.json",
        "asv_bench.conf.json",
        "sub/asv.x.conf.json",
    ],
)
def test_names_of_configs(name):
    configs, _ = resolve({name: "{}", "asvx.json": "{}", "basv.conf.json": "{}", "asv.py": ""})
    assert [config.path for config in configs] == [name]


def test_comments_and_trailing_commas_are_fine():
    (config,), protected = resolve(
        {
            "x/asv.conf.json": '{// where\n "benchmark_dir": "../perf/suite", }',
            "perf/suite/b.py": "",
            "perf/other.py": "",
        }
    )
    assert config.benchmark_dir == "perf/suite"
    assert protected == {"x/asv.conf.json", "perf/suite/b.py"}


def test_without_benchmark_dir_asv_takes_benchmarks_beside_the_config():
    (config,), protected = resolve({"bench/asv.conf.json": "{}", "bench/benchmarks/b.py": "", "pkg.py": ""})
    assert config.benchmark_dir == "bench/benchmarks"
    assert protected == {"bench/asv.conf.json", "bench/benchmarks/b.py"}


def test_helpers_and_data_beside_the_suite_belong_to_it():
    _, protected = resolve(
        {
            "asv_bench/asv.conf.json": '{"benchmark_dir": "suite"}',
            "asv_bench/suite/b.py": (
                "import common\nfrom shared.deep import x\n"
                "f = os.path.join(os.path.dirname(__file__), '..', 'data', '%s.csv' % x)\n"
                "g = open('/x').read() + 'small.txt' + 'mixed'\n"
            ),
            "asv_bench/common.py": "import second",
            "asv_bench/second.py": "",
            "asv_bench/unused.py": "",
            "asv_bench/shared/__init__.py": "",
            "asv_bench/shared/deep.py": "",
            "asv_bench/data/big.csv": "",
            "asv_bench/data/other.csv": "",
            "asv_bench/mixed/a.csv": "",
            "asv_bench/mixed/a.py": "",
            "asv_bench/small.txt": "",
            "pkg/common.py": "",
        }
    )
    assert protected == {
        "asv_bench/asv.conf.json",
        "asv_bench/suite/b.py",
        "asv_bench/common.py",
        "asv_bench/second.py",
        "asv_bench/shared/__init__.py",
        "asv_bench/shared/deep.py",
        "asv_bench/data/big.csv",
        "asv_bench/data/other.csv",
        "asv_bench/small.txt",
    }


def test_the_product_beside_the_suite_is_not_part_of_it():
    files = {
        "asv.conf.json": '{"benchmark_dir": "bench"}',
        "bench/b.py": "import six, pkg, bench_common, pkg.io\nfrom pkg import io\n",
        "six.py": "",
        "bench_common.py": "",
        "pkg/__init__.py": "",
        "pkg/io.py": "",
        "setup.py": "setup(py_modules=['six'], packages=find_packages())",
        "tests/test_io.py": "import pkg.io\n",
    }
    assert resolve(files)[1] == {"asv.conf.json", "bench/b.py", "bench_common.py"}


def test_a_project_in_a_subfolder_and_a_suite_inside_of_the_package():
    sub = {
        "python/pyproject.toml": "",
        "python/asv.conf.json": "{}",
        "python/benchmarks/b.py": "import pkg",
        "python/pkg/__init__.py": "",
    }
    assert resolve(sub)[1] == {"python/asv.conf.json", "python/benchmarks/b.py"}
    inside = {
        "pkg/asv.conf.json": "{}",
        "pkg/benchmarks/b.py": "import io\nfrom ..io import x\nfrom .. import core",
        "pkg/__init__.py": "",
        "pkg/io.py": "",
        "pkg/core.py": "",
    }
    assert resolve(inside)[1] == {"pkg/asv.conf.json", "pkg/benchmarks/b.py"}


PROJECT = {
    "asv.conf.json": "{}",
    "pyproject.toml": '[project]\nname = "fast-lib"\n',
    "fast_lib/__init__.py": "",
    "benchmarks/b.py": "import fast_lib\nfrom common_b import x\nfrom help_b.deep import y\n",
    "common_b.py": "",
    "help_b/__init__.py": "",
    "help_b/deep.py": "",
    "help_b/big.csv": "",
}
OWN = {"asv.conf.json", "benchmarks/b.py"}
SERVING = OWN | {"common_b.py", "help_b/__init__.py", "help_b/deep.py", "help_b/big.csv"}


def test_what_only_the_suite_imports_at_the_root_belongs_to_it():
    assert resolve(PROJECT)[1] == SERVING


@pytest.mark.parametrize(
    "reached",
    [
        "import sys\nsys.path.insert(0, join(dirname(__file__), '..', 'support'))\nimport gendata\n",
        "import runpy\nrunpy.run_path(join(dirname(__file__), '..', 'support', 'gendata.py'))\n",
        "from importlib.util import spec_from_file_location as at\nat('x', '../support/gendata.py')\n",
    ],
)
def test_what_the_suite_reaches_by_a_text_belongs_to_it(reached):
    files = {**PROJECT, "benchmarks/c.py": reached, "support/gendata.py": "", "support/other.py": ""}
    assert resolve(files)[1] == SERVING | {"benchmarks/c.py", "support/gendata.py"}
    to_product = (
        "import runpy, sys\nsys.path.insert(0, 'fast_lib')\nimport core\nrunpy.run_path('fast_lib/core.py')\n"
    )
    assert resolve({**PROJECT, "benchmarks/c.py": to_product, "fast_lib/core.py": ""})[1] == SERVING | {
        "benchmarks/c.py"
    }


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("fast_lib/core.py", "import common_b, help_b\n"),
        ("fast_lib/core.pyx", "from common_b cimport x\nimport help_b\n"),
        ("fast_lib/lazy.py", "load('common_b'), load('help_b')\n"),
        ("setup.py", "setup(py_modules=['common_b'], packages=['help_b'])"),
        ("setup.cfg", "[options]\npy_modules =\n  common_b\n  help_b\n"),
        (
            "pyproject.toml",
            '[project]\nname = "fast-lib"\n[tool.setuptools]\npy-modules = ["common_b", "help_b"]\n',
        ),
    ],
)
def test_what_the_product_imports_or_ships_is_not_the_suites(path, content):
    assert resolve({**PROJECT, path: content})[1] == OWN


@pytest.mark.parametrize("path", ["tests/test_y.py", "docs/help.rst", "examples/e.py"])
def test_a_package_that_anybody_else_names_may_be_a_second_product(path):
    assert resolve({**PROJECT, path: "help_b"})[1] == OWN | {"common_b.py"}


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"pyproject.toml": ""},
        {"pyproject.toml": '[project]\nname = "quick-library"\n'},
        {"setup.py": "setup(**values())"},
        {"setup.cfg": "[tool:pytest]\ntestpaths = tests\n"},
        {"pyproject.toml": "[[["},
    ],
)
def test_a_single_file_library_is_never_a_helper_of_its_suite(metadata):
    files = {"asv.conf.json": "{}", "benchmarks/b.py": "import quick\n", "quick.py": "", **metadata}
    assert resolve(files)[1] == OWN


@pytest.mark.parametrize(
    "metadata",
    [
        {"src/quick/__init__.py": ""},
        {"pyproject.toml": '[tool.poetry]\nname = "quick"\n', "quick/__init__.py": ""},
        {"setup.cfg": "[metadata]\nname = quick\n", "quick.py": ""},
    ],
)
def test_beside_a_product_that_is_known_it_is_one(metadata):
    files = {"asv.conf.json": "{}", "benchmarks/b.py": "import quick, sizes\n", "sizes.py": "", **metadata}
    assert resolve(files)[1] == OWN | {"sizes.py"}


def test_a_folder_of_data_that_the_suite_names_belongs_to_it_whole():
    suite = "from pathlib import Path\nTEXTS = (Path(__file__).parent.parent / 'texts').glob('*.txt')\nX = 'pkg'\n"
    files = {
        "asv.conf.json": "{}",
        "benchmarks/b.py": suite,
        "texts/a.txt": "",
        "texts/de/b.txt": "",
        "pkg/a.py": "",
        "pkg/a.txt": "",
    }
    assert resolve(files)[1] == OWN | {"texts/a.txt", "texts/de/b.txt"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not a JSON object"),
        ('{"benchmark_dir": 3}', "not a text"),
        ('{"benchmark_dir": "../x"}', "outside of the tree"),
        ('{"benchmark_dir": "/x"}', "outside of the tree"),
        ('{"benchmark_dir": "."}', "the whole tree"),
    ],
)
def test_a_broken_config_protects_nothing_but_itself(content, problem):
    (config,), protected = resolve({"asv.conf.json": content, "x/b.py": ""})
    assert problem in config.problem
    assert protected == {"asv.conf.json"}
    with pytest.raises(UsageError, match=problem):
        choose_config([config], None)


def test_code_that_does_not_parse_is_passed_over():
    _, protected = resolve({"asv.conf.json": "{}", "benchmarks/b.py": "def (", "benchmarks/c.py": "\0"})
    assert protected == {"asv.conf.json", "benchmarks/b.py", "benchmarks/c.py"}


def test_odd_names_are_matched_as_they_are():
    files = {"asv.conf.json": '{"benchmark_dir": "é+(x"}', "é+(x/b.py": "", "eee(x/b.py": ""}
    assert resolve(files)[1] == {"asv.conf.json", "é+(x/b.py"}


def test_a_suite_that_is_not_there_is_named_and_its_place_protected():
    configs = find_asv_configs([b"asv.conf.json"], lambda _: b'{"benchmark_dir": "perf"}')
    with pytest.raises(UsageError, match=r"asv\.conf\.json of base: benchmark_dir names a folder .*: perf$"):
        choose_config(configs, None)
    assert "^perf/" in protected_patterns(configs, [b"asv.conf.json"], lambda _: b"")


def test_the_choice_of_a_config():
    configs, _ = resolve(
        {"asv.conf.json": "{}", "a/asv.conf.json": "{}", "benchmarks/a.py": "", "a/benchmarks/b.py": ""}
    )
    assert choose_config(configs, "./a/asv.conf.json").path == "a/asv.conf.json"
    with pytest.raises(UsageError, match=r"several asv configs .* name one"):
        choose_config(configs, None)
    with pytest.raises(UsageError, match=r"no asv config .b\.json., but"):
        choose_config(configs, "b.json")
    with pytest.raises(UsageError, match="base has no asv config"):
        choose_config((), None)

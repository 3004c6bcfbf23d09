"""pytest reads base's configuration on both sides, and plugins that only the candidate brings are named."""

import os

import pytest

from truelap.errors import UsageError

# Passes at base; with base's `filterwarnings = error` it fails for a candidate that warns.
WARNS = {
    "core.py": "import warnings\ndef f():\n    warnings.warn('slow', DeprecationWarning)\n    return 1\n"
}
TESTS = "from core import f\n" + "".join(f"def test_{n}():\n    assert f() == 1\n" for n in "abc")
STRICT = {"core.py": "def f():\n    return 1\n", "test_core.py": TESTS}
ALL_THREE = [f"test_core.py::test_{n}" for n in "abc"]

EVIL_PLUGIN = (
    "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
    "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
)
BROKEN = {"core.py": "def f():\n    return 2\n"}


@pytest.fixture
def without_c(plain):
    """The defence is off: pytest picks its configuration itself."""
    return plain.without([*plain.ablate.off, "base_config"])


CONFIGS = {
    "setup.cfg": "[tool:pytest]\nfilterwarnings = error\n",
    "tox.ini": "[pytest]\nfilterwarnings = error\n",
    "pyproject.toml": "[tool.pytest.ini_options]\nfilterwarnings = ['error']\n",
    "pytest.ini": "[pytest]\nfilterwarnings = error\n",
}


@pytest.mark.parametrize("name", CONFIGS)
def test_base_configuration_is_read_wherever_it_stands(lap, name):
    found = lap(WARNS, base={**STRICT, name: CONFIGS[name]})
    assert found.regressed == ALL_THREE
    assert found.evidence.config_file == name


@pytest.mark.parametrize(
    "attack",
    [
        {"pyproject.toml": "tool.pytest.ini_options.addopts = '-q'\n"},
        {".pytest.ini": "[pytest]\n"},
        {"pytest.toml": "[pytest]\n"},
        {"setup.cfg": "[tool:pytest]\nfilterwarnings = ignore\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\n", "setup.cfg": None},
    ],
)
def test_the_candidates_configuration_is_never_read(lap, without_c, attack):
    base = {**STRICT, "setup.cfg": CONFIGS["setup.cfg"]}
    assert lap({**WARNS, **attack}, base=base).regressed == ALL_THREE
    assert lap({**WARNS, **attack}, base=base, policy=without_c).regressed == []


def test_a_candidate_cannot_become_the_configuration_where_base_has_none(lap, without_c):
    attack = {"pytest.ini": "[pytest]\nfilterwarnings = ignore::UserWarning\npython_functions = none_*\n"}
    assert lap(attack, base=STRICT).findings == ()
    assert lap(attack, base=STRICT, policy=without_c).regressed == ALL_THREE


@pytest.mark.parametrize(
    ("select", "config"),
    [
        ("mapped", {"setup.cfg": "[tool:pytest]\npythonpath = src\ntestpaths = tests\n"}),
        (
            "all",
            {"pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\ntestpaths = ['tests']\n"},
        ),
        ("all", {"pytest.ini": "[pytest]\npythonpath = src\ntestpaths = tests\n"}),
    ],
)
def test_relative_paths_keep_their_meaning(lap, config, select):
    tests = "import os\nfrom lib.core import f\n" + "".join(
        f"def test_{n}():\n    assert f() == 1\n" for n in "abc"
    )
    base = {
        "lib/x.txt": "",
        "src/lib/core.py": "def f():\n    return 1\n",
        "tests/test_core.py": tests,
        **config,
    }
    task = {"tests": {"select": select}, "environment": {"python_path": ("",)}}
    found = lap({"src/lib/core.py": "def f():\n    return 2 - 1\n"}, base=base, task=task)
    assert found.levels <= {"info"}
    assert set(found.base.values()) == {"passed"}


def test_the_configuration_nearest_to_the_tests_is_read(lap):
    base = {
        "setup.cfg": "[tool:pytest]\nfilterwarnings = ignore\n",
        "python/pyproject.toml": CONFIGS["pyproject.toml"],
        "python/core.py": STRICT["core.py"],
        "python/test_core.py": TESTS,
    }
    found = lap({"python/core.py": WARNS["core.py"]}, base=base, task={"tests": {"paths": ("python",)}})
    assert found.regressed == [f"python/{name}" for name in ALL_THREE]
    assert found.evidence.config_file == "python/pyproject.toml"


def test_addopts_of_base_are_honoured(lap):
    module = 'def f(x):\n    """\n    >>> f(1)\n    2\n    """\n    return 2 * x\n'
    base = {
        "core.py": module,
        "test_core.py": TESTS.replace("f()", "f(0.5)"),
        "tox.ini": "[pytest]\naddopts = --doctest-modules -x\n",
    }
    honest = lap({"core.py": module.replace("2 * x", "x + x")}, base=base)
    assert honest.findings == ()
    assert honest.base["core.py::core.f"] == "passed"
    broken = lap({"core.py": module.replace("2 * x", "2 * x if x < 1 else 3")}, base=base)
    assert broken.regressed == ["core.py::core.f"]
    gone = lap({"core.py": None, "core/__init__.py": module}, base=base)
    assert gone.regressed == ["core.py::core.f"]


def test_a_folder_in_the_place_of_the_copy_is_config_unavailable(lap):
    base = {**STRICT, "setup.cfg": CONFIGS["setup.cfg"]}
    found = lap({**BROKEN, ".truelap-pytest.cfg/inner": ""}, base=base)
    assert found.regressed == ["config:unavailable"]
    assert (found.codes, found.levels) == (["tests:config_unavailable"], {"fail"})


def test_options_from_the_environment_have_no_effect(lap):
    task = {"environment": {"env": {"PYTEST_ADDOPTS": "-k nothing", "PYTEST_PLUGINS": "nothing"}}}
    assert lap({"core.py": "def f():\n    return 2 - 1\n"}, base=STRICT, task=task).findings == ()


METADATA = "Metadata-Version: 2.1\nName: fcevil\nVersion: 1\n"


@pytest.mark.parametrize(
    ("folder", "name"), [("fcevil-1.dist-info", "METADATA"), ("fcevil.egg-info", "PKG-INFO")]
)
def test_a_plugin_that_metadata_of_the_candidate_brings_is_named(lap, folder, name):
    metadata = {f"{folder}/{name}": METADATA, f"{folder}/entry_points.txt": "[pytest11]\nfcevil = fcevil\n"}
    found = lap({**BROKEN, **metadata, "fcevil.py": EVIL_PLUGIN}, base=STRICT)
    assert found.regressed == ["plugin:fcevil"]
    assert found.codes == ["tamper:integrity", "tests:plugin"]
    plugins = found.evidence.summary()["plugins"]
    assert set(plugins["candidate"]) - set(plugins["base"]) == {"fcevil"}


def test_a_plugin_of_base_itself_is_welcome(lap):
    plugin = {
        "good.egg-info/PKG-INFO": METADATA.replace("fcevil", "good"),
        "good.egg-info/entry_points.txt": "[pytest11]\ngood = good\n",
        "good.py": "import pytest\n\n@pytest.fixture\ndef one():\n    return 1\n",
    }
    tests = TESTS.replace("():", "(one):").replace("== 1", "== one")
    base = {**STRICT, **plugin, "test_core.py": tests}
    found = lap({"core.py": "def f():\n    return 2 - 1\n", "good.py": plugin["good.py"] + "\n"}, base=base)
    assert found.findings == ()
    assert "good" in found.evidence.summary()["plugins"]["base"]


def test_a_plugin_under_a_name_of_base_from_another_place_is_another(lap):
    metadata = {
        "impostor-1.dist-info/METADATA": METADATA.replace("fcevil", "impostor"),
        "impostor-1.dist-info/entry_points.txt": "[pytest11]\ntimeout = impostor\n",
        "impostor.py": EVIL_PLUGIN + "def pytest_addoption(parser):\n    pass\n",
    }
    assert "plugin:timeout" in lap({**BROKEN, **metadata}, base=STRICT).regressed


def test_a_conftest_made_while_tests_run_is_named_and_on_record(lap):
    source = (
        "import pathlib\nhome = pathlib.Path(__file__).parent\n"
        "(home / 'zz').mkdir(exist_ok=True)\n(home / 'zz' / 'conftest.py').write_text('')\n"
        "def f():\n    return 1\n"
    )
    base = {**STRICT, "zz/test_later.py": "def test_it():\n    pass\n"}
    found = lap({"core.py": source}, base=base, task={"tests": {"select": "all"}})
    assert found.regressed == ["plugin:/workspace/repo/zz/conftest.py"]
    assert [f.path for f in found.findings if f.code == "tamper:tree_changed"] == ["zz/conftest.py"]


OVERWRITES = (
    "import pathlib\ntests = pathlib.Path(__file__).with_name('test_core.py')\n"
    "try:\n    tests.write_text('def test_a(): pass\\ndef test_b(): pass\\ndef test_c(): pass\\n')\n"
    "except OSError:\n    pass\ndef f():\n    return 1\n"
)


def test_a_tree_that_the_candidate_rewrites_is_tampered_with(lap):
    found = lap({"core.py": OVERWRITES}, base=STRICT, sandbox="none")
    assert ("tamper:tree_changed", "test_core.py") in [(f.code, f.path) for f in found.findings]
    if os.geteuid() == 0:
        # A judge that is root seals the tree: the attack never gets that far.
        assert lap({"core.py": OVERWRITES}, base=STRICT).findings == ()


def test_a_tree_that_base_rewrites_as_well_is_not(lap):
    golden = "import pathlib\ndef test_golden():\n    pathlib.Path(__file__).with_name('golden.txt').write_text('new')\n"
    base = {**STRICT, "golden.txt": "old", "test_core.py": TESTS + golden}
    assert lap({"core.py": "def f():\n    return 2 - 1\n"}, base=base, sandbox="none").findings == ()


def test_files_that_tests_of_base_make_are_their_own_business(lap):
    tests = (
        TESTS
        + "import pathlib\ndef test_writes():\n    pathlib.Path(__file__).with_name('test_made.py').write_text('')\n"
    )
    found = lap(
        {"core.py": "import pathlib\npathlib.Path('notes.log').write_text('')\ndef f():\n    return 1\n"},
        base={**STRICT, "test_core.py": tests},
    )
    assert found.findings == ()
    assert found.base["test_core.py::test_writes"] == "passed"


def test_paths_of_the_task_file_are_what_runs(lap):
    base = {**STRICT, "other/test_other.py": "".join(f"def test_{n}():\n    pass\n" for n in "abc")}
    found = lap(BROKEN, base=base, task={"tests": {"paths": ("other",)}})
    assert set(found.base) == {f"other/test_other.py::test_{n}" for n in "abc"}
    for wrong in ("missing.py", "../x"):
        with pytest.raises(UsageError, match="base does not hold"):
            lap(BROKEN, base=base, task={"tests": {"paths": (wrong,)}})

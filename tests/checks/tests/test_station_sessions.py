"""Sessions: several at a time, forks, odd names, and an interpreter without pytest."""

import subprocess
import sys

import pytest

from truelap.errors import UsageError

FILES = {
    f"tests/test_{n}.py": f"import core\n\ndef test_a():\n    assert core.{n}() == 1\n\ndef test_b():\n    pass\n"
    for n in "xyz"
}
CORE = "".join(f"def {n}():\n    return 1\n" for n in "xyz")
BASE = {"core.py": CORE, **FILES}


@pytest.mark.parametrize("jobs", [1, 8])
def test_the_answer_does_not_depend_on_the_number_of_sessions(lap, jobs):
    found = lap(
        {"core.py": CORE.replace("def y():\n    return 1", "def y():\n    return 2")}, base=BASE, jobs=jobs
    )
    assert found.regressed == ["tests/test_y.py::test_a"]
    assert len(found.evidence.candidate.sessions) == min(jobs, 3)
    assert len(found.base) == 6


def test_one_session_that_dies_takes_only_its_own_tests_with_it(lap):
    source = CORE.replace("def y():\n    return 1", "def y():\n    import os\n    os._exit(0)")
    found = lap({"core.py": source}, base=BASE, jobs=3)
    assert found.regressed == ["tests/test_y.py::test_a", "tests/test_y.py::test_b", "session:closed"]


def test_a_test_that_forks_reports_once(lap):
    tests = (
        "import os, sys\n\ndef test_fork():\n    pid = os.fork()\n    if pid:\n        os.waitpid(pid, 0)\n\n"
        "def test_descriptors():\n    import subprocess\n"
        "    done = subprocess.run([sys.executable, '-c', 'import os; print(os.listdir(\"/proc/self/fd\"))'], "
        "close_fds=False, capture_output=True, text=True)\n    assert len(eval(done.stdout)) == 4\n\n"
        "def test_spawn():\n    import multiprocessing\n    context = multiprocessing.get_context('spawn')\n"
        "    worker = context.Process(target=print)\n    worker.start()\n    worker.join()\n    assert worker.exitcode == 0\n"
    )
    found = lap({"core.py": "x = 1\n"}, base={"core.py": "", "test_core.py": tests})
    assert set(found.base.values()) == {"passed"}
    assert found.findings == ()


def test_a_program_that_tests_start_finds_the_tree(lap):
    tests = (
        "import subprocess, sys\nimport pytest\n\n@pytest.mark.parametrize('n', range(3))\ndef test_run(n, tmp_path):\n"
        "    done = subprocess.run([sys.executable, '-c', 'import core'], cwd=tmp_path)\n    assert done.returncode == 0\n"
    )
    base = {"pyproject.toml": "", "src/core.py": "", "tests/test_core.py": tests}
    assert lap({"src/core.py": "x = 1\n"}, base=base).findings == ()


def test_modules_of_the_tree_do_not_shadow_what_the_probe_needs(lap):
    trap = {
        "json.py": "raise SystemExit\n",
        "struct.py": "raise SystemExit\n",
        "pytest.py": "raise SystemExit\n",
    }
    base = {"core.py": "", "test_core.py": "".join(f"def test_{n}():\n    pass\n" for n in "abc")}
    assert lap({"core.py": "x = 1\n", **trap}, base=base).findings == ()


def test_odd_names_of_files_survive(lap):
    name = "test_\u00e9 [x] 'q\udcff.py"
    tests = "import core\n" + "".join(f"def test_{n}():\n    assert core.ok\n" for n in "abc")
    # pytest's own cache cannot write a name that is no text, so this base has it off.
    base = {"core.py": "ok = True\n", name: tests, "tox.ini": "[pytest]\naddopts = -p no:cacheprovider\n"}
    for jobs in (1, 2):
        found = lap({"core.py": "ok = False\n"}, base=base, jobs=jobs)
        assert found.regressed == [f"test_\u00e9 [x] 'q\\udcff.py::test_{n}" for n in "abc"]


def test_many_tests_arrive_whole(lap):
    tests = "import pytest\nimport core\n\n@pytest.mark.parametrize('n', range(300), ids=lambda n: f'{n:02000}')\ndef test_it(n):\n    assert n != core.bad\n"
    found = lap({"core.py": "bad = 299\n"}, base={"core.py": "bad = -1\n", "test_core.py": tests})
    assert len(found.base) == 300
    assert found.regressed == [f"test_core.py::test_it[{299:02000}]"]


def test_an_interpreter_without_pytest_is_a_wrong_argument(lap, tmp_path):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    with pytest.raises(UsageError, match="no pytest; name the project's own interpreter with --python"):
        lap({"core.py": "x = 1\n"}, base=BASE, python=bare / "bin" / "python")

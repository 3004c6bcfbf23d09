"""Builds of both sides: a real C extension, a real compiler, the real sandbox; then builds that do what they must not."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.prepare.rebuild import rebuild
from truelap.settings import Settings
from truelap.task import Environment, Task
from truelap.world.sandbox import Step

POLICY = load_policy()
SETTINGS = Settings(python=Path(sys.executable), seed=1)
SCRIPT = Task(environment=Environment(build=(("python", "build.py"),)))

C_SOURCE = """
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *args) { return PyLong_FromLong(41); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_c", "", -1, methods};
PyMODINIT_FUNC PyInit__c(void) { return PyModule_Create(&module); }
"""
SETUP = (
    'from setuptools import Extension, setup\nsetup(name="p", ext_modules=[Extension("p._c", ["p/_c.c"])])\n'
)
C_PACKAGE = {
    "p/__init__.py": "from p._c import answer\n",
    "p/_c.c": C_SOURCE,
    "setup.py": SETUP,
    "tests/test_p.py": "def test(): pass\n",
}
SCRIPTED = {
    "p.py": "",
    "p.c": "/* a compiled source */",
    "build.py": "open('made.txt', 'w').write('base')\n",
    "tests/test_p.py": "def test(): pass\n",
}


@pytest.fixture
def line(world, tmp_path):
    """Runs the station on a base and the files that a submission changes (None: deletes)."""

    def run(base, changes, task=SCRIPT, policy=POLICY):
        trees = [_tree(world.store, files) for files in (base, {**base, **changes})]
        case = Case(name="t", base=Base(given="b", commit=None, tree=trees[0]), candidate_tree=trees[1])
        after = rebuild(case, world, policy, task, SETTINGS)
        return SimpleNamespace(
            before=case,
            after=after,
            codes=[finding.code for finding in after.findings],
            levels={finding.level for finding in after.findings},
            paths=[finding.path for finding in after.findings],
            said=" ".join(finding.message for finding in after.findings),
            base=_read(world.trees.base(after)),
            candidate=_read(world.trees.candidate(after)),
        )

    return run


def without(*off):
    return POLICY.model_copy(update={"ablate": POLICY.ablate.model_copy(update={"off": off})})


def _tree(store, files):
    blobs = [
        (path.encode(), 0o100755 if path.endswith(".sh") else 0o100644, store.add_blob(text.encode()))
        for path, text in files.items()
        if text is not None
    ]
    return store.replace(None, blobs)


def _read(tree):
    return {path.decode(): (tree.root / path.decode()).read_bytes() for path in tree.manifest}


def _extensions(files):
    return {path for path in files if path.startswith("p/_c.") and path.endswith(".so")}


def _answer(world, case):
    tree = world.trees.candidate(case)
    program = (
        str(world.interpreter.executable),
        "-c",
        "import sys; sys.path[0] = '.'; import p; print(p.answer())",
    )
    with world.trees.fresh(tree, "ask") as copy:
        step = Step(name="ask", argv=program, tree=copy.root, limits=POLICY.limits, channel=False)
        with world.sandbox.start(step) as session:
            return session.wait(60).output.strip()


def test_a_change_in_c_is_built_on_both_sides_and_runs(line, world):
    done = line(C_PACKAGE, {"p/_c.c": C_SOURCE.replace("41", "42")}, task=Task())
    assert done.codes == []
    assert len(_extensions(done.base)) == len(_extensions(done.candidate)) == 1
    assert _answer(world, done.after) == b"42"
    assert "_c.c" in done.after.get("rebuild").artifacts()["rebuild.log"]
    assert not [path for path in done.candidate if path.endswith(".pyc")]


def test_c_that_does_not_compile_fails_and_says_why(line):
    done = line(C_PACKAGE, {"p/_c.c": C_SOURCE.replace("41", "no_such_name")}, task=Task())
    assert done.codes == ["rebuild_failed"]
    assert done.levels == {"fail"}
    assert "no_such_name" in done.after.get("rebuild").artifacts()["rebuild.log"]


def test_a_base_that_does_not_compile_says_nothing_of_the_submission(line):
    base = {**C_PACKAGE, "p/_c.c": "#error base"}
    named = Task(environment=Environment(build=(("python", "setup.py", "build_ext", "--inplace"),)))
    done = line(base, {"p/_c.c": C_SOURCE}, task=named)
    assert done.codes == ["rebuild:base_failed"]
    assert done.levels == {"inconclusive"}


def test_a_build_by_setuptools_needs_no_setup_py(line):
    base = {path: text for path, text in C_PACKAGE.items() if path != "setup.py"}
    base["pyproject.toml"] = (
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "p"\nversion = "1"\n[tool.setuptools]\npackages = ["p"]\n'
        '[[tool.setuptools.ext-modules]]\nname = "p._c"\nsources = ["p/_c.c"]\n'
    )
    done = line(base, {"p/_c.c": C_SOURCE + "\n"}, task=Task())
    assert done.codes == []
    assert _extensions(done.candidate)


def test_a_setup_py_that_edits_a_test_is_caught(line):
    edit = 'open("tests/test_p.py", "a").write("# weaker")\n'
    done = line(C_PACKAGE, {"setup.py": SETUP + edit}, task=Task())
    assert (done.codes, done.paths) == (["tamper:build_changed_sources"], ["tests/test_p.py"])
    assert done.candidate["tests/test_p.py"] == C_PACKAGE["tests/test_p.py"].encode()


def test_an_honest_change_of_setup_py_is_not(line):
    flags = SETUP.replace('["p/_c.c"])', '["p/_c.c"], extra_compile_args=["-O3"])')
    done = line(C_PACKAGE, {"setup.py": flags}, task=Task())
    assert done.codes == []


@pytest.mark.parametrize(
    "path", ["evil.pth", "pkg/sitecustomize.py", "evil.dist-info/entry_points.txt", "json.py"]
)
def test_a_build_may_not_bring_what_a_diff_may_not(line, path):
    build = f"import os\nos.makedirs(os.path.dirname({path!r}) or '.', exist_ok=True)\nopen({path!r}, 'w').write('import os')\n"
    done = line(SCRIPTED, {"build.py": build})
    assert (done.codes, done.paths) == (["tamper:build_outputs"], [path])
    assert done.levels == {"fail"}
    assert path not in done.candidate


def test_a_build_may_bring_modules_data_and_libraries(line):
    build = "for name in ('generated.py', 'data.bin', 'fast.so'): open(name, 'w').write('x')\n"
    done = line(SCRIPTED, {"build.py": build})
    assert done.codes == []
    assert {"generated.py", "data.bin", "fast.so"} <= set(done.candidate)


def test_a_build_may_not_add_to_the_tests(line):
    done = line(SCRIPTED, {"build.py": "open('tests/conftest.py', 'w').write('')\n"})
    assert (done.codes, done.paths) == (["tamper:build_outputs"], ["tests/conftest.py"])


def test_what_bases_build_adds_to_the_tests_is_bases_on_both_sides(line):
    base = {**SCRIPTED, "build.py": "open('tests/helper.so', 'w').write('base')\n"}
    changed = line(base, {"build.py": "open('tests/helper.so', 'w').write('weaker')\n"})
    assert changed.codes == []
    assert changed.candidate["tests/helper.so"] == b"base"


def test_a_helper_that_the_candidate_does_not_build_is_there_all_the_same(line):
    base = {**SCRIPTED, "build.py": "open('tests/helper.so', 'w').write('base')\n"}
    done = line(base, {"build.py": ""})
    assert done.codes == []
    assert done.candidate["tests/helper.so"] == b"base"


FOLDER = (
    "import os\nos.makedirs('made/tests', exist_ok=True)\nopen('made/tests/data.txt', 'w').write('base')\n"
)
IN_ITS_PLACE = "import shutil\nshutil.rmtree('made', ignore_errors=True)\nopen('made', 'w').write('file')\n"


@pytest.mark.parametrize("build", [IN_ITS_PLACE, FOLDER + IN_ITS_PLACE])
def test_a_file_for_a_folder_that_base_builds_for_its_tests_is_the_candidates_failure(line, build):
    done = line({**SCRIPTED, "build.py": FOLDER}, {"build.py": build})
    assert (done.codes, done.paths) == (["tamper:build_outputs"], ["made"])
    assert "made/tests/data.txt" in done.said


def test_a_file_beside_such_a_folder_is_not(line):
    build = "open('made_too', 'w').write('file')\n"
    done = line({**SCRIPTED, "build.py": FOLDER}, {"build.py": build})
    assert done.codes == []
    assert done.candidate["made/tests/data.txt"] == b"base"


@pytest.mark.parametrize(
    ("off", "code"), [((), "tamper:build_outputs"), (("build_outputs",), "rebuild_failed")]
)
def test_what_cannot_be_placed_where_base_can_be_is_the_candidates_failure(line, off, code):
    base = {**SCRIPTED, "made/gen.txt": "", "build.py": "open('made/gen.txt', 'w').write('base')\n"}
    done = line(base, {"build.py": IN_ITS_PLACE}, policy=without(*off))
    assert (done.codes, done.levels) == ([code], {"fail"})
    assert "made" in done.said


COPIES = (
    "import os, shutil\nfor to in ('build/lib/tests', 'build/lib/p/tests'): shutil.copytree('tests', to)\n"
    "shutil.copy('p.py', 'build/lib/p.py')\n"
)


def test_copies_of_tests_in_a_folder_of_the_builds_own_are_left_out(line):
    done = line(SCRIPTED, {"build.py": COPIES})
    assert (done.codes, done.levels, done.paths) == (["rebuild:left_out"], {"info"}, ["build/"])
    assert {path for path in done.candidate if path.startswith("build")} == {"build.py", "build/lib/p.py"}


@pytest.mark.parametrize(
    "path", ["tests/more/conftest.py", "conftest.py", "p/conftest.py", "benchmarks/b.py"]
)
def test_what_pytest_or_the_suite_would_see_is_held_against_the_build(line, path):
    build = f"import os\nos.makedirs(os.path.dirname({path!r}) or '.', exist_ok=True)\nopen({path!r}, 'w').write('')\n"
    base = {**SCRIPTED, "p/x.py": ""}
    done = line(base, {"build.py": build})
    assert (done.codes, done.paths) == (["tamper:build_outputs"], [path])


def test_a_folder_of_the_builds_own_that_is_imported_from_is_no_place_for_tests(line):
    task = SCRIPT.model_copy(
        update={"environment": Environment(build=(("python", "build.py"),), python_path=("build/lib",))}
    )
    done = line(SCRIPTED, {"build.py": COPIES}, task=task)
    assert set(done.codes) == {"tamper:build_outputs"}


def metadata(version, *names):
    names = names or ("METADATA",)
    folder = f"p-{version}.dist-info"
    return f"import os\nos.mkdir({folder!r})\nfor name in {names!r}: open({folder!r} + '/' + name, 'w').write({version!r})\n"


def test_metadata_of_another_version_is_left_out_and_bases_stays(line):
    done = line({**SCRIPTED, "build.py": metadata("1.0")}, {"build.py": metadata("1.1")})
    assert (done.codes, done.levels) == (["rebuild:left_out"], {"info"})
    assert done.paths == ["p-1.1.dist-info/METADATA"]
    assert {path for path in done.candidate if "info" in path} == {"p-1.0.dist-info/METADATA"}
    assert done.candidate["p-1.0.dist-info/METADATA"] == b"1.0"


def test_metadata_that_base_has_in_no_version_is_held_against_the_build(line):
    build = metadata("1.1", "METADATA", "entry_points.txt")
    done = line({**SCRIPTED, "build.py": metadata("1.0")}, {"build.py": build})
    assert done.codes == ["tamper:build_outputs", "rebuild:left_out"]
    assert done.paths[0] == "p-1.1.dist-info/entry_points.txt"


def test_a_generated_file_that_the_submission_brings_as_well_may_be_written(line):
    base = {**SCRIPTED, "build.py": "open('version.py', 'w').write('v = 1')\n"}
    done = line(base, {"version.py": "v = 2", "p.py": "# faster"})
    assert done.codes == []
    assert done.candidate["version.py"] == b"v = 1"


def test_a_file_that_the_submission_brings_and_only_its_build_writes_is_rewritten(line):
    done = line(SCRIPTED, {"version.py": "v = 2", "build.py": "open('version.py', 'w').write('v = 1')\n"})
    assert (done.codes, done.paths) == (["tamper:build_changed_sources"], ["version.py"])


def test_a_start_up_file_that_base_builds_stays_bases(line):
    base = {**SCRIPTED, "build.py": "open('x.pth', 'w').write('base')\n"}
    done = line(base, {"build.py": "open('x.pth', 'w').write('import evil')\n"})
    assert done.codes == []
    assert done.candidate["x.pth"] == b"base"


def test_metadata_that_base_builds_too_may_differ(line):
    base = {
        **SCRIPTED,
        "build.py": "import os\nos.mkdir('p.egg-info')\nopen('p.egg-info/PKG-INFO', 'w').write('1')\n",
    }
    done = line(base, {"build.py": base["build.py"].replace("'1'", "'2'")})
    assert done.codes == []
    assert done.candidate["p.egg-info/PKG-INFO"] == b"2"


def test_a_tracked_file_that_bases_build_writes_is_generated(line):
    # Base's build writes the very bytes that are tracked: only the time of writing shows it.
    base = {
        **SCRIPTED,
        "gen.c": "old",
        "build.py": "open('gen.c', 'w').write(open('p.py').read() or 'old')\n",
    }
    done = line(base, {"p.py": "new"})
    assert done.codes == []
    assert (done.base["gen.c"], done.candidate["gen.c"]) == (b"old", b"new")


def test_a_tracked_file_that_only_the_candidates_build_writes_is_not(line):
    done = line({**SCRIPTED, "gen.c": "old"}, {"build.py": "open('gen.c', 'w').write('new')\n"})
    assert (done.codes, done.paths) == (["tamper:build_changed_sources"], ["gen.c"])


def test_a_tracked_file_that_the_candidates_build_removes_is_missed(line):
    done = line(SCRIPTED, {"build.py": "import os; os.remove('p.py')\n"})
    assert (done.codes, done.paths) == (["tamper:build_changed_sources"], ["p.py"])


def test_links_pipes_and_bytecode_stay_behind(line):
    build = (
        "import os, py_compile\nos.symlink('/etc/passwd', 'link')\nos.mkfifo('pipe')\n"
        "py_compile.compile('p.py', cfile='p.pyc')\nopen('made.txt', 'w').write('x')\n"
    )
    done = line(SCRIPTED, {"build.py": build})
    assert done.codes == []
    assert set(done.candidate) - set(SCRIPTED) == {"made.txt"}


SHELL = {**SCRIPTED, "build.sh": "#!/bin/sh\necho built > made.txt\n"}
BY_SHELL = Task(environment=Environment(build=(("./build.sh",),)))


@pytest.mark.parametrize("script", [None, "#!/no/such/shell\n"])
def test_a_build_that_the_candidate_keeps_from_starting_is_its_failure(line, script):
    done = line(SHELL, {"build.sh": script, "p.c": "/* other */"}, task=BY_SHELL)
    assert (done.codes, done.levels) == (["rebuild_failed"], {"fail"})
    assert "build.sh" in done.said


def test_a_script_that_builds_is_run(line):
    done = line(SHELL, {"p.c": "/* other */"}, task=BY_SHELL)
    assert (done.codes, done.candidate["made.txt"]) == ([], b"built\n")


def test_a_command_that_is_not_there_says_nothing_of_the_submission(line):
    task = Task(environment=Environment(build=(("no-such-tool",),)))
    done = line(SCRIPTED, {"p.c": "/* other */"}, task=task)
    assert (done.codes, done.levels) == (["rebuild:base_failed"], {"inconclusive"})
    assert "no-such-tool" in done.said
    assert "not found" in done.said


def test_a_build_that_hangs_is_the_candidates_failure(line):
    policy = POLICY.model_copy(update={"limits": POLICY.limits.model_copy(update={"wall_s": 2.0})})
    done = line(SCRIPTED, {"build.py": "import time; time.sleep(60)\n"}, policy=policy)
    assert done.codes == ["rebuild_failed"]
    assert "did not end in time" in done.said


def test_a_build_that_leaves_too_much_is_the_candidates_failure(line):
    policy = POLICY.model_copy(update={"limits": POLICY.limits.model_copy(update={"scratch_bytes": 1 << 20})})
    build = "for n in range(3): open(f'big{n}', 'wb').truncate(1 << 19)\n"
    assert line(SCRIPTED, {"build.py": build}, policy=policy).codes == ["rebuild_failed"]


HOLES = "import os\nfor n in range(100):\n    open(f'n{n}', 'wb').truncate((1 << 30) - 1)\n"
IN_TRACKED = "import os\nfor n in range(100):\n    os.truncate(f'd/{n}.txt', (1 << 30) - 1)\n"


@pytest.mark.parametrize("build", [HOLES, IN_TRACKED])
def test_files_that_are_long_and_take_no_room_are_the_candidates_failure(line, build):
    # Were they read before they are counted, that would take minutes, and the judge's memory.
    base = {**SCRIPTED, **{f"d/{n}.txt": "" for n in range(100)}}
    done = line(base, {"build.py": build})
    assert (done.codes, done.levels) == (["rebuild_failed"], {"fail"})
    assert "scratch_bytes" in done.said


def test_a_few_long_files_are_an_honest_builds_own_affair(line):
    done = line(SCRIPTED, {"build.py": "open('table.bin', 'wb').truncate(1 << 24)\n"})
    assert done.codes == []
    assert len(done.candidate["table.bin"]) == 1 << 24


def test_a_base_that_leaves_too_much_says_nothing_of_the_submission(line):
    done = line({**SCRIPTED, "build.py": HOLES}, {"p.py": "# faster"})
    assert (done.codes, done.levels) == (["rebuild:base_failed"], {"inconclusive"})


def test_a_build_that_leaves_what_cannot_be_read_is_the_candidates_failure(line):
    build = "import os\nfor _ in range(300):\n    os.mkdir('d')\n    os.chdir('d')\n"
    assert line(SCRIPTED, {"build.py": build}).codes == ["rebuild_failed"]


@pytest.mark.parametrize(("folders", "codes"), [(150, []), (1500, ["rebuild_failed"])])
def test_folders_without_end_between_two_commands_are_the_candidates_failure(line, folders, codes):
    twice = Task(environment=Environment(build=(("python", "build.py"), ("python", "-c", "pass"))))
    deep = f"import os\nfor _ in range({folders}):\n    os.mkdir('d')\n    os.chdir('d')\n"
    assert line(SCRIPTED, {"build.py": SCRIPTED["build.py"] + deep}, task=twice).codes == codes


def test_a_build_sees_neither_side_nor_version_control(line):
    build = "import os\nopen('where.txt', 'w').write(os.getcwd() + str(sorted(os.environ)) + str(sorted(os.listdir())))\n"
    base = {**SCRIPTED, "build.py": build}
    done = line(base, {"p.py": "# faster"})
    assert done.codes == []
    assert done.base["where.txt"] == done.candidate["where.txt"]
    assert b"/workspace/repo" in done.base["where.txt"]


def test_a_tree_with_compiled_sources_is_built_for_a_change_in_python_too(line, world):
    done = line(C_PACKAGE, {"p/__init__.py": "from p._c import answer  # faster\n"}, task=Task())
    assert done.codes == []
    assert _answer(world, done.after) == b"41"


def test_a_tree_with_compiled_files_is_built_whatever_their_sources_are_called(line):
    base = {"p.so": "1", "p.unknown": "1", "setup.py": "open('p.so', 'w').write(open('p.unknown').read())\n"}
    assert line(base, {"p.unknown": "2"}, task=Task()).candidate["p.so"] == b"2"


def test_data_of_tests_is_no_output(line):
    base = {"p.py": "", "tests/data/p.so": "", "setup.py": "open('made.txt', 'w').write('x')\n"}
    assert "made.txt" not in line(base, {"p.py": "# faster"}, task=Task()).candidate


def test_nothing_is_built_where_nothing_is_compiled(line):
    done = line({"p.py": "", "setup.py": SETUP}, {"p.py": "# faster"}, task=Task())
    assert done.after is done.before


def test_a_task_that_names_a_build_has_it_run_for_any_change(line):
    done = line(SCRIPTED, {"p.py": "# faster"})
    assert done.base["made.txt"] == done.candidate["made.txt"] == b"base"


def test_carried_outputs_excuse_no_change_from_the_build(line):
    # Any file may be a source of the build, whatever its name.
    carrying = Task(environment=Environment(build=(("python", "build.py"),), carry=("*.so",)))
    assert "made.txt" in line(SCRIPTED, {"table.def": "faster"}, task=carrying).candidate


def test_a_build_file_of_a_pure_python_project_needs_no_build(line):
    done = line({"p.py": "", "setup.cfg": ""}, {"setup.cfg": "[metadata]\nname = p\n"}, task=Task())
    assert (done.codes, done.levels) == (["rebuild:not_built"], {"info"})


@pytest.mark.parametrize("base", [{"p.py": "", "p.c": ""}, {"p.py": ""}])
@pytest.mark.parametrize("path", ["p.c", "docs/embed.c", "x.h"])
def test_a_compiled_change_that_nobody_knows_how_to_build_is_judged_as_it_stands(line, base, path):
    done = line(base, {path: "/* faster, or a way out */"}, task=Task())
    assert (done.codes, done.levels) == (["rebuild:not_built"], {"info"})
    assert ("[environment] build" in done.said) == ("p.c" in base)
    assert done.candidate == {**done.base, path: b"/* faster, or a way out */"}


@pytest.mark.parametrize(
    "change", [{"setup.py": "raise SystemExit('a newer compiler')\n"}, {"p.c": "/* no way out */"}]
)
def test_a_guessed_build_that_fails_at_base_leaves_both_sides_as_they_stand(line, change):
    base = {"p.c": "", "setup.py": "raise SystemExit('needs a compiler')\n"}
    done = line(base, change, task=Task())
    assert (done.codes, done.levels) == (["rebuild:not_built"], {"info"})
    assert "needs a compiler" in done.said


WRITES = "import os\nos.makedirs(os.path.dirname({0!r}) or '.', exist_ok=True)\nopen({0!r}, 'w').write('x')\n"
TESTED = {
    **SCRIPTED,
    "pyproject.toml": "[project]\nname = 'p'\n",
    "conftest.py": "",
    "ci/common.py": "",
    "tests/test_p.py": "import ci.common\n",
    "bare/test_b.py": "",
}


@pytest.mark.parametrize(
    "path",
    [
        "conftest.abi3.so",
        "conftest/__init__.py",
        "ci/common.abi3.so",
        "ci/common/__init__.so",
        "ci.so",
        "bare/__init__.so",
    ],
)
def test_a_build_may_not_hide_what_is_put_back(line, path):
    done = line(TESTED, {"build.py": WRITES.format(path)})
    assert (done.codes, done.paths) == (["tamper:build_outputs"], [path])
    assert done.levels == {"fail"}
    assert path not in done.candidate


@pytest.mark.parametrize("path", ["p.abi3.so", "_p.abi3.so", "new/__init__.py", "ci/fast.so"])
def test_a_build_may_bring_modules_that_hide_nothing(line, path):
    done = line(TESTED, {"build.py": WRITES.format(path)})
    assert done.codes == []
    assert path in done.candidate


@pytest.mark.parametrize("path", ["p.py", "p/__init__.so"])
def test_a_build_may_not_bring_a_module_a_second_time(line, path):
    base = {"src/p/__init__.py": "x = 1\n", "tests/test_p.py": "import p\n", "build.py": ""}
    changes = {"build.py": WRITES.format(path)}
    done = line(base, changes)
    assert (done.codes, done.paths, done.levels) == (["tamper:build_outputs"], [path], {"fail"})
    policy = POLICY.model_copy(update={"ablate": POLICY.ablate.model_copy(update={"off": ("doubles",)})})
    assert path in line(base, changes, policy=policy).candidate
    both = {**base, "build.py": changes["build.py"]}
    assert line(both, {"build.py": both["build.py"].replace("'x'", "'y'")}).codes == []


def test_what_is_switched_off_is_not_asked(line):
    for path, name in (("conftest.abi3.so", "rivals"), ("bare/__init__.so", "packages")):
        policy = POLICY.model_copy(update={"ablate": POLICY.ablate.model_copy(update={"off": (name,)})})
        assert path in line(TESTED, {"build.py": WRITES.format(path)}, policy=policy).candidate


def test_what_bases_build_makes_too_hides_nothing(line):
    base = {**TESTED, "build.py": WRITES.format("conftest.abi3.so")}
    done = line(base, {"build.py": base["build.py"].replace("'x'", "'y'")})
    assert done.codes == []


def test_a_file_where_bases_build_makes_a_folder_is_a_failure(line):
    base = {**TESTED, "build.py": WRITES.format("p_data/tests/made.txt")}
    done = line(base, {"build.py": "", "p_data/tests": "a file"})
    assert (done.codes, done.paths) == (["tamper:build_outputs"], ["p_data/tests"])
    assert done.levels == {"fail"}


def test_a_folder_where_a_build_makes_a_file_is_a_failure(line):
    base = {**TESTED, "gen": "tracked", "build.py": "open('gen', 'w').write('x')\n"}
    remake = "import os\nos.remove('gen')\nos.mkdir('gen')\nopen('gen/x', 'w').write('x')\n"
    done = line(base, {"build.py": remake})
    assert (done.codes, done.paths) == (["tamper:build_outputs"], ["gen"])

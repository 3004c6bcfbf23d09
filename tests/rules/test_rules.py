"""The scan, the order, and what several rules say of one entry."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truelap import rules
from truelap.errors import UsageError, WorldError
from truelap.model import EXECUTABLE, GITLINK, REGULAR, SYMLINK, Entry
from truelap.policy import load_policy
from truelap.rules import Change, examine, fold, load_rules, module_name, top_module

NAMES = [  # a rule that vanishes must be seen in review
    "bidi",
    "compiled_files",
    "control_bytes",
    "escaping_paths",
    "git_component",
    "gitlinks",
    "modes",
    "package_metadata",
    "shadow_modules",
    "size",
    "source_encoding",
    "startup_files",
    "symlinks",
    "twins",
]


def without(*names):
    policy = load_policy()
    return policy.model_copy(update={"refuse": policy.refuse.model_copy(update={"off": names})})


def test_the_rules_are_these():
    assert [name for name, _ in load_rules(load_policy())] == NAMES


def test_a_rule_can_be_turned_off_by_the_policy_alone():
    assert "symlinks" not in dict(load_rules(without("symlinks")))


def test_turning_off_a_rule_that_does_not_exist_is_a_usage_error():
    with pytest.raises(UsageError, match="no rule is called symlink;"):
        load_rules(without("symlink"))


@pytest.mark.parametrize(
    "source", ['"""An attack."""\n', "def judge(change, scene): ...\n", '"""An attack."""\njudge = 3\n']
)
def test_a_file_that_is_not_a_rule_stops_the_program(tmp_path, monkeypatch, source):
    (tmp_path / "stray.py").write_text(source)
    monkeypatch.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
    try:
        with pytest.raises(WorldError, match=r"rules/stray\.py"):
            load_rules(load_policy())
    finally:
        sys.modules.pop("truelap.rules.stray", None)


def test_every_rule_names_its_attack():
    for name in NAMES:
        assert len(import_module(f"truelap.rules.{name}").__doc__) > 60


def test_an_honest_change_passes_every_rule(added, changed, scene):
    base = {b"src/pkg/core.py": b"x = 1\n", b"src/pkg/__init__.py": b"", b"docs/index.md": b""}
    changes = [
        changed(b"src/pkg/core.py", "caf\xe9 = 1\n".encode()),
        added(b"src/pkg/queue.py"),
        added("src/pkg/\xe9.py".encode()),
        added(b"docs/plot.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        added(b"data/x.npz", b"PK\x03\x04 PK\x05\x06"),
        changed(b"docs/index.md", None),
    ]
    where = scene(base, roots=(b"", b"src/"), others=[c.entry for c in changes])
    assert list(examine(changes, where, load_rules(where.policy))) == []


def test_each_ruling_names_rule_path_and_reason(added, scene):
    where = scene()
    found = list(examine([added(b"ok.py"), added(b"x/sitecustomize.so")], where, load_rules(where.policy)))
    assert [(f.rule, f.path) for f in found] == [
        ("compiled_files", b"x/sitecustomize.so"),
        ("startup_files", b"x/sitecustomize.so"),
    ]


def test_changes_are_read_one_at_a_time(added, scene):
    where = scene()
    drawn = []

    def changes():
        for path in (b"a.pth", b"b.pth"):
            drawn.append(path)
            yield added(path)

    found = examine(changes(), where, load_rules(where.policy))
    next(found)
    assert drawn == [b"a.pth"]


@given(
    path=st.one_of(
        st.binary(max_size=40), st.text(max_size=20).map(lambda t: t.encode("utf-8", "surrogatepass"))
    ),
    content=st.one_of(st.none(), st.binary(max_size=80)),
    mode=st.sampled_from([0, REGULAR, EXECUTABLE, SYMLINK, GITLINK, 0o104755]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_rule_stumbles_over_any_name_or_content(scene, path, content, mode):
    entry = Entry(path=path, old_mode=0, new_mode=mode, old_blob="0" * 40, new_blob="1" * 40)
    where = scene({b"src/pkg/core.py": b"", path + b"x": b""}, roots=(b"", b"src/"), others=[entry])
    for found in examine([Change(entry, content)], where, load_rules(where.policy)):
        assert found.ruling.reason.encode()


def test_folding_keeps_what_is_not_text():
    assert fold(b"A\xff/B") == "a\udcff/b"
    assert fold("STRA\u1e9eE".encode()) == "strasse"


def test_modules_are_found_as_python_finds_them():
    assert module_name("a.b.py") == "a.b"
    assert module_name("a.pyx") is None
    assert module_name("liba.so.1") == "liba"
    assert top_module(b"src/a/b.py", b"src/") is None
    assert top_module(b"other/a.py", b"src/") is None

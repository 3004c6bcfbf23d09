"""Files of settings that are wrong: the key, what is wrong with it, what it must be."""

from __future__ import annotations

import hashlib
from typing import Literal

import pytest
from pydantic import ValidationError

from truelap.errors import UsageError
from truelap.keyfile import complaint
from truelap.model import Frozen
from truelap.policy import Policy, load_policy, parse_policy, policy_text, shipped_bytes
from truelap.task import load_task


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[tests]\nselect = "al"', 'tests.select: must be "mapped" or "all", and is "al"'),
        ('[tests]\nselct = "all"', "tests.selct: there is no such key; did you mean select?"),
        ("[test]", "test: there is no such key; did you mean tests?"),
        ("[benchmarks]\nz = 1", "benchmarks.z: there is no such key; the keys here are config, exclude,"),
        ("tests = 3", "tests: must be a table, and is 3"),
        ('[tests]\ntimeout_s = "x"', 'tests.timeout_s: must be a number, and is "x"'),
        ("[tests]\ntimeout_s = 0", "tests.timeout_s: must be more than 0, and is 0"),
        ("[tests]\nmin_base_pass = 0", "tests.min_base_pass: must be at least 1, and is 0"),
        ("[tests]\nmin_base_pass = 1.5", "tests.min_base_pass: must be a whole number, and is 1.5"),
        ('[tests]\npaths = "a"', 'tests.paths: must be a list in [ ], and is "a"'),
        ('[environment]\nbuild = [["a", 1]]', "environment.build[0][1]: must be a text in quotes, and is 1"),
        ('[environment]\nbuild = ["a"]', 'environment.build[0]: must be a list in [ ], and is "a"'),
        ("[environment]\nenv = { A = true }", "environment.env.A: must be a text in quotes, and is true"),
        ('[[outputs.skip]]\nbenchmark = "a"', "outputs.skip[0].reason: is missing; add it"),
        (
            "[[outputs.skip]]\nkind = 1",
            "outputs.skip[0].kind: there is no such key; the keys here are benchmark,",
        ),
        ('[outputs.overrides.a]\nrtol = "x"', 'outputs.overrides.a.rtol: must be a number, and is "x"'),
        (
            "[outputs.overrides.a]\nrtl = 1.0",
            "outputs.overrides.a.rtl: there is no such key; did you mean rtol?",
        ),
        ("[outputs]\nrtol = nan", "outputs.rtol: must be a finite number, and is nan"),
        ("x =", "is not TOML: Invalid value"),
        ("a = 1\nb = 2", "a: there is no such key; the keys here are benchmarks, environment,"),
        ("a = 1\nb = 2", "(and that is not all: 2 keys are wrong)"),
        ("[tests]\nselect = " + 90 * "[" + 90 * "]", "and is a list"),
    ],
)
def test_a_task_file(tmp_path, text, said):
    (tmp_path / "task.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_task(tmp_path / "task.toml")
    assert str(caught.value).startswith(f"task file {tmp_path}/task.toml: ")
    assert said in str(caught.value)
    assert "Input" not in str(caught.value)


class Inner(Frozen):
    """A table."""

    first: int = 0


class Several(Frozen):
    """Keys that may be of more than one type."""

    word: Literal["a", "b"] | Literal["c"] = "a"  # noqa: PYI030 - two types are the point
    table: Inner | tuple[int, ...] | None = None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"word": "d"}, 'word: must be "a" or "b", and is "d"'),
        ({"table": {"second": 1}}, "table.second: there is no such key; the keys here are first"),
    ],
)
def test_which_of_several_types_was_tried_is_no_part_of_a_key(data, said):
    with pytest.raises(ValidationError) as caught:
        Several.model_validate(data)
    assert complaint(caught.value, Several).startswith(said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("margin = 0.05", "margin = 2", "time.margin: must be less than 1, and is 2"),
        ("pairs =", "pears =", "time.pears: there is no such key; did you mean pairs?"),
        ("format = 1", "format = 2", "format: must be 1, and is 2"),
        ("format = 1", 'digest = "x"\nformat = 1', "digest: there is no such key"),
        ("(^|/)asv", "((^|/)asv", "protected.patterns[1]: is no regular expression (missing )"),
        ("says so.\noff = []", 'says so.\noff = ["x"]', "ablate.off[0]: no defence is called x"),
    ],
)
def test_a_policy(old, new, said):
    content = shipped_bytes().decode()
    assert old in content
    with pytest.raises(UsageError) as caught:
        parse_policy(content.replace(old, new, 1).encode(), "mine")
    assert said in str(caught.value)


def test_a_scheme_that_nothing_is_measured_for_is_refused_at_once():
    content = shipped_bytes().decode().replace('scheme = "log-speedup"', 'scheme = "advantage"')
    with pytest.raises(UsageError, match=r"^policy mine: reward\.scheme: advantage needs a reference patch"):
        parse_policy(content.encode(), "mine")


PARTIAL = b"""
format = 1
name = "mine"
[limits]
files = 5
[ablate]
off = ["turns"]
"""


def test_a_policy_file_is_laid_over_the_shipped_one():
    shipped, mine = load_policy(), parse_policy(PARTIAL, "mine")
    assert (mine.name, mine.limits.files, mine.ablate.off) == ("mine", 5, ("turns",))
    assert mine.limits.model_copy(update={"files": shipped.limits.files}) == shipped.limits
    assert mine.protected == shipped.protected
    whole = shipped_bytes() + b"# mine\n"
    assert parse_policy(whole, "mine").digest == hashlib.sha256(whole).hexdigest()
    assert mine.digest == hashlib.sha256(PARTIAL + b"\0" + shipped_bytes()).hexdigest()


@pytest.mark.parametrize("key", ["format", "name"])
def test_what_says_which_policy_it_is_must_be_there(key):
    lines = [line for line in PARTIAL.splitlines(keepends=True) if not line.startswith(key.encode())]
    with pytest.raises(UsageError, match=rf"^policy mine: {key}: is missing; add it$"):
        parse_policy(b"".join(lines), "mine")


def test_a_policy_file_that_lacks_keys_is_shown_as_it_is_in_force(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(PARTIAL)
    shown = policy_text(path)
    assert parse_policy(shown.encode(), "shown").as_data() == load_policy(path).as_data()
    path.write_text(shown)
    assert policy_text(path) == shown


def test_no_key_of_a_policy_has_a_value_in_python():
    sections = [
        field.annotation
        for field in Policy.model_fields.values()
        if hasattr(field.annotation, "model_fields")
    ]
    assert len(sections) >= 10
    defaults = [
        f"{model.__name__}.{name}"
        for model in (Policy, *sections)
        for name, field in model.model_fields.items()
        if not field.is_required()
    ]
    assert defaults == []

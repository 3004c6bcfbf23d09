"""Other literals are near, and of the same kind: what is JSON, a pattern or a template remains one."""

import json
import re
import string
import unicodedata

import pytest

from truelap.checks.tests.attest_others import other_bytes, other_number, other_text, other_value

DRAWN = [number * (2**16 + 1) for number in range(40)]


@pytest.mark.parametrize(
    "text", ['{"name": "mill", "size": [1, 2.5, 1e3]}', '[["\\u00e9x\\n"], 10, true]', ' {"a": "δ"}']
)
def test_json_stays_json_of_the_same_names(text):
    names = re.findall(r'"(\w+)":', text)
    for drawn in DRAWN:
        other = other_text(text, drawn)
        assert json.loads(other) != json.loads(text)
        assert re.findall(r'"(\w+)":', other) == names
        assert len(other) == len(text)


def test_json_of_nothing_but_names_gets_others():
    assert json.loads(other_text('{"a": true, "b": null}', 3)).keys() != {"a", "b"}


@pytest.mark.parametrize("text", [r"(?P<year>\d{4})-[a-f]+ of x{2,3}", r"\bword\x41\.", r"^(?:ab|c)(d)\1%"])
def test_a_pattern_still_compiles_with_the_same_groups(text):
    for drawn in DRAWN:
        other = other_text(text, drawn)
        assert other != text
        found, before = re.compile(other), re.compile(text)
        assert (found.groups, found.groupindex) == (before.groups, before.groupindex)


@pytest.mark.parametrize("text", ["{a} and {b!r:>{c}} {{d}} e", "<{0.x[1]}> {:.2f} m"])
def test_a_template_keeps_its_fields(text):
    def fields(one):
        return [part[1:] for part in string.Formatter().parse(one)]

    others = {other_text(text, drawn) for drawn in DRAWN} - {text}
    assert others
    assert all(fields(other) == fields(text) for other in others)


@pytest.mark.parametrize("text", ["αβγδ", "ΔΣ", "слово", "数字", "ひらがな", "שלום", "٣٤", "éà", "한글"])
def test_letters_beyond_ascii_stay_in_their_script_and_case(text):
    for drawn in DRAWN:
        other = other_text(text, drawn)
        ((old, new),) = [(old, new) for old, new in zip(text, other, strict=True) if old != new]
        assert unicodedata.category(old) == unicodedata.category(new)
        assert unicodedata.name(old).split()[0] == unicodedata.name(new).split()[0]
        assert len(old.encode()) == len(new.encode())
        assert unicodedata.is_normalized("NFC", other)


def test_bytes_follow_the_rule_of_texts():
    for drawn in DRAWN:
        assert other_bytes(b"word", drawn).decode() == other_text("word", drawn)
        assert other_bytes("δγ".encode(), drawn).decode() == other_text("δγ", drawn)
        assert other_bytes(b"\0\1\2", drawn) != b"\0\1\2"
        assert len(other_bytes(b"\x89\xff\n", drawn)) == 3


def test_large_and_complex_numbers_have_others():
    assert 0 < other_number(2**64, 2**64 - 1) < 2**64
    assert other_value(3j, 0).imag > 3
    assert other_value(True, 1) is True

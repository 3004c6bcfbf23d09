from __future__ import annotations

import pytest

MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("mark", MARKS)
def test_each_mark_is_refused_in_source(action, added, mark):
    assert action(added(b"pkg/core.py", f"ok = True  # {mark}\n".encode())) == "refuse"


@pytest.mark.parametrize(
    "path", [b"pkg/x.pyx", b"src/x.c", b"setup.cfg", b"pyproject.toml", b"CMakeLists.txt", b"x.c.in"]
)
def test_source_is_more_than_python(action, added, path):
    assert action(added(path, "\u202e".encode())) == "refuse"


def test_a_script_is_source_whatever_its_name(action, added):
    assert action(added(b"tools/run", "#!/bin/sh\n# \u202e\n".encode())) == "refuse"


def test_marks_of_base_may_stay_but_not_grow(action, changed, scene):
    base = {b"pkg/names.py": "rtl = '\u200f'\n".encode()}
    assert action(changed(b"pkg/names.py", "rtl = '\u200f'  # mark\n".encode()), scene(base)) is None
    assert action(changed(b"pkg/names.py", "rtl = '\u200f\u200f'\n".encode()), scene(base)) == "refuse"
    assert action(changed(b"pkg/names.py", "rtl = '\u202e'\n".encode()), scene(base)) == "refuse"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (b"locale/he.po", "\u200f"),
        (b"docs/x.md", "\u202e"),
        (b"pkg/core.py", "s = '\xe9 日本 \u200d'"),
        (b"pkg/core.py", "x = '\\u202e'"),
    ],
)
def test_translations_documents_and_other_letters_are_fine(action, added, path, text):
    assert action(added(path, text.encode())) is None


def test_data_is_not_searched(action, added):
    assert action(added(b"data/x.bin", b"\xd8\x9c\xe2\x80\xae")) is None

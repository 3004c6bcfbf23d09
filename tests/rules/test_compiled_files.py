from __future__ import annotations

import dataclasses
import importlib.util
import io
import sys
import zipfile
from pathlib import Path

import pytest

from truelap.model import EXECUTABLE


def archive(start: bytes = b"") -> bytes:
    made = io.BytesIO(start)
    made.seek(0, io.SEEK_END)
    with zipfile.ZipFile(made, "a") as opened:
        opened.writestr("__main__.py", "print('from the archive')")
    return made.getvalue()


NATIVE = Path(sys.executable).resolve().read_bytes()[:4096]
WINDOWS = b"MZ".ljust(0x3C, b"\0") + (0x80).to_bytes(4, "little") + bytes(0x40) + b"PE\0\0"
BYTECODE = importlib.util.MAGIC_NUMBER + bytes(12)


@pytest.mark.parametrize(
    "path",
    [
        b"pkg/fast.so",
        b"pkg/fast.cpython-311-x86_64-linux-gnu.so",
        b"lib/libfast.so.1",
        b"lib/libfast.so.1.2.3",
        b"pkg/FAST.SO",
        b"pkg/fast.pyd",
        b"pkg/fast.dll",
        b"lib/libfast.dylib",
        b"pkg/__pycache__/core.cpython-311.pyc",
        b"pkg/core.pyo",
        b"evil.egg",
        b"wheels/evil-1.0-py3-none-any.whl",
        b"tool.pyz",
        b"build/core.o",
        b"build/libcore.a",
        b"tests/fast.so",
    ],
)
def test_compiled_files_are_known_by_name(action, added, path):
    assert action(added(path, b"text")) == "refuse"


def test_new_bytes_in_a_tracked_library_are_refused(action, changed):
    assert action(changed(b"pkg/fast.so")) == "refuse"


@pytest.mark.parametrize(
    "content", [NATIVE, WINDOWS, BYTECODE, archive(), archive(b"#!/usr/bin/env python\n")]
)
@pytest.mark.parametrize("path", [b"pkg/core.py", b"pkg/CORE.PY"])
def test_importable_names_may_not_hold_them(action, added, content, path):
    assert action(added(path, content)) == "refuse"


@pytest.mark.parametrize("content", [NATIVE, WINDOWS, BYTECODE, archive(b"#!/usr/bin/env python\n")])
def test_executables_may_not_hold_them(action, added, content):
    assert action(added(b"tools/run", content, EXECUTABLE)) == "refuse"


def test_deleting_a_tracked_library_or_changing_its_mode_is_fine(action, changed):
    assert action(changed(b"pkg/fast.so", None)) is None
    assert action(changed(b"pkg/fast.so", b"same", EXECUTABLE, before=b"same")) is None


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (b"data/x.npz", archive()),
        (b"data/x.zip", archive()),
        (b"docs/plot.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        (b"data/sample.bin", NATIVE),
        (b"pkg/core.py", b"MZ = 1\n"),
        (b"pkg/core.py", b"#a\r\nx = 1\r\n"),
        (b"pkg/core.py", b"#\x0c\nx = 1\n"),
        (b"pkg/core.py", "# \xe9\r\nx = 1\r\n".encode()),
        (b"pkg/core.py", b"END = b'PK\\x05\\x06'\n"),
        (b"docs/so.md", b"text"),
        (b"pkg/so.py", b"x = 1\n"),
        (b"locale/so", b"text"),
    ],
)
def test_data_and_source_are_fine(action, added, path, content):
    assert action(added(path, content)) is None


def test_a_file_too_large_to_be_read_is_left_to_the_rule_on_sizes(action, added):
    assert action(dataclasses.replace(added(b"pkg/core.py"), content=None)) is None


def test_data_with_a_careless_mode_is_fine(action, added):
    assert action(added(b"data/x.npz", archive(), EXECUTABLE)) is None
    assert action(added(b"docs/plot.png", b"\x89PNG\r\n\x1a\n", EXECUTABLE)) is None

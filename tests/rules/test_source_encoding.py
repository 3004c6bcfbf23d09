from __future__ import annotations

import pytest

from truelap.model import EXECUTABLE


@pytest.mark.parametrize(
    "content",
    [
        b"# -*- coding: utf-7 -*-\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=rot13 :\n",
        b"\n# coding: evil\n",
        b"\xef\xbb\xbf# coding: evil\n",
        b" \t\x0c# coding:evil\n",
        b"# coding=latin-1\n",
        b"# a\r# coding: evil\rx = 1\n",
        b"#\r#\r# coding: evil\n",
        b"# coding: utf8-evil\n",
        b"# encoding: utf-16\n",
        b"#" + b" " * 20_000 + b"coding: evil\n",
    ],
)
@pytest.mark.parametrize("path", [b"pkg/core.py", b"pkg/core.pyx", b"pkg/CORE.PY"])
def test_a_cookie_other_than_utf8_is_refused(action, added, content, path):
    assert action(added(path, content)) == "refuse"


def test_scripts_count_as_source(action, added):
    assert action(added(b"tools/run", b"#!/usr/bin/python\n# coding: evil\n", EXECUTABLE)) == "refuse"


@pytest.mark.parametrize(
    "name", [b"utf-8", b"UTF-8", b"utf8", b"utf_8", b"utf-8-unix", b"utf-8-sig", b"ascii", b"us-ascii"]
)
def test_spellings_of_utf8_and_ascii_are_fine(action, added, name):
    assert action(added(b"pkg/core.py", b"# -*- coding: " + name + b" -*-\n")) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x = 1\n",
        b"x = 1\ny = 2\n# coding: evil\n",
        "s = 'coding: \xe9'\n".encode(),
        b"\n\n\n" + b"coding: evil\n" * 9,
    ],
)
def test_sources_without_a_cookie_are_fine(action, added, content):
    assert action(added(b"pkg/core.py", content)) is None


def test_other_files_are_not_read_as_source(action, added):
    assert action(added(b"docs/x.md", b"# coding: evil\n")) is None


def test_the_cookie_of_base_may_stay_but_not_change(action, changed, scene):
    base = {b"pkg/old.py": b"# coding: latin-1\nx = '\xe9'\n"}
    assert action(changed(b"pkg/old.py", b"# coding: latin-1\nx = '\xe8'\n"), scene(base)) is None
    assert action(changed(b"pkg/old.py", b"# coding: utf-7\nx = ''\n"), scene(base)) == "refuse"
    assert action(changed(b"pkg/old.py", b"x = 2\n"), scene(base)) is None
    assert action(changed(b"pkg/old.py", None), scene(base)) is None

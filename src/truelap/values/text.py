"""Comparison of texts that candidate code writes of itself: names of types, reprs, messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from truelap.values.codec import text_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from truelap.values.difference import Tolerance

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?(?![\w.])")

_TRACEBACK = "Traceback (most recent call last):\n"
_FRAME = re.compile(r'^([ |]*)File "[^"\n]*", line \d+.*\n(?:\1 +.*\n)*', re.MULTILINE)

# All try each run of characters once: texts are the candidate's to write, and may be long.
_WARNED = re.compile(r"^(?P<file>[^\s:]+\.py):\d+(?P<rest>: \w+: .*\n)  .*\n?", re.MULTILINE)
_RECORDED = re.compile(
    r"""(?<=filename : )(?P<quote>['"])(?P<file>[^'"\n]+)(?P=quote)(?P<rest>, lineno : )\d+"""
)
_LINE = re.compile(r"""(?<![^\s:/\\'"(\[])(?P<file>[^\s:/\\'"(\[]+\.py):\d+""")


def without_frames(text: str) -> str:
    r"""A text as it is, but for the frames of tracebacks in it: names of files, numbers of lines and lines of source.

    An honest patch changes these, and cannot help it. What was raised, and from what, stays.

    >>> without_frames('Traceback (most recent call last):\n  File "x.py", line 3, in f\n    g()\nValueError: no')
    'Traceback (most recent call last):\nValueError: no'
    """
    return _FRAME.sub("", text) if _TRACEBACK in text else text


def without_lines(text: str, files: Collection[str]) -> str:
    r"""A text without the numbers of lines of files with these names, and without the places that warnings are shown for.

    >>> without_lines("INFO pkg:core.py:12 saved 3 in a.py:4", {"core.py"})
    'INFO pkg:core.py:? saved 3 in a.py:4'
    >>> without_lines("/p/core.py:12: UserWarning: old\n  warn('old')\n", {"core.py"})
    '?: UserWarning: old\n'
    """
    if not files or ".py" not in text:
        return text

    def placeless(found: re.Match[str]) -> str:
        return f"?{found['rest']}" if _name(found["file"]) in files else found[0]

    def lineless(found: re.Match[str]) -> str:
        return f"{found['file']}:?" if found["file"] in files else found[0]

    return _LINE.sub(lineless, _RECORDED.sub(placeless, _WARNED.sub(placeless, text)))


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def same_type(base: Any, candidate: Any) -> bool:
    """Whether two `module:qualname` name the same type; within one package a type may move to another module.

    What a private type is called is the patch's own business: what it holds is compared all the same.

    >>> same_type("pkg._slow:Point", "pkg._fast:Point"), same_type("pkg:Point", "other:Point")
    (True, False)
    >>> same_type("pkg:_Token", "pkg.fast:_Tok"), same_type("pkg:Token", "pkg:_Token")
    (True, False)
    """
    left, right = text_of(base), text_of(candidate)
    if left is None or right is None:
        return bool(base == candidate)
    (left_module, _, left_name), (right_module, _, right_name) = left.partition(":"), right.partition(":")
    same = left_name == right_name or (_is_private(left_name) and _is_private(right_name))
    return same and left_module.partition(".")[0] == right_module.partition(".")[0]


def _is_private(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last.startswith("_") and not last.startswith("__")


def same_text(base: str, candidate: str, tolerance: Tolerance) -> bool:
    """Whether two reprs or messages say the same: equal but for floats within the tolerance.

    >>> from truelap.values.difference import Tolerance
    >>> same_text("Point(0.3)", "Point(0.30000000000000004)", Tolerance())
    True
    """
    base, candidate = without_lines(base, tolerance.files), without_lines(candidate, tolerance.files)
    if base == candidate:
        return True
    if _NUMBER.sub("#", base) != _NUMBER.sub("#", candidate):
        return False
    pairs = zip(_NUMBER.findall(base), _NUMBER.findall(candidate), strict=True)
    return all(tolerance.error(float(left), float(right))[0] for left, right in pairs)

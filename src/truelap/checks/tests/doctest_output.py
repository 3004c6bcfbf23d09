"""Does what an example printed meet what its docstring wants, by the judge's own reading of both? Pure."""

from __future__ import annotations

import doctest
import math
import re
from dataclasses import dataclass
from typing import Any

from truelap.checks.tests.attest_marks import Site
from truelap.values import plain

_NUMBER = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?")
_PREFIX = re.compile(r"(\W|^)[uUbB]([rR]?['\"])")
_STANDARD = doctest.COMPARISON_FLAGS | doctest.SKIP | doctest.FAIL_FAST | doctest.REPORTING_FLAGS
_BITS = {name: bit for name, bit in doctest.OPTIONFLAGS_BY_NAME.items() if bit & _STANDARD}
_PYTEST = {"ALLOW_UNICODE", "ALLOW_BYTES", "NUMBER"}
_KNOWN = _BITS.keys() | _PYTEST
_RTOL = 1e-6
_LONGEST = 1 << 18
"""Characters of an output that is held against a want; of a longer one every character counts."""
_DETAIL = re.compile(r"^(?:[\w.]+\.)?(\w+)(?::.*)?$", re.DOTALL)


@dataclass(frozen=True)
class Printed(Site):
    """One example of a doctest.

    Attributes:
        want: what it should print.
        exc: the exception that it should raise, None for none.
    """

    want: str = ""
    exc: str | None = None


@dataclass(frozen=True)
class Output:
    """What an example did.

    Attributes:
        how: "printed" or "raised".
        text: what.
        flags: of `doctest`, by name, that were on.
    """

    how: str
    text: str
    flags: frozenset[str] = frozenset()


def output(value: Any) -> Output | None:
    """Read what a worker sent of an example; None for anything else."""
    try:
        found = plain(value)
    except ValueError:
        return None
    if found is None:
        return Output("printed", "")
    match found:
        case ("printed" | "raised" as how, str(text), list(flags)) if all(isinstance(f, str) for f in flags):
            return Output(how, text, frozenset(flags))
    return None


def meets(site: Printed, base: Any, candidate: Any) -> bool:
    """Whether an example that prints something else than at base still does what is wanted.

    Args:
        site: the example.
        base: what base sent: the flags are base's.
        candidate: what the candidate sent.

    Returns:
        True also where the project brings a way to compare that the judge does not know.
    """
    told = _told(site, base, candidate)
    if told is None:
        return False
    want, flags, ours, theirs = told
    if flags - _KNOWN or _is_met(want, theirs, flags):
        return True
    # Base may pass by a comparison of the project's own: numbers are most of what these forgive.
    return not _is_met(want, ours, flags) and same_but_for_numbers(ours, theirs)


def unwanted(site: Printed, base: Any, candidate: Any) -> bool:
    """Whether an example whose output base does not reproduce prints what is not wanted, where base's output plainly is."""
    told = _told(site, base, candidate)
    if told is None:
        return output(base) is not None
    want, flags, ours, theirs = told
    return _is_met(want, ours, flags) and not _is_met(want, theirs, flags)


def _told(site: Printed, base: Any, candidate: Any) -> tuple[str, frozenset[str], str, str] | None:
    """What is wanted, the flags, and what base and the candidate said; None when they did not do the same kind of thing."""
    ours, theirs = output(base), output(candidate)
    if ours is None or theirs is None or ours.how != theirs.how or len(theirs.text) > _LONGEST:
        return None
    want = site.want if ours.how == "printed" else site.exc or ""
    # Of an example that prints nothing base sends no flags; the candidate's word is not taken for a way to compare.
    return want, ours.flags if ours.text else theirs.flags & _KNOWN, ours.text, theirs.text


def computes_alike(base: Any, candidate: Any) -> bool:
    """Whether two outputs under changed literals are one: no want is there, and numbers may differ in the last digits."""
    ours, theirs = output(base), output(candidate)
    if ours is None or theirs is None or ours.how != theirs.how or len(theirs.text) > _LONGEST:
        return False
    if ours.how == "raised":
        return ours.text.partition(":")[0] == theirs.text.partition(":")[0]
    return same_but_for_numbers(ours.text, theirs.text)


def _is_met(want: str, got: str, flags: frozenset[str]) -> bool:
    bits = sum(_BITS[name] for name in flags if name in _BITS)
    check = doctest.OutputChecker().check_output
    if check(want, got, bits):
        return True
    if "IGNORE_EXCEPTION_DETAIL" in flags and check(_kind(want), _kind(got), bits):
        return True
    if flags & {"ALLOW_UNICODE", "ALLOW_BYTES"}:
        want, got = _PREFIX.sub(r"\1\2", want), _PREFIX.sub(r"\1\2", got)
    if "NUMBER" in flags:
        got = _as_precise(want, got)
    return check(want, got, bits)


def _kind(raised: str) -> str:
    first = raised.strip().partition("\n")[0]
    found = _DETAIL.match(first)
    return found.group(1) if found else first


def _as_precise(want: str, got: str) -> str:
    """What was printed, with each number that is near enough to the wanted one in its words."""
    wanted, found = list(_NUMBER.finditer(want)), list(_NUMBER.finditer(got))
    if len(wanted) != len(found):
        return got
    parts, last = [], 0
    for ours, theirs in zip(wanted, found, strict=True):
        near = math.isclose(float(ours[0]), float(theirs[0]), rel_tol=0, abs_tol=_unit(ours[0]))
        parts += [got[last : theirs.start()], ours[0] if near else theirs[0]]
        last = theirs.end()
    return "".join([*parts, got[last:]])


def _unit(number: str) -> float:
    """The last digit's worth: 0.01 for 3.14; nothing for a whole number, which pytest leaves alone."""
    digits, _, exponent = number.lower().partition("e")
    whole = "." not in digits and not exponent
    return 0.0 if whole else float(f"1e{int(exponent or 0) - len(digits.partition('.')[2])}")


def same_but_for_numbers(one: str, other: str) -> bool:
    """Whether two texts are equal but for the last digits of their numbers.

    >>> same_but_for_numbers("[0.30000000000000004]", "[0.3]"), same_but_for_numbers("[3]", "[4]")
    (True, False)
    """
    if _NUMBER.sub("0", one) != _NUMBER.sub("0", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(math.isclose(float(left), float(right), rel_tol=_RTOL) for left, right in pairs)

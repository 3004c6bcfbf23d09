"""Comparison of numpy's arrays and scalars, number by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truelap.values.codec import numbers_of
from truelap.values.large import row_sums

if TYPE_CHECKING:
    from truelap.values.compare import Walk

_NEAR = 2.0**-23
_SINGLE = ("f2", "f4", "c8")
_SUMS = 4


def array(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Arrays (`a`) and scalars (`n`) that came as raw bytes."""
    if not _same_form(walk, base, candidate, where) or base[-1] == candidate[-1]:
        return
    left, right = numbers_of(base[1], base[-1]), numbers_of(candidate[1], candidate[-1])
    if left is None or right is None:
        walk.tell(where, "value", base, candidate)
    elif base[1][1] in "fc":
        _floats(walk, base, (left, right), where)
    else:
        _integers(walk, base, (left, right), where)


def objects(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Arrays whose items were encoded one by one (`ao`)."""
    if _same_form(walk, base, candidate, where):
        for index, (one, other) in enumerate(zip(base[4], candidate[4], strict=True)):
            walk.visit(one, other, where + _place(index, base))


def structured(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Arrays and scalars with named fields (`as`)."""
    if [name for name, _ in base[3]] != [name for name, _ in candidate[3]]:
        walk.tell(where, "shape", [name for name, _ in base[3]], [name for name, _ in candidate[3]])
    walk.state(base[3], candidate[3], where)


def digest(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Values that were too long to be sent (`big`, `abig`)."""
    if base[0] == "abig" and not _same_form(walk, base, candidate, where):
        return
    near_enough = walk.tolerance.rtol >= _NEAR and base[-1] == candidate[-1]
    if base[-2] == candidate[-2] or near_enough:
        return
    if base[0] == "abig" and base[_SUMS] and (walk.tolerance.rtol or walk.tolerance.atol):
        _summed(walk, base, candidate, where)
    else:
        walk.tell(where, "digest", base, candidate)


def _summed(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Long arrays of floats: single precision alone rounds differently in nearly every number, so digests prove nothing."""
    (odd, sums), (other_odd, other_sums) = base[_SUMS], candidate[_SUMS]
    if odd != other_odd:
        walk.tell(where, "value", "what is not finite in it", "something else that is not")
    for one, other in zip(sums, other_sums, strict=True):
        row_sums(walk, one, other, where, single=base[1][1:] in _SINGLE)


def _form(value: Any, *, order: bool) -> list[Any]:
    if value[0] == "n":
        return [value[1]]
    return list(value[1:4] if order else value[1:3])


def _same_form(walk: Walk, base: Any, candidate: Any, where: str) -> bool:
    left, right = (_form(value, order=walk.tolerance.array_order) for value in (base, candidate))
    if left != right or len(base) != len(candidate):
        walk.tell(where, "shape", left, right)
        return False
    return True


def _floats(walk: Walk, base: Any, numbers: tuple[Any, Any], where: str) -> None:
    single = base[1][1:] in _SINGLE
    for index, (one, other) in enumerate(zip(*numbers, strict=True)):
        walk.number(one, other, where + _place(index, base) if one != other else where, single=single)


def _integers(walk: Walk, base: Any, numbers: tuple[Any, Any], where: str) -> None:
    for index, (one, other) in enumerate(zip(*numbers, strict=True)):
        if one != other:
            walk.tell(where + _place(index, base), "value", str(one), str(other))
            return


def _place(flat: int, array: Any) -> str:
    shape = array[2] if isinstance(array[2], list) else []
    flat //= 2 if array[1][1] == "c" else 1
    found: list[int] = []
    for length in reversed(shape):
        flat, place = divmod(flat, max(length, 1))
        found.insert(0, place)
    return f"[{', '.join(map(str, found))}]" if found else ""

"""What base's suite holds: its modules, its benchmarks, and the cases to time. Known before the candidate is touched."""

from __future__ import annotations

import difflib
import itertools
import json
import re
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from truelap.errors import UsageError
from truelap.model import Frozen
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.task import BenchmarkChoice, Task

NOT_TIMED = "not timed: benchmarks of kind"
"""How the reason begins for a benchmark whose kind is not measured."""

_EXAMPLES = 3


class Benchmark(Frozen):
    """One benchmark as base's suite describes it; `error` tells why it cannot even be built."""

    module: str
    owner: str | None = Field(alias="class")
    attr: str
    name: str
    error: str | None
    kind: str = ""
    """asv's kind, as in the names of benchmarks: time, timeraw, peakmem, mem or track."""
    params: tuple[tuple[str, ...], ...] = ()
    """The axes of the parameters, as text."""
    values: tuple[tuple[tuple[str, str], ...], ...] = ()
    """The same, each with its kind, as `parameters.Values`."""
    timeout_s: float | None = None
    cache_key: str | None = None
    unit: str | None = None
    """Of what it says; of a time, seconds."""
    has_setup: bool = False
    """Whether a setup of any level is run before its calls."""


class Timed(Frozen):
    """A benchmark with one set of parameters."""

    id: str
    benchmark: Benchmark
    param: int | None
    params: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What a pattern is searched in: the id, and the benchmark with its parameters as asv prints it.

        >>> told = Benchmark.model_validate({"module": "b", "class": None, "attr": "time_f", "name": "time_f", "error": None})
        >>> Timed(id="time_f-0", benchmark=told, param=0, params=("50", "'a'")).names
        ('time_f-0', "time_f(50, 'a')")
        """
        return (self.id, f"{self.benchmark.name}({', '.join(self.params)})") if self.params else (self.id,)

    def order(self, seed: int, *, own_code: bool = True) -> dict[str, Any]:
        """The message that opens this case in a worker: base's metadata, dictated to both sides.

        Args:
            seed: of the suite's random numbers.
            own_code: whether the worker looks after its own functions.
        """
        told = self.benchmark
        return {
            "type": "case",
            "module": told.module,
            "class": told.owner,
            "attr": told.attr,
            "name": told.name,
            "kind": told.kind,
            "axes": [len(axis) for axis in told.params],
            "param": self.param,
            "cache_key": told.cache_key,
            "seed": seed,
            "own_code": own_code,
        }


def modules_of(paths: Iterable[bytes], folder: str, package: str) -> tuple[str, ...]:
    """The modules of a suite, as asv finds them: every file below its folder whose own folders are packages.

    Args:
        paths: every path of base.
        folder: the suite's, relative to the tree's root; "." for the root itself.
        package: the name under which the suite's folder is imported.

    >>> modules_of([b"b/__init__.py", b"b/x.py", b"b/sub/__init__.py", b"b/data/y.py", b"z.py"], "b", "b")
    ('b', 'b.sub', 'b.x')
    """
    # A name that is not UTF-8 is no module that an import statement could name.
    known = {path.decode("utf-8", "replace") for path in paths}
    start = "" if folder in {"", "."} else f"{folder.strip('/')}/"
    inner = [path.removeprefix(start) for path in known if path.startswith(start) and path.endswith(".py")]
    return tuple(
        sorted({".".join((package, *_dotted(path))) for path in inner if _in_packages(path, start, known)})
    )


def _in_packages(inner: str, start: str, known: set[str]) -> bool:
    parts = inner.split("/")[:-1]
    return all(f"{start}{'/'.join(parts[: n + 1])}/__init__.py" in known for n in range(len(parts)))


def _dotted(inner: str) -> list[str]:
    parts = inner.removesuffix(".py").split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def read_benchmarks(reply: dict[str, Any]) -> tuple[Benchmark, ...]:
    """The benchmarks that a worker found in one module.

    Raises:
        ValueError: the reply has another form.
    """
    try:
        return tuple(Benchmark.model_validate_json(json.dumps(told)) for told in reply["benchmarks"])
    except (ValidationError, KeyError, TypeError) as error:
        raise ValueError("the worker described benchmarks in a form that is not known") from error


def timed_cases(benchmarks: Iterable[Benchmark]) -> tuple[Timed, ...]:
    """Every benchmark with every set of its parameters, by id; the first of a name counts, as in asv.

    A benchmark that cannot be built stands once, without parameters.
    """
    found: dict[str, Timed] = {}
    for benchmark in benchmarks:
        if not benchmark.params or benchmark.error is not None:
            found.setdefault(
                benchmark.name, Timed(id=benchmark.name, benchmark=benchmark, param=None, params=())
            )
            continue
        for index, params in enumerate(itertools.product(*benchmark.params)):
            key = f"{benchmark.name}-{index}"
            found.setdefault(key, Timed(id=key, benchmark=benchmark, param=index, params=params))
    return tuple(found[key] for key in sorted(found))


def chosen(cases: tuple[Timed, ...], pattern: str | None, choice: BenchmarkChoice) -> tuple[Timed, ...]:
    """The cases that the command line's pattern names, one of the task's `include` and none of its `exclude`.

    All are regular expressions, searched in each of a case's `names`.

    Raises:
        UsageError: a pattern is no regular expression, or nothing is left.
    """
    try:
        wanted = None if pattern is None else re.compile(pattern)
        include = [re.compile(text) for text in choice.include]
        exclude = [re.compile(text) for text in choice.exclude]
    except re.error as error:
        raise UsageError(f"benchmark pattern {error.pattern!r}: {error}") from error
    named = tuple(case for case in cases if wanted is None or _named(case, [wanted]))
    if cases and not named:
        raise UsageError(f"--bench {pattern} matches none of the {_counted(cases)}")
    left = tuple(
        case for case in named if (not include or _named(case, include)) and not _named(case, exclude)
    )
    if named and not left:
        raise UsageError(f"the task file's include and exclude leave none of the {_counted(named)}")
    return left


def check_names(cases: tuple[Timed, ...], task: Task) -> None:
    """See that whatever a task file says of benchmarks is said of one that base has.

    Args:
        cases: every benchmark of base.
        task: of the line.

    Raises:
        UsageError: an entry names none; a slip there would hold an honest patch against what was to be left out.
    """
    outputs, ids = task.outputs, {name for case in cases for name in (case.id, case.benchmark.name)}
    exact = [("outputs.skip", skip.benchmark) for skip in outputs.skip]
    exact += [("outputs.overrides", name) for name in outputs.overrides]
    wrong = [(key, name) for key, name in exact if name not in ids]
    for key in ("include", "exclude"):
        texts = getattr(task.benchmarks, key)
        wrong += [(f"benchmarks.{key}", text) for text in texts if not _any_named(cases, text)]
    if wrong:
        key, name = wrong[0]
        close = difflib.get_close_matches(name, sorted(ids), 1)
        hint = f", perhaps {close[0]} is meant" if close else ""
        raise UsageError(f"{task.origin}: {key}: {name!r} matches none of the {_counted(cases)}{hint}")


def _any_named(cases: tuple[Timed, ...], text: str) -> bool:
    try:
        rule = re.compile(text)
    except re.error as error:
        raise UsageError(f"benchmark pattern {text!r}: {error}") from error
    return any(_named(case, [rule]) for case in cases)


def _named(case: Timed, patterns: Iterable[re.Pattern[str]]) -> bool:
    return any(rule.search(name) for rule in patterns for name in case.names)


def _counted(cases: tuple[Timed, ...]) -> str:
    some = ", ".join(case.id for case in cases[:_EXAMPLES])
    return f"{counted(len(cases), 'benchmark')} of base, for example {some}"

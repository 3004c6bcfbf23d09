"""What test files call by which name: assertion functions, expected exceptions, predicates."""

from __future__ import annotations

import ast
import re

OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
# Calls that apply one comparison to their first two arguments.
COMPARING = {
    "assertEqual": "==",
    "assertEquals": "==",
    "assertNotEqual": "!=",
    "assertLess": "<",
    "assertLessEqual": "<=",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
    "assertIn": "in",
    "assertNotIn": "not in",
    "assertIs": "is",
    "assertIsNot": "is not",
    "assertListEqual": "==",
    "assertTupleEqual": "==",
    "assertDictEqual": "==",
    "assertSetEqual": "==",
    "assertMultiLineEqual": "==",
    "assertSequenceEqual": "==",
    "assert_equal": "==",
    "assert_string_equal": "==",
}
ASSERTING = re.compile(r"_?assert(?:_?[A-Z]\w*|_[a-z0-9]\w*)")
# Expected exceptions and warnings; the number is the place of the callable when it is not a `with`.
EXPECTING = {
    "raises": 1,
    "warns": 1,
    "deprecated_call": 0,
    "assertRaises": 1,
    "assertRaisesRegex": 2,
    "assertWarns": 1,
    "assertWarnsRegex": 2,
    "assertLogs": 9,
    "assert_raises": 1,
    "assert_raises_regex": 2,
    "assert_warns": 1,
    "assert_no_warnings": 0,
    "assert_produces_warning": 9,
}
# Texts and numbers given to these decide how the test runs, not what it computes.
HANDS_OFF = frozenset({
    "getattr", "setattr", "hasattr", "delattr", "__import__", "import_module", "importorskip", "skip",
    "skipif", "xfail", "fail", "sleep", "wait", "timeout", "open", "setenv", "delenv", "chdir", "patch",
    "object", "fixture", "usefixtures", "raises", "warns", "assertRaises", "assertRaisesRegex",
    "assertWarns", "assertWarnsRegex", "compile", "namedtuple", "settings", "dtype", "astype",
    "join_timeout", "system", "run", "Popen", "check_output", "check_call",
})  # fmt: skip
MODES = frozenset({
    "align", "axis", "codec", "delimiter", "encoding", "engine", "errors", "fmt", "format", "how", "ids", "kind", "level",
    "locale", "lang", "method", "mode", "newline", "on", "order", "parser", "protocol", "sep", "side", "strategy", "style", "timezone",
    "tz", "unit", "version",
})  # fmt: skip
"""By these names a text says how, and hardly ever what: another one would mostly end the test."""
CONTAINERS = frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted"})
# What a mock has heard is compared with these by the mock itself: what they are handed is the test's own.
MOCKED = re.compile(r"assert_(?:any|has|not|called|awaited)(?:_\w+)?")
TRUE_OF = ("assertTrue", "assertFalse", "assert_")
QUANTIFIERS = ("all", "any")
# Calls in a truth position whose arguments (and receiver) are what is being compared.
PREDICATES = frozenset(
    {
        "allclose",
        "isclose",
        "array_equal",
        "array_equiv",
        "equal",
        "equals",
        "identical",
        "isinstance",
        "issubclass",
    }
    | {"issubset", "issuperset", "isdisjoint", "startswith", "endswith", "match", "search", "fullmatch"}
)
COMPARED_KEYWORDS = frozenset(
    {"actual", "desired", "x", "y", "left", "right", "first", "second", "a", "b", "expected", "result"}
)


def called_name(call: ast.Call) -> str:
    """The last part of the name of what is called, or an empty text."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a literal, also a nested one."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def is_computed(node: ast.expr) -> bool:
    """Whether an expression computes something."""
    return any(isinstance(part, ast.Call | ast.BinOp | ast.Await) for part in ast.walk(node))


def bare_generators(tree: ast.AST) -> set[int]:
    """Ids of the generator expressions that share their parentheses with the call whose only argument they are."""
    calls = [part for part in ast.walk(tree) if isinstance(part, ast.Call) and len(part.args) == 1]
    return {id(call.args[0]) for call in calls if _shares_parentheses(call)}


def _shares_parentheses(call: ast.Call) -> bool:
    argument = call.args[0]
    ends = (argument.end_lineno, argument.end_col_offset) == (call.end_lineno, call.end_col_offset)
    return ends and isinstance(argument, ast.GeneratorExp)


def is_own_call(node: ast.AST) -> bool:
    """Whether an expression says how a mock is to be called, in words of the test alone.

    >>> [is_own_call(ast.parse(text, mode="eval").body) for text in ("mock.call('A', 3)", "[call(1)]", "call(double(2))", "found")]
    [True, True, False, False]
    """
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names <= {"mock", "call", "unittest", "ANY"} and not any(
        isinstance(part, ast.Lambda | ast.Await | ast.JoinedStr) for part in ast.walk(node)
    )

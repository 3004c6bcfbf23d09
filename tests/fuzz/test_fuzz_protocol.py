"""The descriptor protocol: whatever bytes arrive in whatever order, the judge names a fault or goes on; it never crashes or hangs."""

from __future__ import annotations

import json
import socket
import struct
from pathlib import Path, PurePosixPath
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.claims import ANY, DEEP, GOOD, JSON, messages, spoilt, text_of

from truelap.checks.tests.attest_judge import judge_test
from truelap.checks.tests.attest_known import learn, read
from truelap.checks.tests.attest_marks import Operand, Site
from truelap.checks.tests.doctest_output import Printed
from truelap.checks.tests.evidence import TestsEvidence, judge
from truelap.checks.tests.integrity import compare
from truelap.checks.tests.messages import Message, parse
from truelap.checks.tests.outcome import Fold
from truelap.checks.tests.results import BADNESS, Fault, packed, unpacked
from truelap.checks.tests.selection import ALL
from truelap.checks.tests.sides import Side
from truelap.errors import StepFault
from truelap.policy import load_policy
from truelap.world.channel import DEEPEST, Channel, parse_object
from truelap.world.translation import Paths, TranslatingChannel

FAULTS = {"closed", "late", "oversized", "garbled"}
FUZZ = settings.get_profile("fuzz")
MESSAGE_BYTES = 4096

BODIES = st.one_of(
    st.dictionaries(st.text(max_size=3), JSON, max_size=3).map(lambda value: json.dumps(value).encode()),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=40),
    st.sampled_from(
        [
            b'{"a": 1, "a": 2}',
            *(
                b'{"type": "failed", "error": ' + b"[" * depth + b"]" * depth + b"}"
                for depth in (200, 299, 300, 600, 950)
            ),
            b"[" * 4000,
            b'{"a":' * 800,
            b'{"a": NaN}',
            b'{"a": 1e999}',
            b'{"a": ' + b"9" * 4080 + b"}",
            b'{"a": "\xff"}',
            b'\xef\xbb\xbf{"a": 1}',
            b"",
        ]
    ),
)
SEGMENTS = st.one_of(
    BODIES.map(lambda body: struct.pack(">I", len(body)) + body),
    st.binary(max_size=12),
    st.integers(0, 2**32 - 1).map(lambda length: struct.pack(">I", length)),
)


def once(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def refused(name):
    raise ValueError(f"{name} is not JSON")


def depth(value):
    """Levels of nesting."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def wanted(stream: bytes) -> list[dict]:
    """The objects at the start of a stream, by a reading of its own."""
    found = []
    while len(stream) >= 4:
        length = int.from_bytes(stream[:4], "big")
        body, stream = stream[4 : 4 + length], stream[4 + length :]
        if length > MESSAGE_BYTES or len(body) < length:
            break
        try:
            text = body.decode()
            value = json.loads(text, object_pairs_hook=once, parse_constant=refused)
            levels = depth(value)
        except (ValueError, RecursionError):
            break
        if type(value) is not dict or levels > DEEPEST:
            break
        found.append(value)
    return found


# Names that no message holds, so that what is translated is what was sent.
ELSEWHERE = Paths({PurePosixPath("/inside/the/sandbox"): Path("/outside/of/it")})


@given(st.lists(SEGMENTS, max_size=6), st.booleans(), st.booleans())
@settings(FUZZ)
def any_stream(segments, stays_open, translated):
    here, there = socket.socketpair()
    limits = {"message_bytes": MESSAGE_BYTES, "messages": 8}
    channel = TranslatingChannel(here, **limits, paths=ELSEWHERE) if translated else Channel(here, **limits)
    stream = b"".join(segments)
    with there:
        there.sendall(stream)
        if not stays_open:
            there.shutdown(socket.SHUT_WR)
        found, fault = [], None
        while fault is None:
            try:
                found.append(channel.receive(0.005 if stays_open else 10.0))
            except StepFault as error:
                fault = error.code
    channel.close()
    assert fault in FAULTS
    expected = wanted(stream)[:8]
    if fault == "late":
        # On a busy machine it is late at any place.
        expected = expected[: len(found)]
    assert repr(found) == repr(expected)


def test_any_bytes_are_messages_or_a_fault(for_a_while):
    for_a_while(any_stream, 0.05)


IDS = st.sampled_from(["a.py::t", "a.py::u", "b.py::t[1]", "never"])
OUTCOMES = st.sampled_from(["passed", "passed", "failed", "skipped", "rerun"])
EXAMPLE = st.fixed_dictionaries(
    {
        "source": st.text(max_size=4),
        "want": st.text(max_size=4),
        "exc": st.none() | st.text(max_size=4),
        "line": st.integers(0, 9),
        "indent": st.integers(0, 9),
        "options": st.dictionaries(st.sampled_from(["ELLIPSIS", "x"]), st.booleans(), max_size=2),
    }
)
DOCTEST = st.fixed_dictionaries(
    {
        "name": st.text(max_size=3),
        "file": st.none() | st.text(max_size=3),
        "line": st.none() | st.integers(0, 9),
        "doc": st.none() | st.text(max_size=3),
        "examples": st.lists(EXAMPLE, max_size=2),
    }
)
PLUGIN = st.fixed_dictionaries(
    {"name": st.text(max_size=3), "dist": st.text(max_size=3), "in_tree": st.booleans()}
)
PLACE = st.integers(-3, 3)
CHANGES = st.lists(st.lists(st.text(max_size=3), min_size=2, max_size=2), max_size=2)
FORMS = {
    "hello": {},
    "collected": {"ids": st.lists(IDS, max_size=3), "last": st.booleans()},
    "phase": {
        "id": IDS,
        "when": st.sampled_from(["setup", "call", "teardown"]),
        "outcome": OUTCOMES,
        "xfail": st.booleans(),
        "sub": st.sampled_from([False, False, True]),
        "seconds": st.floats(0, 9),
        "text": st.just("why"),
    },
    "values": {"test": IDS, "events": st.lists(st.tuples(PLACE, PLACE, JSON | DEEP).map(list), max_size=3)},
    "plugins": {"plugins": st.lists(PLUGIN, max_size=2)},
    "collector": {
        "id": IDS,
        "outcome": st.sampled_from(["passed", "failed", "skipped"]),
        "text": st.just(""),
    },
    "doctest": {"home": IDS, "call": st.integers(0, 2), "test": st.none() | DOCTEST},
    "opened": {
        "pairs": st.lists(st.lists(st.text(min_size=1, max_size=3), min_size=2, max_size=2), max_size=2)
    },
    "integrity": {
        "when": st.sampled_from(["collected", "end"]),
        "changes": CHANGES,
        "notes": CHANGES,
        "loaded": CHANGES,
    },
    "end": {"exit": st.integers(-9, 9), "warnings": st.just(0), "text": st.just("")},
}
MESSAGES = messages(FORMS)


def test_every_message_of_the_schema_is_made_up():
    schema = {get_args(kind.model_fields["type"].annotation)[0]: kind for kind in get_args(Message)}
    assert {kind: {"type", *fields} for kind, fields in FORMS.items()} == {
        kind: set(model.model_fields) for kind, model in schema.items()
    }


TRUE_RUN = st.builds(
    lambda name, call: [
        {
            "type": "phase",
            "id": name,
            "when": when,
            "xfail": False,
            "sub": False,
            "seconds": 0.0,
            "text": "",
        }
        | {"outcome": call if when == "call" else "passed"}
        for when in ("setup", "call", "teardown")
    ],
    *(IDS, OUTCOMES),
)


OPENING = [{"type": "hello"}, {"type": "collected", "ids": ["a.py::t", "a.py::u", "a.py::t"], "last": True}]
TRUE = [
    {"type": "phase", "id": name, "when": when, "xfail": False, "sub": False, "seconds": 0.0, "text": ""}
    | {"outcome": "passed"}
    for name in ("a.py::t", "a.py::u", "a.py::t")
    for when in ("setup", "call", "teardown")
]
CONVERSATIONS = st.lists(
    MESSAGES.map(lambda one: [one]) | TRUE_RUN | spoilt(MESSAGES).map(lambda one: [one]), max_size=12
)


@given(CONVERSATIONS, st.booleans(), st.booleans())
@settings(FUZZ)
def any_conversation(parts, opened, strict):
    fold, heard, codes = Fold(strict=strict), [], []
    messages = [*(OPENING if opened else []), *(message for part in parts for message in part)]
    for message in messages:
        try:
            fold.add(parse(parse_object(text_of(message).encode())))
        except ValueError:
            codes.append("garbled")
            break
        except StepFault as fault:
            codes.append(fault.code)
            break
        heard.append(message)
    assert set(codes) <= FAULTS
    fault = Fault(code=codes[0], message="x", detail="", after=fold.last_id) if codes else None
    session = fold.session(fault, 1.0)
    phases = [message for message in heard if message["type"] == "phase"]
    for name, node in session.nodes.items():
        assert node.outcome in BADNESS
        if node.outcome == "passed":
            good = {one["when"] for one in phases if one["id"] == name and one["outcome"] == "passed"}
            assert good >= {"setup", "call", "teardown"}, "nothing passes that has not been through all of it"
    side = Side(sessions=(session,))
    assert all(isinstance(read(unpacked(sent)), dict) for sent in session.values.values())
    assert Side.model_validate_json(side.model_dump_json()) == side
    told(side)


def told(side):
    """All that a verdict says of the tests can be said, whatever the candidate's worker sent."""
    fold = Fold()
    for message in [*OPENING, *TRUE, {"type": "end", "exit": 0, "warnings": 0, "text": ""}]:
        fold.add(parse(message))
    base = Side(sessions=(fold.session(None, 1.0),))
    integrity = compare([base], base, side)
    evidence = TestsEvidence(
        base=base,
        candidate=side,
        selection=ALL,
        config_file=None,
        min_base_pass=1,
        pytest="9.0",
        integrity=integrity,
    )
    assert all(isinstance(finding.message, str) for finding in judge(evidence, load_policy()))
    json.dumps([evidence.summary(), evidence.artifacts()]).encode()


def test_any_conversation_is_a_session_or_a_fault(for_a_while):
    for_a_while(any_conversation, 0.1)


TWO = (Operand(0, "claim"), Operand(1, "claim"))
SITES = {
    0: Site(0, 1, "t", "compare", ("==",), TWO),
    1: Site(1, 2, "t", "truth", (), TWO[:1]),
    2: Site(2, 3, "t", "raises", (), TWO[:1]),
    3: Site(3, 4, "t", "call", ("in",), TWO),
    4: Printed(4, 5, "t", "prints", want="3\n"),
    5: Printed(5, 6, "t", "prints", want="", exc="ValueError: no\n"),
    6: Site(6, 7, "t", "assert", ("is",), (Operand(0, "claim"), Operand(1, "claim", known=True, constant=3))),
    7: Site(7, 8, "t", "handed", (), TWO),
}


def events(values):
    return st.lists(st.tuples(st.integers(-1, 7), st.integers(-1, 2), values).map(list), max_size=6)


# Base's sandbox never held a byte of the submission: what it sends keeps to the format.
BASES = GOOD | st.integers() | st.text(max_size=5) | st.booleans()


def as_sent(events):
    """Through the judge's own door: what it refuses goes no further."""
    text = text_of({"type": "values", "test": "t", "events": events})
    return read(unpacked([packed(parse(parse_object(text.encode())).events)[0]]))


@given(events(BASES), events(ANY), st.booleans(), st.booleans())
@settings(FUZZ)
def any_values(base, other, steady, perturbed):
    try:
        sides = [as_sent(base), as_sent(other)]
    except (ValueError, StepFault):
        return
    # The candidate also sends its own where base sent something.
    mixed = {place: sides[1].get(place) or values for place, values in sides[0].items()} | sides[1]
    truth = learn(
        [sides[0], sides[0] if steady else {place: values[:1] for place, values in sides[0].items()}]
    )
    ruling = judge_test(truth, mixed, SITES, perturbed=perturbed)
    assert ruling.status in {"agrees", "weak", "differs", "silent"}
    for deviation in ruling.deviations:
        assert str(deviation.difference)
    same = judge_test(learn([sides[0], sides[0]]), sides[0], SITES, perturbed=perturbed)
    assert same.status in {"agrees", "silent"}, "what is sent twice agrees with itself"


def test_any_values_are_judged(for_a_while):
    for_a_while(any_values, 0.15)

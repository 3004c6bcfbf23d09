"""The measure gate over real HTTP: what is not granted, or not held to the end, does not count."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from truelap.errors import UsageError
from truelap.settings import Settings
from truelap.world import gate as gates
from truelap.world.events import Events
from truelap.world.gate import Gate, GateError, Leases
from truelap.world.slots import leased


class Server(ThreadingHTTPServer):
    """A gate with one slot that never waits; `broken` answers in its place."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.held, self.asked, self.broken = set(), [], {}
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        parts = urlsplit(self.path)
        action, sid = parts.path.strip("/"), parse_qs(parts.query)["sid"][0]
        self.server.asked.append((action, parse_qs(parts.query)))
        if action in self.server.broken:
            self.server.broken[action](self)
        elif action == "acquire":
            free = not self.server.held
            self.server.held |= {sid} if free else set()
            self.say(200, {"acquired": free, "sid": sid})
        else:
            held = sid in self.server.held
            self.server.held.discard(sid)
            self.say(200, {"released": held, "sid": sid})

    def say(self, status, told):
        body = told if isinstance(told, bytes) else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server():
    with Server() as found:
        threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield found
        found.shutdown()


def leases(server, wait_s=5.0):
    return Leases(Gate(server.url), wait_s, lambda _: None)


def test_a_lease_is_held_from_begin_to_end(server):
    one = leases(server)
    one.begin()
    assert len(server.held) == 1
    one.end()
    assert not server.held
    one.end()
    assert [action for action, _ in server.asked] == ["acquire", "release"]
    assert (one.taken, one.overrun) == (1, 0)


def test_the_token_is_shown_and_a_path_is_kept(server):
    gate = Gate(f"{server.url}/", token="a&b")
    assert gate.release(gate.acquire(5.0))
    assert all(asked["token"] == ["a&b"] for _, asked in server.asked)


def test_who_finds_it_taken_asks_again_and_then_gives_up(server):
    server.held.add("somebody")
    with pytest.raises(GateError, match="no lease within"):
        Gate(server.url).acquire(0.3)
    threading.Timer(0.2, server.held.clear).start()
    assert Gate(server.url).acquire(5.0) in server.held


def test_a_lease_that_was_lost_does_not_count(server):
    one = leases(server)
    one.begin()
    server.held.clear()
    with pytest.raises(GateError, match="took its lease back"):
        one.end()


def test_a_measurement_under_a_lost_lease_is_none(server, tmp_path):
    settings = Settings(python=tmp_path, seed=1, slots=tmp_path, gate=server.url)
    with leased(settings, Events()) as slot:
        slot.keep(1.0, 1.0)
        assert server.held
    assert not server.held
    assert slot.as_data()["gate"].keys() == {"leases", "waited_s", "overrun"}
    with pytest.raises(GateError, match="does not count"), leased(settings, Events()):
        server.held.clear()


def test_a_measurement_that_breaks_off_gives_its_lease_back(server, tmp_path):
    settings = Settings(python=tmp_path, seed=1, slots=tmp_path, gate=server.url)
    with pytest.raises(ZeroDivisionError), leased(settings, Events()):
        raise ZeroDivisionError
    assert not server.held


def test_an_old_lease_is_changed_for_a_new_one(server, monkeypatch):
    one = leases(server)
    one.begin()
    first = set(server.held)
    one.keep(1.0, 1.0)
    assert server.held == first
    monkeypatch.setattr(gates, "HOLD_S", 0.0)
    one.keep(2.0, 2.0)
    assert len(server.held) == 1
    assert server.held != first
    server.held.clear()
    with pytest.raises(GateError):
        one.keep(3.0, 3.0)


@pytest.mark.parametrize(
    ("accounts", "lost"),
    [
        ([(10.0, 300.0)], False),
        ([(10.0, 250.0)], True),
        ([(200.0, 300.0)], True),
        # Another account begins at zero.
        ([(500.0, 500.0), (1.0, 900.0)], True),
        ([(10.0, 200.0), (1.0, 100.0)], False),
    ],
)
def test_a_candidate_cannot_outlast_its_lease_to_be_inconclusive(server, accounts, lost):
    one = leases(server)
    one.begin()
    for account in accounts:
        one.keep(*account)
    server.held.clear()
    if lost:
        with pytest.raises(GateError):
            one.end()
    else:
        one.end()
        assert one.overrun == 1


def late(handler):
    time.sleep(1.0)


@pytest.mark.parametrize(
    "answer",
    [
        late,
        lambda handler: handler.say(503, {"acquired": True}),
        lambda handler: handler.say(302, {"acquired": True}),
        lambda handler: handler.say(200, b'<html>"acquired": true'),
        lambda handler: handler.say(200, b"[" * 60_000),
        lambda handler: handler.say(200, [{"acquired": True}]),
        lambda handler: handler.wfile.write(b"\x00\xff garbage\r\n"),
        lambda handler: handler.connection.close(),
    ],
    ids=["late", "status", "redirect", "html", "deep", "list", "garbage", "closed"],
)
def test_whatever_is_no_answer_is_no_leave(server, answer):
    server.broken["acquire"] = answer
    with pytest.raises(GateError, match="nothing is measured without"):
        Gate(server.url).acquire(0.5)
    # It may have been granted all the same.
    assert server.asked[-1] == ("release", server.asked[0][1])


@pytest.mark.parametrize("told", [{"acquired": "true"}, {"acquired": 1}, {}, {"acquired": False}])
def test_only_true_is_leave(server, told):
    server.broken["acquire"] = lambda handler: handler.say(200, told)
    with pytest.raises(GateError):
        Gate(server.url).acquire(0.1)


def test_a_release_that_is_not_answered_counts_as_lost(server):
    one = leases(server)
    one.begin()
    server.broken["release"] = lambda handler: handler.say(500, b"")
    with pytest.raises(GateError):
        one.end()


def test_a_gate_that_is_not_there_gives_no_leave(server):
    server.shutdown()
    server.server_close()
    with pytest.raises(GateError, match="does not answer"):
        Gate(server.url).acquire(5.0)


@pytest.mark.parametrize("url", ["127.0.0.1:8266", "ftp://host", "http://", "http://h:x", "http://h/?a=1"])
def test_what_is_no_address_is_the_user_s_fault(url):
    with pytest.raises(UsageError, match="--gate"):
        Gate(url)

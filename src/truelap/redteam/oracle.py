"""A server on the loopback interface that computes medians for whoever asks: where a submission could get its answers from.

It is reached only where a sandbox shares the machine's network.
"""

from __future__ import annotations

import json
import socketserver
import statistics
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 4096


class _Median(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        try:
            numbers = json.loads(self.rfile.readline(_LONGEST))
            self.wfile.write(json.dumps(statistics.median(numbers)).encode())
        except (ValueError, TypeError, statistics.StatisticsError):
            self.wfile.write(b"null")


@contextmanager
def serving() -> Iterator[int]:
    """Serve for as long as the block runs; gives the port."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Median) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()

"""Tells which files of the tree are opened, and by which code of it: what tests read decides like the tests themselves.

  {"type": "opened", "pairs": [[path, by], ..]}

Both relative to the tree; `by` is the file of the nearest frame of the tree's own code, or "<doctest>". Python >= 3.8.
"""

import os
import sys

MOST = 50000
LONGEST = 4000
BATCH = 500
_CODE = (".py", ".pyc")


class Opened:
    """An audit hook, and the judge's plugin that tells what it heard.

    Args:
        send: takes one message.
        plain: makes text that survives JSON.
        mount: where the tree is.
    """

    def __init__(self, send, plain, mount):
        self._send = send
        self._plain = plain
        # Tests patch modules.
        self._realpath, self._join, self._cwd = os.path.realpath, os.path.join, os.getcwd
        self._frame = sys._getframe
        self._mount = os.path.join(os.path.realpath(mount), "")
        self._pairs = {}

    def hear(self, event, args):
        if event != "open" or len(self._pairs) >= MOST:
            return
        try:
            path, mode, flags = args
            if not isinstance(path, int) and reads(mode, flags):
                self._note(os.fsdecode(path))
        except Exception:
            # The file is opened either way.
            return

    def _note(self, path):
        if path.endswith(_CODE):
            return
        full = self._realpath(self._join(self._cwd(), path))
        by = self._opener() if full.startswith(self._mount) else None
        if by is not None:
            self._pairs[full[len(self._mount) :], by] = None

    def _opener(self):
        frame = self._frame(3)
        while frame is not None:
            name = frame.f_code.co_filename
            if name.startswith("<doctest "):
                return "<doctest>"
            if name.startswith(self._mount):
                return name[len(self._mount) :]
            frame = frame.f_back
        return None

    def pytest_sessionfinish(self):
        pairs = [[self._plain(path), self._plain(by)] for path, by in list(self._pairs)]
        pairs = [pair for pair in pairs if max(map(len, pair)) <= LONGEST]
        for start in range(0, len(pairs), BATCH):
            self._send({"type": "opened", "pairs": pairs[start : start + BATCH]})


def reads(mode, flags):
    if isinstance(mode, str):
        return not set(mode) & set("wax")
    return flags & os.O_ACCMODE != os.O_WRONLY and not flags & os.O_TRUNC


def prepare(send, plain, mount, pytest):
    """The plugin, listening and ready to be registered."""
    opened = Opened(send, plain, mount)
    sys.addaudithook(opened.hear)
    pytest.hookimpl(trylast=True)(Opened.pytest_sessionfinish)
    return opened

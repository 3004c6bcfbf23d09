"""Part of run_benchmarks: which functions of the tree run. Only in a worker of base's own that nobody times.

A function counts when it begins. Where it cannot be seen, in another process or a thread that is not watched, the chart
says that it is not whole.
"""

import json
import sys
import threading

TOOL = 4
ELSEWHERE = (
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.exec",
    "os.system",
    "subprocess.Popen",
    "pty.spawn",
)


class Chart:
    """Watches this process from `begin` on.

    Args:
        mount: where the tree lies, with a slash at its end.
    """

    def __init__(self, mount):
        self.mount = mount
        self.seen = set()
        self.lost = False
        self.monitoring = getattr(sys, "monitoring", None)
        self.elsewhere = frozenset(ELSEWHERE if self.monitoring else (*ELSEWHERE, "_thread.start_new_thread"))

    def begin(self):
        sys.addaudithook(self.audit)
        if self.monitoring:
            events = self.monitoring.events.PY_START
            self.monitoring.use_tool_id(TOOL, "coverage")
            self.monitoring.register_callback(TOOL, events, self.started)
            self.monitoring.set_events(TOOL, events)
        else:
            threading.setprofile(self.profile)
            sys.setprofile(self.profile)

    def again(self):
        """In a forked child: what ran before the fork is its parent's."""
        self.seen.clear()
        self.lost = False
        if self.monitoring:
            self.monitoring.restart_events()

    def audit(self, event, _):
        if event in self.elsewhere:
            self.lost = True

    def started(self, code, _):
        self.note(code)
        return self.monitoring.DISABLE

    def profile(self, frame, event, _):
        if event == "call":
            self.note(frame.f_code)

    def note(self, code):
        # A module's own code has its first function's line where that is the first.
        if code.co_filename.startswith(self.mount) and code.co_name != "<module>":
            self.seen.add((code.co_filename, code.co_firstlineno))

    def told(self):
        if self.monitoring:
            whole = self.monitoring.get_tool(TOOL) == "coverage"
        else:
            whole = sys.getprofile() == self.profile
        places = sorted((name[len(self.mount) :], line) for name, line in self.seen)
        return {"type": "charted", "whole": whole and not self.lost, "ran": places}

    def write(self, path):
        with open(path, "w") as file:
            json.dump(self.told(), file)

    def add(self, path):
        """What a process wrote down whose work this one goes on with."""
        try:
            with open(path) as file:
                told = json.load(file)
        except (OSError, ValueError):
            self.lost = True
            return
        self.seen.update((self.mount + name, line) for name, line in told["ran"])
        self.lost = self.lost or not told["whole"]

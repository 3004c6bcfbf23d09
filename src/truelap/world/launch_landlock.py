"""Takes a fresh identity and a Landlock domain, then becomes the program; its parent waits, and outlives the judge to clean up.

For containers that allow no namespaces: there is no first process whose death the kernel would take for the end of all. So
this launcher adopts every orphan of the step (it is their "subreaper"), and ends the step by one kill(-1) that reaches all of it at
once and nothing else: as the step's own user when there is one, else from a Landlock domain that signals cannot leave. That it
has no children left proves that nothing of the step goes on.

Orders of the judge are single bytes: `k` kill the step's processes, `e` the same and end. The end of the judge itself, which closes
the socket, is an order to kill, and to remove what the step has written.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal loads enum and more
import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all the rest
    import _socket
    from typing import Any, NoReturn

    from truelap.world import confine
    from truelap.world import launch_base as base
else:
    import confine
    import launch_base as base

_SCOPE_SIGNALS = 2
_MOVE = 1 << 13
_KILL_POLL_S = 0.002
_COMPLAINT_BYTES = 4096


def _opened(rules: list[tuple[str, int]]) -> list[tuple[int, int]]:
    """Open what rules are about, while everything can be reached; what is not there needs no rule."""
    found = []
    for path, access in rules:
        try:
            found.append((os.open(path, os.O_PATH | os.O_CLOEXEC), access))
        except FileNotFoundError:
            continue
    return found


def _become(plan: dict[str, Any], launcher: int) -> NoReturn:
    """In the child: give everything up, and become the program."""
    os.setsid()
    rules = _opened(plan["rules"])
    if plan["uid"] is not None:
        base.become(plan["uid"])
    base.bound(plan)
    # After the change of user, which clears it.
    base.must("death signal", base.prctl(base.PR_SET_PDEATHSIG, base.KILL))
    if os.getppid() != launcher:
        os._exit(1)
    os.chdir(plan["folder"])
    base.plain_signals()
    confine.restrict(plan["handled"], rules)
    confine.install(plan["filter"])
    argv = plan["argv"]
    os.execve(argv[0], argv, plan["environment"])  # noqa: S606


def _started(plan: dict[str, Any]) -> tuple[int, bytes]:
    """The program's pid, and why it could not be started, if so."""
    launcher = os.getpid()
    heard, complaint = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _become(plan, launcher)
        except OSError as error:
            text = f"{error.filename}: {error.strerror}" if error.filename else str(error.args[1])
            os.write(complaint, text.encode())
        finally:
            os._exit(1)
    os.close(complaint)
    # Kept open: a rule holds for the kernel's present notion of this folder, which must not be replaced by a fresh one.
    os.open(f"/proc/{child}", os.O_PATH | os.O_CLOEXEC)
    base.hand_over(plan)
    said = os.read(heard, _COMPLAINT_BYTES)
    os.close(heard)
    return child, said


class _Step:
    """The processes of a step, seen by the parent of all its orphans.

    Args:
        plan: see `landlock`.
        control: the judge's socket.
    """

    def __init__(self, plan: dict[str, Any], control: _socket.socket) -> None:
        self._plan = plan
        self._control = control
        self.worker = -1

    def reap(self) -> bool:
        """Take leave of all that have ended; whether there are others."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.worker:
                self.say(_outcome(status))

    def kill(self) -> None:
        """Kill every process of the step, at one moment."""
        uid = self._plan["uid"]
        if uid is not None:
            helper = os.fork()
            if helper == 0:
                try:
                    end(uid)
                finally:
                    os._exit(0)
            os.waitpid(helper, 0)
        elif self._plan["scope"] and os.geteuid() != 0:
            _kill_all()

    def end(self) -> None:
        """Kill until nothing is left."""
        while self.reap():
            self.kill()
            time.sleep(_KILL_POLL_S)

    def remove_traces(self) -> None:
        """Remove what the step has written. Nothing else is left to do it."""
        if TYPE_CHECKING:
            from truelap.world import traces  # noqa: PLC0415
        else:
            import traces  # noqa: PLC0415 - only in this case; it takes longer to import than all the rest
        for folder in self._plan["written"]:
            traces.remove(folder)
        if self._plan["uid"] is not None:
            traces.remove_shared(self._plan["uid"])

    def say(self, text: str) -> None:
        """Tell the judge."""
        try:
            self._control.send(f"{text}\n".encode())
        except OSError:
            # The judge is dead: the loop will see it.
            return


def _outcome(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"killed {os.WTERMSIG(status)}"
    return f"exit {os.WEXITSTATUS(status)}"


def end(uid: int) -> None:
    """Be a step's user, and kill all that it runs.

    Raises:
        OSError: the user could not be taken; nothing was killed.
    """
    base.become(uid)
    _kill_all()


def _kill_all() -> None:
    try:
        os.kill(-1, base.KILL)
    except (ProcessLookupError, PermissionError):
        # Nobody, or only others, whom it does not reach.
        return


def _keep_signals_in() -> None:
    """Enter a domain that signals cannot leave. Every domain denies moves between folders unless it is told not to."""
    top = os.open("/", os.O_PATH | os.O_CLOEXEC)
    confine.restrict((_MOVE, 0, _SCOPE_SIGNALS), [(top, _MOVE)])
    os.close(top)


def _launch(plan: dict[str, Any], control: _socket.socket) -> str:
    base.must("no longer bound to the judge", base.prctl(base.PR_SET_PDEATHSIG, 0))
    base.must("adopt orphans", base.prctl(base.PR_SET_CHILD_SUBREAPER, 1))
    base.must("no new privileges", base.prctl(base.PR_SET_NO_NEW_PRIVS, 1))
    if plan["scope"]:
        _keep_signals_in()
    step = _Step(plan, control)
    woken, wake = os.pipe()
    for descriptor in (woken, wake):
        os.set_blocking(descriptor, False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    _signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    worker, complaint = _started(plan)
    if complaint:
        step.end()
        return f"failed {complaint.decode()}"
    step.worker = worker
    return _attended(step, control, woken)


def _attended(step: _Step, control: _socket.socket, woken: int) -> str:
    """Until the judge wants it to end, or has ended itself."""
    step.say(f"started {step.worker}")
    ready = select.poll()
    ready.register(control, select.POLLIN)
    ready.register(woken, select.POLLIN)
    while True:
        events = dict(ready.poll())
        if woken in events:
            os.read(woken, _COMPLAINT_BYTES)
            step.reap()
        if control.fileno() not in events:
            continue
        order = _order(control)
        if order == b"k":
            step.kill()
            continue
        step.end()
        if not order:
            step.remove_traces()
        return "gone"


def _order(control: _socket.socket) -> bytes:
    try:
        return control.recv(1)
    except ConnectionResetError:
        return b""


def main(judge: int) -> None:
    """See `launch_base.serve`."""
    base.serve(judge, _launch)

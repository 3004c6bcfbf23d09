"""What honest programs need, beside all that must not be possible; see `escape`."""

import os
import socket
import sys
import threading

from escape_judge import connect
from escape_kit import attempt

NOTHING = [sys.executable, "-I", "-S", "-c", "raise SystemExit(7)"]


@attempt("honest: new file in the tree")
def new_file(_order):
    with open("made-by-the-step", "x") as file:
        file.write("x")
    os.mkdir("folder-of-the-step")
    os.rename("made-by-the-step", "folder-of-the-step/moved")
    return os.path.abspath("folder-of-the-step/moved")


@attempt("honest: scratch")
def scratch(_order):
    for folder in ("/dev/shm", os.environ["HOME"], os.environ["TMPDIR"]):
        name = os.path.join(folder, "scratch")
        with open(name, "w") as file:
            file.write("x")
        os.unlink(name)
    return sorted(os.listdir(os.environ["HOME"]))


@attempt("honest: own server")
def own_server(_order):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        return connect(socket.AF_INET, server.getsockname())


@attempt("honest: processes")
def own_processes(_order):
    status = os.spawnv(os.P_WAIT, sys.executable, NOTHING)
    if status != 7:
        raise OSError("a program that was started ended with %d" % status)
    return status


@attempt("honest: threads")
def own_threads(_order):
    threads = [threading.Thread(target=int) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(threads)


@attempt("honest: semaphores")
def semaphores(_order):
    import multiprocessing

    with multiprocessing.Lock():
        return "taken"


@attempt("honest: pool of processes")
def pool(_order):
    import multiprocessing

    with multiprocessing.get_context("fork").Pool(2) as workers:
        return workers.map(abs, (-1, -2))


@attempt("honest: shared memory")
def shared_memory(_order):
    from multiprocessing import resource_tracker
    from multiprocessing.shared_memory import SharedMemory

    made = SharedMemory(create=True, size=4096)
    made.buf[0] = 7
    again = SharedMemory(name=made.name)
    found = again.buf[0]
    again.close()
    made.close()
    made.unlink()
    resource_tracker._resource_tracker._stop()
    return found


@attempt("honest: event loop")
def event_loop(_order):
    import asyncio

    async def started():
        child = await asyncio.create_subprocess_exec(*NOTHING)
        return await child.wait()

    return asyncio.run(started())


@attempt("honest: names")
def names(_order):
    import getpass

    return [getpass.getuser(), os.path.expanduser("~"), socket.gethostbyname("localhost")]

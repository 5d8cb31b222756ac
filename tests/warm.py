"""Commands in forks of one process that has imported them: a process for each, as a user's.

Half of what a short command takes is its imports. A test whose point is how a process starts runs
`python -m` itself.
"""

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
_LARGEST = 1 << 20
"""Bytes of a command with its environment, at most."""


class _Warm:
    """A process that has imported both programs and forks for each command; one at a time."""

    def __init__(self) -> None:
        self._here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LARGEST)
        code = f"from tests.warm import serve; serve({there.fileno()})"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],
            cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[there.fileno()], start_new_session=True,
        )  # fmt: skip
        there.close()
        atexit.register(self._end)

    def _end(self) -> None:
        self._here.close()
        self._process.wait()

    def run(self, order: bytes, outputs: list[int], timeout: float) -> int:
        """Run a command to its end; where it has none, it is killed with its children."""
        self._here.settimeout(timeout)
        socket.send_fds(self._here, [order], outputs)
        try:
            return int(self._here.recv(100))
        except BaseException:
            os.killpg(self._process.pid, signal.SIGKILL)
            _warm.cache_clear()
            raise


@cache
def _warm() -> _Warm:
    return _Warm()


def run(
    program: str,
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = PATIENCE_S,
) -> subprocess.CompletedProcess[str]:
    """Run a command as `python -m` does.

    Args:
        program: `harness` or `mockserver`.
        arguments: Those of the command line.
        cwd: Its working folder; that of the test where none is given.
        env: Its environment; that of the test where none is given.
        timeout: Seconds.
    """
    with TemporaryFile() as out, TemporaryFile() as err:
        environment = dict(os.environ if env is None else env)
        order = json.dumps([program, arguments, str(cwd or Path.cwd()), environment]).encode()
        code = _warm().run(order, [out.fileno(), err.fileno()], timeout)
        said = [os.pread(each.fileno(), 1 << 30, 0).decode() for each in (out, err)]
    return subprocess.CompletedProcess([program, *arguments], code, *said)


def serve(number: int) -> None:
    """Run each command that a socket says, in a fork, until its other end is closed."""
    import mockserver.cli.main  # noqa: F401

    gc.freeze()
    asked = socket.socket(fileno=number)
    while True:
        order, outputs, _, _ = socket.recv_fds(asked, _LARGEST, 2)
        if not order:
            return
        child = os.fork()
        if not child:
            asked.close()
            _run(order, outputs)
        for each in outputs:
            os.close(each)
        asked.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _run(order: bytes, outputs: list[int]) -> None:
    """In the fork: it ends as any process of Python does."""
    program, arguments, folder, environment = json.loads(order)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # as a new interpreter does
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)
        os.close(output)
    sys.argv = [program, *arguments]
    if program == "harness":
        from harness.cli.main import main

        main()
    else:
        from mockserver.cli.main import main as run_mockserver

        run_mockserver()
    sys.exit(0)

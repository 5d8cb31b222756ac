"""Commands in forks of one process that has imported them: a process for each, as a user's.

Most of what a short command takes is its imports, and so is most of what the server takes that it
starts, which is therefore a fork of the command. The same goes for programs that import packages of
somebody else. A test whose point is how a process starts runs `python -m` itself.
"""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp

from mockserver.children import child_command, import_path
from tests import warm_process
from tests.patience import PATIENCE_S
from tests.warm_process import CHILD, LARGEST, PROGRAMS

_ASK = f"""\
import json, os, signal, socket, sys
def is_handed(number):
    try:
        return os.get_inheritable(number)
    except OSError:
        return False
folder, program = os.path.split(sys.argv[0])
asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asked.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, {LARGEST})
asked.connect(os.path.join(folder, "door"))
handed = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
ignored = [each for each in handed if signal.getsignal(each) == signal.SIG_IGN]
streams = [0, 1, 2, *(n for n in map(int, os.listdir("/dev/fd")) if n > 2 and is_handed(n))]
order = [program, sys.argv[1:], os.getcwd(), dict(os.environ), streams, ignored, ""]
socket.send_fds(asked, [json.dumps(order).encode()], streams)
for each in streams:
    if each > 2:
        os.close(each)
for each in handed:
    signal.signal(each, lambda number, _: asked.send(b"%d" % number))
code = int(asked.recv(100) or 1)
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""
"""A program that has one of ours run, and hands it signals; it starts in no time."""


class _Warm:
    """A process that has imported modules and forks for each command; one at a time.

    Args:
        python: Which interpreter it is.
        path: PYTHONPATH of it; what is imported for programs whose own begins with it.
        modules: What is imported; all of ours where there is none.
        program: The name of what it runs, where that is not one of ours.
    """

    def __init__(
        self, python: str = sys.executable, path: str = "", modules: Sequence[str] = ()
    ) -> None:
        self._here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST)
        self.programs = Path(mkdtemp(prefix="warm-"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
            door.bind(str(self.programs / "door"))
            door.listen()
            numbers = (there.fileno(), door.fileno())
            told = json.dumps([*numbers, modules, child_command("")[1:-2]])
            self._process = subprocess.Popen(
                [python, "-P", warm_process.__file__, told],
                env={**os.environ, "PYTHONPATH": path} if path else None,
                stdin=subprocess.DEVNULL, pass_fds=numbers, start_new_session=True,
            )  # fmt: skip
        there.close()
        for name in ["python"] if modules else [*PROGRAMS, CHILD]:
            (self.programs / name).write_text(f"#!{sys.executable} -IS\n{_ASK}")
            (self.programs / name).chmod(0o755)
        atexit.register(self._end)

    def _end(self) -> None:
        self._here.close()
        self._process.wait()
        shutil.rmtree(self.programs, ignore_errors=True)

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
    python: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command as `python -m` does.

    Args:
        program: `harness` or `mockserver`.
        arguments: Those of the command line.
        cwd: Its working folder; that of the test where none is given.
        env: Its environment; that of the test where none is given.
        timeout: Seconds.
        python: What it takes for its own interpreter, to run agents with.
    """
    with TemporaryFile() as out, TemporaryFile() as err:
        environment = dict(os.environ if env is None else env)
        folder, executable = str(cwd or Path.cwd()), str(python or "")
        order = [program, arguments, folder, environment, [1, 2], [], executable]
        outputs = [out.fileno(), err.fileno()]
        code = _warm().run(json.dumps(order).encode(), outputs, timeout)
        said = [os.pread(each.fileno(), 1 << 30, 0).decode() for each in (out, err)]
    return subprocess.CompletedProcess([program, *arguments], code, *said)


def programs() -> Path:
    """A folder with programs of our names, for shells; each may be in the background."""
    return _warm().programs


@cache
def programs_of(python: Path) -> Path:
    """The same of what is installed where another interpreter is."""
    return _Warm(str(python)).programs


def forked_command(target: str, *arguments: str) -> list[str]:
    """What `child_command` is, of a process that is a fork."""
    path = os.pathsep.join(import_path(sys.path))
    return [str(programs() / CHILD), path, target, *arguments]


@cache
def interpreter(packages: str, *modules: str, python: str = sys.executable) -> Path:
    """An interpreter that has imported modules: it forks for each program, which it runs as new.

    Args:
        packages: PYTHONPATH of the modules; that of a program must begin with it.
        modules: Names.
        python: The interpreter that it stands for.
    """
    return _Warm(python, packages, modules).programs / "python"

"""Commands in forks of one process that has imported them: a process for each, as a user's.

Most of what a short command takes is its imports, and so is most of what the server takes that it
starts, which is therefore a fork of the command. A test whose point is how a process starts runs
`python -m` itself.
"""

import atexit
import contextlib
import contextvars
import gc
import json
import logging
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import traceback
import weakref
from asyncio import events, set_event_loop_policy
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import Any

from mockserver.children import child_command
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
_LARGEST = 1 << 20
"""Bytes of a command with its environment, at most."""

_PROGRAMS = {
    "understudy": "harness.cli.understudy:main",
    "harness": "harness.cli.main:main",
    "mockserver": "mockserver.cli.main:main",
}
_ASK = f"""\
import json, os, signal, socket, sys
folder, program = os.path.split(sys.argv[0])
asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asked.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, {_LARGEST})
asked.connect(os.path.join(folder, "door"))
handed = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
ignored = [each for each in handed if signal.getsignal(each) == signal.SIG_IGN]
order = [program, sys.argv[1:], os.getcwd(), dict(os.environ), ignored]
socket.send_fds(asked, [json.dumps(order).encode()], [0, 1, 2])
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
    """A process that has imported both programs and forks for each command; one at a time."""

    def __init__(self) -> None:
        self._here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LARGEST)
        self.programs = Path(mkdtemp(prefix="warm-"))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
            door.bind(str(self.programs / "door"))
            door.listen()
            numbers = (there.fileno(), door.fileno())
            code = f"from tests.warm import serve; serve{numbers}"
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", code],
                cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=numbers, start_new_session=True,
            )  # fmt: skip
        there.close()
        for name in _PROGRAMS:
            path = self.programs / name
            path.write_text(f"#!{sys.executable} -IS\n{_ASK}")
            path.chmod(0o755)
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
        order = json.dumps([program, arguments, str(cwd or Path.cwd()), environment, []]).encode()
        code = _warm().run(order, [out.fileno(), err.fileno()], timeout)
        said = [os.pread(each.fileno(), 1 << 30, 0).decode() for each in (out, err)]
    return subprocess.CompletedProcess([program, *arguments], code, *said)


def programs() -> Path:
    """A folder with programs of our names, for shells; each may be in the background."""
    return _warm().programs


def serve(number: int, door: int) -> None:
    """Run each command that a socket says, in a fork, until its other end is closed.

    Args:
        number: The socket's; it is told the exit code of each.
        door: That of a socket for programs, which connect for one command each.
    """
    _import_all()
    gc.freeze()
    asked, entrance = socket.socket(fileno=number), socket.socket(fileno=door)
    beside: set[int] = set()
    while True:
        ready: list[socket.socket] = select.select([asked, entrance], [], [])[0]
        beside -= {each for each in beside if os.waitpid(each, os.WNOHANG)[0]}
        if asked not in ready:
            beside.add(_serve_program(entrance))
            continue
        order, outputs, _, _ = socket.recv_fds(asked, _LARGEST, 2)
        if not order:
            return
        child = os.fork()
        if not child:
            asked.close()
            entrance.close()
            _run(order, dict(enumerate(outputs, 1)))
        for each in outputs:
            os.close(each)
        asked.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _serve_program(entrance: socket.socket) -> int:
    """Run the command of a program, in a fork of a fork that hands it signals; the first one."""
    program, _ = entrance.accept()
    with program:
        if between := os.fork():
            return between
        order, streams, _, _ = socket.recv_fds(program, _LARGEST, 3)
        child = os.fork()
        if not child:
            os.setsid()
            program.close()
            entrance.close()
            _run(order, dict(enumerate(streams)))
        for each in streams:
            os.close(each)
        ended = os.pidfd_open(child)
        while ended not in (ready := select.select([program.fileno(), ended], [], [])[0]):
            said = program.recv(100) if ready else b""
            os.kill(child, int(said or signal.SIGKILL))
            if not said:
                break
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(OSError):
            program.send(b"%d" % code)
        os._exit(0)


_LEFT_OUT = re.compile(
    r"suites|__main__|grpc|mcp|testing|pytest|verify|redis|capture|shared|ray|watch|a2a|otel|traces"
)
"""What few commands import; packages of it do not bear a fork, or read variables when imported."""


def _import_all() -> None:
    """Import what commands import when they need it."""
    for package in ("mockserver", "harness"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if not _LEFT_OUT.search(name):
                import_module(name.removesuffix(".__init__"))


def _run(order: bytes, streams: Mapping[int, int]) -> None:
    """In the fork: it ends as any process of Python does."""
    program, arguments, folder, environment, ignored = json.loads(order)
    for each in ignored:
        signal.signal(each, signal.SIG_IGN)
    os.chdir(folder)
    _set_environment(environment)
    # as a new interpreter does
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    for number, stream in streams.items():
        os.dup2(stream, number)
        os.close(stream)
    sys.argv = [program, *arguments]
    subprocess.Popen = _Popen  # type: ignore[misc]
    os._exit(_end_of(_PROGRAMS[program]))


def _set_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


_OURS = child_command("")[:-2]
"""What commands start processes of ours with, before their path and their target."""


class _Popen(subprocess.Popen[Any]):
    """Starts processes of ours as forks, which go on where others execute a program."""

    def __init__(self, args: Any, *more: Any, **named: Any) -> None:
        if isinstance(args, (list, tuple)) and list(args[: len(_OURS)]) == _OURS:
            command = [str(each) for each in args[len(_OURS) :]]
            environment = dict(named.get("env") or os.environ)
            kept = {0, 1, 2, *named.get("pass_fds", ())}
            named["preexec_fn"] = partial(_become, command, environment, kept)
        super().__init__(args, *more, **named)


def _become(command: Sequence[str], environment: Mapping[str, str], kept: Collection[int]) -> None:
    """In the fork: leave what was the parent's, and run as a new process does, to its end."""
    path, target, *arguments = command
    null = os.open(os.devnull, os.O_RDWR)
    for number in [int(each.name) for each in Path("/proc/self/fd").iterdir()]:
        if number not in {null, *kept}:  # the objects of the parent keep their numbers
            os.dup2(null, number, inheritable=False)
    atexit._clear()
    weakref.finalize._registry.clear()  # type: ignore[attr-defined]
    weakref.finalize._registered_with_atexit = False  # type: ignore[attr-defined]
    atexit.register(logging.shutdown)
    signal.set_wakeup_fd(-1)
    for each in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if callable(signal.getsignal(each)):
            signal.signal(each, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    events._set_running_loop(None)
    set_event_loop_policy(None)
    _set_environment(environment)
    sys.path[:], sys.argv[:] = path.split(os.pathsep), [target, *arguments]
    _open_streams()
    gc.enable()
    os._exit(contextvars.Context().run(_end_of, target))


_parents: list[object] = []
"""What is kept so that nothing of it is closed."""


def _open_streams() -> None:
    def stream(number: int, mode: str, **more: Any) -> Any:
        return open(number, mode, encoding="utf-8", closefd=False, **more)

    _parents.extend((sys.stdin, sys.stdout, sys.stderr))
    sys.stdin = sys.__stdin__ = stream(0, "r")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = stream(1, "w")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = stream(2, "w", buffering=1, errors="backslashreplace")  # type: ignore[misc]


def _end_of(target: str) -> int:
    """The exit code of a process of ours."""
    module, _, function = target.partition(":")
    code: Any = None
    try:
        getattr(import_module(module), function)()
    except SystemExit as left:
        code = left.code
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return code or 0

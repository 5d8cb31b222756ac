"""The process behind `tests.warm`: it imports modules, and forks for each command.

It runs in whatever environment those modules are in, and needs nothing of this project itself.
"""

import atexit
import contextlib
import contextvars
import fcntl
import gc
import json
import logging
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
import warnings
import weakref
from asyncio import events, set_event_loop_policy
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
LARGEST = 1 << 20
"""Bytes of a command with its environment, at most."""

PROGRAMS = {
    "understudy": "harness.cli.understudy:main",
    "harness": "harness.cli.main:main",
    "mockserver": "mockserver.cli.main:main",
}
CHILD = "child"
"""The program that runs any function of ours; its arguments are a path of imports, and that."""


def serve(number: int, door: int, modules: Sequence[str], ours: Sequence[str]) -> None:
    """Run each command that a socket says, in a fork, until its other end is closed.

    Args:
        number: The socket's; it is told the exit code of each.
        door: That of a socket for programs, which connect for one command each.
        modules: What is imported; all that commands of ours import, where there is none.
        ours: What commands start processes of ours with, behind the interpreter.
    """
    _Popen.ours = list(ours)
    for module in modules:
        import_module(module)
    for module in () if modules else _all_of_ours():
        with contextlib.suppress(ImportError):  # an extra is not installed
            import_module(module)
    gc.freeze()
    asked, entrance = socket.socket(fileno=number), socket.socket(fileno=door)
    beside: set[int] = set()
    while True:
        ready: list[socket.socket] = select.select([asked, entrance], [], [])[0]
        beside -= {each for each in beside if os.waitpid(each, os.WNOHANG)[0]}
        if asked not in ready:
            beside.add(_serve_program(entrance))
            continue
        order, outputs, _, _ = socket.recv_fds(asked, LARGEST, 2)
        if not order:
            return
        child = os.fork()
        if not child:
            asked.close()
            entrance.close()
            _run(order, outputs)
        for each in outputs:
            os.close(each)
        asked.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _serve_program(entrance: socket.socket) -> int:
    """Run the command of a program, in a fork of a fork that hands it signals; the first one."""
    program, _ = entrance.accept()
    with program:
        if between := os.fork():
            return between
        order, streams, _, _ = socket.recv_fds(program, LARGEST, _MOST_STREAMS)
        child = os.fork()
        if not child:
            os.setsid()
            program.close()
            entrance.close()
            _run(order, streams)
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


_MOST_STREAMS = 16

_LEFT_OUT = re.compile(
    r"suites|__main__|grpc|mcp|testing|pytest|verify|redis|capture|shared|ray|watch|a2a|otel|traces"
)
"""What few commands import; packages of it do not bear a fork, or read variables when imported."""


def _all_of_ours() -> list[str]:
    """What commands import when they need it."""
    paths = [
        path.relative_to(ROOT).with_suffix("")
        for package in ("mockserver", "harness")
        for path in sorted((ROOT / package).rglob("*.py"))
    ]
    names = [".".join(path.parts) for path in paths]
    found = [each.removesuffix(".__init__") for each in names if not _LEFT_OUT.search(each)]
    return [*found, "numpy"]


def _run(order: bytes, streams: Sequence[int]) -> None:
    """In the fork: it ends as any process of Python does."""
    program, arguments, folder, environment, numbers, ignored, executable = json.loads(order)
    for each in ignored:
        signal.signal(each, signal.SIG_IGN)
    os.chdir(folder)
    # the order is another one than that of their numbers
    aside = [fcntl.fcntl(each, fcntl.F_DUPFD, 200) for each in streams]
    for each in streams:
        os.close(each)
    for number, stream in zip(numbers, aside, strict=True):
        os.dup2(stream, number)
        os.close(stream)
    if program == "python":
        os._exit(_end_of(partial(_interpret, arguments, environment)))
    _set_environment(environment)
    if program == CHILD:
        path, target, *arguments = arguments
        sys.path[:], sys.argv = path.split(os.pathsep), [target, *arguments]
    else:
        # as a new interpreter does
        sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
        target, sys.argv = PROGRAMS[program], [program, *arguments]
    sys.executable = executable or sys.executable
    subprocess.Popen = _Popen  # type: ignore[misc]
    os._exit(_end_of(_function(target)))


def _set_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)


_HERE = os.environ.get("PYTHONPATH", "")


def _interpret(arguments: list[str], environment: Mapping[str, str]) -> None:
    """What an interpreter does with its arguments; the rare ones are left to a new one.

    So is a program that is to find other packages than those which are imported here.
    """
    rest, first, warned = list(arguments), True, []
    while rest and rest[0] in {"-P", "-W"}:
        if rest.pop(0) == "-P":
            first = False
        else:
            warned.append(rest.pop(0))
    named = environment.get("PYTHONPATH", "")
    is_known = bool(rest) and (rest[0] == "-c" or not rest[0].startswith("-"))
    if not is_known or not f"{named}{os.pathsep}".startswith(f"{_HERE}{os.pathsep}"):
        os.execve(sys.executable, [sys.executable, *arguments], environment)
    _set_environment(environment)
    warnings._processoptions(warned)  # type: ignore[attr-defined]
    base = sys.path[len(_HERE.split(os.pathsep)) :] if _HERE else sys.path
    sys.path[:] = [*filter(None, named.split(os.pathsep)), *base]
    main = sys.modules["__main__"] = ModuleType("__main__")
    if rest[0] == "-c":
        folder, code = "", compile(rest.pop(1), "<string>", "exec")
    else:
        folder = str(Path(rest[0]).absolute().parent)
        main.__file__ = rest[0]
        code = compile(Path(rest[0]).read_bytes(), rest[0], "exec")
    sys.path[:0] = [folder] if first else []
    sys.argv = rest
    exec(code, main.__dict__)


class _Popen(subprocess.Popen[Any]):
    """Starts processes of ours as forks, which go on where others execute a program.

    Attributes:
        ours: What those are started with, behind the interpreter, before their path and target.
    """

    ours: Sequence[str] = ()

    def __init__(self, args: Any, *more: Any, **named: Any) -> None:
        if isinstance(args, (list, tuple)) and args[1 : 1 + len(self.ours)] == self.ours:
            command = [str(each) for each in args[1 + len(self.ours) :]]
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
    os._exit(contextvars.Context().run(_end_of, _function(target)))


_parents: list[object] = []
"""What is kept so that nothing of it is closed."""


def _open_streams() -> None:
    def stream(number: int, mode: str, **more: Any) -> Any:
        return open(number, mode, encoding="utf-8", closefd=False, **more)

    _parents.extend((sys.stdin, sys.stdout, sys.stderr))
    sys.stdin = sys.__stdin__ = stream(0, "r")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = stream(1, "w")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = stream(2, "w", buffering=1, errors="backslashreplace")  # type: ignore[misc]


def _function(target: str) -> Callable[[], object]:
    module, _, function = target.partition(":")
    return lambda: getattr(import_module(module), function)()


def _end_of(start: Callable[[], object]) -> int:
    """The exit code of a process that does no more than that."""
    code: Any = None
    try:
        start()
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


if __name__ == "__main__":
    serve(*json.loads(sys.argv[1]))

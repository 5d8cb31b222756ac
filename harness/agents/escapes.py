"""Finds processes that an agent put out of reach of its process group, as daemons do.

Each process of an agent is started with a mark in its environment, which its children inherit
wherever they go; one that clears its environment is not found. Only where there is a `/proc`.
"""

import contextlib
import os
import signal
from itertools import count
from pathlib import Path
from time import perf_counter_ns

MARK = "HARNESS_PROCESS"
"""The variable that holds the mark."""

_PROC = Path("/proc")
_numbers = count(1)


def new_mark() -> str:
    """A mark that no other process of this machine has."""
    return f"{os.getpid()}-{next(_numbers)}-{perf_counter_ns()}"


def kill_marked(mark: str) -> int:
    """Kill every process that bears a mark, until none is left; how many there were."""
    found: set[int] = set()
    for _ in range(5):  # a process may start others while it is looked for
        alive = _marked(mark)
        for pid in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not alive:
            break
        found.update(alive)
    return len(found)


def _marked(mark: str) -> list[int]:
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in _pids() if wanted in _environment(pid)]


def _pids() -> list[int]:
    try:
        names = [path.name for path in _PROC.iterdir()]
    except OSError:
        return []
    return [int(name) for name in names if name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []  # gone, or somebody else's

"""A command's time and memory, untouched by the memory of the process that measures it."""

import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter

_LAUNCHER = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measured(command: Sequence[str]) -> tuple[float, float, int]:
    """Seconds, megabytes at the most, and the exit code.

    A child's peak counts the memory of the process that forked it, so a small one forks it.
    """
    started = perf_counter()
    told = subprocess.run(
        [sys.executable, "-c", _LAUNCHER, *command], capture_output=True, text=True, check=True
    )
    code, kibibytes = told.stdout.split()
    return perf_counter() - started, int(kibibytes) / 1024, int(code)

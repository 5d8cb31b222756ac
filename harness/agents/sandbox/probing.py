"""Short commands that tell whether a sandbox can be made."""

import subprocess
from collections.abc import Sequence

from harness.errors import reason_of

_PATIENCE_S = 20


def failure_of(argv: Sequence[str]) -> str:
    """Why a command fails: the last line that it wrote to stderr; empty where it succeeds."""
    try:
        done = subprocess.run(  # noqa: S603  (programs that were found on the path)
            argv, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except OSError as error:
        return reason_of(error)
    except subprocess.TimeoutExpired:
        return f"it did not end within {_PATIENCE_S} s"
    last = done.stderr.strip().rpartition("\n")[2]
    return (last or f"exit code {done.returncode}") if done.returncode else ""


def output_of(argv: Sequence[str]) -> str:
    """What a command wrote to stdout; empty where it cannot be run."""
    try:
        done = subprocess.run(  # noqa: S603  (programs that were found on the path)
            argv, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout

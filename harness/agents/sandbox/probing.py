"""Short commands that tell whether a sandbox can be made."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from harness.errors import reason_of

_PATIENCE_S = 20


@dataclass(frozen=True, slots=True)
class Probe:
    """What a command did.

    Attributes:
        output: What it wrote to stdout.
        failure: Why it failed: the last line that it wrote to stderr; empty where it succeeded.
    """

    output: str = ""
    failure: str = ""


def probe(argv: Sequence[str]) -> Probe:
    """Run a program that was found on the path, and wait for it."""
    try:
        done = subprocess.run(  # noqa: S603  (programs that were found on the path)
            argv, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except OSError as error:
        return Probe(failure=reason_of(error))
    except subprocess.TimeoutExpired:
        return Probe(failure=f"it did not end within {_PATIENCE_S} s")
    last = done.stderr.strip().rpartition("\n")[2]
    return Probe(done.stdout, (last or f"exit code {done.returncode}") if done.returncode else "")

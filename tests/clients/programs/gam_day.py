"""A usual day of GAM, each command in a fork of this process, which loads GAM once.

It reads the folder of a configuration (GAMCFGDIR), and takes how many commands are run. It prints
those that failed, with the last line that they wrote.
"""

import json
import os
import shlex
import sys
import tempfile
from pathlib import Path

import gam  # type: ignore[import-not-found]

NOTHING_FOUND = 60
"""The status of a command that had nothing to show."""


def run(line: str) -> tuple[int, str]:
    """Run a command; its status, and the last line that it wrote."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        child = os.fork()
        if not child:
            status = 99
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                status = int(gam.ProcessGAMCommand(["gam", *shlex.split(line)]) or 0)
                sys.stdout.flush()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        return status, (output.read().strip().splitlines() or [""])[-1]


def main() -> None:
    gam.initializeLogging()
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    every = {line: run(line) for line in lines[: int(sys.argv[1])]}
    failed = {line: found for line, found in every.items() if found[0] not in {0, NOTHING_FOUND}}
    sys.stdout.write(json.dumps({"commands": len(every), "failed": failed}))


if __name__ == "__main__":
    main()

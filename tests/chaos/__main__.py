"""`python -m tests.chaos`: strikes at seeded moments, and the table of what they did."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.chaos import shared
from tests.chaos.table import SUBJECTS, UnknownStrikeError, strike_all, table


def main() -> int:
    """Run the moments that the command line asks for; 1 where anything was lost or differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--moments", type=int, default=200, help="how many moments, in all")
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--only", default="", help="subjects, by comma: " + ", ".join(SUBJECTS))
    parser.add_argument(
        "--strike",
        action="append",
        default=[],
        metavar="NAME",
        help="only this one; may be repeated",
    )
    parser.add_argument(
        "--late",
        type=float,
        default=shared.LATE_S,
        help="after how many seconds an answer of a shared server is late, beside the strike",
    )
    parser.add_argument("--keep", action="store_true", help="keep the folder of the moments")
    asked = parser.parse_args()
    shared.LATE_S = asked.late
    names = [name.strip() for name in asked.only.split(",") if name.strip()] or list(SUBJECTS)
    unknown = [name for name in names if name not in SUBJECTS]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are: {', '.join(SUBJECTS)}")
    folder = Path(tempfile.mkdtemp(prefix="understudy-chaos-"))
    try:
        rows = strike_all(folder, names, asked.moments, Random(asked.seed), asked.strike)
    except UnknownStrikeError as error:
        parser.error(str(error))
    finally:
        if asked.keep:
            sys.stderr.write(f"{folder}\n")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for row in rows:
        for found in row.found:
            for line in (*found.losses, *found.differences):
                sys.stdout.write(f"{found.what}: {line}\n")
    sys.stdout.write(table(rows))
    return int(any(found.losses or found.differences for row in rows for found in row.found))


if __name__ == "__main__":
    sys.exit(main())

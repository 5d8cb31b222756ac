"""`make simulate`: the tables of the statistics page, from PAIRS simulated pairs of runs a cell."""

import os
import sys

from tests.simulations.comparisons import rows


def main() -> int:
    pairs = int(os.environ.get("PAIRS", "400"))
    for title, cells in rows(pairs):
        if title:
            sys.stdout.write(f"\n{title} ({pairs} pairs a cell)\n\n")
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

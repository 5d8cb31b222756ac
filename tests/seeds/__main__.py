"""`make seeds REFERENCES=DIR`: runs the suites of the public projects, and prints what came."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.seeds import (
    adk,
    chrome_loading,
    chrome_verdicts,
    coding,
    review_service,
    reviews,
    suites,
)
from tests.seeds.rows import Row, copied, table

PROJECTS = (
    "timfee/cep-hero",
    "Bakobiibizo/csr_service",
    "CortexPrism/cortex",
    "srtux/sre-agent",
)


def rows(references: Path, scratch: Path) -> Iterator[Row]:
    """Every comparison.

    Args:
        references: Where the projects are.
        scratch: An empty folder, for copies.

    Yields:
        One row a comparison, as soon as it is made.
    """
    chrome, review, _coding, sre = (copied(references, name, scratch) for name in PROJECTS)
    yield from suites.rows(chrome, review, sre)
    yield from chrome_loading.rows(chrome)
    yield from chrome_verdicts.rows(chrome)
    yield from coding.rows()
    yield from adk.rows(scratch)
    yield from reviews.rows(review, scratch)
    (scratch / "service").mkdir()
    whole = copied(references, PROJECTS[1], scratch / "service", whole=True)
    yield from review_service.rows(whole, scratch / "service")


def main(arguments: list[str]) -> int:
    """Print the table; 1 where something is not as expected, 2 where there is nothing to run."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stderr.write("name the folder with copies of the projects: make seeds REFERENCES=DIR\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="understudy-seeds-") as scratch:
        try:
            return table(rows(Path(arguments[0]), Path(scratch)))
        except FileNotFoundError as error:
            sys.stderr.write(f"{error}\n")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

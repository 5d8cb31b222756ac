"""Keeps how far methods agree with recordings: `python -m tests.acceptance.agreement FILE`.

The file is what `understudy verify REFERENCES --json` printed; `understudy apis` shows the figures.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import orjson

from mockserver import googleapi

FIGURES = Path(googleapi.__file__).parent / "facts_of_services" / "agreement" / "methods.json"
_METHOD_ID = re.compile(r"[A-Za-z]\w*(?:\.\w+)+")


def figures_of(verified: Mapping[str, Mapping[str, Mapping[str, int]]]) -> bytes:
    """The figures of the methods of Google's documents, one a line."""
    rows = []
    for name, told in sorted(verified["methods"].items()):
        if _METHOD_ID.fullmatch(name):
            figures = [told["exchanges"], told["status"], told["all_said"]]
            rows.append(f' "{name}": {figures}')
    return "\n".join(["{", ",\n".join(rows), "}", ""]).encode()


if __name__ == "__main__":
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_bytes(figures_of(orjson.loads(Path(sys.argv[1]).read_bytes())))

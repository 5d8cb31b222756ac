"""How far methods agree with recordings of live services: `make oracle REFERENCES=DIR`.

Measures a folder of recordings, and holds the figures against those that are kept, which
`understudy apis` shows. A method that was measured on as many exchanges, and agrees in fewer, is a
failure. `--keep` keeps the new figures instead.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from mockserver import googleapi

FIGURES = Path(googleapi.__file__).parent / "facts_of_services" / "agreement" / "methods.json"
_METHOD_ID = re.compile(r"[A-Za-z]\w*(?:\.\w+)+")

Figures = Mapping[str, list[int]]
"""Method to its exchanges, those whose status agrees, and those in which all is said."""


def figures_of(verified: Mapping[str, Mapping[str, Mapping[str, int]]]) -> dict[str, list[int]]:
    """The figures of the methods of Google's documents, in what `understudy verify` tells."""
    return {
        name: [told["exchanges"], told["status"], told["all_said"]]
        for name, told in sorted(verified["methods"].items())
        if _METHOD_ID.fullmatch(name)
    }


def fallen(kept: Figures, now: Figures) -> Iterator[str]:
    """Methods that agree less than they did, where both were measured on as many exchanges.

    Yields:
        A line for each.
    """
    for name, (exchanges, *before) in kept.items():
        seen, *after = now.get(name, [0, 0, 0])
        if seen == exchanges and any(one < other for one, other in zip(after, before, strict=True)):
            yield f"{name}: {after} of {seen} exchanges agree (status, all said), {before} did"


def main(arguments: list[str] | None = None) -> int:
    """Measure, and compare or keep; 1 where a method fell."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.agreement")
    parser.add_argument("recordings", type=Path, nargs="+", help="files and folders")
    parser.add_argument("--keep", action="store_true", help="keep the figures")
    asked = parser.parse_args(arguments)
    command = [sys.executable, "-P", "-m", "mockserver", "verify", *asked.recordings]
    told = subprocess.run([*command, "--json"], stdout=subprocess.PIPE, check=True).stdout
    verified = orjson.loads(told)
    total, now = verified["total"], figures_of(verified)
    sys.stdout.write(
        f"{total['exchanges']} exchanges: status agrees in {total['status']}, all is said in"
        f" {total['all_said']}; `understudy verify` tells what differs\n"
    )
    if asked.keep:
        FIGURES.parent.mkdir(exist_ok=True)
        rows = ",\n".join(f' "{name}": {figures}' for name, figures in now.items())
        FIGURES.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
        return 0
    lines = [*fallen(orjson.loads(FIGURES.read_bytes()), now)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())

"""The facts that come along, learned anew from recordings: `make facts REFERENCES=DIR`.

The facts are what `understudy learn` writes, a file for each API.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from mockserver import googleapi
from mockserver.apis.generic.learning import facts_text

FOLDER = Path(googleapi.__file__).parent / "facts_of_services"


def main(recordings: Sequence[str], folder: Path = FOLDER) -> None:
    """Learn from recordings, and write a file for each API in place of those that are there."""
    command = [sys.executable, "-P", "-m", "mockserver", "learn"]
    command += [part for each in recordings for part in ("--cassette", each)]
    with TemporaryDirectory() as suite:
        subprocess.run([*command, "--suite", suite], stdout=subprocess.DEVNULL, check=True)
        facts = orjson.loads((Path(suite) / "base" / "facts.json").read_bytes())["facts"]
    for old in folder.glob("*.json"):
        old.unlink()
    for api, known in facts.items():
        if any(known.get(part) for part in ("resources", "operations", "errors")):
            (folder / f"{api}.json").write_text(facts_text(known), encoding="utf-8")
    sys.stdout.write(f"{len(facts)} APIs; `make oracle` tells whether methods agree as they did\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Old results of the review suite's own runner, as we read them."""

import json
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from harness.cli.main import app
from harness.cli.review_output import read_results
from tests.seeds.rows import Row

_SHAKY = ("case_01", "case_04")
"""Cases of which two of three runs are in range, whatever the first of them came to."""


_DONE = frozenset({0, 1, 3, 4})
"""Exit codes of a command that read a file: 3 where a case of it ran into the time limit alone."""


def rows(project: Path, scratch: Path) -> Iterator[Row]:
    """Each file read, drawn, compared and decided anew; two shaky cases at 2 of 3."""
    files = sorted((project / "eval").rglob("*results*.json"))
    yield Row("review: old results that are read", sum(map(_is_read, files)), len(files))
    for command in (["visualize"], ["recheck"], ["compare", str(files[0])]):
        done = 0
        for file in files:
            more = ["-o", str(scratch / "charts")] if command == ["visualize"] else []
            told = CliRunner().invoke(app, [*command, str(file), *more])
            done += told.exit_code in _DONE and not told.output.startswith("Usage")
        yield Row(f"review: old results, {command[0]}", done, len(files))
    shaky = next(file for file in files if file.name == "modified_results_7b.json")
    found = {case.id: (case.passed_runs, case.valid) for case in read_results(shaky).cases}
    good = sum(found[id] == (2, 3) for id in _SHAKY)
    yield Row("review: case_01 and case_04 at 2 of 3", good, len(_SHAKY), (str(found),))


def _is_read(file: Path) -> bool:
    written = json.loads(file.read_bytes())
    return [case.id for case in read_results(file).cases] == [
        case["case_id"] for case in written["results"]
    ]

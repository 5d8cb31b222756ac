"""Options that several commands share, and the run directory that an argument names."""

from pathlib import Path
from typing import Annotated

import typer

from harness.errors import HarnessError


def split_list(text: str) -> list[str]:
    """What is between commas.

    >>> split_list("a, b,")
    ['a', 'b']
    """
    return [item for item in (part.strip() for part in text.split(",")) if item]


RunDir = Annotated[
    Path, typer.Option("--run-dir", envvar="EVAL_RUN_DIR", help="Where runs are kept.")
]
Db = Annotated[
    str,
    typer.Option(
        "--db",
        envvar="EVAL_DB",
        help="The index of runs: a file, or postgresql://user:password@host/name."
        " (default: index.db where runs are kept)",
        show_envvar=True,
    ),
]
RUNS = Path("runs")


def run_path(name: str, runs: Path) -> Path:
    """The directory of a run: a folder, or the id of one below `runs`; `latest` is the newest.

    Raises:
        HarnessError: There is no such run.
    """
    if (Path(name) / "manifest.json").is_file():
        return Path(name)
    from mockserver.model import did_you_mean

    manifests = sorted(runs.glob("*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
    known = [path.parent.name for path in manifests]
    if name == "latest" and known:
        return runs / known[-1]
    if name in known:
        return runs / name
    raise HarnessError(f"no run {name!r} in {str(runs)!r}", hint=did_you_mean(name, known))

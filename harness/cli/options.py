"""Options that several commands share, and the run directory that an argument names."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.runner import TrialName


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
ReportAsJson = Annotated[
    bool,
    typer.Option("--json", help="Print report.json, and nothing else, on standard output."),
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


def trial_named(text: str, runs: Path) -> "TrialName":
    """The trial that an argument names: `CASE`, `RUN/CASE`, `RUN/CASE/NUMBER`, or a record's file.

    A run is a folder, or an id below `runs`; without one the newest is meant.

    Raises:
        HarnessError: There is no such run.
    """
    from harness.runner import TrialName

    path = Path(text)
    if path.suffix == ".json" and path.is_file() and path.stem.isdigit():
        return TrialName(path.parents[2], path.parent.name, int(path.stem))
    parts = text.rstrip("/").split("/")
    number = int(parts.pop()) if len(parts) > 1 and parts[-1].isdigit() else None
    run, case = "/".join(parts[:-1]), parts[-1]
    return TrialName(run_path(run or "latest", runs), case, number)

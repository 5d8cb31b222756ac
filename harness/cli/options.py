"""Options that several commands share, and the run directory that an argument names."""

import re
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


_ONE_SLASH = re.compile(r"[a-z0-9+.-]{2,}:/(?!/)")


def runs_directory(text: str | Path) -> Path:
    """The directory of runs that an option names: a folder, or the mirror of a store.

    Raises:
        HarnessError: It is a URL that makes no sense.
    """
    from harness.storage import is_store_url, open_mirror

    if _ONE_SLASH.match(str(text)):
        raise HarnessError(
            f"{str(text)!r} is neither a folder nor the URL of a store", hint="s3://bucket/runs"
        )
    return open_mirror(str(text)) if is_store_url(str(text)) else Path(text)


RUN_DIR_HELP = "The location of runs: a folder, or a store (s3://bucket/runs, gs://bucket/runs)."
RunDir = Annotated[
    Path,
    typer.Option(
        "--run-dir",
        envvar="EVAL_RUN_DIR",
        parser=runs_directory,
        metavar="FOLDER|URL",
        help=RUN_DIR_HELP,
    ),
]
RedactionRules = Annotated[
    Path | None, typer.Option(help="Your own redaction rules; ./redaction.yaml by default.")
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
RunName = Annotated[str, typer.Argument(help="The run: its id or folder, or latest.")]
MaxInfra = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        help="The share of infrastructure errors that a run may have and still give a verdict.",
    ),
]
Margin = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="How much lower the mean rate may be and still count as not worse."
    ),
]
AllowRemoved = Annotated[
    bool, typer.Option("--allow-removed", help="Do not fail if cases of the baseline are missing.")
]
ReportCopy = Annotated[
    Path | None, typer.Option("--json-output", help="Also write report.json to this file.")
]
ResamplingSeed = Annotated[int, typer.Option(help="The seed of the resampling.")]
RUNS = Path("runs")


def run_path(name: str, runs: Path) -> Path:
    """The directory of a run: a folder, or the id of one below `runs`; `latest` is the newest.

    The newest is one that is no fork, where runs are kept on this machine: forks are named.
    A run of a store is brought here first; its URL names it, too.

    Raises:
        HarnessError: There is no such run.
        StoreDownError: It is in a store that cannot be used.
    """
    from harness.storage import is_store_url, mirror_of, place_of
    from mockserver.model import did_you_mean

    if is_store_url(name):
        store, _, name = name.rstrip("/").rpartition("/")
        runs = runs_directory(store)
    elif (Path(name) / "manifest.json").is_file():
        return Path(name)
    mirror = mirror_of(runs)
    if mirror is not None:
        known = mirror.runs()
    else:
        manifests = sorted(runs.glob("*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
        known = [path.parent.name for path in manifests]
    wanted = name
    if name == "latest" and known:
        own = (each for each in reversed(known) if mirror is not None or not _is_fork(runs / each))
        wanted = next(own, known[-1])
    if wanted in known and (mirror is None or mirror.pull_run(wanted)):
        return runs / wanted
    place = repr(str(runs)) if mirror is None else place_of(runs)
    hint = did_you_mean(name, known) if known else "`understudy run` writes runs there"
    raise HarnessError(f"no run {name!r} in {place}", hint=hint)


def local_run(name: str, runs: Path) -> Path:
    """Where a run of a store is on its way on this machine; nothing is asked of the store.

    Raises:
        HarnessError: This machine has no such run.
    """
    from harness.storage import is_store_url
    from mockserver.model import did_you_mean

    if is_store_url(name):
        store, _, name = name.rstrip("/").rpartition("/")
        runs = runs_directory(store)
    path = Path(name) if (Path(name) / "manifest.json").is_file() else runs / name
    if not (path / "manifest.json").is_file():
        known = [each.parent.name for each in runs.glob("*/manifest.json")]
        raise HarnessError(f"this machine has no run {name!r}", hint=did_you_mean(name, known))
    return path


def _is_fork(run: Path) -> bool:
    from harness.storage import RunFolder

    try:
        return RunFolder(run).manifest().fork is not None
    except HarnessError:
        return False  # whoever reads it says what is wrong


def trial_named(text: str, runs: Path) -> "TrialName":
    """The trial that an argument names: `CASE`, `RUN/CASE`, `RUN/CASE/NUMBER`, or a record's file.

    A run is a folder, or an id below `runs`; without one the newest is meant.

    Raises:
        HarnessError: There is no such run, or the file is no record.
    """
    from harness.runner import TrialName

    path = Path(text)
    if path.suffix == ".json" and path.stem.isdigit():
        folder = path.absolute().parent
        if not path.is_file() or folder.parent.name != "trials":
            raise HarnessError(
                f"{text!r} is no record of a trial", hint="runs/RUN/trials/CASE/NUMBER.json"
            )
        return TrialName(folder.parents[1], folder.name, int(path.stem))
    parts = text.rstrip("/").split("/")
    number = int(parts.pop()) if len(parts) > 1 and parts[-1].isdigit() else None
    run, case = "/".join(parts[:-1]), parts[-1]
    return TrialName(run_path(run or "latest", runs), case, number)

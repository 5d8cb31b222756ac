"""Where a run that is named on the command line lies."""

from pathlib import Path

from harness.errors import HarnessError


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

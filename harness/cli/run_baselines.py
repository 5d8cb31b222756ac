"""What a run is held against, and whether it takes its place."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from harness.cli.options import run_path
from harness.cli.run_options import RunOptions
from harness.errors import Exit, HarnessError

if TYPE_CHECKING:
    from harness.cli.run_orders import PreparedRun
    from harness.model import RunResult
    from harness.runner import BaselineGate

_WORTHY = (Exit.OK, Exit.GATE_FAILED)


def against(options: RunOptions) -> "BaselineGate | None":
    """The baseline that the options name; None without one.

    Raises:
        HarnessError: It cannot be read, or is not there and not about to be made.
    """
    if not options.baseline:
        return None
    from harness.runner import BaselineGate, read_baseline, stored_outcomes
    from harness.statistics import Terms

    terms = Terms(
        margin=options.margin, threshold=options.threshold, allow_removed=options.allow_removed
    )
    file = _file(options)
    if file is None:
        return BaselineGate(stored_outcomes(run_path(options.baseline, options.run_dir)), terms)
    if file.is_file():
        return BaselineGate(read_baseline(file), terms)
    if options.save_baseline:
        return None
    raise HarnessError(f"no baseline at {str(file)!r}", hint="make it with --save-baseline")


def held_against(prepared: "PreparedRun", held: "BaselineGate | None") -> "PreparedRun":
    """A run that knows what it is held against, where it is topped up until that is decided.

    Raises:
        HarnessError: There is no baseline to decide it.
    """
    if not prepared.settings.until_decided:
        return prepared
    if held is None:
        hint = "--baseline RUN; give it again to resume"
        raise HarnessError("--until-decided needs a baseline", hint=hint)
    return replace(prepared, against=held)


def save_baseline(result: "RunResult", options: RunOptions, code: Exit) -> None:
    """Let a run be the baseline of later ones, when it has a verdict and no regression.

    Raises:
        HarnessError: It cannot be written.
    """
    if code not in _WORTHY or any(r.code == Exit.REGRESSION for r in result.exit_reasons):
        typer.echo("the baseline stays as it was: this run regressed or has no verdict", err=True)
        return
    file = _file(options)
    if file is not None:
        from harness.runner import write_baseline

        write_baseline(file, result)
        typer.echo(f"baseline saved in {file}")
        return
    from harness.cli.running import time_of_day
    from harness.runner import timestamp
    from harness.storage import promote

    set_at = timestamp(time_of_day())
    made = promote(options.run_dir, Path(result.folder), set_at=set_at, note=options.note)
    typer.echo(f"run {made.run} is the baseline of {made.suite}")


def _file(options: RunOptions) -> Path | None:
    """The file that --baseline names, where it names one and no run."""
    return Path(options.baseline) if options.baseline.endswith(".json") else None

"""Options of `harness run`: how trials are run and kept."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from harness.cli.options.option import option

_PANEL = "Run and reports"


@dataclass(frozen=True, kw_only=True)
class TrialOptions:
    """How trials are run and kept."""

    trials: Annotated[
        int | None,
        option(
            "--trials", "-n", panel=_PANEL, help="Trials for each case. (default: each case's own)"
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        option(
            "--concurrency",
            "-j",
            panel=_PANEL,
            help="Trials at a time. (default: 4; 1 for suites of coding tasks)",
            min=1,
        ),
    ] = None
    serial: Annotated[
        bool, option("--serial", panel=_PANEL, env="EVAL_SERIAL", help="One trial at a time.")
    ] = False
    timeout: Annotated[
        float,
        option("--timeout", panel=_PANEL, env="EVAL_TIMEOUT", help="Seconds an agent may take."),
    ] = 180.0
    retries: Annotated[
        int,
        option(
            "--retries",
            panel=_PANEL,
            help="Further attempts after a transport error or 429, 502, 503, 504.",
            min=0,
        ),
    ] = 2
    policy: Annotated[
        str,
        option(
            "--policy",
            panel=_PANEL,
            help="When a case passes: all, majority, a share, or pass_hat:K:MIN.",
        ),
    ] = "all"
    max_infra: Annotated[
        float,
        option(
            "--max-infra",
            panel=_PANEL,
            help="Share of infrastructure errors a run may bear.",
            min=0,
            max=1,
        ),
    ] = 0.05
    run_dir: Annotated[
        Path, option("--run-dir", panel=_PANEL, env="EVAL_RUN_DIR", help="Where runs are kept.")
    ] = Path("runs")
    resume: Annotated[
        str, option("--resume", panel=_PANEL, help="Finish an earlier run: its id or its folder.")
    ] = ""
    note: Annotated[str, option("--note", panel=_PANEL, help="Why this run is made.")] = ""
    report: Annotated[
        str,
        option(
            "--report",
            panel=_PANEL,
            env="EVAL_REPORT",
            help="Further reports: html, csv, charts, github (annotations and the step's summary);"
            " by comma.",
        ),
    ] = ""
    json_output: Annotated[
        Path | None, option("--json-output", panel=_PANEL, help="A further copy of report.json.")
    ] = None
    verbose: Annotated[
        bool,
        option("--verbose", "-v", panel=_PANEL, env="EVAL_VERBOSE", help="A line for each trial."),
    ] = False

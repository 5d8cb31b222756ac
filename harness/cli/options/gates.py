"""Options of `harness run`: what the run is held against."""

from dataclasses import dataclass
from typing import Annotated

from harness.cli.options.option import option

_PANEL = "Comparison with a baseline"


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """What the run is held against."""

    baseline: Annotated[
        str,
        option(
            "--baseline",
            panel=_PANEL,
            env="EVAL_BASELINE",
            help="Hold the run against an earlier one, by its id or folder, or against a FILE.json"
            " of --save-baseline; exit code 4 for a regression.",
        ),
    ] = ""
    save_baseline: Annotated[
        bool,
        option(
            "--save-baseline",
            panel=_PANEL,
            help="Make this run the baseline: in the FILE.json that --baseline names, or of its"
            " suite. Not if it regressed or has no verdict.",
        ),
    ] = False
    margin: Annotated[
        float,
        option(
            "--margin",
            panel=_PANEL,
            help="How much lower the mean rate may be and still count as not worse.",
            min=0,
            max=1,
        ),
    ] = 0.05
    threshold: Annotated[
        float | None,
        option(
            "--threshold",
            panel=_PANEL,
            help="Also fail for any case whose rate fell by more than this. With few trials this"
            " alarms nearly always, also where nothing got worse.",
            min=0,
            max=1,
        ),
    ] = None
    until_decided: Annotated[
        bool,
        option(
            "--until-decided",
            panel=_PANEL,
            help="With --baseline: 3 trials a case, then 6, then 12 while nothing is decided;"
            " each look takes a third of alpha.",
        ),
    ] = False
    min_stability: Annotated[
        float | None,
        option(
            "--min-stability",
            panel=_PANEL,
            help="Fail for any case whose reviews are less alike than this, in spans or in"
            " severities.",
            min=0.01,
            max=1,
        ),
    ] = None
    allow_removed: Annotated[
        bool,
        option(
            "--allow-removed",
            panel=_PANEL,
            help="Do not fail for cases of the baseline that the run does not have.",
        ),
    ] = False

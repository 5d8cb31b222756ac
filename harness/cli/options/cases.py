"""Options of `harness run`: which cases."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options.option import option

_PANEL = "Cases"


@dataclass(frozen=True, kw_only=True)
class CaseOptions:
    """Which cases."""

    suite: Annotated[
        Path | None,
        typer.Argument(help="A suite: a folder or a file. With --resume it is known already."),
    ] = None
    cases: Annotated[
        Path | None,
        option(
            "--cases",
            "--suite",
            panel=_PANEL,
            help="The suite, in the place of the argument. (default: eval/cases, if it is there)",
        ),
    ] = None
    ids: Annotated[
        str, option("--ids", panel=_PANEL, env="EVAL_IDS", help="Case ids, comma-separated.")
    ] = ""
    category: Annotated[
        str, option("--category", panel=_PANEL, env="EVAL_CATEGORY", help="Categories.")
    ] = ""
    tags: Annotated[
        str, option("--tags", panel=_PANEL, env="EVAL_TAGS", help="Tags; one of them suffices.")
    ] = ""
    var: Annotated[
        list[str] | None,
        option(
            "--var",
            panel=_PANEL,
            help="NAME=VALUE for {{NAME}} in the cases' texts; repeatable.",
        ),
    ] = None
    limit: Annotated[
        int | None,
        option("--limit", panel=_PANEL, env="EVAL_LIMIT", help="At most so many cases."),
    ] = None
    shard: Annotated[
        str,
        option(
            "--shard",
            panel=_PANEL,
            env="EVAL_SHARD",
            help="i/n: every n-th of the selected cases, from the i-th. Put the runs together with"
            " `harness merge`.",
        ),
    ] = ""
    keep_going: Annotated[
        bool,
        option(
            "--keep-going/--all-or-nothing",
            panel=_PANEL,
            help="What is run of a suite with invalid cases, overrides or snapshots: all others"
            " (the exit code is 2 in the end), or nothing.",
        ),
    ] = True
    allow_empty: Annotated[
        bool,
        option(
            "--allow-empty",
            panel=_PANEL,
            help="A selection without any case is no mistake: nothing is run, the exit code is 0.",
        ),
    ] = False

"""Options of the commands that read and write what is kept of runs."""

from pathlib import Path
from typing import Annotated

import typer

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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

RUNS = Path("runs")

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
    ids: Annotated[
        str, option("--ids", panel=_PANEL, env="EVAL_IDS", help="Case ids, comma-separated.")
    ] = ""
    category: Annotated[
        str, option("--category", panel=_PANEL, env="EVAL_CATEGORY", help="Categories.")
    ] = ""
    tags: Annotated[
        str, option("--tags", panel=_PANEL, env="EVAL_TAGS", help="Tags; one of them suffices.")
    ] = ""
    limit: Annotated[
        int | None,
        option("--limit", panel=_PANEL, env="EVAL_LIMIT", help="At most so many cases."),
    ] = None

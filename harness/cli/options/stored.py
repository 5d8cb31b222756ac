"""Options of `harness run`: where it is indexed."""

from dataclasses import dataclass
from typing import Annotated

from harness.cli.options.option import option


@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """Where the run is indexed."""

    db: Annotated[
        str,
        option(
            "--db",
            panel="Run and reports",
            env="EVAL_DB",
            help="Also index the run at its end: a file, or postgresql://user:password@host/name."
            " A database that is down does not stop it.",
        ),
    ] = ""

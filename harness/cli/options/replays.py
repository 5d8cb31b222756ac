"""Options of `harness run`: what is replayed, and how strictly."""

from dataclasses import dataclass
from typing import Annotated

from harness.cli.options.option import option

_PANEL = "Mocked world"


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """What is replayed, and how strictly."""

    replay: Annotated[
        bool,
        option(
            "--replay",
            panel=_PANEL,
            env="EVAL_REPLAY",
            help="Cassettes and snapshots only, clocks standing still, recorded streams without"
            " waiting: two runs give the same reports but for durations.",
        ),
    ] = False
    strict: Annotated[
        bool,
        option(
            "--strict",
            panel=_PANEL,
            env="EVAL_STRICT",
            help="Fail for calls that no recording answers, and for recordings that nobody asked"
            " for.",
        ),
    ] = False

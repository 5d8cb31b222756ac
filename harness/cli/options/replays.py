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
            help="Fail for calls that no recording answers, for recordings that nobody asked for or"
            " that may not fit, and for live addresses that the agent tried.",
        ),
    ] = False
    barriers: Annotated[
        str | None,
        option(
            "--barriers",
            panel=_PANEL,
            help="What a read gets that was recorded after a write that the agent has not made:"
            " warn (the recording and a warning, the default), strict (a miss, as with --strict),"
            " or off.",
        ),
    ] = None
    match: Annotated[
        str,
        option(
            "--match",
            panel=_PANEL,
            help="The parts of a request that must be equal to a recording's, of"
            " method,host,path,query,headers,body; as the cassettes say by default.",
        ),
    ] = ""

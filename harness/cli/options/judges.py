"""Options of `harness run`: who judges replies."""

from dataclasses import dataclass
from typing import Annotated

from harness.cli.options.option import option

_PANEL = "Judge"


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """Who judges replies."""

    judge: Annotated[
        str,
        option(
            "--judge",
            panel=_PANEL,
            env="EVAL_JUDGE",
            help="The model that answers `judge` expectations: openai:MODEL, anthropic:MODEL or"
            " google:MODEL; keys and endpoints as the providers' variables name them.",
        ),
    ] = ""
    judge_timeout: Annotated[
        float,
        option("--judge-timeout", panel=_PANEL, help="Seconds that one opinion may take.", min=1),
    ] = 60.0

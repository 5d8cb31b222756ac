"""Ways to be a worse SRE agent, each in one place; a good evaluation tells them apart."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.demo.flaw_names import flaws_of


@dataclass(frozen=True)
class SreFlaws:
    """Which flaws an agent has.

    Attributes:
        skips_tool: Asks no metrics, and goes on as if there were none.
        wrong_tool: Searches logs where traces, reported errors or alerts would tell.
        no_numbers: Leaves every number out of its answers.
        crashes: Breaks down over every question on metrics.
    """

    skips_tool: bool = False
    wrong_tool: bool = False
    no_numbers: bool = False
    crashes: bool = False


NO_FLAWS = SreFlaws()

FLAWS: Mapping[str, SreFlaws] = {
    "skips-tool": SreFlaws(skips_tool=True),
    "wrong-tool": SreFlaws(wrong_tool=True),
    "no-numbers": SreFlaws(no_numbers=True),
    "crashes": SreFlaws(crashes=True),
}


def sre_flaws(name: str) -> SreFlaws:
    """The flaws that a name stands for; an empty name stands for none.

    Raises:
        ValueError: No flaw has that name.
    """
    return flaws_of(name, FLAWS, NO_FLAWS)

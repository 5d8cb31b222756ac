"""Ways to be a worse coding agent, each in one place."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.demo.flaw_names import flaws_of


@dataclass(frozen=True)
class CodingFlaws:
    """Which flaws the agent has.

    Attributes:
        forgets_file: Says that it wrote files without writing them.
        wrong_exit: Exits with a failure after success, and with success after a failure.
        skips_tool: Runs no command, and goes on as if it had.
        too_many_rounds: Looks at its folder again and again before each step.
        never_ends: Works for ever, and does not stop when it is told to.
    """

    forgets_file: bool = False
    wrong_exit: bool = False
    skips_tool: bool = False
    too_many_rounds: bool = False
    never_ends: bool = False


NO_FLAWS = CodingFlaws()

FLAWS: Mapping[str, CodingFlaws] = {
    "forgets-file": CodingFlaws(forgets_file=True),
    "wrong-exit": CodingFlaws(wrong_exit=True),
    "skips-tool": CodingFlaws(skips_tool=True),
    "too-many-rounds": CodingFlaws(too_many_rounds=True),
    "never-ends": CodingFlaws(never_ends=True),
}


def coding_flaws(name: str) -> CodingFlaws:
    """The flaws that a name stands for; an empty name stands for none.

    Raises:
        ValueError: No flaw has that name.
    """
    return flaws_of(name, FLAWS, NO_FLAWS)

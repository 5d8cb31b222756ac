"""What the mode of a case means.

deterministic  facts decide (the default)
rubric         needs a rubric
multi-turn     needs at least two turns (the default for several turns)
how-to         a question about how to do something: the agent must not do it, so nothing on the
               server may change
reference      the reply must be like a reference text; without one, lint warns
comparison     weighs things against each other: needs at least two required markers or phrases,
               the things that are compared
"""

from collections.abc import Sequence

from harness.model import (
    Case,
    Evidence,
    Expectation,
    Mode,
    Rubric,
    ServerState,
    TextContains,
)


def mode_of(written: Mode | None, turns: int) -> Mode:
    """The mode of a case that may not name one."""
    return written or ("multi-turn" if turns > 1 else "deterministic")


def implied(mode: Mode) -> tuple[Expectation, ...]:
    """What every case of a mode expects."""
    return (ServerState(unchanged=("*",)),) if mode == "how-to" else ()


def contradiction(case: Case) -> str:
    """Why a case cannot be of its mode, or an empty string."""
    match case.mode:
        case "rubric" if not any(
            isinstance(item, Rubric) and item.required for item in case.expect
        ):
            return "mode 'rubric' needs a rubric"
        case "multi-turn" if len(case.turns) < 2:
            return "mode 'multi-turn' needs at least two turns"
        case "comparison" if _compared(case.expect) < 2:
            return "mode 'comparison' needs at least two required markers: what is compared"
        case _:
            return ""


def _compared(expect: Sequence[Expectation]) -> int:
    found: set[str] = set()
    for item in expect:
        if isinstance(item, Evidence):
            found |= set(item.markers)
        elif isinstance(item, TextContains) and item.match == "all":
            found |= set(item.needles)
    return len(found)

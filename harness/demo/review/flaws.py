"""Ways to be a worse reviewer, each in one place; a good evaluation tells them apart."""

from collections.abc import Mapping
from dataclasses import dataclass

from harness.demo.flaw_names import flaws_of


@dataclass(frozen=True)
class ReviewFlaws:
    """Which flaws a reviewer has.

    Attributes:
        misses_rule: Does not know the rule on acronyms.
        wrong_status: Answers what it refuses with 200 and an empty review.
        unstable_span: Marks other words each time it is asked.
        bad_schema: Uses a severity that its answers do not have.
        always_empty: Finds nothing, as one does whose model is not there.
    """

    misses_rule: bool = False
    wrong_status: bool = False
    unstable_span: bool = False
    bad_schema: bool = False
    always_empty: bool = False


NO_FLAWS = ReviewFlaws()

FLAWS: Mapping[str, ReviewFlaws] = {
    "misses-rule": ReviewFlaws(misses_rule=True),
    "wrong-status": ReviewFlaws(wrong_status=True),
    "unstable-span": ReviewFlaws(unstable_span=True),
    "bad-schema": ReviewFlaws(bad_schema=True),
    "always-empty": ReviewFlaws(always_empty=True),
}


def review_flaws(name: str) -> ReviewFlaws:
    """The flaws that a name stands for; an empty name stands for none.

    Raises:
        ValueError: No flaw has that name.
    """
    return flaws_of(name, FLAWS, NO_FLAWS)

"""Content and standards in, a review out."""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict

from harness.demo.review.flaws import NO_FLAWS, ReviewFlaws
from harness.demo.review.response import Finding, ReviewResponse
from harness.demo.review.rules import RULES, STANDARDS

_TOLD = {
    "low": ("violation",),
    "medium": ("violation", "warning"),
    "high": ("violation", "warning", "info"),
}
_MISSED = "NAV-TR-3.3.1"


class ReviewRequest(BaseModel):
    """What is asked.

    Attributes:
        content: The text.
        standards_set: The name of the standards.
        strictness: `low` tells violations, `medium` warnings too, `high` everything.
    """

    model_config = ConfigDict(extra="forbid")

    content: str
    standards_set: str
    strictness: Literal["low", "medium", "high"] = "medium"


class RefusedError(Exception):
    """A request that cannot be reviewed.

    Attributes:
        code: For programs, `EMPTY_CONTENT`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def review(
    request: ReviewRequest, flaws: ReviewFlaws = NO_FLAWS, *, number: int = 0
) -> ReviewResponse:
    """Hold a text against its standards.

    Args:
        request: The text, and what to hold it against.
        flaws: What the reviewer does badly.
        number: How many reviews there were before; only an unstable reviewer looks at it.

    Raises:
        RefusedError: There is no text, or there are no such standards.
    """
    if not request.content.strip():
        raise RefusedError("EMPTY_CONTENT", "there is nothing to review")
    if request.standards_set not in STANDARDS:
        known = ", ".join(STANDARDS)
        raise RefusedError("STANDARDS_NOT_FOUND", f"no {request.standards_set!r}; known: {known}")
    found = () if flaws.always_empty else tuple(_findings(request, flaws, number))
    return ReviewResponse(
        standards_set=request.standards_set, strictness=request.strictness, observations=found
    )


def _findings(request: ReviewRequest, flaws: ReviewFlaws, number: int) -> Iterator[Finding]:
    for reference in STANDARDS[request.standards_set]:
        if flaws.misses_rule and reference == _MISSED:
            continue
        for found in RULES[reference](request.content):
            if found.severity in _TOLD[request.strictness]:
                yield _blurred(found, request.content, number) if flaws.unstable_span else found


def _blurred(finding: Finding, content: str, number: int) -> Finding:
    """The same finding about words further on in the content."""
    words = content.split()
    return finding.model_copy(update={"span": words[number % len(words)]})

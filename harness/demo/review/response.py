"""What a review looks like."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["info", "warning", "violation"]
Text = Annotated[str, Field(min_length=1)]


class Finding(BaseModel):
    """One thing that a review found; an item of `observations`.

    Attributes:
        standard_ref: The rule, `NAV-TR-3.1.1`.
        severity: How grave it is.
        span: The words of the content that it is about.
        message: What is wrong with them.
        suggestion: What to write in their place, or an empty string.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    standard_ref: Text
    severity: Severity
    span: Text
    message: Text
    suggestion: str = ""


class ReviewResponse(BaseModel):
    """The answer to a request for a review.

    Attributes:
        standards_set: The standards that the content was held against.
        strictness: How strictly.
        observations: What was found, in the order of the content.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    standards_set: Text
    strictness: Literal["low", "medium", "high"]
    observations: tuple[Finding, ...]

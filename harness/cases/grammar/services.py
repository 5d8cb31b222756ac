"""The block about a service's answer: its status, and the observations of its review."""

from typing import Literal

from pydantic import Field, model_validator

from harness.cases.grammar.values import Needle, Needles
from harness.model import Frozen


class ObservationsBlock(Frozen):
    """What a review finds.

    Attributes:
        min: At least so many observations.
        max: At most so many.
        severities: Severities that observations must have.
        refs: Standards that observations must reference.
    """

    min: int | None = Field(default=None, ge=0)
    max: int | None = Field(default=None, ge=0)
    severities: Needles | None = None
    refs: Needles | None = None

    @model_validator(mode="after")
    def _can_fail_and_hold(self) -> "ObservationsBlock":
        if self.max is None and not (self.min or self.severities or self.refs):
            raise ValueError("no review could fail this: give 'max', or a 'min' of at least 1")
        if self.max is not None and self.max < self._least:
            raise ValueError(f"'max' is below the {self._least} that are needed")
        return self

    @property
    def _least(self) -> int:
        return max(self.min or 0, int(bool(self.severities or self.refs)))

    @property
    def counted(self) -> bool:
        """Whether it says something about how many there are."""
        return bool(self.min) or self.max is not None


class ServiceBlock(Frozen):
    """What a service answers.

    Attributes:
        status: `success` (2xx) or `client_error` (4xx).
        code: With `client_error`: a text in the body.
        observations: What its review finds.
        required: False makes the results informational.
    """

    status: Literal["success", "client_error"] | None = None
    code: Needle | None = None
    observations: ObservationsBlock | None = None
    required: bool = True

    @model_validator(mode="after")
    def _fits_together(self) -> "ServiceBlock":
        refused = self.status == "client_error"
        if self.status is None and self.observations is None:
            raise ValueError("needs 'status' or 'observations'")
        if self.code is not None and not refused:
            raise ValueError("'code' needs 'status: client_error'")
        if refused and self.observations is not None:
            raise ValueError("an error has no observations")
        return self

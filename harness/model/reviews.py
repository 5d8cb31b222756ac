"""Expectations on a service that reviews texts, and the observations that it answers with."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from harness.model.needles import AnyExpectation, Needle
from harness.model.trials import Reply
from harness.model.values import Json, JsonObject

OBSERVATIONS = "observations"
"""The field of a review that holds what it found."""


class ServiceStatus(AnyExpectation):
    """What the service answered with over HTTP.

    Attributes:
        family: `success` is 2xx, `client_error` is 4xx; a 5xx is never what was expected.
        code: With `client_error`: a text that the body of the answer holds.
    """

    kind: Literal["service_status"] = "service_status"
    family: Literal["success", "client_error"] = "success"
    code: Needle | None = None

    @model_validator(mode="after")
    def _code_of_an_error(self) -> "ServiceStatus":
        if self.code is not None and self.family == "success":
            raise ValueError("'code' needs the family 'client_error'")
        return self


class ObservationCount(AnyExpectation):
    """How many observations a review holds; each bound is usable alone.

    Attributes:
        min: At least so many, or None.
        max: At most so many, or None.
    """

    kind: Literal["observation_count"] = "observation_count"
    min: int | None = Field(default=None, ge=0)
    max: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _can_fail_and_hold(self) -> "ObservationCount":
        if not self.min and self.max is None:
            raise ValueError("no count could fail this: give a 'min' of at least 1, or a 'max'")
        if self.max is not None and (self.min or 0) > self.max:
            raise ValueError("the most are fewer than the least: no count could hold")
        return self

    @property
    def range(self) -> str:
        """The range in words.

        >>> ObservationCount(min=2, max=8).range, ObservationCount(max=3).range
        ('2-8', 'at most 3')
        """
        if self.max is None:
            return f"at least {self.min}"
        return f"at most {self.max}" if self.min is None else f"{self.min}-{self.max}"


class ObservationSeverity(AnyExpectation):
    """At least one observation has this severity."""

    kind: Literal["observation_severity"] = "observation_severity"
    severity: Needle


class ObservationRef(AnyExpectation):
    """At least one observation references this standard."""

    kind: Literal["observation_ref"] = "observation_ref"
    ref: Needle


class Observation(NamedTuple):
    """One thing that a review found.

    Attributes:
        ref: The standard it speaks of (`standard_ref`), or an empty string.
        severity: How grave it is, or an empty string.
        span: Where in the text: a quote, or a place as text.
    """

    ref: str
    severity: str
    span: str


def observations_of(reply: Reply) -> tuple[Observation, ...] | None:
    """The observations of a review, in its order; None where the reply is no review.

    What is no object among them counts and says nothing.
    """
    items = reply.data.get(OBSERVATIONS) if isinstance(reply.data, dict) else None
    return tuple(_read(items)) if isinstance(items, list) else None


def _read(items: list[Json]) -> Iterator[Observation]:
    for item in items:
        fields: JsonObject = item if isinstance(item, dict) else {}
        yield Observation(
            *(_text(fields.get(name)) for name in ("standard_ref", "severity", "span"))
        )


def _text(value: Json) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    from pydantic_core import to_json

    # a place may be an object, {"start": 3, "end": 9}; whatever depth a service nests it to
    try:
        return to_json(value, inf_nan_mode="constants").decode()
    except (ValueError, RecursionError):
        return ""

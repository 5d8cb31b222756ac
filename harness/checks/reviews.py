"""What a service answers: its HTTP status, and the observations of its review."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, NamedTuple, TypedDict

from pydantic import Field, model_validator

from harness.checks.expectation import AnyExpectation, Needle, failed, not_evaluated, verdict
from harness.checks.replies import no_reply, replies_of
from harness.checks.sections import Block, Phrase, Phrases, Section
from harness.trials.decisions import CheckResult
from harness.trials.records import Reply, TrialRecord
from harness.trials.values import Frozen, Json, JsonObject

OBSERVATIONS = "observations"
"""The field of a review that holds what it found."""


class ServiceStatus(AnyExpectation):
    """What the service answered with over HTTP.

    Attributes:
        family: `success` is 2xx, `client_error` is 4xx; a 5xx is never what was expected.
        code: With `client_error`: a text that the body of the answer holds.
    """

    kind: Literal["service_status"] = "service_status"
    failure: ClassVar[str] = "status of the service"
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
        min: At least this many, or None.
        max: At most this many, or None.
    """

    kind: Literal["observation_count"] = "observation_count"
    failure: ClassVar[str] = "number of observations"
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
    failure: ClassVar[str] = "missing severity"
    expected_numbers: ClassVar[tuple[str, ...]] = ("expected",)
    severity: Needle


class ObservationRef(AnyExpectation):
    """At least one observation references this standard."""

    kind: Literal["observation_ref"] = "observation_ref"
    failure: ClassVar[str] = "missing reference"
    expected_numbers: ClassVar[tuple[str, ...]] = ("expected",)
    ref: Needle


class ReviewFinding(Frozen):
    """An item of `observations`, held strictly; `response_model` of a case may ask for it.

    Attributes:
        standard_ref: The rule, `NAV-TR-3.1.1`.
        severity: How grave it is.
        span: The words of the content that it is about.
        message: What is wrong with them.
        suggestion: What to write in their place, or an empty string.
    """

    standard_ref: str = Field(min_length=1)
    severity: Literal["info", "warning", "violation"]
    span: str = Field(min_length=1)
    message: str = Field(min_length=1)
    suggestion: str = ""


class ReviewResponse(Frozen):
    """A review, held strictly: `response_model` of a case names it, or a model of the user's own.

    Attributes:
        standards_set: The standards that the content was held against.
        strictness: How strictly.
        observations: What was found, in the order of the content.
    """

    standards_set: str = Field(min_length=1)
    strictness: Literal["low", "medium", "high"]
    observations: tuple[ReviewFinding, ...]


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


_FAMILIES = {"success": 2, "client_error": 4}
_NO_REVIEW = "the reply is no review: it has no list of observations"
_SHOWN = 8


class StatusNumbers(TypedDict, total=False):
    """What the numbers of a result on a service's status hold; empty without an answer.

    Attributes:
        status: The HTTP status; None where the answer has none.
        code: The text that its body must hold.
        code_found: Whether it does; None where no text is asked for.
    """

    status: int | None
    code: str | None
    code_found: bool | None


class CountNumbers(TypedDict, total=False):
    """What the numbers of a result on the number of observations hold.

    Attributes:
        count: How many there are; None where the answer is no review.
        min: The least that is expected.
        max: The most that is expected.
    """

    count: int | None
    min: int | None
    max: int | None


def check_service_status(record: TrialRecord, expectation: ServiceStatus) -> CheckResult:
    """Whether the answer had a status of the family and, where asked for, its body the code.

    The numbers are `StatusNumbers`.
    """
    reply = _reply(record, expectation.turn)
    if reply is None:
        return not_evaluated(expectation, no_reply(expectation.turn))
    wanted = _FAMILIES[expectation.family]
    status, code = reply.http_status, expectation.code
    found = code is None or code in reply.text
    numbers: StatusNumbers = {
        "status": status,
        "code": code,
        "code_found": found if code else None,
    }
    if status is None:
        return failed(expectation, f"no HTTP status, expected {wanted}xx", **numbers)
    reasons = [] if status // 100 == wanted else [f"HTTP {status}, expected {wanted}xx"]
    reasons += [] if found else [f"the body does not hold {code!r}"]
    return verdict(expectation, "; ".join(reasons), **numbers)


def check_observation_count(record: TrialRecord, expectation: ObservationCount) -> CheckResult:
    """Whether the number of observations is in the range; the numbers are `CountNumbers`."""
    least, most = expectation.min, expectation.max
    reply = _reply(record, expectation.turn)
    if reply is None:
        limits: CountNumbers = {"min": least, "max": most}
        return not_evaluated(expectation, no_reply(expectation.turn), **limits)
    found = observations_of(reply)
    count = None if found is None else len(found)
    numbers: CountNumbers = {"count": count, "min": least, "max": most}
    if count is None:
        return failed(expectation, _NO_REVIEW, **numbers)
    inside = (least or 0) <= count and (most is None or count <= most)
    reason = "" if inside else f"{count} observations (expected {expectation.range})"
    return verdict(expectation, reason, **numbers)


def check_observation_severity(
    record: TrialRecord, expectation: ObservationSeverity
) -> CheckResult:
    """Whether an observation has the severity."""
    return _check_field(record, expectation, "severity", expectation.severity)


def check_observation_ref(record: TrialRecord, expectation: ObservationRef) -> CheckResult:
    """Whether an observation references the standard."""
    return _check_field(record, expectation, "ref", expectation.ref)


def _check_field(
    record: TrialRecord,
    expectation: ObservationSeverity | ObservationRef,
    field: Literal["severity", "ref"],
    wanted: str,
) -> CheckResult:
    reply = _reply(record, expectation.turn)
    if reply is None:
        return not_evaluated(expectation, no_reply(expectation.turn), expected=wanted)
    observations = observations_of(reply)
    if observations is None:
        return failed(expectation, _NO_REVIEW, expected=wanted, found=[])
    found = list(dict.fromkeys(getattr(each, field) for each in observations))
    named = ", ".join(found[:_SHOWN]) or "none"
    reason = "" if wanted in found else f"no observation with {field} {wanted}; found: {named}"
    return verdict(expectation, reason, expected=wanted, found=found[:_SHOWN])


def _reply(record: TrialRecord, turn: int | None) -> Reply | None:
    return next(iter(reversed(replies_of(record, turn))), None)


class ObservationsBlock(Block):
    """What a review finds.

    Attributes:
        min: At least this many observations.
        max: At most this many.
        severities: Severities that observations must have.
        refs: Standards that observations must reference.
    """

    min: int | None = Field(default=None, ge=0)
    max: int | None = Field(default=None, ge=0)
    severities: Phrases | None = None
    refs: Phrases | None = None

    @model_validator(mode="after")
    def _can_fail_and_hold(self) -> "ObservationsBlock":
        if self.max is None and not (self.min or self.severities or self.refs):
            raise ValueError("no review could fail this: give 'max', or a 'min' of at least 1")
        least = max(self.min or 0, int(bool(self.severities or self.refs)))
        if self.max is not None and self.max < least:
            raise ValueError(f"'max' is below the {least} that are needed")
        return self


class ServiceBlock(Block):
    """What a service answers.

    Attributes:
        status: `success` (2xx) or `client_error` (4xx).
        code: With `client_error`: a text in the body.
        observations: What its review finds.
        required: False makes the results informational.
    """

    status: Literal["success", "client_error"] | None = None
    code: Phrase | None = None
    observations: ObservationsBlock | None = None
    required: bool = True

    @model_validator(mode="after")
    def _check_combination(self) -> "ServiceBlock":
        refused = self.status == "client_error"
        if self.status is None and self.observations is None:
            raise ValueError("needs 'status' or 'observations'")
        if self.code is not None and not refused:
            raise ValueError("'code' needs 'status: client_error'")
        if refused and self.observations is not None:
            raise ValueError("an error has no observations")
        return self

    def expectations(self, turn: int | None) -> Iterator[AnyExpectation]:
        """What the block stands for, in a turn or in the whole trial.

        Yields:
            The status, the number of observations, then each severity and each standard.
        """
        shared: dict[str, Any] = {"turn": turn, "required": self.required}
        if self.status:
            yield ServiceStatus(family=self.status, code=self.code, **shared)
        if found := self.observations:
            if found.min or found.max is not None:
                yield ObservationCount(min=found.min, max=found.max, **shared)
            for severity in found.severities or ():
                yield ObservationSeverity(severity=severity, **shared)
            for ref in found.refs or ():
                yield ObservationRef(ref=ref, **shared)


def _as_block(kind: str, fields: JsonObject) -> JsonObject:
    left = dict(fields)
    if kind == "service_status":
        return {"status": left.pop("family", "success"), **left}
    required = {"required": left.pop("required")} if "required" in left else {}
    plural = {"observation_severity": "severities", "observation_ref": "refs"}.get(kind)
    return {"observations": {plural: list(left.values())} if plural else left, **required}


SERVICE = Section(
    "service",
    "What a service answers.",
    ServiceBlock,
    ServiceBlock.expectations,
    _as_block,
    joined=frozenset({"severities", "refs"}),
)

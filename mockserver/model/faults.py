"""Answers that a session is told to fail with."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from mockserver.model.values import Frozen, Json

FaultKind = Literal[
    "status", "reset", "truncate", "malformed", "slow_first_byte", "dribble", "stale_page_token",
    "expire_token", "malformed_tool_call",
]  # fmt: skip
"""How a fault shows: in the answer's status, on the wire, or in what the session remembers."""

ErrorKind = Literal[
    "invalid_request", "authentication", "permission", "not_found", "too_large", "rate_limit",
    "server_error", "overloaded", "timeout",
]  # fmt: skip

ERROR_STATUS: Mapping[str, int] = {
    "invalid_request": 400,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "too_large": 413,
    "rate_limit": 429,
    "server_error": 500,
    "overloaded": 503,
    "timeout": 504,
}
"""The kinds of errors, and their HTTP status where an API has none of its own."""

_LONGEST_MS = 600_000
_CHUNK_BYTES = 64
_CUTTING = frozenset({"reset", "truncate"})
_LONGEST_WAIT_S = 86_400
_ONCE = frozenset({"expire_token"})
_Range = Annotated[str, StringConstraints(pattern=r"^[1-9]\d{0,8}(-([1-9]\d{0,8})?)?$")]
_Number = Annotated[int, Field(ge=1)]
_Milliseconds = Annotated[float, Field(ge=0, le=_LONGEST_MS)]


class Latency(Frozen):
    """How long an answer is held back, drawn anew for each call from the session's seed.

    Attributes:
        distribution: `fixed` (always `ms`), `uniform` (from `low_ms` to `high_ms`) or `lognormal`
            (half of the calls take less than `median_ms`; `sigma` is that of the logarithm).
        ms: Milliseconds, of `fixed`.
        low_ms: Shortest, of `uniform`.
        high_ms: Longest, of `uniform`; a bound of `lognormal`.
        median_ms: Median, of `lognormal`.
        sigma: Spread, of `lognormal`; 0.5 puts one call of forty above 2.7 medians.
    """

    distribution: Literal["fixed", "uniform", "lognormal"] = "fixed"
    ms: _Milliseconds = 0
    low_ms: _Milliseconds = 0
    high_ms: _Milliseconds = _LONGEST_MS
    median_ms: _Milliseconds = 0
    sigma: float = Field(default=0.5, ge=0, le=5)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        own = _LATENCY_FIELDS[self.distribution]
        # by value, not by what was given: what is written out in full is read again
        odd = {
            name
            for name, field in type(self).model_fields.items()
            if name not in own and getattr(self, name) != field.default
        } - {"distribution"}
        if odd:
            raise ValueError(f"{self.distribution} has no {', '.join(sorted(odd))}")
        if self.high_ms < self.low_ms:
            raise ValueError("high_ms is less than low_ms")
        if self.distribution == "uniform" and self.high_ms == _LONGEST_MS:
            raise ValueError("uniform needs high_ms")
        return self


_LATENCY_FIELDS = {
    "fixed": frozenset({"ms"}),
    "uniform": frozenset({"low_ms", "high_ms"}),
    "lognormal": frozenset({"median_ms", "sigma", "high_ms"}),
}


class Rate(Frozen):
    """A token bucket, filled in session time; a call that finds it empty is refused.

    Attributes:
        per_minute: Calls that are let through in a minute, in the long run.
        burst: Calls that are let through at once, when none came for a while; `per_minute` when
            None.
        per: Whether the session has one bucket, or each of its users.
    """

    per_minute: float = Field(gt=0, le=1_000_000)
    burst: int | None = Field(default=None, ge=1)
    per: Literal["session", "user"] = "user"


class Propagation(Frozen):
    """How late a change is seen by the calls that the fault's method names.

    Attributes:
        after_s: Seconds of session time after which everybody sees it.
        reads: How many of those calls do not see it.
        collections: Collections of which it holds; all of them when empty.
    """

    after_s: float = Field(default=0, ge=0, le=86_400)
    reads: int = Field(default=0, ge=0, le=1_000_000)
    collections: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _delays(self) -> Self:
        if not (self.after_s or self.reads):
            raise ValueError("propagation needs after_s or reads")
        return self


class Fault(Frozen):
    """One fault: which calls, how, how often.

    Attributes:
        method: A method id (`reports.activities.list`, `tools.enrollBrowser`) or a glob
            (`directory.*`). `models.chat` and `models.embeddings` name the calls of every provider
            of models, `models.*` all of them.
        status: The HTTP status it answers with. None delays the call and lets it through.
        reason: The API's reason (`rateLimitExceeded`, `authError`); derived from the status when
            empty.
        message: The API's message; derived from status and reason when empty.
        times: How many calls it meets, or `always`. An `expire_token` meets one unless told
            otherwise.
        latency_ms: How long the answer is held back, in milliseconds.
        origin: Where it was written down (`errors.chromeEvents`, `faults[0]`, `control`).
        calls: Which of the calls that `method` names, counted from 1: numbers and ranges (`2`,
            `"4-6"`, `"9-"`). All of them when empty.
        kind: `status` answers with `status`; `reset` closes the connection before anything is done,
            or in the middle of the answer (`after_bytes`); `truncate` ends the answer early;
            `malformed` damages its JSON; `slow_first_byte` sends the head at once and the body
            after the latency; `dribble` sends the body in pieces with the latency between them;
            `stale_page_token` refuses a page token as one of another query; `expire_token` ends the
            session's access tokens; `malformed_tool_call` breaks the JSON of the arguments of the
            tool calls that a scripted model asks for.
        latency: A further delay that differs from call to call.
        rate: Refuses calls over a rate, with 429 unless `status` says otherwise.
        propagation: Shows calls what was there before a recent change.
        after_bytes: Bytes of the body that are sent before it is cut; half of it when None.
        chunk_bytes: Size of the pieces of `dribble`.
        error: What it answers with, by its kind in place of a status: the API's own status, type
            and text for it.
        retry_after_s: Seconds after which the caller may try again, as the API says it.
        after_events: Events of a model's stream that are sent before it is cut, or before `error`
            comes in the middle of it; a reply that is not streamed is answered with the error.
        share: The share of the calls that it meets, drawn from the session's seed; all when None.
    """

    method: str = Field(min_length=1, max_length=200)
    status: int | None = Field(default=None, ge=400, le=599)
    reason: str = ""
    message: str = ""
    times: int | Literal["always"] = "always"
    latency_ms: float = Field(default=0, ge=0, le=_LONGEST_MS)
    origin: str = ""
    calls: tuple[_Number | _Range, ...] = ()
    kind: FaultKind = "status"
    latency: Latency | None = None
    rate: Rate | None = None
    propagation: Propagation | None = None
    after_bytes: int | None = Field(default=None, ge=0)
    chunk_bytes: int = Field(default=_CHUNK_BYTES, ge=1)
    error: ErrorKind | None = None
    retry_after_s: float | None = Field(default=None, ge=0, le=_LONGEST_WAIT_S)
    after_events: int | None = Field(default=None, ge=0)
    share: float | None = Field(default=None, gt=0, le=1)

    @property
    def answers(self) -> bool:
        """Whether it answers with an error of its own."""
        return self.status is not None or self.rate is not None or self.error is not None

    @model_validator(mode="before")
    @classmethod
    def _once(cls, data: Json) -> Json:
        if isinstance(data, dict) and data.get("kind") in _ONCE and not data.get("calls"):
            return {"times": 1, **data}
        return data

    @model_validator(mode="after")
    def _check_effect(self) -> Self:
        kind = self.kind
        if (kind != "status") + (self.rate is not None) + (self.propagation is not None) > 1:
            raise ValueError("one fault has one of kind, rate and propagation")
        if self.status is not None and (kind != "status" or self.propagation is not None):
            raise ValueError("status goes with kind status, or with rate")
        if self.error is not None and (kind != "status" or self.propagation is not None):
            raise ValueError("error goes with kind status, or with rate")
        if self.error is not None and self.reason:
            raise ValueError("one fault has one of error and reason")
        if self.retry_after_s is not None and not self.answers:
            raise ValueError("retry_after_s goes with status, error or rate")
        if self.after_bytes is not None and kind not in _CUTTING:
            raise ValueError("after_bytes goes with kind reset or truncate")
        if self.after_events is not None and not (kind in _CUTTING or self.error):
            raise ValueError("after_events goes with error, or with kind reset or truncate")
        if self.after_events is not None and self.after_bytes is not None:
            raise ValueError("one fault has one of after_bytes and after_events")
        if self.chunk_bytes != _CHUNK_BYTES and kind != "dribble":
            raise ValueError("chunk_bytes goes with kind dribble")
        if kind == "slow_first_byte" and not (self.latency_ms or self.latency):
            raise ValueError("slow_first_byte needs latency_ms or latency")
        return self


class FaultReport(Frozen):
    """What became of one fault in a session.

    Attributes:
        fault: The fault.
        met: How many calls it met.
        asked: How many calls its `method` named, met or not.
    """

    fault: Fault
    met: int
    asked: int = 0

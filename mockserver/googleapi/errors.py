"""Errors as Google's APIs say them: one error, its envelopes, and violations gathered first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mockserver.collections.refusals import (
    BrokenReferenceError,
    DuplicateKeyError,
    InvalidFieldsError,
    MissingRowError,
    NotUniqueError,
    RefusedError,
    StaleVersionError,
)
from mockserver.model import JsonObject, Miss, shortened

Dialect = Literal["one_platform", "legacy", "oauth"]

STATUS_NAMES: Mapping[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION",
    416: "OUT_OF_RANGE",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
"""HTTP status to the canonical code (AIP-193); others by their hundred."""

LEGACY_REASONS: Mapping[int, str] = {
    400: "invalid",
    401: "authError",
    403: "forbidden",
    404: "notFound",
    409: "duplicate",
    412: "conditionNotMet",
    413: "uploadTooLarge",
    429: "rateLimitExceeded",
    500: "backendError",
    501: "notImplemented",
    503: "backendError",
}
"""HTTP status to the reason that the older APIs give when nothing narrower is known."""

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_SHOWN = 400
BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"


@dataclass
class ApiError(Exception):
    """An error that an emulated API answers with.

    Attributes:
        status: HTTP status.
        message: The API's message.
        reason: The older envelope's reason (`notFound`); from the status when empty.
        domain: The older envelope's domain.
        location: The parameter or header it is about (older envelope), or an empty string.
        location_type: `parameter` or `header`, with `location`.
        code_name: Canonical code (`NOT_FOUND`); from the status when empty.
        details: `google.rpc` details.
        headers: Further response headers.
        body: The whole body, where an API says an error in a form of its own (PromQL).
        miss: Set when the call was valid and nothing in the session could answer, or was not
            emulated.
    """

    status: int
    message: str
    reason: str = ""
    domain: str = "global"
    location: str = ""
    location_type: str = ""
    code_name: str = ""
    details: Sequence[JsonObject] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: JsonObject | None = None
    miss: Miss | None = None

    def __post_init__(self) -> None:
        super().__init__(self.message)


def envelope(error: ApiError, dialect: Dialect) -> JsonObject:
    """The JSON body of an error in an API's own dialect."""
    if error.body is not None:
        return error.body
    if dialect == "oauth":
        return {"error": error.reason or "invalid_request", "error_description": error.message}
    body: JsonObject = {"code": error.status, "message": error.message}
    if dialect == "legacy":
        item = {
            "message": error.message,
            "domain": error.domain,
            "reason": error.reason or LEGACY_REASONS.get(error.status, "badRequest"),
        }
        if error.location:
            item |= {"location": error.location, "locationType": error.location_type or "parameter"}
        body["errors"] = [item]
        if error.code_name:
            body["status"] = error.code_name
    else:
        body["status"] = error.code_name or code_name(error.status)
    if error.details:
        body["details"] = list(error.details)
    return {"error": body}


def code_name(status: int) -> str:
    """The canonical code for an HTTP status.

    >>> code_name(404), code_name(418), code_name(502)
    ('NOT_FOUND', 'INVALID_ARGUMENT', 'INTERNAL')
    """
    return STATUS_NAMES.get(status) or ("INTERNAL" if status >= 500 else "INVALID_ARGUMENT")


def invalid(message: str, *, location: str = "", reason: str = "invalid") -> ApiError:
    """400: the request says something that cannot be."""
    return ApiError(400, message, reason=reason, location=location)


def bad_fields(violations: Sequence[tuple[str, str]]) -> ApiError:
    """400 of the newer APIs: a `fieldViolations` entry for each `(field, description)`."""
    return ApiError(
        400,
        "\n".join(text for _, text in violations),
        reason="badRequest",
        details=(
            {
                "@type": BAD_REQUEST,
                "fieldViolations": [
                    {"field": name, "description": text} if name else {"description": text}
                    for name, text in violations
                ],
            },
        ),
    )


@dataclass
class PageAnswer(ApiError):  # noqa: N818  (a page is no error, it only goes the same way)
    """An answer for people, in place of JSON: a page, or where to go on (`Location`).

    Attributes:
        html: The page.
    """

    html: str = ""


MISSING = "Requested entity was not found."


def not_found(message: str = MISSING, *, nearest: str = "", name: str = "") -> ApiError:
    """404: a valid name of nothing in the session; `nearest` is what it holds instead."""
    reason = f"no {name!r} in this session" if name else message
    miss = Miss(blame="fixture_gap", reason=reason, nearest=nearest)
    return ApiError(404, message, reason="notFound", miss=miss)


def duplicate(message: str = "Entity already exists.") -> ApiError:
    """409: something of that name is there."""
    return ApiError(409, message, reason="duplicate")


def forbidden(message: str = "Not Authorized to access this resource/api") -> ApiError:
    """403 of the older APIs."""
    return ApiError(403, message, reason="forbidden")


def permission_denied(message: str = "The caller does not have permission") -> ApiError:
    """403 of the newer APIs."""
    return ApiError(403, message, reason="forbidden", code_name="PERMISSION_DENIED")


def precondition(message: str, *, reason: str = "conditionNotMet") -> ApiError:
    """412: a condition of the resource's state is not met."""
    return ApiError(412, message, reason=reason)


def failed_precondition(message: str) -> ApiError:
    """400 `FAILED_PRECONDITION`: the state of the resource does not allow the change."""
    return ApiError(400, message, reason="failedPrecondition", code_name="FAILED_PRECONDITION")


def worded(refused: RefusedError) -> ApiError:
    """What a collection does not allow, as the older APIs say it."""
    match refused:
        case MissingRowError(key=key, nearest=near):
            return not_found(name=key, nearest=near)
        case DuplicateKeyError() | NotUniqueError():
            return duplicate("Requested entity already exists")
        case StaleVersionError():
            return precondition("Precondition Failed")
        case BrokenReferenceError(broken=broken):
            return invalid("Invalid Value", location=broken[0][0].field)
        case InvalidFieldsError(problems=problems):
            return invalid(problems[0][1], location=problems[0][0].removeprefix("/"))
        case _:
            return failed_precondition(f"{refused}.")


def not_emulated(method_id: str) -> ApiError:
    """501: a method that the API has and this server does not emulate."""
    text = f"{method_id} is a method of this API that the mock server does not emulate."
    return _not_served(method_id, text, "METHOD_NOT_EMULATED")


def not_installed(method_id: str, why: str) -> ApiError:
    """501: what this call takes is in an extra that is not installed on the server.

    Args:
        method_id: The method.
        why: What is missing, and how to install it.
    """
    return _not_served(method_id, f"{method_id} is not answered: {why}.", "EXTRA_NOT_INSTALLED")


def _not_served(method_id: str, text: str, reason: str) -> ApiError:
    return ApiError(
        501,
        text,
        reason="notImplemented",
        code_name="UNIMPLEMENTED",
        details=(
            {
                "@type": ERROR_INFO,
                "reason": reason,
                "domain": "understudy",
                "metadata": {"method": method_id},
            },
        ),
        miss=Miss(blame="not_emulated", reason=text),
    )


def not_honoured(method_id: str, why: str, fixture: str) -> ApiError:
    """501: a parameter selects in a way that is not emulated; rows without it would be too many.

    Args:
        method_id: The method.
        why: What is not emulated, as the end of a sentence.
        fixture: JSON of a snapshot that would answer the call; shown whole in the details.
    """
    shown = fixture if len(fixture) <= _SHOWN else "see the details of this error"
    return ApiError(
        501,
        f"{method_id} is answered from the session's state, but {why}. "
        f"A fixture that would: {shown}",
        reason="notImplemented",
        code_name="UNIMPLEMENTED",
        details=(
            {
                "@type": ERROR_INFO,
                "reason": "NOT_HONOURED",
                "domain": "understudy",
                "metadata": {"method": method_id, "fixture": fixture},
            },
        ),
        miss=Miss(blame="fixture_gap", reason=f"{method_id}: {why}"),
    )


_MOST_VIOLATIONS = 100
"""How many violations an error lists."""

_PAYLOAD = "Invalid JSON payload received."


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong.

    Attributes:
        field: Path in proto names, or an empty string for the message itself.
        text: Google's words.
        reason: The older envelope's reason.
        parameter: Name of the parameter as documented, or an empty string for a body field.
    """

    field: str
    text: str
    reason: str = "invalid"
    parameter: str = ""


def unknown_name(name: str, path: str, why: str) -> Violation:
    """A name the message does not have, or not in that way.

    >>> print(unknown_name("target", "policy_target_key", "Cannot find field.").text)
    Invalid JSON payload received. Unknown name "target" at 'policy_target_key': Cannot find field.
    """
    name, path = shortened(name), shortened(path)
    place = f" at '{path}'" if path else ""
    return Violation(path, f'{_PAYLOAD} Unknown name "{name}"{place}: {why}')


def too_deep(key: str) -> Violation:
    """A body whose value at `key` is nested more deeply than is read."""
    return Violation(
        "", f"Message too deep. Max recursion depth reached for key '{shortened(key)}'"
    )


def unknown_parameter(name: str) -> Violation:
    """A query parameter the method does not have."""
    name = shortened(name)
    why = f"Cannot bind query parameter. Field '{name}' could not be found in request message."
    return Violation("", f'{_PAYLOAD} Unknown name "{name}": {why}', parameter=name)


def bad_request(violations: Sequence[Violation], dialect: Dialect) -> ApiError:
    """The 400 that says them all, one a line.

    There is a `fieldViolations` entry for each, except for the older APIs' own complaints about a
    parameter (range, pattern, missing), which only name its location.
    """
    first, more = violations[0], len(violations) - _MOST_VIOLATIONS
    if more > 0:
        violations = [*violations[:_MOST_VIOLATIONS], Violation("", f"And {more} more.")]
    miss = Miss(blame="agent_error", reason=first.text)
    error = bad_fields([(each.field, each.text) for each in violations])
    if dialect == "legacy" and first.reason != "invalid":
        error = invalid(error.message, location=first.parameter, reason=first.reason)
    elif dialect == "legacy":
        error.reason, error.code_name = first.reason, "INVALID_ARGUMENT"
    error.miss = miss
    return error

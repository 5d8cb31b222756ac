"""Errors as a declared API says them: in the shape that its author gives, or in a known style."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

from mockserver.collections.collection import as_text
from mockserver.collections.refusals import (
    BrokenReferenceError,
    CircularReferenceError,
    DuplicateKeyError,
    ImmutableFieldError,
    InvalidFieldsError,
    KeysUsedUpError,
    MissingKeyError,
    MissingRowError,
    NotUniqueError,
    ReferencedError,
    RefusedError,
    StaleVersionError,
)
from mockserver.declared.declaration import Errors
from mockserver.googleapi import ApiError, envelope
from mockserver.model import Json, JsonObject, Miss, shortened
from mockserver.templates import TemplateError, render_json

_USUAL: JsonObject = {"error": {"code": "{{status}}", "message": "{{message}}"}}
_REASONS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    428: "precondition_required",
    429: "rate_limited",
    500: "internal",
    503: "unavailable",
}
_TYPES = {"problem+json": "application/problem+json", "jsonapi": "application/vnd.api+json"}
_BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"


class Detail(NamedTuple):
    """One thing that is wrong with a request.

    Attributes:
        pointer: JSON pointer into the body; empty for the whole of it.
        message: What is wrong.
        param: The parameter that it is about, or an empty string.
    """

    pointer: str
    message: str
    param: str = ""

    def as_json(self) -> JsonObject:
        """What `{{details}}` holds of it."""
        place = {"param": self.param} if self.param else {"pointer": self.pointer}
        return {**place, "message": self.message}


def refusal(
    status: int,
    message: str,
    *,
    reason: str = "",
    details: Sequence[Detail] = (),
    headers: JsonObject | None = None,
    miss: Miss | None = None,
) -> ApiError:
    """An error of a declared API, which its shape will say."""
    if miss is None and status in {400, 409, 412, 415, 422, 428}:
        miss = Miss(blame="agent_error", reason=message)
    return ApiError(
        status,
        message,
        reason=reason,
        details=[each.as_json() for each in details],
        headers=headers or {},
        miss=miss,
    )


def wrong_param(name: str, problem: str, text: str = "") -> ApiError:
    """400: a parameter means nothing."""
    return refusal(400, text or f"{name} {problem}.", details=[Detail("", problem, name)])


def worded(refused: RefusedError) -> ApiError:
    """What a collection does not allow, as the error that callers get."""
    name, key = refused.collection.name, refused.collection.key
    status, text, details = 409, "", list[Detail]()
    match refused:
        case MissingRowError(key=asked):
            reason = f"no {shortened(asked)!r} in {refused.collection.table}"
            miss = Miss(blame="fixture_gap", reason=reason, nearest=refused.nearest)
            return refusal(404, f"No {name} with {key} {shortened(asked)!r}.", miss=miss)
        case InvalidFieldsError(problems=problems):
            return invalid_body([Detail(*each) for each in problems])
        case MissingKeyError():
            status, text = 422, f"The field {key} is missing."
            details = [Detail(_pointer(key), "is missing")]
        case KeysUsedUpError():
            text = f"No new {key} is left: `ids` always makes the same."
        case DuplicateKeyError(key=taken):
            text = f"There is a {name} {taken} already."
            details = [Detail(f"/{key}", "is taken")]
        case NotUniqueError(fields=fields):
            text = f"There is a {name} with this {' and '.join(fields)} already."
            details = [Detail(f"/{fields[0]}", "is taken")]
        case BrokenReferenceError(broken=broken):
            is_circle = isinstance(refused, CircularReferenceError)
            what = "a row below its own" if is_circle else "no {0.collection}"
            details = [
                Detail(f"/{each.field}", f"names {what.format(each)}: {shortened(as_text(value))}")
                for each, value in broken
            ]
            status, text = 422, f"{details[0].pointer[1:]} {details[0].message}."
        case ImmutableFieldError(field=field):
            status, text = 422, f"The field {field} cannot be changed."
            details = [Detail(_pointer(field), "cannot be changed")]
        case StaleVersionError():
            return _stale(refused)
        case ReferencedError(by=by, holder=holder, reference=reference):
            text = f"The {name} has {by.name} in it."
            if reference is not None:
                named = f"{by.name} {shortened(holder)} as {reference.field}"
                text = f"The {name} {shortened(refused.key)} is named by {named}."
        case _:
            text = f"{refused}."
    return refusal(status, text, details=details)


def _stale(refused: StaleVersionError) -> ApiError:
    """412 for a header that does not hold, 409 for the version that a body brings."""
    collection, condition = refused.collection, refused.condition
    if all(each.field != condition for each in collection.versions):
        text = f"The {collection.name} has changed: {condition.title()} does not hold."
        return refusal(412, text)
    text = f"The {collection.name} has changed: its {condition} is {as_text(refused.version)}."
    return refusal(409, text, details=[Detail(_pointer(condition), "is of another version")])


def _pointer(field: str) -> str:
    return f"/{field.replace('.', '/')}"


def invalid_body(details: Sequence[Detail]) -> ApiError:
    """422: the body does not fit the schema."""
    first = details[0]
    place = first.pointer[1:].replace("/", ".")
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    text = f"{place}: {first.message}{more}" if place else f"{first.message}{more}"
    return refusal(422, text, details=details)


class ErrorShape:
    """How one API says errors.

    Attributes:
        content_type: The type of the bodies.
    """

    def __init__(self, declared: Errors) -> None:
        self._declared = declared
        usual = _TYPES.get(declared.style, "application/json")
        self.content_type = (declared.content_type or usual).encode("latin-1", "replace")

    def body(self, error: ApiError, path: str) -> Json:
        """The body of an error.

        Args:
            error: The error.
            path: The path that was asked for.
        """
        style, reason = self._declared.style, self._reason(error)
        title = _title(error.status)
        details = [each for each in error.details if "@type" not in each]
        if style == "problem+json":
            told: JsonObject = {"type": "about:blank", "title": title, "status": error.status,
                                "detail": error.message, "instance": path}  # fmt: skip
            return {**told, "errors": details} if details else told
        if style == "google":
            return envelope(_of_google(error, details), "one_platform")
        if style == "jsonapi":
            return {"errors": _of_jsonapi(error, title, reason, details)}
        values = {
            "status": error.status,
            "message": error.message,
            "reason": reason,
            "title": title,
            "details": details,
            "path": path,
        }
        try:
            return render_json(
                _USUAL if self._declared.shape is None else self._declared.shape, values
            )
        except TemplateError:
            return render_json(_USUAL, values)

    def status(self, error: ApiError) -> int:
        """The status that an error is answered with."""
        return self._declared.statuses.get(error.status, error.status)

    def _reason(self, error: ApiError) -> str:
        own = self._declared.reasons.get(error.status)
        return own or error.reason or _REASONS.get(error.status, "error")


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def _of_google(error: ApiError, details: Sequence[JsonObject]) -> ApiError:
    """The error with its details in Google's form."""
    fields = [
        {
            "field": each.get("param") or str(each.get("pointer", ""))[1:].replace("/", "."),
            "description": each.get("message", ""),
        }
        for each in details
    ]
    kept = [each for each in error.details if "@type" in each]
    if fields:
        kept.append({"@type": _BAD_REQUEST, "fieldViolations": fields})
    return ApiError(error.status, error.message, code_name=error.code_name, details=kept)


def _of_jsonapi(
    error: ApiError, title: str, reason: str, details: Sequence[JsonObject]
) -> list[JsonObject]:
    told: JsonObject = {"status": str(error.status), "code": reason, "title": title}
    if not details:
        return [{**told, "detail": error.message}]
    return [
        {
            **told,
            "detail": each["message"],
            "source": {"parameter": each["param"]}
            if "param" in each
            else {"pointer": f"/data/attributes{each.get('pointer', '')}"},
        }
        for each in details
    ]

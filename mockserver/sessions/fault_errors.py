"""What a fault says: the error an API would send, completed from status and reason.

Texts follow recorded answers where there are any; the 429 follows what Google documents for service
quotas and is not verified against the live API.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mockserver.googleapi import ApiError, Dialect
from mockserver.model import ERROR_STATUS, Fault, JsonObject, Rate

ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
HELP = "type.googleapis.com/google.rpc.Help"
_NUMBER = "000000000000"
PROJECT = f"project_number:{_NUMBER}"
_ACTIVATION = f"https://console.developers.google.com/apis/api/{{host}}/overview?project={_NUMBER}"
INVALID_CREDENTIALS = (
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie "
    "or other valid authentication credential. See "
    "https://developers.google.com/identity/sign-in/web/devconsole-project."
)
INSUFFICIENT_SCOPES = "Request had insufficient authentication scopes."

Details = Callable[[str, str], tuple[JsonObject, ...]]
"""Makes the `google.rpc` details for a method id and a host."""


@dataclass(frozen=True)
class _ErrorTexts:
    """What one reason says when the fault itself says nothing."""

    message: str
    domain: str = "global"
    details: Details | None = None


def error_info(reason: str, **metadata: str) -> JsonObject:
    """A `google.rpc.ErrorInfo` of Google's own domain.

    >>> error_info("API_KEY_INVALID", service="x.googleapis.com")["domain"]
    'googleapis.com'
    """
    return {
        "@type": ERROR_INFO,
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": metadata,
    }


def _quota_details(method_id: str, host: str, rate: Rate | None = None) -> tuple[JsonObject, ...]:
    per_user = rate is None or rate.per == "user"
    return (
        error_info(
            "RATE_LIMIT_EXCEEDED",
            service=host,
            consumer=f"projects/{_NUMBER}",
            quota_metric=f"{host}/default_requests",
            quota_limit=f"DefaultRequestsPerMinutePer{'User' if per_user else 'Project'}",
            quota_limit_value=f"{rate.per_minute:g}" if rate else "2400",
            quota_location="global",
        ),
    )


def _scope_details(method_id: str, host: str) -> tuple[JsonObject, ...]:
    return (error_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", service=host, method=method_id),)


def _disabled_details(method_id: str, host: str) -> tuple[JsonObject, ...]:
    url = _ACTIVATION.format(host=host)
    return (
        {
            "@type": HELP,
            "links": [{"description": "Google developers console API activation", "url": url}],
        },
        error_info(
            "SERVICE_DISABLED",
            service=host,
            consumer=f"projects/{_NUMBER}",
            containerInfo=_NUMBER,
            activationUrl=url,
        ),
    )


def _expired_details(method_id: str, host: str) -> tuple[JsonObject, ...]:
    return (error_info("ACCESS_TOKEN_EXPIRED", service=host, method=method_id),)


_QUOTA = (
    "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute{each}' of service "
    "'{host}' for consumer '" + PROJECT + "'."
)

_BY_STATUS: Mapping[int, _ErrorTexts] = {
    400: _ErrorTexts("Request contains an invalid argument."),
    401: _ErrorTexts(INVALID_CREDENTIALS, details=_expired_details),
    403: _ErrorTexts("The caller does not have permission"),
    404: _ErrorTexts("Requested entity was not found."),
    409: _ErrorTexts("Requested entity already exists"),
    412: _ErrorTexts("Precondition check failed."),
    429: _ErrorTexts(_QUOTA, "usageLimits", _quota_details),
    500: _ErrorTexts("Internal error encountered."),
    503: _ErrorTexts("The service is currently unavailable."),
    504: _ErrorTexts("Deadline expired before operation could complete."),
}

_LEGACY: Mapping[int, _ErrorTexts] = {
    403: _ErrorTexts("Not Authorized to access this resource/api"),
    409: _ErrorTexts("Entity already exists."),
}
"""What the older APIs say otherwise."""

_BY_REASON: Mapping[str, _ErrorTexts] = {
    "forbidden": _ErrorTexts("Not Authorized to access this resource/api"),
    "quotaExceeded": _ErrorTexts("Request rate higher than configured."),
    "rateLimitExceeded": _ErrorTexts(_QUOTA, "usageLimits", _quota_details),
    "userRateLimitExceeded": _ErrorTexts("User Rate Limit Exceeded", "usageLimits", _quota_details),
    "dailyLimitExceeded": _ErrorTexts("Daily Limit Exceeded", "usageLimits"),
    "accessNotConfigured": _ErrorTexts(
        f"{{title}} has not been used in project {_NUMBER} before or it is disabled. Enable it by "
        f"visiting {_ACTIVATION} then retry.",
        "usageLimits",
        _disabled_details,
    ),
    "insufficientPermissions": _ErrorTexts(INSUFFICIENT_SCOPES, details=_scope_details),
}
"""The older APIs' reasons. The newer ones know them by the reason of their ErrorInfo."""

_ALIASES: Mapping[str, str] = {
    "RATE_LIMIT_EXCEEDED": "rateLimitExceeded",
    "SERVICE_DISABLED": "accessNotConfigured",
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT": "insufficientPermissions",
}


def fault_error(
    fault: Fault, *, method_id: str, host: str, dialect: Dialect, title: str = ""
) -> ApiError:
    """The error that a fault with a status answers with; `title` is what the API is called."""
    rate = fault.rate
    status = fault_status(fault)
    reason = _ALIASES.get(fault.reason, fault.reason)
    if rate and not reason:
        reason = "rateLimitExceeded"
    said = _BY_REASON.get(reason) or _texts_of_status(status, "" if reason else dialect)
    authorization = status == 401 and dialect == "legacy"
    return ApiError(
        status,
        fault.message or _text(said, host, title, rate),
        reason=reason,
        domain=said.domain,
        location="Authorization" if authorization else "",
        location_type="header" if authorization else "",
        details=_details(said, method_id, host, rate),
        headers={**_challenge(status, reason), **retry_after(fault.retry_after_s)},
    )


def fault_status(fault: Fault) -> int:
    """The HTTP status that a fault answers with, where its API has none of its own for it.

    >>> fault_status(Fault(method="*", error="overloaded"))
    503
    """
    if fault.error is not None:
        return fault.status or ERROR_STATUS[fault.error]
    return fault.status or (429 if fault.rate else 500)


def retry_after(seconds: float | None) -> Mapping[str, str]:
    """The header that says when to try again, if at all.

    >>> retry_after(2.0), retry_after(None)
    ({'retry-after': '2'}, {})
    """
    return {} if seconds is None else {"retry-after": f"{seconds:g}"}


def _text(texts: _ErrorTexts, host: str, title: str, rate: Rate | None) -> str:
    each = " per user" if rate is None or rate.per == "user" else ""
    return texts.message.format(host=host, title=title or host or "The API", each=each)


def _details(
    texts: _ErrorTexts, method_id: str, host: str, rate: Rate | None
) -> tuple[JsonObject, ...]:
    if texts.details is _quota_details:
        return _quota_details(method_id, host, rate)
    return texts.details(method_id, host) if texts.details else ()


def _texts_of_status(status: int, dialect: str) -> _ErrorTexts:
    older = _LEGACY.get(status) if dialect == "legacy" else None
    return older or _BY_STATUS.get(status) or _ErrorTexts(f"HTTP {status}")


def _challenge(status: int, reason: str) -> Mapping[str, str]:
    if status == 401:
        return {
            "WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'
        }
    if reason == "insufficientPermissions":
        return {
            "WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", '
            'error="insufficient_scope"'
        }
    return {}

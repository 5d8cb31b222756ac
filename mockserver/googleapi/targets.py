"""Requests that a service sends by itself, of a queue or a schedule, to the target that it is told.

What is on this machine is called; every other request is only recorded. Both are rows of the
session's notifications.
"""

from base64 import b64decode

from mockserver.googleapi.signing import make_id_token
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import (
    NOTIFICATIONS,
    World,
    fixed_digits,
    is_on_this_machine,
    issue_token,
    record_message,
    rfc3339,
)
from mockserver.state.outbox import Done

_CLOUD = "https://www.googleapis.com/auth/cloud-platform"
_HOUR_S = 3600
_NOT_SENT = 14
_CODES = {"400": 3, "401": 16, "403": 7, "404": 5, "409": 6, "429": 8, "503": 14, "504": 4}
WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


def send_to_target(
    world: World, method: str, request: JsonMapping, headers: JsonMapping, done: Done
) -> bool:
    """Send a request, or record that it is not sent.

    Args:
        world: The session's state.
        method: What sends it, `cloudtasks.dispatch`.
        request: The target as the APIs have it: `url` or `uri`, `httpMethod`, `headers`, `body`,
            `oidcToken`, `oauthToken`.
        headers: What the service adds.
        done: Called with what became of it.

    Returns:
        Whether it is on its way.
    """
    url = str(request.get("url") or request.get("uri") or "")
    sent = {str(name).lower(): str(each) for name, each in (request.get("headers") or {}).items()}
    sent = {"content-type": "application/octet-stream", **sent, **_credential(world, request, url)}
    sent |= {name.lower(): str(each) for name, each in headers.items()}
    verb = str(request.get("httpMethod") or "POST").replace("HTTP_METHOD_UNSPECIFIED", "POST")
    content = b64decode(str(request.get("body") or ""))
    told: JsonObject = {
        "method": method,
        "event": "request",
        "url": url,
        "verb": verb,
        "headers": {name: each for name, each in sent.items() if name != "authorization"},
        "body": content.decode(errors="replace"),
        "at": rfc3339(world.clock.now()),
    }
    record_message(world, NOTIFICATIONS, told, sent, done, content=content)
    return is_on_this_machine(url)


def _credential(world: World, request: JsonMapping, url: str) -> dict[str, str]:
    """The authorization of a request, of the account that its target names."""
    oidc, oauth = request.get("oidcToken"), request.get("oauthToken")
    if oidc:
        email = str(oidc.get("serviceAccountEmail") or "")
        token = make_id_token(
            audience=str(oidc.get("audience") or url),
            address=email,
            account_id=fixed_digits(email.casefold(), 21),
            issued=int(world.clock.client_now().timestamp()),
            email=True,
        )
    elif oauth:
        email = str(oauth.get("serviceAccountEmail") or "")
        scopes = (str(oauth.get("scope") or _CLOUD),)
        token = issue_token(world, email=email, scopes=scopes, lifetime_s=_HOUR_S)
    else:
        return {}
    return {"authorization": f"Bearer {token}"}


def app_engine_request(project: str, target: JsonMapping) -> JsonObject:
    """The request that a target of App Engine means; nothing of it is on this machine."""
    routing = target.get("appEngineRouting") or {}
    parts = [str(routing[name]) for name in ("instance", "version", "service") if routing.get(name)]
    host = ".".join(("-dot-".join([*parts, project]), "appspot.com"))
    return {**target, "url": f"https://{host}{target.get('relativeUri') or '/'}"}


def has_succeeded(outcome: str) -> bool:
    """Whether what became of a request is an answer that says it was done."""
    return outcome.startswith("2") and len(outcome) == 3


def status_of(outcome: str) -> JsonObject:
    """What became of a request as `google.rpc.Status`; empty for success.

    >>> status_of("404"), status_of("200")
    ({'code': 5, 'message': 'HTTP status code 404'}, {})
    """
    if has_succeeded(outcome):
        return {}
    text = f"HTTP status code {outcome}" if outcome.isdecimal() else outcome
    usual = 2 if outcome.isdecimal() else _NOT_SENT
    return {"code": _CODES.get(outcome, usual), "message": text}


def backoff_s(attempts: int, least_s: float, most_s: float, doublings: int) -> float:
    """How long after so many attempts the next one waits.

    It doubles, then grows by the same amount.

    >>> [backoff_s(number, 1, 30, 3) for number in range(1, 7)]
    [1.0, 2.0, 4.0, 8.0, 16.0, 24.0]
    """
    done = attempts - 1
    if done <= doublings:
        return min(most_s, least_s * float(2**done))
    longest = least_s * float(2**doublings)
    return min(most_s, longest * (done - doublings + 1))

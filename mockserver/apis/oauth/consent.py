"""The consent of an account, asked by a page: for a code that a program waits for, or for a device.

Programs answer for people by `prompt=none`, or by `decision=allow` or `deny` in the query.
"""

from base64 import urlsafe_b64encode
from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest
from html import escape
from urllib.parse import urlencode, urlsplit

from mockserver.apis.oauth.assertions import invalid_grant
from mockserver.apis.oauth.state import is_account, long_scopes
from mockserver.googleapi import ApiError, Call, PageAnswer
from mockserver.model import JsonObject
from mockserver.state import (
    find_grant,
    find_waiting_device,
    issue_grant,
    keep_grant,
    parse_rfc3339,
    rfc3339,
    session_email,
)

CODE_S = 600
DEVICE_S = 1800
_INTERVAL_S = 5
_NO_TARGETS = frozenset({"", "javascript", "data", "vbscript", "file", "about", "blob"})
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"

_PAGE = """<!DOCTYPE html>
<html lang=en>
  <meta charset=utf-8>
  <title>{title}</title>
  <h1>{title}</h1>
{body}
</html>
"""


def authorize(call: Call) -> JsonObject:
    """Ask for consent by a page; who consented is led back with a code, as is `prompt=none`.

    Raises:
        PageAnswer: Always: the page, the way back, or what is wrong with the request.
    """
    asked = {name: str(value) for name, value in call.params.items()}
    target = asked.get("redirect_uri", "")
    problem = _request_problem(asked, target)
    if problem:
        raise _html_page(400, "Access blocked: Authorization Error", f"Error 400: {problem}")
    decision = "allow" if asked.get("prompt") == "none" else asked.get("decision", "")
    email = asked.get("login_hint") or session_email(call.world)
    if decision == "deny" or not is_account(call.world, email):
        raise _redirect_to_client(target, {"error": "access_denied"}, asked)
    if decision != "allow":
        raise _consent_page(asked, email)
    scopes = long_scopes(tuple(asked["scope"].split()))
    kept = ("client_id", "redirect_uri", "code_challenge", "code_challenge_method", "nonce")
    row: JsonObject = {name: asked.get(name, "") for name in (*kept, "access_type")}
    code = issue_grant(call.world, "code", {**row, **_new_grant(call, email, scopes, CODE_S)})
    raise _redirect_to_client(target, {"code": code, "scope": " ".join(scopes)}, asked)


def _request_problem(query: dict[str, str], target: str) -> str:
    """What is wrong with a request for consent, or an empty string."""
    missing = [name for name in ("client_id", "redirect_uri", "scope") if not query.get(name)]
    if missing:
        return f"invalid_request. Missing required parameter: {missing[0]}"
    if query.get("response_type") != "code":
        return "unsupported_response_type. The response type must be code"
    try:
        scheme = urlsplit(target).scheme.lower()
    except ValueError:
        scheme = ""
    if scheme in _NO_TARGETS or target.startswith("urn:") or not target.isprintable():
        return "invalid_request. Invalid redirect_uri"
    if query.get("code_challenge_method", "S256") not in {"S256", "plain"}:
        return "invalid_request. Invalid code_challenge_method"
    return ""


def _new_grant(call: Call, email: str, scopes: tuple[str, ...], lifetime_s: int) -> JsonObject:
    expires = call.world.clock.now() + timedelta(seconds=lifetime_s)
    return {"email": email, "scopes": list(scopes), "expires": rfc3339(expires), "state": "new"}


def _redirect_to_client(target: str, answer: dict[str, str], request: dict[str, str]) -> PageAnswer:
    if "state" in request:
        answer = {"state": request["state"], **answer}
    url = urlsplit(target)
    query = "&".join(part for part in (url.query, urlencode(answer)) if part)
    return PageAnswer(302, "", headers={"Location": url._replace(query=query).geturl()})


def _consent_page(query: dict[str, str], email: str) -> PageAnswer:
    scopes = "".join(f"\n    <li>{escape(scope)}" for scope in query["scope"].split())
    ways = "\n".join(_decision_link(query, decision) for decision in ("allow", "deny"))
    text = (
        f"  <p>{escape(query['client_id'])} wants to act as <b>{escape(email)}</b>"
        f" of this mock server:\n  <ul>{scopes}\n  </ul>\n{ways}"
    )
    return _html_page(200, "Sign in with the mock server", text, is_html=True)


def _decision_link(request: dict[str, str], decision: str) -> str:
    query = urlencode({**request, "decision": decision})
    return f'  <p><a id={decision} href="?{escape(query)}">{decision.capitalize()}</a>'


def _html_page(status: int, title: str, text: str, *, is_html: bool = False) -> PageAnswer:
    body = text if is_html else f"  <p>{escape(text)}"
    return PageAnswer(status, "" if is_html else text, html=_PAGE.format(title=title, body=body))


def start_device(call: Call) -> JsonObject:
    """A code for a device, and the one that a person types on the page that is named.

    Raises:
        ApiError: 400 `invalid_request` without a client or scopes.
    """
    asked = {**call.params, **call.body}
    for name in ("client_id", "scope"):
        if not asked.get(name):
            raise ApiError(400, f"Required parameter is missing: {name}", reason="invalid_request")
    number = int(call.world.ids.hex("user_code", 16), 16)
    letters = "".join(_LETTERS[number // 20**place % 20] for place in range(8))
    user_code = f"{letters[:4]}-{letters[4:]}"
    scopes = long_scopes(tuple(str(asked["scope"]).split()))
    row = {"client_id": str(asked["client_id"]), "user_code": user_code, "access_type": "offline"}
    given = _new_grant(call, session_email(call.world), scopes, DEVICE_S)
    device_code = issue_grant(call.world, "device", {**row, **given})
    return {
        "device_code": device_code,
        "user_code": user_code,
        "expires_in": DEVICE_S,
        "interval": _INTERVAL_S,
        "verification_url": f"{call.base_url}/accounts.google.com/device",
    }


def device_page(call: Call) -> JsonObject:
    """The page on which a person lets a device in, by its user code.

    Raises:
        PageAnswer: Always.
    """
    user_code = str(call.params.get("user_code", "")).strip().upper()
    if not user_code:
        form = '  <form><input name=user_code placeholder="Code"> <button>Next</button></form>'
        raise _html_page(200, "Connect a device", form, is_html=True)
    found = find_waiting_device(call.world, user_code)
    if found is None:
        raise _html_page(
            404, "Connect a device", "That code did not work. Ask the device for another."
        )
    device_code, row = found
    decision = call.params.get("decision")
    if decision not in {"allow", "deny"}:
        asked = {"user_code": user_code, "client_id": row["client_id"]}
        raise _consent_page({**asked, "scope": " ".join(row["scopes"])}, row["email"])
    state = "allowed" if decision == "allow" else "denied"
    keep_grant(call.world, "device", device_code, {**row, "state": state})
    raise _html_page(200, "Connect a device", f"The device was {state}. You may close this page.")


def redeem_code(call: Call, code: str, form: dict[str, str]) -> JsonObject:
    """What an authorization code was given for; it is good for once.

    Raises:
        ApiError: 400 `invalid_grant` for a code that is unknown, used or over and for a wrong
            verifier, `redirect_uri_mismatch` for another address; 401 `unauthorized_client`.
    """
    row = find_grant(call.world, "code", code)
    if row is None:
        raise invalid_grant("Malformed auth code.")
    if row["state"] != "new" or _has_expired(call, row):
        raise invalid_grant("Bad Request")
    if form["client_id"] and form["client_id"] != row["client_id"]:
        raise ApiError(401, "Unauthorized", reason="unauthorized_client")
    if form["redirect_uri"] != row["redirect_uri"]:
        raise ApiError(400, "Bad Request", reason="redirect_uri_mismatch")
    _check_verifier(row, form["code_verifier"])
    keep_grant(call.world, "code", code, {**row, "state": "used"})
    return row


def _check_verifier(row: JsonObject, verifier: str) -> None:
    challenge = row["code_challenge"]
    if not challenge:
        return
    if not verifier:
        raise invalid_grant("Missing code verifier.")
    try:
        content = verifier.encode("ascii")
    except UnicodeEncodeError:
        raise invalid_grant("Invalid code verifier.") from None
    if row["code_challenge_method"] == "S256":
        content = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=")
    if not compare_digest(content, challenge.encode("utf-8")):
        raise invalid_grant("Invalid code verifier.")


def redeem_device(call: Call, device_code: str, client_id: str) -> JsonObject:
    """What a device was let in for; it is good for once.

    Raises:
        ApiError: 428 `authorization_pending` until somebody decided; 403 `access_denied`; 400
            `invalid_grant` for a code that is unknown or used, `expired_token`.
    """
    row = find_grant(call.world, "device", device_code)
    if row is None or row["state"] == "used" or client_id not in {"", row["client_id"]}:
        raise invalid_grant("Malformed device code.")
    if _has_expired(call, row):
        raise ApiError(400, "The device code is over; ask for another.", reason="expired_token")
    if row["state"] == "denied":
        raise ApiError(403, "Forbidden", reason="access_denied")
    if row["state"] == "new":
        raise ApiError(428, "Precondition Required", reason="authorization_pending")
    keep_grant(call.world, "device", device_code, {**row, "state": "used"})
    return row


def _has_expired(call: Call, row: JsonObject) -> bool:
    return parse_rfc3339(row["expires"]) <= call.world.clock.now()

"""Who a request's credential says is asking.

The texts of a missing credential follow recorded answers of the newer APIs; those of an invalid one
are not verified against the live API.
"""

from urllib.parse import urlsplit

from mockserver.googleapi import ANONYMOUS, ApiError, Caller, read_jwt
from mockserver.routing import Route
from mockserver.sessions.fault_errors import INSUFFICIENT_SCOPES, INVALID_CREDENTIALS, error_info
from mockserver.sessions.session import Session
from mockserver.state import (
    find_token,
    find_user,
    is_revoked,
    note_signed,
    service_account_email,
    session_of,
)

_MISSING = (
    "Request is missing required authentication credential. Expected OAuth 2 access token, login "
    "cookie or other valid authentication credential. See "
    "https://developers.google.com/identity/sign-in/web/devconsole-project."
)
_JWT = "eyJ"
_CHALLENGE = 'Bearer realm="https://accounts.google.com/"'


def caller_of(session: Session, token: str, route: Route) -> Caller:
    """The account behind a request's token; anonymous for no token and for foreign ones.

    Raises:
        ApiError: 401 when the token is one of ours but expired, unknown or of another session, or
            when the session asks for a token and there is none of its own; 403 when it asks for
            scopes and the token lacks the method's.
    """
    if not token:
        return _without_token(session, route)
    own = session.caller(token)
    if own is not None and not session.spec.scopes:
        return own
    named = session_of(token)
    if named is None:
        if route.public or session.auth == "off":
            return Caller(token=token, email=session.world.account)
        raise _invalid(route, "ACCESS_TOKEN_TYPE_UNSUPPORTED")
    if token.startswith(_JWT):
        return _self_signed(session, token, route)
    return _with_own_token(session, token, route)


def _without_token(session: Session, route: Route) -> Caller:
    if session.auth != "off" and not route.public:
        raise _missing_credential(route)
    mine = session.world.account
    return Caller(email=mine) if mine else ANONYMOUS


def _with_own_token(session: Session, token: str, route: Route) -> Caller:
    account = find_token(session.world, token) if session_of(token) == session.id else None
    if route.public:
        return _as_caller(token, account or {})
    if account is None:
        raise _invalid(route, "ACCESS_TOKEN_TYPE_UNSUPPORTED")
    if account["expired"]:
        raise _invalid(route, "ACCESS_TOKEN_EXPIRED")
    if (find_user(session.world, str(account["email"])) or {}).get("suspended"):
        raise _invalid(route, "ACCOUNT_STATE_INVALID")
    caller = _as_caller(token, account)
    if token != session.token or session.spec.scopes:
        _check_scopes(session, caller, route)
    return caller


def _self_signed(session: Session, token: str, route: Route) -> Caller:
    """The service account that signed its own token, as clients do without asking for one.

    Such a token is for one API (`aud`) or for scopes; its times are those of the client's clock.
    """
    if route.public:
        return Caller(token=token)
    world, read = session.world, read_jwt(token)
    robot = service_account_email(world)
    if read is None or not read.is_ours or read.claims.get("iss") != robot:
        raise _invalid(route, "ACCESS_TOKEN_TYPE_UNSUPPORTED")
    if is_revoked(world, robot):
        raise _invalid(route, "ACCESS_TOKEN_TYPE_UNSUPPORTED")
    ends = read.claims.get("exp")
    now = session.clock.client_now().timestamp()
    if not isinstance(ends, int | float) or ends <= now or not note_signed(world, token):
        raise _invalid(route, "ACCESS_TOKEN_EXPIRED")
    scopes = tuple(str(read.claims.get("scope") or "").split())
    audience = str(read.claims.get("aud") or "")
    if not scopes and urlsplit(audience).hostname == route.host:
        scopes = route.scopes
    caller = Caller(token=token, email=robot, scopes=scopes)
    _check_scopes(session, caller, route)
    return caller


def _as_caller(token: str, account: dict[str, object]) -> Caller:
    scopes = account.get("scopes")
    return Caller(
        token=token,
        email=str(account.get("email", "")),
        scopes=tuple(str(scope) for scope in scopes) if isinstance(scopes, list) else (),
    )


def _check_scopes(session: Session, caller: Caller, route: Route) -> None:
    if session.auth not in {"scopes", "permissions"}:
        return
    if route.scopes and not set(route.scopes) & set(caller.scopes):
        wanted = " ".join(route.scopes)
        raise ApiError(
            403,
            INSUFFICIENT_SCOPES,
            reason="insufficientPermissions",
            code_name="PERMISSION_DENIED",
            details=(
                error_info(
                    "ACCESS_TOKEN_SCOPE_INSUFFICIENT", service=route.host, method=route.method_id
                ),
            ),
            headers={
                "WWW-Authenticate": f'{_CHALLENGE}, error="insufficient_scope", scope="{wanted}"'
            },
        )


def _missing_credential(route: Route) -> ApiError:
    return ApiError(
        401,
        _MISSING,
        reason="required",
        location="Authorization",
        location_type="header",
        code_name="UNAUTHENTICATED",
        details=(_details(route, "CREDENTIALS_MISSING"),),
        headers={"WWW-Authenticate": _CHALLENGE},
    )


def _invalid(route: Route, reason: str) -> ApiError:
    return ApiError(
        401,
        INVALID_CREDENTIALS,
        reason="authError",
        location="Authorization",
        location_type="header",
        code_name="UNAUTHENTICATED",
        details=(_details(route, reason),),
        headers={"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'},
    )


def _details(route: Route, reason: str) -> dict[str, object]:
    return error_info(reason, method=route.method_id, service=route.host)

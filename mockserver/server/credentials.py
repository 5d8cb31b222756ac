"""Who a request's credential says is asking.

The texts of a missing credential follow recorded answers of the newer APIs; those of an invalid one
are not verified against the live API.
"""

from mockserver.googleapi import ANONYMOUS, ApiError, Caller
from mockserver.model import Profile
from mockserver.server.fault_errors import INSUFFICIENT_SCOPES, INVALID_CREDENTIALS, error_info
from mockserver.server.routes import Route
from mockserver.server.sessions import Session
from mockserver.state import TOKENS, find_token, first_token, session_of

_MISSING = (
    "Request is missing required authentication credential. Expected OAuth 2 access token, login "
    "cookie or other valid authentication credential. See "
    "https://developers.google.com/identity/sign-in/web/devconsole-project."
)
_CHALLENGE = 'Bearer realm="https://accounts.google.com/"'


def caller_of(session: Session, token: str, route: Route) -> Caller:
    """The account behind a request's token; anonymous for no token and for foreign ones.

    Raises:
        ApiError: 401 when the token is one of ours but expired, unknown or of another session, or
            when there is none and the profile is `strict`; 403 when it lacks the method's scopes
            and the profile is `strict`.
    """
    if token == session.token and session.world.table(TOKENS).get(token) is None:
        return session.first_caller
    if not token:
        return _without_token(session.spec.profile, route)
    if session_of(token) is None:
        return Caller(token=token)
    return _with_own_token(session, token, route)


def _without_token(profile: Profile, route: Route) -> Caller:
    if profile == "strict" and not route.public:
        raise _missing(route)
    return ANONYMOUS


def _with_own_token(session: Session, token: str, route: Route) -> Caller:
    account = find_token(session.world, token) if session_of(token) == session.id else None
    if route.public:
        return _as_caller(token, account or {})
    if account is None:
        raise _invalid(route, "ACCESS_TOKEN_TYPE_UNSUPPORTED")
    if account["expired"]:
        raise _invalid(route, "ACCESS_TOKEN_EXPIRED")
    caller = _as_caller(token, account)
    if session.spec.profile == "strict" and token != first_token(session.id):
        _check_scopes(caller, route)
    return caller


def _as_caller(token: str, account: dict[str, object]) -> Caller:
    scopes = account.get("scopes")
    return Caller(
        token=token,
        email=str(account.get("email", "")),
        scopes=tuple(str(scope) for scope in scopes) if isinstance(scopes, list) else (),
    )


def _check_scopes(caller: Caller, route: Route) -> None:
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


def _missing(route: Route) -> ApiError:
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

"""Answers to requests that reach no world: no session, a closed one, too large a body."""

from mockserver.asgi.requests import MAX_BODY_BYTES, Request
from mockserver.googleapi import ApiError, encode, envelope
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.sources.exchange import Exchange
from mockserver.sources.replies import Outgoing, Reply


def no_session(session: Session | None, route: Route, request: Request) -> tuple[Outgoing, bytes]:
    """404 for a session that never was, 410 for one that is closed; said in the API's dialect."""
    if session is not None:
        return refuse(session, route, request, session_closed(session.id))
    unknown = session_unknown(request.session, request.token)
    return Reply(404), encode(envelope(unknown, route.dialect), pretty=True)


def refuse(
    session: Session, route: Route, request: Request, error: ApiError
) -> tuple[Exchange, bytes]:
    """Answer with an error and journal it."""
    exchange = Exchange(session, route, request.client)
    exchange.source = "none"
    exchange.refuse(error)
    return exchange, exchange.finish()


def too_large() -> ApiError:
    """413: the body is over the limit."""
    return ApiError(
        413,
        f"Request payload size exceeds the limit: {MAX_BODY_BYTES} bytes.",
        reason="uploadTooLarge",
        headers={"Connection": "close"},
    )


def foreign_page() -> ApiError:
    """403: a page of another origin that bears no credential of the session it means."""
    return ApiError(
        403,
        "A page of another origin must bear an access token of the session of the mock server that "
        "it means; the server answers to names that it was started with (--allow-host).",
        reason="originNotAllowed",
        code_name="PERMISSION_DENIED",
    )


def session_closed(session_id: str) -> ApiError:
    """410: the session is over."""
    return ApiError(
        410,
        f"Session {session_id!r} of the mock server is closed.",
        reason="sessionClosed",
        code_name="FAILED_PRECONDITION",
    )


def session_unknown(session: str | None, token: str) -> ApiError:
    """404: what a caller named, or that it named nothing and there is no default."""
    if session is None and not token:
        text = (
            "The request names no session of the mock server and there is no default one. Open one "
            "with POST /_mock/sessions and use its base_url."
        )
    else:
        named = "of this token" if session is None else repr(session)
        text = f"The mock server has no session {named}. Open it with POST /_mock/sessions."
    return ApiError(404, text, reason="sessionNotFound", code_name="NOT_FOUND")

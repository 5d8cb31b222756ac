"""Signing in over HTTP: what protects a session's endpoint, and where clients find out how."""

from base64 import b64decode
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

import orjson

from mockserver.apis.mcp.signin import HANDLERS, refusal_of_token
from mockserver.apis.mcp.snapshot import settings_of
from mockserver.asgi.requests import (
    BodyTooLargeError,
    CallerGoneError,
    Receive,
    Request,
    Scope,
    Send,
    read_body,
)
from mockserver.googleapi import ApiError
from mockserver.http.responses import send_response
from mockserver.model import JsonObject
from mockserver.routing import Route
from mockserver.sources.dispatch import DecodedCall
from mockserver.sources.response import Response, header_pairs

if TYPE_CHECKING:
    from mockserver.http.application import Application
    from mockserver.sessions.session import Session

_RESOURCE = "/.well-known/oauth-protected-resource"
_SERVER = "/.well-known/oauth-authorization-server"
_OPENID = "/.well-known/openid-configuration"
_VERBS: Mapping[str, str] = {"register": "POST", "authorize": "GET", "token": "POST"}
_ROUTES = {
    name: Route(
        verb,
        "",
        f"/mcp/{name}",
        journal_path=f"/mcp/{name}",
        method_id=f"mcp.oauth.{name}",
        handler=HANDLERS[f"mcp.oauth.{name}"],
        dialect="oauth",
        confidential=True,
    )
    for name, verb in _VERBS.items()
}


class SignIn:
    """How clients of an application's sessions sign in, where their snapshots ask for it."""

    def __init__(self, application: "Application") -> None:
        self._application = application

    def refusal(self, session: "Session", request: Request) -> Response | None:
        """What a request without a good token is answered with; None where it may go on."""
        auth = settings_of(session.world).auth
        if auth is None:
            return None
        found = refusal_of_token(session.world, request.token)
        if found is None:
            return None
        status, reason = found
        self._mount_documents(session, request)
        parts = [f'resource_metadata="{_base(session, request)}{_RESOURCE}"']
        if auth.scopes:
            parts.insert(0, f'scope="{" ".join(auth.scopes)}"')
        if reason:
            parts.insert(0, f'error="{reason}"')
        told = {"error": reason or "unauthorized", "error_description": "Sign in with OAuth 2."}
        response = _json(told, status)
        response.headers += header_pairs({"WWW-Authenticate": "Bearer " + ", ".join(parts)})
        return response

    async def describe(
        self, session: "Session", request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer what the endpoints of a session are (RFC 9728, RFC 8414)."""
        auth = settings_of(session.world).auth
        if auth is None:
            response = _json({"error": "not_found", "error_description": "Nobody signs in."}, 404)
        else:
            base, scopes = _base(session, request), list(auth.scopes)
            if _RESOURCE.encode() in request.path:
                document: JsonObject = {
                    "resource": f"{base}/mcp",
                    "authorization_servers": [base],
                    "bearer_methods_supported": ["header"],
                }
            else:
                document = {
                    "issuer": base,
                    "authorization_endpoint": f"{base}/mcp/authorize",
                    "token_endpoint": f"{base}/mcp/token",
                    "response_types_supported": ["code"],
                    "grant_types_supported": ["authorization_code", "refresh_token"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": [
                        "none",
                        "client_secret_post",
                        "client_secret_basic",
                    ],
                }
                if auth.registration:
                    document["registration_endpoint"] = f"{base}/mcp/register"
            response = _json(document | ({"scopes_supported": scopes} if scopes else {}))
        await send_response(response, request, scope, receive, send)

    async def __call__(
        self, session: "Session", request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request to an endpoint, or to a document."""
        is_document = request.path.startswith(b"/.well-known/")
        found = self.describe if is_document else self.answer
        await found(session, request, scope, receive, send)

    async def answer(
        self, session: "Session", request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a registration, a consent, or a request for a token; journalled."""
        try:
            content = await read_body(request, receive) if request.has_body else b""
        except (BodyTooLargeError, CallerGoneError):
            response = _json({"error": "invalid_request"}, 413)
        else:
            response = self._answer_in_session(session, request, content)
        await send_response(response, request, scope, receive, send)

    def _answer_in_session(self, session: "Session", request: Request, content: bytes) -> Response:
        route = _ROUTES[request.path.rpartition(b"/")[2].decode()]
        if request.verb != route.verb:
            return _json(
                {"error": "invalid_request", "error_description": f"Use {route.verb}."}, 405
            )
        query = dict(parse_qsl(request.query.decode("latin-1")))
        body = _body(request, content)
        problem = None
        if body is None:
            problem = ApiError(
                400, "The body is neither a form nor JSON.", reason="invalid_request"
            )
        answers: list[JsonObject] = []

        def render(answer: JsonObject) -> tuple[str, ...]:
            answers.append(answer)
            return ()

        call = DecodedCall(query, body or {}, "", request.client, len(content), problem=problem)
        outcome = self._application.dispatcher.answer_decoded_call(session, route, call, render)
        error = outcome.error
        if error is None:
            return _json(answers[0], 201 if route.method_id.endswith("register") else 200)
        told = {"error": error.reason or "server_error", "error_description": error.message}
        response = _json(told, error.status)
        if "Location" in error.headers:
            response.body = b""
        response.headers += header_pairs(error.headers)
        return response

    def _mount_documents(self, session: "Session", request: Request) -> None:
        """Let clients find the documents at the root, too, where the path of a session follows."""
        prefix = request.in_path
        if prefix is None:
            return
        place = f"/s/{prefix}"
        for path in (f"{_RESOURCE}{place}/mcp", f"{_SERVER}{place}", f"{_OPENID}{place}"):
            if self._application.mount(path.encode(), self.describe, session.id):
                session.at_close.append(partial(self._application.unmount, path.encode()))


def _base(session: "Session", request: Request) -> str:
    """What stands before the paths of a session for this caller."""
    host = request.host.decode("latin-1")
    named = request.in_path is not None or b"/s/" in request.path
    return f"{request.scheme}://{host}" + (f"/s/{session.id}" if named else "")


def _body(request: Request, content: bytes) -> JsonObject | None:
    """The fields of a form or of a JSON object; with the client of `Authorization: Basic`."""
    if content.lstrip()[:1] == b"{":
        try:
            found = orjson.loads(content)
        except orjson.JSONDecodeError:
            return None
    else:
        try:
            found = dict(parse_qsl(content.decode("ascii"), max_num_fields=100))
        except ValueError:
            return None
    sent = request.headers.get(b"authorization", b"")
    if sent[:6].lower() == b"basic ":
        try:
            name, _, secret = b64decode(sent[6:], validate=True).decode().partition(":")
        except ValueError:
            return None
        found |= {"client_id": unquote(name), "client_secret": unquote(secret)}
    return dict(found)


def _json(content: JsonObject, status: int = 200) -> Response:
    response = Response()
    response.status, response.body = status, orjson.dumps(content)
    return response

"""Who may use the server: who names it, from no foreign page, with its token, and not too much."""

import hmac

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from harness.server.replies import problem
from harness.server.settings import MAX_BODY_BYTES, Settings
from mockserver.asgi.origins import OwnOrigins

Headers = dict[bytes, bytes]


class Guard:
    """Lets a request through, or refuses it before anything of its body is read.

    A page in a browser on this machine can reach a loopback server, under a name of its own too:
    the rules of `mockserver.asgi.origins` hold, with a token and without one.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.token.encode()
        self._own = OwnOrigins(settings.host, settings.port, settings.allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the application, or with the refusal."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        refused = self._own.refusal(scope["method"], scope["headers"])
        if refused is not None:
            return problem(refused.status, refused.message, hint=refused.hint)
        headers: Headers = dict(scope["headers"])
        if self._token and not hmac.compare_digest(_bearer(headers), self._token):
            asked = {"www-authenticate": "Bearer"}
            return problem(401, "this server asks for its token as a bearer token", headers=asked)
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            return too_long()
        return None


def too_long() -> Response:
    """The answer to a body that is too long; the rest of it is not awaited."""
    limit = f"{MAX_BODY_BYTES >> 20} MiB"
    return problem(413, f"the body is longer than {limit}", headers={"connection": "close"})


def _bearer(headers: Headers) -> bytes:
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""

"""Who may use the control API: who names this server, from no foreign page, with its token."""

import hmac
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mockserver.server.control_replies import problem
from mockserver.server.settings import Settings

Headers = dict[bytes, bytes]


class Guard:
    """Lets a request through to the control API, or refuses it with 401 or 403.

    A page in a browser on this machine can reach a loopback server under a name of its own, so the
    `Host` must be an address or a name that the server was given, and an `Origin` must be the same.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.token.encode()
        self._hosts = frozenset({"localhost", settings.host.lower(), *settings.allowed_hosts})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the control API, or with the refusal."""
        refusal = self._refusal(dict(scope["headers"]))
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get(b"host", b"").decode("latin-1")
        if not self._knows(f"//{host}"):
            return problem(403, f"the control API does not answer to the host {host!r}")
        origin = headers.get(b"origin")
        if origin is not None and not self._knows(origin.decode("latin-1")):
            return problem(403, "the control API does not answer pages of other origins")
        if self._token and not hmac.compare_digest(_bearer(headers), self._token):
            return problem(401, "the control API needs the server's token as a bearer token")
        return None

    def _knows(self, url: str) -> bool:
        try:
            name = (urlsplit(url).hostname or "").lower()
        except ValueError:
            return False
        if name in self._hosts:
            return bool(name)
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def _bearer(headers: Headers) -> bytes:
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""

"""Who may use the server: who names it, from no foreign page, with its token, and not too much."""

import hmac
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from harness.server.replies import problem
from harness.server.settings import MAX_BODY_BYTES, Settings

Headers = dict[bytes, bytes]


class Guard:
    """Lets a request through, or refuses it before anything of its body is read.

    A page in a browser on this machine can reach a loopback server under a name of its own, so the
    `Host` must be an address or a name that the server was given, and an `Origin` must be the same.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._token = settings.token.encode()
        self._hosts = frozenset({"localhost", settings.host.lower(), *settings.allowed_hosts})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the application, or with the refusal."""
        refusal = None
        if scope["type"] == "http":
            refusal = self._refusal(dict(scope["headers"]))
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get(b"host", b"").decode("latin-1")
        name = _name(f"//{host}")
        if not self._knows(name):
            return problem(403, f"this server does not answer to the host {host!r}")
        origin = headers.get(b"origin")
        if origin is not None and _name(origin.decode("latin-1")) != name:
            return problem(403, "this server does not answer pages of other origins")
        if self._token and not hmac.compare_digest(_bearer(headers), self._token):
            asked = {"www-authenticate": "Bearer"}
            return problem(401, "this server asks for its token as a bearer token", headers=asked)
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            return too_long()
        return None

    def _knows(self, name: str) -> bool:
        if name in self._hosts:
            return bool(name)
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def _name(url: str) -> str:
    """The host of a URL, or an empty string."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def too_long() -> Response:
    """The answer to a body that is too long; the rest of it is not awaited."""
    limit = f"{MAX_BODY_BYTES >> 20} MiB"
    return problem(413, f"the body is longer than {limit}", headers={"connection": "close"})


def _bearer(headers: Headers) -> bytes:
    scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""

"""Who may see the console: a browser that gave the server's token once keeps a cookie.

The cookie is no token: it is derived from it, so that what else listens on this machine, which a
browser shows the cookie too, learns nothing that the REST API would take as a bearer token from
other clients. It lives as long as the browser and the token do. `SameSite=Strict` and the rules for
origins (`mockserver.asgi.origins`) keep pages of other origins from using it.
"""

import hashlib
import hmac
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

from starlette.responses import Response

_PURPOSE = b"understudy harness console 1"


class ConsoleAccess:
    """Knows the browsers that were signed in.

    Args:
        token: The server's token; without one everybody is signed in.
        port: Of the server: browsers tell cookies apart by host, not by port.
    """

    def __init__(self, token: str, port: int) -> None:
        self._token = token.encode()
        self._name = f"understudy_harness_{port}"
        self._value = hmac.new(self._token, _PURPOSE, hashlib.sha256).hexdigest()

    @property
    def needs_token(self) -> bool:
        """Whether the server has a token at all."""
        return bool(self._token)

    def is_signed_in(self, headers: Mapping[bytes, bytes]) -> bool:
        """Whether a request bears the cookie of this server."""
        try:
            cookies = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1"))
        except CookieError:
            return False
        found = cookies.get(self._name)
        return found is not None and hmac.compare_digest(found.value.encode(), self._value.encode())

    def is_token(self, text: str) -> bool:
        """Whether a text is the server's token."""
        return hmac.compare_digest(text.strip().encode(), self._token)

    def sign_in(self, response: Response, *, secure: bool) -> None:
        """Have the browser keep the cookie.

        Args:
            response: The answer to a request that named the token.
            secure: Whether the browser reached the server over TLS.
        """
        response.set_cookie(
            self._name, self._value, path="/", httponly=True, samesite="strict", secure=secure
        )

    def sign_out(self, response: Response) -> None:
        """Have the browser forget the cookie."""
        response.delete_cookie(self._name, path="/", httponly=True, samesite="strict")


def is_open(path: str) -> bool:
    """Whether a path is answered without a token: it says nothing of suites and runs.

    >>> is_open("/sign-in"), is_open("/static/console.css"), is_open("/runs")
    (True, True, False)
    """
    return path == "/sign-in" or path.startswith("/static/")


def wants_page(method: str, path: str, headers: Mapping[bytes, bytes]) -> bool:
    """Whether a browser asks on behalf of a person, who is to be shown a page.

    >>> wants_page("GET", "/runs", {b"accept": b"text/html,*/*"})
    True
    >>> wants_page("GET", "/api/eval/runs", {b"accept": b"text/html,*/*"})
    False
    """
    reads = method in {"GET", "HEAD"} and b"text/html" in headers.get(b"accept", b"")
    return reads and not path.startswith(("/api/", "/openapi.json"))

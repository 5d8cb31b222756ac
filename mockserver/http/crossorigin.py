"""Calls from pages of other origins: what a browser asks before it sends them.

Google's APIs let every origin call them; what they answer to a preflight is not verified against
the live APIs.
"""

from mockserver.asgi.requests import Request
from mockserver.sources.replies import Reply

_ASKED = b"access-control-request-method"
_METHODS = b"DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT"
_LASTS_S = b"3600"


def is_preflight(request: Request) -> bool:
    """Whether a browser asks if it may send a request."""
    return _ASKED in request.headers and b"origin" in request.headers


def preflight(request: Request) -> Reply:
    """It may send whatever it asks for. No session is asked, so nothing is journalled."""
    wanted = request.headers.get(b"access-control-request-headers", b"")
    allowed = ((b"access-control-allow-headers", wanted),) if wanted else ()
    return Reply(
        200,
        headers=(
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-max-age", _LASTS_S),
            *allowed,
        ),
    )

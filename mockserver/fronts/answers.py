"""How a front says no over HTTP/1.1, when no application has been reached yet."""

from http import HTTPStatus

import orjson

_LONGEST_REASON = 240


def answer(status: int, reason: str) -> bytes:
    """A whole response, after which the connection is closed.

    The reason is in its status line, too: most clients show no more of an answer to CONNECT.

    Args:
        status: The HTTP status.
        reason: One sentence.
    """
    body = orjson.dumps({"error": {"message": reason}}) + b"\n"
    said = f"{HTTPStatus(status).phrase}: {reason}"[:_LONGEST_REASON]
    lines = [
        f"HTTP/1.1 {status} {' '.join(said.split())}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "X-Mock-Source: none",
        "Connection: close",
    ]
    if status == 407:
        lines.append('Proxy-Authenticate: Basic realm="session"')
    return "\r\n".join(lines).encode("ascii", "replace") + b"\r\n\r\n" + body

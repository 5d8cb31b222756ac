"""Requests to the CONNECT proxy: where one wants to go, and in whose name. Pure."""

import base64
import re
from dataclasses import dataclass
from urllib.parse import unquote

from mockserver.state import session_of

MAX_HEAD_BYTES = 16 * 1024
"""A head that is longer is refused."""

_TOKEN = re.compile(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
_NAME = re.compile(r"^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})$|^[0-9A-Fa-f:.]+$")
_ABSOLUTE = re.compile(r"^http://([^/?#]*)([^#]*)$", re.IGNORECASE)
_HOPS = frozenset(
    {"connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "upgrade"}
)
"""Headers that end at the proxy, and those that it writes anew."""


class ProxyRequestError(Exception):
    """A head that the proxy does not follow.

    Attributes:
        status: The HTTP status that says so.
        reason: One sentence.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class ProxyRequest:
    """What the proxy is asked for.

    Attributes:
        verb: The HTTP method; `CONNECT` asks for a tunnel.
        host: Where it shall go; lower case, without brackets.
        port: The port there.
        user: The session that the caller names, or None.
        origin: For anything but CONNECT: the head as the origin server is to get it.
    """

    verb: str
    host: str
    port: int
    user: str | None = None
    origin: bytes = b""

    @property
    def authority(self) -> str:
        """`host:port`."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_proxy_request(data: bytes) -> ProxyRequest:
    """Read a request's head, up to its blank line.

    Raises:
        ProxyRequestError: 400 malformed, or sent to the proxy as to a web server; 407 credentials
            that cannot be read; 505 a version that is not HTTP/1.
    """
    first, *rest = data.removesuffix(b"\r\n\r\n").decode("latin-1").split("\r\n")
    verb, target = _request_line(first)
    headers = [_header(line) for line in rest]
    user = _user(headers)
    if verb == "CONNECT":
        host, port = authority(target)
        return ProxyRequest(verb, host, port, user)
    found = _ABSOLUTE.match(target)
    if found is None:
        raise ProxyRequestError(
            400, "this is a proxy: set HTTPS_PROXY to it, or ask the server itself for a path"
        )
    netloc = found[1].rpartition("@")[2]
    host, port = authority(netloc, otherwise=80)
    path = found[2] if found[2].startswith("/") else f"/{found[2]}"
    return ProxyRequest(verb, host, port, user, _origin(verb, path, netloc, headers))


def authority(text: str, *, otherwise: int | None = None) -> tuple[str, int]:
    """Read `host:port`.

    Args:
        text: As sent.
        otherwise: The port where none is given; None asks for one.

    Raises:
        ProxyRequestError: 400: it is none.

    >>> authority("Logging.googleapis.com:443"), authority("[::1]:80")
    (('logging.googleapis.com', 443), ('::1', 80))
    """
    host, colon, port = text.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = text, "" if otherwise is None else str(otherwise)
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not _NAME.match(bare) or (":" in bare) == (bare == host):
        raise ProxyRequestError(400, f"{_shorten(text)} is no host and port")
    if not port.isascii() or not port.isdigit() or len(port) > 5 or not 0 < int(port) < 65536:
        raise ProxyRequestError(400, f"{_shorten(text)} is no host and port")
    return bare.lower().rstrip("."), int(port)


def _request_line(line: str) -> tuple[str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or not _TOKEN.match(parts[0]) or not parts[1]:
        raise ProxyRequestError(400, "the request line is not `METHOD target HTTP/1.1`")
    if parts[2] not in {"HTTP/1.1", "HTTP/1.0"}:
        raise ProxyRequestError(505, f"the proxy speaks HTTP/1.1, not {_shorten(parts[2])}")
    return parts[0], parts[1]


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _TOKEN.match(name):
        raise ProxyRequestError(400, "a header line is not `Name: value`")
    return name, value.strip(" \t")


def _user(headers: list[tuple[str, str]]) -> str | None:
    sent = [value for name, value in headers if name.lower() == "proxy-authorization"]
    if not sent:
        return None
    scheme, _, credentials = sent[0].partition(" ")
    text = _decode_credentials(credentials.strip()) if scheme.lower() == "basic" else None
    if text is None or len(sent) > 1:
        raise ProxyRequestError(407, "the proxy takes Basic credentials whose user is a session id")
    user = unquote(text.partition(":")[0])
    return session_of(user) or user or None


def _decode_credentials(credentials: str) -> str | None:
    try:
        return base64.b64decode(credentials, validate=True).decode()
    except ValueError:
        return None


def _origin(verb: str, path: str, host: str, headers: list[tuple[str, str]]) -> bytes:
    kept = [f"{name}: {value}" for name, value in headers if name.lower() not in _HOPS]
    # one request a connection: the next one may be for another host or of another session
    lines = [f"{verb} {path} HTTP/1.1", f"Host: {host}", *kept, "Connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")

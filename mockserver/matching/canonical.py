"""A request without what does not tell it from another one: order, spelling, volatile parts."""

from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

import orjson

from mockserver.matching.content import Reading, canonical_body, canonical_pairs, path_segments
from mockserver.matching.volatile import COUNTED_HEADERS, VOLATILE, Volatile
from mockserver.messages import decoded, header, split_pairs, split_url
from mockserver.model import Header, Json, RecordedRequest

Scrub = Callable[[str], str]

_DEFAULT_PORTS = {"http://": ":80", "https://": ":443"}
_ESCAPED = (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\\\", "\\"))


class Canonical(NamedTuple):
    """What counts of a request.

    Attributes:
        method: Upper case; the one that is meant where the client overrides it.
        host: Lower case, with its port unless that is the scheme's own.
        path: The segments, decoded one by one.
        query: Name to values, names in order of the alphabet, values in the order sent.
        headers: The headers that ask for something, by lower-case name.
        body: The kind of the body and its content, as JSON.
    """

    method: str
    host: str
    path: tuple[str, ...]
    query: tuple[tuple[str, tuple[str, ...]], ...]
    headers: tuple[Header, ...]
    body: tuple[str, Json]

    def text(self) -> str:
        """All of it as one text, the same for the same request."""
        content = orjson.dumps(list(self), option=orjson.OPT_SORT_KEYS).decode()
        for escaped, plain in _ESCAPED if "\\" in content else ():
            content = content.replace(escaped, plain)
        return content


def unscrubbed(text: str) -> str:
    """The text as it is."""
    return text


def canonical(
    request: RecordedRequest, *, volatile: Volatile = VOLATILE, times: bool = True
) -> Canonical:
    """What counts of a request.

    Args:
        request: As recorded, or as it would be.
        volatile: What does not count.
        times: Whether declared times count.

    >>> canonical(RecordedRequest("get", "https://H.example.com:443/a%2Fb/c?x=2&a=1")).path
    ('a/b', 'c')
    """
    url = split_url(_sound(request.url))
    host = (url.host + ("" if url.port == _DEFAULT_PORTS.get(url.scheme) else url.port)).lower()
    host = host.replace(".mtls.googleapis.com", ".googleapis.com")
    uncounted = volatile.of(url.host.lower(), url.path + url.query)
    reading = Reading(uncounted, times=times)
    return Canonical(
        _method(request),
        host,
        path_segments(url.path),
        canonical_pairs(split_pairs(url.query), reading),
        _headers(request.headers),
        _body(request, reading),
    )


def canonical_key(
    request: RecordedRequest,
    *,
    volatile: Volatile = VOLATILE,
    scrub: Scrub = unscrubbed,
    times: bool = True,
) -> bytes:
    """A key that two requests share exactly when the same answer fits both.

    Args:
        request: As recorded, or as it would be; redacted alike.
        volatile: What does not count.
        scrub: Replaces what shall not tell requests apart in the text of all that counts.
        times: Whether declared times count.

    Returns:
        16 bytes.
    """
    return text_key(scrub(canonical(request, volatile=volatile, times=times).text()))


def counts_times(request: RecordedRequest, *, volatile: Volatile = VOLATILE) -> bool:
    """Whether a request is one of those whose times are declared."""
    url = split_url(request.url)
    return bool(volatile.of(url.host.lower(), url.path + url.query).times)


def text_key(text: str) -> bytes:
    """The key of a canonical text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _method(request: RecordedRequest) -> str:
    method = request.method.upper()
    if method != "POST":
        return method
    return header(request.headers, "x-http-method-override").upper() or method


def _headers(headers: tuple[Header, ...]) -> tuple[Header, ...]:
    pairs = ((name.lower(), _sound(value.strip())) for name, value in headers)
    return tuple(sorted(pair for pair in pairs if pair[0] in COUNTED_HEADERS))


def _sound(text: str) -> str:
    """The text with half characters, which no UTF-8 has, spelled out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _body(request: RecordedRequest, reading: Reading) -> tuple[str, Json]:
    if not request.body:
        return "none", None
    headers, body = request.headers, request.body
    if not request.coding:
        headers, body, _ = decoded(headers, body)
    return canonical_body(headers, body, reading)

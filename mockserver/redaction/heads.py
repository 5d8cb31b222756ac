"""Headers redacted; those that describe the body are set right."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import md5, sha256

from mockserver.messages import encoded, header, without
from mockserver.model import Header
from mockserver.redaction.judging import Judge
from mockserver.redaction.targets import target, value_text

_TARGETS = frozenset({"location", "content-location", "referer", "origin", "refresh", "link"})
_KEPT = frozenset({
    "accept", "accept-encoding", "content-type", "content-length", "content-encoding", "date",
    "expires", "last-modified", "host", ":authority", "vary", "cache-control", "connection",
    "transfer-encoding", "server", "alt-svc", "if-modified-since", "retry-after", "keep-alive",
    "access-control-allow-origin", "access-control-allow-headers", "access-control-expose-headers",
})  # fmt: skip
_UNMADE = ("x-goog-hash", "digest", "repr-digest", "content-digest", "x-amz-checksum-crc32")
_DIGESTS: Mapping[str, Callable[[bytes], bytes]] = {
    "content-md5": lambda body: md5(body, usedforsecurity=False).digest(),
    "x-amz-checksum-sha256": lambda body: sha256(body).digest(),
}


def redacted_headers(judge: Judge, headers: tuple[Header, ...]) -> tuple[Header, ...]:
    """Headers with their values redacted, in order."""
    return tuple((name, redacted_header(judge, name, value)) for name, value in headers)


def redacted_header(judge: Judge, name: str, value: str) -> str:
    """The value of one header redacted."""
    plain = name.lower()
    if plain in _KEPT or not value:
        return value
    if plain == ":path" or (plain in _TARGETS and not value.startswith("<")):
        return target(judge, value)
    rule = judge.rule_of(plain, value)
    if rule is not None:
        made = judge.value(rule, value)
        if made != value:
            return made
    return value_text(judge, value)


def fitted(headers: tuple[Header, ...], old: bytes, new: bytes, coding: str) -> tuple[Header, ...]:
    """Headers that describe a body as it is now; digests that nobody can make again are left out.

    Args:
        headers: As they were.
        old: The body that they described.
        new: The body now.
        coding: How it is coded on the wire.
    """
    if old == new:
        return headers
    kept = without(headers, _UNMADE)
    wire = encoded(new, coding) if coding and header(kept, "content-length") else new
    return tuple((name, _described(name.lower(), value, old, wire)) for name, value in kept)


def _described(name: str, value: str, old: bytes, new: bytes) -> str:
    if name == "content-length" and value.strip().isdigit():
        return str(len(new))
    digest = _DIGESTS.get(name)
    return b64encode(digest(new)).decode() if digest and old != new else value

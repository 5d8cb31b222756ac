"""Redacts headers, URLs and forms, and corrects the headers that describe a changed body."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from hashlib import md5, sha256
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from mockserver.messages import (
    Pair,
    encode_body,
    header,
    join_pairs,
    split_pairs,
    split_url,
    without,
)
from mockserver.model import Header
from mockserver.redaction.match_checks import fits_field
from mockserver.redaction.rule import Rule
from mockserver.redaction.value_redactor import ValueRedactor

_SEGMENT_SAFE = "!$&'()*+,;=:@~-._"
_VALUE_SAFE = "/:@!$'()*,;~-._"


_VERSIONED = re.compile(r"((?:/[a-z][a-zA-Z.-]*){1,4})(/v\d\w{0,8})(/.*)")


def redact_url(values: ValueRedactor, url: str) -> str:
    """A URL or a target redacted; scheme, host and port stay."""
    parts = split_url(url)
    if parts.scheme.lower() not in {"", "http://", "https://", "ws://", "wss://", "grpc://"}:
        return values.redact_text(url)
    user = parts.user
    if user and (rule := values.rules.find("user_info")):
        user = values.stand_in(rule.kind, user[:-1]) + "@"
    query, fragment = parts.query, parts.fragment
    letting = _credential_rule(values, parts.path) if query else None
    return parts._replace(
        user=user,
        path=_path(values, parts.path),
        query=query and "?" + redact_form(values, query[1:], letting),
        fragment=fragment and "#" + redact_form(values, fragment[1:]),
    ).join()


def redact_form(values: ValueRedactor, text: str, letting: Rule | None = None) -> str:
    """The pairs of a query or a URL-encoded form redacted.

    Args:
        values: Knows what stands in for a value.
        text: The pairs.
        letting: The rule of a path that lets in who has the link, whatever its parameter is called.
    """
    return join_pairs(_pair(values, pair, letting) for pair in split_pairs(text))


def _credential_rule(values: ValueRedactor, path: str) -> Rule | None:
    collections = values.rules.collections
    rules = (collections.get(segment.lower()) for segment in path.split("/"))
    return next((rule for rule in rules if rule is not None and rule.credential), None)


def redact_parameter(values: ValueRedactor, name: str, value: str) -> str:
    """The value of a parameter of a query or a form redacted."""
    if values.is_kept_field(name, value):
        return value
    rule = values.find_rule(f"?{name}", value)
    if rule is not None:
        made = values.redact_value(rule, value)
        if made != value:
            return made
    return redact_header_text(values, value)


def redact_header_text(values: ValueRedactor, value: str) -> str:
    """A text that may be a URL."""
    if value.startswith(("http://", "https://")) and not any(sign.isspace() for sign in value):
        return redact_url(values, value)
    return values.with_known_values(values.redact_text(value))


def _path(values: ValueRedactor, path: str) -> str:
    """A path redacted; the version of an API in it is no resource of what stands before."""
    found = _VERSIONED.fullmatch(path)
    if found is None:
        return _segments(values, path)
    return f"{_segments(values, found[1])}{found[2]}{_segments(values, found[3])}"


def _segments(values: ValueRedactor, path: str) -> str:
    segments = path.split("/")
    plain = [unquote(segment, errors="surrogateescape") for segment in segments]
    whole = "/".join(plain)
    if whole.count("/") + 1 == len(segments):
        # in one piece, so that a segment is judged by the collection before it
        made = redact_header_text(values, whole).split("/")
    else:
        made = [redact_header_text(values, segment) for segment in plain]
        made = [_in_collection(values, plain, place, new) for place, new in enumerate(made)]
    if len(made) != len(segments):
        made = [redact_header_text(values, segment) for segment in plain]
    made = [values.learned.replace_whole(new) for new in made]
    return "/".join(
        raw if new == old else quote(new, safe=_SEGMENT_SAFE, errors="surrogateescape")
        for raw, old, new in zip(segments, plain, made, strict=True)
    )


def _in_collection(values: ValueRedactor, plain: list[str], place: int, redacted: str) -> str:
    rule = values.rules.collections.get(plain[place - 1].lower()) if place else None
    if rule is None or redacted != plain[place] or not fits_field(rule, redacted):
        return redacted
    return values.redact_value(rule, redacted)


def _pair(values: ValueRedactor, pair: Pair, letting: Rule | None) -> Pair:
    name = _redact_segment_name(pair.name, values)
    if not pair.value:
        return Pair(name, pair.value)
    plain = unquote_plus(pair.value, errors="surrogateescape")
    made = redact_parameter(values, unquote_plus(pair.name), plain)
    if made == plain and letting is not None:
        made = values.redact_value(letting, plain)
    if made == plain:
        return Pair(name, pair.value)
    code = quote_plus if "+" in pair.value and "%20" not in pair.value else quote
    safe = "".join(sign for sign in _VALUE_SAFE if sign in pair.value)
    return Pair(name, code(made, safe=safe, errors="surrogateescape"))


def _redact_segment_name(name: str, values: ValueRedactor) -> str:
    plain = unquote_plus(name, errors="surrogateescape")
    made = values.redact_text(plain)
    return name if made == plain else quote(made, safe="", errors="surrogateescape")


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


def redact_headers(values: ValueRedactor, headers: tuple[Header, ...]) -> tuple[Header, ...]:
    """Headers with their values redacted, in order."""
    return tuple((name, redact_header(values, name, value)) for name, value in headers)


def redact_header(values: ValueRedactor, name: str, value: str) -> str:
    """The value of one header redacted."""
    plain = name.lower()
    if plain in _KEPT or not value:
        return value
    if plain == ":path" or (plain in _TARGETS and not value.startswith("<")):
        return redact_url(values, value)
    rule = values.find_rule(plain, value)
    if rule is not None:
        made = values.redact_value(rule, value)
        if made != value:
            return made
    return redact_header_text(values, value)


def update_headers(
    headers: tuple[Header, ...], old: bytes, new: bytes, coding: str
) -> tuple[Header, ...]:
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
    wire = encode_body(new, coding) if coding and header(kept, "content-length") else new
    return tuple((name, _describe_body(name.lower(), value, old, wire)) for name, value in kept)


def _describe_body(name: str, value: str, old: bytes, new: bytes) -> str:
    if name == "content-length" and value.strip().isdigit():
        return str(len(new))
    digest = _DIGESTS.get(name)
    return b64encode(digest(new)).decode() if digest and old != new else value

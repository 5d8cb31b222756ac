"""Headers as they were sent: in order, with their case, repeated ones kept; media types."""

import re
from collections.abc import Iterable

from mockserver.model import Header


def header(headers: Iterable[Header], name: str) -> str:
    """The first value of a header, an empty string when there is none; case does not count.

    >>> header([("Content-Type", "text/html")], "content-type")
    'text/html'
    """
    wanted = name.lower()
    return next((value for given, value in headers if given.lower() == wanted), "")


def header_values(headers: Iterable[Header], name: str) -> tuple[str, ...]:
    """Every value of a header, in order."""
    wanted = name.lower()
    return tuple(value for given, value in headers if given.lower() == wanted)


def without(headers: Iterable[Header], names: Iterable[str]) -> tuple[Header, ...]:
    """The headers but for those of these names.

    >>> without([("Age", "1"), ("X", "2"), ("age", "3")], ["AGE"])
    (('X', '2'),)
    """
    unwanted = {name.lower() for name in names}
    return tuple(item for item in headers if item[0].lower() not in unwanted)


def with_header(headers: Iterable[Header], name: str, value: str) -> tuple[Header, ...]:
    """The headers with one value for a name: in the place of the first, else at the end.

    >>> with_header([("content-length", "1"), ("X", "2")], "Content-Length", "3")
    (('content-length', '3'), ('X', '2'))
    """
    given = tuple(headers)
    wanted = name.lower()
    places = [place for place, item in enumerate(given) if item[0].lower() == wanted]
    if not places:
        return (*given, (name, value))
    first = places[0]
    changed = (*given[:first], (given[first][0], value), *given[first + 1 :])
    return tuple(item for place, item in enumerate(changed) if place not in places[1:])


FORM = "application/x-www-form-urlencoded"
EVENT_STREAM = "text/event-stream"
_LINES = frozenset({
    "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
    "application/json-seq", "application/stream+json", "text/x-ndjson",
})  # fmt: skip
_TEXTS = frozenset({
    "application/javascript", "application/x-javascript", "application/xml", "application/yaml",
    "application/x-yaml", "application/graphql", "application/sql", "application/toml",
    "application/x-sh", "application/x-pem-file", "application/http", "application/jwt",
})  # fmt: skip
_PARAMETER = re.compile(r";\s*([^\s=;]+)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s;\"]*))")
_KNOWN_CHARSET = re.compile(r"(?i)^(?:utf-?8|us-ascii|ascii|iso-8859-\d+|latin-?1|windows-125\d)$")


def media_type(headers: Iterable[Header]) -> str:
    """The media type, lower case, without parameters; an empty string where none is told.

    >>> media_type([("Content-Type", "Application/JSON; charset=utf-8")])
    'application/json'
    """
    return header(headers, "content-type").partition(";")[0].strip().lower()


def media_parameter(content_type: str, name: str) -> str:
    """A parameter of a content type or disposition, unquoted; empty where there is none.

    >>> media_parameter('multipart/mixed; boundary="a b"', "boundary")
    'a b'
    """
    wanted = name.lower()
    for found in _PARAMETER.finditer(content_type):
        if found[1].lower() == wanted:
            quoted = found[2]
            return found[3] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
    return ""


def is_json(media: str) -> bool:
    """Whether a media type is one JSON value.

    >>> is_json("application/problem+json"), is_json("application/x-ndjson")
    (True, False)
    """
    if media in _LINES:
        return False
    return media in {"application/json", "text/json"} or media.endswith("+json")


def is_json_lines(media: str) -> bool:
    """Whether a media type is JSON values, one a line."""
    return media in _LINES


def is_event_stream(media: str) -> bool:
    """Whether a media type is server-sent events."""
    return media == EVENT_STREAM


def is_form(media: str) -> bool:
    """Whether a media type is a URL-encoded form."""
    return media == FORM


def is_multipart(media: str) -> bool:
    """Whether a media type is parts between boundaries."""
    return media.startswith("multipart/")


def is_text(media: str) -> bool:
    """Whether a media type is made to be read, JSON and forms included."""
    if media.startswith("text/") or media in _TEXTS or media.endswith(("+xml", "+yaml")):
        return True
    return is_json(media) or is_json_lines(media) or is_form(media)


def charset(headers: Iterable[Header]) -> str:
    """The charset that a content type names, `utf-8` where it names none that is common."""
    named = media_parameter(header(headers, "content-type"), "charset")
    return named.lower() if _KNOWN_CHARSET.match(named) else "utf-8"

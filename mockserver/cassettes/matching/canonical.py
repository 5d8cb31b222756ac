"""A request without what does not tell it from another one: order, spelling, volatile parts.

A session or a cassette may compare by less than all that counts: `loose_canonical` takes the
rest away.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import NamedTuple
from urllib.parse import unquote, unquote_plus

import orjson

from mockserver.cassettes.matching.time_stamps import map_texts, mask_stamps
from mockserver.cassettes.matching.volatile import COUNTED_HEADERS, VOLATILE, IgnoredParts, Volatile
from mockserver.messages import (
    Pair,
    Url,
    boundary_of,
    charset,
    decode_body,
    header,
    is_form,
    is_json,
    is_json_lines,
    is_multipart,
    is_text,
    media_type,
    split_multipart,
    split_pairs,
    split_url,
)
from mockserver.model import (
    LARGEST_BYTES,
    LARGEST_TEXT,
    Header,
    Json,
    JsonObject,
    Match,
    RecordedRequest,
    pointer_path,
)

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b1\d{9}(?:\d{3}|\.\d+)?\b"
)
_MASK = "<time>"
_EXACT = 2**53
_EVERY = "*"
Scrub = Callable[[str], str]

MODEL_HOST = "model:"
"""What stands before the name of a provider in the place of the host of a call of a model."""

_MODEL_PATH = re.compile(
    r"/(?:chat/completions|responses|embeddings|messages|messages/count_tokens|converse|"
    r"converse-stream|invoke|api/(?:chat|generate|embed|embeddings))/?$"
    r"|:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens"
    r"|predict)$"
)
"""Paths that may be those of calls of models; providers are not loaded for others."""

_DEFAULT_PORTS = {"http://": ":80", "https://": ":443"}
_ESCAPED = (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\\\", "\\"))
Fields = tuple[tuple[str, tuple[str, ...]], ...]
Body = tuple[str, Json]
"""The kind of a body and its content, as JSON."""

_FOLD = re.compile(r"\n(?=[ \t])")
_FRACTION = re.compile(rb"\d[.eE][\d+-]")
_HTTP = "application/http"
_PART_HEADERS = frozenset({"content-type", "content-disposition"})
_BOUNDARY = re.compile(r";\s*boundary=(?:\"[^\"]*\"|[^\s;]*)")
_DEEPEST = 100


def drop_member(value: Json, path: tuple[str, ...]) -> None:
    """Take the member at a path out of a value; `*` is every item of a list or object.

    >>> body = {"entries": [{"id": 1, "a": 2}]}
    >>> drop_member(body, ("entries", "*", "id"))
    >>> body
    {'entries': [{'a': 2}]}
    """
    last = path[-1]
    for holder in _values_at(value, path[:-1]):
        if isinstance(holder, list):
            holder[:] = [] if last == _EVERY else _without_item(holder, last)
        elif last == _EVERY and isinstance(holder, dict):
            holder.clear()
        elif isinstance(holder, dict):
            holder.pop(last, None)


def sort_lists(value: Json, path: tuple[str, ...]) -> None:
    """Sort the lists at a path by what their items hold; `*` is every item of a list or object.

    >>> body = {"tags": ["b", "a"]}
    >>> sort_lists(body, ("tags",))
    >>> body
    {'tags': ['a', 'b']}
    """
    for found in _values_at(value, path):
        if isinstance(found, list):
            found.sort(key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS))


def without_nulls(value: Json) -> Json:
    """The value without members that are null.

    >>> without_nulls({"a": None, "b": [None, {"c": None}]})
    {'b': [None, {}]}
    """
    if isinstance(value, dict):
        return {name: without_nulls(item) for name, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def mask_times(value: Json, path: tuple[str, ...]) -> None:
    """Replace every time in the text, or the number of seconds, at a path.

    >>> body = {"filter": 'timestamp>="2026-11-20T09:00:00Z" AND severity=ERROR'}
    >>> mask_times(body, ("filter",))
    >>> body
    {'filter': 'timestamp>="<time>" AND severity=ERROR'}
    """
    name = path[-1]
    for holder in _values_at(value, path[:-1]):
        if isinstance(holder, dict) and name in holder:
            holder[name] = _mask_value(holder[name])


def with_whole_numbers(value: Json, deepest: int) -> Json:
    """The value with `1.0` written as `1`.

    Raises:
        ValueError: It is nested more than `deepest` levels.

    >>> with_whole_numbers({"a": [1.0, 1.5]}, 9)
    {'a': [1, 1.5]}
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _EXACT else value
    if not isinstance(value, dict | list):
        return value
    if not deepest:
        raise ValueError("nested too deeply to be compared by its members")
    if isinstance(value, list):
        return [with_whole_numbers(item, deepest - 1) for item in value]
    return {name: with_whole_numbers(item, deepest - 1) for name, item in value.items()}


def _without_item(items: list[Json], index: str) -> list[Json]:
    if not index.isdecimal() or int(index) >= len(items):
        return items
    return items[: int(index)] + items[int(index) + 1 :]


def _mask_value(found: Json) -> Json:
    if isinstance(found, str):
        return _TIME.sub(_MASK, found)
    number = isinstance(found, int | float) and _TIME.fullmatch(str(found))
    return _MASK if number else found


def _values_at(value: Json, path: tuple[str, ...]) -> Iterator[Json]:
    if not path:
        yield value
        return
    for item in _STEPS[type(value)](value, path[0]) if type(value) in _STEPS else ():
        yield from _values_at(item, path[1:])


def _of_object(value: dict[str, Json], name: str) -> list[Json]:
    if name == _EVERY:
        return list(value.values())
    return [value[name]] if name in value else []


def _of_list(value: list[Json], name: str) -> list[Json]:
    if name == _EVERY:
        return value
    return [value[int(name)]] if name.isdecimal() and int(name) < len(value) else []


_STEPS: dict[type, Callable[..., list[Json]]] = {dict: _of_object, list: _of_list}


@dataclass(frozen=True, slots=True)
class BodyReading:
    """How a body is read.

    Attributes:
        uncounted: What does not count.
        times: Whether declared times count.
    """

    uncounted: IgnoredParts
    times: bool = True


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


def keep_text(text: str) -> str:
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
    url = split_url(_escape_surrogates(request.url))
    uncounted = volatile.of(url.host.lower(), url.path + url.query)
    reading = BodyReading(uncounted, times=times)
    if is_model_path(request):
        call = _model_call(request, url, reading)
        if call is not None:
            return call
    return Canonical(
        _method(request),
        _host(url),
        path_segments(url.path),
        canonical_pairs(split_pairs(url.query), reading),
        _counted_headers(request.headers),
        _body(request, reading),
    )


def counted_host(request: RecordedRequest) -> str:
    """The host of a request as it counts, whatever is asked there.

    >>> counted_host(RecordedRequest("GET", "https://H.example.com:443/a"))
    'h.example.com'
    """
    return _host(split_url(_escape_surrogates(request.url)))


def _host(url: Url) -> str:
    host = (url.host + ("" if url.port == _DEFAULT_PORTS.get(url.scheme) else url.port)).lower()
    return host.replace(".mtls.googleapis.com", ".googleapis.com")


def canonical_key(
    request: RecordedRequest,
    *,
    volatile: Volatile = VOLATILE,
    scrub: Scrub = keep_text,
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
    if is_model_path(request):
        return True
    return bool(volatile.of(url.host.lower(), url.path + url.query).times)


def is_model_path(request: RecordedRequest) -> bool:
    """Whether a request may be a call of a model, as far as its method and path tell."""
    return request.method.upper() == "POST" and bool(
        _MODEL_PATH.search(split_url(request.url).path)
    )


def _model_call(request: RecordedRequest, url: Url, reading: BodyReading) -> Canonical | None:
    """What counts of a call of a model, at whatever address; None for any other request."""
    from mockserver.models.calls import find_call, normalise  # loads every provider

    kind, body = _body(request, reading)
    host, path = url.host.lower(), url.path.rstrip("/")
    call = find_call("POST", host, path, body) if kind == "json" else None
    if call is None:
        return None
    counted = normalise(body, call)
    if not reading.times:
        counted = map_texts(counted, mask_stamps)
    query = (("alt", ("sse",)),) if "alt=sse" in url.query else ()
    where = (call.operation, unquote(call.model)) if call.model else (call.operation,)
    return Canonical("POST", MODEL_HOST + call.provider, where, query, (), (kind, counted))


def text_key(text: str) -> bytes:
    """The key of a canonical text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _method(request: RecordedRequest) -> str:
    method = request.method.upper()
    if method != "POST":
        return method
    return header(request.headers, "x-http-method-override").upper() or method


def _counted_headers(headers: tuple[Header, ...]) -> tuple[Header, ...]:
    pairs = ((name.lower(), _escape_surrogates(value.strip())) for name, value in headers)
    return tuple(sorted(pair for pair in pairs if pair[0] in COUNTED_HEADERS))


def _escape_surrogates(text: str) -> str:
    """The text with half characters, which no UTF-8 has, spelled out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _body(request: RecordedRequest, reading: BodyReading) -> tuple[str, Json]:
    if request.file is not None:
        return "file", request.file.digest
    if not request.body:
        return "none", None
    headers, body = request.headers, request.body
    if not request.coding:
        headers, body, _ = decode_body(headers, body)
    if len(body) > LARGEST_TEXT or (len(body) > LARGEST_BYTES and not _is_readable(body)):
        return "file", sha256(body).hexdigest()  # as one that was recorded into a file
    return canonical_body(headers, body, reading)


def _is_readable(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return body == body.translate(None, _CONTROLS)


_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])


def canonical_pairs(pairs: Iterable[Pair], reading: BodyReading) -> Fields:
    """The fields of a query or form that count: names sorted, values in the order sent."""
    fields: dict[str, list[str]] = {}
    uncounted = reading.uncounted
    for raw_name, raw_value in pairs:
        name = unquote_plus(raw_name)
        value = unquote_plus(raw_value or "")
        if name in uncounted.query or f"{name}={value}" in uncounted.query:
            continue
        if name or value:
            fields.setdefault(name, []).append(_mask_field(name, value, reading))
    return tuple((name, tuple(values)) for name, values in sorted(fields.items()))


def canonical_body(headers: tuple[Header, ...], body: bytes, reading: BodyReading) -> Body:
    """The kind of a body and what counts of its content.

    Whatever is not what its media type says is told apart by its bytes.
    """
    media = media_type(headers)
    for kind, fits, read in _KINDS:
        if fits(media):
            with suppress(ValueError):
                return kind, read(headers, body, reading)
    return _body_without_type(headers, body, reading)


def path_segments(path: str) -> tuple[str, ...]:
    """The segments of a path, decoded one by one, so that an encoded slash parts nothing.

    >>> path_segments("/users/ann%40example.com/a%2fb")
    ('users', 'ann@example.com', 'a/b')
    """
    segments = path.removeprefix("/").split("/")
    return tuple(unquote(each) if "%" in each else each for each in segments)


def _body_without_type(headers: tuple[Header, ...], body: bytes, reading: BodyReading) -> Body:
    if body.lstrip()[:1] in {b"{", b"["}:
        with suppress(ValueError):
            return "json", _json(headers, body, reading)
    if is_text(media_type(headers)):
        return "text", body.decode(charset(headers), "replace")
    return "bytes", blake2b(body, digest_size=16).hexdigest()


def _json(_: tuple[Header, ...], body: bytes, reading: BodyReading) -> Json:
    value = orjson.loads(body)
    if _FRACTION.search(body):
        value = with_whole_numbers(value, _DEEPEST)
    for path in reading.uncounted.body:
        drop_member(value, path)
    for path in () if reading.times else reading.uncounted.time_members:
        mask_times(value, path)
    try:  # as deep as it may stand in parts of parts
        orjson.dumps([[[[[[[[value]]]]]]]])
    except TypeError as error:
        raise ValueError("nested too deeply to be compared by its members") from error
    return value


def _json_lines(headers: tuple[Header, ...], body: bytes, reading: BodyReading) -> Json:
    lines = (line.strip(b"\x1e\r ") for line in body.split(b"\n"))
    return [_json(headers, line, reading) for line in lines if line]


def _form(headers: tuple[Header, ...], body: bytes, reading: BodyReading) -> Json:
    return canonical_pairs(split_pairs(body.decode(charset(headers))), reading)


def _multipart(headers: tuple[Header, ...], body: bytes, reading: BodyReading) -> Json:
    found = split_multipart(body, boundary_of(header(headers, "content-type")))
    if found is None:
        raise ValueError("not the parts that its content type tells of")
    return [_part(part.headers, part.body, reading) for part in found.parts]


def _part(headers: tuple[Header, ...], body: bytes, reading: BodyReading) -> Json:
    kept = [
        [name.lower(), _BOUNDARY.sub("", value)]
        for name, value in headers
        if name.lower() in _PART_HEADERS
    ]
    return [sorted(kept), canonical_body(headers, body, reading)]


def _batch_request(_: tuple[Header, ...], body: bytes, reading: BodyReading) -> Json:
    """A request of a batch: its line and its body; its headers count no more than those outside."""
    lines, _blank, content = body.replace(b"\r\n", b"\n").partition(b"\n\n")
    first, *rest = _FOLD.sub("", lines.decode("latin-1")).splitlines() or [""]
    method, _space, target = first.partition(" ")
    url = split_url(target.partition(" ")[0])
    fields = canonical_pairs(split_pairs(url.query), reading)
    headers = tuple(
        (name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in rest)
    )
    return [
        method.upper(),
        path_segments(url.path),
        fields,
        canonical_body(headers, content.strip(), reading),
    ]


def _mask_field(name: str, value: str, reading: BodyReading) -> str:
    if reading.times or name not in reading.uncounted.times:
        return value
    holder = {name: value}
    mask_times(holder, (name,))
    return holder[name]


def _is_http(media: str) -> bool:
    return media == _HTTP


_BodyReader = Callable[[tuple[Header, ...], bytes, BodyReading], Json]
_KINDS: tuple[tuple[str, Callable[[str], bool], _BodyReader], ...] = (
    ("json", is_json, _json),
    ("form", is_form, _form),
    ("multipart", is_multipart, _multipart),
    ("lines", is_json_lines, _json_lines),
    ("http", _is_http, _batch_request),
)


_PLAIN = Match()
_LISTED = frozenset({"json", "lines", "form"})


def is_plain(match: Match | None) -> bool:
    """Whether a match compares all that counts."""
    return match is None or match == _PLAIN


def loose_canonical(request: Canonical, match: Match) -> Canonical:
    """What a match compares of a request; equal for two requests that it takes for the same."""
    kind, content = request.body
    listed = kind in _LISTED
    held = by_pointers(request)
    for pointer in (*match.ignore, *match.varies):
        drop_member(held, pointer_path(pointer))
    if match.null_is_absent:
        held["body"] = without_nulls(held["body"])
    for pointer in match.any_order:
        sort_lists(held, pointer_path(pointer))
    body: tuple[str, Json] = (kind, content)
    if listed:
        body = kind, _pairs(held["body"]) if kind == "form" else held["body"]
    return Canonical(
        request.method if "method" in match.parts else "",
        request.host if "host" in match.parts else "",
        request.path if "path" in match.parts else (),
        _pairs(held["query"]) if "query" in match.parts else (),
        _headers(held["headers"]) if "headers" in match.parts else (),
        body if "body" in match.parts else ("none", None),
    )


def by_pointers(request: Canonical) -> JsonObject:
    """What counts of a request as pointers lead into it: `query`, `headers` and `body`."""
    kind, content = request.body
    return {
        "query": {name: list(values) for name, values in request.query},
        "headers": _by_name(request.headers),
        # a copy, for what counts of a request is shared
        "body": _fields(content) if kind == "form" else orjson.loads(orjson.dumps(content)),
    }


def differing_places(one: Canonical, other: Canonical, pointers: Iterable[str]) -> str:
    """At which of some places two requests differ, in words; empty where at none."""
    held = by_pointers(one), by_pointers(other)
    found = [
        pointer
        for pointer in pointers
        if len({repr([*_values_at(each, pointer_path(pointer))]) for each in held}) > 1
    ]
    return f"another value at {', '.join(found)}" if found else ""


def _by_name(headers: tuple[Header, ...]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for name, value in headers:
        named.setdefault(name, []).append(value)
    return named


def _headers(by_name: dict[str, list[str]]) -> tuple[Header, ...]:
    return tuple((name, value) for name, values in by_name.items() for value in values)


def _fields(content: Json) -> JsonObject:
    return {name: list(values) for name, values in content}


def _pairs(fields: dict[str, list[str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((name, tuple(values)) for name, values in fields.items())

"""Cassettes as JSON, and as lines that cannot reach the controls of a terminal."""

import re
from collections.abc import Iterable, Iterator

import orjson

from mockserver.cassettes.files.body_files import body_path
from mockserver.cassettes.files.comparison import Comparison
from mockserver.cassettes.files.yaml_scalars import body_text
from mockserver.messages import is_form, media_type, split_pairs
from mockserver.model import (
    Cassette,
    Header,
    Interaction,
    JsonObject,
    RecordedRequest,
    RecordedResponse,
)

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_WIDEST = 90


def visible(text: str) -> str:
    r"""A text with its control characters written out.

    >>> visible("a\x1b[2J")
    'a\\x1b[2J'
    """
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def cassette_lines(cassette: Cassette) -> Iterator[str]:
    """What a cassette says of itself, and a line for each interaction.

    Yields:
        Lines.
    """
    info = cassette.info
    for name, value in (
        ("recorded at", info.recorded_at),
        ("recorded by", info.recorded_by),
        ("redacted with key", info.key_id),
        ("upstream", info.upstream),
        ("revisions", ", ".join(f"{api} {number}" for api, number in info.revisions.items())),
    ):
        if value:
            yield f"{name}: {visible(value)}"
    for number, item in enumerate(cassette.interactions, 1):
        yield f"{number:>4}  {_row(item)}"
    yield f"{len(cassette.interactions)} interactions"


def cassette_json(cassette: Cassette) -> JsonObject:
    """What a cassette says of itself, and a row for each interaction."""
    info = cassette.info
    return {
        "name": cassette.name,
        "recorded_at": info.recorded_at,
        "recorded_by": info.recorded_by,
        "key_id": info.key_id,
        "upstream": info.upstream,
        "revisions": dict(info.revisions),
        "interactions": [
            _row_json(number, item) for number, item in enumerate(cassette.interactions, 1)
        ],
    }


def _row_json(number: int, item: Interaction) -> JsonObject:
    response = item.response
    return {
        "number": number,
        "method": item.request.method,
        "url": item.request.url,
        "status": response.status,
        "media_type": media_type(response.headers),
        "bytes": len(response.body) if response.file is None else response.file.size,
        "chunks": len(response.chunks),
        "ended": response.ended,
    }


def interaction_json(cassette: Cassette, number: int) -> JsonObject:
    """One interaction, whole; a body as text, null where it is none or stands in a file."""
    item = cassette.interactions[number - 1]
    return {
        **_row_json(number, item),
        "method_id": item.method_id,
        "recorded_at": item.recorded_at,
        "duration_ms": item.duration_ms,
        "request": _message_json(item.request),
        "response": _message_json(item.response),
    }


def _message_json(message: RecordedRequest | RecordedResponse) -> JsonObject:
    return {
        "headers": [[name, value] for name, value in message.headers],
        "body": None if message.file is not None else body_text(message.body),
        "file": None if message.file is None else str(body_path(message.file)),
    }


def comparison_json(found: Comparison) -> JsonObject:
    """What is different between two cassettes, with the rows of the interactions."""
    return {
        "same": found.same,
        "removed": [_row_json(number, item) for number, item in found.removed],
        "added": [_row_json(number, item) for number, item in found.added],
        "changed": [
            {**_row_json(each.after, each.interaction), "before": each.before}
            | {"changes": [*each.changes]}
            for each in found.changed
        ],
    }


def _row(item: Interaction) -> str:
    url = item.request.url.removeprefix("https://")
    shown = url if len(url) <= _WIDEST else f"{url[: _WIDEST - 3]}..."
    marks = [
        f"{len(item.response.chunks)} chunks" if item.response.chunks else "",
        item.response.ended if item.response.ended != "complete" else "",
    ]
    size = _size(item.response)
    rest = ", ".join([media_type(item.response.headers) or "no type", size, *filter(None, marks)])
    return visible(f"{item.request.method:<6} {item.response.status:>3}  {shown}  ({rest})")


def _size(message: RecordedRequest | RecordedResponse) -> str:
    if message.file is None:
        return f"{len(message.body)} bytes"
    return f"{message.file.size} bytes in a file"


def interaction_lines(item: Interaction) -> Iterator[str]:
    """One interaction, whole; JSON and forms so that they can be read.

    Yields:
        Lines.
    """
    yield visible(f"{item.request.method} {item.request.url}")
    yield from _message(item.request)
    yield ""
    yield visible(f"{item.response.status} {item.response.reason}".rstrip())
    yield from _message(item.response)
    yield ""
    facts = [
        f"recorded at {item.recorded_at}" if item.recorded_at else "",
        f"took {item.duration_ms:g} ms" if item.duration_ms else "",
        item.method_id,
        f"came as {item.response.coding.partition(';')[0]}" if item.response.coding else "",
        f"ended: {item.response.ended}",
    ]
    yield visible(", ".join(filter(None, facts)))
    for chunk in item.response.chunks:
        yield f"chunk of {chunk.size} bytes after {chunk.at_ms:g} ms"


def _message(message: RecordedRequest | RecordedResponse) -> Iterator[str]:
    yield from (visible(f"{name}: {value}") for name, value in message.headers)
    if message.file is not None:
        yield ""
        yield visible(f"({message.file.size} bytes in {body_path(message.file)})")
    elif message.body:
        yield ""
        yield from body_lines(message.headers, message.body)


def body_lines(headers: Iterable[Header], body: bytes) -> Iterator[str]:
    """A body for people: JSON indented, a form field by field, text as it is.

    Yields:
        Lines; one that says how much where it is no text.
    """
    text = body_text(body)
    media = media_type(headers)
    if text is None:
        yield f"({len(body)} bytes of {media or 'unknown type'})"
    elif is_form(media):
        yield from (visible(f"{pair.name} = {pair.value}") for pair in split_pairs(text))
    else:
        yield from visible(_indent(text)).split("\n")


def _indent(text: str) -> str:
    try:
        return orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONDecodeError:
        return text.removesuffix("\n")


def comparison_lines(found: Comparison) -> Iterator[str]:
    """What is different between two cassettes.

    Yields:
        Lines: removed, added, changed, and how many.
    """
    for sign, pairs in (("-", found.removed), ("+", found.added)):
        yield from (f"{sign} {number:>4}  {_row(item)}" for number, item in pairs)
    for change in found.changed:
        yield f"~ {change.after:>4}  {_row(change.interaction)}"
        yield from (f"        {visible(line)}" for line in change.changes)
    yield (
        f"{found.same} same, {len(found.changed)} changed, {len(found.added)} added,"
        f" {len(found.removed)} removed"
    )

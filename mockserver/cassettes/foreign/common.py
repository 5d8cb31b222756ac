"""What every format of recordings shares: the result of an import, and its steps."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mockserver.cassettes.files.values import (
    MisplacedError,
    list_of,
    mapping_of,
    member,
    pointer,
    url_of,
)
from mockserver.messages import READABLE, decode_body, header, with_header, without
from mockserver.model import CassetteInfo, Header, Interaction, Json, JsonObject
from mockserver.storage.untrusted_json import Place

Files = Callable[[str], bytes]
"""Reads a file that a recording names; LookupError for one that is not there."""

_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What reading a value of an unforeseen shape raises; that one interaction cannot be used."""

_GZIP = b"\x1f\x8b"


class Source(NamedTuple):
    """What a recording may name beside itself.

    Attributes:
        files: Reads files by the names that it gives them.
        upstream: `https://host[/prefix]`, for formats that name only paths; empty where unknown.
    """

    files: Files
    upstream: str = ""


@dataclass(frozen=True, slots=True)
class ImportedRecording:
    """What an import found.

    Attributes:
        format: The format it was recognised as.
        interactions: In the order of the file.
        notes: What was left out or is not exact, each with its JSON pointer; for people.
        recorded_by: What wrote the file, where it says so.
        info: What the file says about itself, for formats that have our words for it.
    """

    format: str
    interactions: tuple[Interaction, ...]
    notes: tuple[str, ...] = ()
    recorded_by: str = ""
    info: CassetteInfo | None = None


def with_places(value: Json, place: Place) -> list[tuple[Place, Json]]:
    """The items of a list, each with its place.

    Raises:
        MisplacedError: It is no list.
    """
    return [((*place, number), item) for number, item in enumerate(list_of(value, place))]


class Entry(NamedTuple):
    """One recorded exchange, as a file holds it.

    Attributes:
        item: The whole entry.
        request: Its member `request`.
        response: Its member `response`.
    """

    item: JsonObject
    request: JsonObject
    response: JsonObject


def read_entry(value: Json, place: Place) -> Entry:
    """An entry that has a `request` and a `response`.

    Raises:
        MisplacedError: It is no mapping, or one of the two is missing or no mapping.
    """
    item = mapping_of(value, place)
    return Entry(
        item,
        mapping_of(member(item, "request", place), (*place, "request")),
        mapping_of(member(item, "response", place), (*place, "response")),
    )


def import_items(
    name: str,
    items: Iterable[tuple[Place, Json]],
    read: Callable[[Json, Place], Interaction],
    *,
    recorded_by: str = "",
    info: CassetteInfo | None = None,
) -> ImportedRecording:
    """Import each item by itself; one that cannot be used is left out with a note.

    Args:
        name: The format.
        items: As the file holds them, each with its place.
        read: Reads one, at its place; raises MisplacedError for one that cannot be used.
        recorded_by: What wrote the file, where it says so.
        info: What the file says about itself, for formats that have our words for it.
    """
    found: list[Interaction] = []
    notes: list[str] = []
    for place, item in items:
        try:
            made = read(item, place)
            url_of(made.request.url, place)
            found.append(made)
        except MisplacedError as error:
            hint = f" ({error.hint})" if error.hint else ""
            notes.append(f"#{pointer(error.place)}: {error.message}{hint}; left out")
        except _UNREADABLE as error:
            notes.append(f"#{pointer(place)}: cannot be read ({type(error).__name__}); left out")
    return ImportedRecording(name, tuple(found), tuple(notes), recorded_by, info)


def file_content(files: Files, name: str, place: Place) -> bytes:
    """A file that a recording names.

    Raises:
        MisplacedError: It is not there.
    """
    try:
        return files(name)
    except (LookupError, OSError, ValueError) as error:  # no name of a file, or too long for one
        raise MisplacedError(place, f"no file {name!r}") from error


def decoded_headers(headers: tuple[Header, ...], body: bytes) -> tuple[tuple[Header, ...], str]:
    """Headers beside a body that the file holds without content coding, and the coding.

    >>> decoded_headers((("Content-Encoding", "gzip"), ("Content-Length", "9")), b"hello")
    ((('Content-Length', '5'),), 'gzip')
    """
    coding = header(headers, "content-encoding").strip().lower()
    if not body or coding not in READABLE:
        return headers, ""
    kept = without(headers, ["content-encoding"])
    if header(kept, "content-length"):
        kept = with_header(kept, "Content-Length", str(len(body)))
    return kept, coding


def decode_if_coded(
    headers: tuple[Header, ...], body: bytes
) -> tuple[tuple[Header, ...], bytes, str]:
    """Headers, body and coding of a message whose body may stand in the file coded or plain.

    Many recorders open a body and leave `Content-Encoding` where it was. A body that opens as its
    header says is coded; one that does not is plain, unless it begins as gzip does and is damaged.

    >>> decode_if_coded((("Content-Encoding", "gzip"),), b"hello")
    ((), b'hello', 'gzip')
    """
    kept, content, recipe = decode_body(headers, body)
    if recipe:
        return kept, content, recipe
    if body.startswith(_GZIP):
        return headers, body, ""
    kept, coding = decoded_headers(headers, body)
    return kept, body, coding

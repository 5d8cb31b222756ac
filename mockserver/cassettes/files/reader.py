"""Reads a cassette: ours or vcrpy's, in YAML or JSON, as untrusted input."""

import logging
import os
from pathlib import Path

from mockserver.cassettes.files.body_files import with_body_folders
from mockserver.cassettes.files.native_yaml import head_and_rest, read_interactions
from mockserver.cassettes.files.parser import interaction_of, interactions_of
from mockserver.cassettes.files.values import MisplacedError, pointer
from mockserver.errors import FormatError
from mockserver.model import Cassette, Interaction, Json
from mockserver.storage.untrusted_json import parse_json
from mockserver.storage.untrusted_yaml import line_of, load_yaml

LARGEST_CASSETTE = 1024 * 1024 * 1024
"""Bytes; a larger file is taken for a mistake."""
LARGEST_FOREIGN = 64 * 1024 * 1024
"""Bytes of YAML that was not written by this program: a YAML reader needs twenty times as much."""
RECORDING = ".recording.yaml"
"""How the name of a file ends that a recorder is writing, or was writing when it was killed."""

_log = logging.getLogger(__name__)


def read_cassette(path: Path) -> Cassette:
    """Read a cassette, whatever its name: content that begins with a brace is JSON, else YAML.

    A file that a recorder was writing when it was killed may end in the middle of an interaction;
    that one is left out, with a warning in the log. In any other file it is an error.

    Raises:
        FormatError: Not there, too large, not UTF-8, neither YAML nor JSON, or no cassette of a
            version that we know; with the line or the place.
    """
    content = read_bounded(path)
    if path.name.endswith(RECORDING):
        content = _without_unfinished(content, path)
    return cassette_from(content, path)


def cassette_from(content: bytes, path: Path) -> Cassette:
    """The cassette that a file's content is; `path` is for its name and for messages.

    Raises:
        FormatError: As `read_cassette`.
    """
    if content.lstrip()[:1] in {b"{", b"["}:
        return _from_json(content, path)
    text = decode_text(content, path)
    head = head_and_rest(text)
    interactions = read_interactions(text, head[1]) if head else None
    if head is None or interactions is None:
        return _from_yaml(text, path)
    try:
        _, info = interactions_of(load_yaml(head[0], str(path)))
    except (FormatError, MisplacedError):
        return _from_yaml(text, path)  # says the same of the whole file, with its line
    return Cassette(path.name, with_body_folders(interactions, path), info)


def read_bounded(path: Path, largest: int = LARGEST_CASSETTE) -> bytes:
    """The content of a regular file, never more than `largest` bytes.

    Raises:
        FormatError: Not there, not a regular file, or too large.
    """
    try:
        if path.exists() and not path.is_file():
            raise FormatError(str(path), "is not a regular file")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            # a reader sets aside at once what it is told that it may read
            content = file.read(size + 1) if size <= largest else None
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    if content is None or len(content) > largest:
        raise FormatError(str(path), f"larger than {largest >> 20} MiB")
    return content


def decode_text(content: bytes, path: Path) -> str:
    """The text of a file.

    Raises:
        FormatError: It is not UTF-8; with the line.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8: {error.reason} at byte {error.start}"
        raise FormatError(f"{path}:{line}", message) from error


def _from_json(content: bytes, path: Path) -> Cassette:
    try:
        return _cassette(parse_json(content, path), path)
    except MisplacedError as error:
        raise FormatError(
            f"{path}#{pointer(error.place)}", error.message, hint=error.hint
        ) from error


def _from_yaml(text: str, path: Path) -> Cassette:
    if len(text) > LARGEST_FOREIGN:
        raise FormatError(
            str(path),
            f"larger than {LARGEST_FOREIGN >> 20} MiB, and not as this program writes it",
            hint="save it as JSON",
        )
    try:
        return _cassette(load_yaml(text, str(path)), path)
    except MisplacedError as error:
        where = f"{path}:{line_of(text, error.place)}"
        raise FormatError(where, _error_text(error), hint=error.hint) from error


def _cassette(value: Json, path: Path) -> Cassette:
    items, info = interactions_of(value)
    interactions: list[Interaction] = [
        interaction_of(item, ("interactions", number)) for number, item in enumerate(items)
    ]
    return Cassette(path.name, with_body_folders(tuple(interactions), path), info)


def _error_text(error: MisplacedError) -> str:
    """The message, with the interaction's number and the part of it."""
    if error.place[:1] != ("interactions",) or len(error.place) < 2:
        return error.message
    number = int(error.place[1]) + 1
    part = ".".join(map(str, error.place[2:]))
    return f"interaction {number}{f', {part}' if part else ''}: {error.message}"


def _without_unfinished(content: bytes, path: Path) -> bytes:
    """The content up to the end of its last whole interaction."""
    whole = content[: content.rfind(b"\n") + 1]
    last = whole.rfind(b"\n    ended: ")
    mark = whole.find(b"\n", last + 1) + 1 if last >= 0 else _after_head(whole)
    if mark == len(content):
        return content
    _log.warning("%s ends in the middle of an interaction, which is left out", path)
    return content[:mark]


def _after_head(content: bytes) -> int:
    head = b"\ninteractions:\n"
    place = content.find(head)
    return place + len(head) if place >= 0 else len(content)

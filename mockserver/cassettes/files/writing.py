"""Writes a cassette: whole, or not at all."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import orjson

from mockserver.cassettes.files.bodyfiles import brought_along
from mockserver.cassettes.files.emitting import cassette_text
from mockserver.cassettes.files.layout import cassette_mapping
from mockserver.errors import MockServerError
from mockserver.model import Cassette


def write_cassette(cassette: Cassette, path: Path) -> None:
    """Write a cassette as YAML, or as JSON where the name ends so.

    The file is there with all of its content or not at all; what was there before is replaced.
    Bodies that have files of their own are copied beside it before.

    Raises:
        MockServerError: It cannot be written, or a body's file is not what it was.
    """
    cassette = brought_along(cassette, path)
    as_json = path.suffix.lower() == ".json"
    write_whole(path, [cassette_json(cassette)] if as_json else cassette_text(cassette))


def cassette_json(cassette: Cassette) -> bytes:
    """A cassette as JSON, the same object as the YAML."""
    return orjson.dumps(cassette_mapping(cassette), option=orjson.OPT_INDENT_2) + b"\n"


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file under another name beside it, then give it its own.

    Raises:
        MockServerError: It cannot be written; what was there stays.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise MockServerError(f"{path} cannot be written: {error.strerror}") from error

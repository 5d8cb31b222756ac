"""Writes a cassette: whole, or not at all, and byte for byte the same for the same cassette.

The text of the head and the text of each interaction, one after the other, are the whole file; a
recorder appends them as they come.
"""

import os
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import orjson

from mockserver.cassettes.files.body_files import copy_bodies_beside
from mockserver.cassettes.files.layout import (
    cassette_mapping,
    facts_mapping,
    format_ms,
    group_headers,
    info_mapping,
    match_mapping,
)
from mockserver.cassettes.files.yaml_scalars import scalar, write_body
from mockserver.errors import MockServerError
from mockserver.model import (
    CASSETTE_VERSION,
    BodyFile,
    Cassette,
    CassetteInfo,
    Header,
    Interaction,
    Json,
    JsonMapping,
)

LONGEST_KEY = 1000
"""Characters; YAML readers take no longer text for a key on the line of its value."""


def header_block(info: CassetteInfo) -> bytes:
    """The text before the first interaction.

    A file of this alone holds a list without a value; `cassette_text` writes an empty one.
    """
    lines = [f"version: {CASSETTE_VERSION}"]
    match = match_mapping(info.match)
    if match:
        lines += ["match:", *_mapping_lines(match, "  ")]
    about = info_mapping(info)
    if about:
        lines += ["recorded_with:", *_mapping_lines(about, "  ")]
    lines.append("interactions:\n")
    return "\n".join(lines).encode()


def interaction_block(interaction: Interaction) -> bytes:
    """The text of one interaction; its last line is `ended`, so that a torn one can be told."""
    request, response = interaction.request, interaction.response
    if request.file:
        body = _file(request.file)
    else:
        body = write_body(request.body, 8) if request.body else " null"
    if response.file:
        answer = _file(response.file)
    else:
        answer = f"\n      string:{write_body(response.body, 8)}"
    facts = facts_mapping(interaction)
    lines = [
        f"- request:\n    body:{body}",
        *_headers("    ", request.headers),
        f"    method: {scalar(request.method)}",
        f"    uri: {scalar(request.url)}",
        f"  response:\n    body:{answer}",
        *_headers("    ", response.headers),
        f"    status:\n      code: {response.status}\n      message: {scalar(response.reason)}",
        "  recorded:",
        *(f"    {name}: {_fact(value)}" for name, value in facts.items()),
    ]
    return ("\n".join(lines) + "\n").encode()


def _file(file: BodyFile) -> str:
    return f"\n      file: {{sha256: '{file.digest}', bytes: {file.size}}}"


def cassette_text(cassette: Cassette) -> Iterator[bytes]:
    """The whole file, piece by piece.

    Yields:
        The head, then each interaction.
    """
    head = header_block(cassette.info)
    if not cassette.interactions:
        yield head[:-1] + b" []\n"
        return
    yield head
    for interaction in cassette.interactions:
        yield interaction_block(interaction)


def _headers(pad: str, headers: Iterable[Header]) -> Iterator[str]:
    values = group_headers(headers)
    if not values:
        yield f"{pad}headers: {{}}"
        return
    yield f"{pad}headers:"
    for name, given in values.items():
        yield _key(f"{pad}  ", name)
        for value in given:
            yield f"{pad}  - {scalar(value)}"


def _key(pad: str, name: str) -> str:
    written = scalar(name)
    return f"{pad}{written}:" if len(written) <= LONGEST_KEY else f"{pad}? {written}\n{pad}:"


def _fact(value: Json) -> str:
    if isinstance(value, list):
        return orjson.dumps(value).decode()
    return format_ms(value) if isinstance(value, float) else scalar(value)


def _mapping_lines(value: JsonMapping, pad: str) -> Iterator[str]:
    for name, item in value.items():
        key = _key(pad, name)
        if isinstance(item, dict) and item:
            yield key
            yield from _mapping_lines(item, f"{pad}  ")
        elif isinstance(item, list) and item:
            yield key
            yield from _list(item, pad)
        else:
            yield f"{key} {_leaf(item)}"


def _list(items: Iterable[Json], pad: str) -> Iterator[str]:
    for item in items:
        if isinstance(item, dict | list) and item:
            yield f"{pad}-"
            yield from (
                _mapping_lines(item, f"{pad}  ")
                if isinstance(item, dict)
                else _list(item, f"{pad}  ")
            )
        else:
            yield f"{pad}- {_leaf(item)}"


def _leaf(value: Json) -> str:
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, bytes):  # of a key that only another tool knows
        return f"!!binary {b64encode(value).decode('ascii') or repr('')}"
    return orjson.dumps(value).decode()


def _float(value: float) -> str:
    """A number that YAML takes for one: with a point before its exponent."""
    written = repr(value)
    mantissa, mark, exponent = written.partition("e")
    return written if not mark or "." in mantissa else f"{mantissa}.0e{exponent}"


def write_cassette(cassette: Cassette, path: Path) -> None:
    """Write a cassette as YAML, or as JSON where the name ends so.

    The file is there with all of its content or not at all; what was there before is replaced.
    Bodies that have files of their own are copied beside it before.

    Raises:
        MockServerError: It cannot be written, or a body's file is not what it was.
    """
    cassette = copy_bodies_beside(cassette, path)
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

"""Recognises a recording by its content, whatever wrote it, and reads it."""

import io
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mockserver.cassettes.files import body_files
from mockserver.cassettes.files.native_yaml import head_and_rest
from mockserver.cassettes.files.reader import (
    LARGEST_CASSETTE,
    LARGEST_FOREIGN,
    cassette_from,
    decode_text,
    read_bounded,
)
from mockserver.cassettes.files.values import MisplacedError, pointer
from mockserver.cassettes.foreign import (
    har,
    hoverfly,
    http_log,
    nock,
    postman,
    ruby,
    vcrpy,
    wiremock,
)
from mockserver.cassettes.foreign.common import Files, ImportedRecording, Source
from mockserver.errors import FormatError
from mockserver.model import Cassette, CassetteInfo, Json
from mockserver.plugins import Table, guarded, of_kind
from mockserver.storage.untrusted_json import parse_json
from mockserver.storage.untrusted_yaml import line_of, load_yaml


@dataclass(frozen=True, slots=True)
class RecordingFormat:
    """A format of recordings: what JSON or YAML files hold.

    Attributes:
        recognises: Whether a value is a recording of the format; looks at its beginning only.
        read: Reads it; raises MisplacedError for what cannot be used as a whole.
    """

    recognises: Callable[[Json], bool]
    read: Callable[[Json, Source], ImportedRecording]


def _accept(name: str, provided: Any) -> RecordingFormat:
    """The format of a plug-in."""
    found = of_kind(provided, RecordingFormat, "mockserver.cassettes.foreign.RecordingFormat")
    recognises = guarded(found.recognises, name, FORMATS.group)
    read = guarded(found.read, name, FORMATS.group, MisplacedError)
    return RecordingFormat(recognises, read)


FORMATS: Table[RecordingFormat] = Table(
    "understudy.recordings",
    {
        vcrpy.NAME: RecordingFormat(vcrpy.recognises, vcrpy.read),
        har.POLLY: RecordingFormat(har.recognises_polly, har.read_polly),
        har.NAME: RecordingFormat(har.recognises, har.read),
        ruby.BETAMAX: RecordingFormat(ruby.recognises_betamax, ruby.read),
        ruby.NAME: RecordingFormat(ruby.recognises, ruby.read),
        postman.NAME: RecordingFormat(postman.recognises, postman.read),
        hoverfly.NAME: RecordingFormat(hoverfly.recognises, hoverfly.read),
        nock.NAME: RecordingFormat(nock.recognises, nock.read),
        wiremock.NAME: RecordingFormat(wiremock.recognises, wiremock.read),
        http_log.NAME: RecordingFormat(http_log.recognises, http_log.read),
    },
    _accept,
)
"""The formats, in the order in which they are asked whether a file is theirs; plug-ins are asked
about what none of ours recognises."""

_ZIP = b"PK\x03\x04"
_UNPACKABLE = (
    zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError,
    ValueError, LookupError,
)  # fmt: skip
"""What unpacking a damaged archive raises."""
_MAPPINGS, _FILES = "mappings", "__files"


def read_foreign(path: Path, *, upstream: str = "") -> tuple[Cassette, ImportedRecording]:
    """Read a recording of any format that we know, this project's own among them.

    Args:
        path: The file, a ZIP archive with a HAR file in it, or the root folder of WireMock.
        upstream: `https://host[/prefix]`, for formats that name only paths.

    Returns:
        The cassette, and how it was found with what was left out.

    Raises:
        FormatError: It cannot be read, is none of `FORMATS`, or holds nothing that can be used.
    """
    if path.is_dir():
        files = _files_in(path / _FILES)
        return _cassette(path, wiremock.read(_read_folder(path), Source(files, upstream)))
    content = read_bounded(path)
    if content.startswith(_ZIP):
        content, files = _read_archive(content, path)
        return _read(content, path, Source(files, upstream))
    return _read(content, path, Source(_files_beside(path), upstream))


def _read(content: bytes, path: Path, source: Source) -> tuple[Cassette, ImportedRecording]:
    is_json = content.lstrip()[:1] in {b"{", b"["}
    text = "" if is_json else decode_text(content, path)
    if text and head_and_rest(text) is not None:
        try:
            cassette = cassette_from(content, path)
        except FormatError:
            pass  # changed by hand: what can be used of it is taken below
        else:
            return cassette, ImportedRecording(
                vcrpy.NAME, cassette.interactions, info=cassette.info
            )
    if len(text) > LARGEST_FOREIGN:
        raise FormatError(str(path), f"YAML larger than {LARGEST_FOREIGN >> 20} MiB")
    if http_log.recognises(text):
        value: Json = text
    else:
        value = parse_json(content, path) if is_json else load_yaml(text, str(path))
    try:
        return _cassette(path, _read_value(value, path, source))
    except MisplacedError as error:
        where = f"#{pointer(error.place)}" if is_json else f":{line_of(text, error.place)}"
        raise FormatError(f"{path}{where}", error.message, hint=error.hint) from error


def _read_value(value: Json, path: Path, source: Source) -> ImportedRecording:
    for name in FORMATS:
        if FORMATS[name].recognises(value):
            return FORMATS[name].read(value, source)
    raise FormatError(str(path), "no recording that we know", hint=f"known: {', '.join(FORMATS)}")


def _cassette(path: Path, imported: ImportedRecording) -> tuple[Cassette, ImportedRecording]:
    left_out = [note for note in imported.notes if note.endswith("left out")]
    if left_out and not imported.interactions:
        first = left_out[0].removesuffix("; left out")
        raise FormatError(f"{path}{first.partition(': ')[0]}", first.partition(": ")[2])
    info = imported.info or CassetteInfo(recorded_by=imported.recorded_by)
    return Cassette(
        path.name, body_files.with_body_folders(imported.interactions, path), info
    ), imported


def _read_folder(path: Path) -> Json:
    """All mappings of a folder, in the order of their names."""
    found = sorted((path / _MAPPINGS).rglob("*.json"))
    if not found:
        raise FormatError(str(path), "has no mappings/*.json", hint="name WireMock's root folder")
    mappings: list[Json] = []
    for file in found:
        value = parse_json(read_bounded(file, LARGEST_FOREIGN), file)
        if not wiremock.recognises(value):
            raise FormatError(str(file), "is no mapping of WireMock")
        mappings += value.get("mappings", [value])
    return {"mappings": mappings}


def _files_beside(path: Path) -> Files:
    """The files that a recording may name: those beside it, or `__files` beside `mappings`."""
    root = next((up.parent for up in path.parents if up.name == _MAPPINGS), path.parent)
    named = root / _FILES
    return _files_in(named if named.is_dir() else path.parent)


def _files_in(folder: Path) -> Files:
    def read(name: str) -> bytes:
        inside = folder.resolve()
        file = (inside / name).resolve()
        if not file.is_relative_to(inside) or not file.is_file():
            raise LookupError(name)
        return read_bounded(file, LARGEST_FOREIGN)

    return read


def _read_archive(content: bytes, path: Path) -> tuple[bytes, Files]:
    """The HAR file of an archive, as Playwright packs it, and the files beside it."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        names = [name for name in archive.namelist() if name.endswith(".har")]
    except (zipfile.BadZipFile, ValueError, LookupError, UnicodeDecodeError) as error:
        raise FormatError(str(path), f"not a ZIP archive: {error}") from error

    left = LARGEST_CASSETTE

    def read(name: str) -> bytes:
        nonlocal left
        try:
            with archive.open(name) as file:
                found = file.read(left + 1)
        except _UNPACKABLE as error:
            raise LookupError(name) from error
        left -= len(found)
        if left < 0:
            raise FormatError(str(path), f"unpacks to more than {LARGEST_CASSETTE >> 20} MiB")
        return found

    if len(names) != 1:
        raise FormatError(str(path), f"an archive with {len(names)} HAR files; it should hold one")
    try:
        return read(names[0]), read
    except LookupError as error:
        raise FormatError(str(path), f"{names[0]} in it cannot be unpacked") from error

"""Recognises a foreign recording by its content, and reads it."""

from collections.abc import Callable
from pathlib import Path

from mockserver.errors import FormatError
from mockserver.model import Cassette, CassetteInfo, Json
from mockserver.storage.cassettes.canonical import head_and_rest
from mockserver.storage.cassettes.foreign import har, postman, ruby, wiremock
from mockserver.storage.cassettes.foreign.imported import Imported
from mockserver.storage.cassettes.reading import (
    LARGEST_FOREIGN,
    cassette_from,
    decoded_text,
    json_value,
    pointer,
    read_bounded,
)
from mockserver.storage.cassettes.untrusted import line_of, load_yaml
from mockserver.storage.cassettes.values import MisplacedError

_Read = Callable[[Json], Imported]
FORMATS: dict[str, tuple[Callable[[Json], bool], _Read]] = {
    module.NAME: (module.recognises, module.read) for module in (har, ruby, postman)
}
# .NAME: module for module in (har, ruby, postman)}
"""Formats of one file; WireMock's may be a folder, and this project's own is read first."""
NAMES = ("cassette", *FORMATS, wiremock.NAME)


def read_foreign(path: Path, *, upstream: str = "") -> tuple[Cassette, Imported]:
    """Read a recording of any format that we know; a folder is one of WireMock.

    Args:
        path: The file, or the folder.
        upstream: `https://host[/prefix]`, for formats that name only paths.

    Returns:
        The cassette, and how it was found with what was left out.

    Raises:
        FormatError: It cannot be read, or is none of `NAMES`.
    """
    if path.is_dir():
        return _cassette(path, wiremock.read(_folder(path), _files(path), _known(upstream, path)))
    content = read_bounded(path)
    is_json = content.lstrip()[:1] in {b"{", b"["}
    text = "" if is_json else decoded_text(content, path)
    if len(text) > LARGEST_FOREIGN and head_and_rest(text) is None:
        raise FormatError(str(path), f"YAML larger than {LARGEST_FOREIGN >> 20} MiB")
    value = _value(content, text, path)
    if value is None or (isinstance(value, dict) and "interactions" in value):
        cassette = cassette_from(content, path)
        return cassette, Imported("cassette", cassette.interactions)
    try:
        return _cassette(path, _read(value, path, upstream))
    except MisplacedError as error:
        where = f"#{pointer(error.place)}" if is_json else f":{line_of(text, error.place)}"
        raise FormatError(f"{path}{where}", error.message, hint=error.hint) from error


def _value(content: bytes, text: str, path: Path) -> Json:
    """What the file holds; None where its first lines say that it is a cassette of ours."""
    if not text:
        return json_value(content, path) if content.strip() else {}
    return None if head_and_rest(text) else load_yaml(text, str(path))


def _read(value: Json, path: Path, upstream: str) -> Imported:
    for recognises, read in FORMATS.values():
        if recognises(value):
            return read(value)
    if wiremock.recognises(value):
        folder = path.parent.parent if path.parent.name == "mappings" else path.parent
        return wiremock.read(value, _files(folder), _known(upstream, path))
    raise FormatError(str(path), "no recording that we know", hint=f"known: {', '.join(NAMES)}")


def _cassette(path: Path, imported: Imported) -> tuple[Cassette, Imported]:
    info = CassetteInfo(recorded_by=imported.recorded_by)
    return Cassette(path.name, imported.interactions, info), imported


def _known(upstream: str, path: Path) -> str:
    if not upstream:
        raise FormatError(str(path), "names only paths", hint="say --upstream https://HOST")
    return upstream


def _folder(path: Path) -> Json:
    """All mappings of a folder, in the order of their names."""
    files = sorted((path / "mappings").rglob("*.json"))
    if not files:
        raise FormatError(str(path), "has no mappings/*.json", hint="name WireMock's root folder")
    mappings: list[Json] = []
    for file in files:
        value = json_value(read_bounded(file, LARGEST_FOREIGN), file)
        if not wiremock.recognises(value):
            raise FormatError(str(file), "is no mapping of WireMock")
        mappings += value.get("mappings", [value])
    return {"mappings": mappings}


def _files(folder: Path) -> wiremock.Files:
    def read(name: str) -> bytes:
        inside = (folder / "__files").resolve()
        file = (inside / name).resolve()
        if not file.is_relative_to(inside) or not file.is_file():
            raise LookupError(name)
        return read_bounded(file, LARGEST_FOREIGN)

    return read

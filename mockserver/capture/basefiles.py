"""Writes a snapshot as the base of a suite: one file a collection, each whole or not at all."""

import tempfile
from pathlib import Path

import orjson

from mockserver.errors import CaptureError, MockServerError
from mockserver.model import Json, JsonObject
from mockserver.storage import read_object

CAPTURED = "00-capture.json"
"""The file that tells when the snapshot was captured."""


def write_base(suite: Path, raw: JsonObject, *, replace: bool) -> tuple[Path, ...]:
    """Write a snapshot into `base/` of a suite; the folders are made.

    Args:
        suite: The suite's folder.
        raw: Collection to resources, and `capturedAt`.
        replace: Whether files of the same names may be replaced.

    Returns:
        The files, `capturedAt` first.

    Raises:
        MockServerError: There are base files that are not to be replaced, or one of another name
            holds one of the collections.
        CaptureError: A file cannot be written.
    """
    base = suite / "base"
    moment = {name: value for name, value in raw.items() if name == "capturedAt"}
    files: dict[Path, Json] = {base / CAPTURED: moment} if moment else {}
    files |= {base / f"{name}.json": {name: raw[name]} for name in raw if name not in moment}
    check_base(suite, replace=replace)
    _check(base, files, raw)
    try:
        base.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            write_json(path, content)
    except OSError as error:
        raise CaptureError(f"cannot write {base}: {error.strerror or error}") from error
    return tuple(files)


def check_base(suite: Path, *, replace: bool) -> None:
    """Refuse a folder whose base would not be replaced, before anything is asked for it.

    Raises:
        MockServerError: There are base files, and they are not to be replaced.
    """
    there = sorted((suite / "base").glob("*.json"))
    if there and not replace:
        raise MockServerError(
            f"{there[0]} is there already", hint="--replace, or write to a suite of its own"
        )


def _check(base: Path, files: dict[Path, Json], raw: JsonObject) -> None:
    """Refuse to write beside a file that holds one of the collections, too."""
    for path in sorted(base.glob("*.json")):
        held = [] if path in files else sorted(raw.keys() & read_object(path).keys())
        if held:
            raise MockServerError(
                f"{path} holds {', '.join(held)} already, and both would be merged",
                hint="delete it, or write to a suite of its own",
            )


def write_json(path: Path, content: Json) -> None:
    """Write one JSON file, indented; whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    text = orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        draft = Path(file.name)
        file.write(text)
    try:
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)

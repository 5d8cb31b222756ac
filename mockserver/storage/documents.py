"""Files that may be JSON or YAML, by their names."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from mockserver.errors import FormatError
from mockserver.model import Json
from mockserver.storage.untrusted_json import Place, lines_in_json, parse_json
from mockserver.storage.untrusted_yaml import lines_of, load_yaml

LARGEST_JSON = 32 * 1024 * 1024
LARGEST_YAML = 4 * 1024 * 1024
"""Bytes; YAML takes fifty times as long to read."""

YAML_ENDINGS = frozenset({".yaml", ".yml"})


def document_text(path: Path) -> str:
    """The text of a JSON or YAML file.

    Raises:
        FormatError: Not there, too large, not UTF-8.
    """
    largest = LARGEST_YAML if path.suffix in YAML_ENDINGS else LARGEST_JSON
    try:
        if path.stat().st_size > largest:
            is_yaml = largest == LARGEST_YAML
            hint = f"as JSON it may have {LARGEST_JSON >> 20} MiB" if is_yaml else "split it"
            raise FormatError(str(path), f"larger than {largest >> 20} MiB", hint=hint)
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(str(path), f"not UTF-8: {error.reason} at byte {error.start}") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FormatError(str(path), f"cannot be read: {reason}") from error


def parsed_document(text: str, path: Path) -> Json:
    """What the text of a JSON or YAML file stands for.

    Raises:
        FormatError: It is neither, nested too deeply, or has aliases without measure.
    """
    if path.suffix in YAML_ENDINGS:
        return load_yaml(text, str(path))
    return parse_json(text.encode(), path)


def read_document(path: Path) -> Json:
    """Read a JSON or YAML file.

    Raises:
        FormatError: Like `document_text` and `parsed_document`.
    """
    return parsed_document(document_text(path), path)


def places_in(path: Path, text: str, places: Iterable[Place]) -> Sequence[str]:
    """Where values of a file stand: `file:line#/pointer` of each, the line where it can be told."""
    wanted = list(places)
    lines: Sequence[int] = [0] * len(wanted)
    try:
        if path.suffix not in YAML_ENDINGS:
            lines = lines_in_json(text, wanted)
        elif len(text) <= LARGEST_YAML:
            lines = lines_of(text, wanted)
    except (yaml.YAMLError, RecursionError, ValueError, IndexError):  # a text of another kind
        pass
    return [
        f"{path}:{line}#{pointer_of(place)}" if line else f"{path}#{pointer_of(place)}"
        for place, line in zip(wanted, lines, strict=True)
    ]


def pointer_of(place: Iterable[str | int]) -> str:
    """A place as a JSON pointer: `/paths/~1pets/get`."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in place)

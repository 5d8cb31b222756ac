"""Reads the user's own rules of redaction: `redaction.yaml`, with the line of whatever is wrong."""

import re
from pathlib import Path

from mockserver.errors import FormatError
from mockserver.model import Json, JsonObject
from mockserver.redaction import RuleSet
from mockserver.storage.cassettes import line_of, load_yaml

FILE_NAME = "redaction.yaml"
_LARGEST = 1024 * 1024
_KEYS = ("rules", "off", "allow")
_PLACE = re.compile(r"([a-z]+)(?:\[(\d+)\])?(?:\.([a-z]+))?: ")


def redaction_rules(file: Path | None = None, suite: Path | None = None) -> RuleSet:
    """The default rules, changed by the user's.

    Args:
        file: Read instead of all others.
        suite: A suite's folder; its `redaction.yaml` goes before that of the current folder.

    Raises:
        FormatError: A file that cannot be read as rules, with the line.
    """
    if file is not None:
        return _parsed(_read(file), file)
    together: dict[str, list[Json]] = {key: [] for key in _KEYS}
    for path in _found(suite):
        document = _read(path)
        _parsed(document, path)
        for key in _KEYS:
            value = document.get(key, [])
            together[key] += value if isinstance(value, list) else []
    together["rules"] = _latest(together["rules"])
    return RuleSet.parsed(dict(together))


def _found(suite: Path | None) -> list[Path]:
    folders = dict.fromkeys(
        folder.resolve() for folder in (Path.cwd(), suite) if folder is not None
    )
    return [path for folder in folders if (path := folder / FILE_NAME).is_file()]


def _latest(rules: list[Json]) -> list[Json]:
    """Of rules of one name the last, and those of the last file first."""
    named = {rule["name"]: rule for rule in rules if isinstance(rule, dict)}
    return list(reversed(named.values()))


def _read(path: Path) -> JsonObject:
    text = _text(path)
    document = load_yaml(text, str(path))
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise FormatError(str(path), "expected a mapping with rules, off and allow")
    # to YAML a bare `off` is a boolean
    return {"off" if key is False else str(key): value for key, value in document.items()}


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise FormatError(str(path), f"larger than {_LARGEST >> 20} MiB")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(str(path), "not UTF-8") from error


def _parsed(document: JsonObject, path: Path) -> RuleSet:
    try:
        return RuleSet.parsed(document)
    except ValueError as error:
        message = str(error)
        raise FormatError(_where(path, message), message) from error


def _where(path: Path, message: str) -> str:
    """The file with the line of what a message speaks of."""
    match = _PLACE.match(message)
    if match is None:
        return str(path)
    key, number, field = match.groups()
    place: list[str | int] = [key]
    if number is not None:
        place.append(int(number))
    if field is not None:
        place.append(field)
    return f"{path}:{line_of(_text(path), tuple(place))}"

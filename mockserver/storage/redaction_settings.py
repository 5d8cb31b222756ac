"""A user's settings of redaction: the key that makes pseudonyms, the rules in `redaction.yaml`."""

import base64
import os
import re
import secrets
from pathlib import Path

import orjson

from mockserver.errors import FormatError, MockServerError
from mockserver.model import Json, JsonObject
from mockserver.redaction import RuleSet
from mockserver.storage.home import home_folder, private_folder, write_whole
from mockserver.storage.untrusted_yaml import line_of, load_yaml

VARIABLE = "MOCKSERVER_REDACTION_KEY"
"""Holds the key, any text; a team that shares cassettes shares it."""

_FILE = "redaction.key"
_OWNER_ONLY = 0o600
_BYTES = 32
_SHORTEST = 8
FILE_NAME = "redaction.yaml"
_LARGEST = 1024 * 1024
_KEYS = ("rules", "off", "on", "allow")
_PLACE = re.compile(r"([a-z]+)(?:\[(\d+)\])?(?:\.([a-z]+))?: ")


def redaction_key(*, create: bool) -> bytes | None:
    """The key: the text of `$MOCKSERVER_REDACTION_KEY`, or a private file in the home folder.

    Args:
        create: Whether one is made where there is none: captures make one, replays never do.

    Returns:
        None where there is none and none was to be made.

    Raises:
        MockServerError: The variable holds too little, the file cannot be read or is empty, others
            may read it, or it cannot be written.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given:
        return _check_length(given, VARIABLE)
    path = home_folder(os.environ) / _FILE
    if not path.exists():
        if not create:
            return None
        private_folder(path.parent)
        made = base64.urlsafe_b64encode(secrets.token_bytes(_BYTES)) + b"\n"
        # of two captures that begin at once, one makes it and both use it
        write_whole(path, made, mode=_OWNER_ONLY, replace=False)
    try:
        if path.stat().st_mode & 0o077:
            raise MockServerError(
                f"{path} may be read by others", hint=f"chmod 600 {path}, or remove it"
            )
        return _check_length(path.read_text(encoding="utf-8").strip(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise MockServerError(f"the redaction key {path} cannot be read") from error


def _check_length(text: str, where: str) -> bytes:
    if len(text) < _SHORTEST:
        raise MockServerError(
            f"the redaction key of {where} has fewer than {_SHORTEST} characters",
            hint="anybody could find out what its pseudonyms stand for",
        )
    return text.encode()


def redaction_rules(file: Path | None = None, suite: Path | None = None) -> RuleSet:
    """The default rules, changed by the user's.

    Args:
        file: Read instead of all others.
        suite: A suite's folder; its `redaction.yaml` goes before that of the current folder.

    Raises:
        FormatError: A file that cannot be read as rules, with the line.
    """
    if file is not None:
        return _parse_rules(_read_rules(file), file)
    together: dict[str, list[Json]] = {key: [] for key in _KEYS}
    for path in _rule_files(suite):
        document = _read_rules(path)
        _parse_rules(document, path)
        for key in _KEYS:
            value = document.get(key, [])
            together[key] += value if isinstance(value, list) else []
    together["rules"] = _last_of_each_name(together["rules"])
    return RuleSet.parse(dict(together))


def _rule_files(suite: Path | None) -> list[Path]:
    folders = dict.fromkeys(
        folder.resolve() for folder in (Path.cwd(), suite) if folder is not None
    )
    return [path for folder in folders if (path := folder / FILE_NAME).is_file()]


def _last_of_each_name(rules: list[Json]) -> list[Json]:
    """Of rules of one name the last, and those of the last file first."""
    named = {rule["name"]: rule for rule in rules if isinstance(rule, dict)}
    return list(reversed(named.values()))


def _read_rules(path: Path) -> JsonObject:
    text = _read_text(path)
    document = load_yaml(text, str(path))
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise FormatError(str(path), "expected a mapping with rules, off, on and allow")
    return document


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise FormatError(str(path), f"larger than {_LARGEST >> 20} MiB")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(str(path), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(str(path), "not UTF-8") from error


def _parse_rules(document: JsonObject, path: Path) -> RuleSet:
    try:
        return RuleSet.parse(document)
    except ValueError as error:
        message = str(error)
        raise FormatError(_message_place(path, message), message) from error


def _message_place(path: Path, message: str) -> str:
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
    return f"{path}:{line_of(_read_text(path), tuple(place))}"


def add_entry(path: Path, key: str, entry: JsonObject) -> str:
    """Add an entry to one of the lists of a user's rules; comments and order stay.

    Args:
        path: The file; it is made where there is none.
        key: `rules`, `off` or `allow`.
        entry: What to add.

    Returns:
        The line that was added, or an empty string where the file has the entry.

    Raises:
        FormatError: The file cannot be read, or is written so that nothing can be added to it.
    """
    line = f"- {orjson.dumps(entry).decode()}"
    text = _read_text(path) if path.exists() else ""
    held = _read_rules(path).get(key) if path.exists() else None
    if isinstance(held, list) and entry in held:
        return ""
    changed = _with_line(text, key, line)
    try:
        document = load_yaml(changed, str(path))
        added = isinstance(document, dict) and entry in document[key]
        RuleSet.parse(document)
    except (FormatError, ValueError, KeyError, TypeError, AttributeError):
        added = False
    if not added:
        raise FormatError(str(path), f"nothing can be added to it; add `{line}` under {key}")
    write_whole(path, changed.encode(), mode=0o644)
    return line


def _with_line(text: str, key: str, line: str) -> str:
    """A file's text with a line more in a list, in the way that the list is written."""
    found = re.search(rf"(?m)^{key}[ \t]*:[ \t]*(.*)$", text)
    if found is None:
        return text + ("\n" if text and not text.endswith("\n") else "") + f"{key}:\n{line}\n"
    if found[1].startswith("[") and found[1].rstrip() != "[]":
        at = found.start(1) + 1
        return f"{text[:at]}{line[2:]}, {text[at:]}"
    if found[1].rstrip() == "[]":
        return f"{text[: found.start(1)]}\n{line}{text[found.end(1) :]}"
    item = re.compile(r"\n(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]*)- ").match(text, found.end())
    pad = item[1] if item else ""
    return f"{text[: found.end()]}\n{pad}{line}{text[found.end() :]}"

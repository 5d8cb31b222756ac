"""Finds what leaks in a file of any kind: a cassette of any tool, a snapshot, a log."""

from collections.abc import Iterator
from pathlib import Path

import orjson

from mockserver.errors import FormatError
from mockserver.model import Cassette, Json
from mockserver.redaction import Gate, Leak, Redactor, RuleSet, Secret
from mockserver.storage.cassettes import load_yaml
from mockserver.storage.cassettes.foreign import read_foreign
from mockserver.storage.cassettes.reading import read_bounded

LARGEST = 256 * 1024 * 1024
"""Bytes; a larger file is not looked into."""

_KEY = b"no pseudonym made with it is ever kept"
_YAML = frozenset({".yaml", ".yml"})

Found = tuple[str, tuple[Secret, ...]]
"""Where in a file a redactor would replace something, and what."""


def file_leaks(path: Path, rules: RuleSet) -> tuple[Leak, ...]:
    """What is left in a file that the rules would replace, or that looks like a secret.

    A file is looked at twice: as bytes, through all codings; and, where it is a cassette, JSON or
    YAML, by the names of its fields, as a redactor would.

    Args:
        path: The file.
        rules: What a secret is.

    Raises:
        FormatError: It cannot be read, or is too large.
    """
    content = read_bounded(path, LARGEST)
    leaks = dict.fromkeys(Gate(rules).scan(content))
    found = list(replaced(path, content, rules))
    known = Gate(rules, unknown=False)
    known.learn(secret for _, secrets in found for secret in secrets)
    placed = known.scan(content) if found else ()
    leaks.update(dict.fromkeys(placed))
    kinds = {leak.kind for leak in leaks}
    for where, secrets in found:
        for kind in {secret.kind for secret in secrets} - kinds:
            leaks[Leak(where, kind, "by the name of its field")] = None
    return tuple(leaks)


def replaced(path: Path, content: bytes, rules: RuleSet) -> Iterator[Found]:
    """What a redactor would replace in a file, interaction by interaction where it has any.

    Yields:
        Where, and what; nothing that is a pseudonym already.
    """
    redactor = Redactor(rules, _KEY)
    cassette = _as_cassette(path)
    if cassette is None:
        value = _as_value(path, content)
        if value is None:
            redactor.text(content.decode("utf-8", "replace"))
        else:
            redactor.json(value)
        yield from _new(redactor, 0, "the file")
        return
    for number, interaction in enumerate(cassette.interactions, 1):
        before = len(redactor.seen)
        redactor.interaction(interaction)
        yield from _new(redactor, before, f"interaction {number}")


def _new(redactor: Redactor, before: int, where: str) -> Iterator[Found]:
    if secrets := tuple(redactor.seen.secrets(before)):
        yield where, secrets


def _as_cassette(path: Path) -> Cassette | None:
    try:
        return read_foreign(path)[0]
    except FormatError:
        return None


def _as_value(path: Path, content: bytes) -> Json:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    if path.suffix not in _YAML:
        return None
    try:
        return load_yaml(content.decode("utf-8", "replace"), str(path))
    except FormatError:
        return None

"""Finds what leaks in a file of any kind: a cassette of any tool, a snapshot, a log."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import orjson

from mockserver.errors import FormatError
from mockserver.model import Cassette, Header, Interaction, Json
from mockserver.redaction import (
    Gate,
    Leak,
    Redactor,
    RuleSet,
    Secret,
    generalise,
    pseudonyms_in,
)
from mockserver.storage.cassettes import load_yaml
from mockserver.storage.cassettes.foreign import read_foreign
from mockserver.storage.cassettes.reading import read_bounded
from mockserver.storage.reading import parsed_json

LARGEST = 256 * 1024 * 1024
"""Bytes; a larger file is not looked into."""

_KEY = b"no pseudonym made with it is ever kept"
_YAML = frozenset({".yaml", ".yml"})

_PARTS: dict[str, Callable[[Interaction], str]] = {
    "request URL": lambda interaction: interaction.request.url,
    "request headers": lambda interaction: _lines(interaction.request.headers),
    "request body": lambda interaction: interaction.request.body.decode("latin-1"),
    "response headers": lambda interaction: _lines(interaction.response.headers),
    "response body": lambda interaction: interaction.response.body.decode("latin-1"),
}
Found = tuple[str, tuple[Secret, ...]]
"""Where in a file a redactor would replace something, and what of it nothing else is like."""


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
        missing = {secret.kind for secret in secrets} - kinds
        for kind in missing or (() if secrets else ("secret",)):
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
        yield from _whole(redactor, content, _as_value(path, content))
        return
    for number, interaction in enumerate(cassette.interactions, 1):
        before = len(redactor.seen)
        redacted = redactor.interaction(interaction)
        parts = [part for part, of in _PARTS.items() if of(redacted) != of(interaction)]
        if not parts:
            continue
        secrets = tuple(redactor.seen.secrets(before))
        if secrets or any(_opens(of(interaction), of(redacted)) for of in _PARTS.values()):
            yield f"interaction {number}, {', '.join(parts)}", secrets


def _opens(before: str, after: str) -> bool:
    """Whether a credential was replaced; other short values that say nothing are let pass."""
    known = frozenset(pseudonyms_in(before))
    new = (pseudonym for pseudonym in pseudonyms_in(after) if pseudonym not in known)
    return any(generalise(pseudonym, credentials_only=True) != pseudonym for pseudonym in new)


def _whole(redactor: Redactor, content: bytes, value: Json) -> Iterator[Found]:
    if value is None:
        text = content.decode("utf-8", "replace")
        redacted = redactor.text(text)
    else:
        text = orjson.dumps(value).decode()
        redacted = orjson.dumps(redactor.json(value)).decode()
    secrets = tuple(redactor.seen.secrets())
    if secrets or _opens(text, redacted):
        yield "the file", secrets


def _lines(headers: tuple[Header, ...]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in headers)


def _as_cassette(path: Path) -> Cassette | None:
    try:
        return read_foreign(path)[0]
    except FormatError:
        return None


def _as_value(path: Path, content: bytes) -> Json:
    with suppress(FormatError):
        return parsed_json(content, path)
    if path.suffix not in _YAML:
        return None
    try:
        held = load_yaml(content.decode("utf-8", "replace"), str(path))
        # bytes of YAML as text, so that what is compared is JSON
        return orjson.loads(orjson.dumps(held, default=lambda each: each.decode("latin-1")))
    except FormatError:
        return None

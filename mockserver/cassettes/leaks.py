"""Finds what leaks in a file of any kind: a cassette of any tool, a snapshot, a log."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import orjson

from mockserver.cassettes.files.body_files import body_path, open_body, read_pieces
from mockserver.cassettes.files.reader import read_bounded
from mockserver.cassettes.foreign import read_foreign
from mockserver.errors import FormatError
from mockserver.model import Cassette, Header, Interaction, Json
from mockserver.redaction import (
    InteractionSanitizer,
    Leak,
    LeakGate,
    Redactor,
    RuleSet,
    Secret,
    find_pseudonyms,
    generalise_pseudonyms,
)
from mockserver.redaction.explanation import Explainer, Replacement
from mockserver.redaction.large_bodies import LargeBody, NotRedactableError
from mockserver.storage.untrusted_json import parse_json
from mockserver.storage.untrusted_yaml import load_yaml

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
Replaceable = tuple[str, tuple[Secret, ...]]
"""Where in a file a redactor would replace something, and what of it nothing else is like."""


def file_leaks(path: Path, rules: RuleSet) -> tuple[Leak, ...]:
    """What is left in a file that the rules would replace, or that looks like a secret.

    A file is looked at twice: as bytes, through all codings; and, where it is a cassette, JSON or
    YAML, by the names of its fields, as a redactor would.

    Raises:
        FormatError: It cannot be read, or is too large.
        MockServerError: The file of a body is not there, or has another content.
    """
    content = read_bounded(path, LARGEST)
    leaks = dict.fromkeys(LeakGate(rules).scan(content))
    cassette = _cassette_or_none(path)
    held = _value_or_none(path, content) if cassette is None else cassette
    found = list(find_replaceable(held, content, rules))
    known = LeakGate(rules, unknown=False)
    known.learn(secret for _, secrets in found for secret in secrets)
    placed = known.scan(content) if found else ()
    leaks.update(dict.fromkeys(placed))
    kinds = {leak.kind for leak in leaks}
    for where, secrets in found:
        missing = {secret.kind for secret in secrets} - kinds
        for kind in missing or (() if secrets else ("secret",)):
            leaks[Leak(where, kind, "by the name of its field")] = None
    if cassette is not None:
        leaks.update(dict.fromkeys(_body_leaks(cassette, rules)))
    return tuple(leaks)


def _body_leaks(cassette: Cassette, rules: RuleSet) -> Iterator[Leak]:
    """What is left in the files of a cassette's large bodies; each is looked at piece by piece.

    Yields:
        Each kind of secret in each file.
    """
    for number, each in enumerate(cassette.interactions, 1):
        for part, message in (("request body", each.request), ("response body", each.response)):
            if message.file is None:
                continue
            where = f"interaction {number}, {part} in {body_path(message.file).name}"
            redactor = Redactor(rules, _KEY)
            large = LargeBody(InteractionSanitizer(redactor), message.headers, part)
            try:
                for piece in read_pieces(open_body(message.file)):
                    large.feed(piece)
                large.end()
            except NotRedactableError as error:
                yield Leak(where, "unread", error.reason)
            kinds = [secret.kind for secret in redactor.seen.secrets()]
            kinds += [question.kind for question in large.questions]
            yield from (Leak(where, kind, "as it is") for kind in dict.fromkeys(kinds))


def find_replaceable(
    held: Cassette | Json, content: bytes, rules: RuleSet
) -> Iterator[Replaceable]:
    """What a redactor would replace in a file, interaction by interaction where it has any.

    Args:
        held: What the file was read as: a cassette, JSON, or None for a text.
        content: The text.
        rules: What a secret is.

    Yields:
        Where, and what; nothing that is a pseudonym already.
    """
    redactor = Redactor(rules, _KEY)
    if not isinstance(held, Cassette):
        yield from _whole_file(redactor, content, held)
        return
    for number, interaction in enumerate(held.interactions, 1):
        before = len(redactor.seen)
        redacted = redactor.redact_interaction(interaction)
        parts = [part for part, of in _PARTS.items() if of(redacted) != of(interaction)]
        if not parts:
            continue
        secrets = tuple(redactor.seen.secrets(before))
        if secrets or any(
            _replaces_credential(of(interaction), of(redacted)) for of in _PARTS.values()
        ):
            yield f"interaction {number}, {', '.join(parts)}", secrets


def explain_file(path: Path, rules: RuleSet) -> list[Replacement]:
    """What a redactor would replace in a file, each with its place and the rule that fires.

    Args:
        path: The file: a cassette of any tool, JSON, YAML, or a text.
        rules: What a secret is.

    Raises:
        FormatError: It cannot be read, or is too large.
    """
    content = read_bounded(path, LARGEST)
    explainer = Explainer(rules)
    cassette = _cassette_or_none(path)
    if cassette is not None:
        explainer.explain_interactions(cassette.interactions)
    elif (value := _value_or_none(path, content)) is not None:
        explainer.explain_json(value)
    else:
        explainer.explain_text(content.decode("utf-8", "replace"))
    return explainer.replacements


def _replaces_credential(before: str, after: str) -> bool:
    """Whether a credential was replaced; other short values that say nothing are let pass."""
    known = frozenset(find_pseudonyms(before))
    new = (pseudonym for pseudonym in find_pseudonyms(after) if pseudonym not in known)
    return any(
        generalise_pseudonyms(pseudonym, credentials_only=True) != pseudonym for pseudonym in new
    )


def _whole_file(redactor: Redactor, content: bytes, value: Json) -> Iterator[Replaceable]:
    if value is None:
        text = content.decode("utf-8", "replace")
        redacted = redactor.redact_text(text)
    else:
        text = orjson.dumps(value).decode()
        redacted = orjson.dumps(redactor.redact_json(value)).decode()
    secrets = tuple(redactor.seen.secrets())
    if secrets or _replaces_credential(text, redacted):
        yield "the file", secrets


def _lines(headers: tuple[Header, ...]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in headers)


def _cassette_or_none(path: Path) -> Cassette | None:
    try:
        return read_foreign(path)[0]
    except FormatError:
        return None


def _value_or_none(path: Path, content: bytes) -> Json:
    with suppress(FormatError):
        return parse_json(content, path)
    if path.suffix not in _YAML:
        return None
    try:
        held = load_yaml(content.decode("utf-8", "replace"), str(path))
        # bytes of YAML as text, so that what is compared is JSON
        return orjson.loads(orjson.dumps(held, default=lambda each: each.decode("latin-1")))
    except FormatError:
        return None

"""Takes over a recording that was not made here: the same road to disk as a capture."""

from dataclasses import replace
from pathlib import Path

from mockserver.errors import LeakError, MockServerError
from mockserver.messages import decoded
from mockserver.model import Cassette, Interaction
from mockserver.redaction import Redactor, find_leaks
from mockserver.storage.cassettes import write_cassette
from mockserver.storage.cassettes.emitting import cassette_text
from mockserver.storage.cassettes.writing import cassette_json


def write_redacted(cassette: Cassette, path: Path, redactor: Redactor) -> int:
    """Redact a recording and write it, unless a secret is left.

    Args:
        cassette: As it was read.
        path: The cassette to write.
        redactor: Replaces what is secret.

    Returns:
        How many different values were replaced.

    Raises:
        LeakError: A secret is left; nothing is written.
        MockServerError: The cassette was redacted with another key, or cannot be written.
    """
    made = redacted(cassette, redactor)
    content = cassette_json(made) if path.suffix.lower() == ".json" else _text(made)
    secrets = tuple(redactor.seen.secrets())
    leaks = find_leaks(content, secrets, rules=redactor.rules)
    if leaks:
        raise LeakError(
            f"{path} is not written, secrets are left",
            [str(leak) for leak in leaks],
            hint="add rules for them to redaction.yaml",
        )
    write_cassette(made, path)
    return len(secrets)


def redacted(cassette: Cassette, redactor: Redactor) -> Cassette:
    """A recording without secrets; bodies with content coding are opened.

    Raises:
        MockServerError: It was redacted with another key.
    """
    its = cassette.info.key_id
    if its and its != redactor.key_id:
        raise MockServerError(
            f"{cassette.name} was redacted with key {its}, and this is key {redactor.key_id}",
            hint="set MOCKSERVER_REDACTION_KEY to that key",
        )
    info = cassette.info
    stated = replace(
        info,
        key_id=redactor.key_id,
        upstream=redactor.target(info.upstream) if info.upstream else "",
        plan=redactor.json(info.plan),
        extra=redactor.json(info.extra),
    )
    kept = tuple(redactor.interaction(_opened(item)) for item in cassette.interactions)
    return replace(cassette, interactions=kept, info=stated)


def _opened(interaction: Interaction) -> Interaction:
    """With bodies as the redactor reads them, where another tool kept them as they came."""
    request, response = interaction.request, interaction.response
    if not request.coding:
        headers, body, coding = decoded(request.headers, request.body)
        request = replace(request, headers=headers, body=body, coding=coding)
    if not response.coding and not response.chunks:
        headers, body, coding = decoded(response.headers, response.body)
        response = replace(response, headers=headers, body=body, coding=coding)
    return replace(interaction, request=request, response=response)


def _text(cassette: Cassette) -> bytes:
    return b"".join(cassette_text(cassette))

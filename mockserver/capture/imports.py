"""Takes over a recording that was not made here: the same road to disk as a capture."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mockserver.capture.bodies import kept_once_more, publish_bodies
from mockserver.capture.recordings import review_of
from mockserver.cassettes.files import header_block, write_cassette
from mockserver.cassettes.files.body_files import bodies_folder
from mockserver.errors import LeakError, MockServerError
from mockserver.messages import decoded
from mockserver.model import Cassette, Interaction
from mockserver.redaction import Question, Redactor, Screen, find_leaks, questions_of


class Imported(NamedTuple):
    """What came of a recording.

    Attributes:
        replaced: How many different values were replaced.
        asked: What is in question: method and URL of each request, and the question.
        questioned: How many interactions are in question, and in the review file.
        dropped: Requests that were left out, redacted, each with the reason.
    """

    replaced: int
    asked: tuple[tuple[str, Question], ...]
    questioned: int
    dropped: tuple[str, ...]


def write_redacted(cassette: Cassette, path: Path, redactor: Redactor) -> Imported:
    """Redact a recording and write it; what is in question goes to the review file.

    Args:
        cassette: As it was read.
        path: The cassette to write.
        redactor: Replaces what is secret.

    Raises:
        LeakError: A secret is left in what it says of itself; nothing is written.
        MockServerError: The cassette was redacted with another key, or cannot be written.
    """
    made = redacted(cassette, redactor)
    screen = Screen(redactor)
    screened = tuple(screen.again(each) for each in made.interactions)
    screened = tuple(screen.again(each) for each in screened)  # with what the last ones taught
    leaks = [
        leak
        for leak in find_leaks(header_block(made.info), rules=redactor.rules)
        if leak.is_certain
    ]
    if leaks:
        raise LeakError(
            f"{path} is not written, secrets are left in what it says of itself",
            [str(leak) for leak in leaks],
            hint="add rules for them to redaction.yaml",
        )
    dropped: dict[str, None] = {}
    filed = (kept_once_more(each, screen, bodies_folder(path), dropped) for each in screened)
    screened = tuple(each for each in filed if each is not None)
    sound = tuple(each for each in screened if not each.review)
    questioned = tuple(each for each in screened if each.review)
    if sound or not questioned:
        write_cassette(replace(made, interactions=sound), path)
    if questioned:
        write_cassette(replace(made, interactions=questioned), review_of(path))
    asked = tuple(
        (f"{each.request.method} {each.request.url}", question)
        for each in questioned
        for question in questions_of(each)
    )
    publish_bodies(path)
    replaced = len(tuple(redactor.seen.secrets()))
    return Imported(replaced, asked, len(questioned), tuple(dropped))


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
    kept = tuple(redactor.interactions([_opened(item) for item in cassette.interactions]))
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

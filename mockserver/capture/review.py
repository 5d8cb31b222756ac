"""Answers the questions that a capture left: what only looked like a secret, and what is one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mockserver.capture.bodies import publish_bodies, restore_body_files
from mockserver.capture.recordings import review_path, sort_interactions
from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.cassettes.files.body_files import bodies_folder
from mockserver.errors import FormatError, MockServerError
from mockserver.model import Interaction
from mockserver.redaction import Question, Redactor, RestoringSanitizer, Secret, questions_of
from mockserver.storage.redaction_settings import add_entry

_EXAMPLES = 3
"""Requests that are named of each question."""


class QuestionGroup(NamedTuple):
    """Questions that have one answer.

    Attributes:
        question: The first of them.
        requests: Method and URL of each request that it is about, redacted.
    """

    question: Question
    requests: tuple[str, ...]


def group_questions(questions: Iterable[tuple[str, Question]]) -> tuple[QuestionGroup, ...]:
    """Questions by what they have in common, in the order of the first of each."""
    found: dict[tuple[str, str, str], tuple[Question, dict[str, None]]] = {}
    for request, question in questions:
        found.setdefault(question.key, (question, {}))[1][request] = None
    return tuple(QuestionGroup(question, tuple(requests)) for question, requests in found.values())


def question_lines(cassette: Path, questions: Iterable[tuple[str, Question]]) -> Iterator[str]:
    """Lines about what is in question, with the commands that answer it.

    Yields:
        Each question with its requests, then the commands.
    """
    for number, (question, requests) in enumerate(group_questions(questions), 1):
        yield f"  {number}. {question}"
        yield from (f"       {request}" for request in requests[:_EXAMPLES])
        if len(requests) > _EXAMPLES:
            yield f"       and {len(requests) - _EXAMPLES} more"
        yield f"     no secret: understudy capture review {cassette} --accept {number}"
        yield f"     a secret:  understudy capture review {cassette} --secret {number}"


def open_questions(cassette: Path) -> list[tuple[str, Question]]:
    """What is in question about a cassette: method and URL of the request, and the question.

    Raises:
        FormatError: There is no such cassette, or the review file cannot be read.
    """
    review = review_path(cassette)
    if not review.exists():
        if not cassette.is_file():
            raise FormatError(str(cassette), "is no file", hint="name the cassette of a capture")
        return []
    return [
        (f"{each.request.method} {each.request.url}", question)
        for each in read_cassette(review).interactions
        for question in questions_of(each)
    ]


class ReviewOutcome(NamedTuple):
    """What came of an answer.

    Attributes:
        moved: How many interactions went into the cassette.
        left: How many are still in question.
        rule: What was added to the user's rules, or an empty string.
    """

    moved: int
    left: int
    rule: str


def answer_question(
    cassette: Path, number: int, redactor: Redactor, rules: Path, *, secret: bool
) -> ReviewOutcome:
    """Answer one question; interactions without any other go into the cassette.

    Args:
        cassette: The cassette.
        number: Which question, as they are listed.
        redactor: Of the key that the capture was redacted with.
        rules: The user's rules; an entry is added, so that it is not asked again.
        secret: Whether it is a secret; else the values are put back.

    Raises:
        MockServerError: There is no such question, it was sealed with another key, or a file cannot
            be written.
    """
    review = review_path(cassette)
    known = group_questions(open_questions(cassette))
    if not 1 <= number <= len(known):
        raise MockServerError(f"{cassette} has no question {number}", hint=f"it has {len(known)}")
    question = known[number - 1].question
    rule = _add_rule(question, rules, secret=secret)
    kept = read_cassette(review)
    values = {} if secret else _unseal_values(question, kept.interactions, redactor)
    folder = bodies_folder(cassette)
    answered = [
        _without_question(each, question, redactor, values, folder) for each in kept.interactions
    ]
    done = tuple(each for each in answered if not each.review)
    left = tuple(each for each in answered if each.review)
    if done:
        whole = read_cassette(cassette) if cassette.exists() else replace(kept, interactions=())
        write_cassette(
            replace(whole, interactions=sort_interactions((*whole.interactions, *done))), cassette
        )
    if left:
        write_cassette(replace(kept, interactions=left), review)
    else:
        review.unlink()
    publish_bodies(cassette)
    return ReviewOutcome(len(done), len(left), rule)


def _add_rule(question: Question, rules: Path, *, secret: bool) -> str:
    if not question.shape:
        return ""
    if not secret:
        field = {"field": question.field} if question.field else {}
        return add_entry(rules, "allow", {"kind": question.kind, "shape": question.shape, **field})
    if not question.field:
        return ""
    entry = {"name": f"review {question.field}", "kind": "token", "fields": [question.field]}
    return add_entry(rules, "rules", {**entry, "credential": True})


def _unseal_values(
    question: Question, interactions: Sequence[Interaction], redactor: Redactor
) -> dict[str, Secret]:
    """What the pseudonyms stand for that a question is about."""
    values: dict[str, Secret] = {}
    for interaction in interactions:
        for each in questions_of(interaction):
            if each.key == question.key and each.sealed:
                try:
                    values |= redactor.unseal(each.sealed)
                except ValueError as error:
                    raise MockServerError(
                        f"the values cannot be put back: {error}",
                        hint="set MOCKSERVER_REDACTION_KEY to the key of the capture, or keep the"
                        " pseudonyms with --secret",
                    ) from error
    return values


def _without_question(
    interaction: Interaction,
    question: Question,
    redactor: Redactor,
    values: dict[str, Secret],
    folder: Path,
) -> Interaction:
    asked = questions_of(interaction)
    left = tuple(each.as_json() for each in asked if each.key != question.key)
    if len(left) == len(interaction.review):
        return interaction
    answered = replace(interaction, review=left)
    if not values:
        return answered
    sanitizer = RestoringSanitizer(redactor, values)
    return restore_body_files(sanitizer.sanitize_again(answered), sanitizer, folder)

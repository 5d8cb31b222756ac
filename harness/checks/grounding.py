"""Whether what an answer quotes has a source in the trial."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

import orjson

from harness.checks.phrases import quoted
from harness.checks.quotations import occurs, quotations, texts_of
from harness.checks.replies import is_blank, no_reply, replies_of, shown
from harness.checks.results import not_evaluated, verdict
from harness.model import CheckResult, Grounding, PatternError, TrialRecord

_BINARY = "base64:"
_NAMED = 10


def check_grounding(record: TrialRecord, expectation: Grounding) -> CheckResult:
    """Whether each quotation stands in a response of the server, or in what the user said.

    What the agent itself reports of tool results is no source. `ungrounded` in the numbers lists
    what has none. Where responses were not kept, nothing is decided against the agent.
    """
    replies = replies_of(record, expectation.turn)
    if not replies or is_blank(replies):
        return not_evaluated(expectation, no_reply(expectation.turn))
    if not record.session:
        return not_evaluated(expectation, "no mock session was open, so nothing was sent")
    try:
        found = quotations(shown(replies), expectation.kinds, expectation.patterns)
    except PatternError as error:
        return not_evaluated(expectation, f"a pattern of the case cannot be used: {error}")
    sources = "\n".join(_sources(record)).casefold()
    missing = [
        piece
        for piece in found
        if not _is_allowed(piece, expectation.allow) and not occurs(piece, sources)
    ]
    numbers = {"quoted": len(found), "ungrounded": missing}
    if missing and _lacks_responses(record):
        return not_evaluated(expectation, "not all responses of the server were kept", **numbers)
    problems = [f"no source in this trial has {quoted(missing[:_NAMED])}"] if missing else []
    if len(found) < expectation.min:
        problems.append(f"{len(found)} quotations, at least {expectation.min} expected")
    return verdict(expectation, "; ".join(problems), **numbers)


def _sources(record: TrialRecord) -> Iterator[str]:
    for reply in record.replies:
        yield reply.prompt
    for body in record.journal.bodies.values():
        if not body.startswith(_BINARY):
            yield from _texts(body)


def _texts(body: str) -> list[str]:
    try:
        return texts_of(orjson.loads(body))
    except orjson.JSONDecodeError:
        return [body]


def _lacks_responses(record: TrialRecord) -> bool:
    journal = record.journal
    return bool(journal.evicted) or any(
        entry.response_bytes and entry.response_ref not in journal.bodies
        for entry in journal.entries
    )


def _is_allowed(piece: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(piece.casefold(), glob.casefold()) for glob in globs)

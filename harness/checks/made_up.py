"""Whether a check passed only by answers that the server made up of a document's examples."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from harness.checks.expectation import AnyExpectation
from harness.checks.grounding import find_origins
from harness.checks.phrases import quote_names
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord
from mockserver.model import JournalEntry

_BATCH = "batch"
_NO_ANSWERS = frozenset({"control", "none"})
_REFUSED = 400
_NAMED = 3


def answered_requests(record: TrialRecord) -> Iterator[JournalEntry]:
    """The requests of a trial's agent that the server answered.

    Yields:
        Each; the parts of a batch in its place, and not what a tool asked in turn.
    """
    entries = record.journal.entries
    batches = {entry.seq for entry in entries if entry.method_id == _BATCH}
    for entry in entries:
        is_own = entry.parent is None or entry.parent in batches
        if is_own and entry.seq not in batches and entry.source not in _NO_ANSWERS:
            yield entry


def made_up_answers(record: TrialRecord) -> Iterator[JournalEntry]:
    """Those of them that no data of the suite answered.

    Yields:
        Each; refusals are none.
    """
    for entry in answered_requests(record):
        if entry.source == "synthesis" and entry.status < _REFUSED:
            yield entry


def made_up_note(
    record: TrialRecord,
    expectation: AnyExpectation,
    result: CheckResult,
    run: Callable[[TrialRecord, Any], CheckResult],
) -> str:
    """What a reader must know of a check that was met; empty where data of the suite bear it."""
    if not result.is_met or not (expectation.rests_on_answers or expectation.text_field):
        return ""
    names = list(dict.fromkeys(entry.method_id or entry.path for entry in made_up_answers(record)))
    if not names:
        return ""
    if expectation.rests_on_answers:
        if not _fails(run(_without(record, names), expectation)):
            return ""
        needed = [each for each in names if _fails(run(_without(record, [each]), expectation))]
        return f"passed only by answers that were made up: {_listed(needed or names)}"
    texts: tuple[str, ...] = getattr(expectation, expectation.text_field)
    served = find_origins(record, texts)
    borne = find_origins(_without(record, names), texts)
    alone = [each for each in texts if served[each].is_source and not borne[each].text]
    if not alone:
        return ""
    return f"only answers that were made up hold {quote_names(alone)}: {_listed(names)}"


def _without(record: TrialRecord, names: Collection[str]) -> TrialRecord:
    """A trial in which some methods got no made-up answers."""
    entries = tuple(
        entry
        for entry in record.journal.entries
        if entry.source != "synthesis" or (entry.method_id or entry.path) not in names
    )
    journal = record.journal.model_copy(update={"entries": entries})
    return record.model_copy(update={"journal": journal})


def _fails(result: CheckResult) -> bool:
    return result.status != "not_evaluated" and not result.is_met


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"

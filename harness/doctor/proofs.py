"""From control trials to findings: cases that prove nothing. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from harness.doctor.bench import Seen
from harness.doctor.controls import Control
from harness.doctor.diagnosis import Finding
from harness.doctor.reading import answers
from harness.doctor.wording import named
from harness.model import Case, ToolCalls


def passed_on_base(
    seen: Mapping[str, Seen], controls: Mapping[str, Control], agent: str
) -> Iterator[Finding]:
    """Cases that are passed without what they add to the base.

    A case that adds faults alone may be about living with them: then the answer is the same.

    Yields:
        A finding for each.
    """
    for id, trial in seen.items():
        if trial.passed:
            faults = controls[id].only_faults
            lacking = "its faults" if faults else "what the case adds to it"
            yield Finding(
                rule="base-alone",
                level="warning" if faults else "error",
                case=id,
                message=f"{agent} passes on the base alone, without {lacking}",
            )


def passed_with_canaries(
    seen: Mapping[str, Seen], controls: Mapping[str, Control], agent: str
) -> Iterator[Finding]:
    """Cases whose answer did not change although what they ask for did.

    Yields:
        A finding for each.
    """
    for id, trial in seen.items():
        if trial.passed:
            changed = [f"{value} -> {other}" for value, other in controls[id].changed]
            yield Finding(
                rule="canaries",
                level="error",
                case=id,
                message=f"{agent} passes although its world was changed: {named(changed)}",
            )


def passed_on_nothing(
    seen: Mapping[str, Seen], normal: Mapping[str, Seen], cases: Iterable[Case], agent: str
) -> Iterator[Finding]:
    """Cases that are passed in an empty world; some are about what is not there.

    A case that demands calls of tools, and for which the mock server is asked nothing even in its
    own world, is about tools of the agent's own: no world says anything about it.

    Yields:
        A finding for each.
    """
    for case in cases:
        if case.id not in seen or not seen[case.id].passed:
            continue
        own = case.id in normal and not normal[case.id].record.journal.entries
        if not (own and any(isinstance(item, ToolCalls) and item.calls for item in case.expect)):
            yield Finding(
                rule="empty-world",
                level="warning",
                case=case.id,
                message=f"{agent} passes in a world that holds nothing",
            )


def unread(normal: Mapping[str, Seen], bare: Mapping[str, Seen]) -> Iterator[Finding]:
    """Cases whose reference is sent the same on the base alone.

    Yields:
        A finding for each.
    """
    for id, trial in bare.items():
        seen = normal.get(id)
        if seen is None or not (seen.asked and trial.asked) or not answers(seen.record):
            continue
        if answers(seen.record) == answers(trial.record):
            yield Finding(
                rule="unread",
                level="warning",
                case=id,
                message="the reference is sent the same on the base alone: it reads nothing of what"
                " the case adds",
            )


def uncontrolled(
    cases: Iterable[Case], controlled: Iterable[str], refused: Mapping[str, Seen]
) -> Iterator[Finding]:
    """Cases of which no control trial says anything.

    Yields:
        A finding for each.
    """
    known = set(controlled)
    for case in cases:
        if case.id in known:
            continue
        message = "adds nothing to the base, and asks for no value of its world"
        if case.id in refused:
            message = f"its changed world is refused: {refused[case.id].record.error}"
        yield Finding(rule="uncontrolled", level="note", case=case.id, message=message)

"""The rules of the doctor: from trials and control trials to findings. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.doctor.bench import Outcome
from harness.doctor.controls import Control, quoted_values
from harness.doctor.diagnosis import Coverage, Finding, first_few
from harness.model import Case, Evidence, ToolCalls, TrialRecord

_ENOUGH_OTHERS = 3
"""Answers to so many other cases show that a case asks for nothing of its own."""

REGRESSION = "regression"
"""The tag of cases that must have been passed once."""


def find_vacuous(seen: Mapping[str, Outcome], doing: str) -> Iterator[Finding]:
    """Cases that an agent passes which does nothing of the kind.

    Yields:
        A finding for each.
    """
    for id, trial in seen.items():
        if trial.passed:
            yield Finding(
                rule="vacuous", level="error", case=id, message=f"an agent that {doing} passes"
            )


def find_leading(cases: Iterable[Case], echo: Mapping[str, Outcome]) -> Iterator[Finding]:
    """Cases whose prompt holds the evidence that they require.

    Yields:
        A finding for each.
    """
    for case in cases:
        results = echo[case.id].decision.checks if case.id in echo else ()
        wanted = [
            (item, result)
            for item, result in zip(case.expect, results, strict=False)
            if isinstance(item, Evidence) and item.required
        ]
        shown = [
            marker
            for item, result in wanted
            for marker in item.markers
            if not any(marker in result.numbers.get(name, ()) for name in item.problem_lists)
        ]
        if not shown:
            continue
        whole = all(result.status == "pass" for _, result in wanted)
        yield Finding(
            rule="leading",
            level="error" if whole else "warning",
            case=case.id,
            message=f"the prompt shows {'all' if whole else 'some'} of the evidence that is"
            f" required: {first_few(shown)}",
        )


def find_unpassable(
    cases: Iterable[Case], oracle: Mapping[str, Outcome], agent: Mapping[str, Outcome]
) -> Iterator[Finding]:
    """Cases that their own reference fails, and cases that nobody is known to pass.

    Yields:
        A finding for each.
    """
    for case in cases:
        seen = oracle.get(case.id)
        if not case.reference:
            passed = case.id in agent and agent[case.id].passed
            yield from () if passed else (_unproven(case),)
        elif seen is not None and seen.was_reached and not seen.passed:
            reason = seen.record.error or seen.decision.reason
            yield Finding(
                rule="unpassable",
                level="error",
                case=case.id,
                message=f"the reference fails: {reason}",
            )


def _unproven(case: Case) -> Finding:
    regression = REGRESSION in {tag.casefold() for tag in case.tags}
    return Finding(
        rule="no-reference",
        level="error" if regression else "warning",
        case=case.id,
        message="has no reference, and no agent was seen to pass it",
    )


def find_never_passed(
    cases: Iterable[Case], counts: Iterable[Mapping[str, tuple[int, int]]]
) -> Iterator[Finding]:
    """Cases that no agent has ever passed.

    Args:
        cases: The cases.
        counts: For each agent or run, case id to passed and valid trials.

    Yields:
        A finding for each.
    """
    known = list(counts)
    for case in cases:
        tried = [each[case.id] for each in known if case.id in each and each[case.id][1]]
        valid = sum(count for _, count in tried)
        if tried and not any(passed for passed, _ in tried):
            yield Finding(
                rule="suspect",
                level="warning",
                case=case.id,
                message=f"0 of {valid} trials of {len(tried)} drivers and runs passed:"
                " look at the case before the agents",
            )


def find_not_reached(seen: Mapping[str, Outcome], agent: str) -> Iterator[Finding]:
    """Cases of which nothing is known, since the agent was not reached.

    Yields:
        A finding for each.
    """
    for id, trial in seen.items():
        if not trial.was_reached and trial.decision.status != "skipped":
            yield Finding(
                rule="not-asked",
                level="error",
                case=id,
                message=f"{agent}: {trial.record.error or trial.decision.reason}",
            )


def find_indistinct(
    confused: Mapping[str, tuple[Sequence[str], int]], twins: Mapping[str, Sequence[str]]
) -> Iterator[Finding]:
    """Cases that answers to all others pass, and cases that test the same as another.

    Answers to a few other cases may well pass one: what they find out may hold what it asks for.

    Args:
        confused: By case: the cases whose answers pass it, and how many were tried.
        twins: By case: earlier ones that expect the same in the same world.

    Yields:
        A finding for each.
    """
    for id, (others, tried) in confused.items():
        if len(others) == tried and tried >= _ENOUGH_OTHERS:
            message = f"each of {tried} answers to other cases pass it, too: {first_few(others)}"
            yield Finding(rule="indistinct", level="error", case=id, message=message)
    for id, same in twins.items():
        message = (
            f"expects the same in the same world as {first_few(same)}: only the prompt differs"
        )
        yield Finding(rule="indistinct", level="warning", case=id, message=message)


def find_ungrounded(cases: Iterable[Case], oracle: Mapping[str, Outcome]) -> Iterator[Finding]:
    """Cases with markers that were sent to nobody: too specific, or of another world.

    Yields:
        A finding for each.
    """
    for case in cases:
        seen = oracle.get(case.id)
        if seen is None or not seen.passed or not answers(seen.record):
            continue
        sent = sent_texts(seen.record).casefold()  # the names of what was asked count as sent
        markers = case.model_copy(
            update={"expect": tuple(item for item in case.expect if isinstance(item, Evidence))}
        )
        strange = [value for value in quoted_values(markers) if value.casefold() not in sent]
        if strange:
            yield Finding(
                rule="ungrounded",
                level="warning",
                case=case.id,
                message=f"{first_few(strange)}: neither in the prompt nor in what the server sends"
                " the reference",
            )


def find_gaps(coverage: Coverage, tools: Iterable[str]) -> Iterator[Finding]:
    """What no case covers.

    Yields:
        A finding for each.
    """
    known = tuple(tools)
    idle = [tool for tool in known if tool not in coverage.tools]
    if 0 < len(idle) < len(known):
        yield _gap(f"tools that no agent calls: {', '.join(idle)}")
    stages = [stage for stage, count in coverage.stages.items() if not count]
    if stages and any(coverage.stages.values()):
        yield _gap(f"no case is tagged {', '.join(stages)}")
    for each in coverage.fixtures:
        if each.never_read:
            yield _gap(
                f"{each.collection}: {len(each.never_read)} of {each.fields} fields are never"
                f" read: {first_few(each.never_read)}"
            )


def _gap(message: str) -> Finding:
    return Finding(rule="gap", level="note", message=message)


def find_passed_on_base(
    seen: Mapping[str, Outcome], controls: Mapping[str, Control], agent: str
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


def find_passed_with_canaries(
    seen: Mapping[str, Outcome], controls: Mapping[str, Control], agent: str
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
                message=f"{agent} passes although its world was changed: {first_few(changed)}",
            )


def find_passed_on_nothing(
    seen: Mapping[str, Outcome], normal: Mapping[str, Outcome], cases: Iterable[Case], agent: str
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


def find_unread_fixtures(
    normal: Mapping[str, Outcome], bare: Mapping[str, Outcome]
) -> Iterator[Finding]:
    """Cases whose reference is sent the same on the base alone.

    Yields:
        A finding for each.
    """
    for id, trial in bare.items():
        seen = normal.get(id)
        if seen is None or not (seen.was_reached and trial.was_reached) or not answers(seen.record):
            continue
        if answers(seen.record) == answers(trial.record):
            yield Finding(
                rule="unread",
                level="warning",
                case=id,
                message="the reference is sent the same on the base alone: it reads nothing of what"
                " the case adds",
            )


def find_without_controls(
    cases: Iterable[Case], controlled: Iterable[str], refused: Mapping[str, Outcome]
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


def sent_texts(record: TrialRecord) -> str:
    """Everything that the server sent in a trial, and what it was asked, as one text."""
    journal = record.journal
    asked = (f"{entry.method_id} {entry.params} {entry.body}" for entry in journal.entries)
    return "\n".join((*journal.bodies.values(), *asked))


def answers(record: TrialRecord) -> tuple[str, ...]:
    """What the server answered in a trial, in order, by the hashes of the answers."""
    return tuple(entry.response_ref for entry in record.journal.entries if not entry.after_close)

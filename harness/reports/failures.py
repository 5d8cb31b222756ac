"""What kind of failure it is, and what can be done about it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.checks import class_of
from harness.errors import Exit
from harness.model import (
    Case,
    CaseDecision,
    ExitReason,
    RunResult,
    TrialDecision,
    TrialShape,
    TrialStatus,
    shape_of,
    trial_shapes,
)


def failure_class(kind: str) -> str:
    """The failure class of a kind of check; the kind's own name for one that no case asks for."""
    return class_of(kind).failure or kind


NOT_EVALUATED = "not evaluated"
_LOST = "infrastructure"

_OF_STATUS: Mapping[TrialStatus, str] = {
    "agent_error": "agent error",
    "not_evaluated": NOT_EVALUATED,
    "infra_error": _LOST,
    "replay_miss": "replay miss",
    "skipped": "skipped",
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """What can be done about some failures.

    Attributes:
        name: In a few words.
        what: In a sentence without its full stop.
        classes: The failure classes that it may cure.
    """

    name: str
    what: str
    classes: frozenset[str]


_LACKING = {
    "missing text", "missing evidence", "missing reference", "missing severity",
    "low rubric score", "unlike the reference", "opinion of the judge",
}  # fmt: skip
"""The answer does not say what it should."""

_FORM = {
    "schema mismatch", "hardly an answer", "number of observations", "output unlike its patterns",
    "status of the service", "files", "exit code",
}  # fmt: skip
"""The answer is not what was asked for."""

_ACTS = {
    "tool calls", "forbidden tool", "server requests", "server state", "missed milestone",
    "stepped on a mine", "wrong handler", "loops", "over budget", "stop condition", "conversation",
}  # fmt: skip
"""The agent did not do what it should."""

_UNTRUE = {"ungrounded quotation", "witnesses differ", "forbidden text", "forbidden evidence"}
"""The agent says what is not so."""

REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "Tighten the case",
        "require the terms that a right answer cannot do without, and only those",
        frozenset({
            "missing text", "low rubric score", "unlike the reference", "opinion of the judge",
            "forbidden text", "forbidden evidence", "output unlike its patterns", "tool calls",
        }),
    ),
    Remedy(
        "Adjust the fixture",
        "hold exactly the data that the answer must name, and little else",
        frozenset({
            "missing evidence", "missing reference", "missing severity", "forbidden evidence",
            "server requests", "server state",
        }),
    ),
    Remedy(
        "Adjust the prompt",
        "say in the case file what the user would have said anyway",
        frozenset({"missing text", "low rubric score", "missed milestone", *_FORM}),
    ),
    Remedy(
        "Improve the instructions",
        "mend the agent's system prompt where several cases fail alike",
        frozenset({*_FORM, *_ACTS, *_UNTRUE, *_LACKING, "tampering", "score of another tool"}),
    ),
    Remedy(
        "Add or improve tools",
        "give the agent a way to the information that it lacks",
        frozenset({"missing evidence", "missing reference", "ungrounded quotation", *_ACTS}),
    ),
    Remedy(
        "Use retrieval or web search",
        "let the agent look up the knowledge of the field it lacks",
        frozenset({"ungrounded quotation", *_LACKING}),
    ),
    Remedy(
        "Mend the agent",
        "it ended with an error or ran into its time limit; the trial holds the end of its stderr",
        frozenset({"agent error"}),
    ),
    Remedy(
        "Mend the surroundings",
        "the agent or the server could not be reached; such trials say nothing about the agent",
        frozenset({_LOST}),
    ),
    Remedy(
        "Record again",
        "capture what no recording answers, or loosen how requests are matched",
        frozenset({"replay miss"}),
    ),
    Remedy(
        "Give the checks their facts",
        "the reason says what is missing: a judge, tool calls, responses that were not kept",
        frozenset({NOT_EVALUATED}),
    ),
)  # fmt: skip
"""What can be done, whatever the run."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that did not pass.

    Attributes:
        case: The case.
        decision: What was decided.
        classes: What kinds of failure its trials show, the most frequent first.
    """

    case: Case
    decision: CaseDecision
    classes: tuple[str, ...]


def failures(result: RunResult) -> list[Failure]:
    """The cases that failed, are flaky or inconclusive, in run order."""
    cases = {case.id: case for case in result.cases}
    return [
        Failure(cases[decision.case], decision, case_classes(decision))
        for decision in result.decisions
        if decision.verdict not in {"passed", "skipped"}
    ]


def case_classes(decision: CaseDecision) -> tuple[str, ...]:
    """The failure classes of a case over all its trials, the most frequent first."""
    shapes = Counter(trial_shapes(decision.trials))
    counted: Counter[str] = Counter()
    for shape, count in shapes.items():
        counted.update(dict.fromkeys(shape_classes(shape), count))
    return tuple(name for name, _ in counted.most_common())


def trial_classes(trial: TrialDecision) -> tuple[str, ...]:
    """The failure classes of one trial, in the order of its checks; none when it passed."""
    return shape_classes(shape_of(trial))


def shape_classes(shape: TrialShape) -> tuple[str, ...]:
    """The same of what is counted of a trial."""
    if shape.status == "pass":
        return ()
    if shape.status in _OF_STATUS:
        return (_OF_STATUS[shape.status],)
    failed = [check for check in shape.checks if check.required and check.status == "fail"]
    return tuple(dict.fromkeys(failure_class(check.kind) for check in failed))


def class_counts(result: RunResult) -> dict[str, int]:
    """How many cases show each failure class, the most frequent first."""
    counted = Counter(name for failure in failures(result) for name in failure.classes)
    return dict(counted.most_common())


def run_level_reasons(result: RunResult) -> list[ExitReason]:
    """What speaks against a run and is not seen at the cases that did not pass."""
    seen = bool(failures(result))
    return [each for each in result.exit_reasons if not seen or each.code == Exit.REGRESSION]


def remedies(result: RunResult) -> list[tuple[Remedy, tuple[str, ...]]]:
    """What can be done about the failures of this run, what may cure the most of them first.

    What the surroundings lack is told in the words of the first trial that ended for it.

    Returns:
        Each remedy, with the failure classes of this run that it is for.
    """
    counts = class_counts(result)
    lost = (trial for each in failures(result) for trial in each.decision.trials)
    words = next((each.reason for each in lost if each.status == "infra_error"), "")
    found = [
        (_with_words(remedy, words), tuple(name for name in counts if name in remedy.classes))
        for remedy in REMEDIES
        if not remedy.classes.isdisjoint(counts)
    ]
    return sorted(found, key=lambda each: -sum(counts[name] for name in each[1]))


def _with_words(remedy: Remedy, words: str) -> Remedy:
    if not words or _LOST not in remedy.classes:
        return remedy
    return replace(remedy, what=f"{words}; {remedy.what}")

"""JUnit XML, for CI systems that list tests: a suite a category, a test a case."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple
from xml.sax.saxutils import escape

from pydantic_core import to_json

from harness.errors import Exit
from harness.model import (
    Case,
    CaseDecision,
    CaseVerdict,
    ExitReason,
    FactsByCase,
    RunResult,
    TrialFacts,
    TrialShape,
    TrialStatus,
    facts_by_case,
    pair_by_number,
    select_trials,
    trial_numbers,
    trial_shapes,
)
from harness.reports.failures import case_classes, run_level_reasons, trial_classes
from harness.reports.figures import UNCATEGORISED, by_category, made_up_answers

_ALL = {"pass": "all"}
_GATES = frozenset({Exit.GATE_FAILED, Exit.REGRESSION})
_LOST = frozenset({"fail", "agent_error"})
_OPEN = frozenset({"fail", "not_evaluated"})
_OUTCOME: Mapping[CaseVerdict, str] = {
    "failed": "failures",
    "flaky": "failures",
    "inconclusive": "errors",
    "skipped": "skipped",
}
_IN_ATTRIBUTES = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"}
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def junit_report(result: RunResult) -> str:
    """The run as JUnit XML.

    A case that failed or is flaky is a `failure`, an inconclusive one an `error`, a skipped one
    `skipped`; trials that failed in a case that passed all the same are `flakyFailure`s, as CI
    systems know them from reruns. What the trials came to is in `system-out`, what the run was
    asked for in the `properties` of the suites. Times are seconds. Characters that XML cannot hold
    are written as escapes. A regression, and what no case shows (a lost server, an interruption),
    is in a suite of its own, `run`: no run is all green that exits with another code than 0.
    """
    return "".join(junit_parts(result))


def junit_parts(result: RunResult) -> Iterator[str]:
    """The same text in parts, for runs of any number of trials.

    Yields:
        Text; not more than what is said of one trial at once, but for its number and status.
    """
    suites = [*_suites(result)]
    reasons = run_level_reasons(result)
    total = Counter[str]()
    for suite in suites:
        total.update(suite.counts)
    total.update(run := _count_reasons(reasons))
    time = sum(float(suite.time) for suite in suites)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    attributes = {"name": result.manifest.suite, **_totals(total, f"{time:.3f}")}
    if not suites and not reasons:
        yield _tag("testsuites", attributes, end=" />\n")
        return
    yield _tag("testsuites", attributes)
    for suite in suites:
        attributes = {"name": suite.category, **_totals(suite.counts, suite.time)}
        yield "\n  " + _tag("testsuite", attributes)
        yield from _properties(_run_properties(result).items(), "\n    ")
        for each in suite.cases:
            yield from _case_parts(suite.category, each)
        yield "\n  </testsuite>"
    if reasons:
        yield "\n  " + _tag("testsuite", {"name": "run", **_totals(run, "0.000")})
        for reason in reasons:
            yield from _reason_parts(reason)
        yield "\n  </testsuite>"
    yield "\n</testsuites>\n"


@dataclass(frozen=True)
class _Case:
    """A case with its figures, those of its trials read when they are written.

    Attributes:
        time: Seconds that its trials took, as text.
    """

    case: Case
    decision: CaseDecision
    facts: FactsByCase
    time: str


@dataclass(frozen=True)
class _Suite:
    category: str
    cases: tuple[_Case, ...]

    @property
    def counts(self) -> Counter[str]:
        verdicts = Counter(_OUTCOME.get(each.decision.verdict) for each in self.cases)
        return Counter(tests=len(self.cases), **{k: v for k, v in verdicts.items() if k})

    @property
    def time(self) -> str:
        return f"{sum(float(each.time) for each in self.cases):.3f}"


def _suites(result: RunResult) -> Iterator[_Suite]:
    cases = {case.id: case for case in result.cases}
    facts = facts_by_case(result.facts)
    for category in by_category(result):
        inside = (
            decision
            for decision in result.decisions
            if (cases[decision.case].category or UNCATEGORISED) == category
        )
        yield _Suite(
            category,
            tuple(
                _Case(cases[each.case], each, facts, _time(facts.of(each.case))) for each in inside
            ),
        )


def _time(facts: Iterable[TrialFacts]) -> str:
    return f"{sum(each.duration_ms / 1000 for each in facts):.3f}"


def _totals(counts: Mapping[str, int], time: str) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {**{name: str(counts.get(name, 0)) for name in names}, "time": time}


def _case_parts(category: str, of: _Case) -> Iterator[str]:
    case, decision = of.case, of.decision
    attributes = {
        "classname": category,
        "name": f"{case.id} {case.title}".strip(),
        "time": of.time,
        **({"file": case.source} if case.source else {}),
    }
    yield "\n    " + _tag("testcase", attributes)
    yield from _properties(_about(of), "\n      ")
    reason = decision.reason or decision.verdict
    classes = ", ".join(case_classes(decision))
    if decision.verdict in {"failed", "flaky"}:
        yield from _text_parts("failure", {"message": reason, "type": classes}, _reasons(decision))
    elif decision.verdict == "inconclusive":
        kind = classes or decision.verdict
        yield from _text_parts("error", {"message": reason, "type": kind}, _reasons(decision))
    elif decision.verdict == "skipped":
        yield "\n      " + _tag("skipped", {"message": reason}, end=" />")
    else:
        yield from _flaky_parts(decision)
    yield from _text_parts("system-out", {}, iter([_trials(decision)]))
    yield "\n    </testcase>"


def _count_reasons(reasons: Iterable[ExitReason]) -> Counter[str]:
    counts = Counter[str]()
    for each in reasons:
        counts.update(("tests", "failures" if each.code in _GATES else "errors"))
    return counts


def _reason_parts(each: ExitReason) -> Iterator[str]:
    name = f"exit {each.code}"
    yield "\n    " + _tag("testcase", {"classname": "run", "name": name, "time": "0.000"})
    kind = "failure" if each.code in _GATES else "error"
    yield "\n      " + _tag(kind, {"message": each.reason, "type": name}, end=" />")
    yield "\n    </testcase>"


def _run_properties(result: RunResult) -> dict[str, str]:
    manifest = result.manifest
    return {
        "run": manifest.run,
        "suite": manifest.suite,
        "agent": manifest.agent,
        "started": manifest.started_at,
        "note": manifest.note,
        "made-up answers": made_up_answers(result).text,
        "policy": "" if manifest.policy == _ALL else to_json(manifest.policy).decode(),
    }


def _about(of: _Case) -> Iterator[tuple[str, str]]:
    case, decision = of.case, of.decision
    policy = case.policy.model_dump_json(by_alias=True, exclude_none=True) if case.policy else ""
    yield "verdict", decision.verdict
    yield "trials passed", f"{decision.passed}/{decision.valid}"
    yield "tags", ", ".join(case.tags)
    yield "policy", policy
    notes = [f"trial {each.number} {note}" for each in of.facts.of(case.id) for note in each.notes]
    yield "passed by made-up answers", "; ".join(notes)
    for trial, facts in pair_by_number(_briefs(decision), of.facts.of(case.id)):
        seconds = facts.duration_ms / 1000 if facts else 0
        told = f": {trial.reason}" if trial.reason else ""
        yield f"trial {trial.number}", f"{trial.status}, {seconds:.3f} s{told}"


class _Brief(NamedTuple):
    number: int
    status: TrialStatus
    reason: str


def _briefs(decision: CaseDecision) -> Iterator[_Brief]:
    """Each trial in brief; those without a reason are not read.

    Yields:
        By number.
    """
    explained = select_trials(decision.trials, lambda shape: shape.explained)
    shapes = trial_shapes(decision.trials)
    for number, shape in zip(trial_numbers(decision.trials), shapes, strict=True):
        yield _Brief(number, shape.status, next(explained).reason if shape.explained else "")


def _properties(values: Iterable[tuple[str, str]], indent: str) -> Iterator[str]:
    """Those that are not empty.

    Yields:
        Text.
    """
    start = f"{indent}<properties>"
    for name, value in values:
        if value:
            yield (
                start + f"{indent}  " + _tag("property", {"name": name, "value": value}, end=" />")
            )
            start = ""
    yield f"{indent}<properties />" if start else f"{indent}</properties>"


def _flaky_parts(decision: CaseDecision) -> Iterator[str]:
    for trial in select_trials(decision.trials, lambda each: each.status in _LOST):
        kind = ", ".join(trial_classes(trial))
        attributes = {"message": trial.reason, "type": kind}
        yield "\n      " + _tag("flakyFailure", attributes, end=" />")


def _reasons(decision: CaseDecision) -> Iterator[str]:
    """A line for each reason of each trial.

    Yields:
        Text.
    """
    before = ""
    for trial in select_trials(decision.trials, _has_reasons):
        found = [
            f"{check.kind}: {check.reason}"
            for check in trial.checks
            if check.required and check.status in _OPEN
        ]
        for each in found or [trial.reason]:
            if each:
                yield f"{before}trial {trial.number}: {each}"
                before = "\n"


def _has_reasons(shape: TrialShape) -> bool:
    return shape.explained or any(each.required and each.status in _OPEN for each in shape.checks)


def _trials(decision: CaseDecision) -> str:
    shapes = trial_shapes(decision.trials)
    told = zip(trial_numbers(decision.trials), shapes, strict=True)
    states = ", ".join(f"{number} {shape.status}" for number, shape in told)
    return f"{decision.verdict}: {decision.passed}/{decision.valid} valid trials passed ({states})"


def _text_parts(name: str, attributes: Mapping[str, str], texts: Iterator[str]) -> Iterator[str]:
    """An element with a text.

    Yields:
        Text.
    """
    first = next(texts, "")
    if not first:
        yield "\n      " + _tag(name, attributes, end=" />")
        return
    yield "\n      " + _tag(name, attributes)
    for text in chain([first], texts):
        yield escape(_clean(text))
    yield f"</{name}>"


def _tag(name: str, attributes: Mapping[str, str], *, end: str = ">") -> str:
    written = "".join(
        f' {key}="{escape(_clean(value), _IN_ATTRIBUTES)}"' for key, value in attributes.items()
    )
    return f"<{name}{written}{end}"


def _clean(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)

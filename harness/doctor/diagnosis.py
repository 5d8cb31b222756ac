"""The diagnosis of a suite: findings by rule, figures of the agents, coverage; also as text."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal

from harness.model import FixtureCoverage, Frozen

Level = Literal["error", "warning", "note"]
ControlKind = Literal["base-alone", "canaries", "empty-world"]
Rule = Literal[
    "lint",
    "vacuous",
    "leading",
    "unpassable",
    "no-reference",
    "base-alone",
    "canaries",
    "empty-world",
    "indistinct",
    "unread",
    "ungrounded",
    "suspect",
    "uncontrolled",
    "not-asked",
    "gap",
]

RULES: Mapping[Rule, str] = {
    "lint": "what `understudy lint` finds: in cases, prompts, markers, fixtures",
    "vacuous": "an agent that says nothing, or repeats the prompt, passes",
    "leading": "an agent that repeats the prompt shows evidence that the case requires",
    "unpassable": "the reference itself fails",
    "no-reference": "the case has no reference that shows that it can pass",
    "base-alone": "the case passes without what it adds to the base",
    "canaries": "the case still passes after the values that it asks for were replaced",
    "empty-world": "the case passes with an empty snapshot",
    "indistinct": "it tests the same as another case, or the answers to all other cases pass it",
    "unread": "the reference does not read what the case adds to the base",
    "ungrounded": "a marker is neither in the prompt nor in what the server answers",
    "suspect": "no agent has ever passed the case",
    "uncontrolled": "the case has nothing to remove or replace, so no control trial was made",
    "not-asked": "the agent or the mock server was not reached, so the case was not checked",
    "gap": "a category, stage or tool that no case covers",
}
"""What each rule finds."""


class Finding(Frozen):
    """One thing that is wrong with a suite, or worth a look.

    Attributes:
        rule: One of `RULES`.
        level: An `error` makes the suite unfit; a `note` asks for nothing.
        case: The case's id, or an empty string for the whole suite.
        message: What was found, one sentence.
    """

    rule: Rule
    level: Level
    case: str = ""
    message: str


class DriverFigures(Frozen):
    """How an agent fared.

    Attributes:
        agent: Its spec, secrets replaced.
        passed: Cases that it passed.
        asked: Cases in which it was reached.
    """

    agent: str
    passed: int
    asked: int


class ControlFigures(Frozen):
    """What came of the control trials of one kind.

    Attributes:
        kind: `base-alone`, `canaries`, or `empty-world` for cases that neither says anything of.
        agent: Who was put through them.
        made: Control trials that say something.
        passed: Those among them that passed; each is a finding.
        unusable: Changed worlds that the mock server did not take.
    """

    kind: ControlKind
    agent: str
    made: int
    passed: int
    unusable: int = 0


class Coverage(Frozen):
    """What a suite covers, each by number of cases.

    Attributes:
        categories: Failure domains, most first.
        stages: Lifecycle tags (`harness.cases.LIFECYCLE`).
        tags: All tags, most first.
        kinds: Kinds of expectations.
        tools: Tools that were called, by the agents' and the server's word.
        routes: Methods of APIs that were asked.
        fixtures: What was read of the fixtures; empty when nothing was run.
    """

    categories: dict[str, int]
    stages: dict[str, int]
    tags: dict[str, int]
    kinds: dict[str, int]
    tools: dict[str, int] = {}
    routes: dict[str, int] = {}
    fixtures: tuple[FixtureCoverage, ...] = ()


class Diagnosis(Frozen):
    """Everything that the doctor says of a suite.

    Attributes:
        version: Of this format.
        suite: The suite as it was named.
        cases: How many cases were examined.
        drivers: How each agent fared, in the order they were asked.
        controls: The control trials, by kind and agent.
        coverage: What the suite covers.
        findings: Those of the whole suite, then those of each case; errors first, then by rule.
    """

    version: Literal[1] = 1
    suite: str
    cases: int
    drivers: tuple[DriverFigures, ...]
    controls: tuple[ControlFigures, ...]
    coverage: Coverage
    findings: tuple[Finding, ...]

    def count(self, level: Level) -> int:
        """How many findings are of a level."""
        return sum(finding.level == level for finding in self.findings)


_FEW = 3


def first_few(items: Sequence[str]) -> str:
    """The first few of some things, and how many more there are.

    >>> first_few(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    more = len(items) - _FEW
    shown = ", ".join(items[:_FEW])
    return f"{shown} and {more} more" if more > 0 else shown


_SHOWN = 12


def diagnosis_text(diagnosis: Diagnosis, *, notes: bool = False) -> str:
    """A diagnosis for reading.

    Args:
        diagnosis: The diagnosis.
        notes: Also tell what asks for nothing.
    """
    return "\n".join(_lines(diagnosis, notes=notes))


def _lines(diagnosis: Diagnosis, *, notes: bool) -> Iterator[str]:
    yield f"{diagnosis.suite}: {diagnosis.cases} cases"
    for driver in diagnosis.drivers:
        yield f"  {driver.agent}: passes {driver.passed} of {driver.asked}"
    for control in diagnosis.controls:
        if not control.made and not control.unusable:
            continue
        lost = f", {control.unusable} could not be served" if control.unusable else ""
        kind = control.kind.replace("-", " ")
        yield f"  {kind}: {control.passed} of {control.made} control trials pass{lost}"
    yield from _coverage_lines(diagnosis)
    told = [each for each in diagnosis.findings if notes or each.level != "note"]
    for case, findings in groupby(told, key=lambda each: each.case):
        if case:
            yield f"case {case}"
        for each in findings:
            yield f"{'  ' if case else ''}{each.level} [{each.rule}] {each.message}"
    counts = [_some(diagnosis.count("error"), "error")]
    counts += [_some(diagnosis.count("warning"), "warning"), _some(diagnosis.count("note"), "note")]
    yield ", ".join(counts) + ("" if notes or not diagnosis.count("note") else " (--notes)")


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _coverage_lines(diagnosis: Diagnosis) -> Iterator[str]:
    coverage = diagnosis.coverage
    for name, counts in (
        ("categories", coverage.categories),
        ("stages", {name: count for name, count in coverage.stages.items() if count}),
        ("checks", coverage.kinds),
        ("tools", coverage.tools),
        ("routes", coverage.routes),
    ):
        if counts:
            yield f"  {name}: {_listed_counts(counts)}"
    if coverage.fixtures:
        fields = sum(each.fields for each in coverage.fixtures)
        unread = sum(len(each.never_read) for each in coverage.fixtures)
        yield f"  fixture fields read: {fields - unread} of {fields}"
        loose = sum(len(each.never_asserted) for each in coverage.fixtures)
        yield f"  fixture fields asserted: {fields - loose} of {fields}"
        dead = [each.collection for each in coverage.fixtures if len(each.untouched) == each.fields]
        if dead:
            yield f"  dead fixtures, neither read nor asserted: {first_few(dead)}"


def _listed_counts(counts: Mapping[str, int]) -> str:
    shown = [f"{name} {number}" for name, number in list(counts.items())[:_SHOWN]]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")

"""What the doctor says, as text."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from harness.doctor.diagnosis import Diagnosis

_SHOWN = 12


def as_text(diagnosis: Diagnosis, *, notes: bool = False) -> str:
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
    yield from _coverage(diagnosis)
    told = [each for each in diagnosis.findings if notes or each.level != "note"]
    for case, findings in groupby(told, key=lambda each: each.case):
        if case:
            yield f"case {case}"
        for each in findings:
            yield f"{'  ' if case else ''}{each.level} [{each.rule}] {each.message}"
    counts = [_some(diagnosis.count("error"), "error")]
    counts += [_some(diagnosis.count("warning"), "warning"), _some(diagnosis.count("note"), "note")]
    yield ", ".join(counts) + ("" if notes or not diagnosis.count("note") else " (--notes)")


def _some(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _coverage(diagnosis: Diagnosis) -> Iterator[str]:
    coverage = diagnosis.coverage
    for name, counts in (
        ("categories", coverage.categories),
        ("stages", {name: count for name, count in coverage.stages.items() if count}),
        ("checks", coverage.kinds),
        ("tools", coverage.tools),
        ("routes", coverage.routes),
    ):
        if counts:
            yield f"  {name}: {_listed(counts)}"
    if coverage.fixtures:
        fields = sum(each.fields for each in coverage.fixtures)
        unread = sum(len(each.never_read) for each in coverage.fixtures)
        yield f"  fixture fields read: {fields - unread} of {fields}"


def _listed(counts: Mapping[str, int]) -> str:
    shown = [f"{name} {number}" for name, number in list(counts.items())[:_SHOWN]]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")

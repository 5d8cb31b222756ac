"""The results of a review suite as text for the terminal: one result, or two compared."""

from collections.abc import Iterator

from harness.model import (
    ReviewCaseResult,
    ReviewLatency,
    ReviewResults,
    ReviewStability,
    ReviewSummary,
)
from harness.reports.texts import printable_line

_CACHED_MS, _MODEL_MS, _QUEUE_MS = 100, (500, 5_000), 10_000


def review_text(results: ReviewResults) -> str:
    """Cases and expectations passed, latency, and each case with its checks and stability."""
    return "".join(f"{line}\n" for line in _lines(results))


def latency_hint(mean_ms: float | None) -> str:
    """What such a latency usually means; empty where it means nothing in particular.

    >>> latency_hint(14), latency_hint(2_000), latency_hint(12_000), latency_hint(7_000)
    ('cached or cut short', 'normal for a model', 'loading or queueing', '')
    """
    if mean_ms is None:
        return ""
    if mean_ms < _CACHED_MS:
        return "cached or cut short"
    if _MODEL_MS[0] <= mean_ms <= _MODEL_MS[1]:
        return "normal for a model"
    return "loading or queueing" if mean_ms > _QUEUE_MS else ""


def _lines(results: ReviewResults) -> Iterator[str]:
    summary = results.summary
    of = results.experiment.agent or results.experiment.run
    yield f"review of {of} (backend {results.backend})"
    for case in results.cases:
        yield f"  {case.id} {_word(case):<14} {_facts(case)}"
        yield from (
            f"    {check.check}: {printable_line(check.detail)}"
            for check in case.checks
            if check.passed is False
        )
    yield f"cases passed: {_passed(summary)}"
    if summary.cases_invalid < summary.cases_total:
        beside = f" ({summary.expectations_open} open)" if summary.expectations_open else ""
        yield f"expectations: {summary.expectations_passed}/{summary.expectations_total}{beside}"
    yield f"latency: {_latency(summary.latency)}"
    yield from (f"warning: {warning}" for warning in summary.warnings)


def _passed(summary: ReviewSummary) -> str:
    if summary.valid:
        return f"{summary.cases_passed}/{summary.cases_total}"
    if summary.cases_invalid == summary.cases_total:
        return "no rate, for the service was not reached"
    return (
        f"no rate, for infrastructure errors ({summary.cases_passed} passed,"
        f" {summary.cases_invalid} of {summary.cases_total} without a valid run)"
    )


def _word(case: ReviewCaseResult) -> str:
    return case.status.upper() if case.status in {"pass", "fail"} else case.status


def _facts(case: ReviewCaseResult) -> str:
    if not case.valid:
        return "timeout or infrastructure issue, no quality failure"
    told = [f"{case.passed_runs}/{case.valid} runs"]
    counts = [str(count) for count in case.observations if count is not None]
    told += [f"observations {', '.join(counts)}"] if counts else []
    told += [f"{name} {_alike(found)}" for name, found in case.stability.items()]
    return "; ".join([*told, _latency(case.latency)])


def _alike(found: ReviewStability) -> str:
    if found.value is None:
        return found.label
    items = f" ({found.numerator}/{found.denominator})" if found.denominator else ""
    return f"{found.value:.0%} {found.label}{items}"


def _latency(found: ReviewLatency) -> str:
    hint = latency_hint(found.mean)
    return f"{found.text} - {hint}" if hint else found.text


_SLOWER = 2
"""A latency that is so many times what it was, or so small a part of it, is told."""


def review_versus_text(before: ReviewResults, after: ReviewResults) -> str:
    """Cases, expectations and latency of both, then each case in which something differs.

    Cases that only one side has are named, never dropped.
    """
    return "".join(f"{line}\n" for line in _comparison_lines(before, after))


def _comparison_lines(before: ReviewResults, after: ReviewResults) -> Iterator[str]:
    yield f"cases passed:  {_case_rate(before.summary)} -> {_case_rate(after.summary)}"
    yield f"expectations:  {_checks(before.summary)} -> {_checks(after.summary)}"
    yield f"latency:       {before.summary.latency.text} -> {after.summary.latency.text}"
    old = {case.id: case for case in before.cases}
    new = {case.id: case for case in after.cases}
    for id, case in new.items():
        if id in old:
            yield from (f"  {id}: {said}" for said in _differences(old[id], case))
    yield from _only_in("the first", old.keys() - new.keys())
    yield from _only_in("the second", new.keys() - old.keys())


def _case_rate(summary: ReviewSummary) -> str:
    if not summary.valid:
        return "no rate"
    return f"{summary.cases_passed}/{summary.cases_total}"


def _checks(summary: ReviewSummary) -> str:
    beside = f" ({summary.expectations_open} open)" if summary.expectations_open else ""
    return f"{summary.expectations_passed}/{summary.expectations_total}{beside}"


def _only_in(which: str, ids: set[str]) -> Iterator[str]:
    if ids:
        yield f"only in {which}: {', '.join(sorted(ids))}"


def _differences(before: ReviewCaseResult, after: ReviewCaseResult) -> Iterator[str]:
    if before.hash and after.hash and before.hash != after.hash:
        yield "the case has changed, so that its results say nothing of the service"
    if before.status != after.status:
        yield f"{before.status} -> {after.status}"
    if _mean_observations(before) != _mean_observations(after):
        yield f"mean observations {_mean_observations(before)} -> {_mean_observations(after)}"
    passed = {check.check: check.passed for check in before.checks}
    for check in after.checks:
        if check.check in passed and passed[check.check] != check.passed:
            yield f"{check.check} {_verdict(passed[check.check])} -> {_verdict(check.passed)}"
    old, new = before.latency.mean, after.latency.mean
    if old and new and not old / _SLOWER < new < old * _SLOWER:
        yield f"mean latency {old:.0f} ms -> {new:.0f} ms"


def _mean_observations(case: ReviewCaseResult) -> str:
    counts = [count for count in case.observations if count is not None]
    return f"{sum(counts) / len(counts):.1f}" if counts else "none"


def _verdict(passed: bool | None) -> str:  # noqa: FBT001  (the value of a check)
    return "open" if passed is None else "passed" if passed else "failed"

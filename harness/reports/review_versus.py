"""Two results of review suites beside each other, case by case."""

from collections.abc import Iterator

from harness.model import ReviewCaseResult, ReviewResults, ReviewSummary

_SLOWER = 2
"""A latency that is so many times what it was, or so small a part of it, is told."""


def review_versus_text(before: ReviewResults, after: ReviewResults) -> str:
    """Cases, expectations and latency of both, then each case in which something differs.

    Cases that only one side has are named, never dropped.
    """
    return "".join(f"{line}\n" for line in _lines(before, after))


def _lines(before: ReviewResults, after: ReviewResults) -> Iterator[str]:
    yield f"cases passed:  {_cases(before.summary)} -> {_cases(after.summary)}"
    yield f"expectations:  {_expectations(before.summary)} -> {_expectations(after.summary)}"
    yield f"latency:       {before.summary.latency.text} -> {after.summary.latency.text}"
    old = {case.id: case for case in before.cases}
    new = {case.id: case for case in after.cases}
    for id, case in new.items():
        if id in old:
            yield from (f"  {id}: {said}" for said in _differences(old[id], case))
    yield from _only("the first", old.keys() - new.keys())
    yield from _only("the second", new.keys() - old.keys())


def _cases(summary: ReviewSummary) -> str:
    if not summary.valid:
        return "no rate"
    return f"{summary.cases_passed}/{summary.cases_total}"


def _expectations(summary: ReviewSummary) -> str:
    beside = f" ({summary.expectations_open} open)" if summary.expectations_open else ""
    return f"{summary.expectations_passed}/{summary.expectations_total}{beside}"


def _only(which: str, ids: set[str]) -> Iterator[str]:
    if ids:
        yield f"only in {which}: {', '.join(sorted(ids))}"


def _differences(before: ReviewCaseResult, after: ReviewCaseResult) -> Iterator[str]:
    if before.hash and after.hash and before.hash != after.hash:
        yield "the case has changed, so that its results say nothing of the service"
    if before.status != after.status:
        yield f"{before.status} -> {after.status}"
    if _mean(before) != _mean(after):
        yield f"mean observations {_mean(before)} -> {_mean(after)}"
    passed = {check.check: check.passed for check in before.checks}
    for check in after.checks:
        if check.check in passed and passed[check.check] != check.passed:
            yield f"{check.check} {_word(passed[check.check])} -> {_word(check.passed)}"
    old, new = before.latency.mean, after.latency.mean
    if old and new and not old / _SLOWER < new < old * _SLOWER:
        yield f"mean latency {old:.0f} ms -> {new:.0f} ms"


def _mean(case: ReviewCaseResult) -> str:
    counts = [count for count in case.observations if count is not None]
    return f"{sum(counts) / len(counts):.1f}" if counts else "none"


def _word(passed: bool | None) -> str:  # noqa: FBT001  (the value of a check)
    return "open" if passed is None else "passed" if passed else "failed"

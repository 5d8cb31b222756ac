"""What is open in a suite, and since when, in words."""

from collections.abc import Iterator, Mapping

from harness.model import CaseHistory, PastCase, SuiteHistory

_MARKS: Mapping[str | None, str] = {
    "passed": "P",
    "flaky": "f",
    "failed": "F",
    "inconclusive": "?",
    "skipped": "s",
    None: "?",
}
_LEGEND = "P passed, f flaky, F failed, ? no verdict, s skipped, . not in that run; newest last"


def history_text(found: SuiteHistory, *, whole: bool = False) -> str:
    """The cases that are open, each with how it did in every run.

    Args:
        found: The history.
        whole: Also the cases that passed when they were last run.
    """
    return "".join(f"{line}\n" for line in _lines(found, whole=whole))


def _lines(found: SuiteHistory, *, whole: bool) -> Iterator[str]:
    many = len(found.runs)
    yield f"{found.suite} by {found.agent}: {len(found.open)} open, {many} runs"
    shown = found.cases if whole else found.open
    width = max((len(case.case) for case in shown), default=0)
    for case in shown:
        yield f"{case.case:<{width}}  {_row(found, case)}  {_failing_case_text(case)}".rstrip()
    if shown:
        yield _LEGEND
    yield from _incomplete_lines(found)


def _row(found: SuiteHistory, case: CaseHistory) -> str:
    return "".join(
        _MARKS[case.results[run.run].verdict] if run.run in case.results else "."
        for run in found.runs
    )


def _failing_case_text(case: CaseHistory) -> str:
    latest = [each for each in case.results.values() if each.valid] or [PastCase()]
    counts = f"{latest[-1].passed}/{latest[-1].valid}"
    if not case.failing_since:
        return counts
    reason = " ".join(latest[-1].reason.split())[:100]
    return f"{counts} since {case.failing_since}" + (f": {reason}" if reason else "")


def _incomplete_lines(found: SuiteHistory) -> Iterator[str]:
    if found.parts_since:
        yield whole_line(found.last_whole, found.parts_since)
    if found.mended:
        named = ", ".join(f"{case} ({run})" for case, run in found.mended.items())
        yield f"mended, and the rest not run since: {named}"


def whole_line(last_whole: str, parts: int) -> str:
    """Whether the whole suite was run since parts of it were.

    Args:
        last_whole: The latest run of all cases; empty when there is none.
        parts: How many runs of parts came after it.
    """
    since = f"{parts} {'run' if parts == 1 else 'runs'} of parts of the suite"
    if last_whole:
        return f"{since} since all of it was run ({last_whole}): run all of it again"
    return f"{since}, and none of all of it: run all of it"

"""From earlier runs of a suite to the history of its cases."""

from collections.abc import Mapping, Sequence

from harness.model.history import CaseHistory, PastCase, PastRun, SuiteHistory

_NO_VERDICT = frozenset({None, "inconclusive", "skipped"})


def history_of(suite: str, agent: str, runs: Sequence[PastRun]) -> SuiteHistory:
    """What became of each case.

    Args:
        suite: The suite's short name.
        agent: Whose runs they are.
        runs: The runs, the oldest first.
    """
    names = dict.fromkeys(case for run in runs for case in run.cases)
    cases = tuple(_case(case, runs) for case in sorted(names))
    whole = [place for place, run in enumerate(runs) if run.whole]
    later = runs[whole[-1] + 1 :] if whole else runs
    return SuiteHistory(
        suite=suite,
        agent=agent,
        runs=tuple(runs),
        cases=cases,
        last_whole=runs[whole[-1]].run if whole else "",
        mended={
            case.case: run
            for case in cases
            if (run := _mending_run(case.results, {each.run for each in later}))
        },
    )


def _case(case: str, runs: Sequence[PastRun]) -> CaseHistory:
    results = {run.run: run.cases[case] for run in runs if case in run.cases}
    since = ""
    for run, result in results.items():
        if result.verdict == "passed":
            since = ""
        elif result.verdict not in _NO_VERDICT:
            since = since or run
    return CaseHistory(case=case, results=results, failing_since=since)


def _mending_run(results: Mapping[str, PastCase], later: set[str]) -> str:
    """The run in which a case passed at last, after it had not, where the whole came not after."""
    failed, mended = False, ""
    for run, result in results.items():
        if result.verdict in _NO_VERDICT:
            continue
        passed = result.verdict == "passed"
        if not passed:
            mended = ""
        elif failed and run in later:
            mended = run
        failed = not passed
    return mended

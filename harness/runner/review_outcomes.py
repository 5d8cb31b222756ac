"""Results of review suites as what runs are compared by."""

from harness.errors import HarnessError
from harness.model import ReviewResults
from harness.statistics import Outcomes


def outcomes_of_review(results: ReviewResults, beside: ReviewResults | None = None) -> Outcomes:
    """What is compared of a results file.

    Args:
        results: What it holds.
        beside: What it is compared with: a case without a hash (of the original runner) is taken to
            be the other's.

    Raises:
        HarnessError: No case has a valid run, so that nothing can be compared with it.
    """
    run = results.experiment.run or "results"
    known = {case.id: case.hash for case in beside.cases} if beside else {}
    if not any(case.valid for case in results.cases):
        raise HarnessError(
            f"{run} has no valid run of any case; nothing can be compared with it",
            hint="take results of a service that was reached",
        )
    return Outcomes(
        run=run,
        hashes={case.id: case.hash or known.get(case.id, "") for case in results.cases},
        counts={case.id: (case.passed_runs, case.valid) for case in results.cases},
    )

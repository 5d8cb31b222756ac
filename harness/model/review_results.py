"""The results of a review suite in one file, to be kept, drawn and compared."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from harness.trials.values import Frozen, JsonObject

ReviewStatus = Literal["pass", "partial", "fail", "timeout", "infrastructure", "skipped"]
StabilityLabel = Literal["ideal", "acceptable", "watch", "problem", "n/a"]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class ReviewCheck(Frozen):
    """One check of a case over all of its runs.

    Attributes:
        check: `status`, `schema`, `observation_count`, `expected_severity:warning`,
            `expected_ref:NAV-TR-3.1.1`, `expected_error_code`.
        passed: By the case's policy over its valid runs; None without one.
        detail: What was found and what was expected.
        runs_passed: Valid runs in which it passed.
        runs: Valid runs.
        expectation: Whether it counts among the expectations (status and schema of a review do
            not).
        numbers: Its figures, run by run, and what they are held against.
    """

    check: str
    passed: bool | None
    detail: str = ""
    runs_passed: Count = 0
    runs: Count = 0
    expectation: bool = True
    numbers: JsonObject = {}


class ReviewLatency(Frozen):
    """Latencies of answered runs, milliseconds; None where there is none.

    Attributes:
        n: How many, those that ran into a time limit included.
        timeouts: How many did; they are in no mean.
        mean: Of those that were answered.
        min: Likewise.
        max: Likewise.
        p95: The nearest rank; below 20 runs it is the maximum; None where it is a time limit.
        text: All of it in words.
    """

    n: Count = 0
    timeouts: Count = 0
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    p95: float | None = None
    text: str = ""


class ReviewStability(Frozen):
    """How alike the runs of a case are, item by item over all pairs of runs.

    Attributes:
        value: From 0 to 1; None where no pair can be compared.
        numerator: Items that agree.
        denominator: Items that could.
        label: In words.
        csr_compat: The number of the original review runner, for reading beside old results only:
            against the first run, doubles collapsed, 1.0 where nothing can be compared.
    """

    value: float | None = None
    numerator: Count = 0
    denominator: Count = 0
    label: StabilityLabel = "n/a"
    csr_compat: float | None = None


class ReviewCaseResult(Frozen):
    """What came of one case.

    Attributes:
        id: The case's id.
        description: One line.
        hash: Of the case; equal hashes ask and expect the same.
        expect_error: Whether the request had to be refused.
        passed: By the case's policy; None without a valid run.
        status: In a word: `partial` where some checks pass; `timeout` where no run was answered
            in time.
        runs: All runs.
        valid: Those that were answered.
        passed_runs: Those that passed.
        checks: Check by check.
        observations: The number of observations of each run; None where there was no review.
        stability: `span` and `severity`.
        latency: Of the requests.
        errors: What went wrong, without doubles.
    """

    id: str
    description: str = ""
    hash: str = ""
    expect_error: bool = False
    passed: bool | None
    status: ReviewStatus
    runs: Count = 0
    valid: Count = 0
    passed_runs: Count = 0
    checks: tuple[ReviewCheck, ...] = ()
    observations: tuple[Count | None, ...] = ()
    stability: dict[Literal["span", "severity"], ReviewStability] = {}
    latency: ReviewLatency = ReviewLatency()
    errors: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _counts_fit(self) -> Self:
        if not self.passed_runs <= self.valid <= self.runs:
            counts = f"{self.passed_runs} passed of {self.valid} valid of {self.runs} runs"
            raise ValueError(f"counts that do not fit: {counts}")
        return self


class ReviewSummary(Frozen):
    """What a run of a review suite comes to.

    Attributes:
        cases_passed: Cases that passed.
        cases_total: All cases, those without a valid run included.
        cases_invalid: Cases without a valid run.
        expectations_passed: Expectations that hold.
        expectations_total: All that are written; a failed call makes them no fewer.
        expectations_open: Those of cases without a valid run.
        latency: Of answered reviews, over all cases; refusals are not among them.
        valid: False where infrastructure errors allow no rate: the run is no baseline.
        warnings: What to bear in mind.
    """

    cases_passed: Count = 0
    cases_total: Count = 0
    cases_invalid: Count = 0
    expectations_passed: Count = 0
    expectations_total: Count = 0
    expectations_open: Count = 0
    latency: ReviewLatency = ReviewLatency()
    valid: bool = True
    warnings: tuple[str, ...] = ()


class Experiment(Frozen):
    """What a run was made for, and with what.

    Attributes:
        hypothesis: Why it was made; the note of the run.
        run: The run's id.
        suite: The suite as it was named.
        agent: The service as it was named, without secrets.
        backend: What stands behind the service; for display only.
        runs_per_case: Runs of each case; the most of them.
        started_at: RFC 3339.
    """

    hypothesis: str = ""
    run: str = ""
    suite: str = ""
    agent: str = ""
    backend: str = ""
    runs_per_case: Count = 0
    started_at: str = ""


class ReviewResults(Frozen):
    """The results of one run of a review suite.

    Attributes:
        version: Of this file format.
        backend: What stands behind the service; for display only.
        experiment: What was run, and why.
        summary: All cases together.
        cases: Case by case, in run order.
    """

    version: Literal[1] = 1
    backend: str = ""
    experiment: Experiment = Experiment()
    summary: ReviewSummary
    cases: tuple[ReviewCaseResult, ...]

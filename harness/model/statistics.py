"""What the trials of a run come to, in figures."""

from typing import Literal

from harness.trials.values import Frozen

Classification = Literal["always_pass", "always_fail", "flaky", "unknown"]


class RateFigures(Frozen):
    """A rate of passes.

    Attributes:
        passed: Valid trials that passed.
        valid: Valid trials.
        rate: The share of them, or None without one.
        low: Lower end of the 95 % Wilson interval.
        high: Upper end.
    """

    passed: int
    valid: int
    rate: float | None
    low: float
    high: float


class LatencyFigures(Frozen):
    """Latencies, milliseconds, of trials that were answered.

    Attributes:
        n: How many, those that ran into a time limit included.
        censored: How many did; they count as longer than all others and are in no mean.
        limit: The shortest limit they ran into, or None.
        mean: Or None where nothing was answered.
        min: Likewise.
        max: Likewise.
        p50: The nearest rank.
        p95: Likewise; below 20 it is the maximum. None where it is a time limit.
        text: All of it in words.
    """

    n: int
    censored: int = 0
    limit: float | None = None
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    p50: float | None = None
    p95: float | None = None
    text: str = ""


class StabilityFigures(Frozen):
    """How alike the valid trials of one case are.

    Attributes:
        name: `answer`, `tools`, `span`, `severity`, ...
        numerator: What agrees, summed over all pairs of trials.
        denominator: What could agree.
        value: The mean over pairs, or None where no pair can be compared.
        label: `ideal`, `acceptable`, `watch`, `problem` or `n/a`.
    """

    name: str
    numerator: int
    denominator: int
    value: float | None
    label: str


class CaseStatistics(Frozen):
    """The figures of one case.

    Attributes:
        case: The case's id.
        rate: Of its valid trials.
        classification: What they say of it.
        pass_at: k to the chance that at least one of k trials passes.
        pass_hat: k to the chance that all of k trials pass.
        total: The whole trial.
        first_byte: To the first byte of the first answer.
        tools: Inside the mock server.
        stability: How alike its trials are.
        retried: Trials that took more tries than turns.
    """

    case: str
    rate: RateFigures
    classification: Classification
    pass_at: dict[int, float | None] = {}
    pass_hat: dict[int, float | None] = {}
    total: LatencyFigures
    first_byte: LatencyFigures
    tools: LatencyFigures
    stability: tuple[StabilityFigures, ...] = ()
    retried: int = 0


class RunStatistics(Frozen):
    """The figures of a run.

    Attributes:
        mean: The mean over the case rates, each case once; None without a valid trial.
        cases_counted: Cases with a valid trial.
        sample: 95 % interval where the cases stand for others like them; None below 10 cases.
        fixed: 95 % interval where only trials vary; None where a case has fewer than two.
        pass_at: k to the mean over cases, and for how many cases it is undefined.
        pass_hat: Likewise.
        total: The whole trial, over all cases.
        first_byte: To the first byte.
        tools: Inside the mock server.
        cases: Case by case.
        detectable: The smallest drop of all rates that a comparison with as many trials would see
            with a power of 80 %, as a share; None where none would be seen.
    """

    mean: float | None
    cases_counted: int
    sample: tuple[float, float] | None = None
    fixed: tuple[float, float] | None = None
    pass_at: dict[int, tuple[float | None, int]] = {}
    pass_hat: dict[int, tuple[float | None, int]] = {}
    total: LatencyFigures
    first_byte: LatencyFigures
    tools: LatencyFigures
    cases: tuple[CaseStatistics, ...] = ()
    detectable: float | None = None

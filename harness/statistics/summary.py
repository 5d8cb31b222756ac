"""The figures of a run, from its decisions and the facts of its trials, and of its whole suite."""

from array import array
from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

from harness.model import (
    CaseDecision,
    CaseStatistics,
    FactsByCase,
    LatencyFigures,
    Observation,
    RateFigures,
    RunStatistics,
    StabilityFigures,
    TrialFacts,
    facts_by_case,
    trial_numbers,
    trial_shapes,
)
from harness.statistics.distributions import normal_quantile, student_quantile
from harness.statistics.power import detectable_drop
from harness.statistics.proportions import Interval, classify, pass_at_k, pass_hat_k, wilson
from harness.statistics.quantiles import latency, latency_text
from harness.statistics.stability import Stability, share_of_equal, stability

FEWEST_CASES = 10
"""Below this many cases an interval of the suite says nothing; look at the cases."""

_UPPER = 0.975
"""The upper end of the middle 95 %."""


class SuiteRate(NamedTuple):
    """The mean over the rates of the cases; each case counts once.

    Attributes:
        mean: From 0 to 1, or None without a case.
        cases: Cases with a valid trial.
        sample: The interval when the cases stand for others like them; None below 10 cases.
        fixed: The interval when the suite is what it is, and only its trials vary; None where a
            case has fewer than two trials.
    """

    mean: float | None
    cases: int
    sample: Interval | None = None
    fixed: Interval | None = None


def suite_rate(counts: Sequence[tuple[int, int]]) -> SuiteRate:
    """The rate of a suite, with intervals at 95 %.

    Args:
        counts: For each case its passes and its valid trials; cases without one are left out.
    """
    known = [(passes, trials) for passes, trials in counts if trials]
    if not known:
        return SuiteRate(None, 0)
    rates = [passes / trials for passes, trials in known]
    return SuiteRate(
        mean=fmean(rates),
        cases=len(rates),
        sample=_of_sample(rates) if len(rates) >= FEWEST_CASES else None,
        fixed=_of_trials(known),
    )


def _of_sample(rates: Sequence[float]) -> Interval:
    """Student's t over the case means; what varies within a case is in their spread."""
    half = student_quantile(_UPPER, len(rates) - 1)
    return _within(fmean(rates), half * sqrt(variance(rates) / len(rates)))


def _of_trials(counts: Sequence[tuple[int, int]]) -> Interval | None:
    if any(trials < 2 for _, trials in counts):
        return None
    rates = [passes / trials for passes, trials in counts]
    spread = fmean(
        rate * (1 - rate) / (trials - 1) for rate, (_, trials) in zip(rates, counts, strict=True)
    )
    half = normal_quantile(_UPPER) * sqrt(spread / len(rates))
    return _within(fmean(rates), half)


def _within(mean: float, half: float) -> Interval:
    return Interval(max(0.0, mean - half), min(1.0, mean + half))


def suite_at_k(values: Sequence[float | None]) -> tuple[float | None, int]:
    """The mean of the cases' pass@k or pass^k, and for how many cases it is undefined.

    >>> suite_at_k([1.0, 0.5, None])
    (0.75, 1)
    """
    known = [value for value in values if value is not None]
    return (fmean(known) if known else None), len(values) - len(known)


_KS = (1, 3, 5, 10)
_VALID = frozenset({"pass", "fail", "agent_error"})


def summarize(
    decisions: Sequence[CaseDecision], facts: Sequence[TrialFacts], *, seed: int = 0
) -> RunStatistics:
    """What a run comes to."""
    of_case = facts_by_case(facts)
    clocks = _Clocks()
    ks = sorted({k for k in (*_KS, *(decision.valid for decision in decisions)) if k})
    cases = tuple(_of_case(decision, of_case, ks, clocks) for decision in decisions)
    ks = [k for k in ks if any(k in case.pass_at for case in cases)]
    rate = suite_rate([(case.rate.passed, case.rate.valid) for case in cases])
    return RunStatistics(
        mean=rate.mean,
        cases_counted=rate.cases,
        sample=rate.sample,
        fixed=rate.fixed,
        pass_at={k: suite_at_k([case.pass_at.get(k) for case in cases]) for k in ks},
        pass_hat={k: suite_at_k([case.pass_hat.get(k) for case in cases]) for k in ks},
        total=_figures(clocks.durations, clocks.limits),
        first_byte=_figures(clocks.first_bytes, clocks.limits),
        tools=_figures(clocks.tools, ()),
        cases=cases,
        detectable=_detectable(cases, seed),
    )


class _Clocks:
    """What was measured of trials, milliseconds; 8 bytes a figure."""

    def __init__(self) -> None:
        self.durations, self.first_bytes = array("d"), array("d")
        self.tools, self.limits = array("d"), array("d")

    def note(self, facts: TrialFacts) -> None:
        if facts.time_limit_ms is not None:
            self.limits.append(facts.time_limit_ms)
        # errors of agents and of infrastructure take their own time, which is nobody's latency
        if facts.outcome != "replied" or facts.synthetic:
            return
        self.tools.append(facts.tools_ms)
        if facts.timed:
            self.durations.append(facts.duration_ms)
        if facts.first_byte_ms is not None:
            self.first_bytes.append(facts.first_byte_ms)

    def extend(self, other: "_Clocks") -> None:
        self.durations += other.durations
        self.first_bytes += other.first_bytes
        self.tools += other.tools
        self.limits += other.limits


def _of_case(
    decision: CaseDecision, of_case: FactsByCase, ks: Sequence[int], whole: _Clocks
) -> CaseStatistics:
    clocks, told, retried = _Clocks(), _Told(), 0
    statuses = (shape.status for shape in trial_shapes(decision.trials))
    counted = {
        number
        for number, status in zip(trial_numbers(decision.trials), statuses, strict=True)
        if status in _VALID
    }
    for each in of_case.of(decision.case):
        clocks.note(each)
        retried += each.attempts > each.turns
        if each.number in counted and each.outcome == "replied":
            told.note(each)
    whole.extend(clocks)
    passed, valid = decision.passed, decision.valid
    low, high = wilson(passed, valid)
    ks = [k for k in ks if k <= valid]
    return CaseStatistics(
        case=decision.case,
        rate=RateFigures(
            passed=passed, valid=valid, rate=passed / valid if valid else None, low=low, high=high
        ),
        classification=classify(passed, valid),
        pass_at={k: pass_at_k(passed, valid, k) for k in ks},
        pass_hat={k: pass_hat_k(passed, valid, k) for k in ks},
        total=_figures(clocks.durations, clocks.limits),
        first_byte=_figures(clocks.first_bytes, clocks.limits),
        tools=_figures(clocks.tools, ()),
        stability=tuple(_stabilities(told)),
        retried=retried,
    )


def _figures(values: Sequence[float], limits: Sequence[float]) -> LatencyFigures:
    found = latency(values, timeouts=limits)
    return LatencyFigures(
        n=found.n,
        censored=found.censored,
        limit=found.limit,
        mean=found.mean,
        min=found.min,
        max=found.max,
        p50=found.p50,
        p95=found.p95,
        text=latency_text(found),
    )


class _Told:
    """What the trials of a case said, as far as it is held against each other."""

    def __init__(self) -> None:
        self.answers = array("q")
        self.tools: list[tuple[str, ...]] = []
        self.reviews: list[tuple[Observation, ...]] = []

    def note(self, facts: TrialFacts) -> None:
        self.answers.append(facts.answer)
        self.tools.append(facts.tools)
        if facts.observations is not None:
            self.reviews.append(facts.observations)


def _stabilities(told: _Told) -> Iterator[StabilityFigures]:
    yield _alike("answer", share_of_equal(told.answers))
    yield _alike("tools", share_of_equal(told.tools))
    reviews = told.reviews
    if reviews:
        spans = [[(item.ref, item.span) for item in review] for review in reviews]
        severities = [[(item.ref, item.severity) for item in review] for review in reviews]
        yield _alike("span", stability(spans))
        yield _alike("severity", stability(severities))


def _alike(name: str, found: Stability) -> StabilityFigures:
    return StabilityFigures(
        name=name,
        numerator=found.numerator,
        denominator=found.denominator,
        value=found.value,
        label=found.label,
    )


def _detectable(cases: Sequence[CaseStatistics], seed: int) -> float | None:
    rates = [case.rate.rate for case in cases if case.rate.rate is not None]
    trials = min((case.rate.valid for case in cases if case.rate.valid), default=0)
    return detectable_drop(rates, trials, seed=seed) if trials else None

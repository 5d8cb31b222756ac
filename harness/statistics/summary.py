"""The figures of a run, from its decisions and the facts of its trials."""

from collections.abc import Iterable, Iterator, Sequence

from harness.model import (
    CaseDecision,
    CaseStatistics,
    LatencyFigures,
    RateFigures,
    RunStatistics,
    StabilityFigures,
    TrialFacts,
)
from harness.statistics.power import detectable_drop
from harness.statistics.proportions import classify, pass_at_k, pass_hat_k, wilson
from harness.statistics.quantiles import latency, latency_text
from harness.statistics.stability import Stability, share_of_equal, stability
from harness.statistics.suites import suite_at_k, suite_rate

_KS = (1, 3, 5, 10)
_VALID = frozenset({"pass", "fail", "agent_error"})


def summarize(
    decisions: Sequence[CaseDecision], facts: Iterable[TrialFacts], *, seed: int = 0
) -> RunStatistics:
    """What a run comes to.

    Args:
        decisions: What was decided about each case.
        facts: Of all its trials.
        seed: Of what is drawn.
    """
    of_case: dict[str, list[TrialFacts]] = {decision.case: [] for decision in decisions}
    for each in facts:
        of_case[each.case].append(each)
    ks = sorted({k for k in (*_KS, *(decision.valid for decision in decisions)) if k})
    cases = tuple(_of_case(decision, of_case[decision.case], ks) for decision in decisions)
    ks = [k for k in ks if any(k in case.pass_at for case in cases)]
    everything = [each for found in of_case.values() for each in found]
    rate = suite_rate([(case.rate.passed, case.rate.valid) for case in cases], seed=seed)
    return RunStatistics(
        mean=rate.mean,
        cases_counted=rate.cases,
        sample=rate.sample,
        fixed=rate.fixed,
        pass_at={k: suite_at_k([case.pass_at.get(k) for case in cases]) for k in ks},
        pass_hat={k: suite_at_k([case.pass_hat.get(k) for case in cases]) for k in ks},
        total=_latency(everything, _durations(everything)),
        first_byte=_latency(everything, _first_bytes(everything)),
        tools=_plain([each.tools_ms for each in _answered_trials(everything)]),
        cases=cases,
        detectable=_detectable(cases, seed),
    )


def _of_case(decision: CaseDecision, facts: list[TrialFacts], ks: Sequence[int]) -> CaseStatistics:
    passed, valid = decision.passed, decision.valid
    low, high = wilson(passed, valid)
    counted = {trial.number for trial in decision.trials if trial.status in _VALID}
    told = [each for each in facts if each.number in counted and each.outcome == "replied"]
    ks = [k for k in ks if k <= valid]
    return CaseStatistics(
        case=decision.case,
        rate=RateFigures(
            passed=passed, valid=valid, rate=passed / valid if valid else None, low=low, high=high
        ),
        classification=classify(passed, valid),
        pass_at={k: pass_at_k(passed, valid, k) for k in ks},
        pass_hat={k: pass_hat_k(passed, valid, k) for k in ks},
        total=_latency(facts, _durations(facts)),
        first_byte=_latency(facts, _first_bytes(facts)),
        tools=_plain([each.tools_ms for each in _answered_trials(facts)]),
        stability=tuple(_stabilities(told)),
        retried=sum(each.attempts > each.turns for each in facts),
    )


def _answered_trials(facts: Iterable[TrialFacts]) -> list[TrialFacts]:
    """Errors of agents and of infrastructure take their own time, which is nobody's latency."""
    return [each for each in facts if each.outcome == "replied" and not each.synthetic]


def _durations(facts: Iterable[TrialFacts]) -> list[float]:
    return [each.duration_ms for each in _answered_trials(facts) if each.timed]


def _first_bytes(facts: Iterable[TrialFacts]) -> list[float]:
    return [
        each.first_byte_ms for each in _answered_trials(facts) if each.first_byte_ms is not None
    ]


def _latency(facts: Iterable[TrialFacts], values: Sequence[float]) -> LatencyFigures:
    limits = [each.time_limit_ms for each in facts if each.time_limit_ms is not None]
    return _figures(values, limits)


def _plain(values: Sequence[float]) -> LatencyFigures:
    return _figures(values, [])


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


def _stabilities(facts: Sequence[TrialFacts]) -> Iterator[StabilityFigures]:
    yield _alike("answer", share_of_equal([each.answer for each in facts]))
    yield _alike("tools", share_of_equal([each.tools for each in facts]))
    reviews = [each.observations for each in facts if each.observations is not None]
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

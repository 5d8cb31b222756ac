"""The newest run of a suite against its baseline, task by task."""

from harness.model import CaseComparison, Comparison, JsonObject
from harness.reports.versus import VERDICTS

_SAME = 1e-9


def regression_rows(found: Comparison) -> list[JsonObject]:
    """One row for each case that both have.

    `taskId`, `previousScore`, `currentScore` (mean scores of trials, 0 to 1; pass rates where a run
    has none), `delta`, which is previous minus current, so that a positive one is worse; the same
    of the pass rates as `previousRate`, `currentRate` and `rateDelta`; and `degraded`, where one of
    them fell by more than the threshold of the comparison.
    """
    return [_row(case, degraded=case.case in found.over_threshold) for case in found.cases]


def _row(case: CaseComparison, *, degraded: bool) -> JsonObject:
    rates = case.before[0] / case.before[1], case.after[0] / case.after[1]
    before, after = case.scores or rates
    return {
        "taskId": case.case,
        "previousScore": before,
        "currentScore": after,
        "degraded": degraded,
        "delta": before - after if case.scores else -case.delta,
        "previousRate": rates[0],
        "currentRate": rates[1],
        "rateDelta": -case.delta,
    }


def regressions_report(suite: str, found: Comparison) -> JsonObject:
    """Everything, for other programs."""
    return {
        "suite": suite,
        "baseline": found.baseline,
        "run": found.candidate,
        "threshold": found.threshold,
        "regressions": regression_rows(found),
        "degraded": len(found.over_threshold),
        "missing": [case for _, cases in _missing(found) for case in cases],
        "comparison": found.model_dump(mode="json"),
    }


def regressions_text(suite: str, found: Comparison) -> str:
    """For a terminal: the tasks that differ, and what so few trials can tell at all."""
    rows = regression_rows(found)
    differing = [row for row in rows if row["delta"] or row["rateDelta"]]
    width = max((len(row["taskId"]) for row in differing), default=0)
    lines = [
        f"{suite}: run {found.candidate} against its baseline {found.baseline}",
        f"{len(rows)} tasks, {len(found.over_threshold)} degraded by more than"
        f" {found.threshold:g} (delta is previous minus current: positive is worse)",
    ]
    lines += [_line(row, width) for row in differing]
    lines += [f"not compared, {why}: {', '.join(cases)}" for why, cases in _missing(found) if cases]
    lines += [VERDICTS[found.verdict], *(f"note: {warning}" for warning in found.warnings)]
    return "".join(f"{line}\n" for line in lines)


def _missing(found: Comparison) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Why cases of the baseline were not compared, and which."""
    return (
        ("gone", found.removed),
        ("changed", found.changed),
        ("invalid", found.invalid),
        ("not evaluated", found.not_evaluated),
    )


def _line(row: JsonObject, width: int) -> str:
    scores = f"{row['previousScore']:.3f} -> {row['currentScore']:.3f}  {row['delta']:+.3f}"
    rates = f"  (rate {row['previousRate']:.3f} -> {row['currentRate']:.3f})"
    differs = abs(row["delta"] - row["rateDelta"]) > _SAME
    degraded = "  degraded" if row["degraded"] else ""
    return f"  {row['taskId']:<{width}}  {scores}{rates * differs}{degraded}"

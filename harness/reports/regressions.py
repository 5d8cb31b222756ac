"""The newest run of a suite against its baseline, task by task."""

from harness.model import CaseComparison, Comparison, JsonObject
from harness.reports.versus import VERDICTS

_EXACT = 1e-9
"""A fall of exactly the threshold is none, whatever binary fractions make of it."""


def regression_rows(found: Comparison, threshold: float) -> list[JsonObject]:
    """One row for each case that both have.

    `taskId`, `previousScore`, `currentScore` (pass rates, 0 to 1), `degraded` (fell by more than
    the threshold), and `delta`, which is previous minus current: a positive one is worse.
    """
    return [_row(case, threshold) for case in found.cases]


def _row(case: CaseComparison, threshold: float) -> JsonObject:
    return {
        "taskId": case.case,
        "previousScore": case.before[0] / case.before[1],
        "currentScore": case.after[0] / case.after[1],
        "degraded": -case.delta > threshold + _EXACT,
        "delta": -case.delta,
    }


def regressions_report(suite: str, found: Comparison, threshold: float) -> JsonObject:
    """Everything, for other programs."""
    rows = regression_rows(found, threshold)
    return {
        "suite": suite,
        "baseline": found.baseline,
        "run": found.candidate,
        "threshold": threshold,
        "regressions": rows,
        "degraded": sum(row["degraded"] for row in rows),
        "missing": [*found.removed, *found.changed, *found.invalid],
        "comparison": found.model_dump(mode="json"),
    }


def regressions_text(suite: str, found: Comparison, threshold: float) -> str:
    """For a terminal: the tasks whose score differs, and what so few trials can tell at all."""
    rows = regression_rows(found, threshold)
    differing = [row for row in rows if row["delta"]]
    width = max((len(row["taskId"]) for row in differing), default=0)
    lines = [
        f"{suite}: run {found.candidate} against its baseline {found.baseline}",
        f"{len(rows)} tasks, {sum(row['degraded'] for row in rows)} degraded by more than"
        f" {threshold:g} (delta is previous minus current: positive is worse)",
    ]
    lines += [_line(row, width) for row in differing]
    missing = (("gone", found.removed), ("changed", found.changed), ("invalid", found.invalid))
    lines += [f"not compared, {why}: {', '.join(cases)}" for why, cases in missing if cases]
    lines += [VERDICTS[found.verdict], *(f"note: {warning}" for warning in found.warnings)]
    return "".join(f"{line}\n" for line in lines)


def _line(row: JsonObject, width: int) -> str:
    degraded = "  degraded" if row["degraded"] else ""
    scores = f"{row['previousScore']:.3f} -> {row['currentScore']:.3f}"
    return f"  {row['taskId']:<{width}}  {scores}  {row['delta']:+.3f}{degraded}"

"""Comparisons as text: with the run before, with a baseline, and task by task with a baseline."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

from harness.errors import HarnessError
from harness.model import CaseComparison, Comparison, JsonObject

_MOST_NAMED = 10
_UNDECIDED = {"inconclusive", "skipped"}
_TITLES = {
    "new_failures": "NEW FAILURES",
    "new_passes": "NEW PASSES",
    "unchanged": "UNCHANGED",
    "added": "ADDED",
    "removed": "REMOVED",
    "changed": "CHANGED",
    "invalid": "NOT COMPARABLE",
}
_HINTS = {
    "changed": "the case itself is another than before",
    "invalid": "no verdict on one of the sides",
}


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """Case ids of two reports; each case is in exactly one list.

    Attributes:
        new_failures: Passed before, do not now.
        new_passes: Pass now, did not before.
        unchanged: The same on both sides.
        added: Only in the new report.
        removed: Only in the old report.
        changed: On both sides, but the case's hash differs, so its results do not compare.
        invalid: Inconclusive or skipped on one of the sides.
    """

    new_failures: list[str] = field(default_factory=list)
    new_passes: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)


def compare_reports(old: JsonObject, new: JsonObject) -> ReportComparison:
    """Compares two JSON reports by case id and case hash.

    Raises:
        HarnessError: when one of them is not a report.
    """
    before, after = _case_table(old, "the earlier report"), _case_table(new, "the new report")
    comparison = ReportComparison()
    for name in (*before, *(name for name in after if name not in before)):
        _place_case(comparison, before.get(name), after.get(name)).append(name)
    return comparison


def comparison_text(comparison: ReportComparison) -> str:
    """One line for each list that is not empty.

    New failures are all named, of other long lists the first; unchanged cases are counted only.
    """
    lines: list[str] = []
    for each in fields(comparison):
        names: list[str] = getattr(comparison, each.name)
        if not names:
            continue
        hint = f" ({_HINTS[each.name]})" if each.name in _HINTS else ""
        lines.append(f"{_TITLES[each.name]} {len(names)}{hint}{_listed_cases(each.name, names)}")
    return "\n".join(lines or ["nothing to compare"]) + "\n"


def _listed_cases(which: str, names: list[str]) -> str:
    if which == "unchanged":
        return ""
    shown = names if which == "new_failures" else names[:_MOST_NAMED]
    more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
    return f": {', '.join(shown)}{more}"


def _place_case(
    comparison: ReportComparison, before: JsonObject | None, after: JsonObject | None
) -> list[str]:
    if before is None or after is None:
        return comparison.added if before is None else comparison.removed
    if before["hash"] != after["hash"]:
        return comparison.changed
    verdicts = (before["verdict"], after["verdict"])
    if _UNDECIDED & set(verdicts):
        return comparison.invalid
    was_passed, is_passed = (verdict == "passed" for verdict in verdicts)
    if was_passed == is_passed:
        return comparison.unchanged
    return comparison.new_passes if is_passed else comparison.new_failures


def _case_table(report: JsonObject, noun: str) -> Mapping[str, JsonObject]:
    try:
        return {
            case["caseId"]: {"hash": case["hash"], "verdict": case["verdict"]}
            for case in report["cases"]
        }
    except (KeyError, TypeError) as error:
        hint = "give a report.json that understudy run wrote"
        raise HarnessError(f"{noun} is not a JSON report of this tool", hint=hint) from error


_FLAGS = (
    ("significant", "WORSE", "more than chance explains, over all cases"),
    ("broken", "BROKEN", "passed every time, never passes now; chance may explain it, so look"),
    ("changed_outcome", "CHANGED OUTCOME", "declared deterministic"),
    ("suspect", "SUSPECT", "a lower rate that chance may explain: try them again"),
    ("improved", "IMPROVED", ""),
)
COMPARED_NOT = (
    ("added", "only in the candidate"),
    ("removed", "only in the baseline"),
    ("changed", "another case than before: not compared"),
    ("invalid", "no valid trial on one side: not compared"),
    ("not_evaluated", "trials without a verdict on one side: not compared"),
)
VERDICTS = {
    "regressed": "REGRESSED: the suite or a case fell by more than chance explains",
    "changed": "CHANGED: a difference that no rule of this comparison allows",
    "not_worse": "NOT WORSE than the margin allows",
    "inconclusive": "INCONCLUSIVE: neither a regression nor its absence is shown",
}


def versus_text(comparison: Comparison) -> str:
    """The comparison for a terminal."""
    return "\n".join(_comparison_lines(comparison)) + "\n"


def _comparison_lines(found: Comparison) -> Iterator[str]:
    yield f"{found.candidate} against {found.baseline}, {len(found.cases)} cases compared"
    yield VERDICTS[found.verdict]
    yield from _total_lines(found)
    if found.effect is not None and found.low is not None and found.high is not None:
        yield (
            f"mean difference {found.effect * 100:+.1f} points"
            f" ({100 - found.alpha * 100:.3g} % interval"
            f" {found.low * 100:+.1f} to {found.high * 100:+.1f}), p = {found.p_value:.3g},"
            f" margin {found.margin * 100:g} points"
        )
    yield from _test_lines(found)
    if found.verdict == "inconclusive" and found.trials_needed:
        yield f"{found.trials_needed} trials a case would see a drop of the margin (power 80 %)"
    yield from _flag_lines(found)
    for name, why in COMPARED_NOT:
        if cases := getattr(found, name):
            yield f"{name.upper().replace('_', ' ')} ({why}): {', '.join(cases)}"
    if found.threshold is not None:
        cases = ", ".join(found.over_threshold) or "none"
        yield f"FELL BY MORE THAN {found.threshold:g}: {cases}"
    if found.explored:
        yield f"TO EXPLORE (false discovery rate {found.alpha:.3g}): {', '.join(found.explored)}"
    yield from (f"note: {warning}" for warning in found.warnings)


def _total_lines(found: Comparison) -> Iterator[str]:
    if found.before is None or found.after is None:
        return
    was, now = found.before, found.after
    yield f"cases passed {was.cases_passed}/{was.cases} -> {now.cases_passed}/{now.cases}"
    if was.checks and now.checks:
        yield f"checks passed {was.checks_passed}/{was.checks} -> {now.checks_passed}/{now.checks}"


def _test_lines(found: Comparison) -> Iterator[str]:
    if found.discordant is not None:
        pairs = found.discordant
        yield (
            f"of the cases that differ {pairs.worse} got worse and {pairs.better} better"
            f" (McNemar, one trial a case): p = {pairs.p_value:.3g}"
        )
    if found.looks:
        looks = ", ".join(map(str, found.looks))
        yield f"looked at after {looks} trials a case, at alpha = {found.alpha:.3g} each time"


def _flag_lines(found: Comparison) -> Iterator[str]:
    for flag, title, why in _FLAGS:
        cases = [case for case in found.cases if case.flag == flag]
        if cases:
            yield f"{title}{f' ({why})' if why else ''}:"
        for case in cases:
            (passed, valid), (now, of_now) = case.before, case.after
            told = f" (trials after {case.since} only)" if case.since else ""
            yield f"  {case.case}  {passed}/{valid} -> {now}/{of_now}{told}"


def versus_markdown(comparison: Comparison) -> str:
    """The comparison for a pull request: a table of the cases that differ."""
    lines = [f"### Against {comparison.baseline}", "", VERDICTS[comparison.verdict], ""]
    differing = [case for case in comparison.cases if case.flag != "same"]
    if differing:
        lines += ["| case | before | now | what |", "|---|---|---|---|"]
        lines += [
            f"| {case.case} | {case.before[0]}/{case.before[1]} | {case.after[0]}/{case.after[1]}"
            f" | {case.flag.replace('_', ' ')} |"
            for case in differing
        ]
        lines.append("")
    for name, why in COMPARED_NOT:
        if cases := getattr(comparison, name):
            lines += [f"{name.replace('_', ' ')} ({why}): {', '.join(cases)}", ""]
    return "\n".join([*lines, *(f"> {warning}" for warning in comparison.warnings)]).rstrip() + "\n"


_ROUNDING = 1e-9


def regression_rows(found: Comparison) -> list[JsonObject]:
    """One row for each case that both have.

    `taskId`, `previousScore`, `currentScore` (mean scores of trials, 0 to 1; pass rates where a run
    has none), `delta`, which is previous minus current, so that a positive one is worse; the same
    of the pass rates as `previousRate`, `currentRate` and `rateDelta`; and `degraded`, where one of
    them fell by more than the threshold of the comparison.
    """
    return [
        _regression_row(case, degraded=case.case in found.over_threshold) for case in found.cases
    ]


def _regression_row(case: CaseComparison, *, degraded: bool) -> JsonObject:
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
        "missing": [case for _, cases in _missing_tasks(found) for case in cases],
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
    lines += [_regression_line(row, width) for row in differing]
    lines += [
        f"not compared, {why}: {', '.join(cases)}" for why, cases in _missing_tasks(found) if cases
    ]
    lines += [VERDICTS[found.verdict], *(f"note: {warning}" for warning in found.warnings)]
    return "".join(f"{line}\n" for line in lines)


def _missing_tasks(found: Comparison) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Why cases of the baseline were not compared, and which."""
    return (
        ("gone", found.removed),
        ("changed", found.changed),
        ("invalid", found.invalid),
        ("not evaluated", found.not_evaluated),
    )


def _regression_line(row: JsonObject, width: int) -> str:
    scores = f"{row['previousScore']:.3f} -> {row['currentScore']:.3f}  {row['delta']:+.3f}"
    rates = f"  (rate {row['previousRate']:.3f} -> {row['currentRate']:.3f})"
    differs = abs(row["delta"] - row["rateDelta"]) > _ROUNDING
    degraded = "  degraded" if row["degraded"] else ""
    return f"  {row['taskId']:<{width}}  {scores}{rates * differs}{degraded}"

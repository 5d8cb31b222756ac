"""A run beside its baseline, in words."""

from collections.abc import Iterator

from harness.model import Comparison

_FLAGS = (
    ("significant", "WORSE", "more than chance explains, over all cases"),
    ("broken", "BROKEN", "passed every time, never passes now; chance may explain it, so look"),
    ("changed_outcome", "CHANGED OUTCOME", "declared deterministic"),
    ("suspect", "SUSPECT", "a lower rate that chance may explain: try them again"),
    ("improved", "IMPROVED", ""),
)
_LISTS = (
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
    return "\n".join(_lines(comparison)) + "\n"


def _lines(found: Comparison) -> Iterator[str]:
    yield f"{found.candidate} against {found.baseline}, {len(found.cases)} cases compared"
    yield VERDICTS[found.verdict]
    yield from _totals(found)
    if found.effect is not None and found.low is not None and found.high is not None:
        yield (
            f"mean difference {found.effect * 100:+.1f} points"
            f" ({100 - found.alpha * 100:.3g} % interval"
            f" {found.low * 100:+.1f} to {found.high * 100:+.1f}), p = {found.p_value:.3g},"
            f" margin {found.margin * 100:g} points"
        )
    yield from _tests(found)
    if found.verdict == "inconclusive" and found.trials_needed:
        yield f"{found.trials_needed} trials a case would see a drop of the margin (power 80 %)"
    yield from _flagged(found)
    for name, why in _LISTS:
        if cases := getattr(found, name):
            yield f"{name.upper().replace('_', ' ')} ({why}): {', '.join(cases)}"
    if found.threshold is not None:
        cases = ", ".join(found.over_threshold) or "none"
        yield f"FELL BY MORE THAN {found.threshold:g}: {cases}"
    if found.explored:
        yield f"TO EXPLORE (false discovery rate {found.alpha:.3g}): {', '.join(found.explored)}"
    yield from (f"note: {warning}" for warning in found.warnings)


def _totals(found: Comparison) -> Iterator[str]:
    if found.before is None or found.after is None:
        return
    was, now = found.before, found.after
    yield f"cases passed {was.cases_passed}/{was.cases} -> {now.cases_passed}/{now.cases}"
    if was.checks and now.checks:
        yield f"checks passed {was.checks_passed}/{was.checks} -> {now.checks_passed}/{now.checks}"


def _tests(found: Comparison) -> Iterator[str]:
    if found.discordant is not None:
        pairs = found.discordant
        yield (
            f"of the cases that differ {pairs.worse} got worse and {pairs.better} better"
            f" (McNemar, one trial a case): p = {pairs.p_value:.3g}"
        )
    if found.looks:
        looks = ", ".join(map(str, found.looks))
        yield f"looked at after {looks} trials a case, at alpha = {found.alpha:.3g} each time"


def _flagged(found: Comparison) -> Iterator[str]:
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
    for name, why in _LISTS:
        if cases := getattr(comparison, name):
            lines += [f"{name.replace('_', ' ')} ({why}): {', '.join(cases)}", ""]
    return "\n".join([*lines, *(f"> {warning}" for warning in comparison.warnings)]).rstrip() + "\n"

"""The output of a task against its patterns."""

from harness.checks.replies import no_reply, replies_of, said
from harness.checks.results import failed, not_evaluated, verdict
from harness.model import (
    ENOUGH_OUTPUT,
    CheckResult,
    PatternError,
    Patterns,
    TrialRecord,
    pattern_finding,
)


def check_patterns(record: TrialRecord, expectation: Patterns) -> CheckResult:
    """Whether the output meets all (or any) of the patterns.

    The numbers hold `score` (matching of total, 0 to 1), `matching`, `of`, and for each pattern
    `pattern`, `passed` and `detail` in `details`.
    """
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    output = said(replies)
    if not expectation.patterns:
        return _any_output(expectation, output)
    try:
        findings = [(each, pattern_finding(each, output)) for each in expectation.patterns]
    except PatternError as error:
        return not_evaluated(expectation, f"a pattern of the case cannot be used: {error}")
    missed = [pattern for pattern, finding in findings if not finding.passed]
    total = len(findings)
    numbers = {
        "score": (total - len(missed)) / total,
        "matching": total - len(missed),
        "of": total,
        "details": [
            {"pattern": pattern, "passed": finding.passed, "detail": finding.detail}
            for pattern, finding in findings
        ],
    }
    enough = not missed if expectation.match == "all" else len(missed) < total
    if enough and not output.strip():
        return failed(expectation, "the output is empty: it lacks what it must not hold", **numbers)
    if enough:
        return verdict(expectation, "", **numbers)
    told = "; ".join(f"{each!r}: {pattern_finding(each, output).detail}" for each in missed)
    which = "does not meet" if expectation.match == "all" else "meets none of its patterns:"
    return failed(expectation, f"the output {which} {told}", **numbers)


def _any_output(expectation: Patterns, output: str) -> CheckResult:
    length = len(output.strip())
    enough = length > ENOUGH_OUTPUT
    expected = f"more than {ENOUGH_OUTPUT} expected"
    reason = "" if enough else f"the output has {length} characters, {expected}"
    return verdict(expectation, reason, score=float(enough), characters=length)

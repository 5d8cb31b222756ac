"""What the opinions of a judge come to."""

from collections.abc import Sequence

from harness.checks.results import failed, not_evaluated, passed
from harness.model import CheckResult, Json, Judge, Opinion, TrialRecord


def check_judge(record: TrialRecord, expectation: Judge) -> CheckResult:
    """Whether enough of a judge's opinions accept the reply.

    Opinions that do not count (the judge failed, or said what is not on the menu) are neither for
    nor against; where they could have decided, nothing is decided. The numbers hold what was
    `asked` (a hash), the `model`, the `prompt` hash, the `verdicts` with their `reasons`, how many
    `accepted`, and how many are `needed`.
    """
    opinions = [each for each in record.opinions if each.asked == expectation.asked]
    opinions = opinions[: expectation.samples]
    if not opinions:
        return not_evaluated(expectation, _why_none(record))
    valid = [each for each in opinions if not each.error]
    accepted = sum(each.verdict in expectation.accept for each in valid)
    numbers = _numbers(expectation, opinions, accepted)
    if accepted >= expectation.needed:
        return passed(expectation, **numbers)
    if accepted + expectation.samples - len(valid) < expectation.needed:
        return failed(expectation, _against(expectation, valid, accepted), **numbers)
    error = next((each.error for each in opinions if each.error), "it was asked too seldom")
    return not_evaluated(expectation, f"the judge gave no verdict that counts: {error}", **numbers)


def _why_none(record: TrialRecord) -> str:
    if not record.replies:
        return "the agent gave no reply to judge"
    return "no judge was asked this question; name one with --judge"


def _against(expectation: Judge, valid: Sequence[Opinion], accepted: int) -> str:
    first = next(each for each in valid if each.verdict not in expectation.accept)
    votes = f"{accepted} of {expectation.samples} opinions accept, {expectation.needed} needed"
    said = f": {first.reason}" if first.reason else ""
    return f"the judge says {first.verdict!r} ({votes}){said}"


def _numbers(expectation: Judge, opinions: Sequence[Opinion], accepted: int) -> dict[str, Json]:
    return {
        "asked": expectation.asked,
        "model": opinions[0].model,
        "prompt": opinions[0].prompt,
        "question": expectation.question,
        "verdicts": [each.verdict or None for each in opinions],
        "reasons": [each.reason or each.error for each in opinions],
        "accepted": accepted,
        "needed": expectation.needed,
    }

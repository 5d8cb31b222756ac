"""How like a reference text the reply is."""

from collections import Counter

from harness.checks.replies import no_reply, replies_of
from harness.checks.results import not_evaluated, verdict
from harness.checks.text import tokens
from harness.model import CheckResult, Reference, TrialRecord


def check_reference(record: TrialRecord, expectation: Reference) -> CheckResult:
    """Whether the (last) reply's token F1 with the reference is high enough."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    similarity = round(token_f1(replies[-1].text, expectation.text), 4)
    least = expectation.min_similarity
    reason = f"similarity {similarity:g} with the reference, at least {least:g} expected"
    return verdict(
        expectation,
        "" if similarity >= least else reason,
        similarity=similarity,
        min_similarity=least,
    )


def token_f1(one: str, other: str) -> float:
    """Harmonic mean of the shares of tokens that two texts have in common, from 0 to 1.

    >>> token_f1("check the parent OU", "Check the OU")
    0.8571428571428571
    """
    left, right = Counter(tokens(one)), Counter(tokens(other))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 0.0

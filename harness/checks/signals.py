"""Whether a reply is an answer at all: long enough, with some of the words that answers have."""

from harness.checks.replies import no_reply, replies_of
from harness.checks.results import not_evaluated, verdict
from harness.model import CheckResult, Signals, TrialRecord

_BETWEEN = "\n\n---\n\n"
"""What stands between the replies to several turns; it counts with the length."""


def check_signals(record: TrialRecord, expectation: Signals) -> CheckResult:
    """Whether the replies are long enough together and hold enough of the words.

    The reply to a single turn may be structured instead.
    """
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    text = _BETWEEN.join(reply.text for reply in replies).lower()
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    found = [word for word in expectation.words if word.lower() in text]
    structured = len(replies) == 1 and replies[0].metadata is not None
    wrong = []
    if not structured and length < expectation.min_length:
        wrong.append(f"{length} characters, at least {expectation.min_length} wanted")
    if not structured and len(found) < expectation.min_words:
        wrong.append(
            f"{len(found)} of the words that answers have, at least {expectation.min_words} wanted"
        )
    return verdict(
        expectation,
        "hardly an answer: " + "; ".join(wrong) if wrong else "",
        length=length,
        found=found,
        structured=structured,
    )

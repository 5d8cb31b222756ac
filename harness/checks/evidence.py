"""What the reply shows of the data it was given, in its text or its structured answer."""

import re

from harness.checks.phrases import blank_among, quoted
from harness.checks.replies import is_blank, no_reply, replies_of, shown
from harness.checks.results import not_evaluated, verdict
from harness.checks.text import Text, text_of
from harness.model import CheckResult, Evidence, ForbiddenEvidence, TrialRecord

_QUOTE_LENGTH = 160
_EMPHASIS = re.compile(r"\bnot\s+(?:only|just|merely|simply)\b", re.IGNORECASE)
"""Words that look like a negation and are none: "not only disable DLP, but ..."."""


def check_evidence(record: TrialRecord, expectation: Evidence) -> CheckResult:
    """Whether every marker is shown; `missing` in the numbers lists those that are not."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_among(expectation.markers):
        return not_evaluated(expectation, blank)
    text = text_of(shown(replies))
    missing = [
        marker for marker in expectation.markers if not text.holds(marker, exact=expectation.exact)
    ]
    total = len(expectation.markers)
    reason = f"missing evidence: {quoted(missing)}" if missing else ""
    return verdict(expectation, reason, missing=missing, found=total - len(missing), of=total)


def check_forbidden(record: TrialRecord, expectation: ForbiddenEvidence) -> CheckResult:
    """Whether no marker is shown, but in sentences that hold one of the `unless` words."""
    replies = replies_of(record, expectation.turn)
    if not replies or is_blank(replies):
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_among((*expectation.markers, *expectation.unless)):
        return not_evaluated(expectation, blank)
    text = text_of(shown(replies))
    found = {
        marker: sentence
        for marker in expectation.markers
        if (sentence := _offending(text, marker, expectation))
    }
    reason = "; ".join(f"forbidden {marker!r} in {at!r}" for marker, at in found.items())
    return verdict(expectation, reason, found=list(found), sentences=list(found.values()))


def _offending(text: Text, marker: str, expectation: ForbiddenEvidence) -> str:
    """The first sentence that shows the marker and is not excused, or an empty string."""
    for sentence in text.sentences_with(marker, exact=expectation.exact):
        excuse = Text(_EMPHASIS.sub(" ", sentence))
        if not any(excuse.holds(word, exact=True) for word in expectation.unless):
            return _shortened(sentence)
    return ""


def _shortened(sentence: str) -> str:
    return sentence if len(sentence) <= _QUOTE_LENGTH else sentence[: _QUOTE_LENGTH - 1] + "…"

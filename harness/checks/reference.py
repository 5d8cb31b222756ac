"""How like a reference text the reply is."""

from collections import Counter
from functools import cache
from typing import Any

from harness.checks.replies import no_reply, replies_of
from harness.checks.results import not_evaluated, verdict
from harness.checks.text import tokens
from harness.model import CheckResult, Reference, TrialRecord

_UNSTEMMED = 3
"""Words up to this length stand for themselves."""


def check_reference(record: TrialRecord, expectation: Reference) -> CheckResult:
    """Whether the (last) reply's F1 with the reference is high enough; it is rounded to show it."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    measure = rouge_1 if expectation.measure == "rouge1" else token_f1
    try:
        similarity = measure(replies[-1].text, expectation.text)
    except ModuleNotFoundError:
        return not_evaluated(expectation, "ROUGE counts stems: pip install 'understudy[rouge]'")
    least = expectation.min_similarity
    reason = (
        f"similarity {_shown(similarity, least)} with the reference, at least {least:g} expected"
    )
    return verdict(
        expectation,
        "" if similarity >= least else reason,
        similarity=round(similarity, 4),
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


def rouge_1(reply: str, reference: str) -> float:
    """ROUGE-1 with stems: the harmonic mean of precision and recall of a reply's words.

    Computed in the order in which ROUGE's own implementation does, so that a score at a threshold
    is on the same side of it.

    Raises:
        ModuleNotFoundError: NLTK, of the extra `rouge`, is not installed.

    >>> rouge_1("the pools were exhausted", "the pool was exhausting")
    0.75
    """
    said, wanted = (Counter(map(_stemmed, tokens(text))) for text in (reply, reference))
    common = (said & wanted).total()
    if not common:
        return 0.0
    precision, recall = common / said.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _stemmed(word: str) -> str:
    return str(_stemmer().stem(word)) if len(word) > _UNSTEMMED and word.isascii() else word


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer  # the one that ROUGE's own implementation uses

    return PorterStemmer()


def _shown(similarity: float, least: float) -> str:
    """The similarity in few digits, but in all where they would make it look high enough."""
    short = f"{round(similarity, 4):g}"
    return repr(similarity) if similarity < least <= float(short) else short

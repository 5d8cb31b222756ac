"""How good a reply is as an answer: its signals, a rubric, likeness to a reference text."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypedDict

from pydantic import Field

from harness.checks.expectation import AnyExpectation, Needle, not_evaluated, verdict
from harness.checks.phrases import blank_phrase, quote_names
from harness.checks.replies import joined_texts, no_reply, replies_of
from harness.checks.reply_schema import labelled_text
from harness.checks.sections import Phrase, Phrases, name_or_object, section_of
from harness.checks.stems import stem
from harness.checks.text import Text, fold, text_of, tokens
from harness.trials.decisions import CheckResult
from harness.trials.records import TrialRecord


class Signals(AnyExpectation):
    """The reply is an answer, not a word or two: it is long enough and has some of these.

    A structured answer (an object in its metadata) is one whatever it says.

    Attributes:
        words: Parts of words (`configur`), found anywhere in the text, in any letter case.
        min_words: How many of them the text must have.
        min_length: How long the text is at least, in characters as UTF-16 counts them.
    """

    kind: Literal["signals"] = "signals"
    failure: ClassVar[str] = "hardly an answer"
    words: tuple[Needle, ...] = Field(min_length=1)
    min_words: int = Field(default=2, ge=1)
    min_length: int = Field(default=50, ge=0)


class Rubric(AnyExpectation):
    """At least `min_score` of the criteria are met by the reply.

    Attributes:
        min_score: How many criteria must be met, at least 1.
        criteria: Short cues (`diagnosis`, `evidence`, `next`).
        synonyms: Criterion to further phrases that meet it.
    """

    kind: Literal["rubric"] = "rubric"
    failure: ClassVar[str] = "low rubric score"
    problem_lists: ClassVar[tuple[str, ...]] = ("missing",)
    min_score: int = Field(ge=1)
    criteria: tuple[Needle, ...] = Field(min_length=1)
    synonyms: dict[str, tuple[Needle, ...]] = {}


class Reference(AnyExpectation):
    """The reply is like a reference text: its F1 from 0 to 1 is at least `min_similarity`.

    Attributes:
        text: What it should be like.
        min_similarity: The least F1.
        measure: What is counted: `words` as they are, or their stems, as ROUGE-1 does (`rouge1`).
    """

    kind: Literal["reference"] = "reference"
    failure: ClassVar[str] = "unlike the reference"
    text: Needle
    min_similarity: float = Field(default=0.3, gt=0, le=1)
    measure: Literal["words", "rouge1"] = "words"


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


SYNONYMS: dict[str, tuple[str, ...]] = {
    "diagnosis": ("root cause", "the cause is", "caused by", "is due to", "because"),
    "issue": ("problem", "misconfigured", "misconfiguration", "root cause"),
    "evidence": ("according to", "the log shows", "the event shows", "observed", "as shown by"),
    "hypothesis": ("hypotheses", "likely cause", "possible cause", "likely because"),
    "hypotheses": ("hypothesis", "likely causes", "possible causes", "likely because"),
    "next": ("next steps", "recommended steps", "recommended actions", "action items"),
    "recommend": ("recommended", "recommends", "recommendation", "recommendations", "suggest"),
    "verify": ("verified", "confirm", "check that", "validate"),
}
"""Phrases that meet a criterion too; a case adds its own under `synonyms`."""


class RubricNumbers(TypedDict, total=False):
    """What the numbers of a rubric's result hold; empty where it was not evaluated.

    Attributes:
        score: How many criteria are met.
        min_score: How many must be.
        criteria: All of them.
        met: Those that are met.
        missing: Those that are not.
    """

    score: int
    min_score: int
    criteria: list[str]
    met: list[str]
    missing: list[str]


def check_rubric(record: TrialRecord, expectation: Rubric) -> CheckResult:
    """Whether at least `min_score` of the criteria are met; each counts once.

    The numbers are `RubricNumbers`.
    """
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_phrase(expectation.criteria):
        return not_evaluated(expectation, blank)
    answers = [labelled_text(reply.metadata) for reply in replies if reply.metadata]
    text = text_of("\n\n".join([joined_texts(replies), *answers]))
    met = [each for each in expectation.criteria if _is_met(each, text, expectation)]
    missing = [each for each in expectation.criteria if each not in met]
    least = expectation.min_score
    reason = ""
    if len(met) < least:
        reason = f"rubric score {len(met)} is below {least}: no {quote_names(missing)}"
    numbers: RubricNumbers = {
        "score": len(met),
        "min_score": least,
        "criteria": list(expectation.criteria),
        "met": met,
        "missing": missing,
    }
    return verdict(expectation, reason, **numbers)


def _is_met(criterion: str, text: Text, expectation: Rubric) -> bool:
    name = fold(criterion).strip()
    own = (
        phrase for key, more in expectation.synonyms.items() if fold(key) == name for phrase in more
    )
    return any(text.holds(phrase) for phrase in (criterion, *SYNONYMS.get(name, ()), *own))


_UNSTEMMED = 3
"""Words up to this length stand for themselves."""


def check_reference(record: TrialRecord, expectation: Reference) -> CheckResult:
    """Whether the (last) reply's F1 with the reference is high enough; it is rounded to show it."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    measure = rouge_1 if expectation.measure == "rouge1" else token_f1
    similarity = measure(replies[-1].text, expectation.text)
    least = expectation.min_similarity
    told = _similarity_text(similarity, least)
    reason = f"similarity {told} with the reference, at least {least:g} expected"
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

    >>> rouge_1("the pools were exhausted", "the pool was exhausting")
    0.75
    """
    spoken, wanted = (Counter(map(_stem_word, tokens(text))) for text in (reply, reference))
    common = (spoken & wanted).total()
    if not common:
        return 0.0
    precision, recall = common / spoken.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _stem_word(word: str) -> str:
    return stem(word) if len(word) > _UNSTEMMED and word.isascii() else word


def _similarity_text(similarity: float, least: float) -> str:
    """The similarity in few digits, but in all where they would make it look high enough."""
    short = f"{round(similarity, 4):g}"
    return repr(similarity) if similarity < least <= float(short) else short


def _words_suffice(block: Signals) -> None:
    if block.min_words > len(block.words):
        raise ValueError(
            f"min_words {block.min_words} cannot be reached with {len(block.words)} words"
        )


def _score_is_possible(block: Rubric) -> None:
    if block.min_score > len(block.criteria):
        raise ValueError(
            f"min_score {block.min_score} cannot be reached with {len(block.criteria)} criteria"
        )
    if idle := sorted(set(block.synonyms) - set(block.criteria)):
        raise ValueError(f"synonyms for what is no criterion: {', '.join(idle)}")


SIGNALS = section_of(
    Signals,
    "How long the reply is, and how many of some words it has.",
    _words_suffice,
    words=Phrases,
)
RUBRIC = section_of(
    Rubric,
    "How many criteria the reply must meet.",
    _score_is_possible,
    criteria=Annotated[tuple[Phrase, ...], Field(min_length=1)],
    synonyms=dict[str, Phrases],
)
REFERENCE = section_of(
    Reference,
    "A text that the reply is like.",
    short=lambda block: Annotated[block, name_or_object("text", block)],
    text=Phrase,
)

if TYPE_CHECKING:
    RubricBlock = Rubric
else:
    RubricBlock = RUBRIC.form

"""How many criteria a reply meets, by cues."""

from harness.checks.phrases import blank_among, quoted
from harness.checks.replies import no_reply, replies_of, said
from harness.checks.results import not_evaluated, verdict
from harness.checks.structure import labelled
from harness.checks.text import Text, fold, text_of
from harness.model import CheckResult, Rubric, TrialRecord

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


def check_rubric(record: TrialRecord, expectation: Rubric) -> CheckResult:
    """Whether at least `min_score` of the criteria are met; each counts once."""
    replies = replies_of(record, expectation.turn)
    if not replies:
        return not_evaluated(expectation, no_reply(expectation.turn))
    if blank := blank_among(expectation.criteria):
        return not_evaluated(expectation, blank)
    answers = [labelled(reply.metadata) for reply in replies if reply.metadata]
    text = text_of("\n\n".join([said(replies), *answers]))
    met = [each for each in expectation.criteria if _is_met(each, text, expectation)]
    missing = [each for each in expectation.criteria if each not in met]
    return verdict(
        expectation,
        ""
        if len(met) >= expectation.min_score
        else f"rubric score {len(met)} is below {expectation.min_score}: no {quoted(missing)}",
        score=len(met),
        min_score=expectation.min_score,
        criteria=list(expectation.criteria),
        met=met,
        missing=missing,
    )


def _is_met(criterion: str, text: Text, expectation: Rubric) -> bool:
    name = fold(criterion).strip()
    own = (
        phrase for key, more in expectation.synonyms.items() if fold(key) == name for phrase in more
    )
    return any(text.holds(phrase) for phrase in (criterion, *SYNONYMS.get(name, ()), *own))

"""A judge's opinions in a run, item by item, and how they agree with labels."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.checks import check
from harness.errors import HarnessError
from harness.judge import Item, LabelledItem
from harness.model import Calibration, Judge, TrialRecord
from harness.statistics import FEWEST_NEGATIVES, judge_agreement
from harness.storage import RunFolder

_ENOUGH = "label more replies, above all bad ones: understudy runs judge labels writes the table"


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One reply, and what the judge said of it.

    Attributes:
        item: The reply and the question.
        accepted: Whether enough opinions accept it, or None where nothing was decided.
        model: The judge.
        prompt: The hash of its instructions.
        split: Whether its opinions differ, or None with only one.
    """

    item: Item
    accepted: bool | None
    model: str
    prompt: str
    split: bool | None


def judged_items(folder: RunFolder) -> Iterator[JudgedItem]:
    """Every reply of a run that a judge was asked about.

    Yields:
        What was said of each, in run order.

    Raises:
        HarnessError: Something in the directory cannot be read.
    """
    questions = {
        case.id: tuple(each for each in case.expect if isinstance(each, Judge))
        for case in folder.cases()
    }
    for record in folder.records():
        for question in questions[record.case]:
            if any(each.asked == question.question_hash for each in record.opinions):
                yield _judged_item(record, question)


def calibrate(
    judged: Iterable[JudgedItem], labels: Sequence[LabelledItem], *, seed: int = 0
) -> Calibration:
    """How the judge of a run agrees with labels.

    Raises:
        HarnessError: Labels are of other runs, several judges were asked, or too few labels can be
            compared: above all too few of replies that are bad.
    """
    decided = [each for each in judged if each.accepted is not None]
    label = {each.item: each.accepted for each in labels}
    matched = [each for each in decided if each.item.item in label]
    judges = {(each.model, each.prompt) for each in matched}
    if not matched:
        raise HarnessError("none of the labels is of a reply that the judge decided", hint=_ENOUGH)
    if len(judges) > 1:
        names = ", ".join(sorted(f"{model} ({prompt})" for model, prompt in judges))
        raise HarnessError(f"the labels are of several judges: {names}", hint="one run, one judge")
    pairs = [(label[each.item.item], each.accepted is True) for each in matched]
    _check_counts(pairs)
    same = [each for each in decided if (each.model, each.prompt) in judges]
    measured = sum(each.accepted is True for each in same), len(same)
    found = judge_agreement(pairs, measured, seed=seed)
    ((model, prompt),) = judges
    return Calibration(
        model=model,
        prompt=prompt,
        questions=tuple(sorted({each.item.question.question_hash for each in matched})),
        **found._asdict(),
        measured=measured[0] / measured[1],
        noise=_noise(same),
        run=matched[0].item.run,
    )


def _check_counts(pairs: Sequence[tuple[bool, bool]]) -> None:
    negatives = sum(not label for label, _ in pairs)
    if negatives < FEWEST_NEGATIVES:
        raise HarnessError(
            f"{negatives} labels say fail, at least {FEWEST_NEGATIVES} are needed: how often the"
            " judge accepts what is bad cannot be told",
            hint=_ENOUGH,
        )
    if negatives == len(pairs):
        raise HarnessError("no label says pass", hint=_ENOUGH)


def _noise(judged: Sequence[JudgedItem]) -> float | None:
    several = [each.split for each in judged if each.split is not None]
    return sum(several) / len(several) if several else None


def _judged_item(record: TrialRecord, question: Judge) -> JudgedItem:
    said = [each for each in record.opinions if each.asked == question.question_hash]
    needed = question.model_copy(update={"required": True})
    status = check(record, needed).status
    verdicts = [each.verdict for each in said if not each.error]
    about = (record.run, record.case, record.number, question.question_hash)
    return JudgedItem(
        item=Item(
            item=hashlib.sha256("\x00".join(map(str, about)).encode()).hexdigest()[:16],
            run=record.run,
            case=record.case,
            trial=record.number,
            question=question,
            replies=tuple(reply for reply in record.replies if question.turn in {None, reply.turn}),
        ),
        accepted={"pass": True, "fail": False}.get(status),
        model=said[0].model,
        prompt=said[0].prompt,
        split=len(set(verdicts)) > 1 if len(verdicts) > 1 else None,
    )

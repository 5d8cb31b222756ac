"""Questions that a model answers about a reply, and what its opinions come to."""

import hashlib
from collections.abc import Sequence
from typing import ClassVar, Literal, Self, TypedDict

import orjson
from pydantic import Field, model_validator

from harness.checks.expectation import AnyExpectation, Needle, failed, not_evaluated, passed
from harness.checks.sections import section_of
from harness.trials.decisions import Attribution, CheckResult
from harness.trials.records import Opinion, TrialRecord
from harness.trials.values import Frozen


class JudgeTerms(Frozen):
    """What a judge is asked, and when its opinions are a pass.

    Attributes:
        question: What is asked of the reply.
        criteria: What a good reply shows.
        reference: A text that a good reply agrees with, or an empty string.
        menu: The verdicts it may give, at least two.
        accept: Those of them that count as a pass: not all of them.
        samples: How often it is asked.
        votes: How many opinions must accept; None for more than half.
        temperature: The temperature of the model; None leaves it to the model.
    """

    question: Needle
    criteria: tuple[Needle, ...] = ()
    reference: str = ""
    menu: tuple[Needle, ...] = Field(default=("pass", "fail"), min_length=2)
    accept: tuple[Needle, ...] = Field(default=("pass",), min_length=1)
    samples: int = Field(default=1, ge=1, le=25)
    votes: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=0.0, ge=0, le=2)

    @model_validator(mode="after")
    def _can_fail_and_pass(self) -> Self:
        unknown = [verdict for verdict in self.accept if verdict not in self.menu]
        if unknown:
            raise ValueError(f"'accept' names {unknown[0]!r}, which is not on the menu")
        if set(self.accept) == set(self.menu):
            raise ValueError("'accept' is the whole menu: no verdict would fail")
        if self.votes is not None and self.votes > self.samples:
            raise ValueError("'votes' is above 'samples': it could never pass")
        return self


class Judge(AnyExpectation, JudgeTerms):
    """A model answers a question about the reply; its opinion decides this check and no other."""

    kind: Literal["judge"] = "judge"
    failure: ClassVar[str] = "opinion of the judge"
    unevaluated_attribution: ClassVar[Attribution] = "judge"

    @property
    def needed(self) -> int:
        """How many opinions must accept."""
        return self.votes if self.votes is not None else self.samples // 2 + 1

    @property
    def question_hash(self) -> str:
        """What is asked, as a hash: an opinion belongs to the question that it answers."""
        about = (
            self.question, self.criteria, self.reference, self.menu, self.turn,
            None if self.temperature is None else float(self.temperature),
        )  # fmt: skip
        return hashlib.sha256(orjson.dumps(about)).hexdigest()[:12]


class JudgeNumbers(TypedDict, total=False):
    """What reports read in the numbers of a judge's result; empty where nobody was asked.

    Attributes:
        asked: The question, as a hash.
        model: The judge.
        prompt: What it was told, as a hash.
        question: The question.
        verdicts: Its opinions, in order; None for one that does not count.
        reasons: Why, or what went wrong, for each.
        accepted: How many accept.
        needed: How many must.
    """

    asked: str
    model: str
    prompt: str
    question: str
    verdicts: list[str | None]
    reasons: list[str]
    accepted: int
    needed: int


def check_judge(record: TrialRecord, expectation: Judge) -> CheckResult:
    """Whether enough of a judge's opinions accept the reply.

    Opinions that do not count (the judge failed, or said what is not on the menu) are neither for
    nor against; where they could have decided, nothing is decided. The numbers are `JudgeNumbers`.
    """
    opinions = [each for each in record.opinions if each.asked == expectation.question_hash]
    opinions = opinions[: expectation.samples]
    if not opinions:
        return not_evaluated(expectation, _why_none(record))
    valid = [each for each in opinions if not each.error]
    accepted = sum(each.verdict in expectation.accept for each in valid)
    numbers = _numbers(expectation, opinions, accepted)
    if accepted >= expectation.needed:
        return passed(expectation, **numbers)
    if accepted + expectation.samples - len(valid) < expectation.needed:
        return failed(expectation, _rejection_reason(expectation, valid, accepted), **numbers)
    error = next((each.error for each in opinions if each.error), "it was asked too seldom")
    return not_evaluated(expectation, f"the judge gave no verdict that counts: {error}", **numbers)


def _why_none(record: TrialRecord) -> str:
    if not record.replies:
        return "the agent gave no reply to judge"
    return "no judge was asked this question; name one with --judge"


def _rejection_reason(expectation: Judge, valid: Sequence[Opinion], accepted: int) -> str:
    first = next(each for each in valid if each.verdict not in expectation.accept)
    votes = f"{accepted} of {expectation.samples} opinions accept, {expectation.needed} needed"
    said = f": {first.reason}" if first.reason else ""
    return f"the judge says {first.verdict!r} ({votes}){said}"


def _numbers(expectation: Judge, opinions: Sequence[Opinion], accepted: int) -> JudgeNumbers:
    return {
        "asked": expectation.question_hash,
        "model": opinions[0].model,
        "prompt": opinions[0].prompt,
        "question": expectation.question,
        "verdicts": [each.verdict or None for each in opinions],
        "reasons": [each.reason or each.error for each in opinions],
        "accepted": accepted,
        "needed": expectation.needed,
    }


JUDGE = section_of(Judge, "Questions that a model answers about the reply.", many=True)

"""Judges: what they are asked, what they say, and how far they are to be believed."""

import hashlib
from typing import Literal, Self

import orjson
from pydantic import Field, model_validator

from harness.model.needles import AnyExpectation, Needle
from harness.model.values import Frozen


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
        temperature: Of the model; None leaves it to the model.
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
    """A model holds the reply against a question; its opinion decides this check and no other."""

    kind: Literal["judge"] = "judge"

    @property
    def needed(self) -> int:
        """How many opinions must accept."""
        return self.votes if self.votes is not None else self.samples // 2 + 1

    @property
    def asked(self) -> str:
        """What is asked, as a hash: an opinion belongs to the question that it answers."""
        about = (
            self.question, self.criteria, self.reference, self.menu, self.turn,
            None if self.temperature is None else float(self.temperature),
        )  # fmt: skip
        return hashlib.sha256(orjson.dumps(about)).hexdigest()[:12]


class Opinion(Frozen):
    """What a judge said, once.

    Attributes:
        asked: The hash of the question (`Judge.asked`).
        sample: Which of its answers, from 1.
        verdict: One of the menu, or an empty string.
        reason: In its own words, shortened.
        error: Why there is no verdict that counts, one line; empty when there is one.
        model: The judge's spec, `openai:NAME`.
        prompt: The hash of its instructions.
        temperature: What it was asked with, or None.
        duration_ms: Milliseconds.
        input_tokens: Or None.
        output_tokens: Or None.
    """

    asked: str
    sample: int = Field(ge=1)
    verdict: str = ""
    reason: str = ""
    error: str = ""
    model: str
    prompt: str
    temperature: float | None = None
    duration_ms: float = 0
    input_tokens: int | None = None
    output_tokens: int | None = None


class Calibration(Frozen):
    """How a judge agrees with people, on labels that they gave without knowing its verdicts.

    Attributes:
        model: The judge's spec.
        prompt: The hash of its instructions: it holds for these alone.
        questions: The hashes of the questions (`Judge.asked`) that were labelled.
        positives: Items that people accepted.
        negatives: Items that they did not.
        true_positive: Of the positives, those that the judge accepted too.
        true_negative: Of the negatives, those that it did not accept either.
        tpr: Their share, with its 95 % Wilson interval.
        tnr: Likewise.
        kappa: Agreement beyond chance, with its 95 % bootstrap interval; 1 is all of it.
        measured: The share of all judged trials that the judge accepted.
        corrected: That share, corrected for its errors, with its 95 % bootstrap interval; None
            where the judge does no better than chance.
        noise: The share of items about which its samples differ, or None with one sample each.
        run: The run whose opinions were labelled.
    """

    model: str
    prompt: str
    questions: tuple[str, ...]
    positives: int
    negatives: int
    true_positive: int
    true_negative: int
    tpr: tuple[float, float, float]
    tnr: tuple[float, float, float]
    kappa: tuple[float, float, float]
    measured: float
    corrected: tuple[float, float, float] | None
    noise: float | None = None
    run: str = ""

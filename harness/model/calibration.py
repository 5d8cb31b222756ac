"""How far the verdicts of a judge agree with those of people."""

from harness.trials.values import Frozen


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

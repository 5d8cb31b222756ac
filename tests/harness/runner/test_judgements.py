from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.judge import LabelledItem
from harness.model import Judge, Opinion
from harness.runner import calibrate, judged_items
from harness.runner.judgements import JudgedItem
from harness.storage import RunFolder
from tests.harness.records import case, manifest, record

QUESTION = Judge(question="Is it kind?", samples=2, votes=1)


def stored(runs: Path, verdicts: Sequence[Sequence[str]], name: str = "r1") -> RunFolder:
    """A run of one case, each of whose trials has these opinions (empty: the judge failed)."""
    asked = manifest(["A"], run=name, trials={"A": len(verdicts)})
    folder = RunFolder.create(runs / name, asked, [case(QUESTION, id="A")])
    for number, said in enumerate(verdicts, 1):
        opinions = tuple(
            Opinion(
                asked=QUESTION.question_hash,
                sample=sample,
                verdict=verdict,
                error="" if verdict else "down",
                model="openai:m",
                prompt="p",
            )
            for sample, verdict in enumerate(said, 1)
        )
        folder.write_trial(
            record(f"answer {number}", case="A", number=number, run=name, opinions=opinions)
        )
    return folder


def labels(judged: Sequence[JudgedItem], accepted: Sequence[bool]) -> list[LabelledItem]:
    return [
        LabelledItem(each.item.item, "r1", label)
        for each, label in zip(judged, accepted, strict=False)
    ]


def test_items_are_replies_with_what_the_judge_decided(tmp_path: Path) -> None:
    folder = stored(tmp_path, [["pass", "fail"], ["fail", "fail"], ["", ""], []])
    found = list(judged_items(folder))
    assert [(each.accepted, each.split) for each in found] == [
        (True, True), (False, False), (None, None),
    ]  # fmt: skip
    assert found[0].item.replies[0].text == "answer 1"
    assert len({each.item.item for each in found}) == 3


def test_a_judge_is_held_against_labels(tmp_path: Path) -> None:
    """CEPR-18: with kappa, TNR and blind labels"""
    said = [["pass", "pass"]] * 30 + [["fail", "fail"]] * 24 + [["pass", "fail"]] * 6
    judged = list(judged_items(stored(tmp_path, said)))
    found = calibrate(judged, labels(judged, [True] * 30 + [False] * 30))
    assert (found.positives, found.negatives, found.true_negative) == (30, 30, 24)
    assert (found.tpr[0], found.tnr[0], found.noise) == (1.0, 0.8, 0.1)
    assert found.questions == (QUESTION.question_hash,)
    assert found.measured == 0.6
    assert found.corrected is not None
    assert found.corrected[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        ([True] * 86 + [False] * 3, "3 labels say fail, at least 20 are needed"),
        ([False] * 30, "no label says pass"),
        ([], "none of the labels"),
    ],
    ids=["few-negatives", "no-positive", "none"],
)
def test_too_few_labels_are_refused(tmp_path: Path, accepted: list[bool], said: str) -> None:
    """Pitfall 10"""
    judged = list(judged_items(stored(tmp_path, [["pass"]] * len(accepted) or [["pass"]])))
    with pytest.raises(HarnessError, match=said):
        calibrate(judged, labels(judged, accepted))


def test_labels_of_two_judges_are_refused(tmp_path: Path) -> None:
    judged = list(judged_items(stored(tmp_path, [["pass"]] * 2)))
    mixed = [judged[0], replace(judged[1], model="openai:n")]
    with pytest.raises(HarnessError, match="several judges: openai:m"):
        calibrate(mixed, labels(mixed, [True, False]))

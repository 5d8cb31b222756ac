from typing import Any

import pytest

from harness.checks.judge import check_judge
from harness.model import ForbiddenTools, Judge, Opinion, Policy, TextContains, TrialRecord
from harness.verdicts import decide_case, decide_trial
from tests.harness.records import call, case, record, reply

ONE = Judge(question="q")
THREE = Judge(question="q", samples=3)


def judged(*said: str, question: Judge = ONE, **facts: Any) -> TrialRecord:
    """A trial with opinions: verdicts, or `!why` where the judge failed."""
    opinions = tuple(
        Opinion(
            asked=question.question_hash,
            sample=number,
            verdict="" if each.startswith("!") else each,
            error=each[1:] if each.startswith("!") else "",
            reason="" if each.startswith("!") else "it says so",
            model="openai:m",
            prompt="p",
        )
        for number, each in enumerate(said, 1)
    )
    return record(reply("a", call("drop")), opinions=opinions, **facts)


@pytest.mark.parametrize(
    ("said", "question", "status"),
    [
        (("pass",), ONE, "pass"),
        (("fail",), ONE, "fail"),
        (("!down",), ONE, "not_evaluated"),
        ((), ONE, "not_evaluated"),
        (("pass", "fail", "pass"), THREE, "pass"),
        (("fail", "fail", "!x"), THREE, "fail"),
        (("pass", "fail", "!x"), THREE, "not_evaluated"),
        (("pass", "pass", "!x"), THREE, "pass"),
        (("pass", "fail"), THREE, "not_evaluated"),
        (("pass", "pass", "fail"), THREE.model_copy(update={"votes": 3}), "fail"),
        (("pass", "fail", "fail"), ONE, "pass"),
    ],
    ids=str,
)
def test_votes_decide_and_failures_are_no_votes(
    said: tuple[str, ...], question: Judge, status: str
) -> None:
    found = check_judge(judged(*said, question=question), question)
    assert found.status == status
    assert bool(found.reason) == (status != "pass")


def test_the_reason_is_the_judge_s() -> None:
    found = check_judge(judged("fail"), ONE)
    assert found.reason == ("the judge says 'fail' (0 of 1 opinions accept, 1 needed): it says so")
    assert found.numbers == {
        "asked": ONE.question_hash, "model": "openai:m", "prompt": "p", "question": "q",
        "verdicts": ["fail"], "reasons": ["it says so"], "accepted": 0, "needed": 1,
    }  # fmt: skip
    mixed = check_judge(judged("pass", "!down", "pass", question=THREE), THREE).numbers
    assert mixed["verdicts"] == ["pass", None, "pass"]
    assert mixed["reasons"] == ["it says so", "down", "it says so"]
    assert (mixed["accepted"], mixed["needed"]) == (2, 2)


def test_more_than_half_of_the_opinions_are_needed() -> None:
    needed = [Judge(question="q", samples=samples).needed for samples in range(1, 6)]
    assert needed == [1, 2, 2, 3, 3]


def test_opinions_about_another_question_do_not_count() -> None:
    other = Judge(question="another")
    assert "no judge was asked" in check_judge(judged("pass"), other).reason
    assert "no reply" in check_judge(record(outcome="infra_error"), ONE).reason


def test_a_judge_decides_only_its_own_check() -> None:
    """Pitfall 3, CEPR-17: a forbidden tool and a judge that says yes are a failure"""
    asked = case(ForbiddenTools(globs=("drop",)), ONE)
    assert decide_trial(asked, judged("pass")).status == "fail"


def test_a_judge_that_fails_leaves_the_case_inconclusive() -> None:
    """Pitfall 3, CEPR-16: neither a pass nor a failure"""
    asked = case(TextContains(needles=("a",)), ONE)
    decision = decide_trial(asked, judged("!down"))
    assert decision.attribution == "judge"
    found = decide_case(asked, [decision], Policy.model_validate({"pass": "all"}))
    assert found.verdict == "inconclusive"

import pytest

from harness.cases.rules import contradictions, doubts
from harness.model import (
    Case,
    Evidence,
    Expectation,
    ExpectedCall,
    ForbiddenEvidence,
    ReferenceTurn,
    TextContains,
    TextLacks,
    ToolCalls,
    Turn,
)


def case(*expect: Expectation, reference: tuple[ReferenceTurn, ...] = ()) -> Case:
    turns = (Turn(user="One."), Turn(user="Two."))
    return Case(id="EC-001", turns=turns, expect=expect, reference=reference)


SOUND = TextContains(needles=("restart",))


@pytest.mark.parametrize(
    ("judged", "reasons"),
    [
        (case(SOUND), []),
        (
            case(SOUND, Evidence(markers=("a1",), turn=3)),
            ["evidence speaks of turn 3, but the case has turns 1 to 2"],
        ),
        (
            case(ToolCalls(calls=(ExpectedCall(name="a", turn=3), ExpectedCall(name="b", turn=2)))),
            ["the call of 'a' is expected in turn 3, where it is not looked for"],
        ),
        (
            case(ToolCalls(turn=1, calls=(ExpectedCall(name="a", turn=2),))),
            ["the call of 'a' is expected in turn 2, where it is not looked for"],
        ),
        (
            case(SOUND, reference=(ReferenceTurn(),)),
            ["the reference has 1 turns, the case has 2"],
        ),
        (
            case(Evidence(markers=("Dis-able",)), ForbiddenEvidence(markers=("dis_able",))),
            ["'Dis-able' is both required and forbidden"],
        ),
        (
            case(TextContains(needles=("a1",), turn=2), TextLacks(needles=("a1",))),
            ["'a1' is both required and forbidden"],
        ),
        (case(TextContains(needles=("a1",)), TextLacks(needles=("a1",), turn=2)), []),
        (case(TextContains(needles=("a1", "b1"), match="any"), TextLacks(needles=("a1",))), []),
    ],
    ids=str,
)
def test_a_case_that_cannot_be_judged_is_told(judged: Case, reasons: list[str]) -> None:
    assert [remark.message for remark in contradictions(judged)] == reasons


@pytest.mark.parametrize(
    ("judged", "count"),
    [(case(SOUND), 0), (case(), 1), (case(TextContains(needles=("a1",), required=False)), 1)],
    ids=["sound", "nothing", "informational"],
)
def test_a_case_that_cannot_fail_is_doubtful(judged: Case, count: int) -> None:
    assert sum("expects nothing" in remark.message for remark in doubts(judged)) == count

import pytest

from harness.cases.rules import contradictions
from harness.model import (
    Case,
    Evidence,
    Expectation,
    ForbiddenEvidence,
    ReferenceTurn,
    TextContains,
    TextLacks,
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
        (case(), ["expects nothing, so it cannot fail"]),
        (
            case(TextContains(needles=("a1",), required=False)),
            ["expects nothing, so it cannot fail"],
        ),
        (
            case(SOUND, Evidence(markers=("a1",), turn=3)),
            ["evidence speaks of turn 3, but the case has turns 1 to 2"],
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
    assert list(contradictions(judged)) == reasons

from typing import Any

from harness.cases.sre.evalset import (
    DEFAULT,
    Criteria,
    EvalCase,
    conversation_case,
    stricter_reason,
)
from harness.checks import check
from harness.model import ExpectedCall, Reference, ReferenceCall, Rubric, ToolCalls
from tests.harness.records import call, record, reply


def written(*turns: dict[str, Any], **more: Any) -> EvalCase:
    return EvalCase.model_validate({"eval_id": "talk", "conversation": turns} | more)


def turn(text: str, reply: str = "", uses: Any = None) -> dict[str, Any]:
    made: dict[str, Any] = {"user_content": {"parts": [{"text": text}]}}
    made |= {"final_response": {"parts": [{"text": reply}]}} if reply else {}
    return made if uses is None else made | {"intermediate_data": {"tool_uses": uses}}


def test_tools_without_arguments_are_asked_for_by_name_alone() -> None:
    """SRER-03: absent args mean any; args that are there are exact."""
    uses = [{"name": "look"}, {"name": "ask", "args": {"limit": {"number": 1}}}]
    case = conversation_case(written(turn("Why?", uses=uses)), "", DEFAULT)
    (expected,) = case.expect
    assert expected == ToolCalls(
        mode="exact",
        calls=(
            ExpectedCall(name="look"),
            ExpectedCall(name="ask", args={"limit": {"equals": {"number": 1}}}, args_mode="exact"),
        ),
    )
    good = reply("!", call("look", unit="ms"), call("ask", limit={"number": 1}))
    bad = reply("!", call("look"), call("ask", limit={"number": 1}, more=2))
    assert check(record(good), expected).status == "pass"
    assert check(record(bad), expected).status == "fail"


def test_each_turn_has_its_own_tools_and_reply() -> None:
    turns = (turn("A?", "Yes.", [{"name": "look"}]), turn("B?", "No.", []))
    case = conversation_case(written(*turns), "Two", Criteria(trajectory=1, response=0.5))
    assert case.mode == "multi-turn"
    assert [(type(item), item.turn) for item in case.expect] == [
        (ToolCalls, 1),
        (Reference, 1),
        (ToolCalls, 2),
        (Reference, 2),
    ]
    assert [part.answer for part in case.reference] == ["Yes.", "No."]
    assert case.reference[0].reports == (ReferenceCall(name="look"),)


def test_what_is_not_said_is_not_held_against_anybody() -> None:
    case = conversation_case(written(turn("A?")), "", DEFAULT)
    assert (case.expect, case.reference) == ((), ())
    open_ended = Criteria(trajectory=1, mode="any_order")
    assert conversation_case(written(turn("A?", uses=[])), "", open_ended).expect == ()
    assert conversation_case(written(turn("A?", "B.", [])), "", Criteria()).expect == ()


def test_rubrics_of_config_case_and_turn_are_kept_as_information() -> None:
    """SRER-06: their share becomes a number of them."""
    asked = {"rubric_content": {"text_property": "It is polite."}}
    case = written(turn("A?") | {"rubrics": [asked]}, rubrics=[asked])
    (found,) = conversation_case(case, "", Criteria(rubrics=(("It gives numbers.",), 0.5))).expect
    cues = ("It gives numbers.", "It is polite.")
    assert found == Rubric(criteria=cues, min_score=1, required=False)


def test_the_session_gives_variables_and_notes() -> None:
    session = {"app_name": "sre", "user_id": "ann", "state": {"REGION": "eu", "depth": 3}}
    case = conversation_case(written(turn("A?"), session_input=session), "", DEFAULT)
    assert case.variables == {"REGION": "eu", "depth": 3}
    assert case.notes == {"App": "sre", "User": "ann"}


def test_a_mean_that_lets_a_turn_be_wrong_is_told() -> None:
    """SRER-05."""
    two = written(turn("A?"), turn("B?"))
    assert "would let one of 2 turns" in stricter_reason(two, Criteria(trajectory=0.5))
    assert stricter_reason(two, Criteria(trajectory=0.8)) == ""
    assert stricter_reason(two, Criteria()) == ""
    assert stricter_reason(written(turn("A?")), Criteria(trajectory=0.1)) == ""

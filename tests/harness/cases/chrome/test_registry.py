from typing import Any

import pytest
from pydantic import ValidationError

from harness.cases.chrome.registry import SIGNALS, RegistryCase, translate_entry
from harness.model import (
    Case,
    Evidence,
    Expectation,
    ExpectedCall,
    Fixtures,
    ForbiddenEvidence,
    Reference,
    ReferenceTurn,
    ReplySchema,
    Rubric,
    ServerState,
    Signals,
    TextContains,
    ToolCalls,
)
from tests.casefiles import entry

FOREIGN_AND_OURS: list[tuple[dict[str, Any], Expectation]] = [
    (
        {"expected_schema": ["diagnosis", "nextSteps"]},
        ReplySchema(fields=("diagnosis", "next_steps")),
    ),
    ({"expected_schema": ["next_steps", "nextSteps"]}, ReplySchema(fields=("next_steps",))),
    ({}, Signals(words=SIGNALS)),
    ({"expected_schema": []}, Signals(words=SIGNALS)),
    ({"required_evidence": ["402", "license"]}, Evidence(markers=("402", "license"))),
    ({"forbidden_evidence": ["disable"]}, ForbiddenEvidence(markers=("disable",))),
    (
        {"required_tool_calls": ["getChromeEvents", "getChromeEvents"]},
        ToolCalls(
            calls=(ExpectedCall(name="getChromeEvents"), ExpectedCall(name="getChromeEvents"))
        ),
    ),
    (
        {"required_tool_calls": [{"name": "listOrgUnits", "args": {"depth": 1}}]},
        ToolCalls(calls=(ExpectedCall(name="listOrgUnits", args={"depth": 1}),)),
    ),
    (
        {
            "mode": "rubric",
            "rubric": {"min_score": 1, "criteria": ["next"], "synonyms": {"next": ["then"]}},
        },
        Rubric(min_score=1, criteria=("next",), synonyms={"next": ("then",)}),
    ),
    ({"reference_response": "Restart."}, Reference(text="Restart.", required=False)),
    ({"mode": "reference", "reference_response": "Restart."}, Reference(text="Restart.")),
    ({"mode": "how-to"}, ServerState(unchanged=("*",))),
    ({"expect": {"text": {"contains": "restart"}}}, TextContains(needles=("restart",))),
    (
        {"turn_assertions": [{"turn": 0, "required_evidence": ["a1"]}]},
        Evidence(turn=1, markers=("a1",)),
    ),
    (
        {"turn_assertions": [{"turn": 2, "required_evidence": ["a1"]}]},
        Evidence(turn=2, markers=("a1",)),
    ),
    (
        {"turn_assertions": [{"turn": 0}, {"turn": 1, "forbidden_evidence": ["a1"]}]},
        ForbiddenEvidence(turn=2, markers=("a1",)),
    ),
    (
        {"turn_assertions": [{"turn": 2, "required_tool_calls": ["createDLPRule"]}]},
        ToolCalls(turn=2, calls=(ExpectedCall(name="createDLPRule"),)),
    ),
]


def ours(foreign: dict[str, Any], *turns: str) -> Case:
    case = RegistryCase.model_validate({**entry(required_evidence=[]), **foreign})
    return translate_entry(case, turns or ("Why?", "And now?"), Fixtures(), {})


@pytest.mark.parametrize(
    ("foreign", "expected"), FOREIGN_AND_OURS, ids=lambda value: str(value)[:50]
)
def test_each_key_becomes_its_expectation(foreign: dict[str, Any], expected: Expectation) -> None:
    """CEP-06, CEP-53, CEP-54, CEP-55, CEP-56, CEP-57."""
    assert expected in ours(foreign).expect


@pytest.mark.parametrize(
    "foreign",
    [{"expected_schema": ["diagnosis"]}, {"expect": {"reply": {"schema": ["diagnosis"]}}}],
)
def test_a_reply_of_a_known_shape_needs_no_signals(foreign: dict[str, Any]) -> None:
    assert not any(isinstance(item, Signals) for item in ours(foreign).expect)


@pytest.mark.parametrize(
    ("foreign", "field", "value"),
    [
        ({"tags": None}, "tags", ()),
        ({"tags": ["a", "b"]}, "tags", ("a", "b")),
        ({"source_refs": ["Plan-1"]}, "source_refs", ("Plan-1",)),
        ({"repeat": 3}, "repeat", 3),
        ({"timeout_s": 9.5}, "timeout_s", 9.5),
        ({}, "mode", "multi-turn"),
        ({"mode": "deterministic"}, "mode", "deterministic"),
    ],
    ids=str,
)
def test_other_keys_go_where_they_belong(foreign: dict[str, Any], field: str, value: Any) -> None:
    """CEP-53."""
    assert getattr(ours(foreign), field) == value


def test_clock_seed_base_and_faults_shape_the_world() -> None:
    foreign = {
        "clock": "real",
        "seed": 4,
        "base": False,
        "faults": [{"method": "x.*", "status": 503}],
    }
    world = ours(foreign).fixtures
    assert (world.clock, world.seed, world.base) == ("real", 4, False)
    assert (world.faults[0].status, world.faults[0].origin) == (503, "EC-001 faults[0]")


def test_a_policy_may_be_a_word() -> None:
    policy = ours({"policy": "majority"}).policy
    assert policy is not None
    assert policy.pass_ == "majority"


def test_a_conversation_script_goes_before_the_case_file() -> None:
    """CEPR-03."""
    script = [{"role": "user", "content": "One."}, "Two."]
    case = ours({"conversation_script": script}, "Something else.")
    assert [turn.user for turn in case.turns] == ["One.", "Two."]


def test_a_reference_response_is_the_perfect_answer_to_one_turn() -> None:
    """CEPR-05."""
    assert ours({"reference_response": "Restart."}, "Why?").reference == (
        ReferenceTurn(answer="Restart."),
    )
    assert ours({"reference_response": "Restart."}, "Why?", "And?").reference == ()


def test_a_written_reference_goes_before_the_reference_response() -> None:
    foreign = {
        "reference_response": "Restart.",
        "reference": {"calls": ["debugAuth"], "answer": "No."},
    }
    (turn,) = ours(foreign, "Why?").reference
    assert (turn.calls[0].name, turn.answer) == ("debugAuth", "No.")


@pytest.mark.parametrize(
    ("turns", "counted", "ambiguous"),
    [([0, 1], 0, False), ([1, 2], 1, False), ([1], 1, True), ([], 1, False)],
)
def test_turn_assertions_count_from_zero_when_one_of_them_does(
    turns: list[int], counted: int, *, ambiguous: bool
) -> None:
    case = RegistryCase.model_validate(entry(turn_assertions=[{"turn": turn} for turn in turns]))
    assert (case.counts_from, case.ambiguous(2)) == (counted, ambiguous)


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        RegistryCase.model_validate(entry(expected_shema=[]))


EXAMPLES: dict[str, Any] = {
    "id": "EC-002",
    "title": "Other",
    "category": "dlp",
    "source_refs": ["Plan-1"],
    "mode": "how-to",
    "tags": ["a"],
    "expected_schema": ["diagnosis"],
    "required_evidence": ["a1"],
    "forbidden_evidence": ["a1"],
    "required_tool_calls": ["a"],
    "rubric": {"min_score": 1, "criteria": ["a1"]},
    "conversation_script": ["Other?"],
    "turn_assertions": [{"turn": 1, "required_evidence": ["a1"]}],
    "reference_response": "Restart.",
    "expect": {"exit_code": 0},
    "reference": {"answer": "So."},
    "faults": [{"method": "a"}],
    "clock": "real",
    "seed": 1,
    "base": False,
    "repeat": 2,
    "policy": "all",
    "timeout_s": 1,
}
FOUND_ON_DISK = {"case_file", "fixtures", "overrides"}


def test_no_key_of_an_entry_does_nothing() -> None:
    """A key that is declared and never used would be believed to be checked."""
    assert EXAMPLES.keys() | FOUND_ON_DISK == RegistryCase.model_fields.keys()
    plain = ours({}, "Why?")
    for key, value in EXAMPLES.items():
        assert ours({key: value}, "Why?") != plain, key

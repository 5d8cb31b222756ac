import pytest

from harness.checks.table import check
from harness.model import Phase, Phases, Stop, StopCondition, ToolCall, Usage
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply

DONE = "Diagnosis: x. Next Steps: y."
COMPLETE = StopCondition(content=("Diagnosis:", "Next Steps:"))
TOOL = StopCondition(tool="provideDiagnosis", last=True)
PHASES = Phases(
    phases=(
        Phase(first=0, last=2, tools=("get*", "list*")),
        Phase(first=3, last=5, tools=("*",)),
        Phase(first=6, tools=("provideDiagnosis",)),
    )
)


def test_stopping_by_content() -> None:
    """CEP-73: the final text holds both."""
    assert check(record("Working.", DONE), Stop(any=(COMPLETE,))).status == "pass"
    found = check(record(DONE, "Bye."), Stop(any=(COMPLETE,)))
    assert found.reason == "did not stop by: content 'Diagnosis:', 'Next Steps:'"


@pytest.mark.parametrize(
    ("calls", "last", "status"),
    [
        pytest.param(["get", "provideDiagnosis"], True, "pass", id="called-last"),
        pytest.param(["provideDiagnosis", "get"], True, "fail", id="not-last"),
        pytest.param(["provideDiagnosis", "get"], False, "pass", id="anywhere"),
        pytest.param(["get"], False, "fail", id="not-called"),
        pytest.param([], True, "fail", id="no-call"),
    ],
)
def test_stopping_by_tool(calls: list[str], last: bool, status: str) -> None:
    """CEP-74: a completion tool was called, and last."""
    condition = StopCondition(tool="provideDiagnosis", last=last)
    assert check(record(reply("", *calls)), Stop(all=(condition,))).status == status


def test_any_of_several_names_which_fired() -> None:
    """CEP-76"""
    trial = record(reply(DONE, "get"))
    found = check(trial, Stop(any=(COMPLETE, TOOL)))
    assert found.status == "pass"
    assert found.numbers["fired"] == ["content 'Diagnosis:', 'Next Steps:'"]
    assert check(trial, Stop(any=(COMPLETE,), all=(TOOL,))).status == "fail"


def test_rounds_and_money_are_limits() -> None:
    """CEP-72, CEP-75"""
    used = Usage(input_tokens=10_000, output_tokens=10_000)
    trial = record(reply("x", rounds=5, usage=used))
    both = StopCondition(rounds=5, cost_usd=0.5)
    found = check(trial, Stop(all=(both,)))
    assert found.numbers["fired"] == ["at most 5 rounds and at most 0.5 USD"]
    assert check(trial, Stop(all=(StopCondition(rounds=4),))).status == "fail"
    assert check(trial, Stop(any=(StopCondition(cost_usd=0.3),))).status == "fail"


def test_what_cannot_be_told_decides_only_when_it_matters() -> None:
    unknown = StopCondition(cost_usd=0.5)
    trial = record(DONE)
    assert check(trial, Stop(any=(unknown, COMPLETE))).status == "pass"
    assert check(trial, Stop(any=(unknown, TOOL))).status == "not_evaluated"
    assert check(trial, Stop(all=(unknown, COMPLETE))).status == "not_evaluated"
    assert check(trial, Stop(all=(unknown, TOOL))).status == "fail"


@pytest.mark.parametrize(
    "expectation",
    [
        pytest.param(Stop(), id="nothing-named"),
        pytest.param(Stop(any=(StopCondition(),)), id="an-empty-condition"),
    ],
)
def test_a_broken_expectation_decides_nothing(expectation: Stop) -> None:
    assert check(record("x"), expectation).status == "not_evaluated"


def test_without_a_reply_nothing_is_decided() -> None:
    for condition in (COMPLETE, TOOL, StopCondition(rounds=1)):
        assert check(record(), Stop(any=(condition,))).status == "not_evaluated"
    assert check(record(), PHASES).status == "not_evaluated"


@pytest.mark.parametrize(
    ("made", "wrong"),
    [
        pytest.param(call("getUnits", step=0), [], id="allowed"),
        pytest.param(call("apply", step=1), ["'apply' in step 1"], id="too-early"),
        pytest.param(call("apply", step=4), [], id="any-tool"),
        pytest.param(call("getUnits", step=7), ["'getUnits' in step 7"], id="too-late"),
        pytest.param(call("provideDiagnosis", step=7), [], id="at-the-end"),
    ],
)
def test_steps_use_the_tools_of_their_phase(made: ToolCall, wrong: list[str]) -> None:
    """CEP-77: steps 0-2 only data tools, 3-5 any, 6 and later the completion tool."""
    found = check(record(reply("", made)), PHASES)
    assert (found.status, found.numbers["wrong"]) == ("fail" if wrong else "pass", wrong)


def test_steps_outside_all_phases_are_free() -> None:
    only = Phases(phases=(Phase(first=0, last=0, tools=("get*",)),))
    assert check(record(reply("", call("apply", step=1))), only).status == "pass"


def test_the_server_knows_no_steps() -> None:
    trial = record("x", session="s", journal=Journal(entries=(entry("tools.apply"),)))
    assert check(trial, PHASES).reason == "the agent does not report its steps"

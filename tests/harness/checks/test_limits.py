from typing import Any

import pytest
from pydantic import ValidationError

from harness.checks.limits import cost_taken, rounds_taken, seconds_taken, tokens_taken
from harness.checks.registry import check
from harness.model import Budget, Phase, Phases, Stop, StopCondition, ToolCall, Usage
from harness.trials.records import ModelCall, Trace
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply

USED = Usage(input_tokens=10_000, output_tokens=10_000)
TRIAL = record(reply("x", rounds=5, usage=USED), agent_ms=1500)


def test_limits_that_are_met_are_kept() -> None:
    """CEP-72, CEP-75"""
    budget = Budget(rounds=5, tokens=20_000, cost_usd=0.4, seconds=1.5)
    found = check(TRIAL, budget)
    assert found.status == "pass"
    assert found.numbers == {
        "rounds": 5,
        "max_rounds": 5,
        "tokens": 20_000,
        "max_tokens": 20_000,
        "cost_usd": 0.4,
        "max_cost_usd": 0.4,
        "seconds": 1.5,
        "max_seconds": 1.5,
    }


def test_all_limits_that_are_broken_are_named() -> None:
    found = check(TRIAL, Budget(rounds=4, cost_usd=0.5, seconds=1))
    assert (
        found.reason == "over budget: 5 rounds, at most 4 allowed; 1.5 seconds, at most 1 allowed"
    )


def test_prices_are_the_cases() -> None:
    assert check(TRIAL, Budget(cost_usd=0.5, input_price=0.1)).status == "fail"
    assert check(TRIAL, Budget(cost_usd=0.5, output_price=0.1)).status == "fail"


@pytest.mark.parametrize(
    ("costs", "facts", "taken"),
    [
        ((0.25, 0.5), {}, 0.75),
        ((0.25, None), {}, None),
        ((), {}, None),
        ((0.25, 0.5), {"turn": 2}, 0.5),
        ((0.25, 0.5), {"input_price": 0.1}, None),  # of tokens, which nobody reports
    ],
)
def test_spans_tell_what_models_cost(
    costs: tuple[float | None, ...], facts: dict[str, Any], taken: float | None
) -> None:
    calls = tuple(ModelCall(turn=turn, cost_usd=cost) for turn, cost in enumerate(costs, 1))
    trial = record("x", "y", trace=Trace(model_calls=calls))
    found = check(trial, Budget(cost_usd=1, **facts))
    assert found.numbers == {"cost_usd": taken, "max_cost_usd": 1}
    assert found.status == ("not_evaluated" if taken is None else "pass")


def test_tokens_that_are_not_reported_decide_nothing() -> None:
    found = check(record("x"), Budget(tokens=10, cost_usd=0.1))
    assert (found.status, found.reason) == ("not_evaluated", "not reported: tokens, cost_usd")


def test_a_broken_limit_fails_whatever_is_unknown() -> None:
    assert check(record(reply("x", rounds=9)), Budget(tokens=10, rounds=5)).status == "fail"


def test_no_limit_decides_nothing() -> None:
    assert check(TRIAL, Budget()).status == "not_evaluated"


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


def test_reported_rounds_are_added_up() -> None:
    trial = record(reply("", rounds=2), reply("", rounds=3, turn=2))
    assert rounds_taken(trial, None) == 5
    assert rounds_taken(trial, 2) == 3


def test_tool_rounds_stand_in_for_rounds() -> None:
    calls = [call("a", step=0), call("b", step=0), call("c", step=1)]
    assert rounds_taken(record(reply("", *calls)), None) == 2
    assert rounds_taken(record("x"), None) == 0
    assert rounds_taken(record(), None) is None


def test_the_server_counts_rounds_when_the_agent_is_silent() -> None:
    journal = Journal(entries=(entry("tools.a"), entry("tools.b", 2)))
    trial = record("x", "y", session="s", journal=journal)
    assert rounds_taken(trial, None) == 2
    assert rounds_taken(trial, 1) is None


def test_tokens_are_known_when_every_reply_tells_them() -> None:
    told = reply("", usage=Usage(input_tokens=100, output_tokens=20))
    assert tokens_taken(record(told), None) == (100, 20)
    assert tokens_taken(record(told, reply("", turn=2)), None) is None
    assert tokens_taken(record(reply("", usage=Usage(input_tokens=1))), None) is None
    assert tokens_taken(record(), None) is None


def test_money_is_tokens_at_prices_or_what_the_agent_says() -> None:
    """CEP-75: (in * 0.01 + out * 0.03) / 1000."""
    prices = {"input_price": 0.01, "output_price": 0.03}
    told = reply("", usage=Usage(input_tokens=10_000, output_tokens=10_000, cost_usd=9))
    assert cost_taken(record(told), None, **prices) == 0.4
    only_cost = record(reply("", usage=Usage(cost_usd=0.25)), reply("", turn=2))
    assert cost_taken(only_cost, 1, **prices) == 0.25
    assert cost_taken(only_cost, None, **prices) is None


def test_time_is_the_agents_own() -> None:
    trial = record(reply("", duration_ms=500), duration_ms=9000, agent_ms=2500)
    assert seconds_taken(trial, None) == 2.5
    assert seconds_taken(trial, 1) == 0.5
    assert seconds_taken(record(reply("", duration_ms=500)), None) == 0.5
    assert seconds_taken(record(), None) is None


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (Budget, {"rounds": -1}),
        (Budget, {"cost_usd": 0}),
        (Budget, {"tokens": 10, "dollars": 1}),
        (StopCondition, {"content": [""]}),
        (Stop, {"any": [{"tool": "a", "unknown": 1}]}),
        (Phases, {"phases": []}),
        (Phases, {"phases": [{"first": 0, "tools": []}]}),
    ],
    ids=str,
)
def test_a_limit_that_cannot_be_is_refused(model: type[Budget], fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(fields)


def test_a_budget_has_the_prices_of_the_first_seed() -> None:
    """CEP-75: (input * 0.01 + output * 0.03) / 1000, unless other prices are given."""
    budget = Budget(cost_usd=0.5)
    assert (budget.input_price, budget.output_price) == (0.01, 0.03)

from harness.checks.limits import cost_taken, rounds_taken, seconds_taken, tokens_taken
from harness.model import Usage
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply


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

"""The calls of models that a server saw or that were recorded, as a trial tells them."""

from typing import Any

import orjson
import pytest

from harness.checks.model_traffic import (
    model_call,
    model_traffic,
    own_prices,
    recorded_calls,
    requested_calls,
)
from harness.trials.records import ForkOrigin, ForkPoint, Price, TrialRecord
from harness.trials.tracing import PRICES, TurnStart, price_of
from mockserver.model import Interaction, Journal, JournalEntry, RecordedRequest, RecordedResponse
from tests.harness.records import entry, record

HOST, PATH = "api.openai.com", "/v1/chat/completions"
JSON = (("Content-Type", "application/json"),)


def answer(text: str, *tools: str, usage: dict[str, int] | None = None) -> dict[str, Any]:
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": '{"n": 1}'}}
        for at, name in enumerate(tools)
    ]
    message = {"role": "assistant", "content": text, "tool_calls": calls}
    made: dict[str, Any] = {"object": "chat.completion", "choices": [{"message": message}]}
    return made | ({"usage": usage} if usage else {})


USAGE = {"prompt_tokens": 1_000_000, "completion_tokens": 2_000_000, "total_tokens": 3_000_000}


def asked(
    seq: int, text: str, method: str = "", *, model: Any = "gpt-4o-mini", **facts: Any
) -> JournalEntry:
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    known = {"http_method": "POST", "host": HOST, "path": PATH, "body": body, "response_ref": "r"}
    return entry(method, seq, **(known | facts))


def trial(*entries: JournalEntry, **facts: Any) -> TrialRecord:
    bodies = {"r": orjson.dumps(answer("Hi", "get_order", usage=USAGE)).decode()}
    return record("done", session="s1", journal=Journal(entries=entries, bodies=bodies), **facts)


@pytest.mark.parametrize(
    ("entries", "count"),
    [
        ([asked(1, "a"), asked(2, "b")], 2),
        ([asked(1, "a"), asked(2, "a")], 1),
        ([asked(1, "a", status=399), asked(2, "b", status=400)], 1),
        ([asked(1, "a", after_close=True)], 0),
        ([asked(1, "a", "tools.get_order")], 0),
        ([asked(1, "a", path="/v1/orders")], 0),
    ],
)
def test_calls_that_went_well_count_once(entries: list[JournalEntry], count: int) -> None:
    found = model_traffic(trial(*entries))
    assert len(found) == count
    for each in found:
        [call] = each.requested
        assert (call.name, call.args, call.id, call.witness) == (
            "get_order",
            {"n": 1},
            "c0",
            "model",
        )
        assert (each.model, each.provider, each.text) == ("gpt-4o-mini", "openai", "Hi")
        assert (each.input_tokens, each.output_tokens, each.duration_ms) == (
            1_000_000,
            2_000_000,
            1,
        )


def test_a_call_may_name_no_model_and_have_no_answer() -> None:
    call = model_call(trial(), asked(1, "a", model="", response_ref="", status=500))
    assert call is not None
    assert (call.model, call.status, call.requested, call.text) == ("", "error", (), "")
    assert (call.input_tokens, call.output_tokens) == (None, None)


def interaction(text: str, at: str, *, path: str = PATH, used: bool = True) -> Interaction:
    body = {"model": "openai/gpt-4o-mini", "messages": [{"role": "user", "content": text}]}
    request = RecordedRequest("POST", f"https://{HOST}{path}", JSON, orjson.dumps(body))
    reply = orjson.dumps(answer("Hi", usage=USAGE if used else None))
    response = RecordedResponse(200, "OK", JSON, reply)
    return Interaction(request, response, duration_ms=5, recorded_at=at)


TURNS = [TurnStart(1, 1_000_000), TurnStart(2, 1_060_000)]


def test_recorded_calls_belong_to_the_turns_in_which_they_were_made() -> None:
    recorded = [
        interaction("a", "1970-01-01T00:16:39Z"),
        interaction("b", "1970-01-01T00:17:39.999Z", used=False),
        interaction("x", "1970-01-01T00:17:39.999Z", path="/v1/orders"),
        interaction("c", "1970-01-01T00:17:40Z"),
    ]
    found = recorded_calls(recorded, TURNS, {"gpt-*": Price(input=2, output=3)})
    assert [(each.turn, each.at_ms, each.cost_usd) for each in found] == [
        (1, 0, 8.0), (1, 59_999, None), (2, 60_000, 8.0)
    ]  # fmt: skip
    assert [each.cost_usd for each in recorded_calls(recorded, TURNS, {})] == [None] * 3
    assert {(each.model, each.duration_ms, each.text) for each in found} == {
        ("openai/gpt-4o-mini", 5, "Hi")
    }


@pytest.mark.parametrize(("model", "named"), [("openai/gpt-4o", "gpt-4o"), ("m", "m"), ("", None)])
def test_after_a_fork_another_model_was_asked(model: str, named: str | None) -> None:
    fork = ForkPoint(
        origin=ForkOrigin(run="r", case="C-1", number=1, turn=1, model=model), played=1
    )
    recorded = [interaction(text, "1970-01-01T00:17:00Z") for text in "ab"]
    found = recorded_calls(recorded, TURNS, PRICES, fork)
    own = "openai/gpt-4o-mini"
    assert [each.model for each in found] == [own, named or own]


def test_prices_of_its_own_are_those_that_are_not_listed() -> None:
    other = Price(input=7, output=9)
    seen = trial(asked(1, "a"), asked(2, "b", model="house-model"), asked(3, "c", model="unknown"))
    assert own_prices(seen, PRICES) == {}
    assert own_prices(seen, {"house-*": other}) == {"house-model": other}
    assert own_prices(seen, {"gpt-4o-mini*": other}) == {"gpt-4o-mini": other}
    listed = price_of("gpt-4o-mini")
    assert listed is not None
    assert own_prices(seen, {"gpt-4o-mini*": listed}) == {}


def test_what_models_asked_for_is_told_by_the_server_or_else_by_the_spans() -> None:
    assert requested_calls(trial()) is None
    [call] = requested_calls(trial(asked(1, "a"))) or ()
    assert call.name == "get_order"

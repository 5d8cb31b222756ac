"""Spans become tool calls and model calls of a trial, each call once."""

from typing import Any

import pytest

from harness.checks.trajectory import trajectory
from harness.model import Reply, Usage
from harness.trials.records import Price, Trace
from harness.trials.tracing import (
    PRICES,
    TurnStart,
    price_of,
    read_trace,
    turn_starts,
    with_usage,
)
from mockserver.model import Journal, SpanReport
from mockserver.traces import Span
from tests.harness.records import entry, record, reply

SECOND_NS = 1_000_000_000
TURNS = [TurnStart(1, 1000), TurnStart(2, 3000)]


def span(id: str, seconds: float, parent: str = "", **more: Any) -> Span:
    attributes = {name.replace("__", "."): value for name, value in more.items()}
    error = bool(attributes.pop("error", False))
    start = int(seconds * SECOND_NS)
    return Span("t", id, parent, id, start, start + 5_000_000, attributes, is_error=error)


def tool(id: str, seconds: float, name: str = "cancel", parent: str = "", **more: Any) -> Span:
    facts = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": name}
    return span(id, seconds, parent, **facts, **more)


def model(
    id: str, seconds: float, name: str = "gpt-4o-mini", parent: str = "", **more: Any
) -> Span:
    facts = {"gen_ai__operation__name": "chat", "gen_ai__request__model": name}
    return span(id, seconds, parent, **facts, **more)


def trace(*spans: Span, **options: Any) -> Trace:
    report = SpanReport(spans=tuple(each.as_json() for each in spans), received=len(spans) + 1)
    return read_trace(report, options.pop("turns", TURNS), **options)


def test_a_tool_call_has_its_turn_its_step_and_how_it_ended() -> None:
    found = trace(
        model("m1", 1.1),
        tool("a", 1.2, gen_ai__tool__call__arguments='{"order": "A1"}', gen_ai__tool__call__id="c1",
             gen_ai__tool__call__result='"done"'),
        model("m2", 1.3),
        tool("b", 1.4, "refund", error=True),
        tool("c", 3.5, "look"),
    )  # fmt: skip
    assert found.received == 6
    assert [
        (each.name, each.turn, each.step, each.status, each.witness) for each in found.tool_calls
    ] == [
        ("cancel", 1, 0, "ok", "spans"),
        ("refund", 1, 1, "error", "spans"),
        ("look", 2, 0, "unknown", "spans"),
    ]
    first = found.tool_calls[0]
    assert (first.args, first.id, first.result) == ({"order": "A1"}, "c1", "done")


def test_one_call_that_two_instrumentations_trace_counts_once() -> None:
    found = trace(
        model("outer", 1.0, gen_ai__usage__input_tokens=9),
        model("inner", 1.1, parent="outer", gen_ai__usage__output_tokens=4),
        tool("t1", 1.2, gen_ai__tool__call__arguments="{}"),
        span("between", 1.25, parent="t1"),
        tool("t2", 1.3, parent="between", gen_ai__tool__call__result="[1]"),
        tool("t3", 1.4, "audit", parent="t2"),
        tool("loop", 1.5, "x", parent="loop"),
    )
    (only,) = found.model_calls
    assert (only.input_tokens, only.output_tokens, only.at_ms, only.duration_ms) == (9, 4, 0, 5)
    assert [each.name for each in found.tool_calls] == ["cancel", "audit", "x"]
    assert found.tool_calls[0].result == [1]


@pytest.mark.parametrize(
    ("facts", "prices", "cost"),
    [
        ({}, PRICES, (1000 * 0.15 + 200 * 0.6) / 1e6),
        ({"gen_ai.usage.cost": 0.5}, PRICES, 0.5),
        ({}, {"gpt-4o-*": Price(1, 10)}, 0.003),
        ({}, {}, None),
        ({"gen_ai.usage.input_tokens": None}, PRICES, None),
    ],
)
def test_a_model_call_costs_what_its_span_or_the_table_says(
    facts: dict[str, Any], prices: dict[str, Price], cost: float | None
) -> None:
    tokens = {"gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 200}
    (call,) = trace(model("m", 1, **tokens | facts), prices=prices).model_calls
    assert call.cost_usd == pytest.approx(cost)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("gpt-4o-mini-2024-07-18", True),
        ("OpenAI/GPT-5", True),
        ("models/gemini-2.5-pro", True),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", True),
        ("llama3", False),
    ],
)
def test_models_are_known_with_and_without_their_provider(name: str, known: bool) -> None:
    assert (price_of(name) is not None) is known


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text", "content":'
         ' "x"}, {"type": "tool_call", "id": "c1", "name": "cancel", "arguments": {"n": 1}}]}]'},
        {"ai.response.toolCalls":
         '[{"toolCallId": "c1", "toolName": "cancel", "input": {"n": 1}}]'},
        {"ai.response.toolCalls":
         '[{"toolCallId": "c1", "toolName": "cancel", "args": "{\\"n\\": 1}"}]'},
        {"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "cancel",
         "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"n": 1}',
         "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1"},
        {"gen_ai.completion.0.tool_calls.0.name": "cancel", "gen_ai.completion.0.role": "assistant",
         "gen_ai.completion.0.tool_calls.0.arguments": '{"n": 1}',
         "gen_ai.completion.0.tool_calls.0.id": "c1"},
    ],
    ids=["GenAI", "Vercel", "older Vercel", "OpenInference", "OpenLLMetry"],
)  # fmt: skip
def test_what_a_model_asks_for_is_read_by_any_convention(attributes: dict[str, Any]) -> None:
    (call,) = trace(model("m", 1, **attributes)).model_calls
    (requested,) = call.requested
    assert (requested.name, requested.args, requested.id) == ("cancel", {"n": 1}, "c1")
    assert requested.witness == "model"


def test_turns_begin_where_the_answers_before_them_end() -> None:
    replies = [Reply(turn=at, prompt="", duration_ms=500) for at in (1, 2)]
    assert turn_starts(100, replies) == [TurnStart(1, 100), TurnStart(2, 600)]
    assert turn_starts(100, []) == [TurnStart(1, 100)]
    (early,) = trace(tool("a", 0.1)).tool_calls
    assert early.turn == 1


def test_a_reply_that_says_nothing_has_the_tokens_of_its_spans() -> None:
    tokens: Any = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2}
    found = trace(model("a", 1.1, **tokens), model("b", 1.2, **tokens), model("c", 3.2))
    first, second, third = (Reply(turn=turn, prompt="") for turn in (1, 2, 3))
    told = with_usage(first, found)
    assert (told.rounds, told.usage.input_tokens, told.usage.output_tokens) == (2, 20, 4)
    assert told.usage.cost_usd == pytest.approx(2 * (10 * 0.15 + 2 * 0.6) / 1e6)
    assert with_usage(second, found).usage == Usage()
    assert with_usage(third, found) is third
    own = Reply(turn=1, prompt="", rounds=7, usage=Usage(input_tokens=1))
    assert with_usage(own, found) is own


def test_spans_stand_in_for_an_agent_that_reports_no_calls() -> None:
    traced = trace(tool("a", 1.1, "look"), tool("b", 3.2, "cancel"))
    journal = [entry("tools.audit", seq=1), entry("tools.look", seq=2, status=500),
               entry("tools.audit", seq=3)]  # fmt: skip
    plain = [reply("", turn=turn).model_copy(update={"reports_calls": False}) for turn in (1, 2)]
    trial = record(*plain, session="s", journal=Journal(entries=tuple(journal)), trace=traced)
    found = trajectory(trial, None)
    assert found is not None
    assert (found.witness, found.has_steps) == ("spans", True)
    assert [(each.name, each.turn, each.status) for each in found.calls] == [
        ("audit", 1, "ok"), ("look", 1, "error"), ("audit", 1, "ok"), ("cancel", 2, "unknown"),
    ]  # fmt: skip
    second = trajectory(trial, 2)
    assert second is not None
    assert [each.name for each in second.calls] == ["cancel"]
    as_requests = trajectory(trial, None, {"cancel": "orders.*"})
    assert as_requests is not None
    assert len(as_requests.calls) == 4

from typing import Any

import orjson
import pytest

from harness.checks.model_traffic import own_prices
from harness.model import (
    Attempt,
    ForkOrigin,
    ForkPoint,
    ToolCall,
    TrialRecord,
    Turn,
    Usage,
    UserRecord,
)
from harness.reports.timeline import MOST_EVENTS, Event, timeline
from harness.trials.records import ModelCall, Price, Trace
from harness.trials.tracing import PRICES
from mockserver.model import Journal, JournalEntry
from mockserver.model.journal import Miss, PlayedRecording
from tests.harness.records import call, case, entry, record, reply

START = "2025-01-01T00:00:00.000Z"


def events(trial: TrialRecord, **facts: Any) -> tuple[Event, ...]:
    return timeline(case(**facts), trial).events


def told(trial: TrialRecord) -> list[tuple[int, str, str]]:
    return [(each.depth, each.kind, each.title) for each in events(trial)]


def journal(*entries: JournalEntry) -> Journal:
    return Journal(entries=entries)


def test_requests_stand_below_the_call_that_they_answer() -> None:
    trial = record(
        reply("done", call("plan"), call("list"), call("get"), call("note")),
        journal=journal(
            entry("tools.list", 1),
            entry("directory.orgunits.list", 2, parent=1),
            entry("tools.get", 3),
        ),
    )
    assert told(trial) == [
        (0, "user", "User"),
        (0, "call", "plan"),
        (0, "call", "list"),
        (1, "request", "POST tools.list"),
        (2, "request", "GET directory.orgunits.list"),
        (0, "call", "get"),
        (1, "request", "POST tools.get"),
        (0, "call", "note"),
        (0, "agent", "Agent"),
    ]


def test_without_pairs_calls_come_first() -> None:
    trial = record(reply("a", call("x"), call("y")), journal=journal(entry("a.b", 1)))
    assert [kind for _, kind, _ in told(trial)] == ["user", "call", "call", "request", "agent"]


@pytest.mark.parametrize(
    ("at", "turns"),
    [
        ("2025-01-01T00:00:00.500Z", ["user", "request", "agent", "user", "agent"]),
        ("2025-01-01T00:00:01.500Z", ["user", "agent", "user", "request", "agent"]),
        ("1999-01-01T00:00:00.000Z", ["user", "agent", "user", "agent", "request"]),
        ("2025-01-01T00:00:01.500", ["user", "agent", "user", "agent", "request"]),
        ("never", ["user", "agent", "user", "agent", "request"]),
        ("2024-12-31T23:59:59.900Z", ["user", "request", "agent", "user", "agent"]),
        ("2024-12-31T23:59:59.899Z", ["user", "agent", "user", "agent", "request"]),
        ("2025-01-01T00:00:03.100Z", ["user", "agent", "user", "request", "agent"]),
        ("2025-01-01T00:00:03.101Z", ["user", "agent", "user", "agent", "request"]),
    ],
    ids=[
        "first",
        "second",
        "frozen clock",
        "no zone",
        "no time",
        "just before",
        "before",
        "just after",
        "after",
    ],
)
def test_requests_belong_to_the_turn_in_which_they_came(at: str, turns: list[str]) -> None:
    trial = record(
        reply("one", turn=1, duration_ms=1000),
        reply("two", turn=2, duration_ms=1000),
        duration_ms=2100,
        started_at=START,
        journal=journal(entry("a.b", at=at)),
    )
    assert [kind for _, kind, _ in told(trial)] == turns


@pytest.mark.parametrize(
    ("after", "at", "turns"),
    [
        (0, 1500.0, ["user", "fork", "request", "agent", "user", "request", "agent"]),
        (1, 1500.0, ["user", "request", "agent", "user", "fork", "request", "agent"]),
        (2, 1500.0, ["user", "request", "agent", "user", "request", "fork", "agent"]),
        (2, 1000.0, ["user", "request", "agent", "user", "request", "fork", "agent"]),
        (2, 999.0, ["user", "request", "fork", "agent", "user", "request", "agent"]),
        (2, None, ["user", "request", "agent", "user", "request", "fork", "agent"]),
    ],
)
def test_a_fork_stands_before_the_first_request_after_it(
    after: int, at: float | None, turns: list[str]
) -> None:
    origin = ForkOrigin(run="r0", case="C-1", number=2, turn=1, model="m")
    trial = record(
        reply("one", turn=1, duration_ms=1000),
        reply("two", turn=2, duration_ms=1000),
        duration_ms=2100,
        started_at=START,
        journal=journal(
            entry("a.b", 1, at="2025-01-01T00:00:00.500Z"),
            entry("a.c", 2, at="2025-01-01T00:00:01.500Z"),
        ),
        fork=ForkPoint(origin=origin, entry=after, at_ms=at),
    )
    found = events(trial)
    assert [each.kind for each in found] == turns
    (fork,) = (each for each in found if each.kind == "fork")
    assert (fork.at, fork.status) == (at, "r0")


def test_requests_on_behalf_of_others_stand_below_them() -> None:
    trial = record(
        reply("done"),
        journal=journal(entry("a.b", 1), entry("a.c", 2, parent=1), entry("a.d", 3, parent=2)),
    )
    assert [each.depth for each in events(trial) if each.kind == "request"] == [0, 1, 2]


def test_a_call_takes_its_request_along_to_its_turn() -> None:
    trial = record(
        reply("one", turn=1),
        reply("two", ToolCall(name="list", turn=2), turn=2),
        journal=journal(entry("tools.list", 7, at="1999-01-01T00:00:00Z")),
    )
    assert [kind for _, kind, _ in told(trial)] == [
        "user", "agent", "user", "call", "request", "agent",
    ]  # fmt: skip


def test_times_are_those_since_the_trial_began() -> None:
    trial = record(
        reply("one", turn=1, duration_ms=300),
        duration_ms=1000,
        started_at=START,
        attempts=(
            Attempt(turn=1, number=1, error="reset", duration_ms=100, waited_ms=50),
            Attempt(turn=1, number=2, duration_ms=300),
        ),
        journal=journal(entry("a.b", at="2025-01-01T00:00:00.400Z", duration_ms=20)),
    )
    found = timeline(case(), trial)
    assert [(each.kind, each.at, each.duration) for each in found.events] == [
        ("user", 0.0, None),
        ("error", 0.0, 100),
        ("request", 380.0, 20),
        ("agent", 150.0, 300),
    ]
    assert found.total == 1000


def test_a_turn_without_an_answer_says_so() -> None:
    failed = record(outcome="agent_error", attempts=(Attempt(turn=1, number=1, error="exited"),))
    asked = (Turn(user="Why?"), Turn(user="And?"))
    found = events(failed, turns=asked)
    assert [(each.title, each.text) for each in found] == [
        ("User, not answered", "Why?"),
        ("attempt 1 failed", "exited"),
    ]
    skipped = events(record(outcome="skipped"), turns=asked)
    assert [each.title for each in skipped] == ["User"]


def test_what_is_special_about_a_request_stands_beside_it() -> None:
    trial = record(
        "a",
        journal=journal(
            entry(
                "a.b", status=429, params={"q": "x"}, body={"a": 1}, fault="case", ignored=("b",),
                after_close=True, tampering="tried", miss=Miss(blame="fixture_gap", reason="none"),
                recording=PlayedRecording(cassette="c", number=1, warning="differs"),
            )
        ),
    )  # fmt: skip
    found = events(trial)[1]
    assert [(each.word, each.text) for each in found.notes] == [
        ("fault", "case"),
        ("fixture gap", "none"),
        ("recording", "differs"),
        ("ignored", "b"),
        ("tampering", "tried"),
        ("after the end", ""),
    ]
    assert (found.tone, found.status) == ("bad", "429 state")
    assert found.sent == {"params": {"q": "x"}, "body": {"a": 1}}


def test_an_answer_tells_what_it_took() -> None:
    answer = reply("a", rounds=2, first_byte_ms=3.2, usage=Usage(input_tokens=5), finish="stop")
    assert events(record(answer))[-1].status == (
        "2 rounds, first byte 3 ms, 5 tokens in, 0 out, stop"
    )


def test_what_a_tool_answered_is_told_once() -> None:
    calls = [call("list").model_copy(update={"result": {"a": 1}}) for _ in range(2)]
    trial = record(reply("a", *calls), journal=journal(entry("tools.list")))
    found = [each.data for each in events(trial) if each.kind == "call"]
    assert found == [{}, {"what the agent was told": {"a": 1}}]


def test_long_timelines_are_cut_and_counted() -> None:
    trial = record(
        reply("a", *[call("x")] * 100), journal=journal(*(entry("a.b", at) for at in range(1, 101)))
    )
    found = timeline(case(), trial)
    assert len(found.events) == MOST_EVENTS + 2
    assert found.hidden == {"request": 80}


@pytest.mark.parametrize(
    ("method", "body", "params", "expected"),
    [
        ("openai.chat.completions.create", {"model": "m", "messages": [{"role": "user"}]}, {}, "m"),
        ("openai.responses.create", {"model": "m", "input": "Hello"}, {}, "m"),
        ("", {"contents": [{"parts": []}]}, {"model": "gemini"}, "gemini"),
        ("", {"messages": [{"role": "user"}]}, {}, "GET example.com/v1/x"),
        ("tools.send", {"messages": [{"role": "user"}]}, {}, None),
        ("chat.send", {"messages": ["a"]}, {}, None),
        ("chat.send", {"input": "a"}, {}, None),
    ],
    ids=["chat", "responses", "in the path", "no name", "a tool", "no roles", "no model"],
)
def test_calls_of_models_are_known_by_what_they_send(
    method: str, body: Any, params: Any, expected: str | None
) -> None:
    asked = entry(method, body=body, params=params, host="example.com", path="/v1/x")
    found = events(record("a", journal=journal(asked)))[1]
    assert (found.kind, found.title if expected else None) == (
        ("model", expected) if expected else ("request", None)
    )


def test_calls_of_models_that_spans_tell_stand_at_their_time() -> None:
    asked = ToolCall(name="look", witness="model")
    calls = (
        ModelCall(model="gpt-5", at_ms=1, duration_ms=5, input_tokens=7, cost_usd=0.02,
                  requested=(asked,), text="I look."),
        ModelCall(provider="acme", at_ms=30, status="error"),
    )  # fmt: skip
    traced = Trace(model_calls=calls, tool_calls=(ToolCall(name="look", witness="spans"),))
    trial = record(reply("Done."), duration_ms=50, trace=traced)
    events = [each for each in timeline(case(), trial).events if each.kind in {"model", "call"}]
    assert [(each.kind, each.title) for each in events] == [
        ("model", "gpt-5"), ("call", "look"), ("model", "acme"),
    ]  # fmt: skip
    first, _, second = events
    assert (first.status, first.text) == ("7 tokens in, 0 out, 0.0200 USD", "I look.")
    assert [(note.word, note.text) for note in first.notes] == [("asks for", "look")]
    assert (second.status, second.tone) == ("", "bad")


def test_a_call_of_a_model_that_the_server_answered_says_what_the_model_said() -> None:
    answer = (
        '{"choices": [{"message": {"content": "I look.", "tool_calls": [{"id": "c1",'
        ' "function": {"name": "look", "arguments": "{}"}}]}}],'
        ' "usage": {"prompt_tokens": 3, "completion_tokens": 4}}'
    )
    asked = entry(
        "openai.chat.completions.create", http_method="POST", path="/v1/chat/completions",
        body={"model": "gpt-5", "messages": [{"role": "user", "content": "Go."}]},
        response_ref="r", response_bytes=len(answer),
    )  # fmt: skip
    journal = Journal(entries=(asked,), bodies={"r": answer})
    trial = record(reply("Done."), session="s1", journal=journal, duration_ms=50)
    (event,) = (each for each in timeline(case(), trial).events if each.kind == "model")
    assert (event.title, event.text) == ("gpt-5", "I look.")
    assert event.status == "200 state, 3 tokens in, 4 out, under 0.0001 USD at list price"
    assert [note.word for note in event.notes] == ["asks for"]


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        ({}, "0.0035 USD at list price"),
        ({"gpt-4o": Price(100, 50)}, "0.1050 USD at the suite's price"),
        ({"gpt-4o": Price(0, 0)}, "0 USD at the suite's price"),
    ],
)
def test_a_call_of_a_model_shows_what_it_was_told_said_and_cost(
    prices: dict[str, Price], cost: str
) -> None:
    body = {"model": "gpt-4o", "messages": [
        {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Which?"},
        {"role": "user", "content": "A1."},
    ]}  # fmt: skip
    answer = {"choices": [{"message": {"content": "Because."}}],
              "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}  # fmt: skip
    asked = entry("openai.chat.completions.create", http_method="POST", body=body,
                  path="/v1/chat/completions", response_ref="a")  # fmt: skip
    journal = Journal(entries=(asked,), bodies={"a": orjson.dumps(answer).decode()})
    record_ = record("done", session="s1", journal=journal, prices=prices)
    [event] = [each for each in timeline(case(), record_).events if each.kind == "model"]
    assert (event.title, event.text) == ("gpt-4o", "Because.")
    assert event.data == {"what the model was told": ["user: A1."]}
    assert event.status == f"200 state, 1000 tokens in, 100 out, {cost}"
    assert own_prices(record_, {**prices, **PRICES}) == prices


def test_a_simulated_user_ends_the_timeline() -> None:
    record_ = record("one", "two", user=UserRecord(ended="patience"))
    last = timeline(case(), record_).events[-1]
    assert (last.kind, last.title, last.status) == (
        "user", "The conversation ends: the user lost patience", "2 turns",
    )  # fmt: skip

"""Recorded calls of models are found by what is said, whatever the address."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mockserver.cassettes.replay import IndexedCassette, NoMatch, PlayedMatch, Player
from mockserver.model import (
    STATED_VALUES,
    Cassette,
    CassetteInfo,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction import Redactor, RuleSet

OPENAI = "https://api.openai.com/v1/chat/completions"
GATEWAY = "http://127.0.0.1:4000/llm/v1/chat/completions"
RECORDED = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)


def chat(*texts: str, url: str = OPENAI, **more: Any) -> RecordedRequest:
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    body = {"model": "gpt-5", "messages": messages, **more}
    return RecordedRequest(
        "POST", url, (("content-type", "application/json"),), json.dumps(body).encode()
    )


def player(*requests: RecordedRequest, repeats: Any = "once") -> Player:
    interactions = [
        Interaction(each, RecordedResponse(200, body=b"%d" % number), RECORDED.isoformat())
        for number, each in enumerate(requests, 1)
    ]
    tape = IndexedCassette.of(Cassette("c.yaml", tuple(interactions), CassetteInfo()))
    return Player([tape], repeats=repeats)


def played(one: Player, *requests: RecordedRequest, after: timedelta = timedelta(0)) -> list[int]:
    found = [one.play(each, [RECORDED + after]) for each in requests]
    return [each.number if isinstance(each, PlayedMatch) else 0 for each in found]


def test_the_base_url_does_not_count() -> None:
    assert played(player(chat("Hi")), chat("Hi", url=GATEWAY)) == [1]


def test_equal_requests_are_answered_turn_by_turn() -> None:
    one = player(chat("Hi"), chat("Ho"), chat("Hi"))
    assert played(one, chat("Hi"), chat("Hi"), chat("Ho"), chat("Hi")) == [1, 3, 2, 0]


def test_a_prompt_with_the_day_is_found_on_another_day() -> None:
    one = player(chat("Today is 2026-11-23. Book for 2026-12-01."))
    later = chat("Today is 2026-12-25. Book for 2026-12-01.")
    found = one.play(later, [RECORDED + timedelta(days=32)])
    assert isinstance(found, PlayedMatch)
    assert found.timeless


def test_a_date_that_somebody_asks_for_is_no_stamp() -> None:
    one = player(chat("Book for 2026-12-01."), chat("Book for 2026-12-08."))
    asked = [chat(f"Book for 2026-12-{day}.") for day in ("08", "09", "01")]
    assert played(one, *asked, after=timedelta(days=30)) == [2, 0, 1]


def test_prompts_with_the_time_are_played_in_turn_and_again() -> None:
    prompts = [chat(f"It is {RECORDED:%H:%M}:0{second}.") for second in (1, 2)]
    assert played(player(*prompts, repeats="reads"), *[chat("It is 9:00:30.")] * 3) == [1, 2, 2]
    assert played(player(*prompts), *[chat("It is 9:00:30.")] * 3) == [1, 2, 0]


def test_without_a_clock_no_time_has_passed() -> None:
    one = player(chat("Today is 2026-11-23."))
    assert isinstance(one.play(chat("Today is 2026-11-30.")), NoMatch)


def test_a_recording_without_a_time_takes_whatever_moves_alike() -> None:
    tape = Cassette("c.yaml", (Interaction(chat("Today is 2026-11-23."), RecordedResponse(200)),))
    one = Player([IndexedCassette.of(tape)])
    assert isinstance(one.play(chat("Today is 2026-11-30."), [RECORDED]), PlayedMatch)


@pytest.mark.parametrize(
    ("asked", "reason", "number"),
    [
        (chat("Weather in Bern?"),
         "message 0 (user) differs at character 11: recorded 'Weather in Zurich?', asked"
         " 'Weather in Bern?'", 1),
        (chat("Weather in Zurich?", "Rain.", "Thanks!"),
         "message 2 (user) differs at character 0: recorded 'And Bern?', asked 'Thanks!'", 2),
        (chat("Weather in Zurich?", "Rain.", "And Bern?", "Sun.", "Oh."),
         "message 3 (assistant) is not in the recording: 'Sun.'", 2),
        (chat("Weather in Zurich?", "Rain."),
         "it ends before message 2 (user) of the recording: 'And Bern?'", 2),
        (chat("Weather in Zurich?", temperature=1),
         "the messages are the same, and 'temperature' differs: recorded None, asked 1", 1),
        (chat("Weather in Zurich?", tools=[{"function": {"name": "f"}}]),
         "the messages are the same, and 'tools' differs", 1),
    ],
)  # fmt: skip
def test_a_miss_shows_the_first_message_that_differs(
    asked: RecordedRequest, reason: str, number: int
) -> None:
    one = player(chat("Weather in Zurich?"), chat("Weather in Zurich?", "Rain.", "And Bern?"))
    missed = one.play(asked)
    assert isinstance(missed, NoMatch)
    assert missed.reason == f"no recording matches this request: {reason}"
    assert missed.number == number


def test_a_role_that_differs_is_told() -> None:
    tool = chat("Hi")
    tool = replace(tool, body=tool.body.replace(b'"user"', b'"tool"'))
    missed = player(chat("Hi")).play(tool)
    assert isinstance(missed, NoMatch)
    assert missed.reason.endswith("message 0 differs: recorded as user, asked as tool")


def test_long_texts_are_quoted_around_what_differs() -> None:
    missed = player(chat("a" * 500 + "x" + "b" * 500)).play(chat("a" * 500 + "y" + "b" * 500))
    assert isinstance(missed, NoMatch)
    assert missed.reason.endswith(f"asked ...'{'a' * 24}y{'b' * 55}'...")


@pytest.mark.parametrize(
    ("url", "operation"),
    [
        ("https://api.anthropic.com/v1/messages", "anthropic.messages.create"),
        ("http://127.0.0.1:11434/api/chat", "ollama.chat"),
        ("https://api.openai.com/v1/responses", "openai.responses.create"),
    ],
)
@pytest.mark.parametrize("more", [(), (RecordedRequest("GET", "https://shop.example.com/a"),)])
def test_a_recording_of_another_dialect_does_not_answer_and_the_miss_names_both(
    url: str, operation: str, more: tuple[RecordedRequest, ...]
) -> None:
    asked = chat("Hi", url=url, input="Hi")
    missed = player(chat("Hi"), *more).play(asked)
    assert isinstance(missed, NoMatch)
    assert missed.reason == (
        f"no recording matches this request: it calls {operation}, and the recordings are calls of"
        " openai.chat.completions.create"
    )


def test_a_call_of_a_model_among_recordings_of_other_apis_has_no_recording() -> None:
    missed = player(RecordedRequest("GET", "https://shop.example.com/a")).play(chat("Hi"))
    assert isinstance(missed, NoMatch)
    assert missed.reason == "no recording matches this request"


@pytest.mark.parametrize("own_key", [True, False])
def test_values_in_clear_are_found_with_the_key_of_the_recording_and_without(own_key: bool) -> None:
    redactor = Redactor(RuleSet.default(), b"a key of tests" if own_key else b"another key")
    key_id = Redactor(RuleSet.default(), b"a key of tests").key_id
    told = '{"passenger": {"full_name": "Ada Lovelace", "email": "ada@lovelace-mail.io"}}'
    prompts = [("For Ada Lovelace, ada@lovelace-mail.io.",),
               ("For Ada Lovelace, ada@lovelace-mail.io.", "I book.", told)]  # fmt: skip
    interactions = tuple(Interaction(chat(*each), RecordedResponse(200)) for each in prompts)
    info = CassetteInfo(key_id=key_id, extra={STATED_VALUES: "clear"})
    tape = IndexedCassette.of(Cassette("c.yaml", interactions, info), redactor=redactor)
    one = Player([tape])
    found = [one.play(tape.keyer.of(chat(*each))) for each in prompts]
    assert [each.number for each in found if isinstance(each, PlayedMatch)] == [1, 2]


PROMPT = "You book rooms. This is run {}, files are in /tmp/agent-{}x1y2/out.json."
FIRST, SECOND = (PROMPT.format(each * 8, each * 4) for each in ("1a", "2b"))


def test_ids_and_temporary_paths_of_another_run_are_a_near_match() -> None:
    found = player(chat(FIRST)).play(chat(SECOND))
    assert isinstance(found, PlayedMatch)
    assert found.varied == "another id at character 28 of message 0 (user), and 1 more"
    assert not found.timeless


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ([(SECOND,), (SECOND, "Yes", "Go")], [1, 2]),  # one id of the recording is one id
        ([(SECOND,), (FIRST, "Yes", "Go")], [1, 2]),  # exact comes first
        ([(SECOND,), (SECOND.replace("2b2b", "3c3c"), "Yes", "Go")], [1, 0]),
        ([(SECOND,), (SECOND.replace("2b2b", "3c3c"),)], [1, 1]),  # the program runs again
        ([(FIRST,), (SECOND,)], [1, 1]),  # after a run with the very ids of the recording
        ([(SECOND + " Be brief.",)], [0]),
    ],
)
def test_ids_vary_alike_in_all_calls_of_a_run(
    asked: list[tuple[str, ...]], numbers: list[int]
) -> None:
    one = player(chat(FIRST), chat(FIRST, "Yes", "Go"), repeats="reads")
    assert played(one, *[chat(*each) for each in asked]) == numbers


def test_runs_beside_each_other_keep_to_their_own_recordings() -> None:
    runs = [PROMPT.format(each * 8, each * 4) for each in ("3c", "4d", "5e", "6f")]
    one = player(
        *[chat(each) for each in runs[:2]], *[chat(each, "Yes", "Go") for each in runs[:2]]
    )
    asked = [chat(runs[2]), chat(runs[3]), chat(runs[3], "Yes", "Go"), chat(runs[2], "Yes", "Go")]
    assert played(one, *asked) == [1, 2, 4, 3]


def test_times_and_ids_may_both_be_new() -> None:
    one = player(chat(f"Today is 2026-11-23. {FIRST}"))
    asked = chat(f"Today is 2026-11-25. {SECOND}")
    assert played(one, asked) == [0]
    assert played(one, asked, after=timedelta(days=2)) == [1]


@pytest.mark.parametrize("asked", [SECOND, FIRST.replace("You book", "On 2026-11-23 you book")])
def test_exact_refuses_what_is_near(asked: str) -> None:
    recorded = FIRST.replace("You book", "On 2026-11-22 you book") if "On" in asked else FIRST
    tape = IndexedCassette.of(
        Cassette("c.yaml", (Interaction(chat(recorded), RecordedResponse(200), "2026-11-22"),))
    )
    now = [datetime(2026, 11, 23, tzinfo=UTC)]
    assert isinstance(Player([tape]).play(chat(asked), now), PlayedMatch)
    assert isinstance(Player([tape], exact=True).play(chat(asked), now), NoMatch)
    assert isinstance(Player([tape], exact=True).play(chat(recorded), now), PlayedMatch)


def test_a_miss_shows_what_differs_beside_ids() -> None:
    missed = player(chat(FIRST, "Yes", "Go")).play(chat(SECOND, "Yes", "Stop"))
    assert isinstance(missed, NoMatch)
    assert "message 2 (user) differs at character 0: recorded 'Go', asked 'Stop'" in missed.reason

"""Scripts: which reply fits, what it says, and what is wrong in a file."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mockserver.errors import InvalidFilesError
from mockserver.models.catalog import NO_MODELS, suite_models
from mockserver.models.messages import (
    Message,
    ModelRequest,
    ToolCall,
    ToolResult,
    with_names_of_tools,
)
from mockserver.models.script import (
    Pace,
    Script,
    ScriptedReply,
    read_scripts,
    reply_differences,
    reply_fits,
    text_vector,
)
from tests.mockserver.declared.worlds import declared
from tests.mockserver.models.suites import write_script

SYSTEM = Message("system", "You are brief.")
HELLO = Message("user", "Hello, world")
SPOKE = Message("assistant", "Yes?")
RESULT = Message("tool", results=(ToolResult({"n": 1}, "c1", "count"),))


@pytest.mark.parametrize(
    ("reply", "messages", "differs"),
    [
        ("text: Hi", [HELLO], ""),
        ("{user: HELLO, text: Hi}", [HELLO], ""),
        ("{user: bye, text: Hi}", [HELLO], "user: wanted 'bye', got 'Hello, world'"),
        ("{user: hello, text: Hi}", [HELLO, SPOKE], "user: wanted 'hello', got nothing new"),
        ("{user: {regex: '^H.*d$'}, text: Hi}", [HELLO], ""),
        ("{user: {regex: '^B'}, text: Hi}", [HELLO], "user: wanted /^B/, got 'Hello, world'"),
        ("{system: brief, text: Hi}", [SYSTEM, HELLO], ""),
        ("{system: brief, text: Hi}", [HELLO], "system: wanted 'brief', got nothing"),
        ("{result: count, text: Hi}", [HELLO, SPOKE, RESULT], ""),
        ("{result: count, text: Hi}", [RESULT, SPOKE, HELLO], "result: wanted count, got none"),
        ("{result: sum, text: Hi}", [HELLO, SPOKE, RESULT], "result: wanted sum, got count"),
        ("{result: true, text: Hi}", [HELLO, SPOKE, RESULT], ""),
        ("{result: false, text: Hi}", [HELLO, SPOKE, RESULT], "result: wanted none, got count"),
        ("{result: true, text: Hi}", [HELLO], "result: wanted any, got none"),
        ("{turn: 1, text: Hi}", [HELLO, SPOKE, HELLO], ""),
        ("{turn: 1, text: Hi}", [HELLO], "turn: wanted 1, got 0"),
        ("{tool: count, text: Hi}", [HELLO], ""),
        ("{tool: sum, text: Hi}", [HELLO], "tool: sum is not offered"),
        ("{model: 'gpt-*', text: Hi}", [HELLO], ""),
        ("{model: claude-9, text: Hi}", [HELLO], "model: wanted claude-9, got gpt-5"),
        ("{when: 'given == 3', text: Hi}", [HELLO], ""),
        ("{when: 'given == 4', text: Hi}", [HELLO], "when: given == 4"),
        ("{times: 4, text: Hi}", [HELLO], ""),
        ("{times: 3, text: Hi}", [HELLO], "times: it was given 3 times"),
    ],
)
def test_a_reply_fits_a_request(
    reply: str, messages: list[Message], differs: str, tmp_path: Path
) -> None:
    text = f"replies:\n  - {reply}" if reply.startswith("{") else f"replies: [{{{reply}}}]"
    write_script(tmp_path, text)
    [placed] = read_scripts([tmp_path / "models" / "assistant.yaml"])
    request = ModelRequest("gpt-5", tuple(messages), ("count",))
    answered = {placed.place: 3}
    if reply_fits(placed, request, lambda _: {"given": 3}, answered):
        assert not differs
    else:
        assert "; ".join(reply_differences(placed, request, answered)) == differs


def test_a_reply_that_was_not_given_yet_differs_in_the_rest_alone(tmp_path: Path) -> None:
    write_script(tmp_path, "replies: [{user: bye, times: 1, text: Hi}]")
    [placed] = read_scripts([tmp_path / "models" / "assistant.yaml"])
    request = ModelRequest("gpt-5", (HELLO,))
    assert reply_differences(placed, request, {}) == ("user: wanted 'bye', got 'Hello, world'",)
    asked = ModelRequest("gpt-5", (Message("user", "bye"),))
    for answered, fits in (({}, True), ({placed.place: 1}, False)):
        assert reply_fits(placed, asked, lambda _: {}, answered) is fits


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [
        ("delay_ms", 0, 600_000),
        ("turn", 0, None),
        ("times", 1, None),
        ("error.status", 400, 599),
        ("error.retry_after_s", 0, None),
        ("usage.input", 0, None),
        ("usage.output", 0, None),
        ("stream.characters", 1, None),
        ("stream.first_ms", 0, 600_000),
        ("stream.gap_ms", 0, 60_000),
        ("stream.cut_after", 0, None),
        ("stream.jitter", 0, 1),
    ],
)
def test_numbers_of_a_reply_have_bounds(field: str, low: int, high: int | None) -> None:
    outer, _, inner = field.partition(".")
    others = {"usage": {"input": 1, "output": 1}}.get(outer, {})

    def read(number: int) -> ScriptedReply:
        value = {**others, inner: number} if inner else number
        return ScriptedReply.model_validate({"text": "Hi", outer: value})

    for within in (low, high or low + 1):
        assert read(within).text == "Hi"
    for beyond in (low - 1, *([] if high is None else [high + 1])):
        with pytest.raises(ValidationError, match=field):
            read(beyond)


def test_a_vector_has_a_hundred_thousand_numbers_at_most() -> None:
    for good in (1, 100_000):
        assert Script(replies=(), dimensions=good).dimensions == good
    for bad in (0, 100_001):
        with pytest.raises(ValidationError, match="dimensions"):
            Script(replies=(), dimensions=bad)


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ([("a", "1"), "1"], ["a"]),
        ([("a", "1"), ("b", "1"), "1", "1"], ["a", "b"]),
        ([("a", "1"), "1", ("b", "1"), "1"], ["a", "b"]),
        ([("a", "1"), "1", "1"], ["a", "a"]),
        (["1", ("a", "1")], [""]),
    ],
)
def test_a_result_has_the_name_of_its_call_also_where_two_calls_have_one_id(
    said: list[Any], names: list[str]
) -> None:
    messages = [
        Message("tool", results=(ToolResult(None, each),))
        if isinstance(each, str)
        else Message("assistant", calls=(ToolCall(each[0], {}, each[1]),))
        for each in said
    ]
    found = [result.name for each in with_names_of_tools(messages) for result in each.results]
    assert found == names


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("replies: [{user: hello}]", "it says nothing; write text, calls, refusal, error or emb"),
        ("replies: [{txt: Hi}]", "unknown field 'txt'"),
        ("replies: [{text: '{{ 1 +'}]", "not a template"),
        ("replies: [{text: a, calls: {f: {x: '{{ 1 +'}}}]", "f: not a template"),
        ("replies: [{when: '1 +', text: a}]", "not an expression"),
        ("replies: [{user: {regex: '('}, text: a}]", "not an RE2 expression"),
        ("replies: [{error: weather}]", "a kind of your own needs a status"),
        ("replies: [{text: a, stream: {characters: 0}}]", "greater than or equal to 1"),
        ("model: gpt-5", "the field 'replies' is missing"),
        ("[1]", "expected an object, found an array"),
        ("{", "assistant.yaml"),
    ],
)
def test_what_is_wrong_in_a_script_is_told(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFilesError) as raised:
        suite_models(write_script(tmp_path, text))
    assert told in str(raised.value)
    assert "assistant.yaml" in str(raised.value)


def test_a_suite_without_scripts_has_no_models(tmp_path: Path) -> None:
    assert suite_models(tmp_path) is suite_models(None) is NO_MODELS
    assert NO_MODELS.find("api.openai.com", "POST", "/v1/chat/completions") is None


@pytest.mark.parametrize(
    ("host", "verb", "path", "found"),
    [
        ("api.openai.com", "POST", "/v1/chat/completions", "openai.chat.completions.create"),
        ("api.groq.com:443", "POST", "/openai/v1/chat/completions",
         "openai.chat.completions.create"),
        ("x.openai.azure.com", "POST", "/openai/deployments/d/chat/completions",
         "openai.chat.completions.create"),
        ("api.anthropic.com", "POST", "/v1/messages", "anthropic.messages.create"),
        ("api.anthropic.com", "GET", "/v1/models", "anthropic.models.list"),
        ("api.anthropic.com", "POST", "/v1/chat/completions", ""),
        ("127.0.0.1:8765", "POST", "/models/anthropic/v1/messages", "anthropic.messages.create"),
        ("127.0.0.1:8765", "GET", "/models/openai/v1/models", "openai.models.list"),
        ("127.0.0.1:8765", "POST", "/models/unknown/v1/messages", ""),
        ("127.0.0.1:8765", "POST", "/api.openai.com/v1/responses", "openai.responses.create"),
        ("127.0.0.1:8765", "POST", "/any/base/chat/completions", "openai.chat.completions.create"),
        ("127.0.0.1:8765", "POST", "/v1beta/models/gemini-9:streamGenerateContent",
         "gemini.models.streamGenerateContent"),
        ("europe-west1-aiplatform.googleapis.com", "POST",
         "/v1/projects/p/locations/europe-west1/publishers/google/models/g:generateContent",
         "gemini.models.generateContent"),
        ("bedrock-runtime.eu-west-1.amazonaws.com", "POST", "/model/a.b-v1%3A0/converse-stream",
         "bedrock.converseStream"),
        ("127.0.0.1:8765", "POST", "/api/chat", "ollama.chat"),
        ("127.0.0.1:8765", "POST", "/v1/unknown", ""),
    ],
)  # fmt: skip
def test_a_request_means_an_operation(
    host: str, verb: str, path: str, found: str, tmp_path: Path
) -> None:
    route = suite_models(write_script(tmp_path)).find(host, verb, path)
    assert (route.operation.id if route else "") == found


CONVERSATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "openai": ("/models/openai/v1/chat/completions", {"model": "m", "messages": 1}),
    "responses": ("/models/openai/v1/responses", {"model": "m", "input": 1}),
    "anthropic": ("/models/anthropic/v1/messages", {"messages": 1}),
    "gemini": ("/models/gemini/v1beta/models/g:generateContent", {"contents": 1}),
    "bedrock": ("/models/bedrock/model/m/converse", {"messages": 1}),
    "ollama": ("/models/ollama/api/chat", {"messages": 1}),
    "generate": ("/models/ollama/api/generate", {"prompt": 1}),
    "embeddings": ("/models/openai/v1/embeddings", {"input": 1}),
    "embed": ("/models/ollama/api/embed", {"input": 1}),
    "embedContent": ("/models/gemini/v1beta/models/g:embedContent", {"content": 1}),
    "invoke": ("/models/bedrock/model/m/invoke", {"prompt": "x"}),
    "role": ("/models/openai/v1/chat/completions", {"messages": [{"role": "king"}]}),
    "role of an item": ("/models/openai/v1/responses", {"input": [{"role": "king"}]}),
    "role for anthropic": ("/models/anthropic/v1/messages", {"messages": [{"role": "king"}]}),
    "role for bedrock": ("/models/bedrock/model/m/converse", {"messages": [{"role": "king"}]}),
    "role for ollama": ("/models/ollama/api/chat", {"messages": [{"role": "king"}]}),
}


@pytest.mark.parametrize("case", CONVERSATIONS)
def test_a_request_in_the_wrong_format_is_refused_in_the_provider_s_form(
    case: str, tmp_path: Path
) -> None:
    path, body = CONVERSATIONS[case]

    async def ask() -> list[tuple[int, Any]]:
        async with declared(write_script(tmp_path)) as world:
            answers = [await world.ask("POST", path, content=each)
                       for each in (orjson.dumps(body), b"{", b"[]")]  # fmt: skip
            return [(each.status_code, each.json()) for each in answers]

    for status, answer in asyncio.run(ask()):
        assert status == 400
        told = answer.get("error", answer)
        assert told if isinstance(told, str) else told["message"]


def test_a_template_that_fails_says_which_reply(tmp_path: Path) -> None:
    script = "replies: [{user: a, text: '{{ nothing.at.all }}'}, {user: b, when: '1 / 0', text: x}]"

    async def ask(text: str) -> tuple[int, str]:
        async with declared(write_script(tmp_path, script)) as world:
            body = {"model": "m", "messages": [{"role": "user", "content": text}]}
            answer = await world.ask("POST", "/chat/completions", json=body)
            return answer.status_code, answer.json()["error"]["message"]

    for number, text in enumerate("ab"):
        status, message = asyncio.run(ask(text))
        assert (status, f"/replies/{number} fails" in message) == (500, True)


@pytest.mark.parametrize("case", ["openai", "anthropic", "gemini", "bedrock", "ollama"])
def test_a_script_that_runs_out_says_so_in_the_provider_s_form(case: str, tmp_path: Path) -> None:
    path, body = CONVERSATIONS[case]
    body = {"model": "m", **body, "messages": [], "contents": []}

    async def ask() -> tuple[list[int], Any, str]:
        async with declared(write_script(tmp_path, "replies: [{text: Hi, times: 2}]")) as world:
            answers = [await world.ask("POST", path, json=body) for _ in range(3)]
            told = answers[2].json().get("error", answers[2].json())
            return [each.status_code for each in answers], told, answers[2].headers["x-mock-miss"]

    statuses, told, missed = asyncio.run(ask())
    assert statuses == [200, 200, 404]
    message = told if isinstance(told, str) else told["message"]
    assert message.endswith(
        "models/assistant.yaml#/replies/0 is nearest: times: it was given 2 times"
    )
    assert missed == "fixture_gap; nearest=models/assistant.yaml#/replies/0"


def test_a_session_without_stubs_has_no_models(tmp_path: Path) -> None:
    async def ask() -> int:
        async with declared(write_script(tmp_path), sources=("state",)) as world:
            return (await world.ask("POST", "/chat/completions", json={})).status_code

    assert asyncio.run(ask()) >= 400


def test_faults_say_themselves_in_the_provider_s_form(tmp_path: Path) -> None:
    faults = [{"method": "anthropic.*", "status": 529, "times": 1},
              {"method": "openai.*", "status": 429, "times": 1}]  # fmt: skip

    async def ask() -> list[Any]:
        async with declared(write_script(tmp_path), faults=faults) as world:
            paths = ("/models/anthropic/v1/messages", "/models/openai/v1/chat/completions")
            return [(await world.ask("POST", path, json={})).json() for path in paths]

    anthropic, openai = asyncio.run(ask())
    assert anthropic["error"]["type"] == "overloaded_error"
    assert openai["error"]["code"] == "rate_limit_exceeded"


def test_a_request_that_comes_again_is_answered_and_journalled_as_the_first(tmp_path: Path) -> None:
    script = "replies: [{user: a, text: one, times: 1}, {text: two}]"
    said = [{"role": "user", "content": "a"}]
    body = {"model": "m", "password": "hunter2", "stream": False, "messages": said}
    paths = ["/models/openai/v1/chat/completions", "/models/ollama/api/chat"]

    async def ask() -> tuple[list[Any], list[Any]]:
        async with declared(write_script(tmp_path, script)) as world:
            asked = [*paths, *paths, paths[1]]
            answers = [(await world.ask("POST", path, json=body)).json() for path in asked]
            return answers, [entry["body"] for entry in world.journal]

    answers, bodies = asyncio.run(ask())
    assert [each["object"] for each in answers[:4:2]] == ["chat.completion"] * 2
    assert [each["choices"][0]["message"]["content"] for each in answers[:4:2]] == ["one", "two"]
    assert [each["message"]["content"] for each in (*answers[1::2], answers[4])] == ["two"] * 3
    assert bodies == [{**body, "password": "[redacted]"}] * 5


def test_gemini_streams_a_json_array_unless_events_are_asked_for(tmp_path: Path) -> None:
    async def ask(query: str) -> tuple[str, bytes]:
        async with declared(write_script(tmp_path, "replies: [{text: '0123456789', stream: "
                                                   "{characters: 4}}]")) as world:  # fmt: skip
            path = f"/models/gemini/v1beta/models/g:streamGenerateContent{query}"
            answer = await world.ask("POST", path, json={"contents": []})
            return answer.headers["content-type"], answer.content

    kind, content = asyncio.run(ask(""))
    assert kind.startswith("application/json")
    assert len(orjson.loads(content)) == 3
    kind, content = asyncio.run(ask("?alt=sse"))
    assert kind == "text/event-stream"
    assert content.count(b"data: ") == 3


def test_the_same_session_answers_the_same_bytes(tmp_path: Path) -> None:
    write_script(tmp_path)
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "weather"}]}

    async def ask() -> bytes:
        async with declared(tmp_path, seed=7) as world:
            return (await world.ask("POST", "/chat/completions", json=body)).content

    assert asyncio.run(ask()) == asyncio.run(ask())


@given(st.text(max_size=60), st.integers(1, 20))
def test_the_pieces_of_a_stream_are_the_text(text: str, characters: int) -> None:
    pieces = Pace(characters=characters).cut(text)
    assert "".join(pieces) == text
    assert all(0 < len(each) <= characters for each in pieces)


@given(st.text(max_size=40), st.integers(1, 40))
def test_a_vector_has_length_one(text: str, dimensions: int) -> None:
    vector = text_vector(text, dimensions)
    assert len(vector) == dimensions
    assert sum(each * each for each in vector) == pytest.approx(1, abs=1e-6)

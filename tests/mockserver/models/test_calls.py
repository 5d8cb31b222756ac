"""Which requests are calls of models, and what of them counts."""

from typing import Any

import pytest

from mockserver.models.calls import find_call, host_of, normalise
from mockserver.models.messages import call_messages
from mockserver.models.providers import PROVIDERS

CHAT = {"model": "m", "messages": []}


@pytest.mark.parametrize(
    ("path", "body", "operation"),
    [
        ("/v1/chat/completions", CHAT, "openai.chat.completions.create"),
        ("/gateway/eu/openai/v1/chat/completions", CHAT, "openai.chat.completions.create"),
        ("/v1/responses", {"model": "m", "input": "Hi"}, "openai.responses.create"),
        ("/v1/embeddings", {"model": "m", "input": "Hi"}, "openai.embeddings.create"),
        ("/proxy/v1/messages", CHAT, "anthropic.messages.create"),
        ("/v1/messages/count_tokens", CHAT, "anthropic.messages.countTokens"),
        ("/x/v1beta/models/g:generateContent", {"contents": []}, "gemini.models.generateContent"),
        ("/v1beta/models/g:countTokens", {"contents": []}, "gemini.models.countTokens"),
        ("/v1beta/models/g:embedContent", {"content": {}}, "gemini.models.embedContent"),
        ("/aws/model/c%3A0/converse", {"messages": []}, "bedrock.converse"),
        ("/model/c/invoke", {"inputText": "a"}, "bedrock.invokeModel"),
        ("/api/chat", CHAT, "ollama.chat"),
        ("/api/generate", {"model": "m", "prompt": "Hi"}, "ollama.generate"),
        ("/api/embeddings", {"model": "m", "prompt": "Hi"}, "ollama.embeddings"),
    ],
)
def test_a_call_is_known_at_any_address(path: str, body: dict[str, Any], operation: str) -> None:
    call = find_call("POST", "gateway.example.com", path, body)
    assert call is not None
    assert call.operation == operation


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "/v1/responses", {"survey": 1, "input": "x"}),
        ("POST", "/api/chat", {"model": "m"}),
        ("POST", "/v1/messages", [1]),
        ("GET", "/v1/models", CHAT),
        ("POST", "/v1/units", CHAT),
        ("POST", "/api/show", {"model": "m"}),
    ],
)
def test_other_requests_are_no_calls(verb: str, path: str, body: Any) -> None:
    assert find_call(verb, "api.example.com", path, body) is None


def test_the_host_of_a_provider_decides_between_two_that_fit() -> None:
    body = {"model": "m", "input": "Hi", "prompt": "Hi"}
    found = {
        host: find_call("POST", host, "/api/embeddings", body) for host in ("a", host_of("openai"))
    }
    assert {call.provider for call in found.values() if call} == {"openai"}


def normalised(path: str, body: dict[str, Any]) -> dict[str, Any]:
    call = find_call("POST", "", path, body)
    assert call is not None
    return normalise(body, call)


def conversation(call_id: str, **more: Any) -> dict[str, Any]:
    called = {
        "id": call_id,
        "type": "function",
        "function": {"name": "f", "arguments": '{"id": 7}'},
    }
    return {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": call_id, "content": '{"a": 1}'},
        ],
        **more,
    }


TOOLS = [{"type": "function", "function": {"name": name}} for name in "ab"]
SEEN = {"type": "ephemeral"}


@pytest.mark.parametrize(
    ("path", "one", "other"),
    [
        ("/v1/chat/completions", conversation("call_1"), conversation("call_2")),
        ("/v1/chat/completions", conversation("c", user="ann"), conversation("c")),
        ("/v1/chat/completions", conversation("c", tools=TOOLS),
         conversation("c", tools=TOOLS[::-1])),
        ("/v1/chat/completions", conversation("c", tools=[]), conversation("c", seed=None)),
        (
            "/v1/messages",
            {**CHAT, "system": [{"type": "text", "text": "Be brief.", "cache_control": SEEN}]},
            {**CHAT, "system": "Be brief.", "metadata": {"user_id": "ann"}},
        ),
        (
            "/v1/responses",
            {"model": "m", "input": [{"type": "function_call", "id": "fc_1", "call_id": "c1",
                                      "name": "f", "arguments": '{"a":1}', "status": "completed"}]},
            {"model": "m", "input": [{"type": "function_call", "call_id": "c2", "name": "f",
                                      "arguments": '{ "a": 1 }'}]},
        ),
        (
            "/v1beta/models/g:generateContent",
            {"contents": [{"parts": [{"functionCall": {"id": "1", "name": "f", "args": {}}}]}]},
            {"contents": [{"parts": [{"functionCall": {"id": "2", "name": "f", "args": {}}}]}],
             "cachedContent": "cachedContents/x"},
        ),
        (
            "/v1beta/models/g:generateContent",
            {"contents": [], "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}]},
            {"contents": [], "tools": [{"functionDeclarations": [{"name": "b"}, {"name": "a"}]}]},
        ),
        (
            "/model/c/converse",
            {"messages": [{"role": "user",
                           "content": [{"text": "Hi"}, {"cachePoint": {"type": "default"}}]}],
             "toolConfig": {"tools": [{"toolSpec": {"name": "a"}}, {"toolSpec": {"name": "b"}}]}},
            {"messages": [{"role": "user", "content": [{"text": "Hi"}]}],
             "toolConfig": {"tools": [{"toolSpec": {"name": "b"}}, {"toolSpec": {"name": "a"}}]}},
        ),
    ],
)  # fmt: skip
def test_what_does_not_count_is_set_aside(
    path: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert normalised(path, one) == normalised(path, other)


@pytest.mark.parametrize(
    "change",
    [{"model": "n"}, {"temperature": 1}, {"stream": True}, {"tools": TOOLS[:1]},
     {"messages": [{"role": "user", "content": "Ho"}]}],
)  # fmt: skip
def test_what_counts_counts(change: dict[str, Any]) -> None:
    body = conversation("c")
    assert normalised("/v1/chat/completions", body) != normalised(
        "/v1/chat/completions", {**body, **change}
    )


def test_arguments_keep_what_is_called_an_id() -> None:
    call = normalised("/v1/chat/completions", conversation("call_9"))["messages"][1]["tool_calls"][
        0
    ]
    assert (call["id"], call["function"]["arguments"]) == ("call-1", {"id": 7})


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"instructions": "Be brief.", "input": "Hi"}, [("system", "Be brief."), ("user", "Hi")]),
        ({"contents": [{"role": "model", "parts": [{"text": "Ho"}]}]}, [("model", "Ho")]),
        ({"messages": [{"role": "tool", "content": "x", "name": "f"}]},
         [("tool", '{"content":"x","name":"f"}')]),
        ({"input": ["a", "b"]}, [("user", "a"), ("user", "b")]),
        ({"input": [{"type": "reasoning", "summary": []}]},
         [("reasoning", '{"summary":[],"type":"reasoning"}')]),
        ({"model": "m"}, []),
    ],
)  # fmt: skip
def test_messages_are_read_in_every_form(body: dict[str, Any], said: list[tuple[str, str]]) -> None:
    assert call_messages(body) == said


def test_every_provider_says_where_the_conversation_stands() -> None:
    assert {host_of(each.name) != "" for each in PROVIDERS if each.hosts} == {True}
    assert host_of("ollama") == host_of("nobody") == ""

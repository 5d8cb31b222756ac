"""An answer of a model that is no good recording is known by its key, its form or its end."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from mockserver.model import RecordedRequest, RecordedResponse, ResponseEnd
from mockserver.models.conversations import Conversations
from mockserver.models.messages import ModelReply, ModelRequest
from mockserver.models.providers.anthropic import Messages
from mockserver.models.providers.bedrock import Converse
from mockserver.models.providers.gemini import GenerateContent
from mockserver.models.providers.ollama import Chat
from mockserver.models.providers.openai import ChatCompletions, Responses
from mockserver.models.providers.provider import ChatFormat, Stamp
from mockserver.models.reply_defects import find_defect
from mockserver.state import Ids

CALLS: dict[str, tuple[ChatFormat, str]] = {
    "openai.chat.completions.create": (ChatCompletions(), "https://a.example.com/v1/chat/completions"),
    "openai.responses.create": (Responses(), "https://a.example.com/v1/responses"),
    "anthropic.messages.create": (Messages(), "https://a.example.com/v1/messages"),
    "gemini.models.generateContent": (
        GenerateContent(), "https://a.example.com/v1beta/models/m:generateContent"),
    "bedrock.converse": (Converse(), "https://a.example.com/model/m/converse"),
    "ollama.chat": (Chat(), "https://a.example.com/api/chat"),
}  # fmt: skip
REQUEST = ModelRequest("m", body={"stream": True})
REPLY = ModelReply(text="one two three four")


def call(operation: str) -> RecordedRequest:
    body = {"model": "m", "messages": [], "input": "Hi", "contents": []}
    return RecordedRequest("POST", CALLS[operation][1], (), orjson.dumps(body))


def whole(operation: str) -> bytes:
    stamp = Stamp(Ids(1), datetime(2026, 1, 1, tzinfo=UTC), Conversations())
    return CALLS[operation][0].render(REQUEST, REPLY, stamp)


def events(operation: str) -> list[bytes]:
    stamp = Stamp(Ids(1), datetime(2026, 1, 1, tzinfo=UTC), Conversations())
    return list(CALLS[operation][0].stream(REQUEST, REPLY, stamp, str.split))


def defect(
    operation: str,
    body: bytes,
    status: int = 200,
    ended: ResponseEnd = "complete",
    headers: Mapping[str, str] = {},
) -> str:
    answer = RecordedResponse(status, headers=tuple(headers.items()), body=body, ended=ended)
    found = find_defect(call(operation), answer)
    return found.kind if found else ""


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("answered", CALLS)
def test_a_reply_in_the_form_of_another_operation_is_a_defect(
    operation: str, answered: str
) -> None:
    found = "" if operation == answered else "form"
    assert defect(operation, whole(answered)) == found
    if answered != "bedrock.converse":  # its stream is binary
        assert defect(operation, b"".join(events(answered))) == found


@pytest.mark.parametrize("operation", sorted(set(CALLS) - {"bedrock.converse"}))
@pytest.mark.parametrize("kept", [1, 2, 3])
def test_a_stream_without_its_end_is_a_defect(operation: str, kept: int) -> None:
    assert defect(operation, b"".join(events(operation)[:kept])) == "cut"


@pytest.mark.parametrize("operation", CALLS)
def test_a_connection_that_broke_off_is_a_defect(operation: str) -> None:
    assert defect(operation, whole(operation)[:-9], ended="short") == "cut"


@pytest.mark.parametrize("operation", sorted(set(CALLS) - {"bedrock.converse"}))
def test_a_client_that_leaves_once_the_stream_says_that_it_is_over_is_no_defect(
    operation: str,
) -> None:
    assert defect(operation, b"".join(events(operation)), ended="short") == ""


@pytest.mark.parametrize(
    ("operation", "status", "body", "headers", "kind"),
    [
        ("openai.chat.completions.create", 401, {"error": {"code": "invalid_api_key"}}, {}, "key"),
        ("openai.responses.create", 403, {"error": {"code": "unsupported_country"}}, {}, ""),
        ("anthropic.messages.create", 401, {"error": {"type": "authentication_error"}}, {}, "key"),
        ("anthropic.messages.create", 429, {"error": {"type": "rate_limit_error"}}, {}, ""),
        ("gemini.models.generateContent", 400,
         {"error": {"details": [{"reason": "API_KEY_INVALID"}]}}, {}, "key"),
        ("gemini.models.generateContent", 400, {"error": {"status": "INVALID_ARGUMENT"}}, {}, ""),
        ("bedrock.converse", 403, {"message": "expired"},
         {"x-amzn-errortype": "ExpiredTokenException"}, "key"),
        ("bedrock.converse", 403, {"message": "no"},
         {"x-amzn-errortype": "AccessDeniedException"}, ""),
        ("ollama.chat", 401, {"error": "unauthorized"}, {}, "key"),
    ],
)  # fmt: skip
def test_a_key_that_is_refused_is_a_defect(
    operation: str, status: int, body: Any, headers: dict[str, str], kind: str
) -> None:
    assert defect(operation, json.dumps(body).encode(), status, headers=headers) == kind


@pytest.mark.parametrize(
    "event",
    [{"error": {"code": 503}}, {"promptFeedback": {"blockReason": "SAFETY"}}],
)
def test_a_stream_that_the_provider_ends_otherwise_has_an_end(event: dict[str, Any]) -> None:
    content = b"data: " + orjson.dumps(event) + b"\n\n"
    assert defect("gemini.models.generateContent", content) == ""


def test_what_is_to_be_set_is_named_and_nothing_is_quoted() -> None:
    answer = RecordedResponse(401, body=b'{"error": {"message": "sk-abc is expired"}}')
    found = find_defect(call("openai.responses.create"), answer)
    assert found is not None
    assert found.reason == (
        "the model refused the key with status 401; set OPENAI_API_KEY to a valid one"
    )


@pytest.mark.parametrize(
    "request_",
    [RecordedRequest("POST", "https://a.example.com/v1/messages", (), b"{"),
     RecordedRequest("POST", "https://a.example.com/v1/messages", (), b'{"text": "Hi"}')],
)  # fmt: skip
def test_other_requests_have_none(request_: RecordedRequest) -> None:
    assert find_defect(request_, RecordedResponse(401)) is None

import asyncio
import json
from typing import Any

import httpx
import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.model import Reply, SimulatedUser
from harness.users import ModelUser, user_model

USER = SimulatedUser(goal="a refund of A1", persona="in a hurry", model="openai:m")
REPLIES = [Reply(turn=1, prompt="Hello", text="Which order?")]
KEYS = {"OPENAI_API_KEY": "k1", "ANTHROPIC_API_KEY": "k2"}
ANSWERS: dict[str, Any] = {
    "openai": {"choices": [{"message": {"content": " A1. "}}],
               "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    "anthropic": {"content": [{"type": "text", "text": "A1."}],
                  "usage": {"input_tokens": 5, "output_tokens": 2}},
}  # fmt: skip


def ask(spec: str, answer: Any, user: SimulatedUser = USER) -> tuple[Any, ModelUser, Any]:
    """What the user says, the user, and the request that its model got."""
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx.Response) else httpx.Response(200, json=answer)

    async def run() -> Any:
        async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as client:
            player = ModelUser(user, user_model(spec, KEYS), client)
            return await player.reply_to(REPLIES), player

    said, player = asyncio.run(run())
    return said, player, seen[0]


@pytest.mark.parametrize("provider", ANSWERS)
def test_a_model_is_asked_what_the_user_says(provider: str) -> None:
    said, player, request = ask(f"{provider}:m", ANSWERS[provider])
    assert said == "A1."
    [line] = player.record.lines
    assert (line.turn, line.by, line.input_tokens, line.output_tokens) == (2, "model", 5, 2)
    body = json.loads(request.content)
    system = body["system"] if provider == "anthropic" else body["messages"].pop(0)["content"]
    assert "in a hurry" in system
    assert "a refund of A1" in system
    assert [(each["role"], each["content"]) for each in body["messages"][1:]] == [
        ("assistant", "Hello"), ("user", "Which order?"),
    ]  # fmt: skip
    assert request.headers.get("authorization", request.headers.get("x-api-key")) in {
        "Bearer k1", "k2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "reached", "ended"),
    [
        ("[goal reached]", [], "goal"),
        ("[Goal reached].", ["refunded"], "stop"),
        ("[give up]", [], "stop"),
    ],
)
def test_a_model_ends_the_conversation(text: str, reached: list[str], ended: str) -> None:
    user = USER.model_copy(update={"reached": tuple(reached)})
    said, player, _ = ask("openai:m", {"choices": [{"message": {"content": text}}]}, user)
    assert (said, player.ended) == (None, ended)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (httpx.Response(401, text="no"), "answered HTTP 401: no"),
        (httpx.Response(200, text="<html>"), "answered no JSON object"),
        ({"choices": []}, "in another format"),
        ({"choices": [{"message": {"content": None}}]}, "said nothing"),
        (httpx.ConnectError("refused"), "cannot be asked: refused"),
    ],
)
def test_a_model_that_cannot_be_asked_is_no_failure_of_the_agent(answer: Any, problem: str) -> None:
    with pytest.raises(InfrastructureError, match=problem) as caught:
        ask("openai:m", answer)
    assert "k1" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "environment", "problem"),
    [
        ("m", KEYS, "is not written 'm'"),
        ("google:m", KEYS, "is not written"),
        ("openai:m", {}, "there is no key"),
    ],
)
def test_a_spec_is_read(spec: str, environment: dict[str, str], problem: str) -> None:
    with pytest.raises(HarnessError, match=problem):
        user_model(spec, environment)


def test_another_endpoint_needs_no_key() -> None:
    found = user_model("anthropic:m", {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9/"})
    assert found.url == "http://127.0.0.1:9/v1/messages"

"""Calls of a model with another model or another system prompt, in the form of every provider."""

from typing import Any

import pytest

from mockserver.model import JsonObject
from mockserver.models.calls import ModelCall, find_call
from mockserver.models.request_changes import with_model, with_prompt

USER: dict[str, Any] = {"role": "user", "content": "Hi"}
PARTS: list[Any] = [{"role": "user", "parts": [{"text": "Hi"}]}]


def call(path: str, body: JsonObject) -> ModelCall:
    found = find_call("POST", "", path, body)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/v1/chat/completions", {"model": "a", "messages": [USER]}, "/v1/chat/completions"),
        ("/v1beta/models/a:streamGenerateContent", {"contents": PARTS},
         "/v1beta/models/b%2F1:streamGenerateContent"),
        ("/gate/model/x.a-v1%3A0/converse", {"messages": [USER]}, "/gate/model/b%2F1/converse"),
    ],
)  # fmt: skip
def test_the_model_is_replaced_where_it_is_named(
    path: str, body: JsonObject, expected: str
) -> None:
    changed, asked = with_model(body, path, call(path, body), "b/1")
    assert asked == expected
    assert changed == ({**body, "model": "b/1"} if "model" in body else body)


@pytest.mark.parametrize(
    ("path", "body", "changed"),
    [
        ("/v1/chat/completions", {"model": "m", "messages": [USER]},
         {"messages": [{"role": "system", "content": "New"}, USER]}),
        ("/v1/chat/completions",
         {"model": "m", "messages": [{"role": "developer", "content": "Old"}, USER,
                                     {"role": "system", "content": "Later"}]},
         {"messages": [{"role": "developer", "content": "New"}, USER,
                       {"role": "system", "content": "Later"}]}),
        ("/v1/responses", {"model": "m", "input": "Hi"}, {"instructions": "New"}),
        ("/v1/responses", {"model": "m", "input": [{"role": "developer", "content": "Old"}, USER]},
         {"instructions": "New", "input": [USER]}),
        ("/v1/messages", {"model": "m", "system": "Old", "messages": [USER]}, {"system": "New"}),
        ("/v1beta/models/m:generateContent", {"contents": PARTS},
         {"systemInstruction": {"parts": [{"text": "New"}]}}),
        ("/v1beta/models/m:generateContent", {"contents": PARTS, "system_instruction": "Old"},
         {"system_instruction": {"parts": [{"text": "New"}]}}),
        ("/model/m/converse", {"messages": [USER]}, {"system": [{"text": "New"}]}),
        ("/api/generate", {"model": "m", "prompt": "Hi"}, {"system": "New"}),
        ("/api/chat", {"model": "m", "messages": [USER]},
         {"messages": [{"role": "system", "content": "New"}, USER]}),
    ],
)  # fmt: skip
def test_the_prompt_is_put_where_its_provider_has_it(
    path: str, body: JsonObject, changed: JsonObject
) -> None:
    assert with_prompt(body, call(path, body), "New") == {**body, **changed}

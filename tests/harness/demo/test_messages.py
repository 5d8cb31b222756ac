from typing import Any

import pytest

from harness.demo.messages import user_messages

PARTS = [{"type": "text", "text": "one"}, {"type": "file"}, {"type": "text", "text": "two"}]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("Hello", ["Hello"], id="text"),
        pytest.param({"prompt": "Hello"}, ["Hello"], id="prompt"),
        pytest.param(["Hello", "again"], ["Hello", "again"], id="texts"),
        pytest.param({"messages": [{"role": "user", "parts": PARTS}]}, ["one\n\ntwo"], id="parts"),
        pytest.param(
            [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
            ["a"],
            id="the agent's own messages are not the user's",
        ),
    ],
)
def test_the_user_s_messages_are_found(body: Any, expected: list[str]) -> None:
    assert user_messages(body) == expected


@pytest.mark.parametrize("body", [None, 3, {"text": "Hello"}])
def test_anything_else_is_refused(body: Any) -> None:
    with pytest.raises(ValueError, match="list of messages"):
        user_messages(body)

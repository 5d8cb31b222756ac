"""Reading the user's messages out of whatever a chat client sends."""

from typing import Any

_EXPECTED = "expected a text, a list of messages, or an object with 'messages'"


def user_messages(body: Any) -> list[str]:
    """What the user wrote, oldest first.

    Takes a text, a list of messages, or an object with `messages` or `prompt`; a message has its
    text in `content` or in `parts`.

    Raises:
        ValueError: It is none of these.

    >>> user_messages({"messages": [{"role": "user", "content": "Hello"}]})
    ['Hello']
    """
    if isinstance(body, str):
        return [body]
    if isinstance(body, dict):
        body = body.get("messages", body.get("prompt"))
        return user_messages(body)
    if not isinstance(body, list):
        raise ValueError(_EXPECTED)  # noqa: TRY004 - a wrong body is a wrong value to callers
    return [_text(message) for message in body if _by_user(message)]


def _by_user(message: Any) -> bool:
    return isinstance(message, str) or (
        isinstance(message, dict) and message.get("role", "user") == "user"
    )


def _text(message: Any) -> str:
    if isinstance(message, str):
        return message
    content = message.get("content") or message.get("parts") or ""
    if isinstance(content, str):
        return content
    parts = (part.get("text", "") for part in content if isinstance(part, dict))
    return "\n".join(str(part) for part in parts)

"""Conversations alone: a list of messages in the shape of any provider, as programs log them."""

from collections.abc import Iterator

from mockserver.model import JsonObject
from mockserver.traces.chat_messages import read_chat, unpacked
from mockserver.traces.foreign.common import Told, made_id, record, span_of, text
from mockserver.traces.spans import Span


def recognises(value: JsonObject) -> bool:
    """Whether a record holds messages, one of a user among them."""
    held = unpacked(value.get("messages"))
    if not isinstance(held, list) or not held or not isinstance(held[0], dict):
        return False
    return any(each.role == "user" for each in read_chat(held))


def read(value: JsonObject) -> Iterator[Span]:
    """The span of a conversation.

    Yields:
        One.
    """
    held = unpacked(value.get("messages"))
    metadata = record(value.get("metadata"))
    id = text(value.get("id")) or text(value.get("trace_id")) or made_id("chat", str(held))
    yield span_of(
        Told(
            id,
            made_id("chat", id),
            "",
            "chat",
            "model",
            value.get("created_at") or value.get("timestamp") or value.get("created"),
            input=held,
            output=value.get("response") or value.get("completion"),
            facts={
                "gen_ai.request.model": value.get("model") or metadata.get("model"),
                "gen_ai.tool.definitions": value.get("tools"),
                "gen_ai.system_instructions": value.get("system"),
            },
        )
    )

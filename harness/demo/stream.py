"""A reply as the AI SDK's UI message stream: server-sent events, one part each."""

import json
from collections.abc import Iterator
from typing import Any

from harness.demo.agent import Reply
from harness.demo.investigation import ToolUse

_PIECE = 200
"""Characters in one piece of text."""


def events(reply: Reply) -> Iterator[str]:
    """The events of a reply.

    Yields:
        A step for each tool, then one with the text, each part as one event; then `[DONE]`.
    """
    yield from map(_event, parts(reply))
    yield "data: [DONE]\n\n"


def parts(reply: Reply) -> Iterator[dict[str, Any]]:
    """The parts of a reply.

    Yields:
        Parts with a `type`, as the UI message stream has them.
    """
    yield {"type": "start"}
    for number, use in enumerate(reply.tool_uses):
        yield {"type": "start-step"}
        yield from _tool(use, f"call-{number}")
        yield {"type": "finish-step"}
    yield {"type": "start-step"}
    yield {"type": "text-start", "id": "answer"}
    text = reply.answer.text()
    for start in range(0, len(text), _PIECE):
        yield {"type": "text-delta", "id": "answer", "delta": text[start : start + _PIECE]}
    yield {"type": "text-end", "id": "answer"}
    yield {"type": "finish-step"}
    yield {"type": "message-metadata", "messageMetadata": reply.answer.metadata()}
    yield {"type": "finish", "finishReason": "stop"}


def _tool(use: ToolUse, identifier: str) -> Iterator[dict[str, Any]]:
    call = {"toolCallId": identifier, "toolName": use.name}
    yield {"type": "tool-input-available", **call, "input": use.args}
    if use.status == "ok":
        output = {"type": "tool-output-available", "toolCallId": identifier, "output": use.result}
    else:
        error = str(use.result["error"])
        output = {"type": "tool-output-error", "toolCallId": identifier, "errorText": error}
    yield output


def _event(part: dict[str, Any]) -> str:
    return f"data: {json.dumps(part)}\n\n"

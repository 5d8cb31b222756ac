"""Transcripts of Claude Code, and the messages of the Claude Agent SDK."""

from collections.abc import Iterator

from mockserver.model import JsonObject
from mockserver.traces.agent_traces import MESSAGE
from mockserver.traces.foreign.common import Told, items, made_id, record, span_of, text
from mockserver.traces.spans import Span

_KINDS = frozenset({"user", "assistant", "result", "system", "summary"})
_BESIDE = frozenset({
    "file-history-snapshot", "queue-operation", "progress", "attachment", "last-prompt",
})  # fmt: skip


def recognises(value: JsonObject) -> bool:
    """Whether a record is a line of a transcript, or a session with such lines."""
    kind = text(value.get("type"))
    if isinstance(value.get("loglines"), list) or kind in _BESIDE:
        return True
    named = any(name in value for name in ("sessionId", "session_id", "leafUuid", "parentUuid"))
    inner = isinstance(value.get("message"), dict)
    return kind in _KINDS and (named or (inner and ("uuid" in value or "timestamp" in value)))


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a line.

    Yields:
        One where it tells of the conversation.
    """
    lines = items(value.get("loglines"))
    session = text(value.get("id")) or made_id("claude", str(len(lines)), str(lines[:1]))
    for number, line in enumerate(lines or [value]):
        found = _line(line, session if lines else "", number)
        if found is not None:
            yield found


def _line(value: JsonObject, session: str, number: int) -> Span | None:
    kind, message = value.get("type"), record(value.get("message"))
    session = session or text(value.get("sessionId") or value.get("session_id")) or "session"
    if kind == "result":
        failed = text(value.get("result")) if value.get("is_error") is True else ""
        failed = failed or (text(value.get("subtype")) if value.get("is_error") is True else "")
        if not failed:
            return None
        return span_of(Told(session, "result", "", "result", "agent", error=failed))
    if kind not in {"user", "assistant"} or not message or value.get("isMeta") is True:
        return None
    trace = f"{session}/sidechain" if value.get("isSidechain") is True else session
    asks = kind == "user"
    usage = record(message.get("usage"))
    return span_of(
        Told(
            trace,
            text(value.get("uuid")) or made_id("claude", session, str(number), str(message)),
            "",
            MESSAGE if asks else "chat",
            "model",
            value.get("timestamp"),
            value.get("timestamp"),
            [message] if asks else None,
            None if asks else [message],
            facts={
                "gen_ai.agent.name": "claude",
                "gen_ai.request.model": message.get("model"),
                "gen_ai.usage.input_tokens": usage.get("input_tokens"),
                "gen_ai.usage.output_tokens": usage.get("output_tokens"),
            },
        )
    )

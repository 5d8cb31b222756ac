"""Sessions and events of Google's Agent Development Kit."""

from collections.abc import Iterator

from mockserver.model import Json, JsonObject
from mockserver.traces.agent_traces import MESSAGE
from mockserver.traces.foreign.common import Told, items, made_id, record, span_of, text
from mockserver.traces.spans import Span


def recognises(value: JsonObject) -> bool:
    """Whether a record is a session, or an event of one."""
    events = items(value.get("events"))
    has_events = bool(events) and any("author" in each for each in events[:5])
    is_event = "author" in value and ("invocationId" in value or "invocation_id" in value)
    return (has_events and ("appName" in value or "app_name" in value)) or is_event


def read(value: JsonObject) -> Iterator[Span]:
    """The spans of a session: one for each event.

    Yields:
        Each, in order.
    """
    events = items(value.get("events")) or [value]
    app = text(value.get("appName") or value.get("app_name"))
    session = text(value.get("id")) if "events" in value else ""
    for number, event in enumerate(events):
        invocation = text(event.get("invocationId") or event.get("invocation_id"))
        trace = session or text(event.get("sessionId") or event.get("session_id")) or invocation
        yield _event(event, trace, app, number)


def _event(event: JsonObject, trace: str, app: str, number: int) -> Span:
    content, author = record(event.get("content")), text(event.get("author"))
    by_user = author == "user"
    parts = items(content.get("parts"))
    is_result = any("functionResponse" in each or "function_response" in each for each in parts)
    message: Json = [{"role": "user" if by_user or is_result else "assistant", "parts": parts}]
    failed = text(event.get("errorMessage") or event.get("error_message"))
    asks = by_user or is_result
    return span_of(
        Told(
            trace,
            text(event.get("id")) or made_id("adk", trace, str(number)),
            "",
            MESSAGE if asks else "generate_content",
            "model" if parts else "other",
            event.get("timestamp"),
            event.get("timestamp"),
            message if asks else None,
            None if asks else message,
            failed,
            {"gen_ai.agent.name": app or (None if by_user else author)},
        )
    )

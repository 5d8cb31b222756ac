"""Logs of LiteLLM: the standard payload of its callbacks, and the logs of its proxy."""

from collections.abc import Iterator

from mockserver.model import JsonObject
from mockserver.traces.chat_messages import unpacked
from mockserver.traces.foreign.common import Told, record, span_of, text
from mockserver.traces.spans import Span

_OWN = ("call_type", "litellm_call_id", "response_cost", "model_group", "cache_hit", "request_id")


def recognises(value: JsonObject) -> bool:
    """Whether a record is the payload of a call."""
    inner = record(value.get("standard_logging_object")) or value
    return "messages" in inner and "response" in inner and any(name in inner for name in _OWN)


def read(value: JsonObject) -> Iterator[Span]:
    """The span of a call of a model.

    Yields:
        One.
    """
    held = record(value.get("standard_logging_object")) or value
    params = record(unpacked(held.get("model_parameters")))
    request = record(unpacked(held.get("proxy_server_request")))
    metadata = record(unpacked(held.get("metadata")))
    id = text(held.get("id")) or text(held.get("request_id")) or text(held.get("litellm_call_id"))
    session = text(held.get("session_id")) or text(metadata.get("session_id"))
    trace = session or text(held.get("trace_id")) or id
    body = record(request.get("body")) or request
    messages = unpacked(held.get("messages")) or body.get("messages")
    yield span_of(
        Told(
            trace,
            id,
            "",
            text(held.get("model")),
            "model",
            held.get("startTime"),
            held.get("endTime"),
            messages,
            unpacked(held.get("response")),
            text(held.get("error_str")) or ("error" if held.get("status") == "failure" else ""),
            {
                "gen_ai.request.model": held.get("model"),
                "gen_ai.provider.name": held.get("custom_llm_provider"),
                "gen_ai.tool.definitions": params.get("tools") or body.get("tools"),
                "gen_ai.usage.input_tokens": held.get("prompt_tokens"),
                "gen_ai.usage.output_tokens": held.get("completion_tokens"),
            },
        )
    )

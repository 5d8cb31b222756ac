"""Spans of version 2 as spans of version 1, which is how traces are kept."""

from mockserver.googleapi import invalid
from mockserver.model import Json, JsonObject

_KINDS = {"SERVER": "RPC_SERVER", "CLIENT": "RPC_CLIENT"}
_HEX = 16


def version1(span: JsonObject) -> JsonObject:
    """A span of version 2 in the form of version 1; time events, links and stacks have no place.

    Raises:
        ApiError: 400; a span id that is not hexadecimal, or zero.

    >>> version1({"spanId": "1f", "displayName": {"value": "/cart"}, "startTime": "s"})
    {'spanId': '31', 'name': '/cart', 'startTime': 's'}
    """
    status = span.get("status") or {}
    labels = _labels(span)
    if status.get("code"):
        labels["/error/message"] = str(status.get("message") or status["code"])
    found: JsonObject = {
        "spanId": _number(str(span.get("spanId", ""))),
        "name": (span.get("displayName") or {}).get("value", ""),
    }
    found |= {name: span[name] for name in ("startTime", "endTime") if name in span}
    if span.get("parentSpanId"):
        found["parentSpanId"] = _number(str(span["parentSpanId"]))
    if span.get("spanKind") in _KINDS:
        found["kind"] = _KINDS[span["spanKind"]]
    if labels:
        found["labels"] = labels
    return found


def _number(text: str) -> str:
    """A span id as version 1 writes it, a decimal number."""
    try:
        number = int(text, 16) if len(text) <= _HEX else 0
    except ValueError:
        number = 0
    if number <= 0:
        raise invalid(f"Invalid span id '{text}': 16 hexadecimal digits, not all zero.")
    return str(number)


def _labels(span: JsonObject) -> dict[str, str]:
    attributes = (span.get("attributes") or {}).get("attributeMap") or {}
    return {name: _text(value) for name, value in attributes.items()}


def _text(value: Json) -> str:
    if "stringValue" in value:
        return str(value["stringValue"].get("value", ""))
    if "boolValue" in value:
        return "true" if value["boolValue"] else "false"
    return str(value.get("intValue", ""))

"""Export requests of OTLP as JSON."""

from collections.abc import Iterator

from mockserver.model import Json, JsonMapping, JsonObject, shortened
from mockserver.traces.spans import Span, SpanEvent

_ERRORS = frozenset({"2", "STATUS_CODE_ERROR"})
_DEEPEST = 16


class SpanError(ValueError):
    """What should be OTLP is not."""


def read_spans(value: Json) -> Iterator[Span]:
    """Read an export request as OTLP's JSON has it: `{"resourceSpans": [...]}`.

    Yields:
        The spans, in order.

    Raises:
        SpanError: It is something else.
    """
    for resource in _objects(value, "resourceSpans"):
        of_resource = _attributes(resource.get("resource", {}), "resource")
        for scope in _objects(resource, "scopeSpans"):
            told = scope.get("scope")
            named = str(told.get("name") or "") if isinstance(told, dict) else ""
            for span in _objects(scope, "spans"):
                yield _span(span, of_resource, named)


def _span(span: JsonObject, resource: JsonMapping, scope: str) -> Span:
    trace, id = span.get("traceId"), span.get("spanId")
    if not isinstance(trace, str) or not isinstance(id, str) or not trace or not id:
        raise SpanError("a span has no traceId or no spanId")
    status = span.get("status")
    status = status if isinstance(status, dict) else {}
    return Span(
        trace=trace.lower(),
        id=id.lower(),
        parent=str(span.get("parentSpanId") or "").lower(),
        name=str(span.get("name") or ""),
        start_ns=_nanoseconds(span.get("startTimeUnixNano")),
        end_ns=_nanoseconds(span.get("endTimeUnixNano")),
        attributes=_attributes(span, "span"),
        events=tuple(
            SpanEvent(str(each.get("name") or ""), _attributes(each, "event"))
            for each in _objects(span, "events")
        ),
        is_error=str(status.get("code")) in _ERRORS,
        message=str(status.get("message") or ""),
        resource=resource,
        scope=scope,
    )


def _objects(value: Json, name: str) -> list[JsonObject]:
    """The objects under a name; a missing list is an empty one."""
    found = value.get(name, []) if isinstance(value, dict) else None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise SpanError(f"{name!r} is no list of objects")
    return found


def _attributes(holder: Json, of: str) -> dict[str, Json]:
    if not isinstance(holder, dict):
        raise SpanError(f"a {of} is no object")
    pairs = _objects(holder, "attributes")
    return {str(each.get("key") or ""): _plain(each.get("value")) for each in pairs}


def _plain(value: Json, depth: int = 0) -> Json:
    """An `AnyValue` as a plain value."""
    if not isinstance(value, dict) or not value or depth > _DEEPEST:
        return None
    kind, held = next(iter(value.items()))
    if kind == "intValue":
        try:
            return int(held)
        except (TypeError, ValueError, OverflowError):
            raise SpanError(f"{shortened(str(held))!r} is no intValue") from None
    if kind == "arrayValue":
        return [_plain(each, depth + 1) for each in _objects(held or {}, "values")]
    if kind == "kvlistValue":
        return {
            str(each.get("key") or ""): _plain(each.get("value"), depth + 1)
            for each in _objects(held or {}, "values")
        }
    return held


def _nanoseconds(value: Json) -> int:
    try:
        return max(0, int(value or 0))
    except (TypeError, ValueError, OverflowError):
        raise SpanError(f"{shortened(str(value))!r} is no time in nanoseconds") from None

"""Our reader of Protocol Buffers says what the generated classes of OpenTelemetry say."""

from contextlib import suppress
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span, Status

from mockserver.traces import (
    SpanError,
    count_protobuf_spans,
    partial_success,
    read_protobuf_spans,
    read_spans,
    status_message,
)

TEXTS = st.text(max_size=200)


def any_value(held: Any) -> Any:
    match held:
        case bool():
            return AnyValue(bool_value=held)
        case int():
            return AnyValue(int_value=held)
        case float():
            return AnyValue(double_value=held)
        case str():
            return AnyValue(string_value=held)
        case list():
            made = AnyValue()
            made.array_value.SetInParent()
            made.array_value.values.extend(map(any_value, held))
            return made
        case _:
            made = AnyValue()
            made.kvlist_value.SetInParent()
            made.kvlist_value.values.extend(pairs(held))
            return made


def pairs(held: dict[str, Any]) -> list[Any]:
    return [KeyValue(key=key, value=any_value(each)) for key, each in held.items()]


VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
ATTRIBUTES = st.dictionaries(TEXTS, VALUES, max_size=4)
NANOSECONDS = st.integers(0, 2**64 - 1)


@st.composite
def requests(draw: st.DrawFn) -> Any:
    request = ExportTraceServiceRequest()
    for _ in range(draw(st.integers(0, 2))):
        resource: ResourceSpans = request.resource_spans.add()
        resource.resource.attributes.extend(pairs(draw(ATTRIBUTES)))
        scope = resource.scope_spans.add()
        scope.scope.name = draw(TEXTS)
        for _ in range(draw(st.integers(0, 3))):
            span: Span = scope.spans.add(
                trace_id=draw(st.binary(min_size=16, max_size=16)),
                span_id=draw(st.binary(min_size=8, max_size=8)),
                parent_span_id=draw(st.sampled_from([b"", b"12345678"])),
                name=draw(TEXTS),
                trace_state=draw(TEXTS),
                flags=draw(st.integers(0, 300)),
                kind=draw(st.sampled_from([0, 3])),
                start_time_unix_nano=draw(NANOSECONDS),
                end_time_unix_nano=draw(NANOSECONDS),
                status=Status(
                    code=draw(st.sampled_from(Status.StatusCode.values())), message=draw(TEXTS)
                ),
            )
            span.attributes.extend(pairs(draw(ATTRIBUTES)))
            span.links.add(trace_id=b"1" * 16)
            if draw(st.booleans()):
                span.events.add(name=draw(TEXTS)).attributes.extend(pairs(draw(ATTRIBUTES)))
    return request


def as_json(request: Any) -> Any:
    """OTLP as JSON: ids are hexadecimal digits there."""
    made = json_format.MessageToDict(request)
    for resource, message in zip(
        made.get("resourceSpans", []), request.resource_spans, strict=True
    ):
        for scope, held in zip(resource["scopeSpans"], message.scope_spans, strict=True):
            for span, own in zip(scope.get("spans", []), held.spans, strict=True):
                span["traceId"], span["spanId"] = own.trace_id.hex(), own.span_id.hex()
                span["parentSpanId"] = own.parent_span_id.hex()
    return made


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(requests())
def test_a_request_says_the_same_in_both_encodings(request: Any) -> None:
    content = request.SerializeToString()
    found = list(read_protobuf_spans(content))
    assert [each.span for each in found] == list(read_spans(as_json(request)))
    assert count_protobuf_spans(content) == len(found)
    assert sum(each.size for each in found) <= len(content)


@settings(max_examples=40, deadline=None)
@given(requests(), st.data())
def test_a_spoilt_request_is_refused_or_read_and_nothing_else(request: Any, data: Any) -> None:
    content = bytearray(request.SerializeToString() or b"\x0a")
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(SpanError):
        assert all(each.span.trace for each in read_protobuf_spans(bytes(content)))
        count_protobuf_spans(bytes(content))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x0a", "breaks off"),
        (b"\x0a\x05a", "breaks off"),
        (b"\x09\x01", "breaks off"),
        (b"\x0b", "wire type 3"),
        (b"\x80", "a number breaks off"),
        (b"\x08" + b"\xff" * 11, "too long"),
        (b"\x08\x01", "a number where a message"),
        (bytes.fromhex("0a0412021200"), "no trace_id"),
        (bytes.fromhex("0a0c120a1208 0a0131 120132 3a00"), "bytes where a number"),
    ],
)
def test_what_is_no_request_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(SpanError, match=words):
        list(read_protobuf_spans(content))


def test_values_that_json_lacks_and_values_without_end_are_read() -> None:
    deep: Any = "end"
    for _ in range(20):
        deep = [deep]
    held = {"nan": float("nan"), "inf": float("-inf"), "deep": deep}
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(trace_id=b"1", span_id=b"2")
    span.attributes.extend(pairs(held))
    span.attributes.add(key="bytes", value=AnyValue(bytes_value=b"\x01\xff"))
    ((read, _),) = read_protobuf_spans(request.SerializeToString())
    assert (read.attributes["nan"], read.attributes["inf"]) == ("nan", "-inf")
    assert read.attributes["bytes"] == "01ff"
    assert "end" not in str(read.attributes["deep"])


@settings(max_examples=40)
@given(st.integers(0, 2**40), TEXTS)
def test_answers_are_those_of_the_generated_classes(rejected: int, message: str) -> None:
    answer = ExportTraceServiceResponse.FromString(partial_success(rejected, message))
    assert answer.partial_success.rejected_spans == rejected
    assert answer.partial_success.error_message == message


def test_an_error_is_a_status() -> None:
    from google.rpc.status_pb2 import Status as RpcStatus

    status = RpcStatus.FromString(status_message(5, "There is no session."))
    assert (status.code, status.message) == (5, "There is no session.")

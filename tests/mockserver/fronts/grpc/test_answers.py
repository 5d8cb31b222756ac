"""Answers as bytes; parsed again they are what the handler said."""

from typing import Any

import pytest
from google.cloud.logging_v2.types import ListLogEntriesResponse, LogEntry
from google.cloud.monitoring_v3.types import AlertPolicy, ListTimeSeriesResponse, TimeSeries
from google.cloud.trace_v2.types import Span
from google.logging.type import http_request_pb2
from google.protobuf import (
    empty_pb2,
    field_mask_pb2,
    json_format,
    struct_pb2,
    type_pb2,
    wrappers_pb2,
)
from hypothesis import given
from hypothesis import strategies as st

from mockserver.fronts.grpc.answers import (
    MessageWriter,
    Notes,
    _message,
    _varint,
    fields_of,
    read_fields,
)

ENTRIES, SERIES = ListLogEntriesResponse.pb(), ListTimeSeriesResponse.pb()
ROWS = [{"insertId": str(number), "severity": "ERROR", "labels": {"a": "b"}} for number in range(3)]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (ENTRIES, {}),
        (ENTRIES, {"entries": [], "nextPageToken": "t"}),
        (ENTRIES, {"entries": ROWS, "nextPageToken": "t"}),
        (ENTRIES, {"entries": [{}, {"textPayload": "x" * 300}]}),
        (SERIES, {"timeSeries": [{"points": [{"value": {"int64Value": "5"}}]}], "unit": "1"}),
        (LogEntry.pb(), {"insertId": "one"}),
        (empty_pb2.Empty, {}),
    ],
    ids=["empty", "no-rows", "rows", "odd-rows", "nested", "one", "nothing"],
)
def test_an_answer_is_read_back_as_it_was_said(message: Any, answer: Any) -> None:
    writer = MessageWriter(message)
    wanted = json_format.ParseDict(answer, message())
    for _ in range(2):
        content, unplaced = writer.write(answer)
        assert (message.FromString(content), unplaced) == (wanted, ())


def test_what_has_no_place_is_named_each_time() -> None:
    writer = MessageWriter(ENTRIES)
    answer = {"entries": [*ROWS, {"colour": 1}, "text"], "size": 5, "projectIds": ["a"]}
    for _ in range(2):
        content, unplaced = writer.write(dict(answer))
        assert unplaced == ("entries.colour", "entries", "size", "projectIds")
        assert len(ENTRIES.FromString(content).entries) == 4


def test_a_row_that_was_written_before_is_not_written_again() -> None:
    writer = MessageWriter(ENTRIES)
    first, _ = writer.write({"entries": ROWS})
    again, _ = writer.write({"entries": list(ROWS)})
    fewer, _ = writer.write({"entries": ROWS[:2], "nextPageToken": "t"})
    assert again is first
    assert ENTRIES.FromString(fewer).entries == ENTRIES.FromString(first).entries[:2]


def test_a_changed_row_is_another_row() -> None:
    writer = MessageWriter(ENTRIES)
    writer.write({"entries": ROWS})
    changed, _ = writer.write({"entries": [{**ROWS[0], "insertId": "new"}, *ROWS[1:]]})
    assert ENTRIES.FromString(changed).entries[0].insert_id == "new"


def test_large_rows_and_answers_are_not_kept() -> None:
    writer = MessageWriter(ENTRIES)
    answer = {"entries": [{"textPayload": "x" * 1_100_000}]}
    first, _ = writer.write(answer)
    assert writer.write(answer)[0] == first
    assert (len(writer._kept), len(writer._rows["entries"][1]._rows_kept)) == (0, 0)


@given(st.integers(0, 2**64 - 1))
def test_numbers_of_variable_length_are_read_back(number: int) -> None:
    value, shift = 0, 0
    for byte in _varint(number):
        value |= (byte & 0x7F) << shift
        shift += 7
    assert value == number


ENTRY, SERIES_OF_VALUES, SPAN, POLICY = LogEntry.pb(), TimeSeries.pb(), Span.pb(), AlertPolicy.pb()


def build(message: Any, value: Any) -> tuple[Any, Notes]:
    notes: Notes = []
    return message(**read_fields(fields_of(message.DESCRIPTOR), value, notes)), notes


@pytest.mark.parametrize(
    ("message", "value"),
    [
        (ENTRY, {"logName": "a", "insert_id": "b", "severity": "ERROR", "traceSampled": True}),
        (ENTRY, {"timestamp": "2026-11-20T08:59:59.123456789Z"}),
        (ENTRY, {"timestamp": "2026-11-20T10:59:59.5+02:00"}),
        (ENTRY, {"severity": 500, "labels": {"a": "b"}, "resource": {"type": "x"}}),
        (ENTRY, {"jsonPayload": {"a": [1, "x", None, True, {"b": 2.5}], "fields": {"c": "d"}}}),
        (ENTRY, {"httpRequest": {"requestSize": "9007199254740993", "latency": "1.5s"}}),
        (ENTRY, {"httpRequest": None, "textPayload": "null leaves out"}),
        (ENTRY, {"sourceLocation": {"line": 17}}),
        (
            ENTRY,
            {
                "protoPayload": {
                    "@type": "type.googleapis.com/google.logging.type.HttpRequest",
                    "status": 404,
                }
            },
        ),
        (
            SERIES_OF_VALUES,
            {
                "valueType": "DISTRIBUTION",
                "points": [
                    {
                        "interval": {"endTime": "2026-11-20T09:00:00Z"},
                        "value": {
                            "distributionValue": {
                                "count": "3",
                                "mean": 1,
                                "bucketOptions": {"explicitBuckets": {"bounds": [0, 1.5]}},
                                "bucketCounts": ["1", 2],
                            }
                        },
                    },
                    {"value": {"doubleValue": "NaN"}},
                    {"value": {"doubleValue": "-Infinity"}},
                    {"value": {"boolValue": False}},
                ],
            },
        ),
        (SPAN, {"sameProcessAsParentSpan": True, "childSpanCount": 3}),
        (POLICY, {"enabled": False, "userLabels": {"a": "b"}, "conditions": [{"name": "c"}]}),
        (type_pb2.Field, {"kind": "TYPE_BOOL", "packed": True, "oneofIndex": -1}),
    ],
    ids=str,
)
def test_values_are_read_as_the_runtime_reads_them(message: Any, value: Any) -> None:
    made, notes = build(message, value)
    wanted = json_format.ParseDict(value, message())
    assert (made.SerializeToString(deterministic=True), notes) == (
        wanted.SerializeToString(deterministic=True),
        [],
    )


@pytest.mark.parametrize(
    ("message", "value", "noted"),
    [
        (ENTRY, {"colour": "red", "logName": "a"}, ["colour"]),
        (ENTRY, {"severity": "DREADFUL"}, ["severity"]),
        (ENTRY, {"logName": 5}, ["logName"]),
        (ENTRY, {"timestamp": "yesterday"}, ["timestamp"]),
        (ENTRY, {"timestamp": 5}, ["timestamp"]),
        (ENTRY, {"labels": ["a"]}, ["labels"]),
        (ENTRY, {"labels": {"a": 5}}, ["labels"]),
        (ENTRY, {"resource": "global"}, ["resource"]),
        (ENTRY, {"resource": {"type": "x", "size": 1}}, ["resource.size"]),
        (ENTRY, {"traceSampled": "yes"}, ["traceSampled"]),
        (ENTRY, {"protoPayload": {"@type": "type.googleapis.com/x.Y"}}, ["protoPayload"]),
        (ENTRY, {"httpRequest": {"status": 2**31}}, ["httpRequest.status"]),
        (ENTRY, {"httpRequest": {"status": True}}, ["httpRequest.status"]),
        (ENTRY, {"httpRequest": {"status": 1.5}}, ["httpRequest.status"]),
        (ENTRY, {"httpRequest": {"latency": "soon"}}, ["httpRequest.latency"]),
        (SERIES_OF_VALUES, {"points": {"value": {}}}, ["points"]),
        (
            SERIES_OF_VALUES,
            {"points": [{"value": {"doubleValue": True}}]},
            ["points.value.doubleValue"],
        ),
        (SERIES_OF_VALUES, {"points": [{"a": 1}, {"b": 2}]}, ["points.a", "points.b"]),
        (wrappers_pb2.FloatValue, {"value": 3.5e38}, ["value"]),
        (wrappers_pb2.FloatValue, {"value": -3.5e38}, ["value"]),
        (wrappers_pb2.DoubleValue, {"value": False}, ["value"]),
        (wrappers_pb2.BytesValue, {"value": "%"}, ["value"]),
    ],
    ids=str,
)
def test_what_a_message_has_no_place_for_is_left_out_and_named(
    message: Any, value: Any, noted: list[str]
) -> None:
    made, notes = build(message, value)
    assert notes == noted
    if list(value) == noted:
        assert made == message()


@pytest.mark.parametrize(
    ("message", "value"),
    [
        (struct_pb2.ListValue, [None, 1, "a", [True], {"b": None}]),
        (struct_pb2.Value, None),
        (wrappers_pb2.BytesValue, "-_-_"),
        (wrappers_pb2.BytesValue, "aGk"),
        (wrappers_pb2.UInt32Value, 4_000_000_000),
        (wrappers_pb2.StringValue, "x"),
        (wrappers_pb2.FloatValue, 3.4028234663852886e38),
        (wrappers_pb2.DoubleValue, "Infinity"),
        (wrappers_pb2.BoolValue, True),
        (wrappers_pb2.Int64Value, "-5"),
        (field_mask_pb2.FieldMask, "displayName,userLabels.a"),
    ],
    ids=str,
)
def test_well_known_messages_are_read_as_the_runtime_reads_them(message: Any, value: Any) -> None:
    made = _message(message.DESCRIPTOR)(value, [])
    if isinstance(made, dict):
        made = message(**made)
    assert made == json_format.ParseDict(value, message())


@pytest.mark.parametrize(
    ("message", "low", "high"),
    [
        (wrappers_pb2.Int32Value, -(2**31), 2**31 - 1),
        (wrappers_pb2.UInt32Value, 0, 2**32 - 1),
        (wrappers_pb2.Int64Value, -(2**63), 2**63 - 1),
        (wrappers_pb2.UInt64Value, 0, 2**64 - 1),
    ],
    ids=str,
)
def test_whole_numbers_are_taken_up_to_the_bounds_of_their_kind(
    message: Any, low: int, high: int
) -> None:
    for number in (low, high, str(high), float(low)):
        assert build(message, {"value": number}) == (message(value=int(number)), [])
    for number in (low - 1, high + 1, 0.5):
        assert build(message, {"value": number}) == (message(), ["value"])


def test_wrapped_values_and_masks_are_read_inside_of_messages() -> None:
    made, notes = build(SPAN, {"sameProcessAsParentSpan": False})
    assert (made.HasField("same_process_as_parent_span"), notes) == (True, [])
    assert build(ENTRY, {"httpRequest": {"cacheHit": False}})[0].http_request == (
        http_request_pb2.HttpRequest()
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_any_json_object_fits_into_a_struct(value: dict[str, Any]) -> None:
    made, notes = build(ENTRY, {"jsonPayload": value})
    assert notes == []
    wanted = json_format.ParseDict({"jsonPayload": value}, ENTRY())
    assert made == wanted


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "logName": JSON, "severity": JSON, "timestamp": JSON, "labels": JSON,
            "resource": JSON, "httpRequest": JSON, "traceSampled": JSON, "split": JSON,
            "operation": JSON, "protoPayload": JSON, "insertId": JSON, "sourceLocation": JSON,
        },
    )
)  # fmt: skip
def test_nothing_that_a_handler_may_say_breaks_an_answer(value: dict[str, Any]) -> None:
    made, _ = build(ENTRY, value)
    assert isinstance(made.SerializeToString(), bytes)

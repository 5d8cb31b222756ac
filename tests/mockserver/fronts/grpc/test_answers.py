"""Answers as bytes; parsed again they are what the handler said."""

from typing import Any

import pytest
from google.cloud.logging_v2.types import ListLogEntriesResponse, LogEntry
from google.cloud.monitoring_v3.types import ListTimeSeriesResponse
from google.protobuf import empty_pb2, json_format
from hypothesis import given
from hypothesis import strategies as st

from mockserver.fronts.grpc.answers import MessageWriter, _varint

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
    answer = {"entries": [{"textPayload": "x" * 70_000}]}
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

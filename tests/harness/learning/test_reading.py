"""Files, folders and streams of traces; what cannot be read is told, and the rest goes on."""

import gzip
import io
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from harness.errors import HarnessError
from harness.learning import TraceReader, trace_of_trial
from harness.learning import reading as module
from harness.model import Reply, ToolCall, Turn
from mockserver.traces.agent_traces import AgentTrace
from tests import told_traces as told
from tests.harness.records import case, record


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def read(*paths: Path, stdin: bytes = b"") -> tuple[list[AgentTrace], TraceReader]:
    reader = TraceReader(paths, io.BytesIO(stdin))
    return list(reader.traces()), reader


def whole(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


@pytest.mark.parametrize("name", told.FORMATS)
def test_each_format_is_read_as_a_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "export.json").write_bytes(whole(told.FORMATS[name]))
    (trace,), reader = read(tmp_path / "export.json")
    assert (trace.turns[0].answer, set(reader.formats)) == (told.ANSWER, {name})
    assert reader.problems == []


TWO = lines(told.otlp("aa01"), told.otlp("aa02"))


@pytest.mark.parametrize(
    ("name", "content", "places"),
    [("t.jsonl", TWO, [":1", ":2"]),
     ("t.json", b"\xef\xbb\xbf" + whole([told.otlp("aa01"), told.otlp("aa02")]), ["#1", "#2"]),
     ("t.jsonl.gz", gzip.compress(TWO), [":1", ":2"]),
     ("t.log", b"\n\n" + TWO + b"\n", [":3", ":4"])],
)  # fmt: skip
def test_lines_lists_and_packed_files_hold_several(
    name: str, content: bytes, places: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    traces, reader = read(tmp_path)
    assert [(each.id, each.place) for each in traces] == [
        (trace, f"{tmp_path / name}{place}")
        for trace, place in zip(("aa01", "aa02"), places, strict=True)
    ]
    assert (reader.formats, reader.spans, reader.unread) == ({"otlp": 2}, 8, 0)


def test_standard_input_is_a_file() -> None:
    traces, _ = read(Path("-"), stdin=TWO)
    assert traces[0].place == "-:1"


def test_protobuf_comes_alone_or_with_sizes(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

    body = []
    for name in ("aa01", "aa02"):
        padded = told.otlp("0" * 28 + name)
        for span in padded["resourceSpans"][0]["scopeSpans"][0]["spans"]:
            span["spanId"] = span["spanId"].zfill(16)
            span["parentSpanId"] = span["parentSpanId"].zfill(16) if span["parentSpanId"] else ""
        request = trace_service_pb2.ExportTraceServiceRequest()
        json_format.ParseDict(_base64(padded), request)
        body.append(request.SerializeToString())
    (tmp_path / "one.pb").write_bytes(body[0])
    framed = b"".join(struct.pack(">I", len(each)) + each for each in body)
    (tmp_path / "two.bin").write_bytes(framed)
    for name, count in (("one.pb", 1), ("two.bin", 2)):
        traces, reader = read(tmp_path / name)
        assert len(traces) == count
        assert (reader.formats, reader.spans) == ({"otlp-protobuf": count}, 4 * count)
    (tmp_path / "two.bin").write_bytes(framed[:-5])
    traces, reader = read(tmp_path / "two.bin")
    assert len(traces) == 1
    assert "request 2: is cut" in reader.problems[0]


def _base64(value: Any) -> Any:
    """Ids as JSON of Protocol Buffers has them."""
    import base64

    if isinstance(value, dict):
        return {key: base64.b64encode(bytes.fromhex(each)).decode()
                if key in {"traceId", "spanId", "parentSpanId"} else _base64(each)
                for key, each in value.items()}  # fmt: skip
    return [_base64(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", ": is empty"), (TWO + b'{"resourceSpans": [{"a', ":3: is no JSON (was the file cut?)"),
     (b"\n" + TWO + b'{"a\n', ":4: is no JSON"),
     (b"not json at all", ", request 1: is neither JSON nor OTLP"),
     (b"[1, 2", ": is no JSON: EOF while parsing a list at line 1 column 5;"
                " was it written to its end?"),
     (b'{"a": 1}\n', ": is in no format of traces that is known"),
     (b'{"resourceSpans": [{"scopeSpans": 1}]}\n',
      ": is no OpenTelemetry: OTLP as JSON: 'scopeSpans' is no list of objects"),
     (b"\x00\xff\x00\xff\x80", ", request 1: is neither JSON nor OTLP"),
     (b"[" * 100_000, ": is no JSON: recursion limit exceeded at line 1 column 202;"
                      " was it written to its end?")],
    ids=["empty", "cut", "cut later", "text", "cut list", "other", "no otlp", "binary", "deep"],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_place(
    content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / "t.jsonl").write_bytes(content)
    _, reader = read(tmp_path / "t.jsonl")
    assert reader.problems == [f"{tmp_path / 't.jsonl'}{said}"]
    assert reader.unread == 1


def test_so_many_problems_are_named_and_all_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_PROBLEMS", 2)
    (tmp_path / "t.jsonl").write_bytes(lines({"a": 1}, {"b": 2}, {"c": 3}) + TWO)
    traces, reader = read(tmp_path / "t.jsonl")
    assert (len(traces), reader.unread) == (2, 3)
    assert reader.problems == [
        f"{tmp_path / 't.jsonl'}:{line}: is in no format of traces that is known" for line in (1, 2)
    ]


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="No such file"):
        read(tmp_path / "gone.json")
    with pytest.raises(HarnessError, match="no file in"):
        read(tmp_path)


def test_traces_are_complete_when_nothing_was_told_of_them_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_OPEN", 2)
    several = [told.otlp(f"aa{number:02}") for number in range(9)]
    (tmp_path / "t.jsonl").write_bytes(lines(*several, several[0]))
    traces, reader = read(tmp_path / "t.jsonl")
    assert [each.id for each in traces] == [f"aa{number:02}" for number in range(9)]
    assert "came after its trace aa00 was complete" in reader.problems[0]


@pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
@pytest.mark.parametrize(
    ("limit", "value", "held"),
    [
        ("_MOST_OPEN", 3, [3] * 6 + [2, 1, 0]),
        ("_MOST_HELD", 0, [1] * 8 + [0]),
        ("_MOST_HELD", 3.5, [3] * 6 + [2, 1, 0]),
        ("_MOST_HELD", 99, [*range(8, -1, -1)]),
    ],
)
def test_no_more_is_held_than_the_limits_allow(
    limit: str, value: float, held: list[int], name: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    several = [told.otlp(f"aa{number:02}") for number in range(9)]
    size = len(lines(several[0]))
    monkeypatch.setattr(module, limit, value * size if limit == "_MOST_HELD" else value)
    (tmp_path / name).write_bytes(lines(*several) if name == "t.jsonl" else lines(several))
    reader = TraceReader([tmp_path / name], io.BytesIO())
    assert [len(reader._open) for _ in reader.traces()] == held
    assert (reader._held, reader._sizes) == (0, {})


def test_a_trial_tells_turns_calls_and_errors() -> None:
    calls = (
        ToolCall(name="get_order", args={"order": "A-1"}, result={"id": "A-1"}, turn=1, step=0),
        ToolCall(name="refund", args={}, status="error", result="no", turn=1, step=1),
        ToolCall(name="refund", args={}, status="error", turn=1, step=2),
    )
    asked = case(turns=(Turn(user="Refund A-1."), Turn(user="Thanks.")))
    told = record(replies=(Reply(turn=1, prompt="", text="Done.", tool_calls=calls),), error="boom")
    trace = trace_of_trial(asked, told)
    assert [(turn.user, turn.answer) for turn in trace.turns] == [
        ("Refund A-1.", "Done."), ("Thanks.", "")
    ]  # fmt: skip
    assert [(each.name, each.has_result, each.error) for each in trace.calls] == [
        ("get_order", True, None), ("refund", True, "no"), ("refund", False, "the call failed")
    ]  # fmt: skip
    assert (trace.error, trace.place) == ("boom", f"run {told.run}" if told.run else "")
    assert trace.id == f"{asked.id}/{told.number}"


def test_a_case_without_turns_tells_nothing() -> None:
    with pytest.raises(HarnessError, match="what the user said was not recorded"):
        trace_of_trial(case().model_copy(update={"turns": ()}), record())

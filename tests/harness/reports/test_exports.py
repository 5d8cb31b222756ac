"""Exports into the formats of other tools: their shape, and nothing that acts or is secret."""

import io
import json
import zipfile
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from harness.model import RunResult, ToolCall, Usage
from harness.reports import FORMATS
from harness.reports.csv_tables import TRIAL_COLUMNS
from mockserver.model import Journal
from mockserver.traces import read_spans
from tests.harness.example_run import example_run
from tests.harness.records import call, case, decided, entry, manifest, record, reply

SECRET = "Bearer abcdefgh12345678"


def talk() -> RunResult:
    """Two turns with tool calls of every kind, requests, tokens, and a secret everywhere."""
    asked = manifest(["C-1"], started_at="2026-11-20T09:00:00Z", agent=SECRET, note=SECRET)
    calls = (
        call("look", status="ok", q=SECRET),
        ToolCall(name="raw", args=SECRET, step=1, status="error", result="boom"),
        ToolCall(name="told", step=1, id="c3", status="ok", result={"a": 1}),
    )
    usage = Usage(input_tokens=5, output_tokens=2, cost_usd=0.5)
    trial = record(
        reply(SECRET, *calls, usage=usage, duration_ms=500, prompt=SECRET),
        reply("done", turn=2, prompt="And?"),
        duration_ms=1500.0,
        error=SECRET,
        journal=Journal(entries=(entry("a.list", status=400), entry("b.get", seq=2, status=399))),
    )
    return decided(asked, [case(title=SECRET, category=SECRET)], [trial])


def made(name: str, run: RunResult) -> bytes:
    content = next(iter(FORMATS[name].values()))(run)
    return content if isinstance(content, bytes) else content.encode()


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("name", ["inspect", "promptfoo", "otel", "parquet", "badge"])
def test_no_export_holds_a_secret(name: str) -> None:
    content = made(name, talk())
    held = b"".join(unpacked(content).values()) if name == "inspect" else content
    assert b"abcdefgh12345678" not in held


@pytest.mark.parametrize("figure", [float("inf"), float("-inf"), float("nan"), 1e300])
@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"charts"}))  # they need reviews
def test_figures_that_a_spoilt_record_has_keep_nothing_from_being_written(
    name: str, figure: float
) -> None:
    spoilt = record(
        reply("done", duration_ms=figure, first_byte_ms=figure),
        duration_ms=figure,
        agent_ms=figure,
        journal=Journal(entries=(entry("a.list", duration_ms=figure),)),
    )
    asked = manifest(["C-1"], started_at="2026-11-20T09:00:00Z")
    assert made(name, decided(asked, [case()], [spoilt]))


def test_a_log_holds_the_conversation() -> None:
    members = unpacked(made("inspect", talk()))
    assert {"header.json", "summaries.json", "_journal/start.json"} < members.keys()
    sample = json.loads(members["samples/C-1_epoch_1.json"])
    roles = [message["role"] for message in sample["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "tool", "assistant",
                     "user", "assistant"]  # fmt: skip
    assert sample["messages"][4]["error"] == {"type": "unknown", "message": "boom"}
    assert sample["model_usage"] == {
        "[redacted]": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}
    }


def test_a_trace_holds_turns_tools_and_requests() -> None:
    spans = list(read_spans(json.loads(made("otel", talk()))))
    run, trial, *rest = spans
    assert [span.name for span in rest] == [
        "chat", "execute_tool look", "execute_tool raw", "execute_tool told", "chat",
        "GET a.list", "GET b.get",
    ]  # fmt: skip
    assert run.trace != trial.trace
    assert (trial.kind, trial.duration_ms, trial.input_tokens) == ("agent", 1500, 5)
    tools = [span for span in rest if span.kind == "tool"]
    assert [tool.tool_name for tool in tools] == ["look", "raw", "told"]
    assert [tool.tool_result for tool in tools] == [None, "boom", {"a": 1}]
    assert [span.is_error for span in tools] == [False, True, False]
    assert len({span.id for span in spans}) == len(spans)
    assert all(each["value"] for each in _attributes_of(made("otel", talk())))


def _attributes_of(content: bytes) -> list[dict[str, Any]]:
    (resource,) = json.loads(content)["resourceSpans"]
    return [each for span in resource["scopeSpans"][0]["spans"] for each in span["attributes"]]


def test_tables_have_types() -> None:
    for name, report in FORMATS["parquet"].items():
        content = report(example_run())
        assert isinstance(content, bytes)
        table = parquet.read_table(pa.BufferReader(content))
        assert table.num_rows > 5
        if name.startswith("trials"):
            assert tuple(table.column_names) == TRIAL_COLUMNS
            assert table.schema.field("duration_ms").type == pa.float64()
            assert table.column("trial").to_pylist()[2:5] == [1, 2, 3]

"""Spans that frameworks export come into the session that they are of, whatever is sent."""

import gzip
from typing import Any

import httpx
import orjson
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from mockserver.http import otlp
from mockserver.http.application import Application
from mockserver.model import SessionReport, SessionSpec
from mockserver.sessions import spans as session_spans

Client = httpx.AsyncClient
PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "cancel"}


def json_span(number: int = 1, *, session: str = "", start: int = 5, more: Any = None) -> Any:
    attributes = TOOL | (more or {}) | ({"mock.session": session} if session else {})
    return {
        "traceId": "ab" * 16,
        "spanId": f"{number:016x}",
        "name": "execute_tool cancel",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 9),
        "attributes": [
            {"key": key, "value": {"stringValue": value}} for key, value in attributes.items()
        ],
    }


def json_export(*spans: dict[str, Any]) -> bytes:
    return orjson.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def protobuf_export(count: int) -> bytes:
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for number in range(count):
        spans.add(trace_id=b"\xab" * 16, span_id=number.to_bytes(8, "big"), name="step")
    return bytes(request.SerializeToString())


async def spans(client: Client, session: str, query: str = "") -> Any:
    return (await client.get(f"/_mock/sessions/{session}/spans{query}")).json()


async def ids(client: Client, session: str) -> list[int]:
    return [int(each["id"], 16) for each in (await spans(client, session))["spans"]]


@pytest.fixture(autouse=True)
def sessions(app: Application) -> None:
    for name in ("a", "b"):
        app.sessions.open(SessionSpec(id=name))


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/s/a/otlp/v1/traces", {}),
        ("/otlp/v1/traces", {"x-mock-session": "a"}),
        ("/otlp/v1/traces", {"baggage": "mock.session=a"}),
        ("/s/a/otlp/v1/traces", {"x-mock-session": "a", "content-encoding": "gzip"}),
    ],
)
async def test_the_request_says_whose_spans_they_are(
    client: Client, path: str, headers: dict[str, str]
) -> None:
    content = json_export(json_span(2, start=9), json_span(1))
    content = gzip.compress(content) if "content-encoding" in headers else content
    done = await client.post(path, content=content, headers=JSON | headers)
    assert (done.status_code, done.json()) == (200, {})
    assert await ids(client, "a") == [1, 2]
    assert await ids(client, "default") == []


async def test_a_span_names_its_session_where_the_request_names_none(client: Client) -> None:
    content = json_export(json_span(1, session="a"), json_span(2, session="b"), json_span(3))
    assert (await client.post("/otlp/v1/traces", content=content, headers=JSON)).json() == {}
    assert [await ids(client, name) for name in ("a", "b", "default")] == [[1], [2], [3]]


async def test_spans_of_other_sessions_are_rejected(client: Client) -> None:
    content = json_export(json_span(1, session="b"), json_span(2, session="a"))
    done = await client.post("/s/a/otlp/v1/traces", content=content, headers=JSON)
    assert done.json()["partialSuccess"] == {
        "rejectedSpans": "1",
        "errorMessage": "Spans that were not taken: 1 of another session than the request names.",
    }
    content = json_export(json_span(1, session="gone"))
    done = await client.post("/otlp/v1/traces", content=content, headers=JSON)
    assert "1 of a session that is not open" in done.json()["partialSuccess"]["errorMessage"]
    assert [await ids(client, name) for name in ("a", "b", "default")] == [[2], [], []]


async def test_without_a_default_session_spans_must_name_one(
    client: Client, app: Application
) -> None:
    app.sessions.close("default")
    done = await client.post("/otlp/v1/traces", content=json_export(json_span()), headers=JSON)
    assert "1 that name no session: export to" in done.json()["partialSuccess"]["errorMessage"]


async def test_what_comes_twice_counts_once_and_order_is_of_no_matter(client: Client) -> None:
    for content in (
        json_export(json_span(3, start=30)),
        json_export(json_span(1, start=10), json_span(3, start=30)),
    ):
        assert (await client.post("/s/a/otlp/v1/traces", content=content, headers=JSON)).is_success
    told = await spans(client, "a")
    assert [each["start_ns"] for each in told["spans"]] == [10, 30]
    assert (told["received"], told["repeated"], told["rejected"]) == (2, 1, 0)


@pytest.mark.parametrize("is_json", [True, False])
async def test_what_is_too_much_is_counted_and_said(
    client: Client, monkeypatch: pytest.MonkeyPatch, is_json: bool
) -> None:
    for module in (otlp, session_spans):
        monkeypatch.setattr(module, "MOST_SPANS", 3)
    content = json_export(*map(json_span, range(5))) if is_json else protobuf_export(5)
    headers = JSON if is_json else PROTOBUF
    first = await client.post("/s/a/otlp/v1/traces", content=content, headers=headers)
    again = protobuf_export(2)
    assert (await client.post("/s/a/otlp/v1/traces", content=again, headers=PROTOBUF)).is_success
    if is_json:
        partly = first.json()["partialSuccess"]
        assert partly["rejectedSpans"] == "2"
    else:
        answer = ExportTraceServiceResponse.FromString(first.content).partial_success
        assert answer.rejected_spans == 2
        assert "2 beyond what a session holds" in answer.error_message
    told = await spans(client, "a")
    assert (told["received"], told["rejected"] + told["repeated"]) == (3, 4)


@pytest.mark.slow
async def test_a_hundred_thousand_spans_of_one_request_are_taken_as_far_as_there_is_room(
    client: Client,
) -> None:
    done = await client.post(
        "/s/a/otlp/v1/traces", content=protobuf_export(100_000), headers=PROTOBUF
    )
    answer = ExportTraceServiceResponse.FromString(done.content).partial_success
    assert answer.rejected_spans == 100_000 - session_spans.MOST_SPANS
    assert (await spans(client, "a"))["received"] == session_spans.MOST_SPANS


async def test_bytes_are_bounded_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_spans, "MOST_BYTES", 600)
    content = json_export(json_span(1), json_span(2), json_span(3))
    done = await client.post("/s/a/otlp/v1/traces", content=content, headers=JSON)
    assert done.json()["partialSuccess"]["rejectedSpans"] == "2"


@pytest.mark.parametrize(
    ("path", "verb", "content", "headers", "status", "words"),
    [
        ("/s/nobody/otlp/v1/traces", "POST", b"{}", JSON, 404, "no session 'nobody'"),
        ("/s/closed/otlp/v1/traces", "POST", b"{}", JSON, 410, "'closed' is closed"),
        ("/s/a/otlp/v1/profiles", "POST", b"{}", JSON, 404, "/otlp/v1/traces"),
        ("/s/a/otlp/v1/traces", "GET", b"", JSON, 405, "is a POST"),
        ("/s/a/otlp/v1/traces", "POST", b"x", {"content-type": "text/plain"}, 415, "x-protobuf"),
        ("/s/a/otlp/v1/traces", "POST", b"{", JSON, 400, "is no JSON: "),
        ("/s/a/otlp/v1/traces", "POST", b"[]", JSON, 400, "no JSON object"),
        ("/s/a/otlp/v1/traces", "POST", b'{"resourceSpans": 1}', JSON, 400, "no list of objects"),
        ("/s/a/otlp/v1/traces", "POST", b"\x0a\x09", PROTOBUF, 400, "breaks off"),
        ("/s/a/otlp/v1/traces", "POST", b"x", PROTOBUF | {"content-encoding": "gzip"}, 400, "gzip"),
        ("/s/a/otlp/v1/traces", "POST", b"x", PROTOBUF | {"content-encoding": "br"}, 415, "coding"),
        ("/s/a/otlp/v1/traces", "POST", b"x",
         PROTOBUF | {"content-length": str(99 * 1024 * 1024)}, 413, "larger than 50 MiB"),
    ],
)  # fmt: skip
async def test_what_is_no_export_is_refused_with_one_message(
    client: Client,
    app: Application,
    path: str,
    verb: str,
    content: bytes,
    headers: dict[str, str],
    status: int,
    words: str,
) -> None:
    app.sessions.open(SessionSpec(id="closed"))
    app.sessions.close("closed")
    done = await client.request(verb, path, content=content, headers=headers)
    assert (done.status_code, words in done.text) == (status, True)
    if headers == JSON:
        assert set(done.json()) == {"code", "message"}


@pytest.mark.parametrize("signal", ["logs", "metrics"])
async def test_logs_and_metrics_are_answered(client: Client, signal: str) -> None:
    for headers, answer in ((JSON, b"{}"), (PROTOBUF, b"")):
        done = await client.post(f"/s/a/otlp/v1/{signal}", content=answer, headers=headers)
        assert (done.status_code, done.content) == (200, answer)
        assert done.headers["content-type"] == headers["content-type"]


async def test_two_sessions_in_one_export_are_refused(client: Client) -> None:
    done = await client.post(
        "/s/a/otlp/v1/traces", content=b"{}", headers=JSON | {"x-mock-session": "b"}
    )
    assert (done.status_code, "different sessions" in done.text) == (400, True)


async def test_the_report_has_the_spans_of_agents_without_secrets(client: Client) -> None:
    arguments = {"gen_ai.tool.call.arguments": '{"order": "A1", "password": "hunter2"}'}
    noise = json_span(2) | {"attributes": []}
    secret = json_span(3, more={"http.request.header.authorization": "Bearer hunter2"})
    held = {"kvlistValue": {"values": [{"key": "password", "value": {"stringValue": "hunter2"}}]}}
    secret["attributes"] += [{"key": "args", "value": held}]
    secret["events"] = [{"name": "e", "attributes": [{"key": "text", "value": {
        "stringValue": "{broken"}}]}]  # fmt: skip
    content = json_export(json_span(1, more=arguments), noise, secret)
    assert (await client.post("/s/a/otlp/v1/traces", content=content, headers=JSON)).is_success
    everything = await spans(client, "a")
    assert len(everything["spans"]) == 3
    assert [each["id"] for each in (await spans(client, "a", "?kind=other"))["spans"]] == [
        f"{2:016x}"
    ]
    assert (await client.get("/_mock/sessions/a/spans?kind=x")).status_code == 400
    closed = await client.delete("/_mock/sessions/a")
    report = SessionReport.model_validate(closed.json())
    assert (report.traced.received, len(report.traced.spans)) == (3, 2)
    assert "hunter2" not in closed.text + str(everything)
    (first, _) = report.traced.spans
    assert first["attributes"]["gen_ai.tool.call.arguments"] == (
        '{"order":"A1","password":"[redacted]"}'
    )


async def test_exports_are_no_requests_of_the_agent(client: Client) -> None:
    await client.post("/s/a/otlp/v1/traces", content=json_export(json_span()), headers=JSON)
    assert (await client.get("/_mock/sessions/a/journal")).json()["entries"] == []

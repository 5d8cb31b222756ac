"""Exports of OpenTelemetry over gRPC."""

import grpc
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from mockserver.model import SessionSpec
from mockserver.sessions import spans as session_spans
from tests.mockserver.fronts.grpc.conftest import Speaking

COLLECTOR = "/opentelemetry.proto.collector"
TRACES = f"{COLLECTOR}.trace.v1.TraceService/Export"
LOGS = f"{COLLECTOR}.logs.v1.LogsService/Export"


def export(count: int) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number in range(count):
        scope.spans.add(trace_id=b"1" * 16, span_id=number.to_bytes(8, "big"), name="s" * 90)
    return request


@pytest.mark.parametrize("count", [2, 500])
async def test_spans_come_into_the_session_that_the_metadata_names(
    grpc_server: Speaking, count: int
) -> None:
    session = grpc_server.app.sessions.open(SessionSpec(id="a"))
    answer = await grpc_server.ask(
        TRACES, export(count), ExportTraceServiceResponse, x_mock_session="a"
    )
    assert not answer.partial_success.rejected_spans
    assert session.spans.received == count


async def test_what_is_rejected_is_said(
    grpc_server: Speaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_spans, "MOST_SPANS", 2)
    answer = await grpc_server.ask(TRACES, export(5), ExportTraceServiceResponse)
    assert answer.partial_success.rejected_spans == 3
    assert "beyond what a session holds" in answer.partial_success.error_message


async def test_logs_are_answered_and_not_kept(grpc_server: Speaking) -> None:
    await grpc_server.ask(LOGS, ExportLogsServiceRequest(), ExportLogsServiceResponse)
    assert grpc_server.journal() == []


async def test_what_is_no_export_is_refused(grpc_server: Speaking) -> None:
    spoilt = await grpc_server.refused(TRACES, b"\x0a")
    assert spoilt.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "breaks off" in str(spoilt.details())
    unknown = await grpc_server.refused(TRACES, x_mock_session="nobody")
    assert unknown.code() is grpc.StatusCode.NOT_FOUND
    grpc_server.app.sessions.open(SessionSpec(id="a"))
    grpc_server.app.sessions.close("a")
    closed = await grpc_server.refused(TRACES, x_mock_session="a")
    assert closed.code() is grpc.StatusCode.FAILED_PRECONDITION
    both = await grpc_server.refused(TRACES, x_mock_session="a", baggage="mock.session=b")
    assert both.code() is grpc.StatusCode.INVALID_ARGUMENT

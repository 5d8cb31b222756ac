"""The google-cloud clients over REST against a real server: only their endpoint is changed."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.api_core.exceptions import BadRequest, Forbidden, NotFound
from google.cloud import errorreporting_v1beta1, logging, trace_v1, trace_v2
from google.cloud.errorreporting_v1beta1.types import QueryTimeRange
from google.oauth2.credentials import Credentials

from mockserver.client import MockServer
from mockserver.model import SessionInfo, SessionSpec

SRE = Path(__file__).parents[4] / "fixtures" / "sre"
PROJECT = "shop-prod"


class Sessions:
    """A server of the bundled cloud project, and clients of sessions on it."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self._server = server

    def open(self, **spec: Any) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec(**spec)))


@pytest.fixture(scope="module")
def sessions() -> Iterator[Sessions]:
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(SRE))
        yield Sessions(runner, server)
        runner.run(server.close())


def options(session: SessionInfo, api: str) -> dict[str, Any]:
    return {
        "credentials": Credentials(token=session.token),  # type: ignore[no-untyped-call]
        "client_options": {"api_endpoint": f"{session.base_url}/{api}.googleapis.com"},
    }


def logging_client(session: SessionInfo) -> Any:
    client: Any = logging.Client
    return client(project=PROJECT, _use_grpc=False, **options(session, "logging"))


def test_log_entries_of_the_last_day_are_found_newest_first(sessions: Sessions) -> None:
    client = logging_client(sessions.open())
    text = 'resource.labels.cluster_name="prod-eu" AND "OOMKilled"'
    found = list(client.list_entries(filter_=text, order_by=logging.DESCENDING, page_size=3))
    assert len(found) == 8
    times = [each.timestamp for each in found]
    assert times == sorted(times, reverse=True)
    assert datetime.now(UTC) - timedelta(hours=2) < times[0] < datetime.now(UTC)
    assert found[0].payload.startswith("container cart terminated: OOMKilled")


def test_what_a_client_writes_it_reads_back_and_deletes(sessions: Sessions) -> None:
    client = logging_client(sessions.open())
    logger = client.logger("app-worker")
    logger.log_text("hello", severity="WARNING", labels={"k": "v"})
    logger.log_struct({"message": "done", "n": 3}, severity="ERROR")
    found = {each.severity: each.payload for each in logger.list_entries() if each.severity}
    assert found == {"WARNING": "hello", "ERROR": {"message": "done", "n": 3}}
    logger.delete()
    assert list(logger.list_entries()) == []
    with pytest.raises(NotFound):
        logger.delete()


def test_refusals_are_the_clients_own_errors(sessions: Sessions) -> None:
    client = logging_client(sessions.open())
    with pytest.raises(BadRequest, match="Field not found: 'thud'"):
        list(client.list_entries(filter_="thud=1"))
    with pytest.raises(BadRequest, match=r"syntax error at line 1, column \d+, token ':'"):
        list(client.list_entries(filter_="insertId=abc:def"))


def test_error_groups_of_the_logs_are_counted_and_listed(sessions: Sessions) -> None:
    session = sessions.open()
    how = options(session, "clouderrorreporting")
    stats = errorreporting_v1beta1.ErrorStatsServiceClient(transport="rest", **how)
    request = {
        "project_name": f"projects/{PROJECT}",
        "time_range": {"period": QueryTimeRange.Period.PERIOD_6_HOURS},
    }
    groups = list(stats.list_group_stats(request=request))
    counts = [(each.count, each.affected_services[0].service) for each in groups]
    assert counts == [(22, "checkout"), (10, "payments"), (7, "frontend")]
    assert groups[1].group.resolution_status.name == "ACKNOWLEDGED"
    assert groups[1].affected_users_count == 10
    events = stats.list_events(
        request={**request, "group_id": groups[0].group.group_id, "page_size": 5}
    )
    assert len(list(events)) == 22
    with pytest.raises(BadRequest, match="group id"):
        list(stats.list_events(request=request))


def test_a_reported_error_becomes_a_group(sessions: Sessions) -> None:
    session = sessions.open()
    how = options(session, "clouderrorreporting")
    reports = errorreporting_v1beta1.ReportErrorsServiceClient(transport="rest", **how)
    stats = errorreporting_v1beta1.ErrorStatsServiceClient(transport="rest", **how)
    name = f"projects/{PROJECT}"
    stats.delete_events(project_name=name)
    assert list(stats.list_group_stats(request={"project_name": name})) == []
    event: Any = {
        "message": "panic: runtime error",
        "service_context": {"service": "mailer"},
        "context": {"report_location": {"file_path": "a.go", "line_number": 3}},
    }
    reports.report_error_event(project_name=name, event=event)
    (group,) = stats.list_group_stats(request={"project_name": name})
    assert (group.count, group.representative.service_context.service) == (1, "mailer")


def test_traces_are_filtered_and_read_whole(sessions: Sessions) -> None:
    how = options(sessions.open(), "cloudtrace")
    client = trace_v1.TraceServiceClient(transport="rest", **how)
    now = datetime.now(UTC)
    request = {
        "project_id": PROJECT,
        "filter": "root:/api/checkout latency:5s",
        "view": trace_v1.ListTracesRequest.ViewType.ROOTSPAN,
        "start_time": now - timedelta(hours=6),
        "end_time": now,
        "page_size": 4,
    }
    found = list(client.list_traces(request=request))
    assert len(found) == 22
    assert {len(each.spans) for each in found} == {1}
    whole = client.get_trace(project_id=PROJECT, trace_id=found[0].trace_id)
    assert len(whole.spans) == 4
    with pytest.raises(NotFound):
        client.get_trace(project_id=PROJECT, trace_id="f" * 32)


def test_a_span_of_version_2_is_read_by_version_1(sessions: Sessions) -> None:
    session = sessions.open()
    how = options(session, "cloudtrace")
    writer = trace_v2.TraceServiceClient(transport="rest", **how)
    name = f"projects/{PROJECT}/traces/{'a1' * 16}/spans/{'0b' * 8}"
    now = datetime.now(UTC)
    span: Any = {
        "name": name,
        "span_id": "0b" * 8,
        "display_name": {"value": "sync"},
        "start_time": now - timedelta(seconds=2),
        "end_time": now,
        "attributes": {"attribute_map": {"n": {"int_value": 7}}},
    }
    writer.batch_write_spans(name=f"projects/{PROJECT}", spans=[span])
    reader = trace_v1.TraceServiceClient(transport="rest", **how)
    (read,) = reader.get_trace(project_id=PROJECT, trace_id="a1" * 16).spans
    assert (read.span_id, read.name, dict(read.labels)) == (int("0b" * 8, 16), "sync", {"n": "7"})


def test_an_unknown_project_is_forbidden_as_on_the_live_api(sessions: Sessions) -> None:
    how = options(sessions.open(), "logging")
    client: Any = logging.Client
    with pytest.raises(Forbidden):
        list(client(project="nobody", _use_grpc=False, **how).list_entries())


def test_a_group_is_resolved_by_its_client(sessions: Sessions) -> None:
    how = options(sessions.open(), "clouderrorreporting")
    stats = errorreporting_v1beta1.ErrorStatsServiceClient(transport="rest", **how)
    groups = errorreporting_v1beta1.ErrorGroupServiceClient(transport="rest", **how)
    found = next(iter(stats.list_group_stats(request={"project_name": f"projects/{PROJECT}"})))
    group: Any = groups.get_group(group_name=found.group.name)
    group.resolution_status = errorreporting_v1beta1.types.ResolutionStatus.RESOLVED
    assert groups.update_group(group=group).resolution_status == group.resolution_status
    assert groups.get_group(group_name=found.group.name) == group


def test_over_http_a_tail_is_its_first_batch(sessions: Sessions) -> None:
    session = sessions.open()
    url = f"{session.base_url}/logging.googleapis.com/v2/entries:tail"
    headers = {"Authorization": f"Bearer {session.token}"}
    body = {"resourceNames": [f"projects/{PROJECT}"]}
    answer = httpx.post(url, json=body, headers=headers)
    assert (answer.status_code, answer.json()) == (200, {})

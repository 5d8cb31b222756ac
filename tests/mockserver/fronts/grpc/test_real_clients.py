"""The google-cloud clients over gRPC against a real server and the bundled cloud project."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import pytest
from google.api_core import exceptions
from google.cloud import errorreporting_v1beta1 as errorreporting
from google.cloud import monitoring_dashboard_v1 as dashboards
from google.cloud import monitoring_v3 as monitoring
from google.cloud import resourcemanager_v3 as resourcemanager
from google.cloud import trace_v1 as trace
from google.cloud.container_v1 import ClusterManagerClient
from google.cloud.logging_v2.services.config_service_v2 import ConfigServiceV2Client
from google.cloud.logging_v2.services.logging_service_v2 import LoggingServiceV2Client
from google.protobuf import field_mask_pb2

from mockserver.client import MockServer
from mockserver.model import SessionInfo, SessionSpec
from tests.mockserver.fronts.grpc.conftest import PROJECT, SRE
from tests.patience import PATIENCE_S
from tests.ports import free_port

LATENCY = "run.googleapis.com/request_latencies"
COUNT = "run.googleapis.com/request_count"


class World:
    """A server, and sessions that clients ask."""

    def __init__(self, runner: asyncio.Runner) -> None:
        port = free_port()
        options = ("--grpc-port", str(port))
        self._runner = runner
        self._server = runner.run(MockServer.start(SRE, options=options))
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.session = self.open()

    def open(self, **spec: Any) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec(**spec)))

    def client(self, kind: Any, session: SessionInfo | None = None) -> Any:
        metadata = _Named((session or self.session).token)
        channel = grpc.intercept_channel(self._channel, metadata)
        return kind(transport=kind.get_transport_class("grpc")(channel=channel))

    def calls(self) -> list[tuple[str, str]]:
        report = self._runner.run(self._server.close_session(self.session.id))
        return [(entry.method_id, entry.http_method) for entry in report.journal.entries]

    def ignored(self) -> dict[str, tuple[str, ...]]:
        report = self._runner.run(self._server.close_session(self.session.id))
        entries = report.journal.entries
        return {entry.method_id: entry.ignored for entry in entries if entry.ignored}

    def close(self) -> None:
        self._channel.close()
        self._runner.run(self._server.close())


class _Named(grpc.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    """Sends a session's token, as a credential would on a channel with TLS."""

    def __init__(self, token: str) -> None:
        self._token = token

    def intercept_unary_unary(self, proceed: Any, details: Any, request: Any) -> Any:
        metadata = [*(details.metadata or ()), ("authorization", f"Bearer {self._token}")]
        return proceed(details._replace(metadata=metadata), request)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with asyncio.Runner() as runner:
        world = World(runner)
        yield world
        world.close()


def last_hours(hours: int) -> Any:
    now = datetime.now(UTC)
    return monitoring.TimeInterval(start_time=now - timedelta(hours=hours), end_time=now)


@pytest.mark.slow
def test_log_entries_keep_their_nanoseconds_and_are_paged(world: World) -> None:
    client = world.client(LoggingServiceV2Client)
    request = {
        "resource_names": [PROJECT],
        "filter": 'severity>=ERROR AND resource.type="k8s_container"',
        "order_by": "timestamp desc",
        "page_size": 4,
    }
    pages = [page.entries for page in client.list_log_entries(request=request).pages]
    entries = [entry for page in pages for entry in page]
    assert len(pages) > 1
    assert entries == sorted(entries, key=lambda entry: entry.timestamp, reverse=True)
    assert any(entry.timestamp.nanosecond % 1000 for entry in entries)
    assert all(entry.severity >= 500 for entry in entries)


def test_audit_logs_are_packed_as_what_they_are(world: World) -> None:
    client = world.client(LoggingServiceV2Client)
    name = f"{PROJECT}/logs/cloudaudit.googleapis.com%2Factivity"
    found = list(client.list_log_entries(resource_names=[PROJECT], filter=f'logName="{name}"'))
    assert found
    payloads = [entry.proto_payload for entry in found if entry.proto_payload]
    assert {payload.type_url for payload in payloads} == {
        "type.googleapis.com/google.cloud.audit.AuditLog"
    }


def test_logs_descriptors_and_buckets_are_listed(world: World) -> None:
    client = world.client(LoggingServiceV2Client)
    assert f"{PROJECT}/logs/stdout" in list(client.list_logs(parent=PROJECT))
    assert list(client.list_monitored_resource_descriptors(request={}))
    buckets = world.client(ConfigServiceV2Client).list_buckets(parent=f"{PROJECT}/locations/-")
    assert f"{PROJECT}/locations/global/buckets/_Default" in [bucket.name for bucket in buckets]


def test_what_is_written_is_read_by_its_own_session_only(world: World) -> None:
    other = world.open()
    mine = world.client(LoggingServiceV2Client)
    mine.write_log_entries(
        log_name=f"{PROJECT}/logs/deploys",
        resource={"type": "global"},
        entries=[{"json_payload": {"version": 42}, "labels": {"by": "test"}}],
    )
    query = f'logName="{PROJECT}/logs/deploys"'
    found = list(mine.list_log_entries(resource_names=[PROJECT], filter=query))
    assert [entry.json_payload["version"] for entry in found] == [42.0]
    theirs = world.client(LoggingServiceV2Client, other)
    assert list(theirs.list_log_entries(resource_names=[PROJECT], filter=query)) == []


def test_time_series_are_read_and_aligned(world: World) -> None:
    client = world.client(monitoring.MetricServiceClient)
    asked = {"name": PROJECT, "filter": f'metric.type="{COUNT}"', "interval": last_hours(3)}
    series = list(client.list_time_series(request={**asked, "view": "FULL"}))
    assert series
    assert series[0].points[0].interval.end_time > series[0].points[-1].interval.end_time
    aligned = monitoring.Aggregation(
        alignment_period={"seconds": 600},
        per_series_aligner="ALIGN_RATE",
        cross_series_reducer="REDUCE_SUM",
        group_by_fields=["resource.labels.service_name"],
    )
    summed = list(client.list_time_series(request={**asked, "aggregation": aligned}))
    assert 0 < len(summed) <= len(series)
    assert all(point.value.double_value >= 0 for one in summed for point in one.points)


def test_distributions_have_their_buckets(world: World) -> None:
    client = world.client(monitoring.MetricServiceClient)
    asked = {"name": PROJECT, "filter": f'metric.type="{LATENCY}"', "interval": last_hours(3)}
    (first, *_) = client.list_time_series(request={**asked, "view": "FULL"})
    value = first.points[0].value.distribution_value
    assert value.count == sum(value.bucket_counts)
    assert value.mean > 0


def test_descriptors_are_found_by_a_filter(world: World) -> None:
    client = world.client(monitoring.MetricServiceClient)
    found = client.list_metric_descriptors(
        request={"name": PROJECT, "filter": 'metric.type = starts_with("run.googleapis.com/")'}
    )
    types = [descriptor.type for descriptor in found]
    assert COUNT in types
    assert all(name.startswith("run.googleapis.com/") for name in types)
    with pytest.raises(exceptions.InvalidArgument):
        list(client.list_time_series(name=PROJECT, filter="nonsense(", interval=last_hours(1)))


def test_alert_policies_are_made_patched_and_deleted(world: World) -> None:
    client = world.client(monitoring.AlertPolicyServiceClient)
    before = [policy.name for policy in client.list_alert_policies(name=PROJECT)]
    made = client.create_alert_policy(
        name=PROJECT,
        alert_policy=monitoring.AlertPolicy(
            display_name="New",
            combiner="OR",
            conditions=[{"display_name": "absent", "condition_absent": {
                "filter": f'metric.type="{COUNT}" AND resource.type="cloud_run_revision"',
                "duration": {"seconds": 300},
            }}],
        ),
    )  # fmt: skip
    assert made.name not in before
    made.display_name = "Newer"
    mask = field_mask_pb2.FieldMask(paths=["display_name"])
    assert client.update_alert_policy(alert_policy=made, update_mask=mask).display_name == "Newer"
    assert client.get_alert_policy(name=made.name).conditions[0].display_name == "absent"
    client.delete_alert_policy(name=made.name)
    with pytest.raises(exceptions.NotFound):
        client.get_alert_policy(name=made.name)


def test_services_have_their_objectives(world: World) -> None:
    client = world.client(monitoring.ServiceMonitoringServiceClient)
    services = [service.name for service in client.list_services(parent=PROJECT)]
    assert f"{PROJECT}/services/checkout" in services
    objectives = list(client.list_service_level_objectives(parent=f"{PROJECT}/services/checkout"))
    assert objectives
    found = client.get_service_level_objective(name=objectives[0].name)
    assert 0 < found.goal < 1
    assert found.rolling_period.days == 28


def test_dashboards_are_made_and_deleted(world: World) -> None:
    client = world.client(dashboards.DashboardsServiceClient)
    assert list(client.list_dashboards(request={"parent": PROJECT}))
    made = client.create_dashboard(
        request={"parent": PROJECT, "dashboard": {"display_name": "D", "grid_layout": {}}}
    )
    assert made.name.startswith("projects/")
    assert client.get_dashboard(request={"name": made.name}).display_name == "D"
    client.delete_dashboard(request={"name": made.name})
    with pytest.raises(exceptions.NotFound):
        client.get_dashboard(request={"name": made.name})


def test_traces_are_listed_and_read(world: World) -> None:
    client = world.client(trace.TraceServiceClient)
    now = datetime.now(UTC)
    found = list(
        client.list_traces(
            request={
                "project_id": "shop-prod",
                "view": "ROOTSPAN",
                "start_time": now - timedelta(days=7),
                "end_time": now,
                "filter": "latency:1ms",
                "page_size": 5,
            }
        )
    )
    assert found
    one = client.get_trace(project_id="shop-prod", trace_id=found[0].trace_id)
    assert one.spans[0].start_time < one.spans[0].end_time
    with pytest.raises(exceptions.NotFound):
        client.get_trace(project_id="shop-prod", trace_id="0" * 31 + "1")


def test_error_events_are_those_of_a_group(world: World) -> None:
    client = world.client(errorreporting.ErrorStatsServiceClient)
    week = {"period": "PERIOD_1_WEEK"}
    groups = list(client.list_group_stats(request={"project_name": PROJECT, "time_range": week}))
    assert groups
    group_id = groups[0].group.group_id
    events = list(
        client.list_events(
            request={"project_name": PROJECT, "group_id": group_id, "time_range": week}
        )
    )
    assert events
    with pytest.raises(exceptions.InvalidArgument):
        list(client.list_events(request={"project_name": PROJECT, "time_range": week}))
    group = world.client(errorreporting.ErrorGroupServiceClient).get_group(
        group_name=groups[0].group.name
    )
    assert group.group_id == group_id


def test_projects_are_searched(world: World) -> None:
    client = world.client(resourcemanager.ProjectsClient)
    found = client.search_projects(request={"query": "projectId:shop-prod"})
    assert "shop-prod" in [project.project_id for project in found]
    assert client.get_project(name=PROJECT).state == resourcemanager.Project.State.ACTIVE


def test_another_sessions_token_finds_no_session_after_its_end(world: World) -> None:
    session = SessionInfo(id="x", token="ya29.mock~never~0", base_url="", env={})
    with pytest.raises(exceptions.NotFound, match="no session 'never'"):
        world.client(resourcemanager.ProjectsClient, session).get_project(name=PROJECT)


def test_clusters_are_made_sized_and_refused(world: World) -> None:
    client = world.client(ClusterManagerClient)
    place = f"{PROJECT}/locations/europe-west1-b"
    cluster = f"{place}/clusters/night"
    new = {"name": "night", "initial_node_count": 2}
    made = client.create_cluster(parent=place, cluster=new)
    assert made.operation_type.name == "CREATE_CLUSTER"
    assert client.get_operation(name=f"{place}/operations/{made.name}").status.name == "DONE"
    with pytest.raises(exceptions.AlreadyExists, match="Already exists"):
        client.create_cluster(parent=place, cluster=new)
    pool = f"{cluster}/nodePools/default-pool"
    client.set_node_pool_size({"name": pool, "node_count": 5})
    client.update_cluster(name=cluster, update={"desired_master_version": "1.34"})
    client.set_labels({"name": cluster, "resource_labels": {"team": "night"}})
    found = client.get_cluster(name=cluster)
    assert (found.status.name, found.current_node_count) == ("RUNNING", 5)
    assert dict(found.resource_labels) == {"team": "night"}
    assert found.current_master_version.startswith("1.34")
    assert client.get_server_config(name=place).valid_master_versions
    older = {"project_id": "shop-prod", "zone": "europe-west1-b"}
    assert client.get_cluster({**older, "cluster_id": "night"}).name == "night"
    assert [each.name for each in client.list_clusters(older).clusters] == ["night"]
    client.delete_cluster(name=cluster)
    with pytest.raises(exceptions.NotFound, match="Not found"):
        client.get_cluster(name=cluster)


def test_every_answer_so_far_had_a_place_in_its_message(world: World) -> None:
    unplaced = {
        method_id: [path for path in ignored if path.startswith("answer.")]
        for method_id, ignored in world.ignored().items()
    }
    assert {method_id: paths for method_id, paths in unplaced.items() if paths} == {}


PROGRAM = """
import os
from google.cloud.logging import Client
from google.oauth2.credentials import Credentials

credentials = Credentials(os.environ["GOOGLE_OAUTH_ACCESS_TOKEN"])
client = Client(project="shop-prod", credentials=credentials)
found = list(client.list_entries(filter_="severity>=ERROR", page_size=3, max_results=3))
print(client._use_grpc, len(found))
"""


@pytest.mark.slow
def test_an_unchanged_program_reaches_it_through_the_proxy(world: World) -> None:
    session = world.open()
    environ = {"PATH": os.environ["PATH"], **session.env}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("True 3\n", "")
    world.session = session
    assert ("logging.entries.list", "GRPC") in world.calls()

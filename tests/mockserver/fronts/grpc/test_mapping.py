"""gRPC calls are mapped to Discovery ids; clients that also speak REST say whether rightly."""

import re
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from google.cloud.logging_v2.types import ListLogEntriesRequest, UpdateBucketRequest
from google.cloud.monitoring_dashboard_v1.types import CreateDashboardRequest
from google.cloud.monitoring_v3.types import ListTimeSeriesRequest, UpdateAlertPolicyRequest

from mockserver.fronts.grpc.mapping import Transcoding, body_field, transcodings, words
from mockserver.fronts.grpc.registry import Rpc, installed_services, rpcs_of_service
from mockserver.googleapi import Catalog, Method

SERVICES = installed_services()
CATALOG = Catalog(preferred=[], supplements=[])
RPCS = [
    rpc
    for service in SERVICES.values()
    if service.name != "google.longrunning.Operations"
    for rpc in rpcs_of_service(service)
]
SPOKEN_BY_REST = [
    rpc
    for rpc in RPCS
    for name in ("resourcemanager", "trace", "pubsub.v1", "secretmanager.v1.", "firestore")
    if name in rpc.path and rpc.name not in {"StreamingPull", "Listen", "Write"}
]
BY_GRPC_ALONE = {
    "/google.cloud.asset.v1.AssetService/AnalyzeIamPolicy",
    "/google.cloud.tasks.v2beta2.CloudTasks/UploadQueueYaml",
    "/google.pubsub.v1.Subscriber/StreamingPull",
}
SERVICES_BY_GRPC_ALONE = (
    "google.storage.v2",
    "google.iam.v3",
    "google.cloud.asset.v1p2beta1",
    "google.cloud.bigquery.storage.",
)
"""What no Discovery document has."""


@cache
def methods(host: str) -> tuple[Method, ...]:
    return CATALOG.methods_on(host)


def ids(rpc: Rpc) -> list[str]:
    return [each.method.id for each in transcodings(rpc, methods(rpc.host))]


def rpc_named(name: str) -> Rpc:
    return next(rpc for rpc in RPCS if rpc.path.endswith(f".{name}"))


def test_every_call_of_the_installed_packages_is_mapped() -> None:
    described = [rpc for rpc in RPCS if not rpc.service.startswith(SERVICES_BY_GRPC_ALONE)]
    assert {rpc.path for rpc in described if not ids(rpc)} == BY_GRPC_ALONE


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("LoggingServiceV2/ListLogEntries", "logging.entries.list"),
        ("LoggingServiceV2/TailLogEntries", "logging.entries.tail"),
        ("MetricService/CreateTimeSeries", "monitoring.projects.timeSeries.create"),
        ("MetricService/CreateServiceTimeSeries", "monitoring.projects.timeSeries.createService"),
        ("ServiceMonitoringService/UpdateService", "monitoring.services.patch"),
        ("DashboardsService/GetDashboard", "monitoring.projects.dashboards.get"),
        ("AlertPolicyService/UpdateAlertPolicy", "monitoring.projects.alertPolicies.patch"),
        ("ErrorStatsService/ListEvents", "clouderrorreporting.projects.events.list"),
        ("ReportErrorsService/ReportErrorEvent", "clouderrorreporting.projects.events.report"),
        ("TraceService/PatchTraces", "cloudtrace.projects.patchTraces"),
        ("TraceService/BatchWriteSpans", "cloudtrace.projects.traces.batchWrite"),
        ("TagKeys/GetIamPolicy", "cloudresourcemanager.tagKeys.getIamPolicy"),
        ("Publisher/UpdateTopic", "pubsub.projects.topics.patch"),
        (
            "FirestoreAdmin/CreateIndex",
            "firestore.projects.databases.collectionGroups.indexes.create",
        ),
    ],
    ids=lambda value: value.rpartition("/")[2],
)
def test_the_likeliest_method_is_the_right_one(name: str, first: str) -> None:
    assert ids(rpc_named(name))[0] == first


@pytest.mark.parametrize(
    ("name", "all_of_them"),
    [
        ("MetricService/ListTimeSeries", {"projects", "folders", "organizations"}),
        ("ErrorGroupService/GetGroup", {"projects"}),
        (
            "ConfigServiceV2/GetBucket",
            {"projects", "folders", "organizations", "billingAccounts", "locations"},
        ),
    ],
    ids=["series", "groups", "buckets"],
)
def test_one_call_serves_all_parents(name: str, all_of_them: set[str]) -> None:
    assert {one.split(".")[1] for one in ids(rpc_named(name))} == all_of_them


def rest_options(rpc: Rpc) -> list[dict[str, str]]:
    """The HTTP rules that the REST transport of the same client has for a call."""
    (module,) = SERVICES[rpc.service].modules
    rest: Any = import_module(module.replace(".transports.grpc", ".transports.rest_base"))
    base = next(each for name, each in vars(rest).items() if name.endswith("RestTransport"))
    found = getattr(base, f"_Base{rpc.name}")._get_http_options()
    options: list[dict[str, str]] = found
    return options


def shape(template: str) -> str:
    """A path template without what its placeholders are called."""
    return re.sub(r"\{[^}]*\}", "{}", template.strip("/"))


@pytest.mark.parametrize("rpc", SPOKEN_BY_REST, ids=lambda rpc: rpc.path[1:])
def test_the_clients_own_http_rules_agree(rpc: Rpc) -> None:
    found = {
        (each.method.http_method, shape(each.method.path), bool(each.method.request))
        for each in transcodings(rpc, methods(rpc.host))
    }
    wanted = {
        (option["method"].upper(), shape(option["uri"]), "body" in option)
        for option in rest_options(rpc)
    }
    assert wanted & found


def test_nothing_is_better_than_something_unlike() -> None:
    rpc = rpc_named("LoggingServiceV2/DeleteLog")
    others = [method for method in methods("logging.googleapis.com") if "logs" not in method.id]
    unlike = [method for method in others if not method.id.endswith("delete")]
    assert transcodings(rpc, unlike) == ()
    assert transcodings(rpc, []) == ()


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("GetCmekSettings", ("get", "cmek", "setting")),
        ("GetHTTPRule", ("get", "http", "rule")),
        ("glasses.list", ("glasse", "list")),
        ("address", ("address",)),
    ],
    ids=["camel", "capitals", "plural", "singular"],
)
def test_names_are_compared_by_their_words(name: str, split: tuple[str, ...]) -> None:
    assert words(name) == split


@cache
def transcoding(method_id: str, version: str, request: Any) -> Transcoding:
    method = CATALOG.method(method_id, version)
    assert method is not None
    return Transcoding(method, request.pb().DESCRIPTOR)


ENTRIES = ("logging.entries.list", "v2", ListLogEntriesRequest)
SERIES = ("monitoring.projects.timeSeries.list", "v3", ListTimeSeriesRequest)
POLICY = ("monitoring.projects.alertPolicies.patch", "v3", UpdateAlertPolicyRequest)
DASHBOARD = ("monitoring.projects.dashboards.create", "v1", CreateDashboardRequest)
BUCKET = ("logging.projects.locations.buckets.patch", "v2", UpdateBucketRequest)


@pytest.mark.parametrize(
    ("which", "request_json", "params", "body", "ignored"),
    [
        (ENTRIES, {"filter": "x", "pageSize": 5}, {}, {"filter": "x", "pageSize": 5}, ()),
        (
            SERIES,
            {
                "name": "projects/p",
                "interval": {"endTime": "2026-01-01T00:00:00Z"},
                "aggregation": {"groupByFields": ["a"], "colour": "red"},
            },
            {
                "name": "projects/p",
                "interval.endTime": "2026-01-01T00:00:00Z",
                "aggregation.groupByFields": ["a"],
            },
            {},
            ("aggregation.colour",),
        ),
        (
            POLICY,
            {"alertPolicy": {"name": "projects/p/alertPolicies/1"}, "updateMask": "enabled"},
            {"name": "projects/p/alertPolicies/1", "updateMask": "enabled"},
            {"name": "projects/p/alertPolicies/1"},
            (),
        ),
        (
            DASHBOARD,
            {"parent": "projects/p", "dashboard": {"displayName": "D"}, "validateOnly": True},
            {"parent": "projects/p", "validateOnly": True},
            {"displayName": "D"},
            (),
        ),
        (SERIES, {"name": "projects/p", "news": 1}, {"name": "projects/p"}, {}, ("news",)),
    ],
    ids=["all-body", "dotted", "nested-name", "body-field", "unknown"],
)
def test_a_request_is_split(
    which: Any, request_json: Any, params: Any, body: Any, ignored: Any
) -> None:
    assert transcoding(*which).split(request_json) == (params, body, ignored)


@pytest.mark.parametrize(
    ("which", "request_json", "misfit"),
    [
        (ENTRIES, {}, ""),
        (SERIES, {"name": "projects/p"}, ""),
        (SERIES, {"name": "folders/p"}, "name"),
        (SERIES, {}, "name"),
        (POLICY, {"alertPolicy": {"name": "projects/p/alertPolicies/1"}}, ""),
        (POLICY, {"alertPolicy": {}}, "name"),
        (POLICY, {}, "name"),
        (BUCKET, {"name": "projects/p/locations/l/buckets/b"}, ""),
        (BUCKET, {"name": "folders/p/locations/l/buckets/b"}, "name"),
    ],
    ids=[
        "no-path", "fits", "other-parent", "missing", "nested", "nested-empty", "no-body",
        "long", "long-other",
    ],
)  # fmt: skip
def test_a_path_that_cannot_be_filled_is_a_misfit(
    which: Any, request_json: Any, misfit: str
) -> None:
    assert transcoding(*which).misfit(request_json) == misfit


def test_literal_segments_tell_how_specific_a_path_is() -> None:
    narrow = transcoding(*BUCKET)
    wide = transcoding("logging.locations.buckets.get", "v2", UpdateBucketRequest)
    assert (narrow.specific, wide.specific) == (3, 2)


def test_the_body_is_the_one_field_of_the_bodys_type() -> None:
    method = transcoding(*DASHBOARD).method
    found = body_field(CreateDashboardRequest.pb().DESCRIPTOR, method)
    assert found.name == "dashboard"
    assert body_field(ListLogEntriesRequest.pb().DESCRIPTOR, method) is None

"""One request, as parameters and body."""

from functools import cache
from typing import Any

import pytest
from google.cloud.logging_v2.types import ListLogEntriesRequest, UpdateBucketRequest
from google.cloud.monitoring_dashboard_v1.types import CreateDashboardRequest
from google.cloud.monitoring_v3.types import ListTimeSeriesRequest, UpdateAlertPolicyRequest

from mockserver.fronts.grpc.mapping import Transcoding, body_field
from mockserver.googleapi import Catalog

CATALOG = Catalog(preferred=[], supplements=[])


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

"""Google's clients over REST, and plain HTTP, against the bundled project."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.api_core.exceptions import Conflict, NotFound
from google.cloud.monitoring_dashboard_v1 import DashboardsServiceClient
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from mockserver.client import MockServer
from mockserver.model import JsonObject, SessionInfo, SessionSpec

SUITE = Path(__file__).parents[4] / "fixtures" / "sre"
PROJECT = "projects/shop-prod"
COUNT = 'metric.type = "run.googleapis.com/request_count"'


@pytest.fixture(scope="module")
def session() -> Iterator[SessionInfo]:
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(SUITE))
        yield runner.run(server.open(SessionSpec()))
        runner.run(server.close())


@pytest.fixture
def monitoring(session: SessionInfo) -> Iterator[Any]:
    endpoint = f"{session.base_url}/monitoring.googleapis.com/"
    credentials = Credentials(session.token)  # type: ignore[no-untyped-call]
    with build(
        "monitoring", "v3", credentials=credentials, client_options={"api_endpoint": endpoint}
    ) as service:
        yield service


def moment(minutes_ago: float) -> str:
    return (datetime.now(UTC) - timedelta(minutes=minutes_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def series(monitoring: Any, text: str, minutes: float, **more: Any) -> list[JsonObject]:
    request = (
        monitoring.projects()
        .timeSeries()
        .list(
            name=PROJECT,
            filter=text,
            interval_startTime=moment(minutes),
            interval_endTime=moment(0),
            **more,
        )
    )
    found: list[JsonObject] = request.execute().get("timeSeries", [])
    return found


def failure(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value.status_code, caught.value.reason


def prometheus(session: SessionInfo, path: str, **query: str) -> Any:
    url = f"{session.base_url}/monitoring.googleapis.com/v1/{PROJECT}/location/global/prometheus"
    headers = {"Authorization": f"Bearer {session.token}"}
    return httpx.get(f"{url}/api/v1/{path}", params=query, headers=headers)


def test_raw_points_come_newest_first(monitoring: Any) -> None:
    text = (
        f'{COUNT} AND metric.labels.response_code = "200" AND '
        'resource.labels.revision_name = "checkout-00042-nab"'
    )
    (found,) = series(monitoring, text, 30, view="FULL")
    ends = [point["interval"]["endTime"] for point in found["points"]]
    assert 28 <= len(ends) <= 31
    assert ends == sorted(ends, reverse=True)
    assert int(found["points"][0]["value"]["int64Value"]) > 100


def test_points_are_aligned_and_reduced(monitoring: Any) -> None:
    found = series(
        monitoring,
        COUNT,
        60,
        aggregation_alignmentPeriod="600s",
        aggregation_perSeriesAligner="ALIGN_RATE",
        aggregation_crossSeriesReducer="REDUCE_SUM",
        aggregation_groupByFields=["metric.labels.response_code_class"],
    )
    rates = {
        each["metric"]["labels"]["response_code_class"]: each["points"][0]["value"]["doubleValue"]
        for each in found
    }
    assert set(rates) == {"2xx", "5xx"}
    assert 2 < rates["2xx"] < 6
    assert 1 < rates["5xx"] < 3


def test_series_are_paged_by_points(monitoring: Any) -> None:
    resource = monitoring.projects().timeSeries()
    request = resource.list(
        name=PROJECT,
        filter='metric.type = "custom.googleapis.com/cart/cached_carts"',
        interval_startTime=moment(30.5),
        interval_endTime=moment(0),
        pageSize=40,
    )
    sizes = []
    while request is not None:
        page = request.execute()
        sizes.append(sum(len(each["points"]) for each in page["timeSeries"]))
        request = resource.list_next(request, page)
    assert sizes[:-1] == [40, 40]
    assert 85 <= sum(sizes) <= 93


def test_refusals_are_the_client_s_own_errors(monitoring: Any) -> None:
    resource = monitoring.projects().timeSeries()
    asked = {"name": PROJECT, "interval_endTime": moment(0)}
    unknown = failure(resource.list(filter='metric.type = "custom/none"', **asked))
    broken = failure(resource.list(filter="metric.type = ", **asked))
    assert unknown == (404, "The provided filter doesn't refer to any known metric.")
    assert broken == (
        400,
        'Field filter had an invalid value of "metric.type = ": syntax error at line 1, '
        "column 15, token 'end of expression'",
    )


def test_a_point_that_is_written_is_read(monitoring: Any) -> None:
    kind = "custom.googleapis.com/orders"
    written = {
        "metric": {"type": kind, "labels": {"shop": "a"}},
        "points": [{"interval": {"endTime": moment(0)}, "value": {"doubleValue": 2.5}}],
    }
    resource = monitoring.projects()
    resource.timeSeries().create(name=PROJECT, body={"timeSeries": [written]}).execute()
    (found,) = series(monitoring, f'metric.type = "{kind}"', 5)
    name = f"{PROJECT}/metricDescriptors/{kind}"
    assert found["points"][0]["value"] == {"doubleValue": 2.5}
    described = resource.metricDescriptors().get(name=name).execute()
    assert described["valueType"] == "DOUBLE"


def test_descriptors_policies_and_services_are_listed(monitoring: Any) -> None:
    resource = monitoring.projects()
    text = 'metric.type = starts_with("run.googleapis.com/")'
    kinds = resource.metricDescriptors().list(name=PROJECT, filter=text).execute()
    policies = resource.alertPolicies().list(name=PROJECT).execute()
    parent = f"{PROJECT}/services/checkout"
    objectives = monitoring.services().serviceLevelObjectives().list(parent=parent).execute()
    assert len(kinds["metricDescriptors"]) == 5
    assert policies["totalSize"] == 4
    assert {each["goal"] for each in objectives["serviceLevelObjectives"]} == {0.995, 0.95}


def test_dashboards_are_made_changed_and_deleted_over_rest(session: SessionInfo) -> None:
    client: Any = DashboardsServiceClient(
        transport="rest",
        credentials=Credentials(session.token),  # type: ignore[no-untyped-call]
        client_options={"api_endpoint": f"{session.base_url}/monitoring.googleapis.com"},
    )
    names = [each.display_name for each in client.list_dashboards(request={"parent": PROJECT})]
    assert names == ["Shop overview", "Cluster prod-eu"]
    body = {"display_name": "Mine", "grid_layout": {"columns": 2}}
    made = client.create_dashboard(request={"parent": PROJECT, "dashboard": body})
    made.display_name = "Ours"
    changed = client.update_dashboard(request={"dashboard": made})
    assert changed.etag != made.etag
    with pytest.raises(Conflict):
        client.update_dashboard(request={"dashboard": made})
    client.delete_dashboard(request={"name": made.name})
    with pytest.raises(NotFound):
        client.get_dashboard(request={"name": made.name})


def test_alerts_are_filtered_by_the_time_they_opened(session: SessionInfo) -> None:
    since = (datetime.now(UTC) - timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    answer = httpx.get(
        f"{session.base_url}/monitoring.googleapis.com/v3/{PROJECT}/alerts",
        params={"filter": f'open_time >= "{since}" AND state = "OPEN"'},
        headers={"Authorization": f"Bearer {session.token}", "X-Goog-User-Project": "shop-prod"},
    )
    names = [each["policy"]["displayName"] for each in answer.json()["alerts"]]
    assert names == [
        "Cart: container restarts",
        "Checkout: latency objective burns fast",
        "Checkout: 5xx ratio",
    ]


def test_a_range_of_promql_is_answered_by_get(session: SessionInfo) -> None:
    now = datetime.now(UTC)
    query = (
        'sum(rate(run_googleapis_com:request_count{response_code_class="5xx"}[5m])) '
        "/ sum(rate(run_googleapis_com:request_count[5m]))"
    )
    answer = prometheus(
        session,
        "query_range",
        query=query,
        start=(now - timedelta(hours=3)).isoformat().replace("+00:00", "Z"),
        end=f"{now.timestamp()}",
        step="5m",
    )
    (line,) = answer.json()["data"]["result"]
    shares = [float(value) for _, value in line["values"]]
    assert shares[0] < 0.05 < 0.2 < shares[-1]


def test_a_query_that_is_none_is_refused_as_prometheus_does(session: SessionInfo) -> None:
    answer = prometheus(session, "query", query="sum(up")
    assert answer.status_code == 400
    assert answer.json() == {
        "status": "error",
        "errorType": "bad_data",
        "error": 'invalid parameter "query": 1:7: parse error: unexpected end of input in '
        "aggregation",
    }


def test_labels_and_series_are_chosen_by_selectors(session: SessionInfo) -> None:
    selector = 'http_requests_total{code="504"}'
    values = prometheus(session, "label/instance/values", **{"match[]": selector})
    names = prometheus(session, "labels", **{"match[]": selector})
    assert len(values.json()["data"]) == 2
    assert {"code", "job", "namespace"} <= set(names.json()["data"])
    posted = httpx.post(
        str(values.url).partition("/label/")[0] + "/series",
        data={"match[]": [selector, "up"]},
        headers={"Authorization": f"Bearer {session.token}"},
    )
    assert len(posted.json()["data"]) == 2

from datetime import UTC, datetime, timedelta

import pytest
from google.api_core.exceptions import Forbidden

from harness.demo.google import Access
from harness.demo.sre.cloud import Cloud

PROJECT = "shop-prod"


@pytest.fixture
def cloud(shop: Access) -> Cloud:
    return Cloud(shop, PROJECT)


def test_projects_and_one_of_them(cloud: Cloud) -> None:
    assert [each["projectId"] for each in cloud.projects()][:2] == ["shop-prod", "shop-staging"]
    assert cloud.describe_project(PROJECT)["number"] == "415104041262"
    with pytest.raises(Forbidden):
        cloud.describe_project("no-such-project")


def test_log_entries_newest_first(cloud: Cloud) -> None:
    found = cloud.entries('textPayload:"OOMKilled"', 3)
    assert len(found) == 3
    assert found[0]["time"] > found[2]["time"]
    assert "exit code 137" in found[0]["payload"]


def test_metrics_by_promql_and_as_series(cloud: Cloud) -> None:
    query = "sum by (container_name) (kubernetes_io:container_restart_count)"
    restarts = {each["metric"]["container_name"]: each["value"] for each in cloud.promql(query)}
    assert restarts["cart"] == 8
    now = datetime.now(UTC)
    times = [f"{each:%Y-%m-%dT%H:%M:%SZ}" for each in (now - timedelta(minutes=10), now)]
    series = cloud.series('metric.type = "kubernetes.io/container/restart_count"', *times)
    assert len(series) == 7


def test_alerts_errors_and_traces(cloud: Cloud) -> None:
    assert len(cloud.alerts()) == 3
    errors = cloud.error_groups()
    assert [each["service"] for each in errors] == ["checkout", "payments", "frontend"]
    assert errors[0]["error"].startswith("checkout.rpc.DeadlineExceeded")
    assert errors[1]["error"].startswith("java.sql")
    slow = cloud.traces("root:/api/checkout latency:9s")
    assert cloud.trace(slow[0]["traceId"]) == slow[0]


def test_without_an_endpoint_google_itself_is_asked() -> None:
    assert Cloud(Access(), PROJECT)._of("logging").keys() == {"credentials"}

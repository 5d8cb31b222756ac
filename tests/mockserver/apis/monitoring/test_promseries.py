import pytest

from mockserver.apis.monitoring import API
from mockserver.apis.monitoring.prometheus import StoredTracks, prometheus_name, tracks_of
from mockserver.apis.monitoring.promql import parse_selector
from mockserver.apis.monitoring.series import Series, Stored
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import COUNT, LATENCY, SERIES
from tests.tenants import world

FOREVER = 10**18


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (
            "kubernetes.io/container/cpu/core_usage_time",
            "kubernetes_io:container_cpu_core_usage_time",
        ),
        ("custom.googleapis.com/a.b-c/d", "custom_googleapis_com:a_b_c_d"),
        ("prometheus.googleapis.com/http_requests_total/counter", "http_requests_total"),
        ("prometheus.googleapis.com/up", "up"),
        ("plain", "plain"),
    ],
)
def test_metric_types_have_names(metric: str, name: str) -> None:
    assert prometheus_name(metric) == name


def select(tenant: World, selector: str, until: int = FOREVER) -> list[dict[str, str]]:
    source = StoredTracks(Stored(tenant), lambda _: True, until)
    return [dict(each.labels) for each in source.select(parse_selector(selector))]


def test_tracks_are_found_by_name_by_type_and_by_expression(project: World) -> None:
    by_name = select(project, "run_googleapis_com:request_count")
    assert by_name == select(project, f'{{"{COUNT}"}}')
    assert by_name == select(project, '{__name__=~"run_.*count", code!=""}')
    assert by_name[0] == {
        "__name__": "run_googleapis_com:request_count",
        "code": "200",
        "monitored_resource": "k8s_container",
        "project_id": "shop",
        "zone": "a",
    }


def test_a_distribution_is_a_histogram(project: World) -> None:
    name = prometheus_name(LATENCY)
    tracks = {
        dict(each.labels).get("le", dict(each.labels)["__name__"].rpartition("_")[2]): each.values
        for series in Stored(project).of_type(LATENCY)
        for each in tracks_of(series)
    }
    assert tracks == {
        "count": [0, 4, 8, 12, 16],
        "sum": pytest.approx([0, 40, 100, 190, 285]),
        "10": [0, 4, 4, 4, 5],
        "20": [0, 4, 8, 10, 12],
        "40": [0, 4, 8, 12, 15],
        "+Inf": [0, 4, 8, 12, 16],
    }
    assert len(select(project, f'{{"{LATENCY}_bucket"}}')) == 4
    assert select(project, f"{name}_sum")[0]["__name__"] == f"{name}_sum"


def test_texts_are_no_samples_and_truth_is_one(project: World) -> None:
    assert select(project, "custom_googleapis_com:mode") == []
    (series,) = Stored(project).of_type("custom.googleapis.com/up")
    assert tracks_of(series)[0].values == [1, 1, 0, 1]


def test_labels_of_metric_and_resource_do_not_hide_each_other() -> None:
    series = Series("prometheus.googleapis.com/x/gauge", {"zone": "m", "a.b": "1"},
                    "prometheus_target", {"zone": "r", "none": ""})  # fmt: skip
    assert dict(tracks_of(series)[0].labels) == {
        "__name__": "x",
        "a_b": "1",
        "metric_zone": "m",
        "zone": "r",
    }


def test_later_samples_have_not_happened_yet() -> None:
    tenant = world(API, timeSeries=SERIES[:1])
    (series,) = Stored(tenant).of_type(COUNT)
    source = StoredTracks(Stored(tenant), lambda _: True, series.ends[1])
    (found,) = source.select(parse_selector("{project_id='shop'}"))
    assert found.values == [0, 10, 30]
    assert StoredTracks(Stored(tenant), lambda _: False, FOREVER).select([]) == []

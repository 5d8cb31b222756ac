import pytest

from mockserver.apis.monitoring import API, PROMETHEUS
from mockserver.apis.monitoring.prometheus import (
    PROMETHEUS_HANDLERS,
    StoredTracks,
    prometheus_name,
    tracks_of,
)
from mockserver.apis.monitoring.promql.parser import parse_selector
from mockserver.apis.monitoring.series import Series, StoredSeries
from mockserver.googleapi import Catalog, Match, ParameterBinder, bind_body, parse_document
from mockserver.model import Json, JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import COUNT, LATENCY, SERIES
from tests.tenants import NOW, ask, refused, world

METHOD = "monitoring.projects.location.prometheus.api.v1."
NAME = "run_googleapis_com:request_count"
WHERE: JsonObject = {"name": "projects/shop", "location": "global"}
END = int(NOW.timestamp())


def data(tenant: World, method: str, /, **params: Json) -> Json:
    answer = ask(API, tenant, METHOD + method, {**WHERE, **params})
    assert answer["status"] == "success"
    return answer["data"]


def error(tenant: World, method: str, /, **params: Json) -> tuple[int, str, str]:
    failure = refused(API, tenant, METHOD + method, {**WHERE, **params})
    assert failure.body is not None
    assert failure.body["status"] == "error"
    return failure.status, failure.body["errorType"], failure.body["error"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("1 + 1", {"resultType": "scalar", "result": [END, "2"]}),
        ('"a"', {"resultType": "string", "result": [END, "a"]}),
        (
            f"sum({NAME})",
            {"resultType": "vector", "result": [{"metric": {}, "value": [END, "110"]}]},
        ),
        ("none", {"resultType": "vector", "result": []}),
        (
            f'{NAME}{{code="500"}}[1m]',
            {
                "resultType": "matrix",
                "result": [
                    {
                        "metric": {
                            "__name__": NAME,
                            "code": "500",
                            "monitored_resource": "k8s_container",
                            "project_id": "shop",
                            "zone": "a",
                        },
                        "values": [[END, "10"]],
                    }
                ],
            },
        ),
    ],
)
def test_an_instant_query_gives_its_kind(project: World, query: str, expected: Json) -> None:
    assert data(project, "query", query=query) == expected
    assert data(project, "query.get", query=query, time=str(END)) == expected


def test_a_range_query_gives_a_value_for_every_step(project: World) -> None:
    found = data(
        project,
        "query_range",
        query=f"sum by (code) (increase({NAME}[1m]))",
        start="2026-03-02T08:59:00Z",
        end=f"{END}.5",
        step="30",
    )
    assert found["result"][0] == {
        "metric": {"code": "200"},
        "values": [[END - 60, "30"], [END - 30, "30"], [END, "40"]],
    }


def test_what_is_posted_is_asked(project: World) -> None:
    answer = ask(API, project, f"{METHOD}query", WHERE, {"query": "vector(1)", "time": "60.25"})
    assert answer["data"]["result"] == [{"metric": {}, "value": [60.25, "1"]}]


def test_times_are_those_of_the_session() -> None:
    tenant = world(API, clock="shift", captured=NOW.replace(day=3), timeSeries=SERIES)
    day = "2026-03-01T09:00:00Z"
    assert data(tenant, "query", query=f"sum({NAME}) + time()", time=day)["result"] == [
        {"metric": {}, "value": [END - 86400, str(110 + END - 86400)]}
    ]
    found = data(tenant, "query", query=f"{NAME}[1m] offset 1m", time=day)["result"]
    assert found[0]["values"] == [[END - 86460, "60"]]


@pytest.mark.parametrize(
    ("params", "kind", "words"),
    [
        ({}, "bad_data", 'invalid parameter "query"'),
        ({"query": "sum("}, "bad_data", 'invalid parameter "query": 1:5: parse error'),
        ({"query": "1", "time": "soon"}, "bad_data", 'cannot parse "soon" to a valid timestamp'),
        ({"query": "1", "time": "nan"}, "bad_data", 'cannot parse "nan"'),
        ({"query": "1", "time": "1e300"}, "bad_data", "out of range"),
        ({"query": f"{NAME} + on () {NAME}"}, "execution", "found duplicate series"),
    ],
)
def test_a_query_is_refused_as_prometheus_does(
    project: World, params: JsonObject, kind: str, words: str
) -> None:
    status, found, text = error(project, "query", **params)
    assert (status, found) == (400 if kind == "bad_data" else 422, kind)
    assert words in text


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"start": "2", "end": "1", "step": "1"}, "end timestamp must not be before start time"),
        ({"start": "1", "end": "2", "step": "0"}, "zero or negative query resolution step"),
        ({"start": "1", "end": "2", "step": "x"}, 'invalid parameter "step"'),
        ({"start": "0", "end": "11001", "step": "1"}, "maximum resolution of 11,000 points"),
        ({"start": "", "end": "1", "step": "1"}, 'invalid parameter "start"'),
        ({"start": "0", "end": "3155760000", "step": "1s"}, "maximum resolution"),
        ({"query": "up[5m]", "start": "1", "end": "1", "step": "1"}, "must be Scalar or instant"),
    ],
)
def test_a_range_that_cannot_be_is_refused(project: World, params: JsonObject, words: str) -> None:
    assert words in error(project, "query_range", **{"query": "1", **params})[2]


def test_series_are_chosen_by_selectors_and_time(project: World) -> None:
    found = data(project, "series.get", **{"match[]": [f'{NAME}{{code="500"}}', "none"]})
    assert [each["code"] for each in found] == ["500"]
    posted = ask(API, project, f"{METHOD}series", WHERE, {"match[]": [NAME, "up"]})
    assert len(posted["data"]) == 2
    assert data(project, "series.get", match=NAME, end="2026-03-02T08:00:00Z") == []
    assert error(project, "series")[2] == "no match[] parameter provided"
    assert 'invalid parameter "match[]"' in error(project, "series", match="up[5m]")[2]


def test_labels_have_names_and_values(project: World) -> None:
    assert data(project, "labels", match=NAME) == [
        "__name__",
        "code",
        "monitored_resource",
        "project_id",
        "zone",
    ]
    assert "pod" in data(project, "labels.get")
    assert data(project, "label.values", label="code") == ["200", "500"]
    assert data(project, "label.values", label="none") == []


def test_metadata_says_what_a_metric_is(project: World) -> None:
    found = data(project, "metadata.list", metric=NAME)
    assert found == {NAME: [{"type": "counter", "help": "", "unit": ""}]}
    everything = data(project, "metadata.list")
    assert everything["run_googleapis_com:request_latencies"][0]["type"] == "histogram"
    for limit, count in (("2", 2), ("0", len(everything)), ("9" * 19, len(everything))):
        assert len(data(project, "metadata.list", limit=limit)) == count
    for limit in ("-1", "x", "9" * 20):
        words = f'invalid parameter "limit": cannot parse "{limit}" to a number'
        assert error(project, "metadata.list", limit=limit) == (400, "bad_data", words)


def test_another_project_has_none_of_it(project: World) -> None:
    assert data(project, "query", name="projects/other", query=NAME)["result"] == []


def test_no_exemplars_are_stored(project: World) -> None:
    assert data(project, "query_exemplars", query=NAME) == []
    assert COUNT
    assert len(PROMETHEUS_HANDLERS) == 11


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
    source = StoredTracks(StoredSeries(tenant), lambda _: True, until)
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
        for series in StoredSeries(project).of_type(LATENCY)
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
    (series,) = StoredSeries(project).of_type("custom.googleapis.com/up")
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
    (series,) = StoredSeries(tenant).of_type(COUNT)
    source = StoredTracks(StoredSeries(tenant), lambda _: True, series.ends[1])
    (found,) = source.select(parse_selector("{project_id='shop'}"))
    assert found.values == [0, 10, 30]
    assert StoredTracks(StoredSeries(tenant), lambda _: False, FOREVER).select([]) == []


HOST = "monitoring.googleapis.com"
PATH = "/v1/projects/shop/location/global/prometheus/api/v1/"


def matched(verb: str, path: str) -> Match:
    catalog = Catalog(preferred=[("monitoring", "v1")], supplements=[PROMETHEUS])
    router = catalog.router(HOST)
    assert router is not None
    match = router.match(verb, PATH + path)
    assert match is not None
    assert catalog.match_anywhere(verb, PATH + path) == match
    return match


def test_every_route_has_a_handler() -> None:
    document = parse_document(PROMETHEUS)
    assert set(document.methods) == {
        name for name in PROMETHEUS_HANDLERS if not name.endswith("exemplars")
    }


def test_routes_go_before_those_of_discovery_and_take_match() -> None:
    match = matched("GET", "label/a%2Fb/values")
    assert match.captures == {"name": "projects/shop", "location": "global", "label": "a/b"}
    query = "match%5B%5D=up&match[]=down"
    binder = ParameterBinder(match.method, match.captures, "google", "one_platform")
    params, _, _ = binder.bind(query)
    assert params["match[]"] == ["up", "down"]


def test_a_query_may_be_asked_by_get_and_posted_as_json() -> None:
    assert matched("GET", "query_range").method.id.endswith("query_range.get")
    method = matched("POST", "query").method
    assert method.request == "QueryRequest"
    body, ignored = bind_body(method, {"query": "up", "time": "1"}, "google", "one_platform")
    assert (body, ignored) == ({"query": "up", "time": "1"}, ())


def test_what_the_document_lacks_is_left_to_discovery() -> None:
    assert matched("POST", "query_exemplars").method.version == "v1"

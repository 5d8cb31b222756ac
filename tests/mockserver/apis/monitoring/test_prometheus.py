import pytest

from mockserver.apis.monitoring import API
from mockserver.apis.monitoring.prometheus import PROMETHEUS_HANDLERS
from mockserver.model import Json, JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import COUNT, SERIES
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
    assert len(data(project, "metadata.list", limit="2")) == 2


def test_another_project_has_none_of_it(project: World) -> None:
    assert data(project, "query", name="projects/other", query=NAME)["result"] == []


def test_no_exemplars_are_stored(project: World) -> None:
    assert data(project, "query_exemplars", query=NAME) == []
    assert COUNT
    assert len(PROMETHEUS_HANDLERS) == 11

import pytest

from mockserver.apis.monitoring import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import PROJECT, SERIES, asked, refusal
from tests.tenants import ask, world

METRICS = "projects.metricDescriptors"
OWN = f"{PROJECT}/metricDescriptors/custom.googleapis.com/up"


def types(found: JsonObject) -> set[str]:
    return {each["type"].rpartition("/")[2] for each in found.get("metricDescriptors", ())}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('metric.type = starts_with("run.")', {"request_count", "request_latencies"}),
        ('metric.type = "custom.googleapis.com/up"', {"up"}),
        ("metric.labels : code", {"request_count"}),
        (
            'resource.type = "k8s_container" AND metric.type = has_substring("cpu")',
            {"core_usage_time"},
        ),
        ('project = "shop" AND metric.type = ends_with("/mode")', {"mode"}),
        ('NOT metric.type = starts_with("k") metric.type != starts_with("r")', {"up", "mode"}),
    ],
)
def test_descriptors_are_filtered(project: World, text: str, expected: set[str]) -> None:
    assert types(asked(project, f"{METRICS}.list", filter=text)) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('metric.type = "a" OR metric.type = "b"', "cannot be combined with OR"),
        ('NOT (metric.type = "a" OR metric.type = "b")', "cannot be combined with OR"),
        ('display_name = "a"', "unrecognized selector display_name"),
        ('select("a")', "unrecognized selector select"),
        ('metric.type < starts_with("a")', "with '=' and '!=' only"),
    ],
)
def test_a_filter_of_descriptors_is_held_to_its_rules(
    project: World, text: str, words: str
) -> None:
    assert words in refusal(project, f"{METRICS}.list", filter=text)


def test_descriptors_are_paged(project: World) -> None:
    first = asked(project, f"{METRICS}.list", pageSize=4)
    rest = asked(project, f"{METRICS}.list", pageSize=4, pageToken=first["nextPageToken"])
    assert len(types(first) | types(rest)) == 6


def test_active_ones_have_points_of_the_last_day() -> None:
    old = {**SERIES[0], "samples": {**SERIES[0]["samples"], "endTime": "2026-02-01T09:00:00Z"}}
    tenant = world(API, timeSeries=[old, SERIES[2]])
    assert types(asked(tenant, f"{METRICS}.list", activeOnly=True)) == {"used_bytes"}


def test_a_descriptor_is_made_read_and_deleted(project: World) -> None:
    body = {"type": "custom.googleapis.com/new", "metricKind": "GAUGE", "valueType": "DOUBLE"}
    made = ask(API, project, f"monitoring.{METRICS}.create", {"name": PROJECT}, body)
    assert asked(project, f"{METRICS}.get", made["name"]) == made
    assert asked(project, f"{METRICS}.delete", made["name"]) == {}
    assert refusal(project, f"{METRICS}.get", name=made["name"]).startswith("404")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"type": "compute.googleapis.com/x"}, "must start with one of custom.googleapis.com/"),
        ({"type": "custom.googleapis.com/x"}, "metricDescriptor.metricKind"),
        (
            {"type": "custom.googleapis.com/x", "metricKind": "GAUGE"},
            "metricDescriptor.valueType",
        ),
    ],
)
def test_only_whole_descriptors_of_own_metrics_are_made(
    project: World, body: JsonObject, words: str
) -> None:
    assert words in refusal(project, f"{METRICS}.create", body)


def test_a_metric_of_google_s_is_not_deleted(project: World) -> None:
    name = f"{PROJECT}/metricDescriptors/run.googleapis.com/request_count"
    assert refusal(project, f"{METRICS}.delete", name=name).startswith("400")
    assert asked(project, f"{METRICS}.delete", OWN) == {}


def test_resources_are_listed_and_read() -> None:
    rows: list[JsonObject] = [
        {
            "name": f"{PROJECT}/monitoredResourceDescriptors/{kind}",
            "type": kind,
            "labels": [{"key": label}],
        }
        for kind, label in (("gce_instance", "id"), ("gce_disk", "disk"), ("k8s_pod", "id"))
    ]
    tenant = world(API, monitoredResourceDescriptors=rows)
    method = "projects.monitoredResourceDescriptors"
    text = 'resource.type = starts_with("gce_") AND resource.label:id'
    found = asked(tenant, f"{method}.list", filter=text)
    assert found == {"resourceDescriptors": rows[:1]}
    assert asked(tenant, f"{method}.get", rows[1]["name"]) == rows[1]
    assert len(asked(tenant, f"{method}.list")["resourceDescriptors"]) == 3

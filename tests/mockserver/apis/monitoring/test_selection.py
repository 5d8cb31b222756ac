import pytest

from mockserver.apis.monitoring import API
from mockserver.apis.monitoring.selection import read_query
from mockserver.googleapi import ApiError
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import COUNT, END, MEMORY, SERIES, listed, refusal
from tests.tenants import refused, world

LIST = "projects.timeSeries.list"


@pytest.mark.parametrize(
    ("text", "pods"),
    [
        (f'metric.type="{MEMORY}"', {"p1", "p2"}),
        (f'metric.type="{MEMORY}" AND resource.labels.pod="p1"', {"p1"}),
        (f'metric.type="{MEMORY}" resource.labels.pod!="p1"', {"p2"}),
        (f'metric.type="{MEMORY}" AND NOT resource.label.pod=one_of("p1","p3")', {"p2"}),
        (f'resource.type="k8s_container" metric.type="{MEMORY}" project="shop"', {"p1", "p2"}),
        (f'metric.type="{MEMORY}" AND (resource.labels.pod="p1" OR resource.labels.pod="p2")',
         {"p1", "p2"}),
        (f'metric.type="{MEMORY}" AND resource.labels.none="x"', set()),
        (f'metric.type="{MEMORY}" AND project="other"', set()),
    ],
)  # fmt: skip
def test_series_are_selected_by_their_labels(project: World, text: str, pods: set[str]) -> None:
    assert {each["resource"]["labels"]["pod"] for each in listed(project, text)} == pods


@pytest.mark.parametrize(
    "text",
    [
        'resource.type = "x"',
        'metric.type = "a" OR metric.type = "b"',
        'metric.type = "a" AND metric.type = "b"',
        'metric.type = starts_with("a")',
        'metric.type != "a"',
        'NOT metric.type = "a"',
        "",
    ],
)
def test_exactly_one_metric_is_asked_for(text: str) -> None:
    with pytest.raises(ApiError, match="must name exactly one metric type"):
        read_query(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('metric.type = "a" AND group.id = 1', "unrecognized selector group.id"),
        ('metric.type = "a" AND resource.labels.x < ends_with("a")', "with '=' and '!=' only"),
        ('select_none("a")', "unknown function select_none"),
    ],
)
def test_what_no_series_has_is_refused(text: str, words: str) -> None:
    with pytest.raises(ApiError, match=words):
        read_query(text)


def test_an_unknown_metric_names_the_nearest(project: World) -> None:
    params = {
        "name": "projects/shop",
        "filter": 'metric.type = "run.googleapis.com/request_counts"',
        "interval.endTime": END,
    }
    error = refused(API, project, f"monitoring.{LIST}", params)
    assert (error.status, error.message) == (
        404,
        "The provided filter doesn't refer to any known metric.",
    )
    assert error.miss is not None
    assert error.miss.nearest == COUNT


def test_a_metric_is_not_written_against_every_resource(project: World) -> None:
    text = f'metric.type = "{COUNT}" AND resource.type = "gce_instance"'
    assert refusal(project, LIST, filter=text, interval__endTime=END) == (
        f'400 Field filter had an invalid value of "{text}": The supplied filter does not specify '
        "a valid combination of metric and monitored resource descriptors. The query will not "
        "return any time series."
    )


def test_a_metric_that_is_only_described_has_no_series() -> None:
    row = {"name": "projects/shop/metricDescriptors/a/b", "type": "a/b"}
    assert listed(world(API, metricDescriptors=[row]), 'metric.type = "a/b"') == []


def test_a_project_has_an_id_and_a_number_and_a_folder_has_all() -> None:
    tenant = world(API, timeSeries=SERIES)
    tenant.put("projects", "projects/7", {"name": "projects/7", "projectId": "shop"})
    text = f'metric.type = "{MEMORY}"'
    assert len(listed(tenant, text, name="projects/7")) == 2
    assert len(listed(tenant, text, name="folders/1")) == 2
    assert listed(tenant, text, name="projects/other") == []


def test_results_of_a_selector_are_stored_under_its_text() -> None:
    kind = 'select_slo_burn_rate("projects/shop/services/a/serviceLevelObjectives/b", "60s")'
    row = {**SERIES[2], "metric": {"type": kind}}
    tenant = world(API, timeSeries=[row])
    assert len(listed(tenant, kind.replace('", "', '","'))) == 1

import pytest

from mockserver.apis.monitoring import API
from mockserver.apis.monitoring.objectives import events_of
from mockserver.apis.monitoring.series import StoredSeries
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import (
    COUNT,
    END,
    LATENCY,
    MEMORY,
    SERIES,
    listed,
    refusal,
    values,
)
from tests.tenants import world

NAME = "projects/shop/services/checkout/serviceLevelObjectives/good"
LIST = "projects.timeSeries.list"
# good and bad requests of the minutes 08:57 to 09:00 are 10, 20, 30, 40 and 1, 2, 3, 4
RATIO = {
    "goodServiceFilter": f'metric.type = "{COUNT}" AND metric.labels.code = "200"',
    "totalServiceFilter": f'metric.type = "{COUNT}"',
}


def tenant(**more: object) -> World:
    objective: JsonObject = {
        "name": NAME,
        "goal": 0.9,
        "rollingPeriod": "86400s",
        "serviceLevelIndicator": {"requestBased": {"goodTotalRatio": RATIO}},
        **more,
    }
    return world(API, timeSeries=SERIES, serviceLevelObjectives=[objective])


@pytest.mark.parametrize(
    ("selector", "newest"),
    [
        (f'select_slo_health("{NAME}")', [40 / 44, 30 / 33]),
        (f'select_slo_compliance("{NAME}")', [100 / 110, 60 / 66]),
        (f'select_slo_budget_total("{NAME}")', [11.0, 6.6]),
        (f'select_slo_budget("{NAME}")', [1.0, 0.6]),
        (f'select_slo_budget_fraction("{NAME}")', [1 / 11, 1 / 11]),
        (f'select_slo_burn_rate("{NAME}", "120s")', [10 / 11, 10 / 11]),
    ],
)
def test_selectors_are_computed_from_the_events(selector: str, newest: list[float]) -> None:
    (found,) = listed(tenant(), selector)
    assert found["metric"]["type"] == selector
    assert found["points"][0]["interval"]["endTime"] == END
    assert values(found)[:2] == pytest.approx(newest)


def test_events_are_counted_by_their_kind() -> None:
    found = listed(tenant(), f'select_slo_counts("{NAME}")')
    assert {each["metric"]["labels"]["event_type"]: values(each) for each in found} == {
        "good": [40.0, 30.0, 20.0, 10.0],
        "bad": [4.0, 3.0, 2.0, 1.0],
    }


def test_a_calendar_period_is_days(project: World) -> None:
    calendar = tenant(rollingPeriod=None, calendarPeriod="DAY")
    (found,) = listed(calendar, f'select_slo_compliance("{NAME}")')
    assert values(found)[0] == pytest.approx(100 / 110)


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        (f'select_slo_odd("{NAME}")', "400 "),
        (f'select_slo_burn_rate("{NAME}")', "wrong arguments"),
        (f'select_slo_burn_rate("{NAME}", "an hour")', "not a duration"),
        (f'select_slo_health("{NAME}", "60s")', "wrong arguments"),
        ('select_slo_health("projects/shop/services/a/serviceLevelObjectives/b")', "404 "),
    ],
)
def test_selectors_that_cannot_be_are_refused(selector: str, words: str) -> None:
    assert words in refusal(tenant(), LIST, filter=selector, interval__endTime=END)


def test_an_objective_without_events_has_no_series() -> None:
    assert listed(tenant(serviceLevelIndicator={}), f'select_slo_health("{NAME}")') == []


GOOD = f'metric.type = "{COUNT}" AND metric.labels.code = "200"'
BAD = f'metric.type = "{COUNT}" AND metric.labels.code = "500"'
ALL = f'metric.type = "{COUNT}"'


def counted(project: World, indicator: JsonObject) -> list[tuple[float, float]]:
    """Good and bad events, minute by minute."""
    objective = {"serviceLevelIndicator": indicator}
    found = events_of(StoredSeries(project), project, "projects/shop", objective)
    return list(zip(found.good, found.bad, strict=True))


@pytest.mark.parametrize(
    "ratio",
    [
        {"goodServiceFilter": GOOD, "totalServiceFilter": ALL},
        {"badServiceFilter": BAD, "totalServiceFilter": ALL},
        {"goodServiceFilter": GOOD, "badServiceFilter": BAD},
    ],
)
def test_two_of_three_filters_are_enough(project: World, ratio: JsonObject) -> None:
    found = counted(project, {"requestBased": {"goodTotalRatio": ratio}})
    assert found == [(10, 1), (20, 2), (30, 3), (40, 4)]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"max": 20}, [(4, 0), (4, 0), (2, 2), (2, 2)]),
        ({"max": 15}, [(4, 0), (2, 2), (1, 3), (1.5, 2.5)]),
        ({"min": 10, "max": 40}, [(0, 4), (4, 0), (4, 0), (2, 2)]),
    ],
)
def test_a_cut_counts_what_lies_in_its_range(
    project: World, limits: JsonObject, expected: list[tuple[float, float]]
) -> None:
    cut = {"distributionFilter": f'metric.type = "{LATENCY}"', "range": limits}
    assert counted(project, {"requestBased": {"distributionCut": cut}}) == expected


def test_windows_are_good_while_their_mean_is_in_range(project: World) -> None:
    mean = {"timeSeries": f'metric.type = "{MEMORY}"', "range": {"max": 250}}
    windows = {"windowPeriod": "120s", "metricMeanInRange": mean}
    assert counted(project, {"windowsBased": windows}) == [(2, 0), (1, 1)]


@pytest.mark.parametrize(
    "indicator",
    [
        {},
        {"basicSli": {"availability": {}}},
        {"windowsBased": {"goodBadMetricFilter": "x"}},
        {"requestBased": {"goodTotalRatio": {"totalServiceFilter": 'metric.type = "none"'}}},
        {"requestBased": {"distributionCut": {"distributionFilter": ALL}}},
    ],
)
def test_what_cannot_be_counted_has_no_events(project: World, indicator: JsonObject) -> None:
    assert counted(project, indicator) == []

import pytest

from mockserver.apis.monitoring.objectives import events_of
from mockserver.apis.monitoring.series import Stored
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import COUNT, LATENCY, MEMORY

GOOD = f'metric.type = "{COUNT}" AND metric.labels.code = "200"'
BAD = f'metric.type = "{COUNT}" AND metric.labels.code = "500"'
ALL = f'metric.type = "{COUNT}"'


def counted(project: World, indicator: JsonObject) -> list[tuple[float, float]]:
    """Good and bad events, minute by minute."""
    objective = {"serviceLevelIndicator": indicator}
    found = events_of(Stored(project), project, "projects/shop", objective)
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

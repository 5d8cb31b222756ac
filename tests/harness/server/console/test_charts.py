import pytest

from harness.server.console.charts import trend_of
from harness.storage import RunSummary


def runs(*rates: float | None) -> list[RunSummary]:
    return [
        RunSummary(run=str(number), suite="office", suite_path="office", agent="a", rate=rate)
        for number, rate in enumerate(rates)
    ]


@pytest.mark.parametrize("rates", [(), (0.5,), (None, 0.5, None)])
def test_one_rate_is_no_trend(rates: tuple[float | None, ...]) -> None:
    assert trend_of(runs(*rates), width=100, height=28) is None


@pytest.mark.parametrize(
    ("height", "line", "grid"),
    [
        (180.0, "44,172 68,131 92,8", ((0, 172), (50, 90), (100, 8))),
        (60.0, "44,52 68,41 92,8", ((0, 52), (50, 30), (100, 8))),
        (28.0, "4,24 50,19 96,4", ()),
    ],
)
def test_a_trend_goes_from_left_to_right_and_better_is_higher(
    height: float, line: str, grid: tuple[tuple[int, float], ...]
) -> None:
    found = trend_of(runs(0.0, None, 0.25, 1.0), width=100, height=height)
    assert found is not None
    assert [point.run.run for point in found.points] == ["0", "2", "3"]
    assert (found.width, found.height, found.line, found.grid) == (100, height, line, grid)
    assert found.text == "Pass rate of the last 3 runs: from 0% to 100%, lowest 0%, highest 100%"

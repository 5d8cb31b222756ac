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


@pytest.mark.parametrize("height", [28.0, 180.0])
def test_points_go_from_left_to_right_and_better_is_higher(height: float) -> None:
    found = trend_of(runs(0.0, None, 0.25, 1.0), width=100, height=height)
    assert found is not None
    assert [point.run.run for point in found.points] == ["0", "2", "3"]
    across, down = zip(*((point.x, point.y) for point in found.points), strict=True)
    assert list(across) == sorted(across)
    assert list(down) == sorted(down, reverse=True)
    assert min(*across, *down) > 0
    assert max(across) < 100
    assert max(down) < height
    assert len(found.grid) == (3 if height > 60 else 0)
    assert "from 0% to 100%, lowest 0%" in found.text
    assert found.line.count(",") == 3

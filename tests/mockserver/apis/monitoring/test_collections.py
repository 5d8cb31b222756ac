import pytest

from mockserver.apis.monitoring.collections import CAPTURES, keep_stored_series
from mockserver.model import AnsweredCall

SERIES = {"metric": {"type": "run.googleapis.com/request_count"}}


@pytest.mark.parametrize(
    ("params", "kept"),
    [
        ({"view": "FULL"}, True),
        ({"aggregation.perSeriesAligner": "ALIGN_NONE"}, True),
        ({"aggregation.perSeriesAligner": "ALIGN_RATE"}, False),
        ({"secondaryAggregation.alignmentPeriod": "60s"}, False),
        ({"view": "HEADERS"}, False),
    ],
    ids=str,
)
def test_only_series_as_they_were_written_are_kept(params: dict[str, str], kept: bool) -> None:
    asked = AnsweredCall("monitoring.projects.timeSeries.list", params, {}, {})
    assert (keep_stored_series(SERIES, asked) == SERIES) is kept


def test_points_of_one_series_go_on_from_page_to_page() -> None:
    [capture] = CAPTURES["monitoring.projects.timeSeries.list"]
    assert capture.joined == ("points",)

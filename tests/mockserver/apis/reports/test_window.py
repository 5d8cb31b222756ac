from datetime import timedelta

import pytest

from mockserver.apis.reports.methods import LONGEST, window
from mockserver.googleapi import ApiError
from tests.tenants import NOW

EARLY, LATE = "2026-02-01T00:00:00Z", "2026-02-08T00:00:00.000+00:00"


def test_without_times_a_report_ends_now_and_reaches_back_180_days() -> None:
    start, end = window({}, NOW)
    assert start == NOW - LONGEST
    assert start < NOW < end


def test_a_report_reaches_back_180_days_at_most() -> None:
    assert window({"startTime": "2020-01-01T00:00:00Z"}, NOW)[0] == NOW - LONGEST


def test_an_end_in_the_future_means_now() -> None:
    _, end = window({"endTime": "2030-01-01T00:00:00Z"}, NOW)
    assert end - NOW < timedelta(seconds=1)


def test_times_are_read_with_their_zones() -> None:
    start, end = window({"startTime": EARLY, "endTime": LATE}, NOW)
    assert end - start == timedelta(days=7)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        pytest.param({"startTime": "yesterday"}, "Invalid value 'yesterday'", id="no time"),
        pytest.param({"endTime": "2026-13-01T00:00:00Z"}, "Invalid value '2026-13", id="month 13"),
        pytest.param({"startTime": "2026-03-02T09:00:01Z"}, "before the current", id="future"),
        pytest.param({"startTime": LATE, "endTime": EARLY}, "before endTime", id="backwards"),
        pytest.param({"startTime": EARLY, "endTime": EARLY}, "before endTime", id="empty"),
        pytest.param({"applicationName": "gmail", "startTime": EARLY}, "required for", id="gmail"),
        pytest.param(
            {"applicationName": "gmail", "startTime": "2026-01-01T00:00:00Z", "endTime": LATE},
            "30 days",
            id="gmail's length",
        ),
    ],
)
def test_what_is_no_span_is_refused(params: dict[str, str], message: str) -> None:
    with pytest.raises(ApiError) as caught:
        window(params, NOW)
    assert caught.value.status == 400
    assert message in caught.value.message


def test_gmail_takes_a_month() -> None:
    params = {"applicationName": "gmail", "startTime": EARLY, "endTime": LATE}
    assert window(params, NOW)[0] < NOW

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.errorreporting.methods import alignment, group_stats, timed_counts
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import rfc3339
from tests.tenants import NOW

START = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)


def row(minute: int, service: str = "a", **context: JsonObject | str) -> JsonObject:
    moment = rfc3339(START + timedelta(minutes=minute))
    return {
        "event": {
            "eventTime": moment,
            "serviceContext": {"service": service},
            "context": context,
        }
    }


def test_figures_of_a_group() -> None:
    rows = [row(9, user="u"), row(7, httpRequest={"remoteIp": "192.0.2.1"}), row(5, "b", user="u")]
    stats = group_stats({"groupId": "g"}, [*rows, row(1)], rows)
    assert (stats["count"], stats["affectedUsersCount"]) == ("3", "2")
    assert (stats["numAffectedServices"], len(stats["affectedServices"])) == (2, 2)
    assert (stats["firstSeenTime"], stats["lastSeenTime"]) == (
        "2026-03-02T06:31:00.000Z",
        "2026-03-02T06:39:00.000Z",
    )
    assert stats["representative"] == rows[0]["event"]


@given(
    st.lists(st.integers(0, 149), max_size=20),
    st.integers(1, 40),
    st.sampled_from(["ALIGNMENT_EQUAL_ROUNDED", "ALIGNMENT_EQUAL_AT_END"]),
)
def test_timed_counts_are_inside_in_order_and_apart(
    minutes: list[int], step: int, rule: str
) -> None:
    align = alignment(rule, None, NOW)
    counts = timed_counts(
        [row(minute) for minute in minutes], (START, NOW), timedelta(minutes=step), align=align
    )
    edges = [(each["startTime"], each["endTime"]) for each in counts]
    assert all(rfc3339(START) <= start < end <= rfc3339(NOW) for start, end in edges)
    assert all(one[1] == two[0] for one, two in pairwise(edges))
    assert sum(int(each["count"]) for each in counts) <= len(minutes)


def test_steps_that_end_with_the_range_count_the_latest() -> None:
    counts = timed_counts([row(149), row(149)], (START, NOW), timedelta(hours=1), align=NOW)
    assert counts[-1] == {
        "count": "2",
        "startTime": "2026-03-02T08:00:00.000Z",
        "endTime": "2026-03-02T09:00:00.000Z",
    }


@pytest.mark.parametrize("step", [timedelta(0), timedelta(seconds=-1), timedelta(microseconds=1)])
def test_steps_that_cannot_be_are_refused(step: timedelta) -> None:
    with pytest.raises(ApiError):
        timed_counts([], (START, NOW), step, align=NOW)


def test_steps_are_aligned_with_what_was_asked_for() -> None:
    assert alignment("1", START, NOW) == START
    assert alignment("", START, NOW) == NOW
    assert alignment("ALIGNMENT_EQUAL_ROUNDED", None, NOW).hour == 0

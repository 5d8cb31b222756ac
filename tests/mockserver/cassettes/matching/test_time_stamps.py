"""Dates and times in texts for models."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mockserver.cassettes.matching.time_stamps import (
    are_explained,
    find_stamps,
    map_texts,
    mask_stamps,
    stamps_in,
)

NOW = datetime(2026, 11, 23, 9, 15, 30, tzinfo=UTC)
DAY = 86_400.0


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("2026-11-23", "<date>"),
        ("2026-11-23T09:15:30.250Z", "<moment>"),
        ("2026-11-23 09:15:30+01:00", "<moment>"),
        ("Monday, November 23rd, 2026", "<date>"),
        ("Mon 23 Nov 2026 09:15", "<date> <time>"),
        ("Mon Nov 23 09:15:30 UTC 2026", "<moment>"),
        ("11/23/2026", "<date>"),
        ("23/11/2026", "<date>"),
        ("9:15 am", "<time>"),
        ("1795425330", "<moment>"),
        ("1795425330123", "<moment>"),
        ("2026-13-40", "2026-13-40"),
        ("version 1.2.3, port 8765, 99:99", "version 1.2.3, port 8765, 99:99"),
        ("at 24:00, 23:59:60", "at <time>, <time>"),
        ("at 25:00, 24:60, 23:59:61", "at 25:00, 24:60, 23:59:61"),
        ("31/12/2026, 12/31/2026, 13/13/2026", "<date>, <date>, 13/13/2026"),
        ("may I have 20 of them", "may I have 20 of them"),
    ],
)
def test_stamps_are_masked_by_their_kind(text: str, masked: str) -> None:
    assert mask_stamps(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-23T09:15:30Z",
        "2026-11-23T10:15:30+01:00",
        "Nov 23 09:15:30 2026",
        "1795425330",
        "1795425330000",
        "2026-11-23T14:45:30+05:30",
        "2026-11-23T05:45:30-0330",
        "2026-11-23 09:15:30",
    ],
)
def test_one_moment_is_one_however_it_is_written(text: str) -> None:
    [stamp] = find_stamps(text)
    assert stamp.seconds == NOW.timestamp()


FORMS = ["%Y-%m-%d", "%B %d, %Y", "%b %d %Y", "%A, %d %B %Y", "%a %d %b, %Y", "%m/%d/%Y"]


@given(st.dates(date(1970, 1, 1), date(2199, 12, 31)), st.sampled_from([*FORMS, "%d/%m/%Y"]))
@example(date(2026, 12, 1), "%m/%d/%Y")
@example(date(2026, 12, 13), "%d/%m/%Y")
def test_a_day_is_one_however_it_is_written(day: date, form: str) -> None:
    """Of two numbers the first is the month, where it can be one."""
    [stamp] = find_stamps(f"on {day.strftime(form)}.")
    is_turned = form == "%d/%m/%Y" and day.day <= 12
    meant = date(day.year, day.day, day.month) if is_turned else day
    assert (stamp.kind, stamp.seconds) == ("date", (meant - date(1970, 1, 1)).days * DAY)


@given(st.times(), st.sampled_from(["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p"]))
def test_a_time_of_day_is_its_seconds_however_it_is_written(moment: time, form: str) -> None:
    """What is not written is zero."""
    [stamp] = find_stamps(f"at {moment.strftime(form)}.")
    seconds = moment.second if "%S" in form else 0
    assert stamp.seconds == moment.hour * 3600 + moment.minute * 60 + seconds


@pytest.mark.parametrize(
    ("old", "new", "elapsed", "explained"),
    [
        ("Today is 2026-11-23.", "Today is 2026-11-25.", [2 * DAY], True),
        ("Today is 2026-11-23.", "Today is 2026-11-25.", [0.0], False),
        ("Today is 2026-11-23.", "Today is 2026-11-25.", [0.0, 2 * DAY], True),
        ("2026-11-23: for 2026-12-01", "2026-11-25: for 2026-12-01", [2 * DAY], True),
        ("2026-11-23: for 2026-12-01", "2026-11-25: for 2026-12-08", [2 * DAY], False),
        ("It is 23:50.", "It is 00:10.", [1200.0], True),
        ("It is 10:00.", "It is 15:00.", [60.0], False),
        ("2026-11-23", "2026-11-24 and 2026-11-25", [DAY], False),
        ("2026-11-23", "10:00", [DAY], False),
        ("2026-11-23 to 2026-11-30", "2026-11-25 to 2026-12-02", [], True),
        ("2026-11-23 to 2026-11-30", "2026-11-25 to 2026-12-09", [], False),
        ("the same", "the same", [], True),
        ("It is 10:00:00.", "It is 11:00:59.", [60.0], True),
        ("It is 10:00:00.", "It is 11:01:00.", [60.0], False),
        ("2026-11-23T10:00:00Z", "2026-11-23T11:00:59Z", [60.0], True),
        ("2026-11-23T10:00:00Z", "2026-11-23T11:01:00Z", [60.0], False),
        ("2026-11-23", "2026-11-25", [DAY + 1], True),
        ("2026-11-23", "2026-11-25", [DAY], False),
    ],
)
def test_the_clock_explains_what_moved_with_it(
    old: str, new: str, elapsed: list[float], explained: bool
) -> None:
    assert are_explained(find_stamps(old), find_stamps(new), elapsed) is explained


FORMS = ["%Y-%m-%d", "%A, %B %d, %Y", "%d %b %Y", "%Y-%m-%dT%H:%M:%SZ", "%m/%d/%Y", "%H:%M"]


@given(st.lists(st.sampled_from(FORMS), min_size=1), st.integers(0, 10**8))
def test_whatever_moves_with_the_clock_is_explained(forms: list[str], seconds: int) -> None:
    later = NOW + timedelta(seconds=seconds)
    old, new = (" and ".join(each.strftime(form) for form in forms) for each in (NOW, later))
    assert mask_stamps(old) == mask_stamps(new)
    assert are_explained(find_stamps(old), find_stamps(new), [float(seconds)])


def test_texts_are_found_in_values_in_the_order_of_names() -> None:
    value = {"b": ["2026-11-23", 1], "a": "2026-11-24"}
    assert [each.text for each in stamps_in(value)] == ["2026-11-24", "2026-11-23"]
    assert map_texts(value, mask_stamps) == {"b": ["<date>", 1], "a": "<date>"}

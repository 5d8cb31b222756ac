from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.errors import SessionError
from mockserver.state import Clock, parse_rfc3339, rfc3339, shift_time

CAPTURED = datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 20, 15, 30, 0, 400_000, tzinfo=UTC)


def clock(spec: str) -> Clock:
    return Clock(spec, captured_at=CAPTURED, real=lambda: NOW)


@pytest.mark.parametrize(
    ("spec", "now", "shift"),
    [
        ("shift", NOW, timedelta(days=19, hours=3, minutes=30)),
        ("real", NOW, timedelta(0)),
        ("frozen", CAPTURED, timedelta(0)),
        ("frozen:2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), timedelta(0)),
    ],
    ids=["shift", "real", "frozen", "frozen-at"],
)
def test_each_clock_tells_its_time_and_shift(spec: str, now: datetime, shift: timedelta) -> None:
    made = clock(spec)
    assert made.now() == now
    assert made.shift == shift


@pytest.mark.parametrize("spec", ["frozen:yesterday", "sundial"], ids=str)
def test_an_unknown_clock_is_refused(spec: str) -> None:
    with pytest.raises(SessionError):
        clock(spec)


def test_time_passes_forward_only() -> None:
    made = clock("frozen")
    made.advance(timedelta(hours=1))
    assert made.now() == CAPTURED + timedelta(hours=1)
    with pytest.raises(SessionError):
        made.advance(timedelta(seconds=-1))


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-11-19T10:16:19Z", "2026-11-19T10:16:19+00:00"),
        ("2026-11-19T10:16:19.123456789Z", "2026-11-19T10:16:19.123456+00:00"),
        ("2026-11-19T10:16:19.866742+0000", "2026-11-19T10:16:19.866742+00:00"),
        ("2026-11-19T12:16:19+02:00", "2026-11-19T10:16:19+00:00"),
    ],
    ids=["utc", "nanoseconds", "zone-without-colon", "zone"],
)
def test_timestamps_are_read_in_every_form_clients_send(text: str, iso: str) -> None:
    assert parse_rfc3339(text).isoformat() == iso


@pytest.mark.parametrize("text", ["2026-11-19", "now", "2026-11-19T10:16:19"], ids=str)
def test_other_text_is_no_timestamp(text: str) -> None:
    with pytest.raises(ValueError, match="RFC 3339"):
        parse_rfc3339(text)
    assert shift_time(text, timedelta(days=1)) == text


moments = st.integers(946_684_800_000, 4_102_444_800_000).map(
    lambda millis: datetime.fromtimestamp(millis / 1000, tz=UTC)
)
shifts = st.integers(-(10**8), 10**8).map(lambda seconds: timedelta(seconds=seconds))


@given(moments, moments, shifts)
def test_shifting_keeps_order_gaps_and_digits(
    one: datetime, other: datetime, shift: timedelta
) -> None:
    first, second = rfc3339(one), rfc3339(other)
    moved = parse_rfc3339(shift_time(first, shift)), parse_rfc3339(shift_time(second, shift))
    assert moved[0] - moved[1] == parse_rfc3339(first) - parse_rfc3339(second)
    assert shift_time(first, shift)[19:] == first[19:]


def test_nothing_captured_is_in_the_future_of_a_shifted_session() -> None:
    captured = datetime(2026, 1, 1, tzinfo=UTC)
    clock = Clock("shift", captured_at=captured, real=lambda: captured + timedelta(seconds=9.7))
    assert clock.shift == timedelta(seconds=9)
    assert captured + clock.shift <= clock.now()


def test_never_stays_never() -> None:
    never = "1970-01-01T00:00:00.000Z"
    assert shift_time(never, timedelta(days=1)) == never


def test_a_clients_clock_knows_nothing_of_session_time() -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    clock = Clock("frozen", captured_at=datetime(2026, 1, 1, tzinfo=UTC), real=lambda: now)
    clock.advance(timedelta(hours=5))
    assert clock.client_now() == now


@pytest.mark.parametrize(
    "text",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "٢٠٢٦-01-01T00:00:00Z"],
    ids=["before year 1", "after year 9999", "digits of another script"],
)
def test_what_cannot_be_reckoned_with_is_no_timestamp(text: str) -> None:
    with pytest.raises(ValueError, match="1"):
        parse_rfc3339(text)
    assert shift_time(text, timedelta(days=1)) == text


@pytest.mark.parametrize("year", ["0001", "1969", "9001", "9999"])
def test_a_clock_stands_in_years_that_can_be_reckoned_from(year: str) -> None:
    with pytest.raises(SessionError, match="not in the years 1970 to 9000"):
        Clock(f"frozen:{year}-06-01T00:00:00Z", captured_at=NOW, real=lambda: NOW)


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00Z", "9000-12-31T23:59:58Z"])
def test_a_clock_stands_from_the_first_of_these_years_to_the_last(text: str) -> None:
    clock = Clock(f"frozen:{text}", captured_at=NOW, real=lambda: NOW)
    for seconds in 0, 1:
        clock.advance(timedelta(seconds=seconds))
    assert clock.now() == parse_rfc3339(text) + timedelta(seconds=1)


def test_what_stands_for_ever_is_not_shifted_out_of_the_calendar() -> None:
    assert shift_time("9999-12-31T23:59:59Z", timedelta(days=1)) == "9999-12-31T23:59:59Z"
    assert shift_time("0001-01-01T00:00:00Z", timedelta(days=1)) == "0001-01-02T00:00:00Z"


@pytest.mark.parametrize("days", [3_000_000, 999_999_999])
def test_a_clock_is_not_advanced_out_of_the_calendar(days: int) -> None:
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    with pytest.raises(SessionError, match="does not go past the year 9000"):
        clock.advance(timedelta(days=days))
    assert clock.now() == NOW

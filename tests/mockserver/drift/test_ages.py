from datetime import timedelta

import pytest

from mockserver.drift.comparison import read_age, staleness
from mockserver.drift.surveys import Survey
from mockserver.errors import MockServerError
from mockserver.state import parse_rfc3339

NOW = parse_rfc3339("2026-11-20T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "age"),
    [("36h", timedelta(hours=36)), ("90d", timedelta(days=90)), (" 2 w ", timedelta(weeks=2))],
    ids=str,
)
def test_ages_are_read(text: str, age: timedelta) -> None:
    assert read_age(text) == age


@pytest.mark.parametrize("text", ["", "90", "d", "1y", "-3d", "9999999999d"], ids=str)
def test_what_is_no_age_is_an_error(text: str) -> None:
    with pytest.raises(MockServerError, match="is no age"):
        read_age(text)


@pytest.mark.parametrize(
    ("taken_at", "limit", "reason"),
    [
        ("2026-11-19T00:00:00Z", timedelta(days=1), ""),
        ("2026-11-18T00:00:00Z", timedelta(days=1), "is 2 days old"),
        ("2026-11-19T00:00:00Z", timedelta(hours=3), "more than 3 hours"),
        ("2027-01-01T00:00:00Z", timedelta(days=1), ""),
        ("", timedelta(days=1), "does not say when"),
        ("yesterday", timedelta(days=1), "is no RFC 3339 timestamp"),
    ],
    ids=str,
)
def test_only_what_a_recording_says_of_itself_counts(
    taken_at: str, limit: timedelta, reason: str
) -> None:
    told = staleness(Survey("cassette", "a.yaml", taken_at, {}), limit, NOW)
    assert told.startswith("a.yaml") is bool(reason)
    assert reason in told

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.reports.index import Timeline, actors, timeline
from mockserver.state import World

START = datetime(2026, 2, 1, tzinfo=UTC)
moments = st.integers(-30, 30).map(lambda days: START + timedelta(days=days))


@given(st.lists(moments), moments, moments)
def test_a_span_holds_exactly_its_moments_newest_first(
    times: list[datetime], start: datetime, end: datetime
) -> None:
    times = sorted(times)
    rows = [{"at": moment} for moment in times]
    found = [row["at"] for row in Timeline(times, rows).between(start, end)]
    assert found == [moment for moment in reversed(times) if start <= moment < end]


def test_each_application_has_its_own_timeline(tenant: World) -> None:
    assert len(timeline(tenant, "chrome").rows) == 4
    assert len(timeline(tenant, "login").rows) == 1
    assert timeline(tenant, "drive").between(START, datetime.max.replace(tzinfo=UTC)) == ()


def test_a_timeline_is_built_once(tenant: World) -> None:
    assert timeline(tenant, "chrome") is timeline(tenant, "chrome")


def test_everyone_who_acted_is_known(tenant: World) -> None:
    assert {"ghost@example.com", "1ghost", "1ann"} <= actors(tenant)

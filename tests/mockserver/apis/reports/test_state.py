from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.reports.state import find_activities, has_acted, in_session_time
from mockserver.collections import Store
from mockserver.model import JsonObject
from mockserver.state import Base, Clock, Ids, World, rfc3339
from tests.tenants import NOW

START = datetime(2026, 2, 1, tzinfo=UTC)
moments = st.integers(-30, 30).map(lambda days: START + timedelta(days=days))


@given(st.lists(moments), moments, moments)
def test_a_span_holds_exactly_its_moments_newest_first(
    times: list[datetime], start: datetime, end: datetime
) -> None:
    rows = {
        f"{number}": {"id": {"time": rfc3339(moment), "applicationName": "chrome"}}
        for number, moment in enumerate(times)
    }
    base = Base({"auditEvents": Store(rows)}, {}, NOW)
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    world = World(base, clock=clock, ids=Ids(1), session="s1")
    found = [row["id"]["time"] for row in find_activities(world, "chrome", start, end)]
    wanted = [moment for moment in sorted(times, reverse=True) if start <= moment < end]
    assert found == [rfc3339(moment) for moment in wanted]


EVER = (START - timedelta(days=99), START + timedelta(days=99))


def test_each_application_has_its_own_activities(tenant: World) -> None:
    assert len(find_activities(tenant, "chrome", *EVER)) == 4
    assert len(find_activities(tenant, "login", *EVER)) == 1
    assert len(find_activities(tenant, "drive", *EVER)) == 0


def test_sessions_share_the_index_and_see_their_own_times(tenant: World) -> None:
    later = NOW + timedelta(days=2, milliseconds=300)
    clock = Clock("shift", captured_at=NOW, real=lambda: later)
    moved = World(tenant.base, clock=clock, ids=Ids(1), session="s2")
    span = (START + timedelta(days=28), EVER[1])
    found = find_activities(moved, "chrome", *span)
    assert [row["id"]["time"][:10] for row in found] == ["2026-02-27"]
    assert found[0] is tenant.table("auditEvents").rows()[_key(found[0])]
    seen = in_session_time(moved, found)
    assert [row["id"]["time"] for row in seen] == ["2026-03-01T12:00:00.000Z"]
    moved.put("auditEvents", "own", seen[0])
    assert list(find_activities(moved, "chrome", *span)) == [seen[0], seen[0]]
    assert in_session_time(moved, seen) == seen


def _key(row: JsonObject) -> str:
    return f"{row['id']['time']}/{row['id']['uniqueQualifier']}/{row['id']['applicationName']}"


def test_everyone_who_acted_is_known(tenant: World) -> None:
    assert all(has_acted(tenant, each) for each in ("ghost@example.com", "1ghost", "1ann"))

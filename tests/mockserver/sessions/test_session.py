"""Sessions: opened, isolated, closed for good."""

import gc
import tracemalloc
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mockserver.collections import Store
from mockserver.errors import SessionError
from mockserver.model import Fault, JsonObject, SessionSpec
from mockserver.routing import Route
from mockserver.sessions import session as module
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Sessions, random_secret, with_sources
from mockserver.state import (
    Base,
    issue_token,
    refresh_token,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)
BASE = Base(
    tables={"users": Store({"1": {"id": "1"}})},
    times={},
    captured_at=NOW - timedelta(days=1),
    faults=(Fault(method="a.*", status=500),),
)


class FixedBases:
    """Every session starts from one base."""

    def base(self, spec: SessionSpec) -> Base:
        return BASE

    def is_at_hand(self, spec: SessionSpec) -> bool:
        return True

    def cases(self) -> tuple[str, ...]:
        return ()

    def merged_snapshot(self, spec: SessionSpec) -> JsonObject:
        return {"seed": spec.seed}


def make(limit: int = 100) -> Sessions:
    return Sessions(FixedBases(), real=lambda: NOW, journal_bytes=100_000, limit=limit)


def spec(**fields: Any) -> SessionSpec:
    return SessionSpec(**fields)


def test_ids_are_made_up_in_order_and_never_given_out_twice() -> None:
    sessions = make()
    first, second = (sessions.open(spec()).id for _ in range(2))
    sessions.close(first)
    third = sessions.open(spec()).id
    assert [name.partition("-")[0] for name in (first, second, third)] == ["s1", "s2", "s3"]
    assert [one.id for one in sessions.all()] == [second, third]


def test_ids_and_tokens_hold_128_bits_that_are_drawn_apart() -> None:
    drawn = (f"{number:032x}" for number in range(4))
    sessions = Sessions(
        FixedBases(), real=lambda: NOW, journal_bytes=1, limit=9, secret=lambda: next(drawn)
    )
    made_up, chosen = sessions.open(spec()), sessions.open(spec(id="a"))
    assert len({made_up.id[-32:], made_up.token[-32:], chosen.token[-32:]}) == 3
    told = sessions.open(spec(id="b", secret="ab" * 16))
    assert told.token == f"ya29.mock~b~{'ab' * 16}"
    assert len({random_secret() for _ in range(9)}) == 9


def test_what_a_session_gives_out_does_not_follow_from_its_seed() -> None:
    one, other = (make().open(spec(id="a")) for _ in range(2))
    made = [
        {
            issue_token(each.world, email="a@example.com", scopes=(), lifetime_s=60),
            refresh_token(each.id, each.world.secret),
            each.token,
        }
        for each in (one, other)
    ]
    assert made[0].isdisjoint(made[1])
    assert all(len(token.rpartition("~")[2]) == 32 for token in made[0])


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_an_id_that_is_or_was_in_use_is_refused(closed: bool) -> None:
    sessions = make()
    sessions.open(spec(id="a"))
    if closed:
        sessions.close("a")

    with pytest.raises(SessionError, match="'a' is there already") as caught:
        sessions.open(spec(id="a"))
    assert caught.value.status == 409


def test_too_many_sessions_are_refused_with_what_to_do() -> None:
    sessions = make(limit=1)
    sessions.open(spec())
    with pytest.raises(SessionError, match="--max-sessions") as caught:
        sessions.open(spec())
    assert caught.value.status == 429


def test_a_session_that_never_was_is_unknown_and_a_closed_one_is_gone() -> None:
    sessions = make()
    sessions.open(spec(id="a"))
    sessions.close("a")

    statuses = []
    for name in ("a", "b"):
        with pytest.raises(SessionError) as caught:
            sessions.close(name)
        statuses.append(caught.value.status)
    assert statuses == [410, 404]


def test_what_one_session_writes_no_other_sees() -> None:
    sessions = make()
    one, other = sessions.open(spec()), sessions.open(spec())
    one.world.put("users", "2", {"id": "2"})

    assert list(one.state(("users",))["users"]) == ["1", "2"]
    assert list(other.state(("users",))["users"]) == ["1"]
    assert sorted(other.state()) == ["users"]


def test_a_report_holds_what_changed_and_the_faults_never_met() -> None:
    sessions = make()
    session = sessions.open(spec(faults=(Fault(method="b", status=503),)))
    session.world.delete("users", "1")
    session.faults.next_effect("a.list")

    report = sessions.close(session.id, ("users",))

    assert report["diff"] == {"users": {"removed": {"1": {"id": "1"}}}}
    assert [fault["met"] for fault in report["faults"]] == [1, 0]
    assert report["state"] == {"users": {}}


def test_an_untouched_session_reports_nothing() -> None:
    sessions = make()
    report = sessions.close(sessions.open(spec()).id)
    assert (report["diff"], report["state"], report["journal"]["entries"]) == ({}, {}, [])


def test_a_closed_session_keeps_a_journal_of_late_requests_alone() -> None:
    sessions = make()
    session = sessions.open(spec(id="a"))
    sessions.close("a")
    found = sessions.find("a")
    assert found is session
    assert session.closed

    late = Entry()
    late.seq, late.at = session.journal.take_number(), NOW
    session.journal.record(late)
    assert len(session.journal) == 1


def test_reset_returns_to_the_moment_after_opening() -> None:
    session = make().open(spec())
    session.world.delete("users", "1")
    session.add_fault(Fault(method="c", status=500))
    session.advance(60)
    session.journal.take_number()

    session.reset(b"curl/8")

    assert list(session.state()["users"]) == ["1"]
    assert len(session.faults) == 1
    assert session.clock.now() == NOW
    journal = session.journal.as_json(session.id)
    (reset,) = journal["entries"]
    assert (reset["seq"], reset["source"], reset["client"]) == (2, "control", "curl/8")
    assert session.report()["diff"] == {"users": {"removed": {"1": {"id": "1"}}}}


def test_what_was_changed_on_both_sides_of_a_reset_is_told_once() -> None:
    session = make().open(spec())
    session.world.put("users", "2", {"id": "2"})
    session.world.delete("users", "1")
    session.reset()
    session.world.put("users", "1", {"id": "1", "a": 1})
    before = session.base.tables["users"].get("1")
    after = {"id": "1", "a": 1}
    assert session.report()["diff"] == {
        "users": {
            "added": {"2": {"id": "2"}},
            "removed": {},
            "changed": {"1": {"before": before, "after": after}},
        }
    }


def test_time_passes_in_one_session_and_no_further_than_dates_go() -> None:
    session = make().open(spec())
    session.advance(90)
    assert session.clock.now() == NOW + timedelta(seconds=90)
    for step in (1e15, 5e13, 2.516e11):
        with pytest.raises(SessionError, match="cannot advance"):
            session.advance(step)
    assert session.clock.now() == NOW + timedelta(seconds=90)


def test_the_first_token_stands_for_the_administrator() -> None:
    session = make().open(spec(id="a"))
    caller = session.caller(session.token)
    assert caller is not None
    assert (caller.token, caller.email) == (session.token, "admin@example.com")
    assert session.caller("another") is None


def test_the_raw_snapshot_is_that_of_the_spec() -> None:
    sessions = make()
    assert sessions.merged_snapshot(sessions.open(spec(seed=7))) == {"seed": 7}


def test_the_oldest_closed_sessions_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    sessions = make()
    names = [sessions.open(spec()).id for _ in range(3)]
    for name in names:
        sessions.close(name)
    assert [sessions.find(name) is None for name in names] == [True, False, False]


def test_an_idle_session_costs_less_than_two_kilobytes() -> None:
    sessions = make(limit=200)
    gc.collect()
    tracemalloc.start()
    for number in range(100):
        sessions.open(SessionSpec.model_validate_json(f'{{"id": "trial-{number}"}}'))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used / 100 < 2048


def test_a_write_that_was_undone_is_reported_though_nothing_is_left_of_it() -> None:
    session = make().open(spec())
    row = session.world.table("users").get("1")
    assert row is not None
    session.world.delete("users", "1")
    session.world.put("users", "1", row)
    assert (session.report()["diff"], session.report()["written"]) == ({}, ["users"])
    session.reset()
    assert session.report()["written"] == ["users"]
    assert make().open(spec()).report()["written"] == []


@pytest.mark.parametrize(
    ("spec", "sources"),
    [
        (SessionSpec(), ("stub", "state", "document")),
        (SessionSpec(cassettes=("a",)), ("stub", "cassette", "state", "document")),
        (SessionSpec(cassettes=("a",), sources=("cassette",)), ("cassette",)),
    ],
    ids=["usual", "with cassettes", "as said"],
)
def test_cassettes_answer_where_they_are_named_unless_it_says_otherwise(
    spec: SessionSpec, sources: tuple[str, ...]
) -> None:
    assert with_sources(spec).sources == sources


@pytest.mark.parametrize(
    ("route", "is_long"),
    [
        (Route("GET", "", "/"), False),
        (Route("GET", "", "/", long=True), True),
        (Route("GET", "", "/", long=True, searched=("users",)), False),
        (Route("GET", "", "/", long=True, searched=("users", "many")), True),
    ],
)
def test_looking_through_few_rows_takes_no_long(route: Route, *, is_long: bool) -> None:
    session = make().open(spec())
    for number in range(200):
        session.world.put("many", str(number), {})
    assert session.is_long(route) is is_long

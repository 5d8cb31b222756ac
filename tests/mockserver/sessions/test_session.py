"""Sessions: opened, isolated, closed for good."""

import gc
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest import mock

import pytest

from mockserver.collections import Store
from mockserver.errors import SessionError
from mockserver.model import Fault, JsonObject, SessionSpec, Tampering, ToolPerturbations
from mockserver.routing import Route
from mockserver.sessions import session as module
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Sessions, random_secret, with_sources
from mockserver.state import (
    Base,
    issue_token,
    refresh_token,
)
from mockserver.state.history import History
from mockserver.traces import Span

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


@pytest.mark.parametrize(
    ("since", "left", "taken_back"),
    [(None, ["1", "2"], 1), (0, ["1"], 2), (1, ["1", "2"], 1), (2, ["1", "2", "3"], 0)],
)
def test_changes_are_taken_back_and_stay_in_the_report(
    since: int | None, left: list[str], taken_back: int
) -> None:
    session = make().open(spec())
    for key in ("2", "3"):
        session.world.history.request += 1
        session.world.put("users", key, {"id": key})
    assert len(session.undo(since, b"curl/8")) == taken_back
    assert list(session.state()["users"]) == left
    [entry] = session.journal.entries()
    assert (entry.http_method, entry.path) == ("POST", f"/_mock/sessions/{session.id}/undo")
    assert (entry.client, entry.at) == (b"curl/8", NOW)
    assert session.report()["diff"]["users"]["added"] == {key: {"id": key} for key in "23"}
    assert session.report()["written"] == ["users"]


@pytest.mark.parametrize("since", [-1, 1])
def test_a_change_that_never_was_is_not_taken_back(since: int) -> None:
    with pytest.raises(SessionError, match=f"no change {since}: the latest is 0") as caught:
        make().open(spec()).undo(since)
    assert caught.value.status == 400


def test_changes_that_are_forgotten_are_not_taken_back() -> None:
    session = make().open(spec())
    with (
        mock.patch.object(History, "since", return_value=None),
        pytest.raises(SessionError, match="changes are remembered") as caught,
    ):
        session.undo(0)
    assert (caught.value.status, caught.value.hint) == (410, "reset the session")


STUB: JsonObject = {"id": "x", "request": {"path": "/x"}, "response": {"status": 200}}


def test_a_stub_answers_until_the_session_is_reset() -> None:
    session = make().open(spec())
    session.add_stub({**STUB, "id": ""})
    assert (session.answered_by[1:], session.names_calls) == ((True, False), False)
    session = make().open(spec())
    assert (session.answered_by[1:], session.names_calls) == ((False, False), False)
    for _ in range(2):
        session.add_stub(STUB, b"curl/8")
    assert session.base.stubs == (STUB, STUB)
    assert (session.answered_by[1:], session.names_calls) == ((True, False), True)
    assert [(each.path.rpartition("/")[2], each.client) for each in session.journal.entries()] == [
        ("stubs", b"curl/8")
    ] * 2
    session.reset()
    assert (session.base, session.base_before_stubs) == (BASE, None)
    assert (session.answered_by[1:], session.names_calls) == ((False, False), False)
    assert session.reset_at == 3


def test_where_no_stub_answers_none_is_added() -> None:
    session = make().open(spec(id="a", sources=("state", "document")))
    with pytest.raises(SessionError, match="'a': its sources are state, document") as caught:
        session.add_stub(STUB)
    assert caught.value.status == 409
    assert (len(session.journal), session.base) == (0, BASE)


def test_a_reset_starts_from_the_next_base_where_there_is_one() -> None:
    session: Any = make().open(spec())
    session.add_stub(STUB)
    session.next_base = later = replace(BASE, stubs=(STUB,), faults=())
    session.reset()
    assert (session.base, session.next_base) == (later, None)
    assert (session.answered_by[1], session.names_calls, session.has_faults) == (True, True, False)
    session.reset()
    assert session.base is later


def test_faults_are_known_to_be_there_until_all_are_cleared() -> None:
    session = make().open(spec())
    session.clear_faults()
    assert (session.has_faults, len(session.faults)) == (False, 0)
    session.add_fault(Fault(method="c", status=500))
    assert (session.has_faults, len(session.faults)) == (True, 1)
    sessions = Sessions(FixedBases(), real=lambda: NOW, journal_bytes=1, limit=1)
    with mock.patch(f"{__name__}.BASE", replace(BASE, faults=())):
        assert not sessions.open(spec()).has_faults
    assert make().open(spec(faults=(Fault(method="b", status=503),))).has_faults


def test_what_is_to_be_done_at_the_end_is_done_once() -> None:
    sessions, done = make(), []
    session: Any = sessions.open(spec())
    session.at_close.append(lambda: done.append(session.closed))
    session.replay, session.is_slow = mock.Mock(), True
    session.base_before_stubs = session.next_base = BASE
    session.world.put("users", "2", {})
    session.reset()
    sessions.end(session)
    session.close()
    assert done == [True]
    assert (session.replay, session.is_slow, session.has_faults) == (None, False, False)
    assert (session.next_base, session.base_before_stubs) == (None, None)
    assert (session.names_calls, session.answered_by[1:]) == (False, (False, False))
    assert session.report()["diff"] == {}
    assert session.report()["written"] == []
    session.journal.record(late := Entry())
    late.seq, late.at = 1, NOW
    assert session.journal.held_bytes < 64 * 1024 < 100_000


def test_what_went_wrong_in_the_server_is_in_the_reports_of_open_sessions() -> None:
    sessions = make()
    looks: list[int] = []
    sessions.look = lambda: looks.append(len(sessions))
    early = sessions.open(spec())
    assert "problem" not in early.report()
    sessions.note_problem("lost")
    sessions.note_problem("later")
    late = sessions.open(spec())
    assert sessions.close(early.id)["problem"] == "lost"
    assert "problem" not in sessions.close(late.id)
    assert looks == [2, 1]


@pytest.mark.parametrize("of", ["session", "stranger"])
def test_attempts_are_kept_as_far_as_there_is_room(
    of: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_ATTEMPTS", 2)
    monkeypatch.setattr(module, "_MOST_STRANGERS", 2)
    sessions = make()
    session = sessions.open(spec(id="a"))
    session.advance(60)
    caller = session if of == "session" else None
    for number in range(3):
        sessions.record_tampering(caller, f"GET /{number}", "why", by="port", status=403)
    kept, other = session.tampering, sessions.strangers
    if caller is None:
        kept, other = other, kept
    assert ([each.attempt for each in kept], other) == (["GET /0", "GET /1"], [])
    at, name = ("2026-03-02T00:01:00.000Z", "a") if caller else ("2026-03-02T00:00:00.000Z", "")
    assert kept[0] == Tampering(
        at=at, attempt="GET /0", reason="why", by="port", session=name, status=403
    )
    assert len(session.report()["tampering"]) == (2 if caller else 0)


def test_a_session_with_a_nearby_id_is_named() -> None:
    sessions = make()
    assert sessions.get(sessions.open(spec(id="trial-1")).id).id == "trial-1"
    with pytest.raises(SessionError) as caught:
        sessions.get("trial-2")
    assert caught.value.hint == ("did you mean 'trial-1'? Or open one with POST /_mock/sessions")
    with pytest.raises(SessionError) as caught:
        sessions.get("x")
    assert caught.value.hint == "open one with POST /_mock/sessions"


def test_whoever_watches_is_handed_each_entry() -> None:
    sessions = make()
    early = sessions.open(spec(id="a"))
    seen: list[tuple[str, str, int]] = []

    def watch(name: str, session: str, entry: Entry) -> None:
        seen.append((name, session, entry.seq))

    for name in ("one", "other"):
        sessions.observe(partial(watch, name))
    late = sessions.open(spec(id="b"))
    for session in (early, late):
        session.reset()
    assert seen == [(name, key, 1) for key in "ab" for name in ("one", "other")]
    assert len(sessions) == 2
    first = make()
    first.observe(alone := mock.Mock())
    first.open(spec(id="c")).reset()
    assert [call.args[0] for call in alone.call_args_list] == ["c"]


def test_the_first_token_is_known_and_others_once_they_are_given_out() -> None:
    session = make().open(spec())
    assert session.has_issued(session.token)
    assert not session.has_issued("another")
    given = issue_token(session.world, email="a@example.com", scopes=(), lifetime_s=60)
    assert session.has_issued(given)
    assert not session.has_issued("another")
    assert session.caller(session.token) is session.caller(session.token)
    session.world.account = "ann@example.com"
    assert session.caller(session.token) is None


def test_a_session_acts_as_whom_it_was_opened_for() -> None:
    session = make().open(spec(acting_as="ann@example.com", scopes=("drive",)))
    assert session.world.account == "ann@example.com"
    assert session.world.scopes == ("https://www.googleapis.com/auth/drive",)


def test_an_unknown_collection_is_refused_and_leaves_the_session_open() -> None:
    sessions = make()
    session = sessions.open(spec())
    with pytest.raises(SessionError, match="no collection 'user'") as caught:
        sessions.close(session.id, ("user",))
    assert caught.value.hint == "did you mean 'users'?"
    assert sessions.all() == (session,)


@pytest.mark.parametrize(
    ("rows", "held", "large"),
    [(4999, 0, False), (5000, 0, True), (0, 1024 * 1024, False), (0, 1024 * 1024 + 1, True)],
)
def test_many_rows_or_a_long_journal_make_a_session_large(
    rows: int, held: int, large: bool
) -> None:
    session = make().open(spec())
    assert not session.is_large
    for number in range(rows):
        session.world.put("many", str(number), {})
    session.journal.held_bytes = held
    assert session.is_large is large


def test_what_frameworks_told_is_in_the_report_as_far_as_it_tells_of_an_agent() -> None:
    session = make().open(spec())
    assert (session.report()["traced"], session.report()["telemetry"]) == ({}, {})
    for name, attributes in (("x", {}), ("y", {"gen_ai.operation.name": "chat"})):
        session.spans.add(Span("t", name, "", name, attributes=attributes), 1)
    session.telemetry["b.example.com"] += 2
    session.telemetry["a.example.com"] += 1
    report = session.report()
    assert [span["id"] for span in report["traced"]["spans"]] == ["y"]
    assert list(report["telemetry"].items()) == [("a.example.com", 1), ("b.example.com", 2)]


def test_tools_differ_from_those_of_the_snapshot_where_a_session_asks_for_it() -> None:
    sessions = make()
    assert sessions.is_prepared(spec())
    sessions.prepare(spec())
    session = sessions.open(spec(tools=ToolPerturbations(distractors=1)))
    assert session.names_calls
    assert session.base is not BASE
    assert not sessions.all()[0].is_slow


def test_stub_hosts_of_all_sessions_are_known() -> None:
    sessions = make()
    base = replace(BASE, stubs=({"url": "https://a.example.com/x"},))
    with mock.patch(f"{__name__}.BASE", base):
        sessions.close(sessions.open(spec()).id)
    sessions.open(spec())
    assert sessions.stub_hosts == {"a.example.com"}


def test_recordings_are_those_that_its_cassettes_have() -> None:
    found = mock.Mock(has_bodies=True)
    found.unused.return_value = ["left"]
    cassettes = mock.Mock()
    cassettes.replay.side_effect = lambda spec: found if spec.cassettes else None
    sessions = Sessions(
        FixedBases(), real=lambda: NOW, journal_bytes=9999, limit=9, cassettes=cassettes
    )
    session = sessions.open(spec(cassettes=("a",)))
    assert (session.replay, session.is_slow, session.answered_by[2]) == (found, True, True)
    session.reset()
    found.reset.assert_called_once()
    assert session.answered_by[2]
    assert sessions.close(session.id)["unused"] == ["left"]
    plain = sessions.open(spec())
    assert (plain.replay, plain.is_slow, plain.answered_by[2]) == (None, False, False)
    assert sessions.close(plain.id)["unused"] == []

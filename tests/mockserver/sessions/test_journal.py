"""The journal of a session: order, bodies by reference, the byte limit."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.model import Journal, Miss
from mockserver.sessions.journal import Entry, ObservedJournal, SessionJournal

AT = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


def record(journal: SessionJournal, seq: int, response: bytes = b"{}", **more: Any) -> None:
    entry = Entry()
    entry.seq, entry.at, entry.response = seq, AT, response
    entry.set_body(more.pop("body", None))
    for name, value in more.items():
        setattr(entry, name, value)
    journal.record(entry)


def read(journal: SessionJournal) -> Journal:
    return Journal.model_validate(journal.as_json("s1"))


def test_an_entry_reads_as_the_model_says() -> None:
    journal = SessionJournal(10_000)
    miss = Miss(blame="fixture_gap", reason="none")
    record(journal, 1, b'{"a": 1}', miss=miss, duration_ms=1.23456, client=b"curl/8")

    entry = read(journal).entries[0]

    assert (entry.at, entry.session, entry.duration_ms) == ("2026-05-04T03:02:01.000Z", "s1", 1.235)
    assert entry.response_ref == sha256(b'{"a": 1}').hexdigest()
    assert read(journal).bodies == {entry.response_ref: '{"a": 1}'}
    assert (entry.miss, entry.client) == (miss, "curl/8")


def test_equal_bodies_are_held_once() -> None:
    journal = SessionJournal(1_000_000)
    record(journal, 1, b"x" * 5000)
    before = journal.held_bytes
    record(journal, 2, b"".join([b"x" * 2500, b"x" * 2500]))

    assert journal.held_bytes - before < 5000
    assert len(read(journal).bodies) == 1


def test_bodies_of_one_length_that_differ_are_both_held() -> None:
    journal = SessionJournal(1_000_000)
    for seq, body in enumerate((b"aa", b"bb", b"aa"), 1):
        record(journal, seq, body)
    found = read(journal)
    assert [found.bodies[entry.response_ref] for entry in found.entries] == ["aa", "bb", "aa"]


def test_long_paths_and_queries_count_for_the_limit() -> None:
    journal = SessionJournal(100_000)
    for seq in range(1, 21):
        record(journal, seq, path="/" + "x" * 20_000, request_bytes=10_000)
    assert len(journal) == 2
    assert journal.held_bytes <= 100_000


def test_entries_are_read_in_the_order_in_which_requests_came() -> None:
    journal = SessionJournal(10_000)
    first, second = journal.take_number(), journal.take_number()
    record(journal, second, parent=first)
    record(journal, first)

    assert [entry.seq for entry in read(journal).entries] == [1, 2]


def test_the_oldest_entries_leave_when_the_limit_is_reached() -> None:
    journal = SessionJournal(5_000)
    for seq in range(1, 21):
        record(journal, seq, b"%02d" % seq * 100)

    found = read(journal)

    assert found.evicted == 20 - len(found.entries)
    assert found.entries[-1].seq == 20
    assert len(found.bodies) == len(found.entries)
    assert journal.held_bytes <= 5_000


def test_what_leaves_takes_its_bytes_along() -> None:
    journal, later = SessionJournal(3_000), SessionJournal(3_000)
    bodies = [(b"a", 2_000), (b"b", 700), (b"c", 500), (b"d", 300)]
    for seq, (letter, length) in enumerate(bodies, 1):
        record(journal, seq, letter * length)
    for seq, (letter, length) in enumerate(bodies[journal.evicted :], journal.evicted + 1):
        record(later, seq, letter * length)
    assert 0 < journal.evicted < 3
    assert journal.held_bytes == later.held_bytes


def test_an_entry_costs_what_it_is_made_of_and_takes_all_of_it_along() -> None:
    told = {"client": b"curl", "path": "/a/b/c", "request_bytes": 30}
    journal = SessionJournal(1_500)
    record(journal, 1, b"x" * 20, **told)
    assert journal.held_bytes == 700 + 4 + 6 + 60 + 20 == journal.entries()[0].size() + 20
    record(journal, 2, b"y" * 700)
    assert (journal.evicted, journal.held_bytes) == (1, 1400)
    record(journal, 3, b"z" * 2000, **told)
    assert (len(journal), journal.held_bytes) == (1, 700 + 4 + 6)


def test_an_entry_that_alone_breaks_the_limit_is_kept_without_its_bodies() -> None:
    journal = SessionJournal(5_000)
    record(journal, 1, b"x" * 10_000, body={"big": 1}, request_bytes=9_000)

    entry = read(journal).entries[0]

    assert (entry.response_ref, entry.response_bytes, entry.body) == ("", 10_000, None)


def test_a_binary_body_is_given_as_base64() -> None:
    journal = SessionJournal(5_000)
    record(journal, 1, b"\xff\xfe")
    assert list(read(journal).bodies.values()) == ["base64://4="]


def test_what_is_not_set_is_as_usual() -> None:
    journal = SessionJournal(10_000)
    record(journal, 1, b"")
    [entry] = journal.as_json("s1")["entries"]
    assert {name: value for name, value in entry.items() if value} == {
        "seq": 1, "at": "2026-05-04T03:02:01.000Z", "session": "s1", "http_method": "GET",
        "status": 200, "source": "state",
    }  # fmt: skip
    assert (entry["duration_ms"], entry["after_close"], entry["parent"]) == (0, False, None)


def test_entries_are_found_by_their_numbers_and_by_when_they_were_recorded() -> None:
    journal = SessionJournal(2_200)
    assert (journal.recorded, journal.entries(), journal.recorded_after(0)) == (0, [], [])
    for seq in (2, 1, 3, 4):
        record(journal, seq, b"")
    assert (journal.evicted, journal.recorded, len(journal)) == (1, 4, 3)
    assert [entry.seq for entry in journal.entries()] == [1, 3, 4]
    assert [entry.seq for entry in journal.recorded_after(2)] == [3, 4]
    assert [entry.seq for entry in journal.recorded_after(0)] == [1, 3, 4]
    assert journal.recorded_after(4) == journal.recorded_after(9) == []
    found = journal.find(3)
    assert found is not None
    assert (found.seq, journal.find(2)) == (3, None)
    since = journal.as_json("s1", since=3)["entries"]
    assert [entry["seq"] for entry in since] == [4]


@pytest.mark.parametrize(("spare", "held"), [(0, 2), (-1, 1)])
def test_what_just_fits_stays(spare: int, held: int) -> None:
    sizes = SessionJournal(10_000)
    for seq in (1, 2):
        record(sizes, seq, b"%d" % seq * 50)
    journal = SessionJournal(sizes.held_bytes + spare)
    for seq in (1, 2):
        record(journal, seq, b"%d" % seq * 50)
    assert len(journal) == held
    alone = SessionJournal(750 + spare)
    record(alone, 1, b"x" * 50)
    assert len(alone.entries()[0].response) == (50 if held == 2 else 0)
    assert alone.entries()[0].response_bytes == 50


def test_an_observed_journal_hands_on_what_it_has_kept() -> None:
    seen: list[int] = []
    journal = ObservedJournal(10_000, lambda entry: seen.append(entry.seq * len(journal)))
    record(journal, 3)
    assert seen == [3]


def test_bodies_can_be_left_out() -> None:
    journal = SessionJournal(5_000)
    record(journal, 1)
    assert journal.as_json("s1", bodies=False)["bodies"] == {}


@given(st.lists(st.sampled_from([b"", b"a" * 50, b"b" * 50, b"c" * 3000, b"d" * 9000])))
def test_the_limit_holds_whatever_is_recorded(bodies: list[bytes]) -> None:
    journal = SessionJournal(4_000)
    for seq, body in enumerate(bodies, 1):
        record(journal, seq, body)

    assert journal.held_bytes <= 4_000
    assert journal.evicted + len(journal) == len(bodies)


def test_numbers_are_given_in_the_order_in_which_requests_come() -> None:
    journal = SessionJournal(10_000)
    assert journal.latest_number == 0
    assert (journal.take_number(), journal.take_number()) == (1, 2)
    assert journal.latest_number == 2


def test_secrets_leave_a_body_when_somebody_looks_at_it() -> None:
    entry = Entry()
    entry.set_body({"user": {"password": "hunter2", "name": "A"}})
    shown = {"user": {"password": "[redacted]", "name": "A"}}
    assert entry.body == shown
    assert entry.body is entry.body
    entry.set_redacted_body({"password": "of somebody else"})
    assert entry.body == {"password": "of somebody else"}
    entry.set_body(None)
    assert entry.body is None

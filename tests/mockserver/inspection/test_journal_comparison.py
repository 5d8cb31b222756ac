"""Whether a session was asked the same as another one, up to a moment."""

from typing import Any

import pytest

from mockserver.inspection.journal_comparison import journal_difference
from mockserver.model import Journal, JournalEntry


def journal(*asked: dict[str, Any], session: str = "one", evicted: int = 0) -> Journal:
    entries, bodies = [], {}
    for number, each in enumerate(asked, 1):
        known = {"http_method": "GET", "path": "/orders/A1", "status": 200, **each}
        bodies[f"{number}"] = known.pop("answer", "{}")
        entries.append(
            JournalEntry(
                seq=number, at="", session=session, method_id=known.pop("method", "orders.get"),
                source="state", duration_ms=0, response_ref=f"{number}", **known,
            )
        )  # fmt: skip
    return Journal(entries=tuple(entries), bodies=bodies, evicted=evicted)


MODEL = {
    "http_method": "POST",
    "path": "/v1/chat/completions",
    "body": {"model": "m", "messages": []},
}
PATCH = {"http_method": "PATCH", "method": "orders.patch", "body": {"status": "cancelled"}}


@pytest.mark.parametrize(
    ("now", "difference"),
    [
        ((), ""),
        (({},), ""),
        ((MODEL, {}), ""),
        ((PATCH, {}), ""),
        (({}, PATCH, {}), "request 3 is GET orders.get (200), and the recorded trial made only 2"),
        (({}, {"status": 404}), "request 2 is GET orders.get (404), recorded was PATCH orders.p"),
        (({}, {**PATCH, "body": {"status": "lost"}}),
         "request 2, PATCH orders.patch (200), is not the recorded one: its body differs"),
        (({"params": {"q": "2026-11-23T10:00:00Z"}},), "its parameters differs"),
    ],
)  # fmt: skip
def test_requests_are_compared_up_to_the_moment(
    now: tuple[dict[str, Any], ...], difference: str
) -> None:
    found = journal_difference(journal({}, MODEL, PATCH), journal(*now), with_answers=False)
    assert difference in found
    assert bool(found) == bool(difference)


def test_times_and_the_ids_of_sessions_do_not_count() -> None:
    before = {"body": {"at": "2026-11-23T10:00:00Z", "in": "one"}, "answer": "by one on 2026-11-23"}
    after = {"body": {"at": "2026-11-24T11:00:00Z", "in": "two"}, "answer": "by two on 2026-11-24"}
    now = journal(after, session="two")
    assert journal_difference(journal(before), now, with_answers=True) == ""


@pytest.mark.parametrize(("with_answers", "difference"), [(True, "answer differs"), (False, "")])
def test_answers_count_where_the_clock_stands(with_answers: bool, difference: str) -> None:
    one, other = journal({"answer": "1"}), journal({"answer": "2"})
    found = journal_difference(one, other, with_answers=with_answers)
    assert found.endswith(difference)


def test_a_tool_is_named_with_what_it_was_sent() -> None:
    tool = {"method": "tools.refund", "body": {"id": "A7"}}
    found = journal_difference(journal({}), journal(tool), with_answers=False)
    assert 'GET tools.refund {"id":"A7"} (200), recorded was GET orders.get' in found


def test_a_journal_that_lost_requests_proves_nothing() -> None:
    assert "lost" in journal_difference(journal({}, evicted=1), journal({}), with_answers=False)

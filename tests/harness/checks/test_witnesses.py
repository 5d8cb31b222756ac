from typing import Any, get_args

import orjson
import pytest
from pydantic import BaseModel, ValidationError

from harness.checks.model_traffic import model_traffic
from harness.checks.registry import check
from harness.checks.witness_alignment import align_witnesses
from harness.checks.witnesses import Discrepancy, report_witnesses
from harness.model import (
    CheckResult,
    Grounding,
    QuotedKind,
    ToolCall,
    ToolCalls,
    TrialRecord,
    Witnesses,
)
from mockserver.model import Journal, JournalEntry
from tests.harness.records import call, entry, record, reply


def _trial(calls: list[ToolCall | str], *entries: JournalEntry, **facts: Any) -> TrialRecord:
    journal = Journal(entries=entries, **facts)
    return record(reply("", *calls), session="s1", journal=journal)


def _check(trial: TrialRecord, **rules: Any) -> CheckResult:
    return check(trial, Witnesses(**rules))


def test_what_both_tell_in_any_order_agrees() -> None:
    trial = _trial(
        [call("a", n=1), call("a", n=2), "b"],
        entry("tools.b"), entry("tools.a", 2, body={"n": 2}), entry("tools.a", 3, body={"n": 1}),
        entry("directory.users.list", 4, parent=3),
    )  # fmt: skip
    found = _check(trial)
    assert (found.status, found.numbers["matched"]) == ("pass", 3)


def test_each_discrepancy_is_named() -> None:
    trial = _trial(
        [call("a", n=1), "made_up"], entry("tools.a", body={"n": 2}), entry("tools.hidden", 2)
    )
    found = _check(trial)
    assert found.reason == (
        "said to be called, but the server never saw it: 'made_up'; "
        "called, but not said so: 'hidden'; called with other arguments than said: 'a'"
    )
    assert found.numbers["args_differ"] == [
        {
            "name": "a",
            "where": "args.n",
            "witness": "claimed",
            "other": "seen",
            "claimed": "1",
            "seen": "2",
        }
    ]
    allowed = ("claimed_not_seen", "seen_not_claimed")
    assert _check(trial, allow=allowed).numbers["claimed_not_seen"] == ["made_up"]
    assert _check(trial, allow=allowed).reason.startswith("called with other arguments")
    assert _check(trial, tools=("x*",)).status == "pass"


def test_a_call_that_was_made_twice_and_told_once_is_hidden() -> None:
    found = _check(_trial(["a"], entry("tools.a"), entry("tools.a", 2)))
    assert found.numbers["count_differs"] == [{"name": "a", "claimed": 1, "seen": 2}]
    assert found.numbers["seen_not_claimed"] == []
    twice = _trial(["a"], entry("tools.a"), entry("tools.a", 2))
    assert _check(twice, allow=("seen_not_claimed",)).status == "pass"
    assert _check(twice, allow=("claimed_not_seen",)).status == "fail"
    assert _check(twice, allow=("count_differs",)).status == "pass"


def test_an_agent_that_tells_nothing_hides_all() -> None:
    assert _check(_trial([], entry("tools.a"))).status == "fail"
    assert _check(_trial([])).status == "pass"


CREATE, LIST = "directory.orgunits.insert", "directory.orgunits.list"


def _create(name: str, seq: int, status: int = 200, **facts: Any) -> JournalEntry:
    return entry(CREATE, seq, status=status, http_method="POST", body={"name": name}, **facts)


def _page(seq: int, page: str = "") -> JournalEntry:
    return entry(LIST, seq, params={"type": "all"} | ({"pageToken": page} if page else {}))


@pytest.mark.parametrize(
    ("claimed", "requests", "found"),
    [
        ([], [], {}),
        (["ok"], [_create("a", 1)], {"matched": 1}),
        (["ok"], [_create("a", 1), _create("b", 2)], {"matched": 1, "seen_not_claimed": ["make"]}),
        (
            ["ok"],
            [_create("a", 1), _create("a", 2)],
            {"matched": 1, "seen_not_claimed": ["make"]},
        ),
        ([], [_create("a", 1), _create("b", 2)], {"seen_not_claimed": ["make"] * 2}),
        (["ok"] * 3, [_create("a", 1)], {"matched": 1, "claimed_not_seen": ["make"] * 2}),
        (
            ["ok"],
            [
                entry("batch", 1, http_method="POST"),
                _create("a", 2, parent=1),
                _create("b", 3, parent=1),
            ],
            {"matched": 1, "seen_not_claimed": ["make"]},
        ),
        # a client that tries again, and an agent that does
        (["ok"], [_create("a", 1, 503), _create("a", 2, 503), _create("a", 3)], {"matched": 1}),
        (["error", "ok"], [_create("a", 1, 409), _create("a", 2)], {"matched": 2}),
        (
            ["ok", "ok"],
            [_create("a", 1), _create("b", 2, 409)],
            {
                "matched": 2,
                "failed_but_claimed_success": [{"name": "make", "claimed": "ok", "seen": "error"}],
            },
        ),
    ],
)
def test_requests_that_stand_for_calls_are_counted_on_both_sides(
    claimed: list[str], requests: list[JournalEntry], found: dict[str, Any]
) -> None:
    trial = _trial([call("make", status=each) for each in claimed], *requests)
    result = _check(trial, seen_as={"make": CREATE})
    numbers = {name: value for name, value in result.numbers.items() if value}
    assert numbers == found
    assert result.status == ("fail" if found.keys() - {"matched"} else "pass")


@pytest.mark.parametrize(
    ("claimed", "requests", "status"),
    [
        (["list"], [_page(1), _page(2, "p2"), _page(3, "p3")], "pass"),
        (["list", "list"], [_page(1), _page(2, "p2")], "pass"),
        (["list"], [_page(1), _page(2)], "fail"),
        # one request is a call of one tool, whichever is told of
        (["make", "any"], [_create("a", 1), _create("b", 2)], "pass"),
        (["any", "any"], [_create("a", 1), _page(2)], "pass"),
        (["make"], [_create("a", 1), _page(2)], "fail"),
    ],
)
def test_pages_are_one_call_and_requests_go_to_the_tool_that_is_told_of(
    claimed: list[str], requests: list[JournalEntry], status: str
) -> None:
    seen_as = {"list": LIST} if "list" in claimed else {"make": CREATE, "any": "directory.*"}
    assert _check(_trial([*claimed], *requests), seen_as=seen_as).status == status


def test_requests_that_no_rule_maps_are_no_agreement() -> None:
    found = _check(_trial([], _create("a", 1)))
    assert (found.status, found.reason) == (
        "not_evaluated",
        f"not comparable: no rule says which tool asks `{CREATE}`; the case says it with"
        f" `expect: {{witnesses: {{seen_as: {{TOOL: {CREATE}}}}}}}`",
    )
    two = _check(_trial([], _create("a", 1), entry("flights.book", 2)))
    assert two.reason == (
        f"not comparable: no rule says which tool asks `{CREATE}`, `flights.book`; the case says it"
        f" with `expect: {{witnesses: {{seen_as: {{TOOL: {CREATE}}}}}}}`"
    )
    named = _check(_trial(["book_flight"], _create("a", 1)))
    assert named.status == "fail"
    assert f"seen_as: {{book_flight: {CREATE}}}" in named.reason


@pytest.mark.parametrize(
    ("trial", "agree", "verdict"),
    [
        (
            _trial(["book_flight"], entry("flights.book", 1)),
            None,
            "not comparable: no rule says which request `book_flight` makes; the case says it with"
            " `expect: {witnesses: {seen_as: {book_flight: flights.book}}}`",
        ),
        (
            _trial(["a", "b"], entry("x.get", 1), entry("y.get", 2)),
            None,
            "not comparable: no rule says which request `a`, `b` makes; the case says it with"
            " `expect: {witnesses: {seen_as: {a: METHOD, b: METHOD}}}`, METHOD being one of"
            " x.get, y.get",
        ),
        (_trial(["a"], entry("tools.a")), True, "They agree."),
        (_trial(["a"], entry("tools.b")), False, "said to be called, but the server never saw it"),
    ],
)
def test_who_matched_nothing_does_not_agree(
    trial: TrialRecord, agree: bool | None, verdict: str
) -> None:
    told = report_witnesses(trial)
    assert told is not None
    assert told.agree is agree
    assert told.verdict.startswith(verdict)


def test_what_a_case_allows_is_said() -> None:
    trial = _trial(["a"], entry("tools.a"), entry("tools.b", 2))
    told = report_witnesses(trial, [Witnesses(allow=("seen_not_claimed",))])
    assert told is not None
    assert told.verdict == (
        "They differ only in what the case allows: called, but not said so: 'b'."
    )


def test_malformed_arguments_differ() -> None:
    trial = _trial([ToolCall(name="a", args="{")], entry("tools.a", body={}))
    assert _check(trial).numbers["args_differ"][0]["where"] == "args"


def test_without_both_witnesses_nothing_is_decided() -> None:
    assert _check(record("x")).reason.startswith("no mock session")
    assert _check(record(session="s")).reason == "the agent gave no reply to look at"
    assert "dropped its 2 oldest" in _check(_trial(["a"], evicted=2)).reason
    two = record("a", "b", session="s")
    assert _check(two, turn=1).reason == "the server cannot tell turns apart"
    assert _check(two).status == "pass"


@pytest.mark.parametrize(
    ("claimed", "statuses", "reason"),
    [
        (["ok"], [200], ""),
        (["ok"], [404], "said to have gone well, but it failed: 'a' (ok said, error seen)"),
        (["error"], [200], "ended otherwise than said: 'a' (error said, ok seen)"),
        (["error", "ok"], [200, 404], ""),
        (["unknown"], [404], ""),
        (
            ["ok"],
            [200, 200],
            "called another number of times than said: 'a' (1 said, 2 seen)",
        ),
        (
            ["ok", "ok"],
            [200],
            "called another number of times than said: 'a' (2 said, 1 seen)",
        ),
    ],
)
def test_outcomes_and_counts_are_held_against_each_other(
    claimed: list[str], statuses: list[int], reason: str
) -> None:
    entries = [entry("tools.a", seq, status=status) for seq, status in enumerate(statuses, 1)]
    found = _check(_trial([call("a", status=each) for each in claimed], *entries))
    assert (found.status, found.reason) == ("fail" if reason else "pass", reason)
    assert _check(_trial([call("a", status="ok")], entry("tools.a", status=404)),
                  allow=("failed_but_claimed_success",)).status == "pass"  # fmt: skip


def test_what_failed_as_a_request_did_not_go_well_as_a_tool() -> None:
    trial = _trial([call("move", status="ok")], entry("admin.move", status=403))
    found = _check(trial, seen_as={"move": "admin.*"})
    assert found.reason == "said to have gone well, but it failed: 'move' (ok said, error seen)"


@pytest.mark.parametrize(
    ("model", "written", "error"),
    [
        (Witnesses, {"tools": []}, "at least 1 item"),
        (Witnesses, {"allow": ["lies"]}, "'claimed_not_seen', 'seen_not_claimed'"),
        (
            Witnesses,
            {"allow": list(get_args(Discrepancy))},
            "at most 7 items",
        ),
        (Grounding, {"kinds": []}, "needs 'kinds' or 'patterns'"),
        (Grounding, {"kinds": ["words"]}, "'email', 'address'"),
    ],
    ids=str,
)
def test_what_decides_nothing_is_refused(
    model: type[BaseModel], written: dict[str, Any], error: str
) -> None:
    with pytest.raises(ValidationError, match=error):
        model.model_validate(written)


def test_without_a_word_all_is_held_to_account() -> None:
    assert Witnesses().tools == ("*",)
    assert Grounding().kinds == get_args(QuotedKind)


ASKS = (
    '{"content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {"q": 1}},'
    ' {"type": "tool_use", "id": "c1", "name": "look", "input": {"q": 2}},'
    ' {"type": "tool_use", "id": "c3", "name": "final_result", "input": {}}]}'
)


def _asked(seq: int = 9, **facts: Any) -> JournalEntry:
    body = {"model": "m", "messages": [{"role": "user", "content": "Go."}], "max_tokens": 9}
    known: dict[str, Any] = {"http_method": "POST", "path": "/v1/messages", "body": body,
                             "response_ref": "r"}  # fmt: skip
    return entry("anthropic.messages.create", seq, **known | facts)


def test_calls_of_one_id_are_two_calls_and_answers_are_no_tools() -> None:
    seen = [entry("tools.look", 1, body={"q": 2}), entry("tools.look", 2, body={"q": 1})]
    trial = _trial([], *seen, _asked(), bodies={"r": ASKS})
    told = trial.replies[0].model_copy(update={"reports_calls": False})
    trial = trial.model_copy(update={"replies": (told,)})
    assert _check(trial).status == "pass"
    alignment = align_witnesses(trial)
    assert alignment.present == {"requested", "seen"}
    assert [bool(row.requested and row.seen) for row in alignment.sightings] == [True, True, False]


def test_a_model_that_is_asked_again_or_fails_asks_for_nothing() -> None:
    other = {"model": "m", "messages": []}
    entries = [
        _asked(1),
        _asked(2),
        _asked(3, status=500, body=other),
        _asked(4, after_close=True, body=other),
    ]
    trial = _trial([], *entries, bodies={"r": ASKS})
    assert [len(each.requested) for each in model_traffic(trial)] == [3]
    plain = _trial([], _asked(), bodies={"r": "no reply"})
    assert [each.requested for each in model_traffic(plain)] == [()]


@pytest.mark.parametrize(
    ("made", "different"),
    [({"q": 1}, False), ({"q": 3}, True), ({"q": 1, "page": 2}, False), ({"page": 2}, False)],
)
def test_of_what_a_model_asked_for_only_what_both_tell_is_compared(
    made: dict[str, int], different: bool
) -> None:
    asks = orjson.dumps({"content": [{"type": "tool_use", "id": "1", "name": "look",
                                      "input": {"q": 1}}]})  # fmt: skip
    trial = _trial([], _asked(), entry("tools.look", 2, body=made), bodies={"r": asks.decode()})
    told = trial.replies[0].model_copy(update={"reports_calls": False})
    found = _check(trial.model_copy(update={"replies": (told,)}))
    differs = [{"name": "look", "where": "args.q", "witness": "requested", "other": "seen",
                "claimed": "1", "seen": "3"}]  # fmt: skip
    assert found.numbers["args_differ"] == (differs if different else [])


def test_what_models_ask_for_is_held_against_requests_too() -> None:
    trial = _trial([], _asked(), bodies={"r": ASKS})
    rules = {"seen_as": {"look": "orders.*"}, "allow": ("seen_not_claimed",)}
    assert _check(trial, **rules).numbers["asked_not_done"] == ["look", "look"]
    both = _trial([], _asked(), entry("orders.get", 1), entry("orders.get", 2), bodies={"r": ASKS})
    assert _check(both, **rules).status == "pass"


def test_nobody_is_accused_of_what_nobody_could_see() -> None:
    quiet = _trial(["look"])
    assert report_witnesses(quiet) is not None
    assert report_witnesses(quiet).sentence == ""  # type: ignore[union-attr]
    asked = _trial([], _asked(), bodies={"r": ASKS})
    assert report_witnesses(asked).sentence == ""  # type: ignore[union-attr]
    assert report_witnesses(asked).agree is None  # type: ignore[union-attr]
    assert report_witnesses(record("x", session="s")) is None
    assert report_witnesses(_trial(["look"], evicted=1)) is None
    mapped = ToolCalls(seen_as={"look": "orders.*"})
    told = report_witnesses(_trial([call("look", "ok")], entry("orders.get", status=404)), [mapped])
    assert told is not None
    assert told.findings["failed_but_claimed_success"]
    assert (told.required, told.sentence[:25]) == (False, "said to have gone well, b")


def test_names_with_their_server_are_the_same_tools() -> None:
    trial = _trial([call("mcp__orders__look", "ok", q=1)], entry("tools.look", body={"q": 1}))
    assert _check(trial).status == "pass"


def test_a_silent_agent_without_other_witnesses_decides_nothing() -> None:
    trial = _trial([], entry("tools.a"))
    told = trial.replies[0].model_copy(update={"reports_calls": False})
    found = _check(trial.model_copy(update={"replies": (told,)}))
    assert (found.status, "have no place for tool calls" in found.reason) == ("not_evaluated", True)

"""State behind tools: what calls tell of it, played against the calls themselves."""

from typing import Any

import orjson
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.messages.mcp_calls import (
    TOOL_CALL,
    McpCall,
    called_tool,
    mcp_interaction,
    reads_by_name,
    tool_result,
)
from mockserver.model import Interaction
from mockserver.verify.tool_state import LearnedTools, learn_tools

_A1 = {"id": "A1", "status": "open", "total": 40}
_A2 = {"id": "A2", "status": "open", "total": 50}
_GONE = {**_A1, "status": "cancelled"}


def call(name: str, result: Any, /, **arguments: Any) -> Interaction:
    failed = isinstance(result, Exception)
    told = tool_result(str(result) if failed else result, failed=failed)
    asked = McpCall(TOOL_CALL, {"name": name, "arguments": arguments}, told)
    return mcp_interaction("tools", asked, reads=reads_by_name(name), recorded_at="", duration_ms=0)


def listed(name: str, **properties: str) -> Interaction:
    kinds = {each: {"type": kind} for each, kind in properties.items()}
    tool = {"name": name, "inputSchema": {"type": "object", "properties": kinds}}
    asked = McpCall("tools/list", {}, {"tools": [tool]})
    return mcp_interaction("tools", asked, reads=True, recorded_at="", duration_ms=0)


def learned(*traces: list[Interaction]) -> LearnedTools:
    found = learn_tools(traces, "learned")
    assert found is not None
    return found


def parts(found: LearnedTools) -> tuple[dict[str, Any], dict[str, Any]]:
    """The declaration and the base."""
    files = found.files
    return yaml.safe_load(files["apis/learned.yaml"]), orjson.loads(files["base/learned.json"])


SHOP = [
    call("list_orders", [_A1, _A2], status="open"),
    call("get_order", _A1, order_id="A1"),
    call("get_order", KeyError("no such order"), order_id="A9"),
    call("cancel_order", {"ok": True}, order_id="A1", reason="late"),
    call("get_order", _GONE, order_id="A1"),
    call("list_orders", [_A2], status="open"),
    call("create_order", {"order": {"id": "A17", "status": "open", "total": 70}}, total=70),
    call("delete_order", {"deleted": "A2"}, order_id="A2"),
    call("list_orders", [{"id": "A17", "status": "open", "total": 70}], status="open"),
]


def test_orders_are_a_collection_that_all_tools_share() -> None:
    found = learned(SHOP)
    declaration, base = parts(found)
    assert declaration["collections"] == {
        "orders": {
            "key": "id",
            "operations": ["create", "delete", "get", "list", "patch"],
            "ids": "A{{ seq }}",
            "list_in": "rows",
            "filters": {"status": "status"},
            "defaults": {"status": "open"},
        }
    }
    assert base["learned"] == {"orders": [_A1, _A2]}
    assert base["learned:keys"] == {"orders": ["A17"]}
    assert base["tools"]["cancel_order"]["call"]["body"] == {"status": "cancelled"}
    assert list(map(set, found.served)) == [set(base["tools"])]
    assert sorted(base["tools"]) == [
        "cancel_order", "create_order", "delete_order", "get_order", "list_orders"
    ]  # fmt: skip
    assert (found.left, found.recorded) == ({}, [""])


def test_each_trace_has_its_own_world_where_it_saw_another_one() -> None:
    made = {"order": {"id": "A31", "status": "open", "total": 1}}
    other = [call("get_order", _GONE, order_id="A1"), call("create_order", made, total=1)]
    found = learned(SHOP, other)
    assert found.recorded == ["", ""]
    assert found.overrides == [
        {}, {"learned": {"orders": [_GONE, _A2]}, "learned:keys": {"orders": ["A31"]}}
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("calls", "declared", "collection"),
    [
        # an id that nobody gave
        ([call("refund", {"refund": "R-778"}, order="A1", cents=40),
          call("refund", {"refund": "R-802"}, order="A2", cents=50)],
         {"call": {"method": "learned.refunds.create", "params": {}, "body": "{{ arguments }}"},
          "result": {"refund": "{{ answer['refund'] }}"}},
         {"refunds": {"key": "refund", "operations": ["create"], "ids": "R-{{ seq }}"}}),
        # arguments that rows call otherwise
        ([call("get_user", {"id": 7, "name": "Ann"}, user=7),
          call("add_user", {"id": 8, "name": "Bo"}, full_name="Bo"),
          call("get_user", {"id": 8, "name": "Bo"}, user=8)],
         {"call": {"method": "learned.users.create", "params": {},
                   "body": {"name": "{{ arguments.get('full_name') }}"}},
          "result": "{{ answer }}"},
         {"users": {"key": "id", "operations": ["create", "get"], "ids": "{{ seq }}"}}),
        # changes that arguments tell
        ([call("get_user", {"id": 7, "name": "Ann"}, user=7),
          call("rename_user", {"id": 7, "name": "Cy"}, user=7, name="Cy")],
         {"call": {"method": "learned.users.patch", "params": {"id": "{{ arguments['user'] }}"},
                   "body": "{{ arguments | without('user') }}"},
          "result": "{{ answer }}"},
         {"users": {"key": "id", "operations": ["get", "patch"]}}),
        # results that follow from arguments alone
        ([call("send_email", "Sent to ann@example.com.", to="ann@example.com", text="Hi")],
         {"call": {"method": "learned.send_email.create", "params": {},
                   "body": "{{ arguments }}"},
          "result": "Sent to {{ arguments['to'] }}."},
         {"send_email": {"key": "call", "operations": ["create"], "ids": "int"}}),
        # a text that is JSON
        ([call("get_order", '{"id": "A1", "total": 40}', order="A1")],
         {"call": {"method": "learned.orders.get", "params": {"id": "{{ arguments['order'] }}"}},
          "result": "{{ answer }}"},
         {"orders": {"key": "id", "operations": ["get"]}}),
    ],
)  # fmt: skip
def test_a_tool_is_what_its_calls_tell(
    calls: list[Interaction], declared: dict[str, Any], collection: dict[str, Any]
) -> None:
    declaration, base = parts(learned(calls))
    name = calls[-1].request.url.rpartition("/")[2]
    last = calls[-2].request.url.rpartition("/")[2] if name == "get_user" else name
    assert base["tools"][last] == declared
    assert declaration["collections"] == collection


@pytest.mark.parametrize(
    "calls",
    [
        [call("get_weather", {"temp": 3}, city="Bonn")],  # nothing comes back
        [
            call("search_flights", [{"id": "F1"}, {"id": "F2"}], date="2026-05-20")
        ],  # what is `date`?
        [call("get_order", _A1, order_id="A1", currency="EUR")],
        [call("book", {"seat": "12A"}, flight="F1")],  # whence is the seat?
        [call("book", {"id": "B1", "price": 120}, flight="F1")],
        [call("say", "Done in 7 s.", to="ann")],
        [call("get_order", KeyError("A1"), order_id="A1")],
        [call("say", "{{ hello }}", to="ann")],
    ],
)
def test_what_does_not_hold_together_is_left_to_recordings(calls: list[Interaction]) -> None:
    assert learn_tools([calls], "learned") is None


@pytest.mark.parametrize(
    ("result", "served"),
    [({"parcel": "x", "weight": 12.5}, {"send_email"}), ("Done.", {"send_email", "ship_order"})],
)
def test_rows_that_another_tool_changes_somehow_are_left_to_recordings(
    result: Any, served: set[str]
) -> None:
    calls = [
        call("get_order", _A1, order_id="A1"),
        call("ship_order", result, order_id="A1", via="rail"),
        call("send_email", "Sent.", to="ann@example.com"),
    ]
    found = learned(calls)
    assert list(map(set, found.served)) == [served]
    assert found.left == {"get_order": "what ship_order changes of its rows is not told"}


def test_rows_are_left_to_recordings_with_the_tool_that_changes_them() -> None:
    """What it changes is told, and what it returns is not."""
    calls = [
        call("get_order", _A1, order_id="A1"),
        call("cancel_order", "Code 8821.", order_id="A1"),
        call("get_order", _GONE, order_id="A1"),
        call("send_email", "Sent.", to="ann@example.com"),
    ]
    found = learned(calls)
    assert list(map(set, found.served)) == [{"send_email"}]
    assert found.left == {"get_order": "what cancel_order changes of its rows is not told"}


def test_a_creation_that_names_other_rows_is_marked() -> None:
    calls = [call("get_order", _A1, order_id="A1"),
             call("refund", {"refund": "R-778"}, order="A1")]  # fmt: skip
    found = learned(calls)
    assert list(map(set, found.served)) == [{"get_order", "refund"}]
    assert "# unsure: whether 'refund' changes rows is not told" in found.files["apis/learned.yaml"]


def test_a_tool_that_answers_otherwise_in_most_traces_is_left_to_recordings() -> None:
    other = {**_A1, "total": 41}
    calls = [call("get_order", _A1, order_id="A1"), call("get_order", other, order_id="A1"),
             call("send_email", "Sent.", to="ann@example.com")]  # fmt: skip
    found = learned(calls)
    assert list(map(set, found.served)) == [{"send_email"}]
    assert found.left == {
        "get_order": 'answers {"id":"A1","status":"open","total":40} rather than '
        '{"id":"A1","status":"open","total":41}, in 1 of 1 traces'
    }


def test_a_trace_that_is_answered_otherwise_is_left_to_its_recordings() -> None:
    good = [call("get_order", _A1, order_id="A1")]
    bad = [*good, call("get_order", _GONE, order_id="A1")]
    found = learned(good, good, bad)
    assert list(map(set, found.served)) == [{"get_order"}, {"get_order"}, set()]
    assert found.recorded[2].startswith("get_order answers")


def test_times_are_those_of_the_session() -> None:
    row = {"id": "N1", "text": "hi", "created_at": "2026-03-01T10:00:00Z"}
    calls = [call("add_note", row, text="hi"), call("get_note", row, note="N1")]
    declaration, _ = parts(learned(calls))
    assert declaration["collections"]["notes"]["created"] == "created_at"


def test_schemas_that_differ_from_trace_to_trace_allow_both() -> None:
    one = [listed("get_order", order="integer"), call("get_order", {"id": 7, "n": 1}, order=7)]
    two = [listed("get_order", order="string"), call("get_order", {"id": 7, "n": 1}, order="7")]
    _, base = parts(learned(one, two))
    assert base["tools"]["get_order"]["inputSchema"]["properties"] == {"order": {}}


_VALUES = st.sampled_from(["A1", "A2", 7, 8, True, None, "open", "{{ 7 }}", "", [1], {"a": 1}])
_ROWS = st.dictionaries(
    st.sampled_from(["id", "order_id", "status", "total", "name", "{{f}}", "a.b", ""]),
    _VALUES,
    min_size=1,
)
_RESULTS = st.one_of(
    _ROWS, st.lists(_ROWS, max_size=3), st.fixed_dictionaries({"order": _ROWS}), _VALUES,
    st.sampled_from(["Sent to A1.", KeyError("x")]),
)  # fmt: skip
_CALLS = st.builds(
    lambda name, result, arguments: call(name, result, **arguments),
    st.sampled_from(["get_order", "list_orders", "create_order", "cancel_order", "delete_order",
                     "refund", "x'y", "__"]),
    _RESULTS,
    st.dictionaries(st.sampled_from(["id", "order_id", "status", "a b", "na'me", "{{x}}"]),
                    _VALUES, max_size=3),
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(_CALLS, min_size=1, max_size=6), min_size=1, max_size=3))
def test_whatever_was_called_what_is_learned_can_be_served(traces: list[list[Interaction]]) -> None:
    found = learn_tools(traces, "learned")
    if found is not None:
        called = {called_tool(each) for trace in traces for each in trace}
        assert set().union(*found.served) <= called
        assert all(bool(served) != bool(why)
                   for served, why in zip(found.served, found.recorded, strict=True))  # fmt: skip

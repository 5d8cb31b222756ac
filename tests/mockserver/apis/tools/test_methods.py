from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.tools import call_tool, list_tools
from mockserver.apis.tools.bound_tools import TOOLS
from mockserver.apis.tools.methods import scripted_answer
from mockserver.collections import Store
from mockserver.googleapi import ApiError, Call
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)
from tests.tenants import NOW

Tool = Callable[..., Any]


def test_all_tools_are_listed_with_their_schemas(tenant: World) -> None:
    tools = {item["name"]: item for item in list_tools(tenant)["tools"]}
    assert set(tools) == {*TOOLS, "lookup", "bare", "typeless"}
    assert tools["createDLPRule"]["inputSchema"]["required"] == [
        "displayName",
        "triggers",
        "action",
    ]
    assert tools["bare"]["inputSchema"] == {"type": "object"}
    assert tools["typeless"]["inputSchema"] == {"type": "object", "required": ["id"]}


def test_a_prepared_response_is_chosen_by_the_arguments(tool: Tool) -> None:
    assert tool("lookup", id="T-1") == {"state": "open"}


def test_a_prepared_error_is_answered(tool: Tool) -> None:
    with pytest.raises(ApiError) as caught:
        tool("lookup", id="T-500")
    assert (caught.value.status, caught.value.message) == (503, "down")


def test_arguments_without_a_response_are_a_loud_miss(tool: Tool) -> None:
    with pytest.raises(ApiError) as caught:
        tool("lookup", id="T-2")
    assert caught.value.status == 404
    assert caught.value.miss is not None
    assert caught.value.miss.blame == "fixture_gap"
    assert caught.value.miss.differs == ("id: wanted 'T-1', got 'T-2'",)


def test_a_tool_without_responses_says_so(tool: Tool) -> None:
    with pytest.raises(ApiError, match="has no responses"):
        tool("bare")


@pytest.mark.parametrize(
    ("name", "arguments", "fields"),
    [
        pytest.param("lookup", {}, [""], id="missing"),
        pytest.param("lookup", {"id": "X"}, ["id"], id="pattern"),
        pytest.param("lookup", {"id": 1}, ["id"], id="type"),
        pytest.param(
            "createDLPRule", {"displayName": "", "triggers": ["X"], "action": "WARN"},
            ["displayName", "triggers[0]"], id="every violation",
        ),
        pytest.param("listDLPRules", {"colour": 1}, [""], id="unknown argument"),
    ],
)  # fmt: skip
def test_arguments_are_held_against_the_schema(
    tool: Tool, name: str, arguments: dict[str, Any], fields: list[str]
) -> None:
    with pytest.raises(ApiError) as caught:
        tool(name, **arguments)
    violations = caught.value.details[0]["fieldViolations"]
    assert caught.value.status == 400
    assert [item.get("field", "") for item in violations] == fields


def test_an_unknown_tool_names_the_nearest(tool: Tool) -> None:
    with pytest.raises(ApiError, match="Did you mean 'listDLPRules'"):
        tool("listDLPRule")
    with pytest.raises(ApiError) as caught:
        tool("zzzz")
    assert caught.value.message == "There is no tool 'zzzz'."


def test_a_bound_tool_needs_a_way_to_the_apis(tenant: World) -> None:
    with pytest.raises(ApiError) as caught:
        call_tool(Call(id="tools.listOrgUnits", params={}, body={}, world=tenant))
    assert caught.value.status == 500


TOOL: dict[str, Any] = {
    "responses": [
        {"when": {"id": "1", "deep": True}, "result": "deep"},
        {"when": {"id": "1"}, "result": {"state": "open"}},
        {"when": {"id": "2"}, "error": {"status": 403, "message": "no", "reason": "forbidden"}},
        {"when": {"id": "3"}, "error": {}},
        {"when": {"id": "4"}},
    ]
}


def scripted(tool: dict[str, Any], arguments: dict[str, Any], number: int = 1) -> Any:
    base = Base({"seats": Store({"S1": {"free": True}})}, {}, NOW)
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    world = World(base, clock=clock, ids=Ids(1), session="s1")
    return scripted_answer("lookup", tool, Call("tools.lookup", {}, arguments, world), number)


def refused(tool: dict[str, Any], arguments: dict[str, Any]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        scripted(tool, arguments)
    return caught.value


@pytest.mark.parametrize(
    ("arguments", "result"),
    [({"id": "1", "deep": True}, "deep"), ({"id": "1"}, {"state": "open"}), ({"id": "4"}, None)],
)
def test_the_first_response_that_fits_answers(arguments: dict[str, Any], result: Any) -> None:
    assert scripted(TOOL, arguments) == result


def test_a_response_without_conditions_fits_everything() -> None:
    assert scripted({"responses": [{"result": 1}]}, {"a": 2}) == 1


def test_an_error_is_answered_as_prepared() -> None:
    error = refused(TOOL, {"id": "2"})
    assert (error.status, error.message, error.reason) == (403, "no", "forbidden")
    assert error.miss is None
    assert refused(TOOL, {"id": "3"}).status == 500


def test_a_miss_names_the_nearest_response_and_how_it_differs() -> None:
    error = refused(TOOL, {"id": "9", "deep": True})
    assert error.status == 404
    assert error.miss is not None
    assert error.miss.blame == "fixture_gap"
    assert error.miss.nearest == "tools.lookup.responses[0]"
    assert error.miss.differs == ("id: wanted '1', got '9'",)
    assert "Nearest: responses[0]" in error.message


def test_a_tool_without_responses_is_a_gap_of_the_fixtures() -> None:
    error = refused({}, {})
    assert error.miss is not None
    assert (error.miss.blame, error.miss.nearest) == ("fixture_gap", "")


@pytest.mark.parametrize(
    ("response", "number", "result"),
    [
        ({"number": 2, "result": "second"}, 2, "second"),
        ({"number": {"in": [1, 3]}, "result": "odd"}, 3, "odd"),
        ({"state": "state.seats.S1.free", "result": "free"}, 1, "free"),
        ({"template": True, "result": {"n": "{{ seq }}", "id": "{{ arguments.id }}!"}}, 4,
         {"n": 4, "id": "7!"}),
        ({"template": True, "result": "{{ state.seats|length }}"}, 1, 1),
    ],
)  # fmt: skip
def test_a_response_is_for_a_call_a_state_and_a_template(
    response: dict[str, Any], number: int, result: Any
) -> None:
    assert scripted({"responses": [response]}, {"id": "7"}, number) == result


@pytest.mark.parametrize(
    ("response", "status", "said"),
    [
        ({"number": 2, "result": 1}, 404, "call number: wanted 2, got 1"),
        ({"state": "state.seats.S2.free", "result": 1}, 404, "state: state.seats.S2.free"),
        ({"template": True, "result": "{{ arguments.x }}"}, 500, "its template fails"),
        ({"state": "1 / 0", "result": 1}, 500, "its condition on the state fails"),
        ({"template": True, "error": {"status": 409, "message": "{{ arguments.id }}"}}, 409, "7"),
    ],
)
def test_why_a_response_is_not_given(response: dict[str, Any], status: int, said: str) -> None:
    error = refused({"responses": [response]}, {"id": "7"})
    assert (error.status, said in error.message) == (status, True)


def bound(call: object, answer: object = None, **tool: Any) -> tuple[Any, list[Any]]:
    """What a tool that is bound to a method answers, and what it asked."""
    asked: list[Any] = []

    def invoke(method_id: str, params: Any, body: Any = None, media: Any = None) -> Any:
        asked.append((method_id, params, body))
        return answer or {}

    world = World(
        Base({}, {}, NOW, tools={"t": {"call": call, **tool}}),
        clock=Clock("frozen", captured_at=NOW, real=lambda: NOW),
        ids=Ids(1),
        session="s1",
    )
    return call_tool(Call("tools.t", {}, {"id": "7"}, world, invoke=invoke))["result"], asked


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        ("travel.bookings.get", ("travel.bookings.get", {"id": "7"}, None)),
        ("travel.bookings.create", ("travel.bookings.create", {"id": "7"}, {"id": "7"})),
        ({"method": "a.b.get"}, ("a.b.get", {"id": "7"}, None)),
        ({"method": "a.b", "params": {"n": "{{ seq }}"}, "body": {"x": "{{ arguments.id }}"}},
         ("a.b", {"n": 1}, {"x": "7"})),
    ],
)  # fmt: skip
def test_a_tool_asks_the_method_that_it_is_bound_to(call: object, asked: object) -> None:
    assert bound(call, {"state": "open"}) == ({"state": "open"}, [asked])


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ({"result": "{{ answer.state }}!"}, "open!"),
        ({"resultLimit": 16}, {"state": "open"}),
        ({"resultLimit": 15}, '{"state":"open"... [truncated]'),
        ({"result": "{{ answer.state }}", "resultLimit": 4}, "open"),
        ({"result": "{{ answer.state }}", "resultLimit": 0}, "... [truncated]"),
        ({"outputSchema": {"type": "object"}}, {"state": "open"}),
        ({"responses": []}, {"state": "open"}),
    ],
)
def test_an_answer_becomes_the_result(tool: dict[str, Any], result: object) -> None:
    assert bound("a.get", {"state": "open"}, **tool)[0] == result


@pytest.mark.parametrize(
    ("call", "tool", "words"),
    [
        ({"method": "a", "params": "{{ x }}"}, {}, "its call fails: 'x' is undefined"),
        ({"method": "a", "params": "1"}, {}, "its call has params or a body that are no objects"),
        ({"method": "a", "body": "1"}, {}, "its call has params or a body that are no objects"),
        ("a", {"result": "{{ answer.x }}"}, "its result fails: "),
        ("a", {"outputSchema": {"type": "array"}}, "the result is not as its outputSchema says"),
    ],
)
def test_a_tool_of_the_snapshot_that_fails_says_why(
    call: object, tool: dict[str, Any], words: str
) -> None:
    with pytest.raises(ApiError, match=f"The tool 't' of the snapshot fails: {words}") as caught:
        bound(call, {"state": "open"}, **tool)
    assert (caught.value.status, caught.value.reason) == (500, "toolFailed")
    prose = bound(call, {"state": "open"}, **tool, proseErrors=True)[0]
    assert prose == f"Sorry, that did not work: {caught.value.message}"

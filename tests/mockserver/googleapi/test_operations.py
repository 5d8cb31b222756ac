from collections.abc import Mapping
from datetime import timedelta

import pytest

from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    cancel_operation,
    delete_operation,
    finished_operation,
    get_operation,
    list_operations,
    start_operation,
)
from mockserver.model import JsonObject
from mockserver.state import World
from tests.shelves import world

NAME = "projects/p/operations/o1"
ANSWERS: Mapping[str, Handler] = {
    "get": get_operation,
    "list": list_operations,
    "delete": delete_operation,
    "cancel": cancel_operation,
}


def ask(over: World, verb: str, name: str = NAME) -> JsonObject:
    answer = ANSWERS[verb](Call(verb, {"name": name}, {}, over))
    assert answer is not None
    return answer


def started(polls: int) -> tuple[World, JsonObject]:
    over = world()
    if polls:
        over.put("operationPolls", "operationPolls", {"count": polls})
    finished = {
        **finished_operation(NAME, {"name": "thing"}, "x/Thing"),
        "metadata": {"verb": "create"},
    }
    return over, start_operation(Call("x.create", {}, {}, over), NAME, finished)


def test_an_operation_is_done_at_once() -> None:
    over, answer = started(0)
    assert answer == {
        "name": NAME,
        "done": True,
        "metadata": {"verb": "create"},
        "response": {"@type": "x/Thing", "name": "thing"},
    }
    assert ask(over, "get") == answer


@pytest.mark.parametrize("polls", [1, 3])
def test_an_operation_is_done_after_so_many_polls(polls: int) -> None:
    over, answer = started(polls)
    assert answer == {"name": NAME, "metadata": {"verb": "create"}}
    seen = [ask(over, "get").get("done", False) for _ in range(polls + 1)]
    assert seen == [False] * (polls - 1) + [True, True]


def test_an_operation_is_done_when_its_time_is_over() -> None:
    over = world()
    over.put("operationSeconds", "operationSeconds", {"count": 60})
    start_operation(Call("x", {}, {}, over), NAME, {"name": NAME, "done": True})
    seen = []
    for seconds in (0, 59, 1):
        over.clock.advance(timedelta(seconds=seconds))
        (listed,) = ask(over, "list", "projects/p")["operations"]
        assert listed == ask(over, "get")
        seen.append("done" in listed)
    assert seen == [False, False, True]


def test_what_is_told_meanwhile_may_be_the_api_s_own() -> None:
    over = world()
    over.put("operationPolls", "operationPolls", {"count": 1})
    call = Call("x", {}, {}, over)
    running = start_operation(call, NAME, {"status": "DONE"}, {"status": "RUNNING"})
    assert (running, ask(over, "get")) == ({"status": "RUNNING"}, {"status": "DONE"})


def test_operations_are_listed_and_forgotten() -> None:
    over, answer = started(0)
    assert ask(over, "list", "projects/p") == {"operations": [answer]}
    assert ask(over, "list", "projects/other") == {}
    assert ask(over, "cancel") == ask(over, "delete") == {}
    assert ask(over, "list", "projects/p") == {}
    for verb in ("get", "delete", "cancel"):
        with pytest.raises(ApiError) as caught:
            ask(over, verb)
        assert caught.value.status == 404


def test_long_lists_of_operations_are_paged() -> None:
    over = world()
    for number in range(101):
        start_operation(Call("x", {}, {}, over), f"p/operations/{number}", {"done": True})
    assert "nextPageToken" in ask(over, "list", "p")


def test_nothing_made_is_an_empty_message() -> None:
    assert finished_operation("o", None)["response"] == {
        "@type": "type.googleapis.com/google.protobuf.Empty"
    }


def test_operations_are_no_change_of_a_session() -> None:
    assert started(0)[0].diff() == {}

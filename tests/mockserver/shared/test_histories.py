"""The checker of histories, and defects that it must find in two processes over one log."""

from collections.abc import Hashable, Sequence
from datetime import datetime
from itertools import combinations, count, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.shared.application import SharedApplication
from mockserver.shared.memory_log import MemoryLog
from tests.chaos.histories import Operation, contradiction, is_linearizable
from tests.chaos.loans import KEY, LIST, START, is_read, lasting_loans, loans
from tests.chaos.runs import write_suite
from tests.mockserver.shared.processes import SECRET, Processes

LOANS = "/s/one/api.library.example.com/v1/loans"
A, B = ("L1", "a"), ("L2", "b")
ANSWERS = [None, "L1", "L2", "done", "missing", (), (A,), (B,), (A, B), "lost"]
REQUESTS = [("lend", "a"), ("lend", "b"), ("return", "L1"), LIST, ("lose", 0), ("lose", 1)]


def explained_by_some_order(history: list[Operation]) -> bool:
    """The same as the checker, by trying every order of every choice of unanswered requests."""
    answered = [each for each in history if each.is_answered]
    others = [each for each in history if not each.is_answered]
    return any(
        _explains(order)
        for size in range(len(others) + 1)
        for done in combinations(others, size)
        for order in permutations([*answered, *done])
    )


def _explains(order: Sequence[Operation]) -> bool:
    states: set[Hashable] = {START}
    for place, each in enumerate(order):
        if any(later.answered < each.asked for later in order[place + 1 :]):
            return False
        states = {
            after
            for state in states
            for after, answer in loans(state, each.request)
            if answer == each.answer or not each.is_answered
        }
    return bool(states)


@st.composite
def histories(draw: st.DrawFn) -> list[Operation]:
    moments = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 6)), max_size=4))
    return [
        Operation(f"c{number}", draw(st.sampled_from(REQUESTS)), answer, asked, asked + lasted)
        if (answer := draw(st.sampled_from(ANSWERS))) is not None
        else Operation(f"c{number}", draw(st.sampled_from(REQUESTS)), None, asked)
        for number, (asked, lasted) in enumerate(moments)
    ]


@given(histories())
def test_the_search_finds_what_trying_every_order_finds(history: list[Operation]) -> None:
    explained = explained_by_some_order(history)
    assert is_linearizable(history, loans, START) is explained
    told = contradiction(history, loans, START, is_read)
    assert bool(told) is not explained
    assert not told or not is_linearizable(told, loans, START)
    if not any("lose" in each.request for each in history):  # type: ignore[operator]
        assert is_linearizable(history, lasting_loans, START) is explained


async def _answer_first(self: SharedApplication, copy: Any, record: Any) -> datetime | None:
    return record.at if record.method == "POST" else await APPEND(self, copy, record)


async def _append_twice(self: SharedApplication, copy: Any, record: Any) -> datetime | None:
    if record.method == "POST":
        await APPEND(self, copy, record)
    return await APPEND(self, copy, record)


async def _read_behind(self: SharedApplication, copy: Any, record: Any) -> datetime | None:
    return record.at if record.method == "GET" else await APPEND(self, copy, record)


APPEND = SharedApplication._append
DEFECTS = {
    "none": APPEND,
    "an answer before the append": _answer_first,
    "a doubled repeat": _append_twice,
    "a read from a copy that is behind": _read_behind,
}


@pytest.mark.parametrize("defect", DEFECTS)
async def test_defects_contradict_a_history(
    defect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = count()
    history: list[Operation] = []
    async with Processes(write_suite(tmp_path), MemoryLog()) as processes:

        async def ask(number: int, verb: str, member: str = "") -> None:
            client, asked = processes.clients[number], next(moments)
            if verb == "lend":
                sent = {"bookId": "BK2", "member": member}
                answer = await client.post(LOANS, json=sent, headers=KEY)
                said: Hashable = answer.json()["id"] if answer.is_success else answer.text
            else:
                answer = await client.get(LOANS, headers=KEY)
                said = tuple((each["id"], each["member"]) for each in answer.json())
            request = (verb, member)
            history.append(Operation(str(number), request, said, asked, next(moments)))

        opening = {"id": "one", "secret": SECRET}
        assert (await processes.clients[0].post("/_mock/sessions", json=opening)).status_code == 201
        await ask(1, "list")
        monkeypatch.setattr(SharedApplication, "_append", DEFECTS[defect])
        await ask(0, "lend", "a")
        await ask(0, "list")
        await ask(1, "list")
    told = [each.request for each in contradiction(history, lasting_loans, START, is_read)]
    assert told == ([] if defect == "none" else [("lend", "a"), LIST])

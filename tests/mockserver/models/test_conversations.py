"""Conversations that OpenAI stores for its clients."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.models.conversations import (
    Conversation,
    Conversations,
    Exchange,
    StoredResponse,
    _Latest,
)
from tests.mockserver.declared.worlds import Declared, declared
from tests.mockserver.models.suites import write_script

SCRIPT = """
replies:
  - {user: weather, calls: {look: {city: Bern}}}
  - {result: look, text: "{{ result }} in turn {{ turn }}"}
  - {text: "{{ messages | map(attribute='text') | join('|') }}"}
"""


class Client:
    def __init__(self, world: Declared) -> None:
        self._world = world

    async def send(self, verb: str, path: str, **body: Any) -> httpx.Response:
        where = f"/models/openai/v1/{path}"
        return await self._world.ask(verb, where, json=body if verb == "POST" else None)

    async def respond(self, input: Any, **more: Any) -> tuple[str, str]:
        made = (await self.send("POST", "responses", model="m", input=input, **more)).json()
        parts = made["output"][0].get("content") or [{"text": made["output"][0]["call_id"]}]
        return made["id"], parts[0]["text"]


def converse(folder: Path, talk: Any) -> Any:
    async def run() -> Any:
        async with declared(write_script(folder, SCRIPT)) as world:
            return await talk(Client(world), world)

    return asyncio.run(run())


def test_a_response_is_gone_on_from(tmp_path: Path) -> None:
    async def talk(client: Client, world: Declared) -> None:
        first, _ = await client.respond("one", instructions="Be brief.")
        second, said = await client.respond("two", previous_response_id=first)
        assert said == "one|Be brief.|one|two"
        _, said = await client.respond("three", previous_response_id=first)
        assert said == "one|Be brief.|one|three"
        _, said = await client.respond("four", previous_response_id=second)
        assert said.endswith("two|one|Be brief.|one|two|four")

    converse(tmp_path, talk)


def test_a_tool_result_finds_its_call_in_what_is_stored(tmp_path: Path) -> None:
    async def talk(client: Client, world: Declared) -> None:
        first, call = await client.respond("weather")
        output = {"type": "function_call_output", "call_id": call, "output": "rain"}
        _, said = await client.respond([output], previous_response_id=first)
        assert said == "rain in turn 1"
        assert world.journal[-1]["body"]["input"] == [output]

    converse(tmp_path, talk)


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "message"),
    [
        ("POST", "responses", {"input": "a", "previous_response_id": "resp_0"}, 400,
         "Previous response with id 'resp_0' not found."),
        ("POST", "responses", {"input": "a", "conversation": {"id": "conv_0"}}, 404,
         "Conversation with id 'conv_0' not found."),
        ("POST", "responses", {"input": "a", "conversation": "c", "previous_response_id": "r"}, 400,
         "This is no request of openai.responses.create: one of previous_response_id and "
         "conversation"),
        ("GET", "responses/resp_0", {}, 404, "Response with id 'resp_0' not found."),
        ("DELETE", "conversations/conv_0", {}, 404, "Conversation with id 'conv_0' not found."),
    ],
)  # fmt: skip
def test_what_is_not_stored_is_refused_as_the_provider_does(
    verb: str, path: str, body: Any, status: int, message: str, tmp_path: Path
) -> None:
    async def talk(client: Client, world: Declared) -> httpx.Response:
        return await client.send(verb, path, **body)

    answer = converse(tmp_path, talk)
    assert (answer.status_code, answer.json()["error"]["message"]) == (status, message)
    if "resp_0" in str(body):
        error = answer.json()["error"]
        assert (error["code"], error["param"]) == (
            "previous_response_not_found", "previous_response_id",
        )  # fmt: skip


def test_stored_responses_are_read_and_deleted(tmp_path: Path) -> None:
    async def talk(client: Client, world: Declared) -> None:
        id, said = await client.respond("one")
        found = (await client.send("GET", f"responses/{id}")).json()
        assert (found["id"], found["output"][0]["content"][0]["text"]) == (id, said)
        [item] = (await client.send("GET", f"responses/{id}/input_items")).json()["data"]
        assert (item["role"], item["content"][0]["text"]) == ("user", "one")
        assert (await client.send("DELETE", f"responses/{id}")).json()["deleted"] is True
        assert (await client.send("GET", f"responses/{id}")).status_code == 404
        assert world.journal[-1]["method_id"] == "openai.responses.retrieve"
        assert world.journal[-1]["params"] == {"id": id}
        id, _ = await client.respond("one", store=False)
        assert (await client.send("GET", f"responses/{id}")).status_code == 404
        id, _ = await client.respond("one")
        world.session.reset()
        assert (await client.send("GET", f"responses/{id}")).status_code == 404

    converse(tmp_path, talk)


def test_a_conversation_grows_with_each_request(tmp_path: Path) -> None:
    async def talk(client: Client, world: Declared) -> None:
        item = {"role": "user", "content": "zero"}
        made = (await client.send("POST", "conversations", items=[item])).json()
        assert (await client.send("GET", f"conversations/{made['id']}")).json() == made
        await client.respond("one", conversation=made["id"])
        id, said = await client.respond("two", conversation={"id": made["id"]})
        assert said == "zero|one|zero|one|two"
        listed = (await client.send("GET", f"conversations/{made['id']}/items")).json()["data"]
        assert [each["role"] for each in listed[::-1]] == [
            "user", "user", "assistant", "user", "assistant",
        ]  # fmt: skip
        found = (await client.send("GET", f"responses/{id}")).json()
        assert found["conversation"] == {"id": made["id"]}
        deleted = await client.send("DELETE", f"conversations/{made['id']}")
        assert deleted.json()["deleted"] is True

    converse(tmp_path, talk)


@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=30))
def test_no_more_is_remembered_than_there_is_room_for(steps: list[tuple[int, bool]]) -> None:
    store = Conversations(most_bytes=200)
    last: StoredResponse | None = None
    for number, (length, goes_on) in enumerate(steps):
        before = last.said if last and goes_on else None
        said = Exchange.after(before, ({"t": "x" * length},))
        last = StoredResponse({"id": number}, said.items, said)
        store.keep_response(f"resp_{number}", last)
        store.keep_conversation(f"conv_{number}", Conversation({}, said))
        store.say(f"conv_{number}", ({"t": "y"},))
        kept = [each for each in range(number + 1) if store.responses.find(f"resp_{each}")]
        assert sum(steps[each][0] + 8 for each in kept) <= 200
        assert store.begun.find(f"conv_{number}") is not None
        known = store.responses.find(f"resp_{number}")
        assert known is None or len(known.said.history()) <= number + 1


def test_what_is_forgotten_gives_its_room_back() -> None:
    store = Conversations(most_bytes=100)
    said = Exchange.after(None, ({"t": "x" * 40},))
    for number in range(5):
        store.keep_response("resp", StoredResponse({"n": number}, said.items, said))
        assert store.responses.forget("resp")
        store.keep_conversation("conv", Conversation({}, said))
        assert store.begun.forget("conv")
    assert not store.responses.forget("resp")
    assert not store.begun.forget("conv")


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9), st.sampled_from("+=-"))))
def test_the_latest_stay_as_long_as_there_is_room(
    steps: list[tuple[str, int, str]],
) -> None:
    latest = _Latest[int](15, least=1)
    kept: dict[str, int] = {}
    for id, size, how in steps:
        before = kept.pop(id, None)
        if how == "-":
            assert latest.forget(id) is (before is not None)
            continue
        latest.put(id, size, size, more=how == "+")
        kept[id] = size + (before or 0) if how == "+" else size
        while len(kept) > 1 and sum(kept.values()) > 15:
            del kept[next(iter(kept))]
        assert (len(latest.all()), latest.find(id)) == (len(kept), size)
    assert {id for id in "abcd" if latest.find(id) is not None} == kept.keys()

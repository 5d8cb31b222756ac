"""Webhooks reach addresses on this machine, and no other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

from mockserver.declared.catalog import declared_apis
from mockserver.errors import InvalidFilesError
from mockserver.googleapi import Call
from mockserver.sessions.scheduling import LONG_BODY
from mockserver.state import outbox
from tests.mockserver.declared.worlds import Declared, declared, write_suite
from tests.patience import until


@dataclass
class Receiver:
    """A server on this machine that keeps what it is sent and answers with one status."""

    url: str
    heads: list[bytes] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)


@asynccontextmanager
async def receiver(status: str = "204 No Content") -> AsyncIterator[Receiver]:
    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        found.heads.append(head)
        found.bodies.append(orjson.loads(await reader.readexactly(size)) if size else None)
        writer.write(
            f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(receive, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    found = Receiver(f"http://{host}:{port}/hook")
    async with server:
        yield found


async def deliveries(shop: Declared) -> list[str]:
    """What became of the messages, once none is on its way."""

    def told() -> list[str]:
        rows = shop.session.state(("shop:webhooks",))["shop:webhooks"]
        return [str(row["delivery"]) for row in rows.values()]

    await until(lambda: "on its way" not in told(), "every delivery")
    return told()


def suite(folder: Path, **hook: Any) -> Path:
    hooks = [{"on": "things.*", "event": "thing", **hook}]
    api = {"api": "shop", "collections": {"things": {"ids": "int"}}, "webhooks": hooks}
    return write_suite(folder, api)


def sending(folder: Path, url: str) -> AbstractAsyncContextManager[Declared]:
    return declared(suite(folder, url=url, send=True))


async def test_messages_are_sent_in_order_and_the_answer_is_recorded(tmp_path: Path) -> None:
    async with receiver() as there, declared(suite(tmp_path, url=there.url, send=True)) as shop:
        for number in range(3):
            await shop.ask("POST", "/things", json={"n": number})
        assert await deliveries(shop) == ["204"] * 3
        assert [body["data"]["n"] for body in there.bodies] == [0, 1, 2]
        head = there.heads[0].lower()
        assert head.startswith(b"post /hook http/1.1\r\n")
        assert b"x-mock-event: thing" in head
        assert "shop:webhooks" not in shop.session.world.diff()


@pytest.mark.parametrize("status", ["500 Oops", "302 Found\r\nlocation: http://10.0.0.1/"])
async def test_what_the_receiver_answers_is_recorded_and_not_followed(
    tmp_path: Path, status: str
) -> None:
    async with (
        receiver(status) as there,
        declared(suite(tmp_path, url=there.url, send=True)) as shop,
    ):
        await shop.ask("POST", "/things", json={})
        assert await deliveries(shop) == [status[:3]]
        assert len(there.bodies) == 1


async def test_a_receiver_that_is_not_there_is_told(tmp_path: Path) -> None:
    async with receiver() as there:
        url = there.url
    async with declared(suite(tmp_path, url=url, send=True)) as shop:
        assert (await shop.ask("POST", "/things", json={})).status_code == 201
        (told,) = await deliveries(shop)
        assert told.startswith("failed: ConnectError")


@pytest.mark.slow
@pytest.mark.parametrize(
    "url",
    ["http://10.0.0.1/x", "https://example.com/", "ftp://127.0.0.1/", "127.0.0.1", "http://["],
)
async def test_nothing_is_sent_to_another_machine(tmp_path: Path, url: str) -> None:
    async with declared(suite(tmp_path, url="{{ body.url }}", send=True)) as shop:
        await shop.ask("POST", "/things", json={"url": url})
        (told,) = await deliveries(shop)
        assert told.startswith("not sent: ")
        assert told.endswith("is not on this machine")


def test_a_literal_address_of_another_machine_is_an_error(tmp_path: Path) -> None:
    folder = suite(tmp_path, url="https://example.com/hook", send=True)
    with pytest.raises(InvalidFilesError, match=r"example.com/hook is not on this machine"):
        declared_apis(folder)


async def test_what_another_method_made_is_sent_once_a_request_is_answered(tmp_path: Path) -> None:
    async with receiver() as there, sending(tmp_path, there.url) as shop:
        api = shop.application.dispatcher.routes.declared.apis[0]
        api.handle(Call("shop.things.create", {}, {"n": 1}, shop.session.world))
        await shop.ask("GET", "/things")
        assert await deliveries(shop) == ["204"]


async def test_a_long_request_sends_from_its_thread(tmp_path: Path) -> None:
    async with receiver() as there, sending(tmp_path, there.url) as shop:
        await shop.ask("POST", "/things", json={"n": "x" * LONG_BODY})
        assert await deliveries(shop) == ["204"]


async def test_a_session_sends_so_many_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "_MOST_SENT", 1)
    async with receiver() as there, sending(tmp_path, there.url) as shop:
        for _ in range(2):
            await shop.ask("POST", "/things", json={})
        told = "not sent: a session sends 1 messages at the most"
        assert await deliveries(shop) == ["204", told]


async def test_without_send_messages_are_recorded_alone(tmp_path: Path) -> None:
    async with receiver() as there, declared(suite(tmp_path, url=there.url)) as shop:
        await shop.ask("POST", "/things", json={})
        rows = shop.session.state(("shop:webhooks",))["shop:webhooks"]
        assert [row.get("delivery") for row in rows.values()] == [None]
        assert there.bodies == []

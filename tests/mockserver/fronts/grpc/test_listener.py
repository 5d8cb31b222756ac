"""The listener as the server starts and stops it."""

import asyncio
import socket
import sys

import grpc
import pytest
from grpc import aio

from mockserver.errors import MockServerError, ServerUnavailableError
from mockserver.fronts.grpc import GrpcListener, Peers
from mockserver.fronts.relay import PeerSessions
from tests.mockserver.fronts.grpc.conftest import LIST, NO_SERVER, Speaking, application
from tests.patience import PATIENCE_S

EXTRA = ("grpc", "google.protobuf", "google.rpc")


def listener(port: int | None) -> GrpcListener:
    return GrpcListener(port, PeerSessions())


async def answers(port: int) -> bool:
    async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            await channel.unary_unary(LIST)(b"", timeout=PATIENCE_S)
        except aio.AioRpcError as error:
            return bool(error.code() != grpc.StatusCode.UNAVAILABLE)
        return True


async def test_it_listens_where_it_is_told_and_says_so() -> None:
    app, ours = application(), listener(0)
    await ours.start(app, NO_SERVER)
    port = app.settings.fronts["grpc"]
    assert await ours.address(app, NO_SERVER) == ("127.0.0.1", port)
    assert await answers(port)
    await ours.stop()
    assert not await answers(port)


async def test_without_a_port_it_starts_when_it_is_first_asked_for() -> None:
    app, ours = application(), listener(None)
    await ours.start(app, NO_SERVER)
    assert "grpc" not in app.settings.fronts
    first, second = await asyncio.gather(*(ours.address(app, NO_SERVER) for _ in range(2)))
    assert first == second == ("127.0.0.1", app.settings.fronts["grpc"])
    await ours.stop()


async def test_one_that_never_started_stops_too() -> None:
    await listener(None).stop()


async def test_a_port_in_use_is_told_with_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ours = listener(taken.getsockname()[1])
        with pytest.raises(ServerUnavailableError, match="cannot listen for gRPC") as caught:
            await ours.start(application(), NO_SERVER)
        assert "--grpc-port" in caught.value.hint
        await ours.stop()


async def test_two_servers_do_not_share_a_port(grpc_server: Speaking) -> None:
    with pytest.raises(ServerUnavailableError):
        await listener(grpc_server.port).start(application(), NO_SERVER)


async def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.startswith("mockserver.fronts.grpc.") and not name.endswith(".listener"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(MockServerError, match="packages that are not installed: grpc") as caught:
        await listener(0).start(application(), NO_SERVER)
    assert "understudy[grpc]" in caught.value.hint


async def test_an_ipv6_address_is_written_as_one() -> None:
    app, ours = application(host="::1"), listener(0)
    await ours.start(app, NO_SERVER)
    async with aio.insecure_channel(f"[::1]:{app.settings.fronts['grpc']}") as channel:
        with pytest.raises(aio.AioRpcError) as caught:
            await channel.unary_unary("/x/Y")(b"", timeout=PATIENCE_S)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    await ours.stop()


async def test_a_message_over_the_limit_is_refused(
    grpc_server: Speaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = b"x" * (50 * 1024 * 1024 + 1)
    error = await grpc_server.refused(LIST, large)
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert grpc_server.journal() == []


def test_the_relays_sessions_are_peers() -> None:
    kept = PeerSessions()
    peers: Peers = kept
    assert not peers
    kept.keep(40312, "s1")
    assert (len(peers), peers.of("ipv4:127.0.0.1:40312")) == (1, "s1")

"""A gRPC listener on the loop of the test, over the bundled cloud project."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
import uvicorn
from google.protobuf import json_format
from google.rpc import status_pb2
from grpc import aio

from mockserver.fronts.grpc import GrpcListener
from mockserver.fronts.relay import PeerSessions
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings
from tests.patience import until

SRE = Path(__file__).parents[4] / "fixtures" / "sre"
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
LOGGING = "/google.logging.v2.LoggingServiceV2"
LIST = f"{LOGGING}/ListLogEntries"
PROJECT = "projects/shop-prod"
NO_SERVER = cast("uvicorn.Server", None)


@dataclass
class Speaking:
    """A listener that is up, and a channel to it."""

    app: Application
    port: int
    channel: aio.Channel
    peers: PeerSessions

    async def ask(self, path: str, request: Any, answer: Any, **metadata: str) -> Any:
        sent = [(name.replace("_", "-"), value) for name, value in metadata.items()]
        call = self.channel.unary_unary(
            path,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )
        return await call(request, metadata=sent)

    async def refused(self, path: str, content: bytes = b"", **metadata: str) -> aio.AioRpcError:
        sent = [(name.replace("_", "-"), value) for name, value in metadata.items()]
        with pytest.raises(aio.AioRpcError) as caught:
            await self.channel.unary_unary(path)(content, metadata=sent)
        return caught.value

    async def asked(self, session: str = "default") -> None:
        """Waits until the session was asked something."""
        await until(lambda: self.journal(session))

    def journal(self, session: str = "default") -> list[dict[str, Any]]:
        found = self.app.sessions.find(session)
        assert found is not None
        entries: list[dict[str, Any]] = found.journal.as_json(session)["entries"]
        return entries


def details_of(error: aio.AioRpcError) -> list[dict[str, Any]]:
    """The details of an error, from its trailing metadata."""
    trailers = dict(error.trailing_metadata())
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    return [json_format.MessageToDict(each) for each in status.details]


def application(**settings: Any) -> Application:
    settings = {"fixtures": SRE, "default": SessionSpec(), **settings}
    return Application(Settings(**settings), real=lambda: NOW)


@pytest.fixture
async def grpc_server() -> AsyncIterator[Speaking]:
    app, peers = application(), PeerSessions()
    listener = GrpcListener(0, peers)
    await listener.start(app, NO_SERVER)
    port = app.settings.fronts["grpc"]
    async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Speaking(app, port, channel, peers)
    await listener.stop()


def code(error: aio.AioRpcError) -> grpc.StatusCode:
    return error.code()

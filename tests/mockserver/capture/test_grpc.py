import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from google.cloud.logging_v2.types import ListLogsRequest, ListLogsResponse

from mockserver.capture import grpc_messages
from mockserver.capture.grpc_calls import ForwardedCall, metadata_headers
from mockserver.capture.grpc_messages import MessageReader
from mockserver.cassettes.files import read_cassette
from mockserver.fronts.grpc.registry import Rpc
from mockserver.model import Chunk, Interaction
from tests.wires import Forwarding, forwarding

SERVICE = "google.logging.v2.LoggingServiceV2"
ASKED = ListLogsRequest.serialize(ListLogsRequest(parent="projects/p"))
ANSWER = ListLogsResponse.serialize(ListLogsResponse(log_names=["projects/p/logs/a"]))


def seen(method: str = "ListLogs", **told: object) -> ForwardedCall:
    call = ForwardedCall(
        "logging.googleapis.com:443", f"/{SERVICE}/{method}", (("x-a", "1"),), "2026"
    )
    call.requests, call.responses = [ASKED], [(1.0, ANSWER)]
    for name, value in told.items():
        setattr(call, name, value)
    return call


@pytest.fixture(scope="module")
def messages() -> MessageReader:
    return MessageReader()


async def test_a_call_is_recorded_as_json_with_its_status(messages: MessageReader) -> None:
    found = await messages.interaction(seen(trailing=(("x-trail", "t"),)))
    assert isinstance(found, Interaction)
    assert found.request.url == f"https://logging.googleapis.com/{SERVICE}/ListLogs"
    assert json.loads(found.request.body) == {"parent": "projects/p"}
    assert json.loads(found.response.body) == {"logNames": ["projects/p/logs/a"]}
    assert {("grpc-status", "0"), ("x-trail", "t")} <= set(found.response.headers)
    assert found.method_id == f"{SERVICE}.ListLogs"


async def test_an_error_is_recorded_with_its_code_and_text(messages: MessageReader) -> None:
    found = await messages.interaction(seen(code=5, message="no such project", responses=[]))
    assert isinstance(found, Interaction)
    assert {("grpc-status", "5"), ("grpc-message", "no such project")} <= set(
        found.response.headers
    )
    assert found.response.body == b""


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        pytest.param(
            ForwardedCall("a:443", "/acme.v1.Things/Get", (), ""),
            "no installed package",
            id="no package",
        ),
        pytest.param(seen("NoSuchCall"), "no installed package", id="no such call"),
        pytest.param(seen("TailLogEntries"), "sends a stream", id="a stream"),
        pytest.param(seen(requests=[b"\xff\xff"]), "are not those", id="other messages"),
    ],
)
async def test_what_cannot_be_read_says_why(
    messages: MessageReader, call: ForwardedCall, reason: str
) -> None:
    found = await messages.interaction(call)
    assert isinstance(found, str)
    assert reason in found


def test_a_stream_is_one_list_whose_pieces_are_its_messages() -> None:
    rpc = Rpc("/a.B/C", "a.example.com", ListLogsRequest.pb(), ListLogsResponse.pb())
    call = seen(responses=[(1.0, ANSWER), (20.0, ANSWER)])
    response = grpc_messages._interaction(call, rpc, streams=True).response
    assert len(json.loads(response.body)) == 2
    first, second = response.chunks
    assert (first.at_ms, second.at_ms) == (1.0, 20.0)
    assert first.size + second.size == len(response.body)
    assert response.body[: first.size].startswith(b"[")


def test_a_stream_without_messages_is_an_empty_list() -> None:
    rpc = Rpc("/a.B/C", "a.example.com", ListLogsRequest.pb(), ListLogsResponse.pb())
    response = grpc_messages._interaction(seen(responses=[]), rpc, streams=True).response
    no_chunks: tuple[Chunk, ...] = ()
    assert (response.body, response.chunks) == (b"[]", no_chunks)


def test_binary_metadata_is_written_as_on_the_wire() -> None:
    assert metadata_headers([("a", "b"), ("c-bin", b"\x00\x01")]) == (("a", "b"), ("c-bin", "AAE"))


LIST_LOGS = "/google.logging.v2.LoggingServiceV2/ListLogs"


class Live(grpc.GenericRpcHandler):  # type: ignore[misc]
    """A live API: lists logs, and echoes whatever else it is sent."""

    def service(self, details: Any) -> Any:
        if details.method != LIST_LOGS:
            return grpc.stream_stream_rpc_method_handler(lambda requests, _: requests)
        return grpc.unary_unary_rpc_method_handler(self.list_logs)

    def list_logs(self, content: bytes, context: Any) -> bytes:
        context.set_trailing_metadata((("x-trail", "t1"),))
        request = ListLogsRequest.deserialize(content)
        if request.parent == "projects/none":
            context.abort(grpc.StatusCode.NOT_FOUND, "no such project")
        answer = ListLogsResponse(log_names=[f"{request.parent}/logs/a"])
        return bytes(ListLogsResponse.serialize(answer))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Where a live API speaks gRPC under TLS, and whom it is trusted by."""
    folder = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    pair = (leaf.private_key_pem.bytes(), leaf.cert_chain_pems[0].bytes())
    server = grpc.server(ThreadPoolExecutor(2), handlers=(Live(),))
    port = server.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    server.start()
    yield f"127.0.0.1:{port}", folder / "ca.pem"
    server.stop(None)


def channel_of(proxy: Forwarding, target: str) -> Any:
    trust = grpc.ssl_channel_credentials(proxy.trusted.read_bytes())
    return grpc.aio.secure_channel(target, trust, (("grpc.http_proxy", proxy.url),))


async def list_logs(channel: Any, parent: str) -> str:
    call = channel.unary_unary(LIST_LOGS)
    try:
        content = await call(ListLogsRequest.serialize(ListLogsRequest(parent=parent)))
    except grpc.aio.AioRpcError as error:
        return f"{error.code().name}: {error.details()}"
    return str(ListLogsResponse.deserialize(content).log_names[0])


async def test_calls_are_passed_on_and_those_that_can_be_read_are_recorded(
    tmp_path: Path, api: tuple[str, Path]
) -> None:
    target, trusted = api
    async with forwarding(tmp_path, trusted) as proxy, channel_of(proxy, target) as live:
        assert await list_logs(live, "projects/p") == "projects/p/logs/a"
        assert await list_logs(live, "projects/none") == "NOT_FOUND: no such project"
        assert await live.unary_unary("/acme.v1.Things/Echo")(b"hello") == b"hello"
        found = read_cassette(tmp_path / "a.recording.yaml").interactions
        [note] = proxy.proxying.queue.unrecorded
        assert note.request == f"gRPC {target}/acme.v1.Things/Echo"
    statuses = [dict(one.response.headers)["grpc-status"] for one in found]
    assert statuses == ["0", "5"]
    assert found[0].request.url == f"https://{target}{LIST_LOGS}"


async def test_an_api_that_is_not_there_is_said(tmp_path: Path, api: tuple[str, Path]) -> None:
    async with forwarding(tmp_path, api[1]) as proxy, channel_of(proxy, "127.0.0.1:1") as nowhere:
        assert (await list_logs(nowhere, "projects/p")).startswith("UNAVAILABLE")
        queue = proxy.proxying.queue
        assert [note.reason for note in queue.unrecorded] == ["it cannot be reached"]

import json

import pytest
from google.cloud.logging_v2.types import ListLogsRequest, ListLogsResponse

from mockserver.capture import grpc
from mockserver.capture.grpc import ForwardedCall, MessageReader, metadata_headers
from mockserver.fronts.grpc.registry import Rpc
from mockserver.model import Chunk, Interaction

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
    response = grpc._interaction(call, rpc, streams=True).response
    assert len(json.loads(response.body)) == 2
    first, second = response.chunks
    assert (first.at_ms, second.at_ms) == (1.0, 20.0)
    assert first.size + second.size == len(response.body)
    assert response.body[: first.size].startswith(b"[")


def test_a_stream_without_messages_is_an_empty_list() -> None:
    rpc = Rpc("/a.B/C", "a.example.com", ListLogsRequest.pb(), ListLogsResponse.pb())
    response = grpc._interaction(seen(responses=[]), rpc, streams=True).response
    no_chunks: tuple[Chunk, ...] = ()
    assert (response.body, response.chunks) == (b"[]", no_chunks)


def test_binary_metadata_is_written_as_on_the_wire() -> None:
    assert metadata_headers([("a", "b"), ("c-bin", b"\x00\x01")]) == (("a", "b"), ("c-bin", "AAE"))

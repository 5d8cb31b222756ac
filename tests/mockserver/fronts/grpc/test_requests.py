"""What a request asks."""

from typing import Any

import pytest
from google.cloud.logging_v2.types import ListLogsRequest, WriteLogEntriesRequest
from google.protobuf import any_pb2, timestamp_pb2

from mockserver.apis import APIS
from mockserver.asgi.requests import Name
from mockserver.fronts.grpc.methods import GrpcMethods, KnownCall
from mockserver.fronts.grpc.registry import installed_services, rpcs_of_service
from mockserver.fronts.grpc.requests import (
    CallMetadata,
    Metadata,
    RequestReader,
    _holds_at_most,
    call_metadata,
)
from mockserver.routing import Routes
from mockserver.sources.dispatch import DecodedCall

SERVICES = installed_services()
KNOWLEDGE = GrpcMethods(Routes(APIS), SERVICES)
CALLER = CallMetadata((), (), "token", b"client")
LOGS, WRITE = ListLogsRequest.pb(), WriteLogEntriesRequest.pb()


def known(path: str) -> KnownCall:
    if KNOWLEDGE.at_hand(path) is None:
        KNOWLEDGE._learn(SERVICES[path[1:].partition("/")[0]])
    found = KNOWLEDGE.at_hand(path)
    assert found is not None
    return found


def read(call: str, message: Any, host: str = "") -> tuple[str, DecodedCall]:
    content = message if isinstance(message, bytes) else message.SerializeToString()
    meaning, direct = RequestReader().read(known(f"/google.{call}"), content, CALLER, host)
    return meaning.route.method_id, direct


LIST_LOGS, WRITE_ENTRIES = (
    "logging.v2.LoggingServiceV2/ListLogs",
    ("logging.v2.LoggingServiceV2/WriteLogEntries"),
)


@pytest.mark.parametrize(
    ("parent", "method_id"),
    [
        ("projects/p", "logging.projects.logs.list"),
        ("folders/1", "logging.folders.logs.list"),
        ("organizations/1", "logging.organizations.logs.list"),
        ("billingAccounts/1", "logging.billingAccounts.logs.list"),
    ],
    ids=["project", "folder", "organization", "account"],
)
def test_the_name_of_the_resource_tells_the_method(parent: str, method_id: str) -> None:
    found, direct = read(LIST_LOGS, LOGS(parent=parent, page_size=5))
    assert (found, direct.problem) == (method_id, None)
    assert direct.params == {"parent": parent, "pageSize": 5}
    assert (direct.token, direct.client) == ("token", b"client")
    assert direct.request_bytes > 5


@pytest.mark.parametrize(
    ("message", "status", "code", "says"),
    [
        (b"\xff", 500, "INTERNAL", "Exception deserializing request!"),
        (LOGS(parent="nonsense"), 400, "", "Invalid resource name 'nonsense'."),
        (LOGS(), 400, "", "Resource name is missing."),
    ],
    ids=["bytes", "name", "no-name"],
)
def test_what_cannot_be_asked_says_why(message: Any, status: int, code: str, says: str) -> None:
    problem = read(LIST_LOGS, message)[1].problem
    assert problem is not None
    assert (problem.status, problem.code_name, problem.message) == (status, code, says)
    assert problem.miss is not None
    assert problem.miss.blame == "agent_error"


@pytest.mark.parametrize(
    "entry",
    [
        {"proto_payload": any_pb2.Any(type_url="type.googleapis.com/example.Unheard", value=b"x")},
        {"timestamp": timestamp_pb2.Timestamp(seconds=2**60)},
    ],
    ids=["any", "time"],
)
def test_what_json_cannot_say_is_an_invalid_argument(entry: dict[str, Any]) -> None:
    problem = read(WRITE_ENTRIES, WRITE(entries=[entry]))[1].problem
    assert problem is not None
    assert (problem.status, problem.code_name) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    ("message", "values"),
    [
        (WRITE(), 0),
        (WRITE(log_name="a", dry_run=True), 2),
        (WRITE(labels={"a": "b", "c": "d"}), 2),
        (WRITE(entries=[{"text_payload": "x"}, {}, {"labels": {"a": "b"}, "insert_id": "1"}]), 6),
        (WRITE(resource={"type": "x", "labels": {"a": "b"}}), 3),
        (WRITE(entries=[{"json_payload": {"a": [1, {"b": True}]}}]), 10),
    ],
    ids=["nothing", "plain", "a map", "several", "inside", "json"],
)
def test_values_of_a_message_are_counted_with_those_inside(message: Any, values: int) -> None:
    assert [_holds_at_most(message, most) for most in (values - 1, values)] == [False, True]


def test_a_long_request_may_hold_lists_of_lists() -> None:
    payload = {"a": [["x" * 100_000]]}
    direct = read(WRITE_ENTRIES, WRITE(entries=[{"json_payload": payload}]))[1]
    assert (direct.problem, direct.body) == (None, {"entries": [{"jsonPayload": payload}]})


def test_what_was_read_once_is_handed_over_again_unless_it_could_be_changed() -> None:
    reader, call = RequestReader(), known(f"/google.{LIST_LOGS}")
    content = LOGS(parent="projects/p").SerializeToString()
    first, second = (reader.read(call, content, CALLER, "")[1] for _ in range(2))
    assert first.params is second.params
    call, content = (
        known(f"/google.{WRITE_ENTRIES}"),
        WRITE(entries=[{"text_payload": "x"}]).SerializeToString(),
    )
    first, second = (reader.read(call, content, CALLER, "")[1] for _ in range(2))
    assert first.body == second.body
    assert first.body is not second.body


def test_no_more_than_a_thousand_requests_are_kept() -> None:
    reader, call = RequestReader(), known(f"/google.{LIST_LOGS}")
    for number in range(1100):
        reader.read(call, LOGS(parent=f"projects/p{number}").SerializeToString(), CALLER, "")
    assert len(reader._kept) == 1024


def test_every_call_of_logging_has_a_handler_or_says_that_it_has_none() -> None:
    service = SERVICES["google.logging.v2.LoggingServiceV2"]
    for rpc in rpcs_of_service(service):
        assert known(rpc.path).meanings


TOKEN = ("token", "b")
BAGGAGE = (("baggage", "d"),)
BEARER = ("authorization", "bearer ya29.mock~b~0")


@pytest.mark.parametrize(
    ("metadata", "names", "baggage"),
    [
        ((), (), ()),
        ((("x-mock-session", "a"), BEARER), (("header", "a"), TOKEN), ()),
        ((("x-mock-session", ""), BEARER), (("header", ""), TOKEN), ()),
        ((BEARER, ("baggage", "mock.session=d")), (TOKEN,), BAGGAGE),
        ((("authorization", "Bearer of-someone-else"),), (), ()),
        ((("authorization", "Basic ya29.mock~b~0"), ("baggage", "mock.session=d")), (), BAGGAGE),
        ((("baggage", "a=1 , mock.session = d;ttl=5,b=2"),), (), BAGGAGE),
        ((("baggage", "notmock.session=d"),), (), ()),
        ((("x-mock-session", b"raw"),), (("header", "raw"),), ()),
    ],
    ids=[
        "nothing", "header-first", "empty-header", "token", "other-token", "baggage",
        "baggage-list", "other-baggage", "bytes",
    ],
)  # fmt: skip
def test_the_names_of_sessions_are_in_order(
    metadata: Metadata, names: tuple[Name, ...], baggage: tuple[Name, ...]
) -> None:
    assert call_metadata(metadata)[:2] == (names, baggage)


def test_the_client_library_is_told_before_the_agent() -> None:
    metadata = (("user-agent", "grpc-python/1"), ("x-goog-api-client", "gl-python/3 gapic/2"))
    assert call_metadata(metadata).client == b"gl-python/3 gapic/2"
    assert call_metadata(metadata[:1]).client == b"grpc-python/1"
    assert call_metadata(()).client == b""


def test_a_token_is_kept_as_sent() -> None:
    assert call_metadata((("authorization", "Bearer  ya29.x "),)).token == "ya29.x"

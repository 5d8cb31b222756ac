"""What no client should send to the console is answered with a 4xx, and the server goes on."""

import random
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from time import process_time
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from pydantic import BaseModel, ValidationError

from harness.server import Settings
from harness.server.messages import (
    MOST_CONTAINERS,
    MOST_PROBLEMS,
    RefusedError,
    invalid_response,
    parse_body,
)
from harness.server.run_queue import RunQueue
from harness.server.schemas import RagOrder
from harness.server.settings import MAX_BODY_BYTES
from tests.harness.conftest import write_suite
from tests.harness.server.conftest import Api, serving
from tests.patience import PATIENCE_S

SEED = 9
ROUNDS = 400
JSON = {"content-type": "application/json"}
DEEP = b'{"agent":' * 900 + b"1" + b"}" * 900

NAMES = [
    "", "...", "%2e", "%2e%2e", "%2f", "..%2f..%2fetc%2fpasswd", "%00", "a%00b", "%0a", "%20",
    "a" * 255, "a" * 256, "a" * 5000, "%ff%fe", "%ed%a0%80", "%ed%bf%bf", "%F0%9F%98%80" * 100,
    "%c3%a9" * 128, "CON", "-", "%27%3b--", "%25s%25n", "{id}", "nan", "9" * 30, "-1", "latest",
    "manifest.json", "%5c..%5c", "baselines.json", "office%2f..%2foffice", "é" * 200,
]  # fmt: skip
"""What stands in a path for a name, as it is sent."""

NUMBERS = [
    b"0", b"-1", b"1.5", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616",
    b"1" + b"0" * 400, b"1e400", b"-1e400", b"1e308", b"5e-324", b"NaN", b"Infinity", b"-0",
    b"0x10", b"1_000",
]  # fmt: skip
OTHERS = [
    b"null", b"true", b"[]", b"{}", b'""', b'"\\u0000"', b'"\\ud800"', b'"\\udfff\\ud800"',
    b'"' + b"a" * 70_000 + b'"', b'"../../etc/passwd"', b'"' + b"\xff\xfe" + b'"', b"[[[[]]]]",
    b'{"a":' * 200 + b"1" + b"}" * 200, b"[" * 1100 + b"]" * 1100, b'["a","a"]', b"{", b"",
    b'"\\n\\r\\t"', b'"%s%n{0}"', b'"oracle"', b'"http://["', b'"http://127.0.0.1:99999999/"',
    b'"scripted:\\u0000"', b'"scripted:' + b"a" * 300 + b'"', b'"command:"', b'"http:http://\\u0000/"',
    b'"service:http://a..b/"', b'"rate:nan"', b'"pass_hat:999999999999999999999:0.5"',
]  # fmt: skip


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server with one run, so that what is asked of runs has something to go wrong with."""
    folder = tmp_path_factory.mktemp("hostile")
    write_suite(folder / "suites" / "office")
    settings = Settings(runs=folder / "runs", suites=folder / "suites", max_waiting=100_000)
    with serving(settings) as api, pytest.MonkeyPatch.context() as patch:
        api.make()
        patch.setattr(RunQueue, "_perform", _nothing)
        yield api


async def _nothing(_runs: RunQueue, _run: object) -> None:
    """What a run does here: requests are tried, not agents."""


@pytest.fixture(autouse=True)
def goes_on(api: Api) -> Iterator[None]:
    yield
    said = api.get("/api/health").json()
    assert said["status"] == "ok", said


def described(api: Api) -> list[tuple[str, str, dict[str, Any]]]:
    paths = api.get("/openapi.json").json()["paths"]
    return [
        (verb.upper(), path, operation)
        for path, operations in paths.items()
        for verb, operation in operations.items()
    ]


def sent(api: Api, verb: str, path: str, content: bytes | None = None) -> Any:
    headers = {} if content is None else JSON
    return api.request(verb, path, content=content, headers=headers)


def refused(answer: Any) -> bool:
    return 400 <= int(answer.status_code) < 500


@pytest.mark.slow
def test_a_name_that_is_none_is_refused_wherever_it_stands(api: Api) -> None:
    found = []
    for verb, path, operation in described(api):
        content = b'{"agent": "oracle"}' if path.endswith("/run") else b"{}"
        body = content if "requestBody" in operation else None
        for name in NAMES if "{" in path else ():
            answer = sent(api, verb, re.sub(r"\{\w+\}", name, path), body)
            if not refused(answer):
                found.append((verb, path, name[:40], answer.status_code, answer.text[:200]))
    assert found == []


@pytest.mark.slow
def test_a_query_that_makes_no_sense_is_refused_or_finds_nothing(api: Api) -> None:
    values, found = [*NAMES, *(quote(number) for number in NUMBERS), "%00" * 3000], []
    for verb, path, operation in described(api):
        names = [each["name"] for each in operation["parameters"] if each["in"] == "query"]
        for name, value in product(names, values):
            answer = sent(api, verb, f"{path.replace('{suite}', 'office')}?{name}={value}")
            if answer.status_code >= 500:
                found.append((path, name, value[:40], answer.status_code, answer.text[:200]))
    assert found == []


def test_a_body_that_is_no_object_of_the_route_is_refused(api: Api) -> None:
    found = []
    for verb, path, operation in described(api):
        needed = operation.get("requestBody", {}).get("required")
        for content in [*NUMBERS, *OTHERS, DEEP] if needed else ():
            answer = sent(api, verb, path.replace("{name}", "office"), content)
            if not refused(answer):
                found.append((path, content[:40], answer.status_code, answer.text[:200]))
    assert found == []


@pytest.mark.slow
def test_no_field_of_a_body_brings_the_server_down(api: Api) -> None:
    schemas, found = api.get("/openapi.json").json()["components"]["schemas"], []
    for verb, path, operation in described(api):
        if "requestBody" not in operation:
            continue
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = schemas[reference.rpartition("/")[2]]
        for field, value in product(schema["properties"], [*NUMBERS, *OTHERS]):
            body = {name: VALID[name] for name in schema.get("required", []) if name != field}
            content = encoded(body | {field: Raw(value)})
            answer = sent(api, verb, path.replace("{name}", "office"), content)
            if answer.status_code >= 500:
                found.append((path, field, value[:40], answer.status_code, answer.text[:200]))
    assert found == []


VALID: dict[str, Any] = {
    "agent": "null",
    "provider": "null",
    "suiteId": "office",
    "name": "made",
    "tasks": [{"id": "t", "category": "bug_fix", "prompt": "p"}],
    "queries": [{"relevant": ["a"], "retrieved": ["a"]}],
    "relevant": ["a"],
    "retrieved": ["a"],
}


@pytest.mark.slow
def test_a_seeded_walk_through_the_description_meets_no_server_error(api: Api) -> None:
    draw, found = random.Random(SEED), []
    operations = described(api)
    schemas = api.get("/openapi.json").json()["components"]["schemas"]
    for _ in range(ROUNDS):
        verb, path, operation = draw.choice(operations)
        asked = re.sub(r"\{\w+\}", lambda _: draw.choice([*NAMES, "office", "latest"]), path)
        if path.endswith("/events"):
            continue
        queries = [each["name"] for each in operation["parameters"] if each["in"] == "query"]
        if queries and draw.random() < 0.7:
            asked += "?" + "&".join(f"{draw.choice(queries)}={draw.choice(NAMES)}" for _ in "abc")
        content = None
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            content = encoded(drawn(schema, schemas, draw))
        answer = sent(api, verb, asked, content)
        if answer.status_code >= 500:
            found.append((verb, asked[:200], (content or b"")[:300], answer.text[:200]))
    assert found == []


class Raw(bytes):
    """A piece of JSON as it is sent, valid or not."""


def drawn(schema: dict[str, Any], schemas: dict[str, Any], draw: random.Random) -> Any:
    """Something of a schema, or now and then something that is not of it."""
    if draw.random() < 0.12:
        return Raw(draw.choice([*NUMBERS, *OTHERS]))
    if "$ref" in schema:
        return drawn(schemas[schema["$ref"].rpartition("/")[2]], schemas, draw)
    if "anyOf" in schema:
        return drawn(draw.choice(schema["anyOf"]), schemas, draw)
    if "enum" in schema:
        return draw.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items", {})
        return [drawn(items, schemas, draw) for _ in range(draw.randrange(3))]
    if kind in {"integer", "number"}:
        return draw.choice([0, 1, -1, 2**31, 2**63, 2**64, 0.5, 1e300])
    if kind == "object":
        fields, needed = schema.get("properties", {}), set(schema.get("required", ()))
        chosen = [name for name in fields if name in needed or draw.random() < 0.3]
        return {name: drawn(fields[name], schemas, draw) for name in chosen}
    texts = ["", "null", "office", "latest", "\0", "../x", "é" * 300, "x" * 3000, "current"]
    return draw.choice(texts)


def encoded(value: Any) -> bytes:
    if isinstance(value, Raw):
        return bytes(value)
    if isinstance(value, dict):
        fields = (orjson.dumps(name) + b":" + encoded(each) for name, each in value.items())
        return b"{" + b",".join(fields) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(map(encoded, value)) + b"]"
    return str(value).encode() if isinstance(value, int | float) else orjson.dumps(value)


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        (b'{"queries":[' + b"[],[]," * 150_000 + b"[]]}", 413, "lists and objects"),
        (b'{"queries":[' + b"[],[]," * 9_000 + b"[]]}", 422, "is not what this route takes"),
        (b'{"queries":[' + b"1," * 500_000 + b"1]}", 422, "is not what this route takes"),
        (b"{" + b",".join(b'"k%d":0' % n for n in range(90_000)) + b"}", 413, "members"),
        (b"{" + b",".join(b'"k%d":0' % n for n in range(900)) + b"}", 422, "is not what"),
        (b'{"queries":[' + b" " * MAX_BODY_BYTES + b"]}", 413, "longer than 1 MiB"),
        (
            b'{"queries":[' + b'{"relevant":["a"],"retrieved":["a"]},' * 20_001 + b"{}]}",
            413,
            "more",
        ),
    ],
    ids=["containers", "lists", "numbers", "members", "unknown", "bytes", "queries"],
)
def test_a_body_is_bounded_in_bytes_and_in_parts(
    api: Api, content: bytes, status: int, says: str
) -> None:
    answer = sent(api, "POST", "/api/eval/rag", content)
    assert (answer.status_code, says in answer.json()["error"]["message"]) == (status, True)
    assert len(answer.json()["error"]["problems"]) <= MOST_PROBLEMS
    assert len(answer.content) < 16 * 1024


def test_the_work_for_a_body_grows_with_its_bytes_alone() -> None:
    """CPU seconds of the worst bodies of their length, against those of a plain one."""
    plain = _cpu_s(
        RagOrder, b'{"queries":[{"relevant":["a"],"retrieved":[' + b'"a",' * 60_000 + b'"a"]}]}'
    )
    for content in (
        b'{"queries":[' + b"[]," * 19_000 + b"[]]}",
        b'{"queries":[{"relevant":["a"],"retrieved":[' + b"1," * 120_000 + b"1]}]}",
        b'{"queries":[' + b'{"relevant":[],"retrieved":[]},' * 6_000 + b"{}]}",
        b'{"queries":[{' + b",".join(b'"k%d":0' % n for n in range(999)) + b"}]}",
    ):
        assert _cpu_s(RagOrder, content) < 60 * plain + 0.05


def _cpu_s(model: type[BaseModel], content: bytes) -> float:
    """The least of three tries."""
    took = []
    for _ in range(3):
        before = process_time()
        try:
            model.model_validate(parse_body(content))
        except (ValidationError, RefusedError) as error:
            if isinstance(error, ValidationError):
                invalid_response(error)
        took.append(process_time() - before)
    return min(took)


@pytest.mark.parametrize("count", [MOST_CONTAINERS - 10, MOST_CONTAINERS + 10])
def test_what_may_be_sent_is_taken_up_to_the_limit(api: Api, count: int) -> None:
    query = b'{"relevant":["a"],"retrieved":["a"]}'
    content = b'{"queries":[' + b",".join([query] * ((count - 2) // 3)) + b"]}"
    expected = 200 if count < MOST_CONTAINERS else 413
    assert sent(api, "POST", "/api/eval/rag", content).status_code == expected


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        b"POST /api/eval/rag HTTP/1.1\r\nHost: localhost:%d\r\nContent-Length: 99\r\n"
        b"Content-Type: application/json\r\n\r\n{",
    ],
    ids=["nothing", "head", "body"],
)
def test_a_request_that_never_ends_is_let_go(
    api: Api, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("HEAD_S", "SILENCE_S"):
        monkeypatch.setattr(f"mockserver.asgi.server.{limit}", 0.0)
    monkeypatch.setattr("mockserver.asgi.server._TICKS", 1)
    with socket.create_connection(("127.0.0.1", api.port)) as connection:
        connection.settimeout(PATIENCE_S)
        connection.sendall(sent.replace(b"%d", str(api.port).encode()))
        with suppress(ConnectionError):
            assert connection.recv(1) == b""


def test_a_head_without_end_is_refused(api: Api) -> None:
    with socket.create_connection(("127.0.0.1", api.port)) as connection:
        connection.settimeout(PATIENCE_S)
        with suppress(ConnectionError):
            connection.sendall(b"GET /api/health HTTP/1.1\r\nX-Long: " + b"a" * 4_000_000)
        with suppress(ConnectionError):
            assert connection.recv(16) in {b"HTTP/1.1 431 Req", b""}

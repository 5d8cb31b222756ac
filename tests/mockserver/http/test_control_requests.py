"""What the control API makes of the bodies it is sent."""

from collections.abc import AsyncIterator

import httpx
import orjson
import pytest

from mockserver.asgi.requests import MAX_BODY_BYTES
from mockserver.http.application import Application

SESSIONS = "/_mock/sessions"
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"cse": "EC-001"}, ["/cse: unknown field; did you mean 'case'?"]),
        (
            {"faults": [{"method": "x", "stats": 429}]},
            ["/faults/0/stats: unknown field; did you mean 'status'?"],
        ),
        ({"profle": "x", "seed": "s3cret"}, ["/seed: ", "/profle: unknown field"]),
        ([], ["the body: must be an object"]),
    ],
    ids=["session", "fault", "several", "no object"],
)
async def test_every_wrong_field_is_named_and_no_value_is_shown(
    client: httpx.AsyncClient, body: object, says: list[str]
) -> None:
    answer = await client.post(SESSIONS, json=body)
    message = answer.json()["error"]["message"]
    assert answer.status_code == 400
    assert all(line.startswith(say) for line, say in zip(message.split("\n"), says, strict=True))
    assert "s3cret" not in message


@pytest.mark.parametrize(
    "content",
    [b"{", b'{"id": "\xff"}', b'{"a":' * 10_000 + b"1" + b"}" * 10_000],
    ids=["broken", "utf-8", "deep"],
)
async def test_what_is_no_json_is_refused(client: httpx.AsyncClient, content: bytes) -> None:
    answer = await client.post(SESSIONS, content=content, headers=JSON)
    assert answer.status_code == 400
    said = answer.json()["error"]["message"]
    assert said.startswith(("the body is not JSON: ", "Message too deep."))


async def chunks() -> AsyncIterator[bytes]:
    for _ in range(MAX_BODY_BYTES // 2**20 + 1):
        yield b" " * 2**20


async def test_a_body_over_the_limit_is_not_held(client: httpx.AsyncClient) -> None:
    for content in (b" " * (MAX_BODY_BYTES + 1), chunks()):
        answer = await client.post(SESSIONS, content=content, headers=JSON)
        assert answer.status_code == 413
        assert "over the limit of 52428800 bytes" in answer.json()["error"]["message"]


async def test_a_caller_that_leaves_midway_changes_nothing(app: Application) -> None:
    messages = iter([{"type": "http.request", "body": b"{", "more_body": True}])
    sent = []

    async def receive() -> dict[str, object]:
        return next(messages, {"type": "http.disconnect"})

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    json = (b"content-type", b"application/json")
    head = [(b"host", b"127.0.0.1:8765"), json, (b"content-length", b"99")]
    scope = {"type": "http", "method": "POST", "raw_path": SESSIONS.encode(), "path": SESSIONS,
             "root_path": "", "query_string": b"", "headers": head}  # fmt: skip
    await app(scope, receive, send)  # type: ignore[arg-type]
    assert sent[0]["status"] == 400
    assert orjson.loads(str(sent[1]["body"], "utf-8"))["error"]["message"] == "the body ended early"  # type: ignore[call-overload]
    assert len(app.sessions) == 1


@pytest.mark.parametrize(
    ("verb", "path", "status", "hint"),
    [
        ("GET", "/_mock", 404, "did you mean '/_mock/apis'?"),
        ("GET", "/_mock/sesions", 404, "did you mean '/_mock/sessions'?"),
        ("PUT", "/_mock/sessions", 405, "it answers"),
        ("GET", "/_mock/sessions/defalt", 404, "did you mean 'default'? Or open one"),
        ("GET", "/_mock/sessions/default/state?collections=usrs", 400, "did you mean 'users'?"),
        ("DELETE", "/_mock/sessions/default?collections=usrs", 400, "did you mean 'users'?"),
    ],
    ids=["prefix alone", "path", "verb", "session", "collection", "collection at the end"],
)
async def test_a_misspelled_request_is_told_what_there_is(
    client: httpx.AsyncClient, verb: str, path: str, status: int, hint: str
) -> None:
    answer = await client.request(verb, path)
    assert answer.status_code == status
    assert answer.json()["error"]["hint"].startswith(hint)
    assert (await client.get("/_mock/sessions/default")).json()["closed"] is False


async def test_a_session_that_was_refused_takes_no_number(client: httpx.AsyncClient) -> None:
    await client.post(SESSIONS, json={"case": "EC-999"})
    assert (await client.post(SESSIONS)).json()["id"].startswith("s1-")


async def test_of_many_mistakes_the_first_are_told(client: httpx.AsyncClient) -> None:
    answer = await client.post(SESSIONS, json={f"k{number}": 1 for number in range(1000)})
    lines = answer.json()["error"]["message"].splitlines()
    assert (len(lines), lines[-1]) == (21, "and 980 more")


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (
            b'{"overrides": [{"orgUnits": [{"n": 18446744073709551616}]}]}',
            "/overrides/0/orgUnits/0/n",
        ),
        (b'{"seed": -9223372036854775809}', "/seed"),
    ],
    ids=["in a layer", "negative"],
)
async def test_a_number_of_more_than_64_bits_is_refused(
    client: httpx.AsyncClient, content: bytes, place: str
) -> None:
    answer = await client.post(SESSIONS, content=content, headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == f"{place}: an integer that 64 bits do not hold"

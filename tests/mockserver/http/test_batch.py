"""Batches: each call answered as one of its own."""

from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from mockserver.googleapi import Part, boundary_of, parse_multipart, write_multipart
from mockserver.http.application import Application
from mockserver.http.batches import MOST_CALLS
from tests.mockserver.conftest import UNITS
from tests.mockserver.sources.test_emulation import application, client_of, entries

ADMIN = "/admin.googleapis.com/batch"
LIST = UNITS.removeprefix("/admin.googleapis.com")
MIXED = {"content-type": 'multipart/mixed; boundary="b1"'}


def call(line: str, body: bytes = b"", **headers: str) -> bytes:
    lines = [line, *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode() + body


def batch(*calls: bytes) -> bytes:
    return write_multipart(
        [
            ({"Content-Type": "application/http", "Content-ID": f"<b + {number}>"}, each)
            for number, each in enumerate(calls, 1)
        ],
        "b1",
    )


def parts(answer: httpx.Response) -> list[Part]:
    return parse_multipart(answer.content, boundary_of(answer.headers["content-type"]))


def statuses(answer: httpx.Response) -> list[int]:
    return [int(part.body.split(b" ")[1]) for part in parts(answer)]


async def send(client: httpx.AsyncClient, *calls: bytes, path: str = ADMIN) -> httpx.Response:
    return await client.post(path, content=batch(*calls), headers=MIXED)


async def test_calls_are_answered_in_order_with_their_ids(
    client: httpx.AsyncClient, app: Application
) -> None:
    made = orjson.dumps({"name": "New", "parentOrgUnitPath": "/"})
    answer = await send(
        client,
        call(f"POST {LIST} HTTP/1.1", made, **{"Content-Type": "application/json"}),
        call(f"GET {LIST}?type=all HTTP/1.1"),
        call(f"GET {LIST}/Nowhere"),
        call("GET /no/such/path HTTP/1.1"),
    )
    assert answer.status_code == 200
    assert statuses(answer) == [200, 200, 404, 404]
    found = parts(answer)
    assert [part.headers["content-id"] for part in found] == [
        f"<response-b + {number}>" for number in (1, 2, 3, 4)
    ]
    assert b'"New"' in found[1].body
    assert b"<!DOCTYPE html>" in found[3].body
    outer = next(entry for entry in entries(app) if entry["method_id"] == "batch")
    inner = [entry for entry in entries(app) if entry["parent"] == outer["seq"]]
    assert [entry["status"] for entry in inner] == [200, 200, 404, 404]


async def test_parts_that_were_made_up_say_so(suite: Path) -> None:
    app = application(suite, sources=("stub", "state", "synthesis"))
    async with client_of(app) as client:
        models = "/admin/directory/v1/customers/my_customer/chrome/printers:listPrinterModels"
        answer = await send(client, call(f"GET {LIST}"), call(f"GET {models}"))
    marks = b"X-Mock-Source: state; by documents only", b"X-Mock-Source: synthesis"
    marked = [mark in part.body for mark, part in zip(marks, parts(answer), strict=True)]
    assert (statuses(answer), marked) == ([200, 200], [True, True])


async def test_a_batch_whose_answers_are_large_makes_no_further_calls(
    client: httpx.AsyncClient, app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.http.batches.MOST_ANSWERED", 1)
    made = orjson.dumps({"name": "New", "parentOrgUnitPath": "/"})
    answer = await send(
        client,
        call(f"GET {LIST}?type=all"),
        call(f"POST {LIST} HTTP/1.1", made, **{"Content-Type": "application/json"}),
    )
    assert statuses(answer) == [200, 413]
    assert b"this call was not made" in parts(answer)[1].body
    assert not app.sessions.get("default").world.diff()
    assert [entry["status"] for entry in entries(app) if entry["parent"]] == [200, 413]


async def test_calls_may_be_named_by_session_host_or_whole_url(client: httpx.AsyncClient) -> None:
    answer = await send(
        client,
        call(f"GET {UNITS} HTTP/1.1"),
        call(f"GET /s/default{UNITS} HTTP/1.1"),
        call(f"GET https://admin.googleapis.com{LIST} HTTP/1.1"),
        call(f"GET /s/other{UNITS} HTTP/1.1"),
    )
    assert statuses(answer) == [200, 200, 200, 400]


async def test_a_batch_by_its_host_or_by_path_alone(client: httpx.AsyncClient) -> None:
    host = {**MIXED, "host": "admin.googleapis.com"}
    body = batch(call(f"GET {LIST} HTTP/1.1"))
    assert statuses(await client.post("/batch", content=body, headers=host)) == [200]
    assert statuses(await client.post("/batch", content=body, headers=MIXED)) == [200]


@pytest.mark.parametrize(
    ("line", "path", "says"),
    [
        ("POST /batch HTTP/1.1", ADMIN, "another batch"),
        ("GET /chromepolicy.googleapis.com/v1/customers/x/policySchemas", ADMIN, "of another"),
        (f"GET {LIST}", "/admin.googleapis.com/batch/admin/reports_v1", "of another"),
        ("POST /upload/drive/v3/files", "/www.googleapis.com/batch/drive/v3", "an upload"),
        ("", ADMIN, "no request line"),
    ],
    ids=["nested", "host", "version", "upload", "nothing"],
)
async def test_a_call_that_cannot_be_in_a_batch_is_refused_alone(
    client: httpx.AsyncClient, line: str, path: str, says: str
) -> None:
    answer = await send(client, call(line), path=path)
    assert statuses(answer) == [400]
    assert says in parts(answer)[0].body.decode()


@pytest.mark.parametrize(
    ("content", "headers", "says"),
    [
        (b"", MIXED, "no part begins"),
        (batch(b"GET / HTTP/1.1\r\n\r\n"), {"content-type": "multipart/mixed"}, "no boundary"),
        (batch(b"x")[:-8], MIXED, "is missing"),
        (b"--b1--\r\n", MIXED, "holds no call"),
        (batch(*[b"GET /x"] * (MOST_CALLS + 1)), MIXED, "1001 calls; the limit is 1000"),
    ],
    ids=["empty", "no boundary", "cut", "no part", "too many"],
)
async def test_a_batch_that_cannot_be_read_is_refused_as_a_whole(
    client: httpx.AsyncClient, app: Application, content: bytes, headers: Any, says: str
) -> None:
    answer = await client.post(ADMIN, content=content, headers=headers)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]
    assert [entry["status"] for entry in entries(app)] == [400]


async def test_a_thousand_calls_are_answered(client: httpx.AsyncClient) -> None:
    answer = await send(client, *[call(f"GET {LIST}/Eng HTTP/1.1")] * MOST_CALLS)
    assert statuses(answer) == [200] * MOST_CALLS


async def test_headers_of_the_batch_are_those_of_its_calls_unless_they_have_their_own(
    suite: Path,
) -> None:
    app = application(suite, profile="strict")
    token = {"authorization": f"Bearer {app.sessions.get('default').token}"}
    async with client_of(app) as client:
        content = batch(
            call(f"GET {LIST}?type=all HTTP/1.1"),
            call(f"GET {LIST} HTTP/1.1", Authorization="Bearer ya29.mock~default~no"),
        )
        answer = await client.post(ADMIN, content=content, headers={**MIXED, **token})
    assert statuses(answer) == [200, 401]


async def test_faults_meet_the_calls_of_a_batch_one_by_one(suite: Path) -> None:
    fault = {"method": "directory.orgunits.list", "status": 503, "calls": [2]}
    async with client_of(application(suite, faults=[fault])) as client:
        answer = await send(client, *[call(f"GET {LIST} HTTP/1.1")] * 3)
    assert statuses(answer) == [200, 503, 200]


async def test_a_connection_that_a_call_loses_is_that_of_the_batch(suite: Path) -> None:
    fault = {"method": "directory.orgunits.list", "kind": "reset"}
    async with client_of(application(suite, faults=[fault])) as client:
        with pytest.raises(ConnectionResetError):
            await send(client, call(f"GET {LIST} HTTP/1.1"))


async def test_an_answer_without_a_body_is_one_of_its_own(client: httpx.AsyncClient) -> None:
    answer = await send(client, call(f"DELETE {LIST}/Eng/Sub%20Team HTTP/1.1"))
    assert statuses(answer) == [204]


async def test_a_batch_is_posted(client: httpx.AsyncClient) -> None:
    assert (await client.get(ADMIN)).status_code == 404

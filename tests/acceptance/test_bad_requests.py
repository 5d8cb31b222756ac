"""What no client should send is answered with a status, and the server goes on."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from mockserver.asgi.requests import MAX_BODY_BYTES
from tests.acceptance.conftest import SUITE, Mock
from tests.patience import PATIENCE_S
from tests.warm import run

DIRECTORY = "/admin.googleapis.com/admin/directory/v1"
UNITS = f"{DIRECTORY}/customer/my_customer/orgunits"
USERS = f"{DIRECTORY}/users?customer=my_customer"
POLICIES = "/chromepolicy.googleapis.com/v1/customers/my_customer"
RESOLVE = f"{POLICIES}/policies:resolve"
DEEP = b'{"name":' + b'{"inner":' * 10_000 + b"1" + b"}" * 10_001
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def client(mock: Mock) -> Iterator[httpx.Client]:
    found = mock.http(mock.open())
    yield found
    assert found.get(UNITS).status_code == 200


def message(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["message"])


@pytest.mark.slow
@pytest.mark.parametrize("path", [UNITS, RESOLVE], ids=["older", "newer"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"name": ', ("Parse Error", "Invalid JSON payload received. Unexpected end of string.")),
        (b"[" * 10_000 + b"]" * 10_000, ("Message too deep.",)),
        (DEEP, ("Message too deep. Max recursion depth reached for key 'inner'",)),
        (b'{"name": "\xff\xfe"}', ("Parse Error", "Invalid JSON payload received. Invalid UTF-8")),
        (b"[1]", ("Invalid JSON payload received. Unknown name",)),
        (b'"text"', ("Invalid JSON payload received. Unknown name",)),
        (b"NaN", ("Parse Error", "Invalid JSON payload received. Unexpected token.")),
        (b"\x00" * 64, ("Parse Error", "Invalid JSON payload received. Unexpected token.")),
    ],
    ids=["broken", "deep list", "deep object", "utf-8", "list", "text", "NaN", "zeros"],
)
def test_a_body_that_cannot_be_read_is_refused(
    client: httpx.Client, path: str, content: bytes, says: tuple[str, ...]
) -> None:
    answer = client.post(path, content=content, headers=JSON)
    assert answer.status_code == 400
    assert message(answer).startswith(says)


@pytest.mark.slow
def test_a_body_over_the_limit_is_refused_however_it_is_sent(client: httpx.Client) -> None:
    whole = b" " * (MAX_BODY_BYTES + 1)

    def chunks() -> Iterator[bytes]:
        yield from (whole[start : start + 2**20] for start in range(0, len(whole), 2**20))

    for path, content in ((UNITS, whole), (RESOLVE, whole), ("/tools/listOrgUnits", whole)):
        assert client.post(path, content=content, headers=JSON).status_code == 413
    try:
        answer = client.post(RESOLVE, content=chunks(), headers=JSON)
    except httpx.HTTPError:
        return  # the connection was closed while the rest was on its way
    assert answer.status_code == 413


@pytest.mark.slow
def test_a_body_just_within_the_limit_is_read(client: httpx.Client) -> None:
    content = orjson.dumps({"name": "x" * (MAX_BODY_BYTES - 20)})
    assert client.post(UNITS, content=content, headers=JSON).status_code == 400


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/s/../../etc/passwd", 404),
        ("/s/%2e%2e/%2e%2e/etc/passwd", 404),
        ("/s//admin.googleapis.com/", 404),
        ("/s/%00/", 404),
        ("/_mock/../../etc/passwd", 401),
        ("/_mock/sessions/..%2f..%2fetc", 401),
        (f"{UNITS}/..%2f..%2f..%2fetc%2fpasswd", 404),
        (f"{DIRECTORY}/../../../../etc/passwd", 404),
        ("//", 404),
        ("/%ff%fe", 404),
        ("/" + "a" * 8000, 404),
        ("/" + "/".join("a" * 2000), 404),
    ],
    ids=["up", "encoded", "no name", "zero", "control", "control encoded", "capture", "route",
         "empty", "no utf-8", "long", "many segments"],
)  # fmt: skip
def test_a_path_leads_nowhere_else(mock: Mock, path: str, status: int) -> None:
    head, page = raw(mock.url, f"GET {path} HTTP/1.1\r\nHost: {mock.url[7:]}\r\n\r\n".encode())
    assert head.startswith(f"HTTP/1.1 {status}")
    assert "root:" not in page


def raw(url: str, request: bytes) -> tuple[str, str]:
    """What a server answers to bytes that no client library would send."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as answer:
            head, _, body = answer.read().partition(b"\r\n\r\n")
    return head.decode("latin-1"), body.decode("latin-1")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET " + USERS.encode() + b" HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"nonsense\r\n\r\n",
    ],
    ids=["tls", "version", "length", "nonsense"],
)
def test_what_is_no_http_is_refused_or_dropped(mock: Mock, request_bytes: bytes) -> None:
    head, _ = raw(mock.url, request_bytes)
    assert head == "" or head.startswith("HTTP/1.1 400")
    assert httpx.get(f"{mock.url}/_mock/health", trust_env=False).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer"}, 200),
        ({"Authorization": "Basic eDp5"}, 200),
        ({"Authorization": "Bearer ya29.foreign"}, 200),
        ({"Authorization": b"Bearer \xff\xfe"}, 200),
        ({"Authorization": "Bearer ya29.mock~"}, 401),
        ({"Authorization": "Bearer ya29.mock~nobody~0"}, 400),
        ({"Authorization": "Bearer ya29.mock~../x~0"}, 400),
        ({"X-Mock-Session": "nobody"}, 400),
        ({"Host": "unknown.example"}, 200),
        ({"Host": ""}, 200),
        ({"If-None-Match": '"x", W/'}, 200),
        ({"Accept-Encoding": "br;q=x"}, 200),
        ({"X-HTTP-Method-Override": "FROB"}, 404),
        ({"X-HTTP-Method-Override": ""}, 404),
    ],
    ids=str,
)
def test_headers_that_make_no_sense_do_no_harm(
    mock: Mock, headers: dict[str, Any], status: int
) -> None:
    url = f"{mock.open().base_url}{USERS}&fields=kind"
    assert httpx.get(url, headers=headers, trust_env=False).status_code == status


def test_a_token_that_names_no_session_is_told_so(mock: Mock) -> None:
    headers = {"Authorization": "Bearer ya29.mock~nobody~0"}
    answer = httpx.get(f"{mock.url}{USERS}", headers=headers, trust_env=False)
    assert answer.status_code == 404
    assert message(answer).startswith("The mock server has no session of this token.")


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        ("alt=xml", 400, "Unsupported output format 'xml'"),
        ("alt=media", 400, "Unsupported output format 'media'"),
        ("callback=alert", 400, "JSONP is not supported."),
        ("maxResults=many", 400, "Invalid value at 'max_results' (TYPE_INT32), \"many\""),
        ("maxResults=0", 400, "Invalid value '0'. Values must be within the range: [1, 500]"),
        ("maxResults=100000", 400, "Invalid value '100000'. Values must be within the range"),
        ("maxResults=-1", 400, "Invalid value '-1'."),
        ("maxResults=" + "9" * 5000, 400, "Invalid value"),
        ("pageToken=forged", 400, "Invalid Input: pageToken"),
        ("pageToken=%ff%00", 400, "Invalid Input: pageToken"),
        ("fields=nope", 400, "Invalid field selection nope"),
        ("fields=users(", 400, "Invalid field selection users("),
        ("fields=" + "users(" * 5000, 400, "Invalid field selection"),
        ("query=isSuspended=maybe", 400, "Invalid"),
        ("%ff=%fe", 200, ""),
        ("&&&=&;", 200, ""),
        ("unknown=1", 200, ""),
    ],
    ids=lambda value: str(value)[:24],
)  # fmt: skip
def test_queries_that_make_no_sense_are_refused_or_reported(
    client: httpx.Client, query: str, status: int, says: str
) -> None:
    answer = client.get(f"{USERS}&prettyPrint=false&{query}")
    assert answer.status_code == status
    assert b"\n" not in answer.content
    if status == 400:
        assert message(answer).startswith(says)
    elif "unknown" in query:
        assert answer.headers["x-mock-ignored"] == "unknown"


def test_a_refusal_comes_in_the_form_that_was_asked_for(client: httpx.Client) -> None:
    newer = client.get(f"{USERS}&maxResults=x&$.xgafv=2").json()["error"]
    older = client.get(f"{POLICIES}/policySchemas?pageSize=x&$.xgafv=1").json()["error"]
    assert ("errors" in newer, newer["status"]) == (False, "INVALID_ARGUMENT")
    assert older["errors"][0]["reason"]


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", f"{UNITS}", {"name": "New", "parentOrgUnitPath": "/"}),
        ("PATCH", f"{UNITS}/Sales", {"description": "changed"}),
        ("PUT", f"{UNITS}/Sales", {"name": "Revenue"}),
        ("POST", f"{POLICIES}/policies/orgunits:batchModify", {"requests": []}),
    ],
    ids=["insert", "patch", "update", "batch"],
)
def test_a_bad_field_mask_changes_nothing(
    mock: Mock, verb: str, path: str, body: dict[str, Any]
) -> None:
    session = mock.open()
    answer = mock.http(session).request(verb, f"{path}?fields=bogus", json=body)
    assert answer.status_code == 400
    assert mock.close(session).diff == {}


def test_a_good_field_mask_shapes_the_answer_to_a_write(client: httpx.Client) -> None:
    body = {"name": "New", "parentOrgUnitPath": "/"}
    made = client.post(f"{UNITS}?fields=name,orgUnitPath", json=body)
    assert made.json() == {"name": "New", "orgUnitPath": "/New"}
    page = client.get(f"{USERS}&maxResults=2&fields=nextPageToken,users(name/fullName,id)").json()
    assert page.keys() == {"nextPageToken", "users"}
    assert [user.keys() for user in page["users"]] == [{"name", "id"}] * 2


def test_a_long_get_may_be_sent_as_a_post(client: httpx.Client) -> None:
    headers = {"X-HTTP-Method-Override": "GET"}
    query = {"type": "all", "orgUnitPath": "/Sales"}
    plain = client.get(UNITS, params=query)
    assert client.post(UNITS, data=query, headers=headers).content == plain.content
    assert (
        client.post(f"{UNITS}?type=all&orgUnitPath=/Sales", headers=headers).json() == plain.json()
    )


@pytest.mark.parametrize("name", ["../EC-012", "/etc/passwd", "../../pyproject.toml", ""], ids=str)
def test_an_override_does_not_climb_out_of_its_folder(mock: Mock, name: str) -> None:
    """CEPR-28: no name leads out of the suite."""
    url, told = f"{mock.url}/_mock/sessions", {"overrides": [name]}
    answer = httpx.post(url, json=told, headers=mock.control, trust_env=False)
    assert answer.status_code == 400
    assert "root:" not in answer.text


def serve(*arguments: str) -> tuple[int, str]:
    done = run("mockserver", "serve", *arguments)
    return done.returncode, done.stderr


@pytest.mark.slow
def test_a_port_in_use_is_told_with_what_to_do(mock: Mock) -> None:
    port = mock.url.rpartition(":")[2]
    status, said = serve("--fixtures", str(SUITE), "--port", port)
    assert status == 3
    assert said.startswith(f"mockserver: port {port} on 127.0.0.1 is in use (")
    assert "--port" in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"users": [', "base/a.json:1:12: not JSON: "),
        (b'{"users": "\xff"}', "base/a.json:1: not UTF-8: "),
        (b"[]", "base/a.json: expected a JSON object, found an array"),
        (b"[" * 10_000, "base/a.json:1:1026: not JSON: "),
        (b'{"userz": []}', "unknown collection 'userz' (did you mean 'users'?)"),
        (b'{"users": {}}', "base/a.json#/users: expected an array, found an object"),
    ],
    ids=["broken", "utf-8", "list", "deep", "collection", "kind"],
)
def test_a_suite_that_cannot_be_served_is_told_with_its_place(
    tmp_path: Path, content: bytes, says: str
) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "a.json").write_bytes(content)
    status, said = serve("--fixtures", str(tmp_path), "--port", "0")
    assert (status, "Traceback" in said) == (2, False)
    assert says in said

import httpx
import pytest
from starlette.responses import Response

from harness.server.console.access import ConsoleAccess
from tests.harness.server.conftest import Api
from tests.harness.server.console.conftest import PAGE, Markup

JSON = {"content-type": "application/json"}


def test_a_browser_without_the_token_is_asked_for_it(stranger: httpx.Client) -> None:
    for address in ("/", "/runs", "/nowhere"):
        answer = stranger.get(address, headers=PAGE)
        assert answer.status_code == 401
        found = Markup(answer.text)
        assert found.harmful() == []
        assert ("form", "data-sign-in") in [
            (tag, name) for tag, own in found.elements for name in own
        ]
        assert "office" not in answer.text


@pytest.mark.parametrize("address", ["/api/eval/runs", "/openapi.json", "/static/../runs"])
def test_everything_else_is_refused(stranger: httpx.Client, address: str) -> None:
    answer = stranger.get(address)
    assert answer.status_code in {401, 404}
    assert "office" not in answer.text


def test_files_of_the_console_are_open_and_kept(stranger: httpx.Client) -> None:
    for name in ("report.css", "console.css", "console.js", "matrix.js", "icon.svg"):
        answer = stranger.get(f"/static/{name}")
        assert answer.status_code == 200
        again = stranger.get(f"/static/{name}", headers={"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304
    assert stranger.get("/static/pages.py").status_code == 404


def test_who_gave_the_token_once_stays_signed_in(stranger: httpx.Client) -> None:
    answer = stranger.post("/sign-in", json={"token": " s3cret "})
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    assert "s3cret" not in cookie
    assert stranger.get("/", headers=PAGE).status_code == 200
    assert stranger.get("/api/eval/runs").status_code == 200
    assert stranger.post("/sign-out").status_code == 200
    assert stranger.get("/", headers=PAGE).status_code == 401


@pytest.mark.parametrize(
    ("body", "status"),
    [({"token": "wrong"}, 403), ({}, 403), ({"token": 1}, 403), ([], 403), (None, 400)],
    ids=str,
)
def test_a_wrong_token_signs_nobody_in(stranger: httpx.Client, body: object, status: int) -> None:
    sent = {"json": body} if body is not None else {"content": b"{", "headers": JSON}
    answer = stranger.post("/sign-in", **sent)
    assert answer.status_code == status
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://127.0.0.1:3000"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"host": "rebound.example.net"}, 403),
    ],
    ids=str,
)
def test_other_origins_do_nothing_with_the_cookie(
    idle: Api, stranger: httpx.Client, headers: dict[str, str], status: int
) -> None:
    stranger.post("/sign-in", json={"token": "s3cret"})
    sent = JSON | headers
    for path in ("/sign-in", "/sign-out", "/api/eval/suites/office/run"):
        assert stranger.post(path, content=b"{}", headers=sent).status_code == status
    assert idle.get("/api/eval/runs").json() == []


@pytest.mark.parametrize(
    "cookie",
    ["", "understudy_harness_8770=", "understudy_harness_8770=s3cret", "a=b; c", 'x="', "é=1"],
)
def test_no_other_cookie_signs_in(cookie: str) -> None:
    access = ConsoleAccess("s3cret", 8770)
    assert not access.is_signed_in({b"cookie": cookie.encode("latin-1")})


def test_a_cookie_is_of_one_server_and_one_token() -> None:
    answer = Response()
    ConsoleAccess("s3cret", 8770).sign_in(answer, secure=True)
    header = answer.headers["set-cookie"]
    assert "secure" in header.lower()
    cookie = {b"cookie": header.partition(";")[0].encode()}
    assert ConsoleAccess("s3cret", 8770).is_signed_in(cookie)
    assert not ConsoleAccess("s3cret", 8771).is_signed_in(cookie)
    assert not ConsoleAccess("another", 8770).is_signed_in(cookie)

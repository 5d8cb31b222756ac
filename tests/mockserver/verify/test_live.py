"""A live API is asked again: a server on loopback plays it, under another host's name."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from typing_extensions import override

from mockserver.errors import MockServerError
from mockserver.model import Interaction, RecordedRequest
from mockserver.redaction import Redactor, RuleSet, StatedValues
from mockserver.verify import LiveApi, Recording, Target, Verifier, parse_hosts, parse_sandbox
from tests.recordings import interaction

SHOP = "https://shop.example.com"
ORDERS = f"{SHOP}/projects/prod/orders"
CLOUD = "https://secretmanager.googleapis.com/v1/projects/prod/secrets/s"
NOW = datetime(2026, 11, 26, tzinfo=UTC)


class Shop(BaseHTTPRequestHandler):
    """Makes orders with ids of its own, and notes what it was asked."""

    asked: list[tuple[str, str | None, str]]

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.asked.append((f"{self.command} {self.path}", self.headers["Authorization"], body))
        status = {"POST": 201}.get(self.command, 200)
        told: dict[str, Any] = {"id": "live7", "access_token": "q8Zr4tLw2Vb9Xk7M"}
        if "away" in self.path:
            status = 302
        if "later" in self.path:
            status = 429
        told["self"] = f"http://{self.headers['Host']}/projects/box/orders/live7"
        content = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if status == 302:
            self.send_header("Location", "https://evil.example.net/")
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815  (names of http.server)

    @override
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def place() -> Iterator[str]:
    Shop.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def signed(each: Interaction, *headers: tuple[str, str]) -> Interaction:
    found = (*each.request.headers, *headers)
    return replace(each, request=replace(each.request, headers=found))


def redactor(stated: StatedValues) -> Redactor:
    return Redactor(RuleSet.default(), b"k" * 32, stated)


def ask(place: str, *interactions: Interaction, writes: str = "", **headers: str) -> Recording:
    sandbox = parse_sandbox(writes) if writes else None
    target = Target(parse_hosts([f"shop.example.com={place}"]), headers, sandbox)
    routes = Verifier().routes
    api = LiveApi(target, routes, redactor, lambda: NOW)
    (found,) = api.ask([Recording("r", "vcrpy", interactions)])
    return found


def test_reads_are_asked_again_with_the_credentials_of_the_user(place: str) -> None:
    read = signed(interaction(f"{ORDERS}/o1"), ("authorization", "Bearer old"), ("cookie", "a=b"))
    write = interaction(ORDERS, {"id": "o2"}, verb="POST", body={"item": "lamp"})
    found = ask(
        place, read, write, interaction("https://evil.example.net/"),
        interaction(f"{ORDERS}/away"), interaction(f"{ORDERS}/later"),
        signed(interaction(ORDERS), ("X-HTTP-Method-Override", "DELETE")),
        Authorization="Bearer own",
    )  # fmt: skip
    assert [each[0] for each in Shop.asked] == [
        f"GET /projects/prod/orders{end}" for end in ("/o1", "/away", "/later")
    ]
    assert {each[1] for each in Shop.asked} == {"Bearer own"}
    assert [note.partition(";")[0] for note in found.notes] == [
        "#2: a write", "#3: evil.example.net is not named by --live",
        "#4: a redirect to evil.example.net", "#5: the live API asks for patience (429)",
        "#6: a write",
    ]  # fmt: skip
    (heard,) = found.interactions
    assert heard.request.url == f"{ORDERS}/o1"
    body = json.loads(heard.response.body)
    assert body["self"].startswith(f"{SHOP}/projects/")
    assert "q8Zr4tLw2Vb9Xk7M" not in str(heard)
    assert "Bearer own" not in str(heard)


def test_writes_go_to_the_sandbox_and_nowhere_else(place: str) -> None:
    made = interaction(ORDERS, {"id": "o2"}, verb="POST", body={"item": "lamp"})
    copied = interaction(ORDERS, {}, verb="POST", body={"to": "projects/other/orders"})
    found = ask(
        place, made, interaction(f"{ORDERS}/o2", {"id": "o2"}),
        interaction(f"{ORDERS}/o2", {}, verb="DELETE"), writes="project=box",
    )  # fmt: skip
    assert [each[0] for each in Shop.asked] == [
        "POST /projects/box/orders", "GET /projects/box/orders/live7",
        "DELETE /projects/box/orders/live7",
    ]  # fmt: skip
    assert not found.notes
    assert ask(place, interaction(f"{SHOP}/x"), copied, writes="project=box").notes == (
        "#2: a write to another place than the sandbox; not sent",
    )


@pytest.mark.parametrize(
    ("sandbox", "url", "body", "held"),
    [
        ("project=box", f"{SHOP}/v1/projects/box/x", "", True),
        ("project=box", f"{SHOP}/v1/projects/box:undelete", "", True),
        ("project=box", f"{SHOP}/v1/projects/boxes/x", "", False),
        ("project=box", f"{SHOP}/v1/b?project=box", "", True),
        ("project=box", f"{SHOP}/v1/projects", '{"projectId": "box"}', False),
        ("project=box", f"{SHOP}/v1/projects/box/x", '{"projectId": "prod"}', False),
        ("customer=C1", f"{SHOP}/admin/customer/C1/orgunits", "", True),
        ("customer=C1", f"{SHOP}/admin/customer/my_customer/orgunits", "", False),
        ("customer=C1", f"{SHOP}/admin/users/u", "", False),
        ("host=shop.example.com", f"{SHOP}/x", "", True),
        ("host=shop.example.com", "https://shop.example.com.evil.example.net/x", "", False),
    ],
)
def test_what_a_sandbox_holds(sandbox: str, url: str, body: str, *, held: bool) -> None:
    request = RecordedRequest("POST", url, (), body.encode())
    assert parse_sandbox(sandbox).holds(request) is held


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (signed(interaction(ORDERS), ("X-Api-Key", "k")), "no credentials for shop.example.com"),
        (interaction(f"{ORDERS}?api_key=k"), "no credentials for shop.example.com"),
        (interaction(ORDERS, verb="PUT"), "nothing was asked: a write; --writes"),
        (interaction("https://evil.example.net/"), "evil.example.net is not named by --live"),
    ],
)
def test_what_is_refused(place: str, asked: Interaction, reason: str) -> None:
    with pytest.raises(MockServerError, match=reason):
        ask(place, asked)
    assert not Shop.asked


def test_a_credential_goes_where_the_recorded_one_was(place: str) -> None:
    ask(place, interaction(f"{ORDERS}?api_key=old&all=1"), api_key="own key")
    assert Shop.asked == [("GET /projects/prod/orders?api_key=own%20key&all=1", None, "")]


def test_google_is_asked_with_the_credentials_of_its_methods(place: str) -> None:
    scopes: list[str] = []

    def authorize(methods: Any) -> Any:
        scopes.extend(each.id for each in methods)
        return lambda verb, url: {"Authorization": f"{verb} {url[-1]}"}

    target = Target(parse_hosts([f"*.googleapis.com={place}"]), authorize=authorize)
    api = LiveApi(target, Verifier().routes, redactor, lambda: NOW)
    api.ask([Recording("r", "vcrpy", (interaction(f"{CLOUD}?key=AIza1", {}),))])
    assert scopes == ["secretmanager.projects.secrets.get"]
    assert Shop.asked == [("GET /v1/projects/prod/secrets/s", "GET 1", "")]


@pytest.mark.parametrize("text", ["https://shop.example.com", "*", "shop.example.com=ftp://x"])
def test_a_host_is_named_in_full(text: str) -> None:
    with pytest.raises(MockServerError, match=r"names no host|no http or https URL"):
        parse_hosts([text])

"""A live API of many endpoints that serves every planted secret and every harmless value.

The messages are those of the tables of redaction; here they go over a real wire.
"""

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, Self
from urllib.parse import parse_qs, unquote, urlsplit

from typing_extensions import override

from mockserver.model import Interaction, Json, JsonObject
from tests.mockserver.redaction.harmless import harmless
from tests.mockserver.redaction.planted import ALNUM, DIGITS, HEX, Planted, chars, planted, response

CLIENTS = ("curl", "httpx", "requests", "fetch")
_SERVICES = ("billing", "crm", "wiki", "builds", "fleet", "mail", "shop", "desk", "labs", "maps",
             "stock", "media", "polls", "travel")  # fmt: skip
_KINDS = ("entries", "reports", "changes", "events", "files")
ENDPOINTS = tuple(f"/v1/{service}/{kind}" for service in _SERVICES for kind in _KINDS)


class Row(NamedTuple):
    """One call of one client.

    Attributes:
        name: What is planted in it, or what harmless value it has.
        url: The path and query of the call.
        message: What is asked and what is answered.
        planted: What must be gone; nothing for a harmless value.
    """

    name: str
    url: str
    message: Interaction
    planted: Planted | None

    def call(self) -> JsonObject:
        """What a client program reads."""
        request = self.message.request
        return {
            "method": request.method, "url": self.url, "headers": dict(request.headers),
            "body": b64encode(request.body).decode(),
        }  # fmt: skip


def rows() -> Iterator[Row]:
    """Every message with where it is served.

    Yields:
        Each row; what a client keeps to itself, the fragment of a URL, is left out.
    """
    number = 0
    messages: list[tuple[str, Interaction, Planted | None]] = [
        (each.family, each.message, each)
        for each in planted()
        if "#" not in each.message.request.url
    ]
    messages += [
        (f"harmless {name}", response(body, media), None) for name, body, media in harmless()
    ]
    for name, message, row in messages:
        url = message.request.url.removeprefix("https://api.example.com")
        if url == "/v1/things":
            url = f"{ENDPOINTS[number % len(ENDPOINTS)]}/{number}"
            number += 1
        yield Row(name, url, message, row)


ROWS = tuple(rows())
BY_CLIENT = {client: ROWS[place :: len(CLIENTS)] for place, client in enumerate(CLIENTS)}
ANSWERS = {row.url: row.message.response for row in ROWS}


class People:
    """The people of one client's part of the API, on pages.

    Attributes:
        ids: Of each of them, of the kinds that real APIs have; the second is an e-mail address.
        tokens: That lead to the second page and to the following.
    """

    def __init__(self, client: str) -> None:
        self.ids = (
            "usr_" + chars(f"{client} id", ALNUM, 12),
            f"ann.{chars(client, DIGITS, 4)}@corp-nine.io",
            "-".join(chars(f"{client}{n}{length}", HEX, length)
                     for n, length in enumerate((8, 4, 4, 4, 12))),
            "1" + chars(f"{client} number", DIGITS, 20),
            "cus_" + chars(f"{client} customer", ALNUM, 14),
            "C0" + chars(f"{client} short", HEX, 7),
        )  # fmt: skip
        self.tokens = tuple(chars(f"{client} page {page}", ALNUM + "-_", 48) for page in (1, 2))

    def page(self, token: str, origin: str = "") -> JsonObject | None:
        """Two of them, and what leads to the next: a token, or a URL where an origin is given."""
        starts = ("", *self.tokens)
        if token not in starts:
            return None
        start = starts.index(token)
        listed: list[Json] = [self.person(place) for place in (2 * start, 2 * start + 1)]
        made: JsonObject = {"people": listed}
        if start < len(self.tokens):
            name, front = ("next", f"{origin}?cursor=") if origin else ("nextPageToken", "")
            made[name] = front + self.tokens[start]
        return made

    def person(self, place: int) -> JsonObject:
        manager = self.ids[(place + 1) % len(self.ids)]
        return {"id": self.ids[place], "manager": manager, "rank": place}


PEOPLE = {client: People(client) for client in CLIENTS}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    origin = ""

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        client = urlsplit(self.path).path.partition("/v1/org-")[2].partition("/")[0]
        if client:
            self._people(client)
            return
        answer = ANSWERS[self.path]
        self.send_response(answer.status, answer.reason)
        for header in answer.headers:
            self.send_header(*header)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def _people(self, client: str) -> None:
        people, parts = PEOPLE[client], urlsplit(self.path)
        query = parse_qs(parts.query)
        last = unquote(parts.path.rpartition("/")[2])
        if last == "people":
            made = people.page(query.get("pageToken", [""])[0])
        elif last == "people-by-link":
            made = people.page(query.get("cursor", [""])[0], self.origin + parts.path)
        else:
            made = people.person(people.ids.index(last)) if last in people.ids else None
        body = json.dumps(made or {"error": "not found"}).encode()
        self.send_response(200 if made else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _answer  # noqa: N815  (the base class's names)

    @override
    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Manifold:
    """The API, on a port of its own."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        _Handler.origin = self.url
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

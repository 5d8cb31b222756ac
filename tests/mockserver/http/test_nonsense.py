"""Nonsense to every emulated method: refused in words, never a defect of the server."""

import re
from collections.abc import Iterator

import httpx
import pytest

from mockserver.apis import APIS
from mockserver.googleapi import Method
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.routing import Routes
from mockserver.settings import Settings
from tests.mockserver.conftest import NOW, write_suite

_HANDLED = {name for api in APIS for name in api.handlers}
METHODS = [one for one in Routes(APIS).catalog.methods() if one.id in _HANDLED]
DOCUMENTS = sorted({f"{one.api}:{one.version}" for one in METHODS})
EACH, MANY = 3, 200
"""Requests to each method, each third of what is odd in turn; one of documents with so many."""

ODD = ["%00", "%", "my_customer", "a%2Fb", "customers/C1", "*", "id:", "%F0%9F%98%80", "-1"]
BODIES: list[bytes | None] = [
    None, b"[]", b"null", b'{"a": 1}', b'{"name": null}', b'{"requests": [{}, null]}', b"\xff",
]  # fmt: skip


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """One server for all of it: nonsense must not hurt what comes after it either."""
    suite = write_suite(tmp_path_factory.mktemp("nonsense") / "suite")
    return Application(Settings(fixtures=suite, default=SessionSpec()), real=lambda: NOW)


def requests_of(
    method: Method, first: int = 0, count: int = EACH
) -> Iterator[tuple[str, bytes | None]]:
    names = [*method.parameters, "fields", "prettyPrint"]
    for number in range(first, first + count):
        odd = ODD[number % len(ODD)]
        path = re.sub(r"\{\+?\w+\}", odd, method.path)
        query = f"{names[number % len(names)]}={odd}"
        body = None if method.request is None else BODIES[number % len(BODIES)]
        yield f"/{method.document.host}/{path}?{query}", body


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS)
async def test_nonsense_is_no_defect(client: httpx.AsyncClient, document: str) -> None:
    methods = [one for one in METHODS if f"{one.api}:{one.version}" == document]
    each = EACH if len(methods) < MANY else 1
    for number, method in enumerate(methods):
        for path, body in requests_of(method, each * number, each):
            answer = await client.request(method.http_method, path, content=body)
            assert answer.status_code != 500, f"{method.id}: {path} {body!r}"


async def test_the_journal_of_nonsense_can_be_read(
    client: httpx.AsyncClient, app: Application
) -> None:
    for path, body in requests_of(METHODS[0]):
        await client.request("POST", path, content=body)
        await client.request("GET", path)
    journal = await client.get("/_mock/sessions/default/journal")
    assert len(journal.json()["entries"]) == len(app.sessions.get("default").journal)

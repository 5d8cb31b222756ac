"""Every emulated method, and a server in this process that is asked by method and parameters."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from mockserver.apis import APIS
from mockserver.asgi.requests import Request
from mockserver.googleapi import Catalog, Method
from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.sessions.session import Session
from mockserver.settings import Settings
from tests.conformance.more import write_more

import_module("celpy").Environment()  # sets the limit of recursion, which hypothesis watches

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
_PLACEHOLDER = re.compile(r"\{(\+?)(\w+)\}")

CATALOG = Catalog(
    preferred=[document for api in APIS for document in api.documents],
    supplements=[document for api in APIS for document in api.supplements],
)


def emulated_methods() -> Iterator[Method]:
    """The methods with a handler, once for each version of their document.

    Yields:
        Methods in the order of the table of APIs.
    """
    for api in APIS:
        own = {(str(raw["name"]), str(raw["version"])) for raw in api.supplements}
        documents = own | set(api.documents)
        for method in CATALOG.methods():
            if (method.api, method.version) in documents and method.id in api.handlers:
                yield method


METHODS = {f"{method.id} {method.version}": method for method in emulated_methods()}


@dataclass(frozen=True)
class Asked:
    """A call as it is sent: parameters by name, lists for repeated ones."""

    method: Method = field(repr=False)
    params: Mapping[str, Any]
    body: Mapping[str, Any] | None = None

    @cached_property
    def url(self) -> tuple[str, str]:
        """Path and query."""
        left = dict(self.params)

        def fill(hit: re.Match[str]) -> str:
            return quote(str(left.pop(hit[2])), safe="/%" if hit[1] else "")

        path = _PLACEHOLDER.sub(fill, self.method.path)
        texts = {name: _texts(value) for name, value in left.items()}
        return f"/{path}", urlencode(texts, doseq=True)


@dataclass(frozen=True)
class Answer:
    """What came back, and which method it came from."""

    method: Method
    status: int
    content: bytes

    @property
    def body(self) -> Any:
        return orjson.loads(self.content) if self.content else None


class Emulation:
    """The application on both bundled suites; a world is what one session holds."""

    def __init__(self, folder: Any) -> None:
        settings = Settings(fixtures=write_more(folder))
        self._application = Application(settings, real=lambda: NOW)
        worlds = self._application.sessions._bases
        base = worlds.base(SessionSpec())
        worlds.base = lambda spec: base  # type: ignore[method-assign]  # no file of it changes
        self._opened = 0

    def world(self) -> "Opened":
        self._opened += 1
        spec = SessionSpec(clock="frozen", id=f"s{self._opened}")
        session = self._application.sessions.open(spec)
        return Opened(self._application, session)


class Opened:
    """One session, asked as a transport does."""

    def __init__(self, application: Application, session: Session) -> None:
        self._application = application
        self.session = session

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *problem: object) -> None:
        self._application.sessions.close(self.session.id)

    def ask(self, asked: Asked) -> Answer:
        asked = self._filled(asked)
        path, query = asked.url
        content = b"" if asked.body is None else orjson.dumps(asked.body)
        host = asked.method.document.host
        headers = [(b"host", host.encode()), (b"content-type", b"application/json")]
        headers.append((b"authorization", f"Bearer {self.session.token}".encode()))
        if content:
            headers.append((b"content-length", str(len(content)).encode()))
        request = Request(
            {
                "type": "http",
                "method": asked.method.http_method,
                "raw_path": path.encode(),
                "path": path,
                "query_string": query.encode(),
                "headers": headers,
            }
        )
        dispatcher = self._application.dispatcher
        route = dispatcher.routes.find(request.host, request.verb, request.path)
        assert route.method is not None, f"{path} leads nowhere"
        response = dispatcher.answer_request(self.session, route, request, content)
        return Answer(route.method, response.status, response.body)

    def _filled(self, asked: Asked) -> Asked:
        """With the session's own token and id where a hint has placeholders."""
        text = orjson.dumps([asked.params, asked.body]).decode()
        if "{token}" in text or "{session}" in text:
            text = text.replace("{token}", self.session.token)
            text = text.replace("{session}", self.session.id)
            return Asked(asked.method, *orjson.loads(text))
        return asked

    def call(self, method: str, body: Any = None, **params: Any) -> Answer:
        """Ask by `id version`, or by an id that only one version has."""
        found = METHODS.get(method) or next(
            one for name, one in METHODS.items() if name.partition(" ")[0] == method
        )
        return self.ask(Asked(found, params, body))

    def strings(self) -> Iterator[str]:
        """Every text that the world holds, keys of tables included.

        Yields:
            Texts, some of them more than once.
        """
        for name, rows in self.session.state().items():
            yield name
            yield from _strings(rows)

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Every resource that the world holds.

        Yields:
            Rows of all tables.
        """
        for rows in self.session.state().values():
            yield from rows.values()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from _strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings(each)


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_texts(each) for each in value]
    return str(value).lower() if isinstance(value, bool) else str(value)

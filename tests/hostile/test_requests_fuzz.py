"""Random requests to every emulated method: refused in words, never a defect of the server.

The requests follow from a seed. `FUZZ_REQUESTS` says how many there are, `FUZZ_SEED` which.
"""

import logging
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
import pytest

from mockserver.apis import APIS
from mockserver.googleapi import Method
from mockserver.http.application import Application
from mockserver.model import Json, JsonObject, SessionSpec
from mockserver.routing import Routes
from mockserver.settings import Settings
from tests.hostile.inputs import Hostile
from tests.hostile.test_budgets import ask
from tests.mockserver.conftest import NOW

FIXTURES = Path(__file__).parents[2] / "fixtures"
HANDLED = {name for api in APIS for name in api.handlers}
METHODS = [one for one in Routes(APIS).catalog.methods() if one.id in HANDLED]
COUNT = int(os.environ.get("FUZZ_REQUESTS", "1500"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))

ODD: tuple[Json, ...] = (
    "", "0", "-1", 0, -1, 1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 1e308, 1.5, True,
    None, [], {}, [[]], [None], {"a": 1}, "\0", "\ud7ff", "é" * 50, "x" * 3000, "*", "%", "'", '"',
    "(", "my_customer", "customers/my_customer", "C01example", "projects/p", "all", "me", "/",
    "a@example.com", "id:03ph8a2z1", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
    "2026-03-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-03-01", "10s", "1e400s", "-0.0000000001s",
    "999999999999999999999", "NaN", "a=b", "a:*", "a desc,b", "a(b(c", "name,*", "AAAA",
    "YWJj", "9" * 400, "/a/b",
)  # fmt: skip
CLOCKS = ("shift", "real", "frozen:1970-01-01T00:00:00Z", "frozen:8999-12-31T23:59:59Z")
PROFILES = ("lenient", "google", "lenient", "strict")


def application(suite: str) -> Application:
    return Application(Settings(fixtures=FIXTURES / suite), real=lambda: NOW)


def names_in(application: Application) -> list[str]:
    """What a world calls its things: the short texts of its rows."""
    world = application.sessions.open(SessionSpec(id="names")).world
    found = {
        text
        for name in world.names()
        for key, row in list(world.table(name).rows().items())[:50]
        for text in (key, *row.values())
        if isinstance(text, str) and 0 < len(text) < 200
    }
    return sorted(found)


class Requests:
    """Makes requests to methods, more right than wrong.

    Args:
        seed: What they follow from.
        names: What there is.
    """

    def __init__(self, seed: int, names: list[str]) -> None:
        self._random = random.Random(seed)
        self._names = names
        self._fitting: dict[str, list[str]] = {}

    def next(self, session: str) -> Hostile:
        method = self._random.choice(METHODS)
        params = method.parameters.values()
        path = "/" + method.path
        for one in params:
            if one.location == "path":
                text = str(self._text(one.name, one.pattern))
                plus = "{+" + one.name + "}"
                path = path.replace(plus, quote(text)).replace(
                    "{" + one.name + "}", quote(text, safe="")
                )
        query = [
            f"{one.name}={quote(str(self._value(one.type, one.enum)))}"
            for one in params
            if one.location == "query" and (one.required or self._random.random() < 0.3)
        ]
        query += [f"fields={quote(str(self._odd()))}"] * (self._random.random() < 0.05)
        content = b""
        if method.request is not None:
            content = self._body(method)
        return Hostile(
            method.id, method.http_method,
            f"/s/{session}/{method.document.host}{path}?{'&'.join(query)}", lambda: content,
        )  # fmt: skip

    def _body(self, method: Method) -> bytes:
        body = self._message(method.document.schemas, method.request or "", 0)
        content = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
        if self._random.random() < 0.05:
            at = self._random.randrange(len(content) + 1)
            content = content[:at] + self._random.randbytes(3) + content[at:]
        return content

    def _odd(self) -> Json:
        return self._random.choice(ODD)

    def _text(self, name: str, pattern: str) -> Json:
        if self._random.random() < 0.15:
            return self._odd()
        if name in {"customer", "customerId"} and not pattern:
            return "my_customer"
        if pattern not in self._fitting:
            fitting = [each for each in self._names if re.fullmatch(pattern or ".+", each)]
            self._fitting[pattern] = fitting
        if self._fitting[pattern] and self._random.random() < 0.9:
            return self._random.choice(self._fitting[pattern])
        made = ("p", "global", "-", "my_customer")
        return re.sub(
            r"\[\^/\]\+|\.\*|\.\+", lambda _: self._random.choice(made), pattern.strip("^$")
        )

    def _value(self, kind: str, enum: Any) -> Json:
        if enum and self._random.random() < 0.7:
            return self._random.choice(list(enum))
        if self._random.random() < 0.3:
            return self._odd()
        if kind == "string" and self._random.random() < 0.6:
            return self._random.choice(self._names)
        return {"integer": 3, "number": 1.5, "boolean": "true"}.get(kind, "a")

    def _message(self, schemas: Any, name: str, depth: int) -> JsonObject:
        made: JsonObject = {}
        for key, spec in schemas.get(name, {}).get("properties", {}).items():
            if self._random.random() < (0.6 if depth == 0 else 0.3):
                made[key] = self._of(schemas, spec, depth)
        if self._random.random() < 0.02:
            made["unknown"] = self._odd()
        return made

    def _of(self, schemas: Any, spec: Any, depth: int) -> Json:
        if depth > 5 or self._random.random() < 0.15:
            return self._odd()
        if "$ref" in spec:
            return self._message(schemas, spec["$ref"], depth + 1)
        kind = spec.get("type")
        if kind == "array":
            count = self._random.choice((0, 1, 1, 2))
            return [self._of(schemas, spec["items"], depth + 1) for _ in range(count)]
        if kind == "object":
            inner = spec.get("additionalProperties", {"type": "string"})
            return {"k": self._of(schemas, inner, depth + 1)}
        return self._value(kind or "string", spec.get("enum"))


def failures(caught: list[logging.LogRecord]) -> Iterator[str]:
    for record in caught:
        if record.exc_info:
            yield f"{record.getMessage()}: {record.exc_info[1]!r}"


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["chrome-enterprise", "sre"])
async def test_no_request_finds_a_defect(suite: str, caplog: pytest.LogCaptureFixture) -> None:
    served = application(suite)
    requests = Requests(SEED, names_in(served))
    named = [
        served.sessions.open(SessionSpec(id=f"f{at}", profile=profile, clock=clock)).id
        for at, (profile, clock) in enumerate((a, b) for a in PROFILES for b in CLOCKS)
    ]
    found: dict[str, str] = {}
    for number in range(COUNT):
        request = requests.next(named[number % len(named)])
        content = request.content()
        status, body = await ask(served, request, content)
        if status == 500 or any(failures(caplog.records)):
            why = " ".join(failures(caplog.records))
            found[f"{request.name}: {why}"] = f"{request.verb} {request.path} {content!r} {body!r}"
        caplog.clear()
    assert found == {}

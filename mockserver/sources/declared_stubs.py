"""Stubs of declared APIs: which of them answers a request, and with what."""

from collections.abc import Sequence
from typing import Any

import orjson
from typing_extensions import override

from mockserver.asgi.requests import Request
from mockserver.declared.api import DeclaredApi
from mockserver.declared.calls import Answer, DeclaredCall
from mockserver.declared.catalog import DeclaredRoute
from mockserver.declared.errors import refusal
from mockserver.declared.templates import row_values
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject, Miss
from mockserver.sources.exchange import Exchange
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.response import JSON
from mockserver.sources.stubs import (
    Stub,
    StubAnswer,
    StubRequest,
    compile_stub,
    rendered_answer,
    stub_differences,
)

_KEPT = 64
"""Declared APIs whose stubs are kept compiled."""


class _RouteRequest(StubRequest):
    """A request to a declared API as the stubs of one of its routes see it.

    Attributes:
        route: The stub that is looked at, with the values of its placeholders.
    """

    def __init__(self, exchange: Exchange, request: Request, route: DeclaredRoute) -> None:
        super().__init__(exchange, request, route.host)
        self.route = route

    @override
    def values(self, stub: Stub, number: int) -> dict[str, Any]:
        values, names = super().values(stub, number), _captures(self.route)
        values["request"]["params"] = names
        further = {"params": {**self.query, **names}, "body": self.body or {}}
        return {**row_values(self.world, stub.name, number), **values, **further}


class DeclaredStubs:
    """The stubs of declared APIs, compiled on first use."""

    def __init__(self) -> None:
        self._compile_stubs: IdentityMemo[Sequence[Stub]] = IdentityMemo(_KEPT)

    def find(
        self, exchange: Exchange, request: Request, routes: Sequence[DeclaredRoute]
    ) -> DeclaredRoute | ApiError:
        """The stub that answers a request; or the error that names the one that nearly does.

        Args:
            exchange: The call.
            request: The head of the request.
            routes: The stubs whose verb and path fit, the most specific first; at least one.

        Raises:
            ApiError: 500: the condition of one fails.
        """
        near: tuple[Stub, tuple[str, ...]] | None = None
        asked = _RouteRequest(exchange, request, routes[0])
        for route in routes:
            stub, asked.route = self._stub(route), route
            told = stub_differences(stub, asked)
            if not told:
                return route
            if near is None or len(told) < len(near[1]):
                near = stub, told
        stub, told = near or (self._stub(routes[0]), ())
        reason = f"no stub answers this request; {stub.name} is nearest"
        miss = Miss(blame="fixture_gap", reason=reason, nearest=stub.name, differs=told)
        return refusal(404, f"{reason}: {'; '.join(told)}", miss=miss)

    def answer(self, exchange: Exchange, route: DeclaredRoute, call: DeclaredCall) -> Answer:
        """The next answer of a stub.

        Args:
            exchange: The call; a delay of the answer is added to its response.
            route: The stub, with the values of its placeholders.
            call: The same call, as operations are handed it.

        Raises:
            ApiError: 500: a template fails; 404: all of its answers were given; its own error,
                where no HTTP request carries the call.
        """
        stub, response = self._stub(route), exchange.response
        number = call.world.count(stub.place)
        answer = stub.answer(number)
        if answer is None:
            text = f"{stub.name} has no further answer"
            miss = Miss(blame="fixture_gap", reason=text, nearest=stub.name)
            raise refusal(404, text, miss=miss)
        response.source = "stub"
        response.delay_ms += answer.delay_ms
        if answer.template is not None:
            answer = rendered_answer(answer, stub, _values(exchange, route, call, stub, number))
        if exchange.request is None:
            return Answer(answer.payload())
        return _answer_of(answer)

    def _stub(self, route: DeclaredRoute) -> Stub:
        made = self._compile_stubs.get(route.api)
        if made is None:
            made = self._compile_stubs.keep(route.api, _compile_stubs(route.api))
        return made[0 if route.operation is None else int(route.operation.name)]


def _compile_stubs(api: DeclaredApi) -> Sequence[Stub]:
    operations = {each.name: each for each in api.stub_operations}
    found = []
    for number, stub in enumerate(api.declaration.stubs):
        verb, _, path = stub.route.partition(" ")
        raw = stub.model_dump(exclude={"route"})
        raw |= {"method": verb, "url": f"{api.base_path}{path}", "id": operations[str(number)].id}
        found.append(compile_stub(raw, number, f"{api.name}.stubs[{number}]"))
    return found


def _captures(route: DeclaredRoute) -> dict[str, str]:
    names = route.operation.placeholders if route.operation is not None else ()
    return dict(zip(names, route.captures, strict=False))


def _values(
    exchange: Exchange, route: DeclaredRoute, call: DeclaredCall, stub: Stub, number: int
) -> dict[str, Any]:
    """What the templates of an answer may speak of."""
    if exchange.request is not None:
        return _RouteRequest(exchange, exchange.request, route).values(stub, number)
    params = call.params
    names = set(call.operation.placeholders)
    request: JsonObject = {
        "method": call.operation.verb,
        "host": "",
        "path": stub.address,
        "params": {name: value for name, value in params.items() if name in names},
        "query": {name: value for name, value in params.items() if name not in names},
        "headers": {},
        "body": call.body,
    }
    values = row_values(call.world, stub.name, number, params=params, body=call.body or {})
    return {**values, "request": request}


def _answer_of(answer: StubAnswer) -> Answer:
    headers = tuple((name.decode(), value.decode()) for name, value in answer.headers)
    if answer.content_type == JSON and answer.body:
        payload = orjson.loads(answer.body)
        return Answer(payload, answer.status, headers, encoded=answer.body)
    kind = answer.content_type.decode("latin-1")
    return Answer(None, answer.status, headers, content=answer.body, content_type=kind)

"""What a request asks, understood once: parameters and body, bound and ready for the journal."""

from dataclasses import dataclass, field

from mockserver.asgi.requests import Request
from mockserver.googleapi import ApiError, Bound, bind_body, bind_parameters, bind_system
from mockserver.model import JsonObject, Profile
from mockserver.redaction.fields import redact_params
from mockserver.routing import Route
from mockserver.sources.bodies import form_fields, parse_form, parse_json
from mockserver.sources.exchange import Exchange
from mockserver.sources.memo import IdentityMemo

_KEPT = 4096
_LONGEST_KEPT = 1024
"""Longer queries are bound anew each time, so that what is kept stays small."""

_Key = tuple[Route, bytes, Profile]
_Found = tuple[Bound, JsonObject]
"""What a query was bound to, and the parameters for the journal."""

_Typed = tuple[Route, Profile, JsonObject, JsonObject, JsonObject | None, tuple[str, ...]]
"""Of whom, how strictly; parameters as journalled, body, body as journalled, what is ignored."""


@dataclass(slots=True)
class Asked:
    """What a request asks.

    Attributes:
        params: Parameters for the handler; its own to change.
        body: The body for the handler.
        problem: Why the request cannot be answered, or None. Others may have to answer before it:
            a missing credential, a fault, a stub.
    """

    params: JsonObject = field(default_factory=dict)
    body: JsonObject = field(default_factory=dict)
    problem: ApiError | None = None


class Asking:
    """Understands requests; what was bound once is kept."""

    def __init__(self) -> None:
        self._bound: dict[_Key, _Found] = {}
        self._typed: IdentityMemo[_Typed] = IdentityMemo(_KEPT)

    def understand(self, exchange: Exchange, request: Request, content: bytes) -> Asked:
        """Bind a request's parameters and body, and note both for the journal."""
        found = self._bound.get((exchange.route, request.query, exchange.session.spec.profile))
        if found is not None and not content:
            return _known(exchange, found)
        query = request.query
        if content and request.verb == "GET" and request.is_form:
            # a long GET sent as POST: its query is in the body
            query, content = b"&".join(filter(None, (query, content))), b""
        asked = Asked()
        try:
            self._parameters(exchange, query, asked)
            if content:
                self._body(exchange, request, content, asked)
        except ApiError as error:
            asked.problem = error
        return asked

    def given(
        self, exchange: Exchange, params: JsonObject, body: JsonObject, *, typed: bool = False
    ) -> Asked:
        """What is asked with parameters that are bound already.

        Args:
            exchange: Where it is noted.
            params: Path and query parameters.
            body: The request body.
            typed: Whether the caller's types have seen to the body: what the document does not
                know is then ignored, except by the profile `strict`. A caller that hands over the
                very parameters of an earlier call asks the same again.
        """
        profile = exchange.session.spec.profile
        found = self._typed.get(params) if typed else None
        if found is not None and found[:2] == (exchange.route, profile):
            _, _, exchange.params, body, exchange.body, exchange.ignored = found
            exchange.redacted = True
            return Asked(dict(params), dict(body))
        exchange.params = redact_params(params)
        exchange.body = body or None
        asked = Asked(params=dict(params), body=body)
        try:
            if body:
                self._bind_body(exchange, body, asked, typed=typed)
        except ApiError as error:
            asked.problem = error
        if typed and asked.problem is None and exchange.request_bytes <= _LONGEST_KEPT:
            exchange.redact()
            shown = exchange.params, asked.body, exchange.body, exchange.ignored
            self._typed.keep(params, (exchange.route, profile, *shown))
            asked.body = dict(asked.body)
        return asked

    def _parameters(self, exchange: Exchange, query: bytes, asked: Asked) -> None:
        route, text = exchange.route, query.decode("latin-1")
        exchange.request_bytes = len(query)
        sent = {**route.captures, **dict(form_fields(text))}
        exchange.params = redact_params(sent)
        if route.method is None:
            asked.params = sent
            return
        profile = exchange.session.spec.profile
        try:
            bound = bind_parameters(route.method, route.captures, text, profile, route.dialect)
        except ApiError:
            # the refusal, too, is written the way that was asked for
            exchange.system = bind_system(route.method, text)
            raise
        named = {"fields": bound.system.fields} if bound.system.fields else {}
        found = (bound, redact_params({**bound.params, **named}))
        if len(query) <= _LONGEST_KEPT:
            self._keep((route, query, profile), found)
        asked.params = _known(exchange, found).params

    def _keep(self, key: _Key, found: _Found) -> None:
        if len(self._bound) >= _KEPT:
            del self._bound[next(iter(self._bound))]
        self._bound[key] = found

    def _body(self, exchange: Exchange, request: Request, content: bytes, asked: Asked) -> None:
        exchange.request_bytes += len(content)
        # curl says that what follows -d is a form, even when it is JSON
        if request.is_form and not content.lstrip().startswith(b"{"):
            asked.body = exchange.body = parse_form(content)
            return
        body = parse_json(content, exchange.route.dialect)
        if not isinstance(body, dict):
            raise ApiError(
                400,
                'Invalid JSON payload received. Unknown name "": Root element must be a message.',
                reason="parseError",
            )
        asked.body = exchange.body = body
        self._bind_body(exchange, body, asked)

    def _bind_body(
        self, exchange: Exchange, body: JsonObject, asked: Asked, *, typed: bool = False
    ) -> None:
        route = exchange.route
        if route.method is None:
            return
        if route.method.request is None:
            exchange.ignored += ("body",)
            asked.body = {}
            return
        profile = exchange.session.spec.profile
        held: Profile = "lenient" if typed and profile != "strict" else profile
        asked.body, ignored = bind_body(route.method, body, held, route.dialect)
        exchange.body = asked.body
        if ignored:
            exchange.ignored += ignored


def _known(exchange: Exchange, found: _Found) -> Asked:
    bound, exchange.params = found
    exchange.system = bound.system
    if bound.ignored:
        exchange.ignored = bound.ignored
    return Asked(dict(bound.params))

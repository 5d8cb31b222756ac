"""Answers calls: who asks, which fault, which stub, which method, and what the journal says."""

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

from mockserver.asgi.requests import Request
from mockserver.googleapi import ApiError, Call, Caller, not_emulated
from mockserver.model import JsonObject
from mockserver.routing import Route, Routes
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.session import Session
from mockserver.sources.addresses import Addresses
from mockserver.sources.binding import Asked, Asking
from mockserver.sources.conditions import check_condition
from mockserver.sources.direct import Direct, Outcome, Render
from mockserver.sources.exchange import Exchange
from mockserver.sources.fault_application import meet_faults, without_wire
from mockserver.sources.generated import check_unrecorded, has_source, payload_of
from mockserver.sources.metadata import answer_metadata, is_for_metadata
from mockserver.sources.misses import Misses, ambiguous, internal, no_source, not_found_page
from mockserver.sources.refusals import session_closed
from mockserver.sources.replies import HTML, ignored_header, miss_header
from mockserver.sources.stubs import CompiledStubs, Stub, find_direct_stub, find_stub
from mockserver.sources.uploading import Uploading, answer_media, understand_upload, wants_media

_log = logging.getLogger(__name__)

_NO_BODY: JsonObject = {}


class Emulator:
    """Answers calls in open sessions, whatever carried them.

    Args:
        routes: What verbs and paths mean.
        url: The server's own URL, for links in answers.

    Attributes:
        addresses: What makes links in answers.
    """

    def __init__(self, routes: Routes, *, url: str) -> None:
        self.routes = routes
        self.addresses = Addresses(url, routes.catalog)
        self._asking = Asking()
        self._stubs = CompiledStubs()
        self._misses = Misses(routes.apis, routes.catalog)

    def answer(
        self,
        session: Session,
        route: Route,
        request: Request,
        content: bytes,
        *,
        parent: int | None = None,
    ) -> tuple[Exchange, bytes]:
        """Answer one request, and journal it; the finished exchange and the response body.

        Args:
            session: Where it is asked.
            route: What it means.
            request: Its head.
            content: Its body.
            parent: The number of the batch that it is a part of, or None.
        """
        exchange = Exchange(session, route, request.client)
        exchange.parent = parent
        try:
            self._answer(exchange, request, content)
        except ApiError as error:
            self._refuse(exchange, error)
        except Exception:  # noqa: BLE001  (a defect of one handler must not end the server)
            _log.exception("%s failed", route.method_id)
            exchange.refuse(internal())
        if exchange.ignored:
            exchange.headers += ignored_header(exchange.ignored)
        if exchange.miss is not None:
            exchange.headers += miss_header(exchange.miss)
        return exchange, exchange.finish()

    def call(self, session: Session, route: Route, direct: Direct, render: Render) -> Outcome:
        """Answer one call that no HTTP request carries, and journal it.

        A stub answers it that would answer the request of HTTP with the same meaning.

        Args:
            session: Where it is asked; a closed one refuses.
            route: What it means.
            direct: What it asks.
            render: Makes of the answer what the caller sends; not called when there is an error.
        """
        exchange = Exchange(session, route, direct.client)
        exchange.request_bytes = direct.request_bytes
        stream, failed = None, None
        try:
            stream = self._directly(exchange, direct, render)
        except ApiError as error:
            failed = error
        except Exception:  # noqa: BLE001  (a defect of one handler must not end the server)
            _log.exception("%s failed", route.method_id)
            failed = internal()
        failed = without_wire(exchange) or failed
        if failed is not None:
            self._refuse(exchange, failed)
        exchange.finish()
        return Outcome(
            exchange.seq,
            failed,
            exchange.delay_ms,
            exchange.source,
            exchange.ignored,
            exchange.miss.blame if exchange.miss else "",
            stream,
        )

    def _directly(
        self, exchange: Exchange, direct: Direct, render: Render
    ) -> Iterator[JsonObject] | None:
        session, route = exchange.session, exchange.route
        if session.closed:
            exchange.source = "none"
            raise session_closed(session.id)
        asked = self._asking.given(exchange, direct.params, direct.body, typed=True)
        exchange.ignored += direct.ignored
        caller = caller_of(session, direct.token, route)
        if session.has_faults:
            meet_faults(exchange, asked, caller)
        if session.replay is not None:
            check_unrecorded(exchange, session.replay)
        if session.base.stubs and route.method is not None and _may_be_stub(exchange):
            stubbed = find_direct_stub(self._stubs.of(session.base), route.method, direct.params)
            if stubbed is not None:
                return self._stubbed(exchange, stubbed, render)
        if not has_source(exchange):
            self._nowhere(exchange)
            return None
        problem = direct.problem or asked.problem
        if problem is not None:
            raise problem
        call = self._call(exchange, asked, caller, self.addresses.base(b"", session.id))
        payload: Any = payload_of(exchange, call)
        exchange.ignored += tuple(call.ignored)
        if isinstance(payload, Iterator):
            return payload
        exchange.ignored += render(payload or _NO_BODY)
        exchange.answer(payload)
        return None

    def _stubbed(
        self, exchange: Exchange, stub: Stub, render: Render
    ) -> Iterator[JsonObject] | None:
        """Answer with a stub's JSON what no HTTP request asked; an array is a stream's answers."""
        exchange.source = "stub"
        payload = stub.payload()
        if isinstance(payload, list):
            return iter(payload)
        exchange.ignored += render(payload)
        exchange.answer(payload)
        return None

    def _answer(self, exchange: Exchange, request: Request, content: bytes) -> None:
        session, route = exchange.session, exchange.route
        upload = None
        if route.upload:
            upload = understand_upload(self._asking, exchange, request, content)
        asked = upload.asked if upload else self._asking.understand(exchange, request, content)
        caller = caller_of(session, request.token, route)
        if session.has_faults:
            meet_faults(exchange, asked, caller)
        if session.base.stubs and _may_be_stub(exchange) and self.from_stub(exchange, request):
            return
        if route.metadata and is_for_metadata(exchange, request):
            answer_metadata(exchange, request, asked.params)
            return
        if not has_source(exchange):
            self._nowhere(exchange)
            return
        if asked.problem is not None:
            raise asked.problem
        self._from_source(exchange, request, asked, caller, upload)

    def _from_source(
        self,
        exchange: Exchange,
        request: Request,
        asked: Asked,
        caller: Caller,
        upload: Uploading | None,
    ) -> None:
        exchange.select()
        if request.verb != "GET":
            check_condition(exchange, request, self.routes, caller)
        session_id = exchange.session.id
        media = None
        if upload is not None:
            media = upload.proceed(self.addresses.link(request, session_id))
            if media is None:
                return
        base_url = self.addresses.base(request.host, session_id)
        call = self._call(exchange, asked, caller, base_url)
        call.media = media
        payload: Any = payload_of(exchange, call)
        if call.ignored:
            exchange.ignored += tuple(call.ignored)
        if wants_media(exchange):
            answer_media(exchange, request, payload)
            return
        exchange.answer(payload, etag=request.headers.get(b"if-none-match", b""))
        if upload is not None and media is not None:
            upload.finish(self.routes, media, payload)

    def _call(self, exchange: Exchange, asked: Asked, caller: Caller, base_url: str) -> Call:
        session, route = exchange.session, exchange.route
        return Call(
            route.method_id,
            asked.params,
            asked.body,
            exchange.late or session.world,
            route.version,
            session.spec.profile,
            caller,
            base_url,
            partial(self._invoke, exchange, caller, base_url),
        )

    def _invoke(
        self,
        outer: Exchange,
        caller: Caller,
        base_url: str,
        method_id: str,
        params: JsonObject,
        body: JsonObject | None = None,
    ) -> JsonObject:
        """Answer one method on behalf of another; journalled with its parent."""
        route = self.routes.named(method_id, params)
        inner = Exchange(outer.session, route)
        inner.parent = outer.seq
        try:
            return self._inside(inner, params, body or _NO_BODY, (caller, base_url))
        except ApiError as error:
            self._refuse(inner, error)
            outer.failed_inside = (error, route.dialect)
            raise
        except Exception:
            inner.refuse(internal())
            raise
        finally:
            outer.delay_ms += inner.delay_ms
            inner.finish()

    def _inside(
        self, inner: Exchange, params: JsonObject, body: JsonObject, asking: tuple[Caller, str]
    ) -> JsonObject:
        asked = self._asking.given(inner, params, body)
        if inner.session.has_faults:
            meet_faults(inner, asked, asking[0])
            failed = without_wire(inner)
            if failed is not None:
                raise failed
        if not has_source(inner):
            raise not_emulated(inner.route.method_id)
        if asked.problem is not None:
            raise asked.problem
        payload: JsonObject | None = payload_of(inner, self._call(inner, asked, *asking))
        inner.answer(payload)
        return payload or {}

    def from_stub(self, exchange: Exchange, request: Request) -> bool:
        """Answer with a stub of the session's snapshot, if it has one for the call."""
        stubs = self._stubs.of(exchange.session.base)
        host = exchange.route.host or request.host.decode("latin-1")
        query = request.query.decode("latin-1")
        stub = find_stub(stubs, request.verb, host, exchange.route.path, query)
        if stub is None:
            return False
        exchange.source = "stub"
        exchange.status = stub.status
        exchange.response = stub.body
        exchange.content_type = stub.content_type
        exchange.headers = stub.headers
        return True

    def _nowhere(self, exchange: Exchange) -> None:
        """Answer a call that no handler answers: not emulated, ambiguous, unknown, not asked."""
        route = exchange.route
        exchange.source = "none"
        if route.handler is not None:
            raise no_source(route)
        if route.method is not None:
            raise not_emulated(route.method_id)
        exchange.miss = self._misses.of_unknown_route(route)
        if route.candidates:
            raise ambiguous(route)
        exchange.status = 404
        exchange.content_type = HTML
        exchange.response = not_found_page(exchange.path, exchange.miss)

    def _refuse(self, exchange: Exchange, error: ApiError) -> None:
        session = exchange.session
        miss = exchange.miss
        if exchange.source == "state" or error.miss is not None:
            miss = self._misses.of_error(error, exchange.route, exchange.params, session.world)
        exchange.refuse(error)
        exchange.miss = miss


def _may_be_stub(exchange: Exchange) -> bool:
    """Whether it is the stubs' turn: they are the first source, or the state has no answer."""
    sources = exchange.session.spec.sources
    return sources[:1] == ("stub",) or (exchange.route.handler is None and "stub" in sources)

"""One call on its way through a session: what it asks, its answer, and its journal entry."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property, lru_cache
from time import perf_counter
from types import MappingProxyType
from typing import Any, TypeVar

import orjson
from typing_extensions import override

from mockserver.asgi.requests import Request
from mockserver.googleapi import (
    ANONYMOUS,
    ApiError,
    Call,
    Dialect,
    Mask,
    Media,
    Method,
    PageAnswer,
    ParameterBinder,
    SystemParameters,
    apply_mask,
    bare_etag,
    bind_body,
    bind_system_parameters,
    encode,
    envelope,
    lists_etag,
    with_enum_numbers,
)
from mockserver.model import Fault, Json, JsonObject, Profile
from mockserver.redaction.journal_redaction import (
    REDACTED,
    redact_journal_body,
    redact_journal_params,
)
from mockserver.routing import Route
from mockserver.sessions.fault_errors import fault_error
from mockserver.sessions.faults import FaultScript
from mockserver.sessions.journal import Entry
from mockserver.sessions.session import Session
from mockserver.sources.bodies import MOST_FIELDS, form_fields, parse_form, parse_json
from mockserver.sources.memo import AnswerMemo, IdentityMemo
from mockserver.sources.response import HTML, Response, header_pairs
from mockserver.state import CHANNELS, World

_AS_IT_IS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
_ENCODED: IdentityMemo[tuple[Method, bool, bytes]] = IdentityMemo(512, budget=8 * 1024 * 1024)
"""Answers as bytes; handlers hand out what they hold, and nobody changes it in place."""

_ASSEMBLED: AnswerMemo[tuple[Method, bool, bytes]] = AnswerMemo(2048, budget=32 * 1024 * 1024)
"""The same for answers that are put together anew each time, of rows as they are held.

Sessions that start from one snapshot share its rows, and so what is kept of them."""

_ERROR_FORMS: Mapping[str, Dialect] = {"1": "legacy", "2": "one_platform"}
"""What `$.xgafv` asks for."""

_READING = frozenset({"GET", "HEAD"})
_TOOL_PREFIX = "tools."
_NO_HEADERS: Mapping[bytes, bytes] = MappingProxyType({})
T = TypeVar("T")

_KEPT = 16_384
_SEEN_KEPT = 32_768
_TYPED_KEPT = 4096
_LONGEST_KEPT = 1024
"""Longer queries are bound anew each time, so that what is kept stays small."""

_BoundQuery = tuple[JsonObject, JsonObject, SystemParameters | None, tuple[str, ...]]
"""What a query was bound to: parameters, the same for the journal, system parameters, and the names
of what is not used."""

_BoundCall = tuple[Route, Profile, JsonObject, JsonObject, JsonObject | None, tuple[str, ...]]
"""Of whom, how strictly; parameters as journalled, body, body as journalled, what is ignored."""


class JournalledCall:
    """One call of a session: its answer, and what the journal holds of it.

    Used as it is for calls that no source answers: refusals, batches, the parts of a stream.

    Attributes:
        session: Where it is asked.
        route: What it means.
        response: Its answer.
        entry: What the journal will hold of it; its number is taken when the call is made.
        system: The request's system parameters, which say how the answer is written; or None.
        mask: The part of the answer that was asked for, or None.
        moment: When it is answered, where its answer says so; None until it is answered.
        failed_inside: The error of a call made on behalf of this one, and how that API says it.
        entry_type: The class of the entry.

    Args:
        session: Where it is asked.
        route: What it means.
        client: What the caller says it is.
        parent: The number of the call that it is a part of, or None.
    """

    __slots__ = (
        "_started", "entry", "inner_failure", "mask", "moment", "response", "route", "session",
        "system",
    )  # fmt: skip

    entry_type: type[Entry] = Entry

    def __init__(
        self, session: Session, route: Route, client: bytes = b"", parent: int | None = None
    ) -> None:
        self._started = perf_counter()
        self.session = session
        self.route = route
        response = self.response = Response()
        response.unproven = route.unproven
        entry = self.entry = self.entry_type()
        entry.seq = session.journal.take_number()
        entry.method_id = route.method_id
        entry.http_method = route.verb
        entry.path = route.journal_path
        entry.host = route.host
        entry.client = client
        if parent is not None:
            entry.parent = parent
        self.system: SystemParameters | None = None
        self.mask: Mask | None = None
        self.moment: datetime | None = None
        self.inner_failure: tuple[ApiError, Dialect] | None = None

    def write_answer(
        self, payload: JsonObject | list[JsonObject] | None, *, etag: bytes = b""
    ) -> None:
        """Answer with a JSON object, with 204 for None, with 304 for what the caller has already.

        The messages of a stream that ends are an array.

        Args:
            payload: What the handler answered.
            etag: The request's `If-None-Match`.
        """
        response, method, system = self.response, self.route.method, self.system
        if payload is None:
            response.status = 204
            return
        if isinstance(payload, list):
            bodies = []
            for each in payload:
                self.write_answer(each)
                bodies.append(response.body)
            response.body = b"[%s]" % b",".join(bodies)
            return
        tag = payload.get("etag")
        if isinstance(tag, str) and tag:
            response.headers += ((b"etag", quote_etag(tag)),)
            if etag and lists_etag(etag, tag):
                response.status = 304
                return
        pretty = True
        if system is not None:
            pretty = system.pretty_print
            if system.enum_encoding_int and method is not None:
                payload = with_enum_numbers(payload, method)
        if method is None:
            response.body = orjson.dumps(payload, option=_AS_IT_IS)
            return
        if self.mask is not None:
            selected = apply_mask(self.mask, payload)
            response.body = encode(selected, pretty=pretty, method=method)
            return
        # an answer of the very rows that a handler has given before is not encoded again
        kept = _ENCODED.kept.get(id(payload))
        is_read = self.route.verb == "GET"  # what a write answers is new
        found = kept[1] if kept is not None else _ASSEMBLED.get(payload) if is_read else None
        if found is not None and found[0] is method and found[1] == pretty:
            response.body = found[2]
            return
        text = response.body = encode(payload, pretty=pretty, method=method)
        if is_read:
            encoded = (method, pretty, text)
            _ENCODED.keep(payload, encoded, len(text))
            _ASSEMBLED.keep(payload, encoded, len(text))

    def write_error(self, error: ApiError) -> None:
        """Answer with an error: in the form that was asked for, else in the dialect of its API."""
        response = self.response
        response.status = error.status
        response.headers += header_pairs(error.headers)
        response.miss = error.miss
        if isinstance(error, PageAnswer):
            response.content_type, response.body = HTML, error.html.encode()
            return
        dialect = self.route.dialect
        if self.inner_failure is not None and self.inner_failure[0] is error:
            dialect = self.inner_failure[1]
        form = self.system.xgafv if self.system else ""
        # answers are indented unless the caller says otherwise
        pretty = self.system.pretty_print if self.system else True
        response.body = encode(envelope(error, _ERROR_FORMS.get(form, dialect)), pretty=pretty)

    def finish(self) -> Response:
        """Record the entry in the session's journal, without its secrets; the answer."""
        session, entry, response = self.session, self.entry, self.response
        entry.at = self.moment or session.clock.now()
        if session.closed:
            entry.after_close = True
        entry.status, entry.source, entry.response = response.status, response.source, response.body
        if response.ignored:
            entry.ignored = response.ignored
        if response.miss is not None:
            entry.miss = response.miss
        if self.route.confidential:
            entry.response = _without_tokens(response.body)
        if self.inner_failure is not None:
            self.inner_failure = None  # a traceback holds on to every frame
        entry.duration_ms = (perf_counter() - self._started) * 1000 + response.delay_ms
        session.journal.record(entry)
        return response


_init_call = JournalledCall.__init__
"""To look for it, or for `super()`, would cost a warm request hundredths more."""


class UnreadEntry(Entry):
    """The entry of a request that nothing was bound of: it is read when somebody looks at it.

    Attributes:
        asked: Its path parameters, query and body, whether that is a form, and the dialect.
    """

    asked: tuple[Mapping[str, str], bytes, bytes, bool, Dialect] = ({}, b"", b"", False, "legacy")

    @cached_property
    @override
    def params(self) -> JsonObject:  # type: ignore[override]
        """Its parameters, without secrets."""
        captures, query, _, _, _ = self.asked
        with suppress(ApiError):
            return redact_journal_params({**captures, **dict(form_fields(query.decode("latin-1")))})
        return {}

    @cached_property
    @override
    def body(self) -> JsonObject | None:
        """Its body, without secrets; None where it is no object."""
        _, _, content, is_form, dialect = self.asked
        found: Any = None
        with suppress(ApiError):
            found = _read_object(content, dialect, is_form=is_form)
        if not isinstance(found, dict):
            return None
        shown: Any = redact_journal_body(found)
        return shown if isinstance(shown, dict) else None

    @override
    def drop_bodies(self) -> None:
        super().drop_bodies()
        captures, query, _, is_form, dialect = self.asked
        self.asked = captures, query, b"", is_form, dialect


def _read_object(content: bytes, dialect: Dialect, *, is_form: bool) -> Json:
    """A body as JSON, or as the fields of a form; None for none."""
    if not content:
        return None
    return parse_form(content) if is_form and _is_fields(content) else parse_json(content, dialect)


def _is_fields(content: bytes) -> bool:
    """Whether what is said to be a form is one: curl says so of all that follows -d."""
    return not content.lstrip().startswith(b"{")


class Exchange(JournalledCall, ABC):
    """One call that is answered by the sources of its session, whatever carried it.

    A subclass for each transport says how it is bound, how faults meet it, and how it is answered.

    Attributes:
        request: The head of the HTTP request that carries it; None for other transports.
        content: The body of that request.
        decoded: The parameters as another transport brought them; None for HTTP, and for calls that
            handlers make.
        token: The access token as sent; None where the caller is known otherwise.
        base_url: Where the caller reached the session, for links in answers; empty where the
            `Host` header says so.
        is_replayed: Whether recordings answer it, after stubs.
        params: Path and query parameters for the handler, its own to change; set by `bind`.
        body: The request body for the handler; set by `bind`.
        problem: Why it cannot be answered, or None; set by `bind`. Others may have to answer before
            it: a missing credential, a fault, a stub.
        caller: Who asks; set once it is bound.
        late: The world as this call sees it, where a fault makes it older than it is; or None.
        media: What is uploaded with it, or None; set by `check`.
        call: What the handler was given, once it was asked.
        fault_group: What a fault may name in the place of its method, `models.chat`; or an empty
            string.
        malformed: The fault that breaks tool calls of its reply, or None.
        conversation: What the requests of one stream share, or None.
        is_step: Whether a tool makes it, in the name of whoever called the tool.
        sent_headers: The headers of its HTTP request, with those that began its upload.
    """

    __slots__ = (
        "base_url", "body", "call", "caller", "content", "conversation", "decoded_params",
        "delayed_world", "fault_group", "is_step", "malformed", "media", "params", "problem",
        "request", "sent_headers", "token",
    )  # fmt: skip

    request: Request | None
    params: JsonObject
    body: JsonObject
    is_replayed = False

    def __init__(
        self,
        session: Session,
        route: Route,
        client: bytes = b"",
        parent: int | None = None,
        request: Request | None = None,
        content: bytes = b"",
    ) -> None:
        _init_call(self, session, route, client, parent)
        self.request = request
        self.content = content
        self.token: str | None = None
        self.base_url = ""
        self.problem: ApiError | None = None
        self.caller = ANONYMOUS
        self.delayed_world: World | None = None
        self.media: Media | None = None
        self.call: Call | None = None
        self.conversation: dict[str, Any] | None = None
        self.decoded_params: JsonObject | None = None
        self.fault_group = ""
        self.malformed: FaultScript | None = None
        self.is_step = False
        self.sent_headers: Mapping[bytes, bytes] = _NO_HEADERS

    @abstractmethod
    def bind(self, binder: "Binder") -> None:
        """Bind what it asks to `params` and `body`, and note both in the entry.

        Raises:
            ApiError: It is refused before anything else is looked at.
        """

    @abstractmethod
    def apply_faults(self) -> None:
        """Apply the faults of its session.

        Raises:
            ApiError: The error that a fault answers with.
        """

    def fault_error(self, fault: Fault) -> ApiError:
        """The error that a fault answers with, as the API says it."""
        route = self.route
        return fault_error(
            fault,
            method_id=self.entry.method_id,
            host=route.host,
            dialect=route.dialect,
            title=route.method.document.title if route.method else "",
        )

    def in_transaction(self, answer: Callable[..., T], *arguments: Any) -> T:
        """What an answer comes to; what it wrote is taken back when it raises.

        A tool that calls methods is no transaction: each of its calls is one.
        """
        route = self.route
        if route.verb in _READING or route.method_id.startswith(_TOOL_PREFIX):
            return answer(*arguments)
        world = self.delayed_world or self.session.world
        world.history.request = self.entry.seq
        is_part = world.innermost is not None  # of another call, which tells of all
        with world.transaction() as changes:
            found = answer(*arguments)
            if changes and not is_part:
                self.moment = changes[0].at
                if not world.is_empty(CHANNELS):
                    from mockserver.googleapi.channels import notify_channels  # where any is open

                    notify_channels(world, self.entry.method_id, changes)
        return found

    def defers_fault(self, fault: Fault) -> bool:
        """Whether a fault that answers comes later, in the middle of the answer."""
        return False

    def answer_with_payload(self, payload: Any) -> None:
        """Answer with what a handler gave: an object, None, or an iterator over a stream's."""
        self.write_answer(payload)

    def check_preconditions(self) -> bool:
        """Check what must hold before anything is done; whether the handler is to be asked.

        Raises:
            ApiError: It does not hold.
        """
        return True


def refuse_call(
    session: Session, route: Route, client: bytes, error: ApiError, *, parent: int | None = None
) -> Response:
    """Answer a call that no source is asked with an error, and journal it."""
    call = JournalledCall(session, route, client, parent)
    call.response.source = "none"
    call.write_error(error)
    return call.finish()


class Binder:
    """Binds what requests ask by the Discovery documents; what was bound twice is kept.

    Attributes:
        queries: What queries that came twice were bound to, by route, query and profile.
    """

    def __init__(self) -> None:
        self._binders: OrderedDict[tuple[Route, Profile], ParameterBinder] = OrderedDict()
        self._seen = [0] * _SEEN_KEPT
        self.queries: OrderedDict[tuple[Route, bytes, Profile], _BoundQuery] = OrderedDict()
        self._typed: IdentityMemo[_BoundCall] = IdentityMemo(_TYPED_KEPT)

    def bind_request(self, exchange: Exchange, request: Request, content: bytes) -> None:
        """Bind a request's parameters and body, and note both for the journal.

        Args:
            exchange: Where they are kept; a refusal is left there as its problem.
            request: The head of the request.
            content: Its body.
        """
        query = request.query
        if content and request.verb == "GET" and request.is_form:
            # a long GET sent as POST: its query is in the body
            query, content = b"&".join(filter(None, (query, content))), b""
        exchange.params, exchange.body = {}, {}
        try:
            if not (content and self.bind_known_query(exchange, query)):
                self._bind_query(exchange, query)
            if content:
                self._read_body(exchange, request, content)
        except ApiError as error:
            exchange.problem = error

    def bind_arguments(
        self, exchange: Exchange, params: JsonObject, body: JsonObject, *, typed: bool = False
    ) -> None:
        """Bind parameters that are decoded already, and note them for the journal.

        Args:
            exchange: Where they are kept; a refusal is left there as its problem.
            params: Path and query parameters.
            body: The request body.
            typed: Whether the caller's types have seen to the body: what the document does not
                know is then ignored, except by the profile `strict`. A caller that hands over the
                very parameters of an earlier call asks the same again.
        """
        entry, response = exchange.entry, exchange.response
        profile = exchange.session.profile
        found = self._typed.get(params) if typed else None
        if found is not None and found[:2] == (exchange.route, profile):
            _, _, entry.params, body, shown, response.ignored = found
            entry.set_redacted_body(shown)
            exchange.params, exchange.body = dict(params), body
            return
        entry.params = redact_journal_params(params)
        entry.set_body(body or None)
        exchange.params, exchange.body = dict(params), body
        try:
            if body:
                self._bind_body(exchange, body, typed=typed)
        except ApiError as error:
            exchange.problem = error
        if typed and exchange.problem is None and entry.request_bytes <= _LONGEST_KEPT:
            kept = entry.params, exchange.body, entry.body, response.ignored
            self._typed.keep(params, (exchange.route, profile, *kept))

    def bind_known_query(self, exchange: Exchange, query: bytes) -> bool:
        """Bind a query that was bound before; False for another one."""
        known = self.queries.get((exchange.route, query, exchange.session.profile))
        if known is None:
            return False
        params, exchange.entry.params, exchange.system, ignored = known
        if ignored:
            exchange.response.ignored = ignored
        exchange.params = dict(params)
        return True

    def _bind_query(self, exchange: Exchange, query: bytes) -> None:
        route, entry, text = exchange.route, exchange.entry, query.decode("latin-1")
        entry.request_bytes = len(query)
        if route.method is None:
            sent = {**route.captures, **dict(form_fields(text))}
            entry.params = redact_journal_params(sent)
            exchange.params = sent
            self._keep_query(exchange, query, None, ())
            return
        profile = exchange.session.profile
        if text.count("&") >= MOST_FIELDS:
            form_fields(text)
        binder = self._binders.get((route, profile))
        if binder is None:
            binder = ParameterBinder(route.method, route.captures, profile, route.dialect)
            if len(self._binders) >= _KEPT:
                self._binders.popitem(last=False)
            self._binders[route, profile] = binder
        try:
            params, system, ignored = binder.bind(text)
        except ApiError:
            entry.params = redact_journal_params({**route.captures, **dict(form_fields(text))})
            # the refusal, too, is written the way that was asked for
            exchange.system = bind_system_parameters(route.method, text)
            raise
        asked = {**params, "fields": system.fields} if system.fields else params
        entry.params = redact_journal_params(asked)
        exchange.params, exchange.system = params, system
        if ignored:
            exchange.response.ignored = ignored
        self._keep_query(exchange, query, system, ignored)

    def _keep_query(
        self,
        exchange: Exchange,
        query: bytes,
        system: SystemParameters | None,
        ignored: tuple[str, ...],
    ) -> None:
        """Keep what a query was bound to when it comes for the second time."""
        if len(query) > _LONGEST_KEPT:
            return
        key = exchange.route, query, exchange.session.profile
        number = hash(key)
        place = number % _SEEN_KEPT
        if self._seen[place] != number:
            self._seen[place] = number
            return
        if len(self.queries) >= _KEPT:
            self.queries.popitem(last=False)
        self.queries[key] = exchange.params.copy(), exchange.entry.params, system, ignored

    def _read_body(self, exchange: Exchange, request: Request, content: bytes) -> None:
        entry, is_form = exchange.entry, request.is_form
        entry.request_bytes += len(content)
        body = _read_object(content, exchange.route.dialect, is_form=is_form)
        if not isinstance(body, dict):
            raise ApiError(
                400,
                'Invalid JSON payload received. Unknown name "": Root element must be a message.',
                reason="parseError",
            )
        exchange.body = body
        entry.set_body(body)
        if not (is_form and _is_fields(content)):
            self._bind_body(exchange, body)

    def _bind_body(self, exchange: Exchange, body: JsonObject, *, typed: bool = False) -> None:
        route, response = exchange.route, exchange.response
        if route.method is None:
            return
        if route.method.request is None:
            response.ignored += ("body",)
            exchange.body = {}
            return
        profile = exchange.session.profile
        held: Profile = "lenient" if typed and profile != "strict" else profile
        exchange.body, ignored = bind_body(route.method, body, held, route.dialect)
        exchange.entry.set_body(exchange.body)
        if ignored:
            response.ignored += ignored


def _without_tokens(response: bytes) -> bytes:
    """An answer that holds credentials, as the journal may keep it."""
    try:
        return orjson.dumps(redact_journal_body(orjson.loads(response)), option=_AS_IT_IS)
    except orjson.JSONDecodeError:
        return REDACTED.encode() if response.startswith(b"eyJ") else response


@lru_cache(4096)
def quote_etag(tag: str) -> bytes:
    """An entity tag as a header says it.

    >>> quote_etag("abc"), quote_etag('"abc"')
    (b'"abc"', b'"abc"')
    """
    return f'"{bare_etag(tag)}"'.encode("latin-1", "replace")

"""Answers calls from recordings: the source `cassette` of a session."""

from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO, NamedTuple

import orjson
from typing_extensions import override

from mockserver.apis.tools import PREFIX as TOOL_PREFIX
from mockserver.apis.tools import call_tool
from mockserver.asgi.requests import Request
from mockserver.cassettes.files.body_files import BodyFileError, open_body, read_body
from mockserver.cassettes.replay import ALL_PLAYED, KeyedRequest, NoMatch, PlayedMatch
from mockserver.googleapi import ApiError, Catalog, bad_fields
from mockserver.messages.mcp_calls import (
    MCP_MEDIA,
    MCP_SCHEME,
    TOOL_CALL,
    error_text,
    mcp_body,
    mcp_call,
    mcp_path,
    plain_result,
)
from mockserver.model import (
    BodyFile,
    Header,
    Json,
    JsonObject,
    PlayedRecording,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction.journal_redaction import redact_journal_body
from mockserver.routing import Route
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.recordings import Replay
from mockserver.sessions.session import Session
from mockserver.sources.bodies import check_content, parse_json
from mockserver.sources.exchange import Binder, Exchange
from mockserver.sources.fault_application import apply_faults
from mockserver.sources.memo import IdentityMemo
from mockserver.sources.misses import internal_error
from mockserver.sources.playback import Playback, RenditionCache
from mockserver.sources.protocol import SourceMiss
from mockserver.sources.recorded_requests import (
    LONGEST_KEPT,
    ParsedRequest,
    RecordedAddress,
    RequestParser,
    addresses_of,
    counted_headers,
    label_of,
)
from mockserver.sources.replay_misses import (
    RecordedRoutes,
    check_page,
    lost_body_error,
    unmatched_error,
    unrecorded_error,
)
from mockserver.sources.response import Response

_KEPT = 1024
_READY_OF_EACH = 64
"""Answers to one request that are kept ready: most have one recording, played once and again."""

_OWN = frozenset({b"content-length", b"content-type", b"content-encoding", b"x-mock-source"})
"""Headers that an answer is given again where it is not sent as recorded."""


class _ReadyAnswer(NamedTuple):
    """A recording as the clients are answered with it that accept the same.

    Attributes:
        accepted: Their `Accept-Encoding`.
        recorded: The response, with the addresses that they are to see.
        method_id: What was recorded, or an empty string.
        recording: For the journal.
        playback: How it is sent; without the file of its body.
    """

    accepted: bytes
    recorded: RecordedResponse
    method_id: str
    recording: PlayedRecording
    playback: Playback


class _Target(NamedTuple):
    """A request as it would have been sent to one place.

    Attributes:
        place: The place.
        reading: The request there.
        ready: What recordings answer it with, by what was played.
    """

    place: RecordedAddress
    reading: ParsedRequest
    ready: IdentityMemo[_ReadyAnswer]


class _RequestMeaning(NamedTuple):
    """What a request means to a session with recordings.

    Attributes:
        route: Its method.
        targets: It at each place it may mean; none where the recordings know no such place.
        is_for_others: Whether other sources answer it, before or instead of recordings.
    """

    route: Route
    targets: tuple[_Target, ...]
    is_for_others: bool


class _Match(NamedTuple):
    """What the recordings of a place have for a request."""

    target: _Target
    played: PlayedMatch | NoMatch


class RpcRequest(NamedTuple):
    """A call that no HTTP request carries, as a recording of it would have it.

    Attributes:
        path: `/package.Service/Method`, or the method of MCP.
        body: Its message as JSON.
        headers: Its media type.
        token: The access token as sent, or an empty string.
        client: What the caller says it is.
        scheme: How URLs of such recordings begin.
        verbs: What stands for the HTTP method in them; likely ones first.
        hosts: Where it may have been recorded, where its path never was.
        shown: The member of its message that the journal shows as its body; all of it where none
            is named.
        problem: What it is refused with, whatever was recorded, or None.
    """

    path: str
    body: bytes
    headers: tuple[Header, ...]
    token: str = ""
    client: bytes = b""
    scheme: str = "https://"
    verbs: tuple[str, ...] = ("POST",)
    hosts: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    problem: ApiError | None = None


_init_exchange = Exchange.__init__
"""To look for it, or for `super()`, would cost a warm request hundredths more."""


class ReplayedRequest(Exchange):
    """An HTTP request that recordings answer.

    Attributes:
        replay: The recordings of its session.
        targets: It at each place it may mean.
        match: What the recordings have for it, where that was looked up before.

    Args:
        session: Where it is asked.
        meaning: What it means there.
        request: The head of the request.
        replay: The recordings of its session.
        parent: The number of the batch that it is a part of, or None.
        match: What the recordings have for it, where that was looked up before.
    """

    __slots__ = ("match", "replay", "targets")

    request: Request
    is_replayed = True

    def __init__(
        self,
        session: Session,
        meaning: _RequestMeaning,
        request: Request,
        replay: Replay,
        *,
        parent: int | None = None,
        match: _Match | None = None,
    ) -> None:
        _init_exchange(self, session, meaning.route, request.client, parent, request)
        self.response.source = "none"
        self.replay = replay
        self.targets = meaning.targets
        self.match = match

    @override
    def bind(self, binder: Binder) -> None:
        entry = self.entry
        if self.targets:
            _, entry.path, entry.params, body = self.targets[0].reading
            entry.set_redacted_body(body)
        self.params, self.body = entry.params, entry.body or {}

    @override
    def apply_faults(self) -> None:
        # recordings answer whoever asks; only faults tell callers apart, and change parameters
        self.caller = caller_of(self.session, self.request.token, self.route)
        self.params = dict(self.params)
        apply_faults(self)
        check_page(self.params, self.body)


class ReplayedRpc(Exchange):
    """A call without an HTTP request that recordings answer.

    Attributes:
        replay: The recordings of its session, which know its path.
        request: The call.
        keyed: It at each host that its path was recorded of.
        played: The recording that answers, once it is found.
        label: Which one it is: `<cassette>#<number>`, and how it was found.
    """

    keyed: tuple[KeyedRequest, ...] = ()
    played: PlayedMatch | None = None
    label: str = ""
    is_replayed = True

    def __init__(self, session: Session, route: Route, request: RpcRequest, replay: Replay) -> None:
        super().__init__(session, route, request.client)
        self.response.source = "none"
        self.sent = request
        self.replay = replay

    @override
    def bind(self, binder: Binder) -> None:
        replay, sent = self.replay, self.sent
        requests = (
            RecordedRequest(verb, f"{sent.scheme}{host}{sent.path}", sent.headers, sent.body)
            for host in replay.hosts_of(sent.path) or sent.hosts
            for verb in sent.verbs
        )
        self.keyed = tuple(
            replay.keyer.fresh(replay.redactor.redact_request(each), each) for each in requests
        )
        self.entry.path = sent.path
        if not self.keyed:
            raise unrecorded_error(replay.known.hosts, self.route)
        value = orjson.loads(self.keyed[0].request.body or b"{}")
        for name in sent.shown:
            value = value.get(name, {}) if isinstance(value, dict) else {}
        body: JsonObject = redact_journal_body(value) if isinstance(value, dict) else {}
        self.entry.set_redacted_body(body)
        self.params, self.body = {}, body
        if sent.problem is not None:
            raise sent.problem

    @override
    def apply_faults(self) -> None:
        self.caller = caller_of(self.session, self.sent.token, self.route)
        apply_faults(self)


class ReplayedTool(ReplayedRpc):
    """`POST /tools/<name>` that recordings of the same tool answer."""

    request: Request

    def __init__(
        self, session: Session, route: Route, request: Request, sent: RpcRequest, replay: Replay
    ) -> None:
        super().__init__(session, route, sent, replay)
        self.request = request


class CassetteSource:
    """Answers from the recordings of a session.

    Args:
        catalog: Tells the hosts of emulated APIs.
        link: Makes what stands before a request's path in a link, of it and its session's id.
    """

    def __init__(self, catalog: Catalog, link: Callable[[Request, str], str]) -> None:
        self._catalog = catalog
        self._link = link
        self._parser = RequestParser()
        self._renditions = RenditionCache()
        self._recorded = RecordedRoutes()

    def serves(self, exchange: Exchange) -> bool:
        """Whether recordings answer this call, and neither the state nor a schema."""
        return exchange.is_replayed

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer with the recording that fits.

        Raises:
            ApiError: 424: there is none.
        """
        if isinstance(exchange, ReplayedRequest):
            self._answer_request(exchange)
        elif isinstance(exchange, ReplayedRpc):
            self._answer_rpc(exchange)
        return exchange.response

    def request_exchange(
        self, session: Session, route: Route, request: Request, content: bytes, parent: int | None
    ) -> "ReplayedRequest | ReplayedTool | None":
        """A request that recordings answer; None where other sources do.

        Raises:
            ApiError: 400 or 507: the body has too many parts to be read.
        """
        replay = session.replay
        if replay is None:
            return None
        if content:
            check_content(request, content)
        tool = route.method_id.removeprefix(TOOL_PREFIX)
        if route.handler is call_tool and is_recorded_tool(session, replay, tool):
            sent = tool_request(replay, tool, parse_json(content, route.dialect), request.token)
            return ReplayedTool(session, route, request, sent, replay)
        meaning = self._request_meaning(session, replay, route, request, content)
        if meaning.is_for_others:
            return None
        exchange = ReplayedRequest(session, meaning, request, replay, parent=parent)
        exchange.content = content
        return exchange

    def batch_exchange(
        self, session: Session, route: Route, request: Request, content: bytes
    ) -> ReplayedRequest | None:
        """A batch that a recording of the whole of it answers; None where there is none such.

        Raises:
            ApiError: 400 or 507: the body has too many parts to be read.
        """
        replay = session.replay
        check_content(request, content)
        if replay is None:
            return None
        meaning = self._request_meaning(session, replay, route, request, content)
        match = None if meaning.is_for_others else _play(session, replay, meaning.targets)
        if match is None or isinstance(match.played, NoMatch):
            return None
        return ReplayedRequest(session, meaning, request, replay, match=match)

    def rpc_exchange(
        self, session: Session, replay: Replay, route: Route, request: RpcRequest
    ) -> ReplayedRpc:
        """A call without an HTTP request that recordings answer."""
        return ReplayedRpc(session, route, request, replay)

    def _request_meaning(
        self, session: Session, replay: Replay, route: Route, request: Request, content: bytes
    ) -> _RequestMeaning:
        """What a request means; looked up if it was asked in this session before."""
        head = counted_headers(request)
        key = (request.host, request.path, request.query, request.sent_verb, content, head)
        meaning: _RequestMeaning | None = replay.calls.get(key)
        if meaning is not None:
            return meaning
        self._renditions.make_room(replay.recordings)
        link = self._link(request, session.id)
        places = addresses_of(request, replay.known, route, link, self._catalog)
        if places:
            route = self._recorded.at(places[0], request, route)
        targets = tuple(
            _Target(
                place,
                self._parser.parse(request, content, place, route=route, replay=replay),
                IdentityMemo(_READY_OF_EACH),
            )
            for place in places
        )
        if replay.alone:
            is_for_others = not targets and route.is_service
        else:
            is_for_others = not targets or (route.handler is not None and not replay.first)
        meaning = _RequestMeaning(route, targets, is_for_others)
        if len(content) <= LONGEST_KEPT:
            if len(replay.calls) >= max(_KEPT, 2 * replay.recordings):
                replay.calls.popitem(last=False)
            replay.calls[key] = meaning
        return meaning

    def _answer_request(self, exchange: ReplayedRequest) -> None:
        replay, route, request = exchange.replay, exchange.route, exchange.request
        entry, response = exchange.entry, exchange.response
        match = exchange.match or _play(exchange.session, replay, exchange.targets)
        if match is None:
            raise unrecorded_error(replay.known.hosts, route)
        target, played = match
        if isinstance(played, NoMatch):
            raise unmatched_error(played, target.reading.keyed.request, replay, route)
        accepted = request.headers.get(b"accept-encoding", b"")
        ready = target.ready.get(played)
        if ready is None or ready.accepted != accepted:
            ready = self._make_ready(played, target, accepted, replay.pace)
        _, recorded, method_id, recording, playback = ready
        response.source = "cassette"
        response.status, response.body = recorded.status, recorded.body
        if method_id and route.method is None:
            entry.method_id = method_id
        if recorded.file is not None:
            playback = replace(playback, body=_open(exchange, recorded.file))
        entry.recording = recording
        response.playback = playback
        if response.damage is not None or entry.parent is not None:
            head = playback.rendition.head
            response.compressible = False
            response.headers += tuple(pair for pair in head if pair[0] not in _OWN)
            response.content_type = dict(head).get(b"content-type", b"")

    def _make_ready(
        self, played: PlayedMatch, target: _Target, accepted: bytes, pace: float
    ) -> _ReadyAnswer:
        """Make a recording ready for clients that accept the same, and keep it with its request."""
        interaction = played.interaction
        renditions = self._renditions.of(interaction, target.place)
        recorded, told = renditions.response, label_of(played)
        playback = Playback(
            renditions.best(accepted),
            recorded.ended,
            pace,
            interaction.duration_ms,
            told.headers,
        )
        ready = _ReadyAnswer(accepted, recorded, interaction.method_id, told.recording, playback)
        return target.ready.keep(played, ready)

    def _answer_rpc(self, exchange: ReplayedRpc) -> None:
        replay, response = exchange.replay, exchange.response
        missed: tuple[NoMatch, RecordedRequest] | None = None
        played: PlayedMatch | None = None
        for each in exchange.keyed:
            found = replay.play(each)
            if isinstance(found, PlayedMatch):
                played = found
                if isinstance(exchange, ReplayedTool):
                    _check_strict(exchange, found, each.request)
                break
            if missed is None or len(found.differs) < len(missed[0].differs):
                missed = found, each.request
        if played is None and missed is not None and isinstance(exchange, ReplayedTool):
            played = _nearest_call(exchange, missed[0])
        if played is not None:
            response.source = "cassette"
            told = label_of(played)
            exchange.entry.recording, exchange.label = told.recording, told.said
            response.body = played.interaction.response.body
            exchange.played = played
            if isinstance(exchange, ReplayedTool):
                response.headers += told.headers
                response.body = _tool_answer(played, exchange.route)
            return
        if missed is None:
            raise internal_error()
        raise unmatched_error(*missed, replay, exchange.route)


def is_recorded_tool(session: Session, replay: Replay, name: str) -> bool:
    """Whether recordings answer calls of a tool; those that a snapshot prepares come first."""
    if replay.mcp is None or name in session.base.tools:
        return False
    path = mcp_path(TOOL_CALL, {"name": name})
    return name in replay.mcp.tools or bool(replay.hosts_of(path))


def tool_request(replay: Replay, name: str, arguments: Json, token: str) -> RpcRequest:
    """A call of a tool, as a recording of it would have it.

    Args:
        replay: The recordings, which know the tool.
        name: The tool's name.
        arguments: What it is given.
        token: The access token as sent, or an empty string.

    Raises:
        ApiError: 400: the arguments are no object.
    """
    if not isinstance(arguments, dict):
        raise bad_fields([("", "the arguments of a tool are one object")])
    servers = replay.mcp
    params = {"name": name, "arguments": arguments}
    return RpcRequest(
        mcp_path(TOOL_CALL, params),
        mcp_body(TOOL_CALL, params),
        (("content-type", MCP_MEDIA),),
        token,
        scheme=MCP_SCHEME,
        verbs=("POST", "QUERY") if servers is None else servers.verbs(TOOL_CALL, params),
        hosts=() if servers is None else servers.names,
        shown=("params", "arguments"),
    )


def _check_strict(exchange: ReplayedTool, found: PlayedMatch, request: RecordedRequest) -> None:
    """Refuse what a tool that is played strictly may not get.

    Raises:
        ApiError: 424: the call was recorded in another order, or less often.
    """
    name = exchange.route.method_id.removeprefix(TOOL_PREFIX)
    if exchange.session.spec.tool_answer(name) != "strict":
        return
    skipped = exchange.replay.skipped_write(found)
    if skipped:
        why = f"its recording was made after {skipped}, which was not called yet"
    elif found.again:
        why = ALL_PLAYED
    else:
        return
    missed = NoMatch(why, "", (), found.tape, found.number)
    raise unmatched_error(missed, request, exchange.replay, exchange.route)


def _nearest_call(exchange: ReplayedTool, missed: NoMatch) -> PlayedMatch | None:
    """What answers a call of a tool that no recording is left for; None where that is a miss.

    The same call is answered again, so that what the agent does next is seen; expectations say
    whether it may call twice. Another call is, where the case wants the nearest.
    """
    replay, spec = exchange.replay, exchange.session.spec
    name = exchange.route.method_id.removeprefix(TOOL_PREFIX)
    answer = spec.tool_answer(name)
    if answer == "strict" or replay.alone or spec.barriers == "strict" or spec.repeats == "once":
        return None
    if missed.reason == ALL_PLAYED:
        return replay.play_nearest(missed, "the tool was called more often than it was recorded")
    path = mcp_path(TOOL_CALL, {"name": name})
    if answer != "nearest" or not missed.nearest.partition(" (#")[0].endswith(path):
        return None
    differs = ", ".join(each.removeprefix("body.params.") for each in missed.differs)
    return replay.play_nearest(missed, f"near: another call of the tool; differs in {differs}")


def _tool_answer(played: PlayedMatch, route: Route) -> bytes:
    """What `POST /tools/<name>` answers with a recorded call.

    Raises:
        ApiError: The tool failed, or its server refused; 424: the body of the answer is gone.
    """
    interaction = played.interaction
    file = interaction.response.file
    try:
        call = mcp_call(interaction, None if file is None else read_body(file))
    except BodyFileError as error:
        raise lost_body_error(error.message, route) from error
    if call.result is None:
        refusal = call.error or {}
        raise ApiError(interaction.response.status, str(refusal.get("message", "")))
    if call.result.get("isError") is True:
        raise ApiError(500, error_text(call.result), reason="toolError")
    value = plain_result(call.result)
    return orjson.dumps({"result": value}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _open(exchange: ReplayedRequest, file: BodyFile) -> BinaryIO | None:
    """The open file of a body that is sent; a part of a batch is read instead."""
    response = exchange.response
    try:
        if response.damage is not None or exchange.entry.parent is not None:
            response.body = read_body(file)
            return None
        return None if exchange.request.head else open_body(file)
    except BodyFileError as error:
        raise lost_body_error(error.message, exchange.route) from error


def _play(session: Session, replay: Replay, targets: tuple[_Target, ...]) -> _Match | None:
    """The recording at the first place that has one, or why the first place has none."""
    first = None
    for target in targets:
        keyed = target.reading.keyed
        # only texts for a model may be dated, and looking at two clocks takes its time
        now = (session.clock.now(), session.clock.client_now()) if keyed.is_model_call else ()
        match = _Match(target, replay.play(keyed, now))
        if isinstance(match.played, PlayedMatch):
            return match
        first = first or match
    return first

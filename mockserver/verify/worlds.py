"""Sends recordings to the mock: a world for each, its requests in their order, in this process."""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from mockserver.apis import APIS
from mockserver.cassettes.foreign import http_log
from mockserver.drift.surveys import path_name
from mockserver.errors import MockServerError
from mockserver.googleapi.raw_snapshot import OPERATION_POLLS
from mockserver.http.application import Application
from mockserver.messages import header, read_json
from mockserver.messages.mcp_calls import GREETINGS, McpCall, is_mcp, mcp_call, mcp_interaction
from mockserver.model import (
    Interaction,
    Json,
    RecordedRequest,
    RecordedResponse,
    SessionSpec,
)
from mockserver.routing import Route
from mockserver.sessions.session import Session
from mockserver.settings import Settings
from mockserver.shared.log import Record
from mockserver.shared.repeat import receive_of, scope_of
from mockserver.state import parse_rfc3339
from mockserver.verify.agreement import Agreement
from mockserver.verify.comparison import Answer, Compared, compare
from mockserver.verify.placeholders import (
    Placeholders,
    learn_created,
    resource_place,
    translated_request,
)
from mockserver.verify.proposals import Proposals
from mockserver.verify.recordings import Recording
from mockserver.verify.seeds import Found, Seeds, polls_of
from mockserver.verify.values import Translation, is_time

_EMPTY_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
"""When a recording is taken to be made that has no time in it."""
_STEP = timedelta(seconds=1)
_JOURNAL = 64 * 1024
_NOT_SENT = frozenset({
    "accept-encoding", "baggage", "connection", "content-length", "host", "origin",
    "proxy-authorization", "sec-fetch-mode", "sec-fetch-site", "te", "traceparent", "trailer",
    "transfer-encoding", "upgrade", "x-mock-session",
})  # fmt: skip


class Verifier:
    """Holds recordings against one mock.

    Args:
        fixtures: The suite that the worlds start from; None for empty ones.
        methods: A glob; only exchanges of methods that it matches count.
        hosts: A glob; the same of hosts.
        trusted: Whether Python functions that the suite names are run.
        proposes: Whether changes to the suite's data are proposed. Its data answers alone then:
            nothing that the recordings read is put into the worlds.

    Attributes:
        agreement: What was found.
        proposals: Changes to the suite's data, where they are asked for.
        routes: What requests mean to the mock.

    Raises:
        MockServerError: The suite cannot be served.
    """

    def __init__(
        self,
        fixtures: Path | None = None,
        *,
        methods: str = "*",
        hosts: str = "*",
        trusted: bool = False,
        proposes: bool = False,
    ) -> None:
        self._moment = _EMPTY_MOMENT
        settings = Settings(fixtures=fixtures, trusted=trusted, journal_bytes=_JOURNAL)
        self._application = Application(settings, real=lambda: self._moment)
        self.routes = self._application.dispatcher.routes
        self._seeds = Seeds(APIS, self.routes)
        self.proposals = (
            Proposals(APIS, fixtures, self.routes) if proposes and fixtures is not None else None
        )
        self._methods, self._hosts = methods, hosts
        self.agreement = Agreement()

    def verify(
        self, recordings: Iterable[Recording], *, before: Callable[[str], None] = lambda _: None
    ) -> Agreement:
        """Send all recordings to the mock, each to a world of its own.

        Args:
            recordings: The recordings.
            before: Called with the name of each before it is sent.
        """
        asyncio.run(self._verify(recordings, before))
        return self.agreement

    async def _verify(self, recordings: Iterable[Recording], before: Callable[[str], None]) -> None:
        for recording in recordings:
            before(recording.name)
            for note in recording.notes:
                self.agreement.left_out[note.partition(": ")[2] or note] += 1
            if recording.problem:
                self.agreement.unreadable[recording.name] = recording.problem
            else:
                await self._send(recording)

    async def _send(self, recording: Recording) -> None:
        self.agreement.recordings += 1
        self._moment = _begin(recording.interactions)
        session = self._open(recording.interactions)
        if self.proposals is not None:
            self.proposals.begin()
        if any(map(is_mcp, recording.interactions)):
            try:
                await self._send_to_mcp(session, recording)
            except MockServerError as error:
                self.agreement.unreadable[recording.name] = f"MCP: {error}"
        caller = session.caller(session.token)
        translation = Translation(
            caller.email if caller else "",
            http_log.STANDS_FOR_ID if recording.format == http_log.NAME else None,
        )
        placeholders = Placeholders(translation, recording.interactions)
        try:
            polls = polls_of(recording.interactions)
            for number, interaction in enumerate(recording.interactions, 1):
                if is_mcp(interaction):
                    continue
                if number - 1 in polls:
                    count = {"count": polls[number - 1]}
                    session.world.put(OPERATION_POLLS, OPERATION_POLLS, count)
                self._moment = max(self._moment + _STEP, _answered_at(interaction) or self._moment)
                try:
                    await self._exchange(
                        session, translation, placeholders, recording.name, number, interaction
                    )
                except (RecursionError, ValueError):  # nested too deep, or no URL
                    self.agreement.left_out["an exchange that cannot be sent; left out"] += 1
        finally:
            self._application.sessions.close(session.id)

    def _open(self, interactions: tuple[Interaction, ...]) -> Session:
        """A world that holds what was there before a recording began, as its reads tell."""
        try:
            seeds = self._seeds.find(() if self.proposals is not None else interactions)
        except (RecursionError, ValueError):
            seeds = Found({}, ())
        sessions = self._application.sessions
        spec = SessionSpec(clock="real", seed=1)
        try:
            layers = (seeds.layer,) if seeds.layer else ()
            session = sessions.open(spec.model_copy(update={"overrides": layers}))
        except MockServerError as error:
            session = sessions.open(spec)
            self.agreement.left_out[f"what was there before: {error}; left out"] += 1
        read: set[tuple[str, str]] = set()
        for table, key, row in seeds.rows:
            if (table, key) not in read:  # a later read may tell what was written meanwhile
                completed = session.world.table(table).get(key) or {}
                session.world.put(table, key, {**row, **completed})
                read.add((table, key))
        return session

    async def _exchange(
        self,
        session: Session,
        translation: Translation,
        placeholders: Placeholders,
        name: str,
        number: int,
        interaction: Interaction,
    ) -> None:
        asked = interaction.request
        url = urlsplit(asked.url)
        host = url.netloc.rpartition("@")[2]
        if not self._serves(session, host):
            self.agreement.unserved[host] += 1
            return
        route = self.routes.find(host.encode("latin-1", "replace"), asked.method,
                                  url.path.encode("latin-1", "replace"))  # fmt: skip
        placeholders.resolve(interaction)
        sent = translated_request(asked, translation)
        recorded = _answer(interaction)
        key = "" if recorded.status == 401 else session.token
        given = await self._ask(session, _with_key(sent, route, key))
        learn_created(sent, recorded, given, translation)
        compared = compare(recorded, given, translation, resource_place(asked.url))
        method = route.method_id or path_name(interaction)
        if asked.file is not None or interaction.response.file is not None:
            self.agreement.left_out["a body in a file of its own; left out"] += 1
            return
        if self._count(method, host, name, number, sent, (recorded, given), compared):
            self._propose(interaction, route, given, translation)

    def _propose(
        self, asked: Interaction, route: Route, given: Answer, translation: Translation
    ) -> None:
        if self.proposals is not None:
            answer = RecordedResponse(given.status, "", tuple(given.headers), given.body)
            self.proposals.take(asked, route, replace(asked, response=answer), translation)

    def _count(
        self, method: str, host: str, name: str, number: int, sent: RecordedRequest,
        answers: tuple[Answer, Answer], compared: Compared,
    ) -> bool:  # fmt: skip
        """Count an exchange, if it is asked for; whether it is."""
        if not fnmatchcase(method, self._methods) or not fnmatchcase(host, self._hosts):
            return False
        if not compared.is_json:
            kind = header(answers[0].headers, "content-type").partition(";")[0]
            self.agreement.other_bodies[kind or "no media type"] += 1
        self.agreement.add(method, host, name, number, sent, answers, compared)
        return True

    async def _send_to_mcp(self, session: Session, recording: Recording) -> None:
        """Ask the MCP server that a session is what an MCP server was recorded with."""
        from mockserver.fronts.mcp.front import require_sdk

        require_sdk()
        from mcp.client._memory import InMemoryTransport

        from mockserver.capture.mcp import converse
        from mockserver.fronts.mcp.replay import session_server

        server = session_server(session, self._application.dispatcher)
        translation = Translation()
        calls: dict[int, McpCall] = {}
        for number, each in enumerate(recording.interactions, 1):
            try:
                calls |= {number: mcp_call(each)} if is_mcp(each) else {}
            except ValueError:
                self.agreement.left_out["a call of MCP in another form; left out"] += 1
        async with converse(InMemoryTransport(server)) as live:
            for number, call in calls.items():
                each = recording.interactions[number - 1]
                host = urlsplit(each.request.url).netloc
                translation.hear_value(call.params)
                params = translation.value(call.params, "")
                asked = isinstance(params, dict) and call.method not in GREETINGS
                done = await live.ask(call.method, params) if asked else live.greeting
                made = mcp_interaction(
                    host, done.call, reads=done.reads, recorded_at="", duration_ms=0
                )
                answers = _answer(each), _answer(made)
                compared = compare(*answers, translation, "")
                name = f"mcp {call.method} {call.params.get('name', '')}".strip()
                self._count(name, host, recording.name, number, each.request, answers, compared)

    def _serves(self, session: Session, host: str) -> bool:
        name = host.partition(":")[0]
        return (
            bool(self.routes.catalog.canonical(host))
            or {host, name} & self.routes.declared.hosts != set()
            or {host, name} & set(session.base.stub_hosts) != set()
            or self.routes.models.serves(name)
        )

    async def _ask(self, session: Session, sent: RecordedRequest) -> Answer:
        url = urlsplit(sent.url)
        headers = [(b"host", url.netloc.encode("latin-1", "replace"))]
        for name, value in sent.headers:
            pair = name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace")
            if pair[0].decode("latin-1") not in _NOT_SENT:
                headers.append(pair)
        headers.append((b"x-mock-session", session.id.encode()))
        if sent.body:
            headers.append((b"content-length", b"%d" % len(sent.body)))
        record = Record(
            self._moment, sent.method, "https", (url.path or "/").encode("latin-1", "replace"),
            url.query.encode("latin-1", "replace"), tuple(headers), sent.body,
        )  # fmt: skip
        parts: list[Any] = []

        async def send(message: Any) -> None:
            parts.append(message)

        with suppress(ConnectionResetError):
            await self._application(scope_of(record), receive_of(record), send)
        if not parts:
            return Answer(0, (), b"")
        found = tuple((name.decode("latin-1"), value.decode("latin-1"))
                      for name, value in parts[0].get("headers", ()))  # fmt: skip
        return Answer(parts[0]["status"], found, b"".join(each.get("body", b"") for each in parts))


def _with_key(sent: RecordedRequest, route: Route, key: str) -> RecordedRequest:
    """A request with a credential that the mock knows, where the recorded one was accepted.

    Args:
        sent: The request.
        route: What it means; a declared API says where its keys are.
        key: The session's own; empty for a request that was refused for want of one.
    """
    auth = route.declared.api.declaration.auth if route.declared is not None else None
    name = auth.header.lower() if auth is not None and auth.header else "authorization"
    headers = [pair for pair in sent.headers if pair[0].lower() not in {name, "authorization"}]
    url = urlsplit(sent.url)
    pairs = url.query.split("&") if url.query else []
    if auth is not None and auth.query:
        pairs = [each for each in pairs if each.partition("=")[0] != auth.query]
        pairs += [f"{auth.query}={quote(key)}"] if key else []
    elif key and auth is not None and auth.basic:
        told = b64encode(f":{key}".encode()).decode()
        headers.append((name, f"Basic {told}"))
    elif key:
        headers.append((name, key if name != "authorization" else f"Bearer {key}"))
    target = url._replace(query="&".join(pairs)).geturl()
    return replace(sent, url=target, headers=tuple(headers))


def _answer(interaction: Interaction) -> Answer:
    response = interaction.response
    return Answer(response.status, response.headers, response.body)


def _answered_at(interaction: Interaction) -> datetime | None:
    """When an exchange was recorded, where it says so."""
    with suppress(ValueError):
        if interaction.recorded_at:
            return parse_rfc3339(interaction.recorded_at)
    date = header(interaction.response.headers, "date")
    with suppress(ValueError, TypeError):
        if date:
            return parsedate_to_datetime(date).astimezone(UTC)
    return None


def _begin(interactions: tuple[Interaction, ...]) -> datetime:
    """When a recording began: as it says itself, or by the first time that an answer tells."""
    for each in interactions:
        at = _answered_at(each)
        if at is not None:
            return at
    for each in interactions:
        for text in _times(read_json(each.response.body)[0]):
            with suppress(ValueError):
                return parse_rfc3339(text).astimezone(UTC)
    return _EMPTY_MOMENT


def _times(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, str) and is_time(each) and "creat" in name.lower():
                yield each
            else:
                yield from _times(each)
    elif isinstance(value, list):
        for each in value:
            yield from _times(each)

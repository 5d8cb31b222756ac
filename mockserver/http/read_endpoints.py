"""What the control API tells for people and tools that look on: journal, origins, layers, methods.

Each is made of one session in the order of its requests; a large one is read beside the event loop.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from mockserver import inspection
from mockserver.errors import SessionError
from mockserver.http.control_responses import json_response, respond_with
from mockserver.model import JsonObject
from mockserver.routing import Routes
from mockserver.sessions.journal import Entry
from mockserver.sessions.scheduling import WORKER
from mockserver.sessions.session import Session, Sessions
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.state import REMEMBERED, TOKENS, Base, Change, rfc3339

POLL_S = 0.2
"""How often a stream of events looks for new entries."""

HEARTBEAT_S = 15.0
"""How often a stream without entries says that it is there."""

MOST_SENT = 200
"""Entries that are sent at once; of more only the latest are, and how many were left out."""

_LONGEST_COUNT = 18
_LONGEST_WAIT_S = 60


class ReadEndpoints:
    """The endpoints of the control API that show and change nothing.

    Attributes:
        is_ending: Whether the server stops: streams end.

    Args:
        sessions: The server's sessions.
        worlds: Resolves the snapshots that sessions start from.
        routes: What the server answers.
    """

    def __init__(self, sessions: Sessions, worlds: SnapshotResolver, routes: Routes) -> None:
        self._sessions = sessions
        self._worlds = worlds
        self._routes = routes
        self.is_ending = False

    async def apis(self, request: Request) -> Response:
        """The APIs that are emulated and declared; with `?session=`, its tools as well."""
        found = await WORKER.run(
            partial(inspection.list_apis, self._routes, self._base_of(request))
        )
        return json_response({"apis": found})

    async def methods(self, request: Request) -> Response:
        """The methods of an API, of a Discovery document, or the tools of `?session=`."""
        name = request.path_params["name"]
        listed = partial(inspection.list_methods, self._routes, name, self._base_of(request))
        return json_response({"api": name, "methods": await WORKER.run(listed)})

    async def journal_page(self, request: Request) -> Response:
        """A page of a session's journal, the newest first, by filters."""
        session, wanted = self._open(request), inspection.read_filter(request.query_params)
        return await respond_with(session, partial(inspection.journal_page, session, wanted))

    async def request(self, request: Request) -> Response:
        """One request: what was asked and answered, where each field came from, what would help."""
        session, number = self._open(request), request.path_params["number"]
        return await respond_with(session, partial(self.explain_request, session, number))

    def explain_request(self, session: Session, number: int) -> JsonObject:
        """A journal entry with all that is known of it.

        Returns:
            `entry`, `answer` and `parts` (see `full_entry`); `origins` of the fields of the answer;
            `warning`, where the suite's files are others by now; `proposal`, a stub that would
            answer (see `propose_stub`), for what found no answer or failed.

        Raises:
            SessionError: 404: it is not in the journal.
        """
        entry = inspection.find_entry(session, number)
        origins = inspection.AnswerOrigins(session, self._worlds, self._routes.apis)
        proposal = None
        if entry.source != "control":
            proposal = inspection.propose_stub(session, self._worlds, self._routes.catalog, entry)
        return {
            **inspection.full_entry(session, entry),
            "origins": [origin._asdict() for origin in origins.explain(entry)],
            "warning": origins.warning,
            "proposal": proposal,
        }

    async def changes(self, request: Request) -> Response:
        """The changes after `?after=`, at most `?limit=`; `?wait_s=` waits for the first.

        Raises:
            SessionError: 410: some of them are forgotten.
        """
        session, query = self._open(request), request.query_params
        after, limit = (_count(query.get(name, "")) for name in ("after", "limit"))
        wait: float = min(_count(query.get("wait_s", "")) or 0, _LONGEST_WAIT_S)
        while wait > 0 and session.world.history.latest <= (after or 0):
            if self.is_ending or session.closed:
                break
            await asyncio.sleep(POLL_S)
            wait -= POLL_S
        history = session.world.history
        found = history.since(after or 0)
        if found is None:
            text = f"only the latest {REMEMBERED:,} changes are remembered"
            raise SessionError(text, status=410, hint=f"ask for those after {history.latest}")
        hidden = {TOKENS, *session.base.silent}
        shown = [each for each in found if each.collection not in hidden][:limit]
        return json_response(
            {"changes": [change_as_json(each) for each in shown],
             "latest": shown[-1].number if limit and shown else history.latest}
        )  # fmt: skip

    async def events(self, request: Request) -> Response:
        """The entries of a journal as they come, as server-sent events; by the same filters."""
        session = self._open(request)
        query = dict(request.query_params)
        seen = _count(request.headers.get("last-event-id", "") or query.pop("after", ""))
        wanted = inspection.read_filter(query).test()
        return StreamingResponse(
            self._follow(session, seen, wanted),
            media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )

    async def _follow(
        self, session: Session, seen: int | None, is_wanted: Callable[[Entry], bool]
    ) -> AsyncIterator[bytes]:
        """The entries of a session's journal from now on, or from a number of recorded ones on.

        Yields:
            Server-sent events: `entry`, `skipped`, and `closed` at the end.
        """
        journal = session.journal
        seen = journal.recorded if seen is None else min(seen, journal.recorded)
        yield b": the journal of a session\n\n"
        quiet = 0.0
        while not (self.is_ending or session.closed):
            recorded = journal.recorded
            if recorded != seen:
                entries = journal.recorded_after(seen)
                left_out = recorded - seen - len(entries[-MOST_SENT:])
                entries, seen, quiet = entries[-MOST_SENT:], recorded, 0.0
                if left_out:
                    yield _event("skipped", seen, {"entries": left_out})
                for entry in filter(is_wanted, entries):
                    yield _event("entry", seen, inspection.summary(entry))
            await asyncio.sleep(POLL_S)
            quiet += POLL_S
            if quiet >= HEARTBEAT_S:
                quiet = 0.0
                yield b": still here\n\n"
        if session.closed:
            yield _event("closed", seen, {"session": session.id})

    async def collections(self, request: Request) -> Response:
        """The collections of a session, and how many resources each layer changed."""
        session = self._open(request)
        listed = partial(inspection.list_collections, session, self._worlds)
        return await respond_with(session, lambda: {"collections": listed()})

    async def rows(self, request: Request) -> Response:
        """A page of the resources of `?collection=`."""
        session, query = self._open(request), request.query_params
        read = partial(
            inspection.collection_page,
            session,
            self._worlds,
            query.get("collection", ""),
            text=query.get("text", ""),
            changed=query.get("changed", "") not in {"", "0", "false"},
            offset=_number(query.get("offset"), 0),
            limit=min(_number(query.get("limit"), 50), inspection.MOST_ROWS),
        )
        return await respond_with(session, read)

    async def row(self, request: Request) -> Response:
        """One resource, `?collection=` and `?key=`, field by field in every layer."""
        session, query = self._open(request), request.query_params
        name, key = query.get("collection", ""), query.get("key", "")
        return await respond_with(session, partial(self.explain_row, session, name, key))

    def explain_row(self, session: Session, name: str, key: str) -> JsonObject:
        """A resource with where it was written, and its fields in every layer.

        Raises:
            SessionError: 404: there is no such collection or resource.
        """
        held = inspection.resource_layers(session, self._worlds, name, key)
        origins = inspection.AnswerOrigins(session, self._worlds, self._routes.apis)
        return {
            "collection": name,
            "key": key,
            "override": held.overridden,
            "session": held.change,
            "where": origins.place_of(name, key),
            "fields": inspection.compare_fields(held),
        }

    def _open(self, request: Request) -> Session:
        return self._sessions.get(request.path_params["id"])

    def _base_of(self, request: Request) -> Base | None:
        name = request.query_params.get("session")
        return None if name is None else self._sessions.get(name).base


def _event(name: str, number: int, data: JsonObject) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), orjson.dumps(data))


def change_as_json(change: Change) -> JsonObject:
    """A change as the control API tells it; the row is None where there is none."""
    return {
        "number": change.number,
        "request": change.request,
        "collection": change.collection,
        "key": change.key,
        "before": change.before,
        "after": change.after,
        "at": rfc3339(change.at),
    }


def _count(text: str) -> int | None:
    """A count as a client says it; None where it says nothing sensible."""
    is_count = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_COUNT
    return int(text) if is_count else None


def _number(text: str | None, default: int) -> int:
    """A number of a query string.

    Raises:
        SessionError: It is none.
    """
    if not text:
        return default
    found = _count(text)
    if found is None:
        raise SessionError(f"{text[:40]!r} is no number")
    return found

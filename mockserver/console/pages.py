"""The pages: what each shows, and who may see them."""

import hmac
import mimetypes
from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from mockserver.asgi.requests import Request as Head
from mockserver.console.rendering import respond
from mockserver.errors import MockServerError, SessionError
from mockserver.http.application import CONSOLE, ConsoleView
from mockserver.http.read_endpoints import ReadEndpoints
from mockserver.inspection.fixtures import fixture_fields
from mockserver.inspection.journal import journal_page, read_filter
from mockserver.inspection.layers import collection_page, list_collections
from mockserver.inspection.methods import documents, list_apis, list_methods
from mockserver.model import ERROR_STATUS
from mockserver.models.methods import MODEL_METHODS
from mockserver.models.shown_calls import show_model_call
from mockserver.redaction.journal_redaction import redact_journal_body
from mockserver.sessions.scheduling import WORKER, run_in_turn
from mockserver.sessions.session import Session
from mockserver.state import rfc3339
from mockserver.traces import Span

T = TypeVar("T")

ROOT = CONSOLE.decode()
STATIC = f"{ROOT}/static"

_SESSIONS = 200
_ROWS = 50
_UNUSED = 500
_SPANS = 500
_CHANGES = 100
_ERROR = 400
_STATUSES = {
    "": "any status", "error": "errors", "2xx": "2xx", "3xx": "3xx", "4xx": "4xx", "5xx": "5xx",
}  # fmt: skip


class Pages:
    """The console as an ASGI application.

    Where the server has a control token, pages are for who sends it: others get a page that asks
    for it and sends it from the browser's memory, never in a cookie, which would go to every server
    on this machine.

    Args:
        view: What the pages show.
    """

    def __init__(self, view: ConsoleView) -> None:
        self._view = view
        self._token = view.settings.token.encode()
        self._reads = ReadEndpoints(view.sessions, view.worlds, view.routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a page."""
        given = Head(scope).token.encode("latin-1")
        is_trusted = not self._token or hmac.compare_digest(given, self._token)
        if not is_trusted and not scope["path"].startswith(f"{STATIC}/"):
            await respond("unlock.html", 401, is_wrong=bool(given))(scope, receive, send)
            return
        await self._application(scope, receive, send)

    @cached_property
    def _application(self) -> Starlette:
        one = f"{ROOT}/sessions/{{id}}"
        pages = {
            "/": self.sessions,
            ROOT: self.home,
            f"{ROOT}/sessions": self.sessions,
            f"{STATIC}/{{name}}": self.static,
            one: self.journal,
            f"{one}/requests/{{number:int}}": self.request,
            f"{one}/state": self.state,
            f"{one}/fixtures": self.fixtures,
            f"{one}/faults": self.faults,
            f"{one}/cassettes": self.cassettes,
            f"{one}/spans": self.spans,
            f"{one}/clock": self.clock,
            f"{one}/apis": self.apis,
        }
        return Starlette(
            routes=[Route(path, page, methods=["GET"]) for path, page in pages.items()],
            exception_handlers={HTTPException: _problem, MockServerError: _problem},
        )

    async def home(self, request: Request) -> Response:
        """Lead to the first page."""
        return RedirectResponse(f"{ROOT}/sessions")

    async def static(self, request: Request) -> Response:
        """A style sheet or a script."""
        name = PurePosixPath(request.path_params["name"]).name
        file = files("mockserver.console") / "static" / name
        if not file.is_file():
            raise HTTPException(404)
        media_type = mimetypes.guess_type(name)[0]
        headers = {"cache-control": "no-cache", "x-content-type-options": "nosniff"}
        return Response(file.read_bytes(), media_type=media_type, headers=headers)

    async def sessions(self, request: Request) -> Response:
        """The open sessions, and what the server serves."""
        view, text = self._view, request.query_params.get("text", "")
        found = [one for one in view.sessions.all() if text in f"{one.id} {one.spec.case}"]
        suite = view.worlds.suite
        return respond(
            "sessions.html",
            sessions=[_session_line(one) for one in found[::-1][:_SESSIONS]],
            matched=len(found),
            total=len(view.sessions),
            text=text,
            fixtures=view.settings.fixtures,
            cases=() if suite is None else view.worlds.cases(),
            fronts=view.settings.fronts,
            cassettes=[path.name for path in view.settings.cassettes],
            strangers=[each.model_dump() for each in view.sessions.strangers[-20:]],
        )

    async def journal(self, request: Request) -> Response:
        """The journal of a session, a page of it, by filters."""
        session = self._session(request)
        wanted = read_filter(request.query_params)
        recorded = session.journal.recorded  # before the page, so that none is missed
        page = await self._read(session, partial(journal_page, session, wanted))
        return self._respond(
            "journal.html",
            session,
            "journal",
            page=page,
            recorded=recorded,
            wanted=wanted.model_dump(exclude_defaults=True),
            filters=wanted,
            statuses=_STATUSES,
            tampering=[each.model_dump() for each in session.tampering],
        )

    async def request(self, request: Request) -> Response:
        """One request with its answer, where that came from, and a stub for it."""
        session, number = self._session(request), request.path_params["number"]
        told = await self._read(session, partial(self._reads.explain_request, session, number))
        failed = told["entry"]["miss"] is not None or told["entry"]["status"] >= _ERROR
        entry = told["entry"]
        model = show_model_call(
            entry["http_method"], entry["host"], entry["path"], entry["body"], told["answer"]
        )
        return self._respond("request.html", session, "journal", failed=failed, model=model, **told)

    async def state(self, request: Request) -> Response:
        """Collections; the resources of one; one resource in every layer."""
        session, query = self._session(request), request.query_params
        name, key = query.get("collection", ""), query.get("key")
        show = partial(self._respond, session=session, tab="state")
        worlds = self._view.worlds
        if not name:
            listed = await self._read(session, partial(list_collections, session, worlds))
            changes = await self._read(session, partial(_changes, session))
            return show("state.html", collections=listed, changes=changes, most=_CHANGES)
        if key is not None:
            explained = partial(self._reads.explain_row, session, name, key)
            return show("resource.html", resource=await self._read(session, explained))
        text, changed = query.get("text", ""), bool(query.get("changed"))
        digits = query.get("offset", "")
        offset = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else 0
        listed_rows = partial(
            collection_page, session, worlds, name,
            text=text, changed=changed, offset=offset, limit=_ROWS,
        )  # fmt: skip
        page = await self._read(session, listed_rows)
        wanted = {"collection": name, "text": text, "changed": changed}
        return show("collection.html", page=page, wanted=wanted, offset=offset, limit=_ROWS)

    async def fixtures(self, request: Request) -> Response:
        """The fields of the fixtures, and which of them answers held so far."""
        session = self._session(request)
        told = await self._read(session, partial(fixture_fields, session, self._view.worlds))
        return self._respond("fixtures.html", session, "fixtures", **told)

    async def faults(self, request: Request) -> Response:
        """The faults that are armed, how often they were met, and a form for another."""
        session = self._session(request)
        reports = [report.model_dump() for report in session.faults.report()]
        listed = partial(list_apis, self._view.routes, session.base)
        known = [each["name"] for each in await WORKER.run(listed)]
        return self._respond(
            "faults.html", session, "faults", reports=reports, apis=known, errors=(*ERROR_STATUS,),
            models=MODEL_METHODS if self._view.routes.models else (),
        )  # fmt: skip

    async def cassettes(self, request: Request) -> Response:
        """The recordings that a session plays from, and what was not played."""
        session = self._session(request)
        replay = session.replay
        unused = replay.unused() if replay else []
        return self._respond(
            "cassettes.html",
            session,
            "cassettes",
            names=session.spec.cassettes,
            spec=session.spec,
            hosts=sorted(replay.known.hosts) if replay else [],
            unused=unused[:_UNUSED],
            unused_in_all=len(unused),
            conflicts=(replay.conflicts() if replay else [])[:_UNUSED],
        )

    async def spans(self, request: Request) -> Response:
        """What the agent's framework told by OpenTelemetry, oldest first."""
        session = self._session(request)
        facts = await self._read(session, partial(_span_lines, session))
        return self._respond("spans.html", session, "spans", **facts)

    async def clock(self, request: Request) -> Response:
        """The time of a session, and buttons that move it."""
        session = self._session(request)
        clock = session.clock
        return self._respond(
            "clock.html",
            session,
            "clock",
            now=rfc3339(clock.now()),
            captured=rfc3339(session.base.captured_at),
            spec=clock.spec,
            shift=clock.shift,
        )

    async def apis(self, request: Request) -> Response:
        """The APIs that a session answers for, the methods of one, a form that tries a method."""
        session, query = self._session(request), request.query_params
        name, method_id = query.get("api", ""), query.get("method", "")
        routes = self._view.routes
        if not name:
            found = await WORKER.run(partial(list_apis, routes, session.base))
            others = await WORKER.run(partial(documents, routes))
            return self._respond("apis.html", session, "apis", apis=found, documents=others)
        methods = await WORKER.run(partial(list_methods, routes, name, session.base))
        method = next((each for each in methods if each["id"] == method_id), None)
        if method is None:
            if method_id:
                raise SessionError(f"no method {method_id[:100]!r} in {name[:100]!r}", status=404)
            return self._respond("methods.html", session, "apis", api=name, methods=methods)
        asks_token = session.spec.auth in {"token", "scopes"} or session.spec.profile == "strict"
        return self._respond(
            "try.html", session, "apis", api=name, method=method, asks_token=asks_token
        )

    def _session(self, request: Request) -> Session:
        return self._view.sessions.get(request.path_params["id"])

    async def _read(self, session: Session, make: Callable[[], T]) -> T:
        """What is made of a session, when no long request of it is under way."""
        if session.queue is None and not session.is_large:
            return make()
        return await run_in_turn(session, partial(WORKER.run, make))

    def _respond(self, template: str, session: Session, tab: str, **values: Any) -> Response:
        about = {"id": session.id, "case": session.spec.case, "profile": session.spec.profile}
        path = f"{ROOT}/sessions/{quote(session.id)}"
        api = f"/_mock/sessions/{quote(session.id)}"
        return respond(template, session=about, path=path, api_path=api, tab=tab, **values)


def _session_line(session: Session) -> dict[str, Any]:
    has_journal = "journal" in session.__dict__
    entries = session.journal.recorded_after(session.journal.recorded - 1) if has_journal else []
    return {
        "id": session.id,
        "case": session.spec.case,
        "profile": session.spec.profile,
        "clock": session.spec.clock,
        "sources": session.spec.sources,
        "requests": session.journal.recorded if has_journal else 0,
        "latest": rfc3339(entries[0].at) if entries else "",
        "faults": len(session.base.faults) + len(session.spec.faults)
        if "faults" not in session.__dict__
        else len(session.faults.report()),
        "tampering": len(session.tampering),
    }


def _span_lines(session: Session) -> dict[str, Any]:
    """The spans of a session, a line each, without secrets, and how many there are."""
    ordered = session.spans.ordered()
    told = session.spans.as_json(ordered[:_SPANS])
    depths: dict[tuple[str, str], int] = {}
    for span, line in zip(ordered, told["spans"], strict=False):
        depths[span.trace, span.id] = line["depth"] = depths.get((span.trace, span.parent), -1) + 1
        line["duration_ms"] = span.duration_ms
        line["what"] = {"tool": span.tool_name, "model": _model_words(span)}.get(span.kind, "")
    return told | {"kinds": Counter(span.kind for span in ordered)}


def _model_words(span: Span) -> str:
    tokens = "" if span.input_tokens is None else f"{span.input_tokens} tokens in"
    made = "" if span.output_tokens is None else f"{span.output_tokens} out"
    return ", ".join(filter(None, [span.model, tokens, made]))


def _changes(session: Session) -> list[dict[str, Any]]:
    """What a session changed, in a line each, without secrets."""
    return [
        {"collection": name, "kind": kind, "key": key}
        for name, kinds in redact_journal_body(session.world.diff()).items()
        for kind, rows in kinds.items()
        for key in rows
    ]


async def _problem(request: Request, error: Exception) -> Response:
    """The page for what is not there, or was asked for wrongly."""
    if isinstance(error, MockServerError):
        status = error.status if isinstance(error, SessionError) else 400
        return respond("problem.html", status, message=error.message, hint=error.hint)
    status = error.status_code if isinstance(error, HTTPException) else 500
    message = "There is no such page." if status == 404 else "This page cannot be shown."
    return respond("problem.html", status, message=message, hint="")

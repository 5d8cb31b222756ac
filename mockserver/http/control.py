"""The control API under `/_mock/`: open, read, steer and close sessions."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import asdict
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from pydantic import Field, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mockserver import __version__
from mockserver.apis import APIS
from mockserver.asgi.requests import MAX_BODY_BYTES, BodyTooLargeError, CallerGoneError, read_body
from mockserver.asgi.requests import Request as Head
from mockserver.asgi.waits import count_overdue, list_tasks, list_waits
from mockserver.errors import MockServerError, SessionError, plain_reason
from mockserver.googleapi import ApiError
from mockserver.http.control_access import TRUSTED
from mockserver.http.control_responses import (
    defect_problem,
    http_problem,
    json_response,
    mock_server_problem,
    respond_with,
    shortage_problem,
)
from mockserver.http.hermetic import connections
from mockserver.http.read_endpoints import ReadEndpoints, change_as_json
from mockserver.model import (
    FEW,
    CredentialsEnd,
    Fault,
    Frozen,
    Json,
    JsonObject,
    SessionSpec,
    did_you_mean,
    first_few,
    shortened,
)
from mockserver.routing import Routes
from mockserver.sessions.environment import TOOLS_OF_AGENT, environment
from mockserver.sessions.scheduling import LONG_BODY, WORKER, run_in_turn
from mockserver.sessions.session import Session, Sessions
from mockserver.sessions.shortage import PROBLEM, is_shortage
from mockserver.settings import Settings
from mockserver.snapshots.importer import Stub
from mockserver.snapshots.resolver import SnapshotResolver
from mockserver.sources.bodies import parse_json
from mockserver.state import rfc3339
from mockserver.storage import long_integer
from mockserver.traces import SpanKind

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


_MOST_VALUES = 20_000
"""Values of a request beside those of its overrides."""

M = TypeVar("M", bound=Frozen)


class ClockStep(Frozen):
    """What moves a session's clock.

    Attributes:
        advance_s: How far, in seconds.
    """

    advance_s: float = Field(ge=0, allow_inf_nan=False)


class UndoStep(Frozen):
    """What to take back.

    Attributes:
        since: The number of the last change that stays; what the latest request that changed
            something did when absent.
    """

    since: int | None = Field(None, ge=0)


async def read_model(request: Request, model: type[M], *, nothing: bytes = b"") -> M:
    """Read a request's body as a model.

    Args:
        request: The request.
        model: What it must be.
        nothing: What an empty body is read as.

    Raises:
        SessionError: 413: too large; 400: no JSON, or every field that does not hold at once.
            Values are left out of the message, they may be secret.
    """
    try:
        content = await read_body(Head(request.scope), request.receive)
    except BodyTooLargeError as error:
        limit = f"the body is over the limit of {MAX_BODY_BYTES} bytes"
        raise SessionError(limit, status=413) from error
    except CallerGoneError as error:
        raise SessionError("the body ended early") from error
    read = partial(_read, content or nothing, model)
    return await WORKER.run(read) if len(content) >= LONG_BODY else read()


def _read(content: bytes, model: type[M]) -> M:
    _check(content, model)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        lines = [_problem_line(item, model) for item in found[:FEW]]
        raise SessionError(first_few(lines, len(found))) from error


def _check(content: bytes, model: type[Frozen]) -> None:
    """Refuse what would take long to validate, and numbers that no answer could repeat.

    Raises:
        SessionError: 400, or 507 where the memory is too small.
    """
    try:
        value = parse_json(content, "one_platform")
    except ApiError as error:
        if error.reason == "parseError":
            return  # the model says it with its place
        raise SessionError(error.message, status=error.status) from error
    if not isinstance(value, dict):
        return
    unknown = [name for name in value if name not in model.model_fields]
    if len(unknown) > FEW or (unknown and len(content) >= LONG_BODY):
        known = list(model.model_fields)
        lines = [
            f"/{shortened(name)}: unknown field; {did_you_mean(name, known)}"
            for name in unknown[:FEW]
        ]
        raise SessionError(first_few(lines, len(unknown)))
    for name, held in value.items():
        if name != "overrides" and _count(held) > _MOST_VALUES:
            raise SessionError(f"/{shortened(name)}: more than {_MOST_VALUES} values")
    place = long_integer(content)
    if place is not None:
        raise SessionError(f"{place or 'the body'}: an integer that 64 bits do not hold")


def _count(value: Json) -> int:
    """How many values a value holds."""
    left, found = [value], 0
    while left:
        found += 1
        inner = left.pop()
        left += inner.values() if isinstance(inner, dict) else ()
        left += inner if isinstance(inner, list) else ()
    return found


def _problem_line(item: "ErrorDetails", model: type[Frozen]) -> str:
    if item["type"] == "json_invalid":
        return f"the body is not JSON: {item['msg'].removeprefix('Invalid JSON: ')}"
    place = "".join(f"/{shortened(str(step))}" for step in item["loc"]) or "the body"
    if item["type"] == "extra_forbidden":
        near = did_you_mean(str(item["loc"][-1]), _fields(model, item["loc"]))
        return f"{place}: unknown field; {near}"
    return f"{place}: {plain_reason(item['msg'])}"


def _fields(model: type[Frozen], place: tuple[int | str, ...]) -> Iterable[str]:
    """The fields that there are where an unknown one is."""
    return (Fault if len(place) > 1 and place[0] == "faults" else model).model_fields


PREFIX = "/_mock"

Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


class Control:
    """The endpoints of the control API.

    Args:
        sessions: The server's sessions.
        settings: What it was started with.
        worlds: Resolves the snapshots that sessions start from.
        routes: What the server answers.
        metrics: Makes the page that Prometheus reads, media type and text; None without --metrics.
    """

    def __init__(
        self,
        sessions: Sessions,
        settings: Settings,
        worlds: SnapshotResolver,
        routes: Routes,
        metrics: Callable[[], tuple[str, bytes]] | None = None,
    ) -> None:
        self._metrics = metrics
        self._sessions = sessions
        self._settings = settings
        self._worlds = worlds
        self._reads = ReadEndpoints(sessions, worlds, routes)

    def end_streams(self) -> None:
        """Send no more events: the server stops."""
        self._reads.is_ending = True

    def application(self) -> Starlette:
        """The control API as an ASGI application."""
        one = PREFIX + "/sessions/{id}"
        return Starlette(
            routes=[
                _route("GET", PREFIX + "/health", self.health),
                _route("GET", PREFIX + "/metrics", self.metrics),
                _route("GET", PREFIX + "/tampering", self.tampering),
                _route("GET", PREFIX + "/problems", self.problems),
                _route("GET", PREFIX + "/apis/{name}/openapi.json", self.openapi),
                _route("GET", PREFIX + "/apis", self._reads.apis),
                _route("GET", PREFIX + "/apis/{name}", self._reads.methods),
                _route("GET", PREFIX + "/sessions", self.index),
                _route("POST", PREFIX + "/sessions", self.open),
                _route("GET", one, self.show),
                _route("DELETE", one, self._in_turn(self.close)),
                _route("GET", one + "/journal", self._in_turn(self.journal)),
                _route(
                    "GET",
                    one + "/journal/page",
                    self._in_turn(self._reads.journal_page),
                ),
                _route("GET", one + "/journal/events", self._reads.events),
                _route(
                    "GET",
                    one + "/journal/{number:int}",
                    self._in_turn(self._reads.request),
                ),
                _route("GET", one + "/state", self._in_turn(self.state)),
                _route(
                    "GET",
                    one + "/collections",
                    self._in_turn(self._reads.collections),
                ),
                _route("GET", one + "/rows", self._in_turn(self._reads.rows)),
                _route("GET", one + "/row", self._in_turn(self._reads.row)),
                _route("GET", one + "/diff", self._in_turn(self.diff)),
                _route("GET", one + "/merged", self.merged),
                _route("GET", one + "/cassettes", self.cassettes),
                _route("GET", one + "/faults", self.faults),
                _route("POST", one + "/faults", self._in_turn(self.add_fault)),
                _route("DELETE", one + "/faults", self._in_turn(self.clear_faults)),
                _route("GET", one + "/spans", self.spans),
                _route("GET", one + "/clock", self.clock),
                _route("POST", one + "/clock", self._in_turn(self.advance)),
                _route("POST", one + "/stubs", self._in_turn(self.add_stub)),
                _route("POST", one + "/reset", self._in_turn(self.reset)),
                _route("GET", one + "/changes", self._reads.changes),
                _route("POST", one + "/undo", self._in_turn(self.undo)),
                _route("GET", one + "/credentials", self.credentials),
                _route("POST", one + "/credentials", self._in_turn(self.end_credentials)),
            ],
            exception_handlers={
                HTTPException: http_problem,
                MockServerError: self._mock_server_problem,
                OSError: self._system_problem,
            },
        )

    async def _mock_server_problem(self, request: Request, error: Exception) -> Response:
        """The answer to a mistake of the user, where it is one."""
        if is_shortage(error):  # a file could not be read
            return await self._system_problem(request, error)
        return await mock_server_problem(request, error)

    async def _system_problem(self, request: Request, error: Exception) -> Response:
        """The answer where the machine refuses; open sessions say so in their reports."""
        if not is_shortage(error):
            return await defect_problem(request, error)
        self._sessions.note_problem(PROBLEM)
        return shortage_problem()

    async def health(self, request: Request) -> Response:
        """Whether the server is up; for its owner, also what it serves."""
        fixtures = self._settings.fixtures
        seen: JsonObject = {
            "status": "ok",
            "version": __version__,
            "protected": bool(self._settings.token),
        }
        if not request.scope.get(TRUSTED, True):
            return json_response(seen)
        return json_response(
            {
                **seen,
                "pid": os.getpid(),
                "fixtures": None if fixtures is None else str(fixtures),
                "sessions": len(self._sessions),
                "fronts": dict(self._settings.fronts),
                "cassettes": [path.stem for path in self._settings.cassettes],
                "connections": connections(),
                "waits": list_waits(),
                "overdue": count_overdue(),
                **({"tasks": list_tasks()} if "tasks" in request.query_params else {}),
            }
        )

    async def metrics(self, _request: Request) -> Response:
        """Figures for Prometheus."""
        if self._metrics is None:
            raise SessionError(
                "this server keeps no metrics", status=404, hint="start it with --metrics"
            )
        media_type, text = self._metrics()
        return Response(text, media_type=media_type)

    async def tampering(self, request: Request) -> Response:
        """Refused attempts of callers without an open session."""
        return json_response({"attempts": [each.model_dump() for each in self._sessions.strangers]})

    async def problems(self, request: Request) -> Response:
        """What is wrong in the snapshots of the suite, base and every case, each with its place."""
        folder = self._settings.fixtures
        if folder is None:
            return json_response({"problems": []})
        from mockserver.snapshots.lint import lint_suite

        report = await WORKER.run(
            partial(lint_suite, folder, content=False, worlds=self._worlds),
        )
        return json_response({"problems": [asdict(each) for each in report.problems]})

    async def openapi(self, request: Request) -> Response:
        """The OpenAPI document of an API that the suite declares, or of an emulated one."""
        document = await WORKER.run(partial(self._openapi_of, request.path_params["name"]))
        return json_response(document)

    def _openapi_of(self, name: str) -> JsonObject:
        from mockserver.declared.openapi.export import openapi_of
        from mockserver.googleapi import openapi_of_api

        own = {each.name: each for each in self._worlds.declared.apis}
        if name in own:
            return openapi_of(own[name].file)
        found = next((each for each in APIS if each.name == name), None)
        if found is None:
            hint = did_you_mean(name, [*own, *(each.name for each in APIS)])
            raise SessionError(f"no API {shortened(name)!r}; {hint}", status=404)
        return openapi_of_api(found)

    async def index(self, request: Request) -> Response:
        """Every open session, without its token and environment."""
        return json_response(
            {"sessions": [{"id": one.id, "case": one.spec.case} for one in self._sessions.all()]}
        )

    async def open(self, request: Request) -> Response:
        """Open a session; 201 with its SessionInfo."""
        spec = await read_model(request, SessionSpec, nothing=b"{}")
        if not self._sessions.is_prepared(spec):
            await WORKER.run(partial(self._sessions.prepare, spec))
        return json_response(self._info(self._sessions.open(spec), request), 201)

    async def show(self, request: Request) -> Response:
        """A session's SessionInfo; closed sessions are still known for a while."""
        session = self._sessions.find(request.path_params["id"])
        return json_response(self._info(session or self._open(request), request))

    async def close(self, request: Request) -> Response:
        """Close a session; its SessionReport, with the state of `?collections=a,b`."""
        session = self._open(request)
        self._sessions.look()
        report = await respond_with(session, partial(session.report, _collections(request) or ()))
        self._sessions.end(session)
        return report

    async def journal(self, request: Request) -> Response:
        """A session's Journal; a closed session has that of its late requests."""
        session = self._sessions.find(request.path_params["id"]) or self._open(request)
        query = request.query_params
        since = session.reset_at if query.get("since") == "reset" else 0
        bodies = query.get("bodies") != "0"
        journal = session.journal
        return await respond_with(
            session, lambda: journal.as_json(session.id, bodies=bodies, since=since)
        )

    async def state(self, request: Request) -> Response:
        """The collections as they are now; those of `?collections=a,b`, or all."""
        session = self._open(request)
        return await respond_with(session, partial(session.state, _collections(request)))

    async def diff(self, request: Request) -> Response:
        """What the session has changed."""
        session = self._open(request)
        return await respond_with(session, session.world.diff)

    async def merged(self, request: Request) -> Response:
        """The raw snapshot that the session started from."""
        session = self._open(request)
        merged = partial(self._sessions.merged_snapshot, session)
        return await run_in_turn(session, lambda: respond_with(session, merged))

    async def cassettes(self, request: Request) -> Response:
        """The recordings of the session, and those that were not used yet."""
        session = self._open(request)
        replay = session.replay
        return json_response(
            {
                "cassettes": list(session.spec.cassettes),
                "repeats": session.spec.repeats,
                "barriers": session.spec.barriers,
                "match": list(session.spec.match),
                "exact": session.spec.exact,
                "hosts": sorted(replay.known.hosts) if replay else [],
                "unused": replay.unused() if replay else [],
                "conflicts": replay.conflicts() if replay else [],
            }
        )

    async def faults(self, request: Request) -> Response:
        """Every fault with how often it was applied."""
        return json_response(_faults(self._open(request)))

    async def add_fault(self, request: Request) -> Response:
        """Add a fault; 201 with all of them."""
        session = self._open(request)
        fault = await read_model(request, Fault)
        session.add_fault(fault.model_copy(update={"origin": fault.origin or "control"}))
        return json_response(_faults(session), 201)

    async def clear_faults(self, request: Request) -> Response:
        """Remove every fault of the session."""
        session = self._open(request)
        session.clear_faults()
        return json_response(_faults(session))

    async def add_stub(self, request: Request) -> Response:
        """Add a literal answer until the session is reset; 201 with all of them."""
        from mockserver.inspection.stubs import check_stub

        session = self._open(request)
        stub = check_stub(await read_model(request, Stub))
        session.add_stub(stub, request.headers.get("user-agent", "").encode("latin-1"))
        self._sessions.stub_hosts |= session.base.stub_hosts
        return json_response({"stubs": list(session.base.stubs)}, 201)

    async def spans(self, request: Request) -> Response:
        """The spans that the session received; of `?kind=` `agent`, `model`, `tool` or `other`."""
        session, kind = self._open(request), request.query_params.get("kind")
        kinds = get_args(SpanKind)
        if kind is not None and kind not in kinds:
            raise SessionError(
                f"no span is of kind {shortened(kind)!r}", hint=f"one of {', '.join(kinds)}"
            )
        held = session.spans
        chosen = [span for span in held.ordered() if kind in {None, span.kind}]
        return await respond_with(session, partial(held.as_json, chosen))

    async def clock(self, request: Request) -> Response:
        """The session's time."""
        return json_response(_clock(self._open(request)))

    async def advance(self, request: Request) -> Response:
        """Let time pass in the session: `{"advance_s": n}`."""
        session = self._open(request)
        session.advance((await read_model(request, ClockStep)).advance_s)
        return json_response(_clock(session))

    async def reset(self, request: Request) -> Response:
        """Return the session to the state after opening; its journal continues."""
        session = self._open(request)
        session.reset(request.headers.get("user-agent", "").encode("latin-1"))
        return json_response(self._info(session, request))

    async def undo(self, request: Request) -> Response:
        """Take back what the latest request changed, or all changes after `{"since": n}`."""
        session = self._open(request)
        step = await read_model(request, UndoStep, nothing=b"{}")
        changes = session.undo(step.since, request.headers.get("user-agent", "").encode("latin-1"))
        return json_response(
            {"undone": [change_as_json(each) for each in changes],
             "latest": session.world.history.latest}
        )  # fmt: skip

    async def credentials(self, request: Request) -> Response:
        """Credentials of `?kind=`, for `?endpoint=server` or `google`."""
        from mockserver.googleapi import signing_key
        from mockserver.sessions.credential_files import credential_urls, make_credentials

        session, query = self._open(request), request.query_params
        await asyncio.to_thread(signing_key)  # making it would hold up everyone
        places = credential_urls(session, _server_url(request), query.get("endpoint", "server"))
        return json_response(
            make_credentials(session, query.get("kind", "service_account"), places)
        )

    async def end_credentials(self, request: Request) -> Response:
        """Expire or revoke credentials: `{"expire": true}`, `{"revoke": "all"}`, or a token."""
        from mockserver.sessions.credential_files import end_credentials

        session = self._open(request)
        return json_response(
            {"ended": end_credentials(session, await read_model(request, CredentialsEnd))}
        )

    def _in_turn(self, endpoint: Endpoint) -> Endpoint:
        """An endpoint that waits while a long request of its session is under way.

        What it tells of a large session takes long itself, and keeps others waiting.
        """

        @wraps(endpoint)
        async def answer_in_turn(request: Request) -> Response:
            session = self._sessions.find(request.path_params["id"])
            if session is None or (session.queue is None and not session.is_large):
                return await endpoint(request)
            return await run_in_turn(session, lambda: endpoint(request))

        return answer_in_turn

    def _info(self, session: Session, request: Request) -> JsonObject:
        url = _server_url(request)
        info = session_info(session, url, self._settings)
        for api in self._worlds.declared.apis:
            info["env"] |= api.environment(info["base_url"], session.token)
        info["env"] |= self._worlds.models.environment(info["base_url"], session.token)
        return info

    def _open(self, request: Request) -> Session:
        return self._sessions.get(request.path_params["id"])


def session_info(session: Session, server_url: str, settings: Settings) -> JsonObject:
    """A session in the shape of `mockserver.model.SessionInfo`, under a server's URL."""
    base_url = f"{server_url}/s/{session.id}"
    block = environment(session.id, session.token, server_url, settings)
    replay = session.replay
    if session.spec.agent_tools is not None or (replay is not None and replay.has_agent_tools):
        block[TOOLS_OF_AGENT] = block["TOOLS_BASE_URL"]
    if replay is not None:
        block |= replay.environment(base_url, session.token)
    return {
        "id": session.id,
        "token": session.token,
        "base_url": base_url,
        "env": block,
        "case": session.spec.case,
        "closed": session.closed,
    }


def _server_url(request: Request) -> str:
    return f"http://{request.headers['host']}"


def _faults(session: Session) -> list[Json]:
    return [report.model_dump() for report in session.faults.report()]


def _clock(session: Session) -> JsonObject:
    clock = session.clock
    return {
        "now": rfc3339(clock.now()),
        "clock": clock.spec,
        "shift_s": clock.shift.total_seconds(),
    }


def _collections(request: Request) -> tuple[str, ...] | None:
    text = request.query_params.get("collections")
    return None if text is None else tuple(name for name in text.split(",") if name)


def _route(verb: Literal["GET", "POST", "DELETE"], path: str, endpoint: Endpoint) -> Route:
    @wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (HTTPException, MockServerError, OSError):
            raise
        except Exception as error:  # noqa: BLE001  (a defect; Starlette would log it after its answer)
            return await defect_problem(request, error)

    return Route(path, answer, methods=[verb])

"""The agent behind HTTP: the API of an ADK server, and chat completions.

Google is asked with the token of whoever asks; an access token names the session of a mock server.
"""

import json
from collections.abc import AsyncIterator, Mapping
from itertools import count
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from harness.demo.google import Access
from harness.demo.sre.agent import Reply, answer, last_question
from harness.demo.sre.flaws import NO_FLAWS, SreFlaws
from harness.demo.sre.wire import adk_events, chat_chunks, chat_completion

JsonObject = dict[str, Any]

APP = "sre"
_MOST_SESSIONS = 10_000


class SreService:
    """Answers requests; remembers the sessions that ADK clients open."""

    def __init__(self, environment: Mapping[str, str], flaws: SreFlaws) -> None:
        self._own = Access.of(environment)
        self._flaws = flaws
        self._sessions: dict[str, JsonObject] = {}
        self._numbers = count(1)

    async def list_apps(self, _: Request) -> Response:
        """`GET /list-apps`."""
        return JSONResponse([APP])

    async def open_session(self, request: Request) -> Response:
        """`POST /apps/<app>/users/<user>/sessions`: the state comes in the body."""
        if request.path_params["app"] != APP:
            return _refused(404, f"no app {request.path_params['app']!r}")
        if len(self._sessions) >= _MOST_SESSIONS:
            self._sessions.clear()
        state = (await _body(request)).get("state") or {}
        session = f"s-{next(self._numbers)}"
        self._sessions[session] = state
        return JSONResponse({"id": session, "appName": APP, "state": state, "events": []})

    async def run(self, request: Request) -> Response:
        """`POST /run`: the events of a turn, as a list."""
        return await self._turn(request, streaming=False)

    async def run_sse(self, request: Request) -> Response:
        """`POST /run_sse`: the events of a turn, one after the other."""
        return await self._turn(request, streaming=True)

    async def completions(self, request: Request) -> Response:
        """`POST /v1/chat/completions`."""
        body = await _body(request)
        reply = await self._answer(request, last_question(body.get("messages") or []), {})
        if body.get("stream"):
            return _stream([*map(json.dumps, chat_chunks(reply)), "[DONE]"])
        return JSONResponse(chat_completion(reply))

    async def _turn(self, request: Request, *, streaming: bool) -> Response:
        body = await _body(request)
        session = str(body.get("sessionId") or body.get("session_id") or "")
        if session not in self._sessions:
            return _refused(404, "Session not found")
        message = body.get("newMessage") or body.get("new_message") or {}
        question = "\n".join(part.get("text", "") for part in message.get("parts", []))
        reply = await self._answer(request, question, self._sessions[session])
        events = adk_events(reply)
        return _stream(map(json.dumps, events)) if streaming else JSONResponse(events)

    async def _answer(self, request: Request, question: str, state: JsonObject) -> Reply:
        access = Access(self._own.endpoint, _bearer(request) or self._own.token)
        project = str(state.get("PROJECT_ID", ""))
        return await run_in_threadpool(answer, question, access, self._flaws, project=project)


def application(environment: Mapping[str, str], flaws: SreFlaws = NO_FLAWS) -> Starlette:
    """The service.

    Args:
        environment: `GOOGLE_API_BASE_URL` says where Google is; `GOOGLE_OAUTH_ACCESS_TOKEN` is used
            for requests that bring no token.
        flaws: What the agent does badly.
    """
    service = SreService(environment, flaws)
    post = ["POST"]
    return Starlette(
        routes=[
            Route("/list-apps", service.list_apps),
            Route("/apps/{app}/users/{user}/sessions", service.open_session, methods=post),
            Route("/run", service.run, methods=post),
            Route("/run_sse", service.run_sse, methods=post),
            Route("/v1/chat/completions", service.completions, methods=post),
        ]
    )


def _stream(events: Any) -> Response:
    async def told() -> AsyncIterator[str]:
        for data in events:
            yield f"data: {data}\n\n"

    return StreamingResponse(told(), media_type="text/event-stream")


def _refused(status: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status_code=status)


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def _body(request: Request) -> JsonObject:
    body = await request.body()
    found = json.loads(body) if body.strip() else {}
    return found if isinstance(found, dict) else {}

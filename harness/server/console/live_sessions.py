"""The sessions of a running mock server: which are open, and that server's own pages, passed on.

The console shows the mock server's pages under its own origin and navigation. What is passed on
goes to the one server that was named, reads only what lies below `/_mock/`, and writes only what
the pages themselves write: sessions, and requests that the form for trying a method sends into
one. The server's control token is the browser's business: its pages ask for it.

The other server is not trusted with this origin: its pages get the console's own scripts, style
and Content-Security-Policy, and what emulated APIs answer is not passed on at all.
"""

import hmac
import re
import shlex
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.resources import files
from urllib.parse import quote, unquote, urlsplit

import httpx
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from harness.server.console.access import wants_page
from harness.server.console.rendering import (
    SECURITY_HEADERS,
    page_response,
    render,
    static_response,
)
from harness.server.messages import RefusedError, problem_response, read_body
from harness.server.settings import DEFAULT_SERVER, MAX_BODY_BYTES, Settings

_FRAME = re.compile(rb'<div class="bar">.*?</div>', re.DOTALL)
_VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_WRITTEN = "/_mock/sessions"
_PASSED = ("accept", "authorization", "content-type", "last-event-id", "x-goog-api-client")
_MEDIA = {"application/json", "text/event-stream"}
_LOOK_S = 2.0
_TIMEOUT = httpx.Timeout(60.0, connect=_LOOK_S, read=None)
_LOOP = "x-understudy-console"


@dataclass(frozen=True, slots=True)
class OpenSessions:
    """What the mock server says of its sessions.

    Attributes:
        url: Where it is looked for.
        state: `open` where it told them; `locked` where it asks for its token; `absent`.
        sessions: The newest, each its id and the case that it was opened for.
        total: How many are open.
    """

    url: str
    state: str
    sessions: tuple[tuple[str, str], ...] = ()
    total: int = 0


class LiveSessions:
    """Speaks to the mock server whose sessions the console shows.

    Args:
        settings: Where it is.
    """

    def __init__(self, settings: Settings) -> None:
        self.url = settings.server.rstrip("/")
        self._settings = settings
        # no client: that would keep cookies, and send those of one browser for another
        self._transport = httpx.AsyncHTTPTransport()

    async def close(self) -> None:
        """Let go of connections."""
        await self._transport.aclose()

    def find(self, most: int) -> OpenSessions:
        """The newest sessions, as far as the server tells them without its token."""
        try:
            with httpx.Client(base_url=self.url, timeout=_LOOK_S, trust_env=False) as client:
                health = client.get("/_mock/health").raise_for_status().json()
                if health["protected"]:  # to ask without the token would count as an attempt
                    return OpenSessions(self.url, "locked")
                told = client.get("/_mock/sessions").raise_for_status().json()["sessions"]
            newest = [(str(each["id"]), str(each["case"] or "")) for each in told[: -most - 1 : -1]]
        except (httpx.HTTPError, ValueError, TypeError, KeyError):
            return OpenSessions(self.url, "absent")
        return OpenSessions(self.url, "open", tuple(newest), len(told))

    def start_command(self, suite: str = "") -> str:
        """The command that starts a server where this one is looked for."""
        at = urlsplit(self.url)
        host = [] if at.hostname in {"127.0.0.1", "localhost"} else ["--host", at.hostname or ""]
        port = [] if self.url == DEFAULT_SERVER else ["--port", str(at.port or 80)]
        fixtures = ["--fixtures", suite] if suite else []
        return shlex.join(["understudy", "serve", *fixtures, *host, *port])

    def routes(self) -> list[Route]:
        """The routes of the mock server's pages, and of what they ask for."""
        return [
            Route("/_mock/console/static/{name}", _static, methods=["GET"]),
            Route("/_mock/{path:path}", self.pass_on, methods=_VERBS),
            Route("/s/{path:path}", self.pass_on, methods=_VERBS),
        ]

    async def pass_on(self, request: Request) -> Response:
        """What the mock server answers, in the console's frame where it is a page.

        Raises:
            RefusedError: The pages do not ask for that.
        """
        path = request.url.path
        is_tried = path.startswith("/s/")
        is_write = request.method not in {"GET", "HEAD"}
        if {".", ".."} & set(unquote(path).split("/")) or _LOOP in request.headers:
            raise RefusedError(404, f"no path {path[:100]!r}")
        if is_write and not is_tried and not f"{path}/".startswith(f"{_WRITTEN}/"):
            raise RefusedError(405, f"the console does not send {request.method} to {path[:100]!r}")
        try:
            answer = await self._send(request)
        except httpx.HTTPError:
            return self._absent(request)
        if is_tried:  # what an agent stored there would be a page of this origin
            await answer.aclose()
            return Response(None, 204)
        media = answer.headers.get("content-type", "").partition(";")[0]
        headers = {**SECURITY_HEADERS, "cache-control": "no-store"}
        if media == "text/html":
            try:
                page = await answer.aread()
            except httpx.HTTPError:
                return self._absent(request)
            frame = self._frame()
            page = _FRAME.sub(lambda _: frame, page, count=1)
            return Response(page, answer.status_code, headers, media_type=media)
        moved = answer.headers.get("location", "")
        if moved.startswith("/_mock/"):
            headers["location"] = moved
        elif media not in _MEDIA and answer.status_code != 204:
            await answer.aclose()
            return problem_response(
                502, f"{self.url} answered {media!r}", hint="is that a mock server?"
            )
        return StreamingResponse(
            _content(answer), answer.status_code, headers, media_type=media or None
        )

    async def _send(self, request: Request) -> httpx.Response:
        headers = {name: request.headers[name] for name in _PASSED if name in request.headers}
        sent = headers.get("authorization", "").encode()
        if self._settings.token and hmac.compare_digest(
            sent, f"Bearer {self._settings.token}".encode()
        ):
            del headers["authorization"]
        headers |= {"accept-encoding": "identity", _LOOP: "1"}
        path: bytes = request.scope.get("raw_path") or quote(request.url.path).encode()
        query: bytes = request.scope["query_string"]
        url = httpx.URL(self.url).copy_with(raw_path=path + b"?" * bool(query) + query)
        content = await read_body(request, MAX_BODY_BYTES)
        asked = httpx.Request(
            request.method,
            url,
            headers=headers,
            content=content,
            extensions={"timeout": _TIMEOUT.as_dict()},
        )
        return await self._transport.handle_async_request(asked)

    def _frame(self) -> bytes:
        values = {"section": "sessions", "needs_token": False}
        return f'<div class="bar">{render("navigation.html", values)}</div>'.encode()

    def _absent(self, request: Request) -> Response:
        if wants_page(request.method, request.url.path, dict(request.headers.raw)):
            found = OpenSessions(self.url, "absent")
            values = {"section": "sessions", "found": found, "start_server": self.start_command()}
            return page_response("sessions.html", values)
        return problem_response(503, f"no mock server answers at {self.url}")


async def _static(request: Request) -> Response:
    """A style sheet or a script of the mock server's pages, as this installation has it."""
    return static_response(request, files("mockserver.console") / "static")


async def _content(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for part in answer.aiter_raw():
            yield part
    except httpx.HTTPError:  # it ended while it was read: so does what is passed on
        return
    finally:
        await answer.aclose()

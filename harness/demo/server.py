"""The agent as a chat server: `POST /api/chat` answers with the AI SDK's UI message stream."""

import argparse
import os
from collections.abc import Mapping

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from harness.demo.agent import Conversation, reply_to
from harness.demo.flaws import FLAWS, NO_FLAWS, Flaws, flaws_named
from harness.demo.google import Access
from harness.demo.messages import user_messages
from harness.demo.stream import events

_STREAM_HEADERS = {"cache-control": "no-cache", "x-vercel-ai-ui-message-stream": "v1"}


def application(environment: Mapping[str, str], flaws: Flaws = NO_FLAWS) -> Starlette:
    """The chat server; Google is asked with the token of whoever asks.

    Args:
        environment: `GOOGLE_API_BASE_URL` says where Google is; `GOOGLE_OAUTH_ACCESS_TOKEN` is used
            for requests that bring no token.
        flaws: What the agent does badly.
    """
    own = Access.of(environment)

    async def chat(request: Request) -> Response:
        try:
            conversation = Conversation.of(user_messages(await request.json()))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        access = Access(own.endpoint, _bearer(request) or own.token)
        reply = await run_in_threadpool(reply_to, conversation, access, flaws)
        return StreamingResponse(
            events(reply), media_type="text/event-stream", headers=_STREAM_HEADERS
        )

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return Starlette(
        routes=[Route("/api/chat", chat, methods=["POST"]), Route("/api/health", health)]
    )


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def main(arguments: list[str] | None = None) -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(
        prog="python -m harness.demo.server",
        description="Serves POST /api/chat. GOOGLE_API_BASE_URL says where Google is; the access"
        " token is that of each request.",
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3100)
    parser.add_argument("--flawed", choices=[*FLAWS], default="", help="be a worse agent")
    options = parser.parse_args(arguments)
    uvicorn.run(
        application(os.environ, flaws_named(options.flawed)),
        host=options.host,
        port=options.port,
        log_level="warning",
    )


if __name__ == "__main__":
    main()

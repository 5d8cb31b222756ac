"""The ASGI application: the guard, the routes, the description of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from harness.errors import HarnessError
from harness.runner import Clock
from harness.server.answers import Answers
from harness.server.guard import Guard
from harness.server.openapi import openapi
from harness.server.replies import json_reply, refusal_of
from harness.server.routes import ROUTES, endpoint
from harness.server.settings import Settings


def application(settings: Settings, clock: Clock) -> Starlette:
    """The application; its runs end when it does.

    Raises:
        HarnessError: The URL of the index makes no sense, or the extra is not installed.
    """
    answers = Answers(settings, clock)
    description = openapi(ROUTES, token=bool(settings.token))

    async def described(_request: Request) -> Response:
        return json_reply(description)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await answers.close()

    routes = [
        Route(route.path, endpoint(route, answers), methods=[route.verb], name=route.path)
        for route in ROUTES
    ]
    routes.append(Route("/openapi.json", described, methods=["GET"]))
    made = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={
            HarnessError: refusal_of,
            HTTPException: refusal_of,
            Exception: refusal_of,
        },
    )
    made.router.redirect_slashes = False  # a path that is none leads nowhere else
    return made

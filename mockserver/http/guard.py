"""What no page of another origin gets from the control API, with a token and without one."""

from starlette.types import ASGIApp, Receive, Scope, Send

from mockserver.asgi.origins import OwnOrigins
from mockserver.http.control_replies import problem


class Guard:
    """Lets a request through to the control API, or refuses it with 400, 403 or 415.

    A page in a browser on this machine can reach a loopback server, under a name of its own too:
    the rules of `mockserver.asgi.origins` hold, with a token and without one.

    Args:
        app: The control API.
        own: The origins under which it answers.
    """

    def __init__(self, app: ASGIApp, own: OwnOrigins) -> None:
        self._app = app
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the control API, or with the refusal."""
        refused = self._own.refusal(scope["method"], scope["headers"])
        if refused is None:
            await self._app(scope, receive, send)
        else:
            await problem(refused.status, refused.message, refused.hint)(scope, receive, send)

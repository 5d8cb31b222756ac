"""What no page of another origin gets from the interfaces of either house, token or not."""

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from mockserver.asgi.origins import OwnOrigins, Refusal


class OriginGuard:
    """Lets a request through to an application, or refuses it before its body is read.

    A page in a browser on this machine can reach a loopback server, under a name of its own too:
    the rules of `mockserver.asgi.origins` hold, with a token and without one.

    Args:
        app: What it guards.
        own: The origins under which it answers.
        refuse: Makes the answer to a refused request.
    """

    def __init__(self, app: ASGIApp, own: OwnOrigins, refuse: Callable[[Refusal], ASGIApp]) -> None:
        self._app = app
        self._own = own
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the application, or with the refusal."""
        refusal = None
        if scope["type"] == "http":
            refusal = self._own.refusal(scope["method"], scope["headers"])
        answer = self._app if refusal is None else self._refuse(refusal)
        await answer(scope, receive, send)

"""Puts the pages on a server; they are loaded when somebody looks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

    from mockserver.http.application import Application, ConsoleView


class ConsoleFront:
    """Answers `/` of the server's own names, and `/_mock/console`."""

    async def start(self, application: "Application", _server: "uvicorn.Server") -> None:
        """Take over the paths of pages."""
        application.show_console(_make_pages)

    async def stop(self) -> None:
        """There is nothing to let go of."""


def _make_pages(view: "ConsoleView") -> "ASGIApp":
    from mockserver.console.pages import Pages

    return Pages(view)

"""The console: pages at `/` for people with a browser, made of what the REST API knows."""

from harness.server.console.access import ConsoleAccess, is_open, wants_page
from harness.server.console.pages import Console, console_routes
from harness.server.console.rendering import error_page, sign_in_page

__all__ = [
    "Console",
    "ConsoleAccess",
    "console_routes",
    "error_page",
    "is_open",
    "sign_in_page",
    "wants_page",
]

"""Pages and files as responses: templates, headers that let nothing in from outside."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from harness.errors import HarnessError
from harness.reports.forks import describe_fork
from harness.reports.html import asset, page_templates
from harness.server.messages import RefusedError, status_of

if TYPE_CHECKING:
    from jinja2 import Environment

SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""Of every page and file: no script, style or frame but those of the console itself."""

_MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_OF_REPORTS = {"report.css": "page.css", "matrix.js": "matrix.js"}
"""Files of the HTML report that the console uses as they are: what they are called here, there."""


@cache
def _templates() -> "Environment":
    made = page_templates("harness.server.console")
    made.filters |= {"path": lambda text: quote(str(text), safe=""), "when": _when}
    made.filters["fork"] = describe_fork
    return made


def _when(moment: str) -> str:
    """An RFC 3339 moment for people, to the minute.

    >>> _when("2026-11-20T10:15:30.123Z")
    '2026-11-20 10:15'
    """
    return moment[:16].replace("T", " ")


def render(template: str, values: Mapping[str, Any]) -> str:
    """What a template makes of values."""
    return _templates().get_template(template).render(values)


def page_response(template: str, values: Mapping[str, Any], status: int = 200) -> Response:
    """A page, of which nobody keeps a copy."""
    content = render(template, values)
    headers = {**SECURITY_HEADERS, "cache-control": "no-store"}
    return Response(content, status, headers, media_type="text/html")


def sign_in_page() -> Response:
    """What a browser is shown, at whatever address, that has not given the server's token."""
    return page_response("sign_in.html", {}, 401)


def error_page(error: Exception) -> Response:
    """What a person is shown where the page that was asked for cannot be."""
    if isinstance(error, HTTPException):
        message, hint = f"there is no such page: {error.detail}", ""
    elif isinstance(error, HarnessError):
        message, hint = error.message, error.hint
    else:
        message, hint = "the server failed", "its log says more"
    status = status_of(error)
    return page_response("error.html", {"status": status, "message": message, "hint": hint}, status)


def static_response(request: Request, folder: Traversable | None = None) -> Response:
    """A style sheet or a script: of the console, or of a folder of an installed package.

    Raises:
        RefusedError: There is none of this name.
    """
    name = request.path_params["name"]
    content = (_static_files() if folder is None else _files_of(folder)).get(name)
    if content is None:
        raise RefusedError(404, f"no file {name!r}")
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    headers = {**SECURITY_HEADERS, "cache-control": "no-cache", "etag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(None, 304, headers)
    return Response(content, 200, headers, media_type=_MEDIA[name.rpartition(".")[2]])


@cache
def _static_files() -> Mapping[str, bytes]:
    found = {name: asset(there).encode() for name, there in _OF_REPORTS.items()}
    return found | _files_of(files("harness.server.console") / "static")


def _files_of(folder: Traversable) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}

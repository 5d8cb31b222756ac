"""Why a request found no answer: whose fault it is, and the nearest thing that is there.

Nothing here runs while requests are answered well.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple
from urllib.parse import unquote

from mockserver.asgi.requests import MAX_BODY_BYTES
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject, Miss, most_alike
from mockserver.redaction.journal_redaction import redact_journal_path
from mockserver.routing import Route, Routes
from mockserver.state import World

_NAMES = (
    "orgUnitPath", "orgUnitId", "primaryEmail", "email", "domainName", "name", "id", "deviceId",
    "tokenId", "schemaName",
)  # fmt: skip
"""Fields by which resources are asked for."""

_CLOSE = 0.6
"""Less alike than this is not near."""

_KEPT = 1024


class _Near(NamedTuple):
    likeness: float
    name: str
    parameter: str


class Misses:
    """Explains misses."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self.of_unknown_route = lru_cache(_KEPT)(self._of_unknown_route)
        """No method has this verb and path; an agent that asks again is told the same at once."""

    def of_error(
        self, error: ApiError, route: Route, params: JsonObject, world: World
    ) -> Miss | None:
        """What an API's error means: the handler's own word, completed by what is near."""
        if error.miss is not None and error.miss.nearest:
            return error.miss
        if error.status == 404:
            return self._absence(error, route, params, world)
        if error.status == 400 and error.miss is None:
            return Miss(blame="agent_error", reason=error.message.partition("\n")[0])
        return error.miss

    def _absence(self, error: ApiError, route: Route, params: JsonObject, world: World) -> Miss:
        near = self._nearest(route, params, world)
        given = error.miss or Miss(blame="fixture_gap", reason=error.message)
        if near is None:
            return given
        return given.model_copy(update={"nearest": near.name, "differs": (near.parameter,)})

    def _nearest(self, route: Route, params: JsonObject, world: World) -> _Near | None:
        asked = [value for value in params.values() if isinstance(value, str)]
        known = list(self._names(route, asked, world))
        found = (
            _Near(*most_alike(value, known), parameter)
            for parameter, value in params.items()
            if isinstance(value, str) and value not in known
        )
        best = max(found, default=None)
        return best if best is not None and best.likeness >= _CLOSE else None

    def _names(self, route: Route, asked: Sequence[str], world: World) -> Iterator[str]:
        # of no other API, which would be loaded for it while everybody waits
        for collection in self._routes.collections_of(route):
            table = world.table(collection.name)
            found = {each[1:3] for value in asked for each in table.beside(value)}
            for _, key in sorted(found):
                row = table.get(key) or {}
                yield key
                yield from (row[name] for name in _NAMES if isinstance(row.get(name), str))

    def _of_unknown_route(self, route: Route) -> Miss:
        path = unquote(redact_journal_path(route.path))
        asked = f"{route.verb} {route.host}{path}"
        known = [
            f"{method.http_method} {route.host}/{method.path}"
            for method in self._routes.catalog.methods(route.host)
        ]
        likeness, nearest = most_alike(asked, known)
        verbs = self._verbs(route)
        return Miss(
            blame="agent_error",
            reason=f"no method at {asked}" + (f"; it answers {', '.join(verbs)}" if verbs else ""),
            nearest=nearest if likeness >= _CLOSE else "",
            differs=("method",) if verbs else ("path",),
        )

    def _verbs(self, route: Route) -> tuple[str, ...]:
        if not route.host:
            return self._routes.catalog.methods_anywhere(route.path)
        router = self._routes.catalog.router(route.host)
        return router.methods_at(route.path) if router else ()


def no_source_error(route: Route) -> ApiError:
    """404: the session is told to answer from elsewhere than its state, and nothing is there."""
    text = f"No source of this session answers {route.method_id}: its state is not among them."
    return ApiError(404, text, reason="notFound", miss=Miss(blame="fixture_gap", reason=text))


def internal_error() -> ApiError:
    """500: a defect of ours."""
    return ApiError(500, "Internal error encountered.", reason="backendError")


def ambiguous_host_error(route: Route) -> ApiError:
    """404: several APIs have this path, and the request names no host."""
    hosts, path = ", ".join(route.candidates), redact_journal_path(route.path)
    return ApiError(
        404,
        f"{route.verb} {path} is a route of several APIs: {hosts}. Put the host before the "
        f"path (/{route.candidates[0]}{path}) or send it as the Host header.",
        reason="ambiguousRoute",
        code_name="NOT_FOUND",
        details=(
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "AMBIGUOUS_ROUTE",
                "domain": "understudy",
                "metadata": {"hosts": hosts},
            },
        ),
    )


_PAGE = """<!DOCTYPE html>
<html lang=en>
  <meta charset=utf-8>
  <title>Error 404 (Not Found)!!1</title>
  <p><b>404.</b> The requested URL <code>{path}</code> was not found on this server.
  <p>Understudy: {reason}.{nearest}
</html>
"""


def not_found_page(path: str, miss: Miss) -> bytes:
    """The page for an unknown route, or for a verb that a path does not answer."""
    nearest = f" The nearest route is <code>{escape(miss.nearest)}</code>." if miss.nearest else ""
    text = _PAGE.format(path=escape(path), reason=escape(miss.reason), nearest=nearest)
    return text.encode()


def body_too_large_error() -> ApiError:
    """413: the body is over the limit."""
    return ApiError(
        413,
        f"Request payload size exceeds the limit: {MAX_BODY_BYTES} bytes.",
        reason="uploadTooLarge",
        headers={"Connection": "close"},
    )


def foreign_page_error() -> ApiError:
    """403: a page of another origin that bears no credential of the session it means."""
    return ApiError(
        403,
        "A page of another origin must bear an access token of the session of the mock server that "
        "it means; the server answers to names that it was started with (--allow-host).",
        reason="originNotAllowed",
        code_name="PERMISSION_DENIED",
    )


def closed_session_error(session_id: str) -> ApiError:
    """410: the session is over."""
    return ApiError(
        410,
        f"Session {session_id!r} of the mock server is closed.",
        reason="sessionClosed",
        code_name="FAILED_PRECONDITION",
    )


def unknown_session_error(session: str | None, token: str) -> ApiError:
    """404: what a caller named, or that it named nothing and there is no default."""
    if session is None and not token:
        text = (
            "The request names no session of the mock server and there is no default one. Open one "
            "with POST /_mock/sessions and use its base_url."
        )
    else:
        named = "of this token" if session is None else repr(session)
        text = f"The mock server has no session {named}. Open it with POST /_mock/sessions."
    return ApiError(404, text, reason="sessionNotFound", code_name="NOT_FOUND")

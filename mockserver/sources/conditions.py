"""Conditional requests: `If-Match` and `If-None-Match` against the entity tags of resources.

A write is held against what a `GET` of the same path answers at this moment, so a method needs to
know nothing of it. Where there is no such method, or its answer has no tag, the condition is told
as ignored. Text and reason of the 412 are not verified against the live API.
"""

from mockserver.asgi.requests import Request
from mockserver.collections.refusals import RefusedError
from mockserver.googleapi import ApiError, Call, ParameterBinder, lists_etag, upload_path
from mockserver.model import JsonObject
from mockserver.routing import Route, Routes
from mockserver.sources.exchange import Exchange

_IF_MATCH = b"if-match"
_IF_NONE_MATCH = b"if-none-match"
_WRITES = frozenset({"PUT", "PATCH", "DELETE"})


def check_condition(exchange: Exchange, request: Request, routes: Routes) -> None:
    """Refuse a write whose condition does not hold.

    Raises:
        ApiError: 412: the resource is not, or is, as the caller says.
    """
    headers = request.headers
    if request.verb not in _WRITES or not (_IF_MATCH in headers or _IF_NONE_MATCH in headers):
        return
    current = _current(exchange, routes)
    tag = str(current.get("etag") or "") if current is not None else ""
    for name, wanted in ((_IF_MATCH, True), (_IF_NONE_MATCH, False)):
        asked = headers.get(name)
        if asked is None:
            continue
        title = "If-Match" if wanted else "If-None-Match"
        if not tag:
            exchange.response.ignored += (title,)
        elif lists_etag(asked, tag) is not wanted:
            raise ApiError(
                412,
                "Precondition Failed",
                reason="conditionNotMet",
                location=title,
                location_type="header",
            )


def _current(exchange: Exchange, routes: Routes) -> JsonObject | None:
    """What a `GET` of the same path answers now, or None where that is not to be had."""
    route = exchange.route
    path = upload_path(route.path) if route.upload else route.path
    read: Route = routes.find(route.host.encode(), "GET", path.encode("latin-1"))
    session = exchange.session
    if read.handler is None or read.method is None:
        return None
    try:
        profile = session.profile
        binder = ParameterBinder(read.method, read.captures, profile, read.dialect)
        params, _, _ = binder.bind("")
        world = exchange.delayed_world or session.world
        call = Call(read.method_id, params, {}, world, read.version, profile, exchange.caller)
        return read.handler(call)
    except (ApiError, RefusedError):
        return None

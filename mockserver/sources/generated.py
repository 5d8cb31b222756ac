"""Which source of a session answers a call: its state, or what a schema alone can tell."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mockserver.apis.generic import synthesize
from mockserver.googleapi import ApiError, Call, not_emulated
from mockserver.model import Miss
from mockserver.routing import Route
from mockserver.sources.exchange import Exchange

if TYPE_CHECKING:
    from mockserver.sessions.recordings import Replay

_UNIMPLEMENTED = 501
_STREAMING = "GRPC"


def has_source(exchange: Exchange) -> bool:
    """Whether some source of the session may answer the call."""
    route, sources = exchange.route, exchange.session.spec.sources
    if route.handler is not None and ("state" in sources or _is_service(exchange)):
        return True
    return "synthesis" in sources and route.method is not None


def check_unrecorded(exchange: Exchange, replay: "Replay") -> None:
    """Refuse a call that no HTTP request carries, where recordings of HTTP alone may answer.

    Raises:
        ApiError: 424: the host has recordings.
    """
    if replay.first and exchange.route.host in replay.known.hosts:
        exchange.source = "none"
        reason = f"{exchange.route.host} is answered from recordings, and none is of this call"
        raise ApiError(
            424,
            f"Replay miss: {reason}.",
            reason="replayMiss",
            code_name="FAILED_PRECONDITION",
            miss=Miss(blame="replay_miss", reason=reason, differs=("transport",)),
        )


def payload_of(exchange: Exchange, call: Call) -> Any:
    """What the state answers; where that has nothing, what is made of the schema, if it may be.

    A stream is that over gRPC alone; over HTTP it ends with its first batch.

    Raises:
        ApiError: What the handler raises; 501 when no source has an answer.
    """
    route, sources = exchange.route, exchange.session.spec.sources
    try:
        if route.handler is None or not ("state" in sources or _is_service(exchange)):
            raise not_emulated(route.method_id)
        return _of_transport(exchange, route.handler(call))
    except ApiError as error:
        if error.status != _UNIMPLEMENTED:
            raise
        if "synthesis" not in sources or route.method is None:
            exchange.source = "none"
            raise
    exchange.source = "synthesis"
    return synthesize(route.method, call)


def _is_service(exchange: Exchange) -> bool:
    """Whether a method gives credentials and documents, which replays need and do not record."""
    route = exchange.route
    return "cassette" in exchange.session.spec.sources and is_service(route)


def is_service(route: Route) -> bool:
    """Whether a route is of the services that clients ask before any API: tokens, documents."""
    return route.metadata or (route.handler is not None and (route.confidential or route.public))


def _of_transport(exchange: Exchange, answer: Any) -> Any:
    if type(answer) is dict or exchange.route.verb == _STREAMING:
        return answer
    return next(answer, None) if isinstance(answer, Iterator) else answer

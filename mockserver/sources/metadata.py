"""The metadata server over HTTP: its header is asked for and sent, and every body has a type."""

from mockserver.apis.metadata import METADATA, method_of, read
from mockserver.asgi.requests import Request
from mockserver.model import JsonObject
from mockserver.sources.exchange import Exchange
from mockserver.sources.replies import HTML

_FLAVOR = (b"metadata-flavor", b"Google")
_MISSING = b"<!DOCTYPE html><title>Error 403</title>Missing Metadata-Flavor:Google header.\n"
_FORWARDED = b"<!DOCTYPE html><title>Error 403</title>Forwarded requests are not answered.\n"


def is_for_metadata(exchange: Exchange, request: Request) -> bool:
    """Whether a request means the metadata server: `/` alone does where the header says so."""
    route = exchange.route
    return route.metadata and (route.path != "/" or bool(route.host) or _asks(request))


def answer_metadata(exchange: Exchange, request: Request, query: JsonObject) -> None:
    """Answer a request for metadata; 403 without its header, or with one of a proxy."""
    path = exchange.route.path
    exchange.method_id = method_of(path)
    exchange.headers += (_FLAVOR,)
    exchange.content_type = HTML
    if path.startswith(f"/{METADATA}/") and not _asks(request):
        exchange.status, exchange.response = 403, _MISSING
        return
    if b"x-forwarded-for" in request.headers:
        exchange.status, exchange.response = 403, _FORWARDED
        return
    found = read(exchange.session.world, path, query)
    exchange.status, exchange.response = found.status, found.body
    exchange.content_type = found.content_type
    if found.location:
        mark = b"?" if request.query else b""
        exchange.headers += ((b"location", found.location.encode() + mark + request.query),)


def _asks(request: Request) -> bool:
    return request.headers.get(_FLAVOR[0], b"").lower() == b"google"

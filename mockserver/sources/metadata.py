"""The metadata server over HTTP: its header is asked for and sent, and every body has a type."""

from mockserver.apis.metadata import METADATA, method_of, read_path
from mockserver.asgi.requests import Request
from mockserver.sources.exchange import Exchange
from mockserver.sources.protocol import NOTHING, SourceMiss
from mockserver.sources.response import HTML, Response

_FLAVOR = (b"metadata-flavor", b"Google")
_MISSING = b"<!DOCTYPE html><title>Error 403</title>Missing Metadata-Flavor:Google header.\n"
_FORWARDED = b"<!DOCTYPE html><title>Error 403</title>Forwarded requests are not answered.\n"


class MetadataSource:
    """Answers as the metadata server of a virtual machine does."""

    def serves(self, exchange: Exchange) -> bool:
        """Whether the path may mean the metadata server."""
        return exchange.route.metadata and exchange.request is not None

    def answer(self, exchange: Exchange) -> Response | SourceMiss:
        """Answer a request for metadata; 403 without its header, or with one of a proxy.

        `/` means the metadata server only where the `Host` or the header says so.
        """
        route, request, response = exchange.route, exchange.request, exchange.response
        if request is None or (route.path == "/" and not route.host and not _has_flavor(request)):
            return NOTHING
        exchange.entry.method_id = method_of(route.path)
        response.headers += (_FLAVOR,)
        response.content_type = HTML
        if route.path.startswith(f"/{METADATA}/") and not _has_flavor(request):
            response.status, response.body = 403, _MISSING
            return response
        if b"x-forwarded-for" in request.headers:
            response.status, response.body = 403, _FORWARDED
            return response
        found = read_path(exchange.session.world, route.path, exchange.params)
        response.status, response.body = found.status, found.body
        response.content_type = found.content_type
        if found.location:
            mark = b"?" if request.query else b""
            location = found.location.encode() + mark + request.query
            response.headers += ((b"location", location),)
        return response


def _has_flavor(request: Request) -> bool:
    return request.headers.get(_FLAVOR[0], b"").lower() == b"google"

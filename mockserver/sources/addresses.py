"""Where a caller reached this server, for links in answers."""

from mockserver.asgi.requests import Request
from mockserver.googleapi import Catalog

_HOSTS_KEPT = 256


class Addresses:
    """Makes the addresses of sessions and APIs as their callers know them.

    Args:
        url: The server's own URL.
        catalog: What knows the hosts of APIs.
    """

    def __init__(self, url: str, catalog: Catalog) -> None:
        self._url = url
        self._catalog = catalog
        self._bases: dict[bytes, str] = {}

    def base(self, host: bytes, session_id: str) -> str:
        """Where a session is, for a caller that reached the server by this `Host`."""
        found = self._bases.get(host)
        if found is None:
            name = host.decode("latin-1")
            known = self._catalog.is_host(name)
            found = f"{self._url}/s/" if known or not name else f"http://{name}/s/"
            if len(self._bases) < _HOSTS_KEPT:
                self._bases[host] = found
        return found + session_id

    def link(self, request: Request, session_id: str) -> str:
        """What stands before a request's path in a link: an API's own name, or the session's."""
        host = request.host.decode("latin-1")
        if self._catalog.is_host(host):
            return f"{request.scheme}://{host}"
        return self.base(request.host, session_id)

"""Where an API is served, by its OpenAPI document."""

from urllib.parse import urlsplit

from mockserver.declared.documents.document import OpenApiDocument

_FOREIGN = "googleapis.com"
_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")


def hosts_of(document: OpenApiDocument) -> list[str]:
    """The hosts of a document's servers that a declared API may have."""
    found: dict[str, None] = {}
    for url in document.servers:
        try:
            host = (urlsplit(url).hostname or "").lower()
        except ValueError:
            continue
        is_sound = host and not set(host) - _HOST_CHARACTERS and "." in host
        if is_sound and host.strip(".-") == host and not f".{host}".endswith(f".{_FOREIGN}"):
            found.setdefault(host)
    return list(found)


def server_path(document: OpenApiDocument) -> str:
    """The path of the first server that has one, without a slash at its end."""
    for url in document.servers:
        try:
            path = urlsplit(url).path.rstrip("/")
        except ValueError:
            continue
        if path.startswith("/") and not set(path) & set("{}?# "):
            return path
    return ""


def paths_below(document: OpenApiDocument, base_path: str) -> dict[str, str]:
    """The paths of a document below a base path; empty for those that are not below it.

    The base path may hold the path of the document's server, the beginning of its paths, or both.
    Where no path begins like it, all paths stand below it.
    """
    known = [route.path for route in document.routes]
    for start in (server_path(document), ""):
        found = {path: _below(f"{start}{path}", base_path) for path in known}
        if any(found.values()):
            return found
    return {path: path.rstrip("/") or "/" for path in known}


def _below(path: str, base_path: str) -> str:
    if path != base_path and not path.startswith(f"{base_path}/"):
        return ""
    return path[len(base_path) :].rstrip("/") or "/"

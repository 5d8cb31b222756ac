"""Methods of the API Discovery Service: documents of the installed client, with URLs of here."""

from collections.abc import Mapping
from functools import cache, lru_cache
from urllib.parse import urlsplit

import orjson

from mockserver.googleapi import Call, Catalog, Handler, nearest, not_found
from mockserver.model import JsonObject

_GOOGLE_DOMAIN = ".googleapis.com"


@cache
def _catalog() -> Catalog:
    """The documents, found on first use: most sessions never ask for them."""
    return Catalog(preferred=(), supplements=())


@lru_cache(maxsize=16)
def _document(name: str, version: str) -> JsonObject | None:
    text = _catalog().document(name, version)
    return None if text is None else dict(orjson.loads(text))


@cache
def _documents_by_address() -> Mapping[tuple[str, str], tuple[str, str]]:
    """Host and version (or none) to the document served there; of several a preferred one."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for item in sorted(_catalog().listing()["items"], key=lambda item: not item.get("preferred")):
        place = urlsplit(item["discoveryRestUrl"])
        document = (item["name"], item["version"])
        if place.path == "/$discovery/rest":
            found.setdefault((place.netloc, item["version"]), document)
            found.setdefault((place.netloc, ""), document)
    return found


def document_names() -> tuple[str, ...]:
    """All documents as `name/version`."""
    return tuple(f"{item['name']}/{item['version']}" for item in _catalog().listing()["items"])


def document_at(host: str, version: str, base_url: str) -> JsonObject | None:
    """The document that a host serves for a version (empty: the preferred one), or None."""
    name = _documents_by_address().get((host, version))
    return None if name is None else local_document(*name, base_url)


def local_document(name: str, version: str, base_url: str) -> JsonObject | None:
    """A document whose URLs lead to this server, or None when there is none of that name.

    Args:
        name: `admin`.
        version: `directory_v1`.
        base_url: Where the caller reached the session. On a real host of Google, or when empty,
            the document is answered as it is.
    """
    found = _document(name, version)
    if found is None or not _is_local(base_url):
        return found
    host = urlsplit(found["rootUrl"]).netloc
    root = f"{base_url.rstrip('/')}/{host}/"
    urls = {"rootUrl": root, "baseUrl": root + str(found.get("servicePath", "")).lstrip("/")}
    if "mtlsRootUrl" in found:
        urls["mtlsRootUrl"] = root
    return {**found, **urls}


def local_directory(base_url: str) -> JsonObject:
    """The directory of all documents, its links leading to this server."""
    found = _catalog().listing()
    if not _is_local(base_url):
        return found
    return {**found, "items": [_local_item(item, base_url) for item in found["items"]]}


def _local_item(item: JsonObject, base_url: str) -> JsonObject:
    url = str(item["discoveryRestUrl"]).removeprefix("https://")
    return {**item, "discoveryRestUrl": f"{base_url.rstrip('/')}/{url}"}


def _is_local(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    return bool(host) and not host.endswith(_GOOGLE_DOMAIN)


def _list_apis(call: Call) -> JsonObject:
    """The directory of APIs, all of them or those of one `name`, or only `preferred` versions."""
    name, preferred = call.params.get("name"), call.params.get("preferred")
    found = local_directory(call.base_url)
    items = [
        item
        for item in found["items"]
        if (not name or item["name"] == name) and (not preferred or item.get("preferred"))
    ]
    rest = {key: value for key, value in found.items() if key != "items"}
    return {**rest, "items": items} if items else rest


def _get_rest(call: Call) -> JsonObject:
    """One document, its URLs leading to this server.

    Raises:
        ApiError: 404, with the nearest document.
    """
    name, version = str(call.params["api"]), str(call.params["version"])
    found = local_document(name, version, call.base_url)
    if found is None:
        asked = f"{name}/{version}"
        raise not_found("Not Found", name=asked, nearest=nearest(asked, document_names()))
    return found


def rest_document(host: str, version: str, base_url: str) -> JsonObject:
    """The document at `/$discovery/rest?version=` of an API's host.

    Args:
        host: `admin.googleapis.com`.
        version: `directory_v1`; empty means the preferred one.
        base_url: Where the caller reached the session.

    Raises:
        ApiError: 404: the host serves no such version.
    """
    found = document_at(host, version, base_url)
    if found is None:
        raise not_found(name=f"{host}/$discovery/rest?version={version}")
    return found


HANDLERS: Mapping[str, Handler] = {
    "discovery.apis.list": _list_apis,
    "discovery.apis.getRest": _get_rest,
}

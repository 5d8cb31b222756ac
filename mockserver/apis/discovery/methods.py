"""Methods of the API Discovery Service: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.discovery.state import (
    document_at,
    document_names,
    local_directory,
    local_document,
)
from mockserver.googleapi import Call, Handler, nearest, not_found
from mockserver.model import JsonObject


def list_apis(call: Call) -> JsonObject:
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


def get_rest(call: Call) -> JsonObject:
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
    "discovery.apis.list": list_apis,
    "discovery.apis.getRest": get_rest,
}

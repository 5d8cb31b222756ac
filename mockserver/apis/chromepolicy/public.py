"""The policy schemas that Google publishes: their names and fields, for what no snapshot describes.

`public_schemas.json` holds names alone, by namespace and leaf, as public documentation of the API
had them in August 2026; what a field may hold is only known where a snapshot has the schema.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import orjson

from mockserver.apis.chromepolicy.schemas import namespace
from mockserver.model import JsonObject

_FILE = Path(__file__).with_name("public_schemas.json")
_KEYS = {"apps": "app_id", "networks": "network_id", "printers": "printer_id"}
"""The additional target key of a namespace, by one of its parts."""


@cache
def public_schemas() -> Mapping[str, tuple[str, ...]]:
    """The fields of each public schema, by its full name."""
    spaces = orjson.loads(_FILE.read_bytes())
    return {
        f"{space}.{leaf}": tuple(fields)
        for space, leaves in spaces.items()
        for leaf, fields in leaves.items()
    }


def public_row(schema_name: str, beside: Iterable[str]) -> JsonObject | None:
    """A public schema as far as it is known: its fields without their types.

    Args:
        schema_name: The full name.
        beside: Fields that the session's own values have; the list may be older than these.

    Returns:
        The schema in the API's form, or None for a name that is not public.
    """
    known = public_schemas().get(schema_name)
    if known is None:
        return None
    message = {
        "name": schema_name.rpartition(".")[2],
        "field": [{"name": name} for name in sorted({*known, *beside})],
    }
    return {"schemaName": schema_name, "definition": {"messageType": [message]}}


def public_keys(schema_name: str) -> tuple[str, ...]:
    """The additional target keys of a public schema, as far as its namespace tells them.

    >>> public_keys("chrome.users.apps.InstallType"), public_keys("chrome.users.UrlBlocking")
    (('app_id',), ())
    """
    parts = namespace(schema_name).split(".")
    return tuple(key for part, key in _KEYS.items() if part in parts)

"""What captured answers of Resource Manager are in a snapshot: version 3 alone."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject

_ROOT = "cloudresourcemanager"


def node_as_version_3(row: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """A resource in the form of version 3; older forms have `projectNumber`.

    >>> node_as_version_3({"projectNumber": "42"}, AnsweredCall("", {}, {}, {})) is None
    True
    """
    return row if "/" in str(row.get("name", "")) else None


CAPTURES: Captures = {
    f"{_ROOT}.{collection}.{verb}": (
        Capture(collection, "" if verb == "get" else collection, reshape=node_as_version_3),
    )
    for collection in ("organizations", "folders", "projects")
    for verb in ("list", "search", "get")
}
"""Discovery id to what its answers fill."""

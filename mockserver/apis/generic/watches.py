"""Methods that open and close channels for the rows of a collection, as documents tell them."""

from collections.abc import Mapping

from mockserver.apis.generic.plans import Plan, fill_template
from mockserver.apis.generic.resources import is_served, resource_of
from mockserver.apis.generic.synthesis import not_served
from mockserver.googleapi import Call, Events, close_channel, open_channel, watch_address
from mockserver.model import JsonObject

_USUAL = Events(removed="exists")  # of a collection, which is there still
_EVENTS: Mapping[str, Events] = {
    "storage.objects.watchAll": Events(),
    "drive.files.watch": Events(
        added="add",
        changed="update",
        removed="remove",
        flags={"trashed": ("trash", "untrash")},
        aspects={
            "md5Checksum": "content",
            "size": "content",
            "name": "properties",
            "title": "properties",
            "description": "properties",
            "properties": "properties",
            "appProperties": "properties",
            "parents": "parents",
            "permissions": "permissions",
        },
        seconds=3600,
    ),
    "drive.changes.watch": Events(
        added="change", changed="change", removed="change", kind="drive#changes", seconds=3600
    ),
}
"""What methods call changes, where that is not whether a resource exists."""
_TOLD_BY = {"drive.changes.watch": "files"}
"""Collections whose changes are those of another one."""


def watch_rows(plan: Plan, call: Call) -> JsonObject:
    """Answers `watch`: of one resource that is there, or of a collection.

    Raises:
        ApiError: 404: there is no such resource; 501: the session holds nothing of the API.
    """
    resource, method = resource_of(plan), plan.method
    place = fill_template(plan.template, call.params).rpartition("/")[0]
    table, other = plan.table, _TOLD_BY.get(method.id, "")
    if other:
        place, table = other, f"{plan.document_key}/{other}"
    elif plan.template.removesuffix(f"/{method.id.rpartition('.')[2]}").endswith("}"):
        found = resource.find(call.world, place)
        if found is None:
            raise resource.missing_error(call, place)
        place = found[0]
    elif not is_served(plan, call.world):
        raise not_served(plan, call)
    path = fill_template(method.path, call.params).rpartition("/")[0]
    events = _EVENTS.get(method.id, _USUAL)
    return open_channel(call, events, table, place, watch_address(call, path))


def stop_watch(_: Plan, call: Call) -> None:
    """Answers `channels.stop`."""
    close_channel(call)

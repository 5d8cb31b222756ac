"""Reading the hierarchy: get, list and search of projects, folders and organizations."""

from mockserver.apis.resourcemanager.searching import search
from mockserver.apis.resourcemanager.state import (
    FOLDERS,
    ORGANIZATIONS,
    ancestry,
    as_v1,
    children,
    node,
    organization_as_v1,
)
from mockserver.googleapi import ApiError, Call, PageRule, bad_fields, nearest, page
from mockserver.model import JsonObject, Miss
from mockserver.state import PROJECTS

_PAGES = PageRule(default=100, maximum=1000)
_DELETED = "DELETE_REQUESTED"


def find_node(call: Call, name: str) -> JsonObject:
    """The project, folder or organization of this name.

    Raises:
        ApiError: 403, as for what the caller may not see: the API does not tell whether it exists.
    """
    found = node(call.world, name)
    if found is None:
        raise denied(call, name, "get")
    return found


def denied(call: Call, name: str, action: str) -> ApiError:
    """The 403 about a node that is not there. Its text is not verified against the live API."""
    kind = name.partition("/")[0]
    text = (
        f"Permission 'resourcemanager.{kind}.{action}' denied on resource "
        f"'//cloudresourcemanager.googleapis.com/{name}' (or it may not exist)."
    )
    rows = call.world.table(kind).rows() if kind in {PROJECTS, FOLDERS, ORGANIZATIONS} else {}
    known = [
        *rows,
        *(f"projects/{row['projectId']}" for row in rows.values() if "projectId" in row),
    ]
    miss = Miss(
        blame="fixture_gap",
        reason=f"no {name!r} in this session",
        nearest=nearest(name, known),
    )
    return ApiError(403, text, reason="forbidden", code_name="PERMISSION_DENIED", miss=miss)


def get(call: Call) -> JsonObject:
    """Answers `get` of all three; projects and organizations in the shape of v1 too."""
    if "projectId" in call.params:
        return as_v1(find_node(call, f"projects/{call.params['projectId']}"))
    found = find_node(call, call.params["name"])
    return organization_as_v1(found) if call.version == "v1" else found


def search_projects(call: Call) -> JsonObject:
    """Answers `projects.search`."""
    return _searched(call, PROJECTS)


def search_folders(call: Call) -> JsonObject:
    """Answers `folders.search`."""
    return _searched(call, FOLDERS)


def search_organizations(call: Call) -> JsonObject:
    """Answers `organizations.search`; v1 asks in the body, by a `filter`."""
    if call.version == "v1":
        found = _found(call, ORGANIZATIONS, str(call.body.get("filter", "")), "filter")
        return _paged(call, ORGANIZATIONS, [organization_as_v1(row) for row in found])
    return _searched(call, ORGANIZATIONS)


def _searched(call: Call, kind: str) -> JsonObject:
    return _paged(call, kind, _found(call, kind, str(call.params.get("query", "")), "query"))


def _found(call: Call, kind: str, text: str, parameter: str) -> list[JsonObject]:
    return list(search(list(call.world.table(kind).rows().values()), text, parameter=parameter))


def list_projects(call: Call) -> JsonObject:
    """Answers `projects.list`: what is right below a parent, or, in v1, what meets a filter."""
    if call.version == "v1":
        found = _found(call, PROJECTS, str(call.params.get("filter", "")), "filter")
        return _paged(call, PROJECTS, [as_v1(row) for row in found])
    return _below(call, PROJECTS)


def list_folders(call: Call) -> JsonObject:
    """Answers `folders.list`."""
    return _below(call, FOLDERS)


def get_ancestry(call: Call) -> JsonObject:
    """Answers `projects.getAncestry` of v1: the project, then what it is in."""
    row = find_node(call, f"projects/{call.params['projectId']}")
    found = []
    for each in ancestry(call.world, row):
        kind, _, key = each["name"].partition("/")
        identity = each.get("projectId", key)
        found.append({"resourceId": {"type": kind.removesuffix("s"), "id": identity}})
    return {"ancestor": found}


def _below(call: Call, kind: str) -> JsonObject:
    parent = str(call.params.get("parent", ""))
    if not parent:
        raise bad_fields([("parent", "The parent is required: organizations/ID or folders/ID.")])
    rows = children(call.world.table(kind), parent)
    if not rows and parent != "" and node(call.world, parent) is None:
        raise denied(call, parent, "list")
    deleted = call.params.get("showDeleted", False)
    return _paged(call, kind, [row for row in rows if deleted or row["state"] != _DELETED])


def _paged(call: Call, kind: str, rows: list[JsonObject]) -> JsonObject:
    found, token = page(call, rows, _PAGES)
    answer: JsonObject = {kind: list(found)} if found else {}
    return {**answer, **({"nextPageToken": token} if token else {})}

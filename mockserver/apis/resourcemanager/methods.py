"""Methods of the Resource Manager API: the hierarchy and its allow policies.

Changes of version 3 answer with a finished operation. Source: Discovery document.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from mockserver.apis.resourcemanager import FOLDERS, ORGANIZATIONS
from mockserver.collections import Index, Range, Store
from mockserver.googleapi import (
    And,
    ApiError,
    Call,
    Comparison,
    Filter,
    FilterError,
    Function,
    Handler,
    Leaf,
    Not,
    Or,
    PageRule,
    Text,
    bad_fields,
    duplicate,
    each_of,
    etag,
    failed_precondition,
    finished_operation,
    get_operation,
    invalid,
    list_page,
    matches_wildcards,
    nearest,
    parse_filter,
    policy_handlers,
    read_update_mask,
    start_operation,
    tree_test,
    update_resource,
)
from mockserver.model import JsonObject, Miss
from mockserver.state import PROJECTS, World, find_project, rfc3339


def node_row(world: World, name: str) -> JsonObject | None:
    """The organization, folder or project of this name, or None."""
    kind, _, key = name.partition("/")
    if kind == PROJECTS:
        return find_project(world, key)
    return world.table(kind).get(name) if kind in {FOLDERS, ORGANIZATIONS} else None


def ancestors_of(world: World, row: JsonObject) -> Iterator[JsonObject]:
    """A node, then what it is in, up to its organization.

    Yields:
        Each node; a parent that the session does not hold ends it.
    """
    seen: set[str] = set()
    found: JsonObject | None = row
    while found is not None and found["name"] not in seen:
        seen.add(found["name"])
        yield found
        found = node_row(world, str(found.get("parent", "")))


def children_of(table: Store, parent: str) -> Range:
    """The rows of a table right below a parent."""
    return table.find(_BY_PARENT, parent)


_BY_PARENT = Index(lambda _, row: (str(row.get("parent", "")),))


def as_v1(row: JsonObject) -> JsonObject:
    """A project in the shape of v1. Source: Discovery document."""
    kind, _, key = str(row.get("parent", "")).partition("/")
    shown: JsonObject = {
        "projectNumber": row["name"].removeprefix("projects/"),
        "projectId": row["projectId"],
        "lifecycleState": row["state"],
        "name": row.get("displayName", ""),
        "createTime": row.get("createTime", ""),
        "labels": row.get("labels", {}),
        "parent": {"type": kind.removesuffix("s"), "id": key} if key else {},
    }
    return _without_empty(shown)


def _organization_as_v1(row: JsonObject) -> JsonObject:
    """An organization in the shape of v1. Source: Discovery document."""
    customer = row.get("directoryCustomerId", "")
    shown: JsonObject = {
        "name": row["name"],
        "displayName": row.get("displayName", ""),
        "lifecycleState": row.get("state", ""),
        "creationTime": row.get("createTime", ""),
        "owner": {"directoryCustomerId": customer} if customer else {},
    }
    return _without_empty(shown)


def _without_empty(shown: JsonObject) -> JsonObject:
    return {name: value for name, value in shown.items() if value not in ("", {})}


_HOST = "//cloudresourcemanager.googleapis.com"


def _full_name(call: Call) -> str:
    name = str(call.params["resource"])
    row = _find_node(call, name if "/" in name else f"projects/{name}")
    # policies are found by the project's id, as Cloud Asset names them
    if "projectId" in row:
        return f"{_HOST}/projects/{row['projectId']}"
    return f"{_HOST}/{row['name']}"


_FIELDS = {
    "name": "displayName",
    "displayname": "displayName",
    "id": "projectId",
    "projectid": "projectId",
    "state": "state",
    "lifecyclestate": "state",
    "parent": "parent",
    "parent.type": "parent",
    "parent.id": "parent",
    "labels": "labels",
    "domain": "displayName",
    "owner.directorycustomerid": "directoryCustomerId",
    "directorycustomerid": "directoryCustomerId",
}
_LABEL = "labels."


def search_rows(
    rows: Iterable[JsonObject], text: str, *, parameter: str = "query"
) -> Iterable[JsonObject]:
    """The rows that meet a search; expressions side by side mean any of them.

    Search is case-insensitive, and `*` is any text. Source: Discovery document.

    Raises:
        ApiError: 400; not in the language, or a field that cannot be searched.
    """
    if not text.strip():
        return rows
    try:
        tree = parse_filter(text)
    except FilterError as error:
        raise invalid(f"Invalid {parameter}: {error}.", location=parameter) from error
    if " AND " not in text:
        tree = _or_for_and(tree)
    test = tree_test(tree, partial(_leaf_test, parameter))
    return filter(test, rows)


def _or_for_and(tree: Filter) -> Filter:
    match tree:
        case Not(inner):
            return Not(_or_for_and(inner))
        case And(parts) | Or(parts):
            return Or(tuple(_or_for_and(part) for part in parts))
        case _:
            return tree


def _leaf_test(parameter: str, leaf: Leaf) -> Callable[[JsonObject], bool]:
    match leaf:
        case Text():
            field = ""
        case Comparison(_, ":" | "=") if _is_searchable(leaf.field.casefold()):
            field = leaf.field
        case _:
            name = leaf.name if isinstance(leaf, Function) else leaf.field
            raise invalid(f"Invalid {parameter}: unknown field '{name}'.", location=parameter)
    pattern = leaf.text.casefold()
    return lambda row: any(
        matches_wildcards(str(text).casefold(), pattern) for text in _field_texts(row, field)
    )


def _is_searchable(name: str) -> bool:
    return name in _FIELDS or name.startswith(_LABEL)


def _field_texts(row: JsonObject, field: str) -> Sequence[object]:
    """What a field of the search means in a row; no field means names and ids."""
    name, labels = field.casefold(), row.get("labels", {})
    if not name:
        return [row.get("displayName", ""), row.get("projectId", "")]
    if name.startswith(_LABEL):
        key = field[len(_LABEL) :]
        return [labels[key]] if key in labels else []
    if name == "labels":
        return [text for pair in labels.items() for text in pair]
    value = str(row.get(_FIELDS[name], ""))
    kind, _, key = value.partition("/")
    return [{"parent.type": kind.removesuffix("s"), "parent.id": key}.get(name, value)]


_ID = re.compile(r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$")
_TYPE_V1 = "type.googleapis.com/google.cloudresourcemanager.v1"
_TYPE_V3 = "type.googleapis.com/google.cloud.resourcemanager.v3"
_KEPT_FIELDS = ("name", "projectId", "state", "parent", "createTime", "updateTime", "deleteTime")


def _create_project(call: Call) -> JsonObject:
    """Answers `projects.create`.

    Raises:
        ApiError: 400 for an id that cannot be, 403 for an unknown parent, 409 for a taken id.
    """
    body = _body_from_v1(call.body) if call.version == "v1" else call.body
    project = str(body.get("projectId", ""))
    if not _ID.match(project):
        text = "project_id contains invalid characters" if project else "project_id must be set"
        raise bad_fields([("project_id", text)])
    if find_project(call.world, project) is not None:
        raise duplicate("Requested entity already exists")
    row = {"projectId": project, "displayName": body.get("displayName") or project}
    return _make_node(call, "projects", body, row)


def _create_folder(call: Call) -> JsonObject:
    """Answers `folders.create`.

    Raises:
        ApiError: 400 without a parent or name, 403 for an unknown parent, 409 for a name that the
            parent has already.
    """
    name, parent = str(call.body.get("displayName", "")), call.body.get("parent")
    missing = [
        (field, f"The field '{field}' is required.")
        for field, value in (("display_name", name), ("parent", parent))
        if not value
    ]
    if missing:
        raise bad_fields(missing)
    siblings = children_of(call.world.table("folders"), str(parent))
    if any(row["displayName"] == name for row in siblings):
        raise ApiError(
            400, f"Folder display name '{name}' is taken.", code_name="FAILED_PRECONDITION"
        )
    return _make_node(call, "folders", call.body, {"displayName": name})


def _make_node(call: Call, kind: str, body: JsonObject, fields: JsonObject) -> JsonObject:
    parent = str(body.get("parent", ""))
    if parent and node_row(call.world, parent) is None:
        raise _no_permission(call, parent, "create")
    name = f"{kind}/{call.world.ids.digits(kind, 12)}"
    now = rfc3339(call.world.clock.now())
    row: JsonObject = {"name": name, **({"parent": parent} if parent else {}), **fields}
    if body.get("labels"):
        row["labels"] = body["labels"]
    return _put_node(
        call, kind, {**row, "state": "ACTIVE", "createTime": now, "updateTime": now}, "cp"
    )


def _body_from_v1(body: JsonObject) -> JsonObject:
    parent = body.get("parent") or {}
    place = f"{parent.get('type', '')}s/{parent['id']}" if parent.get("id") else ""
    return {**body, "displayName": body.get("name", ""), "parent": place}


def _patch_node(call: Call) -> JsonObject:
    """Answers `projects.patch` and `folders.patch`: display name and labels."""
    row = _find_node(call, call.params["name"])
    paths = read_update_mask(str(call.params.get("updateMask", "")))
    after = update_resource(row, call.body, paths or [(name,) for name in call.body], _KEPT_FIELDS)
    return _put_node(
        call, _kind_of(row), {**after, "updateTime": rfc3339(call.world.clock.now())}, "up"
    )


def _update_project_v1(call: Call) -> JsonObject:
    """Answers `projects.update` of v1: name and labels are replaced."""
    row = _find_node(call, f"projects/{call.params['projectId']}")
    labels = call.body.get("labels") or {}
    after = {**row, "displayName": call.body.get("name", ""), "labels": labels}
    call.world.put("projects", row["name"], after)
    return as_v1(after)


def _change_state(state: str, code: str, call: Call) -> JsonObject:
    """Answers `delete`, which marks a node that is gone some day, and `undelete`."""
    old = "projectId" in call.params
    row = _find_node(call, f"projects/{call.params['projectId']}" if old else call.params["name"])
    if row["state"] == state:
        current = "not deleted" if state == "ACTIVE" else "deleted"
        raise failed_precondition(f"The {_kind_of(row)[:-1]} is {current} already.")
    after = {name: value for name, value in row.items() if name != "deleteTime"}
    if state == _DELETED:
        after["deleteTime"] = rfc3339(call.world.clock.now())
    operation = _put_node(call, _kind_of(row), {**after, "state": state}, code)
    return {} if old else operation


def _move_node(call: Call) -> JsonObject:
    row = _find_node(call, call.params["name"])
    target = str(call.body.get("destinationParent", ""))
    if node_row(call.world, target) is None:
        raise _no_permission(call, target, "create")
    return _put_node(call, _kind_of(row), {**row, "parent": target}, "mv")


def _kind_of(row: JsonObject) -> str:
    return str(row["name"].partition("/")[0])


def _put_node(call: Call, kind: str, row: JsonObject, code: str) -> JsonObject:
    row = {**row, "etag": etag({name: row[name] for name in row if name != "etag"})}
    call.world.put(kind, row["name"], row)
    name = f"operations/{code}.{call.world.ids.digits('operation', 19)}"
    old = call.version == "v1" and kind == "projects"
    type_name = f"{_TYPE_V1 if old else _TYPE_V3}.{kind[:-1].title()}"
    outcome = finished_operation(name, as_v1(row) if old else row, type_name)
    if old and code == "cp":
        kind_name = f"{_TYPE_V1}.ProjectCreationStatus"
        outcome["metadata"] = {"@type": kind_name, "gettable": True, "ready": True}
    return start_operation(call, name, outcome)


_PAGES = PageRule(default=100, maximum=1000)
_DELETED = "DELETE_REQUESTED"


def _find_node(call: Call, name: str) -> JsonObject:
    """The project, folder or organization of this name.

    Raises:
        ApiError: 403, as for what the caller may not see: the API does not tell whether it exists.
    """
    found = node_row(call.world, name)
    if found is None:
        raise _no_permission(call, name, "get")
    return found


def _no_permission(call: Call, name: str, action: str) -> ApiError:
    """The 403 about a node that is not there, as version 1 was recorded to say it, or version 3."""
    kind = name.partition("/")[0]
    text = (
        f"Permission 'resourcemanager.{kind}.{action}' denied on resource "
        f"'//cloudresourcemanager.googleapis.com/{name}' (or it may not exist)."
        if call.version != "v1"
        else "The caller does not have permission"
    )
    known: list[str] = []
    if kind in {PROJECTS, FOLDERS, ORGANIZATIONS}:
        table = call.world.table(kind)
        known = [nearest(name, table), nearest(name, table, _BY_PROJECT_ID)]
    near = nearest(name, filter(None, known))
    miss = Miss(blame="fixture_gap", reason=f"no {name!r} in this session", nearest=near)
    return ApiError(403, text, reason="forbidden", code_name="PERMISSION_DENIED", miss=miss)


_STANDING = Index(lambda _, row: () if row["state"] == _DELETED else (str(row.get("parent", "")),))
"""Folders and projects that are not deleted, by parent."""

_BY_PROJECT_ID = Index(
    lambda _, row: (f"projects/{row['projectId']}",) if "projectId" in row else ()
)


def _get_node(call: Call) -> JsonObject:
    """Answers `get` of all three; projects and organizations in the shape of v1 too."""
    if "projectId" in call.params:
        return as_v1(_find_node(call, f"projects/{call.params['projectId']}"))
    found = _find_node(call, call.params["name"])
    return _organization_as_v1(found) if call.version == "v1" else found


def _search_organizations(call: Call) -> JsonObject:
    """Answers `organizations.search`; v1 asks in the body, by a `filter`."""
    if call.version == "v1":
        found = _search_nodes(call, ORGANIZATIONS, str(call.body.get("filter", "")), "filter")
        return _page_answer(call, ORGANIZATIONS, map(_organization_as_v1, found))
    return _search(ORGANIZATIONS, call)


def _search(kind: str, call: Call) -> JsonObject:
    """Answers `search` of version 3."""
    return _page_answer(
        call, kind, _search_nodes(call, kind, str(call.params.get("query", "")), "query")
    )


def _search_nodes(call: Call, kind: str, text: str, parameter: str) -> Iterable[JsonObject]:
    rows = each_of(call.world.table(kind).in_order())
    return search_rows(rows, text, parameter=parameter)


def _list_projects(call: Call) -> JsonObject:
    """Answers `projects.list`: what is right below a parent, or, in v1, what meets a filter."""
    if call.version == "v1":
        found = _search_nodes(call, PROJECTS, str(call.params.get("filter", "")), "filter")
        return _page_answer(call, PROJECTS, map(as_v1, found))
    return _list_children(PROJECTS, call)


def _get_ancestry(call: Call) -> JsonObject:
    """Answers `projects.getAncestry` of v1: the project, then what it is in."""
    row = _find_node(call, f"projects/{call.params['projectId']}")
    found = []
    for each in ancestors_of(call.world, row):
        kind, _, key = each["name"].partition("/")
        identity = each.get("projectId", key)
        found.append({"resourceId": {"type": kind.removesuffix("s"), "id": identity}})
    return {"ancestor": found}


def _list_children(kind: str, call: Call) -> JsonObject:
    """Answers `list` of version 3: what is right below a parent."""
    parent = str(call.params.get("parent", ""))
    if not parent:
        raise bad_fields([("parent", "The parent is required: organizations/ID or folders/ID.")])
    rows = children_of(call.world.table(kind), parent)
    if not rows and parent != "" and node_row(call.world, parent) is None:
        raise _no_permission(call, parent, "list")
    deleted = call.params.get("showDeleted", False)
    shown = rows if deleted else call.world.table(kind).find(_STANDING, parent)
    return _page_answer(call, kind, each_of(shown))


def _page_answer(call: Call, kind: str, rows: Iterable[JsonObject]) -> JsonObject:
    return list_page(call, kind, rows, _PAGES)


_API = "cloudresourcemanager"
_DELETE = partial(_change_state, _DELETED, "dp")
_UNDELETE = partial(_change_state, "ACTIVE", "ud")

HANDLERS: Mapping[str, Handler] = {
    f"{_API}.projects.search": partial(_search, PROJECTS),
    f"{_API}.projects.list": _list_projects,
    f"{_API}.projects.getAncestry": _get_ancestry,
    f"{_API}.projects.create": _create_project,
    f"{_API}.projects.update": _update_project_v1,
    f"{_API}.folders.search": partial(_search, FOLDERS),
    f"{_API}.folders.list": partial(_list_children, FOLDERS),
    f"{_API}.folders.create": _create_folder,
    f"{_API}.organizations.search": _search_organizations,
    f"{_API}.organizations.get": _get_node,
    f"{_API}.operations.get": get_operation,
    **{
        f"{_API}.{kind}.{verb}": handler
        for kind in (PROJECTS, FOLDERS)
        for verb, handler in (
            ("get", _get_node),
            ("patch", _patch_node),
            ("delete", _DELETE),
            ("undelete", _UNDELETE),
            ("move", _move_node),
        )
    },
    **policy_handlers(f"{_API}.projects", _full_name),
    **policy_handlers(f"{_API}.folders", _full_name),
    **policy_handlers(f"{_API}.organizations", _full_name),
}

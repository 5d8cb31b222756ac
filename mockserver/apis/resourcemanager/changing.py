"""Making, changing and deleting projects and folders; v3 answers with a finished operation."""

import re

from mockserver.apis.resourcemanager.reading import denied, find_node
from mockserver.apis.resourcemanager.state import as_v1, node
from mockserver.googleapi import (
    ApiError,
    Call,
    bad_fields,
    done,
    duplicate,
    read_update_mask,
    start_operation,
    updated,
)
from mockserver.model import JsonObject
from mockserver.state import find_project, rfc3339

_ID = re.compile(r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$")
_TYPE = "type.googleapis.com/google.cloud.resourcemanager."
_KEPT = ("name", "projectId", "state", "parent", "createTime", "updateTime", "deleteTime")
_DELETED = "DELETE_REQUESTED"


def create_project(call: Call) -> JsonObject:
    """Answers `projects.create`.

    Raises:
        ApiError: 400 for an id that cannot be, 403 for an unknown parent, 409 for a taken id.
    """
    body = _from_v1(call.body) if call.version == "v1" else call.body
    project = str(body.get("projectId", ""))
    if not _ID.match(project):
        text = "project_id contains invalid characters" if project else "project_id must be set"
        raise bad_fields([("project_id", text)])
    if find_project(call.world, project) is not None:
        raise duplicate("Requested entity already exists")
    row = {"projectId": project, "displayName": body.get("displayName") or project}
    return _made(call, "projects", body, row)


def create_folder(call: Call) -> JsonObject:
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
    taken = call.world.table("folders").rows().values()
    if any((row["displayName"], row.get("parent")) == (name, parent) for row in taken):
        raise ApiError(
            400, f"Folder display name '{name}' is taken.", code_name="FAILED_PRECONDITION"
        )
    return _made(call, "folders", call.body, {"displayName": name})


def _made(call: Call, kind: str, body: JsonObject, fields: JsonObject) -> JsonObject:
    parent = str(body.get("parent", ""))
    if parent and node(call.world, parent) is None:
        raise denied(call, parent, "create")
    name = f"{kind}/{call.world.ids.digits(kind, 12)}"
    now = rfc3339(call.world.clock.now())
    row: JsonObject = {"name": name, **({"parent": parent} if parent else {}), **fields}
    if body.get("labels"):
        row["labels"] = body["labels"]
    return _put(call, kind, {**row, "state": "ACTIVE", "createTime": now, "updateTime": now}, "cp")


def _from_v1(body: JsonObject) -> JsonObject:
    parent = body.get("parent") or {}
    place = f"{parent.get('type', '')}s/{parent['id']}" if parent.get("id") else ""
    return {**body, "displayName": body.get("name", ""), "parent": place}


def patch(call: Call) -> JsonObject:
    """Answers `projects.patch` and `folders.patch`: display name and labels."""
    row = find_node(call, call.params["name"])
    paths = read_update_mask(str(call.params.get("updateMask", "")))
    after = updated(row, call.body, paths or [(name,) for name in call.body], _KEPT)
    return _put(call, _kind(row), {**after, "updateTime": rfc3339(call.world.clock.now())}, "up")


def update_v1(call: Call) -> JsonObject:
    """Answers `projects.update` of v1: name and labels are replaced."""
    row = find_node(call, f"projects/{call.params['projectId']}")
    labels = call.body.get("labels") or {}
    after = {**row, "displayName": call.body.get("name", ""), "labels": labels}
    call.world.put("projects", row["name"], after)
    return as_v1(after)


def delete(call: Call) -> JsonObject:
    """Answers `projects.delete` and `folders.delete`: marked, and gone some day."""
    return _marked(call, _DELETED, "dp")


def undelete(call: Call) -> JsonObject:
    """Answers `projects.undelete` and `folders.undelete`."""
    return _marked(call, "ACTIVE", "ud")


def _marked(call: Call, state: str, code: str) -> JsonObject:
    old = "projectId" in call.params
    row = find_node(call, f"projects/{call.params['projectId']}" if old else call.params["name"])
    if row["state"] == state:
        text = (
            f"The {_kind(row)[:-1]} is {'not deleted' if state == 'ACTIVE' else 'deleted'} already."
        )
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
    after = {name: value for name, value in row.items() if name != "deleteTime"}
    if state == _DELETED:
        after["deleteTime"] = rfc3339(call.world.clock.now())
    operation = _put(call, _kind(row), {**after, "state": state}, code)
    return {} if old else operation


def move(call: Call) -> JsonObject:
    """Answers `projects.move` and `folders.move`."""
    row = find_node(call, call.params["name"])
    target = str(call.body.get("destinationParent", ""))
    if node(call.world, target) is None:
        raise denied(call, target, "create")
    return _put(call, _kind(row), {**row, "parent": target}, "mv")


def _kind(row: JsonObject) -> str:
    return str(row["name"].partition("/")[0])


def _put(call: Call, kind: str, row: JsonObject, code: str) -> JsonObject:
    call.world.put(kind, row["name"], row)
    name = f"operations/{code}.{call.world.ids.digits('operation', 19)}"
    old = call.version == "v1" and kind == "projects"
    type_name = f"{_TYPE}{'v1' if old else 'v3'}.{kind[:-1].title()}"
    return start_operation(call, name, done(name, as_v1(row) if old else row, type_name))

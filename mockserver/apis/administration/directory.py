"""What the Directory has beside people: second factors, rooms and their features, custom schemas.

Source: reference pages; not verified against the live APIs: texts of refusals.
"""

from collections.abc import Mapping

from mockserver.googleapi import (
    Call,
    Handler,
    LeftToConventionsError,
    duplicate,
    etag,
    invalid,
)
from mockserver.googleapi.collections import named_row, own_resource, put_fields
from mockserver.googleapi.list_rules import field_of
from mockserver.googleapi.names import require_user
from mockserver.model import JsonObject
from mockserver.state import (
    USERS,
)

# Second factors

_CODES, _NUMBER_OF_CODES = "admin:directory_v1/verificationCodes", 10


def _verification_codes(call: Call) -> JsonObject | None:
    """Answers `verificationCodes.list`, `generate` and `invalidate`; raises ApiError: 404."""
    world = call.world
    user = str(require_user(world, str(call.params["userKey"]))["id"])
    table = world.table(_CODES)
    if call.id.endswith(".list"):
        rows = [table.rows()[hit[2]] for hit in field_of("userId").equal(table, [user]).places()]
        head = {"kind": "admin#directory#verificationCodesList", "etag": etag([*rows])}
        return {**head, "items": rows} if rows else head
    for hit in list(field_of("userId").equal(table, [user]).places()):
        world.delete(_CODES, hit[2])
    for _ in range(_NUMBER_OF_CODES if call.id.endswith("generate") else 0):
        code = world.ids.digits("verification code", 8)
        row: JsonObject = {
            "kind": "admin#directory#verificationCode", "userId": user, "verificationCode": code,
        }  # fmt: skip
        path = f"users/{user}/verificationCodes/{code}"
        world.put(_CODES, path, {**row, "etag": etag(row)})
    return None


def _turn_off(call: Call) -> None:
    """Answers `twoStepVerification.turnOff`; raises ApiError: 404, 400 where it is enforced."""
    user = require_user(call.world, str(call.params["userKey"]))
    if user.get("isEnforcedIn2Sv"):
        raise invalid("2-step verification is enforced for the user.")
    row = {**user, "isEnrolledIn2Sv": False}
    call.world.put(USERS, str(user["id"]), {**row, "etag": etag(row)})


# Rooms, features and schemas


def _rename_feature(call: Call) -> None:
    """Answers `features.rename`; raises ApiError: 404, 400 without a new name, 409 when taken."""
    resource = own_resource(call)
    found, name = named_row(call), str(call.body.get("newName") or "")
    if not name:
        raise invalid("Invalid Input: newName")
    new = f"{found[0].rpartition('/')[0]}/{name}"
    if resource.find(call.world, new) is not None:
        raise duplicate()
    call.world.delete(resource.collection, found[0])
    put_fields(call, (new, found[1]), {"name": name})


def _add_room(call: Call) -> JsonObject | None:
    """Answers `resources.calendars.insert`: the room has a calendar, and a building that is there.

    Raises:
        ApiError: 400 for a building that is not there; 409.
    """
    building = str(call.body.get("buildingId") or "")
    buildings = call.world.table("admin:directory_v1/buildings")
    if building and not field_of("buildingId").equal(buildings, [building]).places():
        raise invalid("Invalid Input: buildingId")
    ident = call.world.ids.base36("resource", 26)
    call.body = {
        **call.body,
        "resourceEmail": f"c_{ident}@resource.calendar.google.com",
        "generatedResourceName": str(call.body.get("resourceName") or ""),
    }
    raise LeftToConventionsError


def _named_schema(call: Call) -> JsonObject | None:
    """Answers methods of custom schemas that name one: by its id, or by its name."""
    key, table = str(call.params["schemaKey"]), call.world.table(own_resource(call).collection)
    hits = field_of("schemaName").equal(table, [key]).places()
    if hits:
        call.params["schemaKey"] = hits[0][2].rpartition("/")[2]
    raise LeftToConventionsError


def _add_schema(call: Call) -> JsonObject | None:
    """Answers `schemas.insert`; raises ApiError: 400 without a name, 409 for one that is taken."""
    name = str(call.body.get("schemaName") or "")
    if not name:
        raise invalid("Invalid Input: schemaName")
    if (
        field_of("schemaName")
        .equal(call.world.table(own_resource(call).collection), [name])
        .places()
    ):
        raise duplicate()
    fields = [
        {
            "kind": "admin#directory#schema#fieldspec",
            "fieldId": call.world.ids.base36("schema field", 22),
            "indexed": True,
            "multiValued": False,
            "readAccessType": "ALL_DOMAIN_USERS",
            **each,
        }
        for each in call.body.get("fields") or ()
    ]
    ident = call.world.ids.base36("schema", 22)
    call.body = {"displayName": name, **call.body, "schemaId": ident, "fields": fields}
    raise LeftToConventionsError


OF_DIRECTORY: Mapping[str, Handler] = {
    **{
        f"directory.verificationCodes.{verb}": _verification_codes
        for verb in ("list", "generate", "invalidate")
    },
    "directory.twoStepVerification.turnOff": _turn_off,
    "directory.resources.features.rename": _rename_feature,
    "directory.resources.calendars.insert": _add_room,
    **{f"directory.schemas.{verb}": _named_schema for verb in ("get", "patch", "update", "delete")},
    "directory.schemas.insert": _add_schema,
}
"""Method id to what answers it."""

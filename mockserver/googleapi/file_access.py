"""Who may do what with a file of Drive; Docs, Sheets and Drive itself ask here.

A file whose permissions are not told is open to all callers: a fixture that gives none hides
nothing. Source: the guide on sharing, and the words of the live services.
"""

from collections.abc import Sequence

from mockserver.collections import Index
from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import ApiError, permission_denied
from mockserver.model import JsonObject, Miss
from mockserver.state import GROUPS, admin_email, find_user, groups_of_member

ROLES = ("reader", "commenter", "writer", "fileOrganizer", "organizer", "owner")
"""Roles by how much they allow, the least first."""


def caller_keys(call: Call) -> set[str]:
    """By what permissions mean the caller: the addresses of caller and groups, and the domain."""
    mine = (call.caller.email or admin_email(call.world)).casefold()
    user, found = find_user(call.world, mine), {mine, f"@{mine.partition('@')[2]}"}
    found |= {str(each).casefold() for each in (user or {}).get("aliases") or ()}
    waiting = [str(user["id"])] if user else []
    while waiting:
        for ident in groups_of_member(call.world, waiting.pop()):
            group = call.world.table(GROUPS).get(ident) or {}
            address = str(group.get("email", "")).casefold()
            if address not in found:
                found.add(address)
                waiting.append(ident)
    return found


def file_role(call: Call, row: JsonObject) -> str:
    """What the caller may do with a file; an empty text for nothing."""
    if not (given := row.get("permissions")):
        return ROLES[-1]
    mine = caller_keys(call)
    found = [
        str(each.get("role"))
        for each in given
        if each.get("type") == "anyone" or _key(each) in mine
    ]
    return max((each for each in found if each in ROLES), key=ROLES.index, default="")


def _key(permission: JsonObject) -> str:
    if permission.get("type") == "domain":
        return f"@{permission.get('domain', '')}".casefold()
    return str(permission.get("emailAddress", "")).casefold()


def _lists(permission: JsonObject) -> bool:
    """Whether those who are meant find a file in their lists, and not by its link alone."""
    by_link = permission.get("type") in {"anyone", "domain"}
    return not by_link or bool(permission.get("allowFileDiscovery"))


_OPEN: Sequence[JsonObject] = ({},)
BY_GRANTEE = Index(
    lambda _, row: dict.fromkeys(
        (_key(each),) for each in row.get("permissions") or _OPEN if _lists(each)
    )
)
"""Files by those who list them, as `caller_keys` names a caller; an empty text for all."""


def missing_file(ident: str) -> ApiError:
    """404, as Drive says that a file is not there, or not for the caller."""
    return ApiError(
        404,
        f"File not found: {ident}.",
        reason="notFound",
        location="fileId",
        location_type="parameter",
        miss=Miss(blame="fixture_gap", reason=f"no {ident!r} in this session"),
    )


def check_file(call: Call, row: JsonObject, role: str) -> None:
    """Refuse a call of Drive whose caller may not do this with a file.

    Args:
        call: The call.
        row: The file, or the shared drive.
        role: The least role that may.

    Raises:
        ApiError: 404 for a file that the caller does not see, 403 for too low a role.
    """
    own = file_role(call, row)
    if not own:
        raise missing_file(str(row.get("id")))
    if ROLES.index(own) < ROLES.index(role):
        text = "The user does not have sufficient permissions for this file."
        raise ApiError(403, text, reason="insufficientFilePermissions")


def check_editor_file(call: Call, row: JsonObject | None, *, reads: bool) -> None:
    """Refuse a call of Docs or Sheets whose caller may not read or change a file.

    Args:
        call: The call.
        row: The file in Drive, or None where there is none.
        reads: Whether the call only reads.

    Raises:
        ApiError: 403.
    """
    own = ROLES[-1] if row is None else file_role(call, row)
    if not own or (not reads and ROLES.index(own) < ROLES.index("writer")):
        raise permission_denied()

"""Who may do what with a file, and who finds it in a list."""

from collections.abc import Callable

import pytest

from mockserver.googleapi import ApiError, Call, Caller
from mockserver.googleapi.file_access import (
    BY_GRANTEE,
    caller_keys,
    check_editor_file,
    check_file,
    file_role,
)
from mockserver.model import JsonObject
from tests.shelves import world

ANN = "ann@corp.test"


def call(email: str = ANN) -> Call:
    over = world()
    over.put("users", "1", {"id": "1", "primaryEmail": ANN, "aliases": ["Annie@corp.test"]})
    for group, inside in ("g", "1"), ("h", "g"), ("g", "h"):
        over.put("groups", group, {"id": group, "email": f"{group.upper()}@corp.test"})
        over.put("members", f"{group}/{inside}", {"groupId": group, "member": {"id": inside}})
    return Call("x", {}, {}, over, caller=Caller(email=email))


def file(*permissions: JsonObject) -> JsonObject:
    return {"id": "f", "permissions": list(permissions)}


def test_a_caller_is_known_by_every_address_of_their_own_and_of_groups_around_them() -> None:
    assert caller_keys(call()) == {
        ANN, "annie@corp.test", "@corp.test", "g@corp.test", "h@corp.test",
    }  # fmt: skip
    assert caller_keys(call("Eve@x.test")) == {"eve@x.test", "@x.test"}
    assert caller_keys(call("")) == {"admin@example.com", "@example.com"}


USER = {"type": "user", "emailAddress": "Ann@corp.test", "role": "reader"}
BO = {"type": "user", "emailAddress": "bo@corp.test", "role": "owner"}
GROUP = {"type": "group", "emailAddress": "h@corp.test", "role": "writer"}
DOMAIN = {"type": "domain", "domain": "Corp.test", "role": "commenter"}
ANYONE = {"type": "anyone", "role": "reader"}


@pytest.mark.parametrize(
    ("permissions", "role", "listed"),
    [
        ((), "owner", [("",)]),
        ((BO,), "", [("bo@corp.test",)]),
        ((USER,), "reader", [(ANN,)]),
        ((USER, GROUP), "writer", [(ANN,), ("h@corp.test",)]),
        ((GROUP, USER), "writer", [("h@corp.test",), (ANN,)]),
        ((DOMAIN, BO), "commenter", [("bo@corp.test",)]),
        (({**DOMAIN, "allowFileDiscovery": True},), "commenter", [("@corp.test",)]),
        ((ANYONE,), "reader", []),
        (({**ANYONE, "allowFileDiscovery": True},), "reader", [("",)]),
        (({**USER, "role": "king"},), "", [(ANN,)]),
    ],
)
def test_the_greatest_role_counts_and_links_list_no_file(
    permissions: tuple[JsonObject, ...], role: str, listed: list[tuple[str]]
) -> None:
    row = file(*permissions)
    assert file_role(call(), row) == role
    assert list(BY_GRANTEE.values("f", row)) == listed


def refused(check: Callable[[], None]) -> tuple[int, str] | None:
    try:
        check()
    except ApiError as error:
        return error.status, error.reason
    return None


@pytest.mark.parametrize(
    ("row", "drive", "reads", "writes"),
    [
        (file(USER), (403, "insufficientFilePermissions"), None, (403, "forbidden")),
        (file(DOMAIN), (403, "insufficientFilePermissions"), None, (403, "forbidden")),
        (file(GROUP), None, None, None),
        (file(BO), (404, "notFound"), (403, "forbidden"), (403, "forbidden")),
        (file(), None, None, None),
    ],
)
def test_too_low_a_role_is_refused(
    row: JsonObject,
    drive: tuple[int, str] | None,
    reads: tuple[int, str] | None,
    writes: tuple[int, str] | None,
) -> None:
    asked = call()
    assert refused(lambda: check_file(asked, row, "writer")) == drive
    assert refused(lambda: check_editor_file(asked, row, reads=True)) == reads
    assert refused(lambda: check_editor_file(asked, row, reads=False)) == writes
    assert refused(lambda: check_editor_file(asked, None, reads=False)) is None

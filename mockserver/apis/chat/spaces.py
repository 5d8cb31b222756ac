"""Spaces of Chat and who is in them; users are those of the Directory.

A space of a snapshot that tells no members is open to all. Source: the API's reference; not
verified: texts of refusals, and which fields a new space has.
"""

from collections.abc import Iterator, Sequence

from mockserver.apis.chat import MEMBERS, MESSAGES, REACTIONS, SPACES
from mockserver.collections import BY_KEY, Index
from mockserver.googleapi import (
    Call,
    by_parent,
    duplicate,
    invalid,
    list_page,
    not_found,
    parent_of,
    permission_denied,
)
from mockserver.googleapi.lists import PageRule
from mockserver.googleapi.names import nearest
from mockserver.model import JsonObject
from mockserver.state import (
    USERS,
    World,
    admin_email,
    find_group,
    find_user,
    fixed_digits,
    groups_of_member,
    rfc3339,
)

_MOST_INVITED = 49
_GIVEN = ("displayName", "externalUserAllowed", "spaceDetails", "spaceHistoryState", "importMode",
          "accessSettings", "permissionSettings", "customer", "createTime")  # fmt: skip
_THREADING = {"SPACE": "THREADED_MESSAGES", "GROUP_CHAT": "UNTHREADED_MESSAGES",
              "DIRECT_MESSAGE": "UNTHREADED_MESSAGES"}  # fmt: skip
_COUNTS = {"joinedDirectHumanUserCount": "HUMAN", "joinedGroupCount": "GROUP"}
_PAGES = PageRule(default=10, maximum=30)


def _member_name(row: JsonObject) -> str:
    return str((row.get("member") or row.get("groupMember") or {}).get("name", ""))


def _kind_of(row: JsonObject) -> str:
    return "GROUP" if "groupMember" in row else str((row["member"] or {}).get("type") or "HUMAN")


_BY_USER = Index(lambda _, row: (_member_name(row),))
_BY_SPACE_AND_USER = Index(lambda key, row: ((parent_of(key, 2), _member_name(row)),))
_COUNTED = Index(lambda key, row: ((parent_of(key, 2), _kind_of(row)),))
_BY_TITLE = Index(lambda _, row: (str(row.get("displayName", "")),))
# who


def person(call: Call, name: str = "") -> JsonObject:
    """A user as Chat names them: by `users/{id}` or `users/{address}`, the caller by none.

    Raises:
        ApiError: 404 for who is not in the Directory, and would be.
    """
    world = call.world
    own = call.caller.email or admin_email(world)
    key = name.removeprefix("users/")
    key = own if key in {"", "me", "app"} else key
    user = find_user(world, key)
    if user is not None:
        return {"name": f"users/{user['id']}", "type": "HUMAN"}
    if key.endswith(".gserviceaccount.com"):
        return {"name": f"users/{fixed_digits(key, 21)}", "type": "BOT"}
    is_guest = "@" in key and key.partition("@")[2] != admin_email(world).partition("@")[2]
    if key == own or is_guest or not len(world.table(USERS)):
        ident = fixed_digits(key, 21) if "@" in key else key
        return {"name": f"users/{ident}", "type": "HUMAN"}
    raise not_found(name=name, nearest=nearest(key, world.table(USERS)))


def with_names(call: Call, user: JsonObject) -> JsonObject:
    """A user with what the Directory tells of them."""
    found = find_user(call.world, str(user.get("name", "")).removeprefix("users/"))
    if found is None:
        return user
    email = str(found["primaryEmail"])
    names = {"displayName": (found.get("name") or {}).get("fullName") or email, "email": email}
    return {**user, "name": f"users/{found['id']}", "type": "HUMAN", **names}


def is_caller(call: Call, user: JsonObject | None) -> bool:
    """Whether a user is the caller; nobody is everybody."""
    return not user or bool(with_names(call, user)["name"] == person(call)["name"])


def _names_of(world: World, name: str) -> Sequence[str]:
    """The names by which memberships may mean a user: id, address, and the groups they are in."""
    user = find_user(world, name.removeprefix("users/"))
    if user is None:
        return (name,)
    ident = str(user["id"])
    groups = [f"groups/{each}" for each in groups_of_member(world, ident)]
    return (f"users/{ident}", f"users/{user['primaryEmail']}", *groups)


def spaces_of(world: World, name: str) -> Sequence[str]:
    """The names of the spaces that a user is a member of."""
    table = world.table(MEMBERS)
    several = [table.find(_BY_USER, each).row_keys() for each in _names_of(world, name)]
    return list(dict.fromkeys(parent_of(key, 2) for keys in several for key in keys))


def membership_key(world: World, space: str, name: str) -> str | None:
    """The key of a user's membership of a space, or None."""
    table = world.table(MEMBERS)
    several = (table.first(_BY_SPACE_AND_USER, (space, each)) for each in _names_of(world, name))
    return next((each for each in several if each is not None), None)


def require_space(call: Call, name: str) -> JsonObject:
    """A space that the caller is in.

    Raises:
        ApiError: 404; 403 for who is no member.
    """
    table = call.world.table(SPACES)
    row = table.get(name)
    if row is None:
        raise not_found(name=name, nearest=nearest(name, table))
    inside = is_open(call, name) or membership_key(call.world, name, str(person(call)["name"]))
    if not inside and not asks_as_admin(call):
        raise permission_denied()
    return row


def asks_as_admin(call: Call) -> bool:
    """Whether a call asks with the rights of an administrator, which its caller has."""
    if call.params.get("useAdminAccess") is not True:
        return False
    email = call.caller.email or admin_email(call.world)
    user = find_user(call.world, email) or {}
    return email == admin_email(call.world) or bool(user.get("isAdmin"))


def check_manager(call: Call, space: str) -> None:
    """Refuse who may not manage a space; raises ApiError: 403."""
    key = membership_key(call.world, space, str(person(call)["name"]))
    row = call.world.table(MEMBERS).get(key or "") or {}
    kind = (call.world.table(SPACES).get(space) or {}).get("spaceType", "SPACE")
    is_manager = not key or kind != "SPACE" or row.get("role", "ROLE_MANAGER") != "ROLE_MEMBER"
    if not is_manager and not asks_as_admin(call):
        raise permission_denied()


# spaces


def space_view(call: Call, row: JsonObject) -> JsonObject:
    """A space as its members see it."""
    name, table = str(row["name"]), call.world.table(MEMBERS)
    counts = {
        field: number
        for field, kind in _COUNTS.items()
        if (number := len(table.find(_COUNTED, (name, kind))))
    }
    return {**row, **({"membershipCount": counts} if counts else {})}


def put_space(call: Call, given: JsonObject) -> str:
    """Put a new space, whose first member the caller is; its name.

    Raises:
        ApiError: 400 for a space that cannot be, 409 for a name that is taken.
    """
    world, kind = call.world, str(given.get("spaceType") or "")
    if kind not in _THREADING:
        raise invalid("The spaceType must be one of SPACE, GROUP_CHAT and DIRECT_MESSAGE.")
    title = str(given.get("displayName") or "")
    if (kind == "SPACE") != bool(title):
        verb = "is required for" if kind == "SPACE" else "cannot be set for"
        raise invalid(f"Display name {verb} spaces of type {kind}.", location="space.display_name")
    if title and world.table(SPACES).first(_BY_TITLE, title) is not None:
        raise duplicate(f"A space with the display name '{title}' exists already.")
    now = rfc3339(world.clock.now())
    ident = f"AAAA{world.ids.base36('space', 7)}"
    word, old = ("room", "ROOM") if kind == "SPACE" else ("dm", "DM")
    row = {
        "name": f"spaces/{ident}", "type": old, "spaceType": kind,
        "spaceThreadingState": _THREADING[kind], "spaceHistoryState": "HISTORY_ON",
        "externalUserAllowed": False, "createTime": now, "lastActiveTime": now,
        "spaceUri": f"https://chat.google.com/{word}/{ident}?cls=11",
        **{name: given[name] for name in _GIVEN if name in given},
    }  # fmt: skip
    world.put(SPACES, str(row["name"]), row)
    role = "ROLE_MANAGER" if kind == "SPACE" else "ROLE_MEMBER"
    put_member(call, str(row["name"]), {"member": person(call)}, role)
    return str(row["name"])


def create_space(call: Call) -> JsonObject:
    """Answers `spaces.create`; a request that is sent again answers with the space it made."""
    known = call.params.get("requestId") or None
    key = f"{person(call)['name']}/requests/{known}"
    made = call.world.table(f"{SPACES}/requests").get(key)
    name = str(made["name"]) if known and made else put_space(call, call.body)
    if known and not made:
        call.world.put(f"{SPACES}/requests", key, {"name": name})
    return space_view(call, call.world.table(SPACES).rows()[name])


def set_up_space(call: Call) -> JsonObject:
    """Answers `spaces.setup`: a space with its members; a direct message is made once.

    Raises:
        ApiError: 400 for members that do not fit the kind of space, 404 for unknown ones.
    """
    given, invited = call.body.get("space") or {}, call.body.get("memberships") or []
    kind = given.get("spaceType")
    if len(invited) > _MOST_INVITED:
        raise invalid(f"At most {_MOST_INVITED} memberships can be set.", location="memberships")
    members = [_named_member(call, each) for each in invited]
    if kind == "DIRECT_MESSAGE":
        if len(members) + bool(given.get("singleUserBotDm")) != 1:
            raise invalid("A direct message has exactly one other member.", location="memberships")
        found = members and _direct_message(call, _member_name(members[0]))
        if found:
            return space_view(call, found)
    if kind == "GROUP_CHAT" and len(members) < 2:
        raise invalid("A group chat needs at least two other members.", location="memberships")
    name = put_space(call, given)
    for each in members:
        put_member(call, name, each, "ROLE_MEMBER")
    return space_view(call, call.world.table(SPACES).rows()[name])


def _direct_message(call: Call, other: str) -> JsonObject | None:
    """The direct message of the caller and another user, or None."""
    own, table = str(person(call)["name"]), call.world.table(SPACES)
    for name in spaces_of(call.world, other):
        row = table.get(name) or {}
        if row.get("spaceType") == "DIRECT_MESSAGE" and membership_key(call.world, name, own):
            return row
    return None


def find_direct_message(call: Call) -> JsonObject:
    """Answers `spaces.findDirectMessage`; raises ApiError: 404 for none."""
    name = str(call.params.get("name") or "")
    if not name:
        raise invalid("The field name is required.", location="name")
    found = _direct_message(call, str(person(call, name)["name"]))
    if found is None:
        raise not_found(name=name)
    return space_view(call, found)


def find_group_chats(call: Call) -> JsonObject:
    """Answers `spaces.findGroupChats`: those of the caller and these users, and nobody else."""
    wanted = {str(person(call, each)["name"]) for each in call.params.get("users") or ()}
    wanted.add(str(person(call)["name"]))
    table, found = call.world.table(SPACES), []
    for name in spaces_of(call.world, str(person(call)["name"])):
        row = table.get(name) or {}
        if row.get("spaceType") != "GROUP_CHAT" or wanted != {*_humans(call, name)}:
            continue
        full = call.params.get("spaceView") == "SPACE_VIEW_EXPANDED"
        found.append(space_view(call, row) if full else {"name": name})
    return list_page(call, "spaces", found, _PAGES)


def _humans(call: Call, space: str) -> Iterator[str]:
    members = call.world.table(MEMBERS)
    for row in members.find(_COUNTED, (space, "HUMAN")):
        yield str(with_names(call, row["member"])["name"])


def read_space(call: Call) -> JsonObject:
    """Answers `spaces.get`."""
    return space_view(call, require_space(call, str(call.params["name"])))


def list_spaces(call: Call) -> JsonObject:
    """Answers `spaces.list`: the spaces that the caller is in."""
    answer = call.answer_by_conventions()
    shown = [space_view(call, row) for row in answer.get("spaces") or ()]
    return {**answer, **({"spaces": shown} if shown else {})}


def change_space(call: Call) -> JsonObject:
    """Answers `patch`, which managers may."""
    name = str(call.params["name"])
    require_space(call, name)
    check_manager(call, name)
    if not call.params.get("updateMask"):
        raise invalid("The field update_mask is required.", location="update_mask")
    call.answer_by_conventions()
    return space_view(call, call.world.table(SPACES).rows()[name])


def delete_space(call: Call) -> JsonObject:
    """Answers `delete`: what is in a space goes with it."""
    name = str(call.params["name"])
    require_space(call, name)
    check_manager(call, name)
    for table in (MEMBERS, MESSAGES, REACTIONS):
        for key in list(call.world.table(table).starting(BY_KEY, f"{name}/").row_keys()):
            call.world.delete(table, key)
    call.world.delete(SPACES, name)
    return {}


def complete_import(call: Call) -> JsonObject:
    """Answers `completeImport`: the space is seen by its members from now on."""
    row = require_space(call, str(call.params["name"]))
    after = {name: each for name, each in row.items() if not name.startswith("importMode")}
    call.world.put(SPACES, str(row["name"]), after)
    return {"space": space_view(call, after)}


# members


def _named_member(call: Call, given: JsonObject) -> JsonObject:
    """A membership as it is kept: of a user or a group of the Directory; raises ApiError."""
    group = given.get("groupMember")
    if group:
        name = str(group.get("name", ""))
        found = find_group(call.world, name.removeprefix("groups/"))
        if found is None:
            raise not_found(name=name)
        return {"groupMember": {"name": f"groups/{found['id']}"}}
    member = given.get("member") or {}
    if not member.get("name"):
        raise invalid("The member must be set.", location="membership.member")
    if member.get("type") == "BOT":
        own = person(call)
        is_own = member["name"] == "users/app" and own["type"] == "BOT"
        return {"member": {"name": (own if is_own else member)["name"], "type": "BOT"}}
    return {"member": person(call, str(member["name"]))}


def put_member(call: Call, space: str, member: JsonObject, role: str) -> JsonObject:
    """Put a membership of a space, and answer it."""
    ident = _member_name(member).rpartition("/")[2]
    row = {
        "name": f"{space}/members/{ident}", "state": "JOINED", "role": role, **member,
        "createTime": rfc3339(call.world.clock.now()),
    }  # fmt: skip
    call.world.put(MEMBERS, str(row["name"]), row)
    return row


def _member_view(call: Call, row: JsonObject) -> JsonObject:
    return {**row, "member": with_names(call, row["member"])} if row.get("member") else row


def add_member(call: Call) -> JsonObject:
    """Answers `members.create`.

    Raises:
        ApiError: 400 for a direct message, 403 for who is no member, 404, 409 for who is one.
    """
    space = require_space(call, str(call.params["parent"]))
    if space.get("spaceType") == "DIRECT_MESSAGE":
        raise invalid("Members cannot be added to direct messages.", location="parent")
    member, name = _named_member(call, call.body), str(space["name"])
    if call.world.table(MEMBERS).first(_BY_SPACE_AND_USER, (name, _member_name(member))):
        raise duplicate(f"{_member_name(member)} is a member of {name} already.")
    if is_open(call, name):
        put_member(call, name, {"member": person(call)}, "ROLE_MANAGER")
    return _member_view(call, put_member(call, name, member, "ROLE_MEMBER"))


def _require_member(call: Call) -> JsonObject:
    """The membership that a call names, by its user's id or address; raises ApiError."""
    name = str(call.params["name"])
    space = parent_of(name, 2)
    require_space(call, space)
    table, ident = call.world.table(MEMBERS), name.rpartition("/")[2]
    user = str(person(call)["name"]) if ident == "app" else f"users/{ident}"
    row = table.get(name) or table.get(membership_key(call.world, space, user) or "")
    if row is None:
        raise not_found(name=name)
    return row


def read_member(call: Call) -> JsonObject:
    """Answers `members.get`."""
    return _member_view(call, _require_member(call))


def list_members(call: Call) -> JsonObject:
    """Answers `members.list`."""
    require_space(call, str(call.params["parent"]))
    answer = call.answer_by_conventions()
    shown = [_member_view(call, row) for row in answer.get("memberships") or ()]
    return {**answer, **({"memberships": shown} if shown else {})}


def change_member(call: Call) -> JsonObject:
    """Answers `members.patch`: managers change roles."""
    row = _require_member(call)
    check_manager(call, parent_of(str(row["name"]), 2))
    mask = str(call.params.get("updateMask") or "")
    if mask not in {"role", "*"}:
        raise invalid("The field update_mask must be 'role'.", location="update_mask")
    after = {**row, "role": call.body.get("role") or "ROLE_MEMBER"}
    call.world.put(MEMBERS, str(row["name"]), after)
    return _member_view(call, after)


def remove_member(call: Call) -> JsonObject:
    """Answers `members.delete`: of oneself, or by managers."""
    row = _require_member(call)
    if _member_name(row) != person(call)["name"]:
        check_manager(call, parent_of(str(row["name"]), 2))
    call.world.delete(MEMBERS, str(row["name"]))
    return _member_view(call, row)


def is_open(call: Call, space: str) -> bool:
    """Whether a space is open to all: nobody is told to be in it."""
    return call.world.table(MEMBERS).first(by_parent(2), (space,)) is None


def hidden_spaces(call: Call) -> set[str]:
    """The names of the spaces that have members, of whom the caller is none."""
    own = spaces_of(call.world, str(person(call)["name"]))
    told = {str(each) for (each,) in call.world.table(MEMBERS).values(by_parent(2))}
    return told.difference(own)


def visible_spaces(call: Call) -> Sequence[str]:
    """The names of the spaces that the caller sees."""
    hidden = hidden_spaces(call)
    return [each for each in call.world.table(SPACES).rows() if each not in hidden]

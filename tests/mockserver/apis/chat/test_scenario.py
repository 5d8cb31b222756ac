"""What three people and a program say in spaces, with every answer in whole."""

from datetime import timedelta
from typing import Any

from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

BOT = "bot@p.iam.gserviceaccount.com"
OLD = "spaces/OLD"
RESOURCES: JsonObject = {
    "spaces": [{"name": OLD, "spaceType": "SPACE", "displayName": "Old"},
               {"name": "spaces/IMPORT", "spaceType": "SPACE", "displayName": "Import",
                "importMode": True, "importModeExpireTime": "2026-04-01T00:00:00Z"}],
    "messages": [
        {"name": f"{OLD}/messages/m1.m1", "text": "Hello all", "createTime": "2026-03-01T08:00:00Z",
         "sender": {"name": "users/1", "type": "HUMAN"}, "thread": {"name": f"{OLD}/threads/m1"}},
        {"name": f"{OLD}/messages/m2", "text": "No sender", "createTime": "2026-03-01T09:00:00Z"},
    ],
}  # fmt: skip
FAIL = "REPLY_MESSAGE_OR_FAIL"
SPACE = {"spaceType": "SPACE", "displayName": "Plans"}


def scenario() -> Scenario:
    space = Workspace("chat", **{"chat:v1": RESOURCES})

    def ask(method: str, body: Any, who: str, /, **params: Any) -> Any:
        space.world.clock.advance(timedelta(minutes=1))
        return space.ask("chat:v1", f"chat.{method}", body, who, **params)

    call = Scenario(ask)
    name = _gather(call)
    _say(call, name)
    _react(call, name)
    _leave(call, name)
    return call


def user(address: str) -> JsonObject:
    return {"member": {"name": f"users/{address}", "type": "HUMAN"}}


def _gather(call: Scenario) -> str:
    name: str = call("spaces.create", SPACE, requestId="1")["name"]
    call("spaces.create", SPACE, requestId="1")
    for body in (
        SPACE,
        {"spaceType": "SPACE"},
        {"spaceType": "GROUP_CHAT", "displayName": "x"},
        {},
    ):
        call("spaces.create", body)
    group = {"groupMember": {"name": "groups/01grp000000"}}
    for member in (user(BO), user("1"), group, user("none@example.org"), {},
                   {"groupMember": {"name": "groups/none"}},
                   {"member": {"name": "users/app", "type": "BOT"}}):  # fmt: skip
        call("spaces.members.create", member, parent=name)
    for parent in (OLD, "spaces/NONE"):
        call("spaces.members.create", user(BO), parent=parent)
    for kind, members, more in (
        ("DIRECT_MESSAGE", [user(BO)], {}), ("DIRECT_MESSAGE", [user(BO)], {}),
        ("DIRECT_MESSAGE", [], {"singleUserBotDm": True}), ("DIRECT_MESSAGE", [], {}),
        ("DIRECT_MESSAGE", [user(BO)], {"singleUserBotDm": True}), ("GROUP_CHAT", [user(BO)], {}),
        ("GROUP_CHAT", [user(BO), user(CY)], {}), ("SPACE", [user(CY)], {"displayName": "Other"}),
        ("SPACE", [user(BO)] * 50, {"displayName": "Crowd"}),
    ):  # fmt: skip
        space = {"spaceType": kind, **more}
        call("spaces.setup", {"space": space, "memberships": members})
    for who in (BO, CY):
        call("spaces.findDirectMessage", who=who, name="users/0")
    call("spaces.findDirectMessage")
    call("spaces.findGroupChats", users=[f"users/{BO}", "users/2"])
    call("spaces.findGroupChats", users=["users/1", "users/2"], spaceView="SPACE_VIEW_EXPANDED")
    call("spaces.findGroupChats", users=["users/1"])
    call("spaces.list")
    call("spaces.list", who=CY, pageSize=1)
    for who in (ANN, CY, BOT):
        call("spaces.get", who=who, name=name)
        call("spaces.members.list", who=who, parent=name)
    call("spaces.get", name=name, useAdminAccess=True)
    for who, params in (
        (ANN, {"updateMask": "displayName"}),
        (ANN, {}),
        (BO, {"updateMask": "displayName"}),
    ):
        call("spaces.patch", {"displayName": "Plan"}, who=who, name=name, **params)
    call("spaces.completeImport", name="spaces/IMPORT")
    for ident in ("1", BO, "none", "app"):
        call("spaces.members.get", name=f"{name}/members/{ident}")
        call("spaces.members.patch", {"role": "ROLE_MANAGER"}, name=f"{name}/members/{ident}",
             updateMask="role")  # fmt: skip
    call("spaces.members.patch", {}, name=f"{name}/members/1", updateMask="*")
    call("spaces.members.patch", {}, name=f"{name}/members/1", updateMask="state")
    return name


def _say(call: Scenario, name: str) -> None:
    params: Any
    first = call("spaces.messages.create", {"text": "Hi <users/all>, <users/1>!"}, parent=name)
    for body, params in (
        ({"text": "One"}, {"messageId": "client-1", "requestId": "r"}),
        ({"text": "Two"}, {"requestId": "r"}),
        ({"text": "One"}, {"messageId": "client-1"}), ({"text": "One"}, {"messageId": "mine"}),
        ({}, {}), ({"text": "For <users/none>"}, {}), ({"cardsV2": [{"cardId": "c"}]}, {}),
        ({"text": "Re", "thread": first["thread"]}, {"messageReplyOption": FAIL}),
        ({"text": "New", "thread": {"threadKey": "k"}}, {"messageReplyOption": FAIL}),
        ({"text": "New", "thread": {"threadKey": "k"}},
         {"messageReplyOption": "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"}),
        ({"text": "Old"}, {"threadKey": "k", "messageReplyOption": FAIL}),
        ({"text": "Alone", "thread": first["thread"]}, {}),
        ({"text": "x", "attachment": [{"attachmentDataRef": {"resourceName": "a/b"}}]}, {}),
        ({"attachment": [{"driveDataRef": {"driveFileId": "f"}}]}, {}),
    ):  # fmt: skip
        call("spaces.messages.create", body, parent=name, **params)
    call("spaces.messages.create", {"cardsV2": [{"cardId": "c"}]}, who=BOT, parent=OLD)
    call("spaces.messages.create", {"text": "x"}, who=BOT, parent=name)
    for ident in ("client-1", "none"):
        call("spaces.messages.get", name=f"{name}/messages/{ident}")
    for params in ({}, {"orderBy": "createTime desc", "pageSize": 2}, {"showDeleted": True},
                   {"filter": 'createTime > "2026-03-02T10:00:00Z"'},
                   {"filter": f"thread.name = {first['thread']['name']}"}):  # fmt: skip
        call("spaces.messages.list", parent=name, **params)
    call("spaces.messages.list", parent=OLD)
    for who, body, mask in (
        (ANN, {"text": "Changed <users/2>"}, "text"), (ANN, {"text": ""}, "text"), (ANN, {}, ""),
        (BO, {"text": "Mine"}, "text"), (ANN, {"text": "x"}, "sender"), (ANN, {"text": "All"}, "*"),
    ):  # fmt: skip
        call("spaces.messages.patch", body, who=who, name=first["name"], updateMask=mask)
    call("spaces.messages.update", {"text": "Y"}, name=f"{OLD}/messages/m2", updateMask="text")


def _react(call: Scenario, name: str) -> None:
    message = f"{name}/messages/client-1"
    wave, wink = ({"emoji": {"unicode": each}} for each in "👋😉")
    own = {"emoji": {"customEmoji": {"name": "customEmojis/c"}}}
    for who, emoji in ((ANN, wave), (ANN, wave), (BO, wave), (BO, wink), (ANN, own), (ANN, {})):
        call("spaces.messages.reactions.create", emoji, who=who, parent=message)
    listed = call("spaces.messages.reactions.list", parent=message)["reactions"]
    call(
        "spaces.messages.reactions.list", parent=message, filter='emoji.unicode = "👋"', pageSize=1
    )
    for who in (CY, BO, ANN, ANN):
        call("spaces.messages.reactions.delete", who=who, name=listed[0]["name"])
    call("spaces.messages.get", name=message)
    call("users.spaces.getSpaceReadState", name=f"users/me/{name}/spaceReadState")
    state = {"lastReadTime": "2026-03-02T09:30:00Z"}
    where = {"name": f"users/me/{name}/spaceReadState"}
    call("users.spaces.updateSpaceReadState", state, **where, updateMask="lastReadTime")
    call("users.spaces.getSpaceReadState", **where)


def _leave(call: Scenario, name: str) -> None:
    messages = call("spaces.messages.list", parent=name)["messages"]
    for who, params in ((CY, {}), (ANN, {}), (ANN, {"force": True}), (ANN, {})):
        call("spaces.messages.delete", who=who, name=messages[0]["name"], **params)
    call("spaces.messages.list", parent=name, showDeleted=True, pageSize=1)
    for who, ident in ((BO, "0"), (BO, "1"), (ANN, "1"), (ANN, "0")):
        call("spaces.members.delete", who=who, name=f"{name}/members/{ident}")
    call("spaces.delete", who=BO, name=name)
    call("spaces.delete", name=OLD)
    call("spaces.messages.list", parent=OLD)
    call("spaces.list")


def test_people_say_what_was_written_down() -> None:
    check(__file__, scenario())

"""Methods of Chat, and what each user has one of: what they read, are told of, and are doing."""

from collections.abc import Mapping
from functools import partial

from mockserver.apis.chat import READ_STATES, messages, spaces
from mockserver.googleapi import Call, Handler, invalid, permission_denied
from mockserver.googleapi.batch_updates import with_masked_fields
from mockserver.model import JsonObject

_USUAL: Mapping[str, JsonObject] = {
    "spaceReadState": {},
    "threadReadState": {},
    "spaceNotificationSetting": {"notificationSetting": "ALL", "muteSetting": "UNMUTED"},
    "availability": {"state": "ACTIVE"},
}
"""What a user has one of, as it is before anything is written."""


def _single(call: Call) -> JsonObject:
    """What a call names of its caller, in the state that it is in; raises ApiError: 403, 404."""
    parts = str(call.params["name"]).split("/")
    user = str(spaces.person(call, "/".join(parts[:2]))["name"])
    if user != spaces.person(call)["name"]:
        raise permission_denied()
    if "spaces" in parts:
        spaces.require_space(call, "/".join(parts[2:4]))
    name, kind = "/".join([user, *parts[2:]]), parts[-1]
    row = call.world.table(f"chat:v1/{kind}").get(name)
    if row is None and kind == "threadReadState":
        above = call.world.table(READ_STATES).get(f"{user}/{'/'.join(parts[2:4])}/spaceReadState")
        row = {each: value for each, value in (above or {}).items() if each == "lastReadTime"}
    return {**_USUAL[kind], **(row or {}), "name": name}


def _change_single(call: Call) -> JsonObject:
    before, mask = _single(call), str(call.params.get("updateMask") or "")
    if not mask:
        raise invalid("The field update_mask is required.", location="update_mask")
    paths = ",".join(_CAMEL.get(each.strip(), each.strip()) for each in mask.split(","))
    after = {**with_masked_fields(before, call.body, paths), "name": before["name"]}
    return _put(call, after)


_CAMEL = {"last_read_time": "lastReadTime", "notification_setting": "notificationSetting",
          "mute_setting": "muteSetting", "custom_status": "customStatus"}  # fmt: skip


def _put(call: Call, row: JsonObject) -> JsonObject:
    name = str(row["name"])
    call.world.put(f"chat:v1/{name.rpartition('/')[2]}", name, row)
    return row


def _mark(state: str, call: Call) -> JsonObject:
    """Answers `markAs...`: the state of a user, and until when it holds."""
    row = {each: value for each, value in _single(call).items() if each != "doNotDisturbMetadata"}
    until = call.body.get("expireTime")
    if state == "DO_NOT_DISTURB" and until:
        row["doNotDisturbMetadata"] = {"expirationTime": until}
    return _put(call, {**row, "state": state})


HANDLERS: Mapping[str, Handler] = {
    "chat.spaces.create": spaces.create_space,
    "chat.spaces.setup": spaces.set_up_space,
    "chat.spaces.get": spaces.read_space,
    "chat.spaces.list": spaces.list_spaces,
    "chat.spaces.search": spaces.list_spaces,
    "chat.spaces.patch": spaces.change_space,
    "chat.spaces.delete": spaces.delete_space,
    "chat.spaces.completeImport": spaces.complete_import,
    "chat.spaces.findDirectMessage": spaces.find_direct_message,
    "chat.spaces.findGroupChats": spaces.find_group_chats,
    "chat.spaces.members.create": spaces.add_member,
    "chat.spaces.members.get": spaces.read_member,
    "chat.spaces.members.list": spaces.list_members,
    "chat.spaces.members.patch": spaces.change_member,
    "chat.spaces.members.delete": spaces.remove_member,
    "chat.spaces.messages.create": messages.create_message,
    "chat.spaces.messages.get": messages.read_message,
    "chat.spaces.messages.list": messages.list_messages,
    "chat.spaces.messages.patch": messages.change_message,
    "chat.spaces.messages.update": messages.change_message,
    "chat.spaces.messages.delete": messages.delete_message,
    "chat.spaces.messages.search": messages.search_messages,
    "chat.spaces.messages.attachments.get": messages.read_attachment,
    "chat.spaces.messages.reactions.create": messages.add_reaction,
    "chat.spaces.messages.reactions.list": messages.list_reactions,
    "chat.spaces.messages.reactions.delete": messages.delete_reaction,
    "chat.media.upload": messages.upload_attachment,
    "chat.users.spaces.getSpaceReadState": _single,
    "chat.users.spaces.updateSpaceReadState": _change_single,
    "chat.users.spaces.threads.getThreadReadState": _single,
    "chat.users.spaces.spaceNotificationSetting.get": _single,
    "chat.users.spaces.spaceNotificationSetting.patch": _change_single,
    "chat.users.availability.get": _single,
    "chat.users.availability.patch": _change_single,
    "chat.users.availability.markAsActive": partial(_mark, "ACTIVE"),
    "chat.users.availability.markAsAway": partial(_mark, "AWAY"),
    "chat.users.availability.markAsDoNotDisturb": partial(_mark, "DO_NOT_DISTURB"),
}

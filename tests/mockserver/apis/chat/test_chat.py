"""Spaces, their members and their messages, as users of one tenant see them."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError, Media
from tests.mockserver.apis.workspace import ANN, BO, CY, Workspace

ROBOT = "desk@example.iam.gserviceaccount.com"
ME = "users/me/spaces"


class Rooms(Workspace):
    """A world where Ann has a space with Bo."""

    def __init__(self, **resources: Any) -> None:
        super().__init__("chat", **resources)
        made = self.chat("spaces.create", {"spaceType": "SPACE", "displayName": "Till"})
        self.space = str(made["name"])
        self.chat("spaces.members.create", human(BO), parent=self.space)

    def chat(self, method: str, body: Any = None, who: str = ANN, **params: Any) -> Any:
        return self.ask("chat:v1", f"chat.{method}", body, who, **params)

    def say(self, text: str, who: str = ANN, **params: Any) -> Any:
        thread = params.pop("thread", {})
        body = {"text": text, "thread": thread}
        return self.chat("spaces.messages.create", body, who, parent=self.space, **params)

    def refused(self, status: int, method: str, *args: Any, **params: Any) -> str:
        with pytest.raises(ApiError) as caught:
            self.chat(method, *args, **params)
        assert caught.value.status == status
        return str(caught.value)


def human(address: str) -> Any:
    return {"member": {"name": f"users/{address}", "type": "HUMAN"}}


def test_a_space_is_seen_by_its_members_alone() -> None:
    rooms = Rooms()
    assert [each["displayName"] for each in rooms.chat("spaces.list", who=BO)["spaces"]] == ["Till"]
    assert rooms.chat("spaces.list", who=CY) == {}
    rooms.refused(403, "spaces.get", who=CY, name=rooms.space)
    rooms.refused(403, "spaces.messages.list", who=CY, parent=rooms.space)
    rooms.refused(403, "spaces.get", who=CY, name=rooms.space, useAdminAccess=True)
    rooms.refused(404, "spaces.get", name="spaces/none")
    shown = rooms.chat("spaces.get", who=BO, name=rooms.space)
    assert shown["membershipCount"] == {"joinedDirectHumanUserCount": 2}
    rooms.chat("spaces.delete", name=rooms.space)
    rooms.refused(404, "spaces.get", name=rooms.space)


def test_a_snapshots_space_without_members_is_open() -> None:
    told = {"name": "spaces/B", "spaceType": "SPACE", "displayName": "B"}
    bo = {"name": "spaces/C/members/1", "member": {"name": f"users/{BO}", "type": "HUMAN"}}
    rooms = Rooms(**{"chat:v1": {"spaces": [told, {**told, "name": "spaces/C"}], "members": [bo]}})

    def names(who: str) -> set[str]:
        return {each["name"] for each in rooms.chat("spaces.list", who=who)["spaces"]}

    assert names(CY) == {"spaces/B"}
    assert names(BO) == {"spaces/B", "spaces/C", rooms.space}
    assert rooms.chat("spaces.get", who=CY, name="spaces/B") == told
    rooms.chat("spaces.members.create", human(BO), parent="spaces/B")
    assert rooms.chat("spaces.list", who=CY) == {}


def test_members_are_users_of_the_directory() -> None:
    rooms = Rooms()
    several = rooms.chat("spaces.members.list", parent=rooms.space)["memberships"]
    assert [(each["member"]["email"], each["role"]) for each in several] == [
        (ANN, "ROLE_MANAGER"), (BO, "ROLE_MEMBER")]  # fmt: skip
    by_address = rooms.chat("spaces.members.get", name=f"{rooms.space}/members/{BO}")
    assert by_address["name"] == f"{rooms.space}/members/1"
    found = rooms.chat(
        "spaces.members.list", parent=rooms.space, filter='role = "ROLE_MANAGER"'
    )["memberships"]  # fmt: skip
    assert len(found) == 1
    rooms.chat("spaces.members.create", {"groupMember": {"name": "groups/01grp000000"}},
               parent=rooms.space)  # fmt: skip
    assert rooms.chat("spaces.list", who=CY)["spaces"]  # by the group
    members = rooms.chat("spaces.members.list", parent=rooms.space, showGroups=True)["memberships"]
    assert len(members) == 3
    name = f"{rooms.space}/members/{BO}"
    rooms.refused(
        403, "spaces.members.patch", {"role": "ROLE_MANAGER"}, BO, name=name, updateMask="role"
    )
    rooms.chat("spaces.members.patch", {"role": "ROLE_MANAGER"}, name=name, updateMask="role")
    rooms.chat("spaces.members.delete", who=BO, name=name)
    rooms.refused(404, "spaces.members.get", name=name)


REFUSED = [
    (400, "spaces.create", {"spaceType": "SPACE"}, {}),
    (400, "spaces.create", {"displayName": "No type"}, {}),
    (400, "spaces.create", {"spaceType": "GROUP_CHAT", "displayName": "Title"}, {}),
    (409, "spaces.create", {"spaceType": "SPACE", "displayName": "Till"}, {}),
    (400, "spaces.setup", {"space": {"spaceType": "DIRECT_MESSAGE"}}, {}),
    (400, "spaces.setup", {"space": {"spaceType": "GROUP_CHAT"}, "memberships": [human(BO)]}, {}),
    (400, "spaces.setup", {"space": {"spaceType": "SPACE"}, "memberships": [human(BO)] * 50}, {}),
    (404, "spaces.findDirectMessage", None, {"name": f"users/{CY}"}),
    (404, "spaces.members.create", human("nobody@example.com"), {"parent": "{space}"}),
    (404, "spaces.members.create", {"groupMember": {"name": "groups/x"}}, {"parent": "{space}"}),
    (409, "spaces.members.create", human(BO), {"parent": "{space}"}),
    (400, "spaces.members.create", {}, {"parent": "{space}"}),
    (400, "spaces.members.patch", {}, {"name": f"{{space}}/members/{BO}", "updateMask": "state"}),
    (400, "spaces.patch", {"displayName": "New"}, {"name": "{space}"}),
    (400, "spaces.messages.create", {}, {"parent": "{space}"}),
    (400, "spaces.messages.create", {"text": "a"}, {"parent": "{space}", "messageId": "mine"}),
    (400, "spaces.messages.create", {"cardsV2": [{"cardId": "c"}]}, {"parent": "{space}"}),
    (404, "spaces.messages.create", {"text": "<users/zed@example.com>"}, {"parent": "{space}"}),
    (404, "spaces.messages.create", {"text": "a", "thread": {"threadKey": "none"}},
     {"parent": "{space}", "messageReplyOption": "REPLY_MESSAGE_OR_FAIL"}),
    (400, "spaces.messages.create", {"attachment": [{"attachmentDataRef": {"resourceName": "x"}}]},
     {"parent": "{space}"}),
    (400, "spaces.messages.list", None, {"parent": "{space}", "orderBy": "sender"}),
    (400, "spaces.messages.search", {}, {"parent": "spaces/-"}),
    (400, "spaces.search", None, {"query": 'spaceType = "SPACE"', "useAdminAccess": True}),
    (400, "media.upload", {"filename": "a.txt"}, {"parent": "{space}"}),
    (403, "users.availability.get", None, {"name": f"users/{BO}/availability"}),
    (400, "users.availability.patch", {}, {"name": "users/me/availability"}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "method", "body", "params"), REFUSED)
def test_what_cannot_be_is_refused(status: int, method: str, body: Any, params: Any) -> None:
    rooms = Rooms()
    told = {name: str(each).replace("{space}", rooms.space) if isinstance(each, str) else each
            for name, each in params.items()}  # fmt: skip
    rooms.refused(status, method, body, **told)


def test_direct_messages_and_group_chats_are_made_once() -> None:
    rooms = Rooms()
    asked = {"space": {"spaceType": "DIRECT_MESSAGE"}, "memberships": [human(BO)]}
    made = rooms.chat("spaces.setup", asked)
    assert rooms.chat("spaces.setup", asked)["name"] == made["name"]
    assert (
        rooms.chat("spaces.findDirectMessage", who=BO, name=f"users/{ANN}")["name"] == made["name"]
    )
    rooms.refused(400, "spaces.members.create", human(CY), parent=made["name"])
    group = {"space": {"spaceType": "GROUP_CHAT"}, "memberships": [human(BO), human(CY)]}
    chat = rooms.chat("spaces.setup", group)
    users = [f"users/{BO}", f"users/{CY}"]
    assert rooms.chat("spaces.findGroupChats", users=users)["spaces"] == [{"name": chat["name"]}]
    assert rooms.chat("spaces.findGroupChats", users=users[:1]) == {}
    full = rooms.chat("spaces.findGroupChats", users=users, spaceView="SPACE_VIEW_EXPANDED")
    assert full["spaces"] == [chat]
    guest = rooms.chat("spaces.members.create", human("eve@example.org"), parent=rooms.space)
    assert guest["member"]["name"].startswith("users/")
    bot = {"member": {"name": "users/app", "type": "BOT"}}
    assert rooms.chat("spaces.members.create", bot, parent=chat["name"])


def test_a_request_that_is_sent_again_makes_nothing_new() -> None:
    rooms, body = Rooms(), {"spaceType": "SPACE", "displayName": "Once"}
    first = rooms.chat("spaces.create", body, requestId="r")
    assert rooms.chat("spaces.create", body, requestId="r") == first
    assert rooms.say("a", requestId="m")["name"] == rooms.say("a", requestId="m")["name"]


def test_spaces_are_searched_changed_and_imported() -> None:
    rooms = Rooms()
    of_type = 'space_type = "SPACE"'
    assert "spaces" not in rooms.chat(
        "spaces.search", who=CY, query=f'display_name:"ti" AND {of_type}'
    )
    by_member = rooms.chat("spaces.search", who=BO, query=f'display_name:"Til" AND {of_type}')
    by_admin = rooms.chat("spaces.search", useAdminAccess=True,
                          query=f'customer = "customers/my_customer" AND {of_type}')  # fmt: skip
    assert by_member["spaces"] == by_admin["spaces"]
    rooms.refused(
        403, "spaces.patch", {"displayName": "No"}, BO, name=rooms.space, updateMask="displayName"
    )
    changed = rooms.chat(
        "spaces.patch", {"displayName": "New"}, name=rooms.space, updateMask="displayName"
    )
    assert changed["displayName"] == "New"
    made = rooms.chat(
        "spaces.create", {"spaceType": "SPACE", "displayName": "Old", "importMode": True}
    )
    assert "importMode" not in rooms.chat("spaces.completeImport", name=made["name"])["space"]


def test_messages_are_in_threads() -> None:
    rooms = Rooms()
    first = rooms.say("Stock?", thread={"threadKey": "k"}, messageId="client-a",
                      messageReplyOption="REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD")  # fmt: skip
    assert first["thread"]["threadKey"] == "k"
    reply = rooms.say("None", BO, threadKey="k", messageReplyOption="REPLY_MESSAGE_OR_FAIL")
    assert reply["thread"] == first["thread"]
    assert reply["threadReply"]
    other = rooms.say("Else", thread=first["thread"])  # no option begins a thread
    assert other["thread"] != first["thread"]
    own = f"{rooms.space}/messages/client-a"
    assert rooms.chat("spaces.messages.get", name=own)["name"] == first["name"]
    rooms.refused(
        409, "spaces.messages.create", {"text": "b"}, parent=rooms.space, messageId="client-a"
    )
    listed = rooms.chat("spaces.messages.list", parent=rooms.space, orderBy="DESC",
                        filter=f"thread.name = {first['thread']['name']}")  # fmt: skip
    assert {each["text"] for each in listed["messages"]} == {"Stock?", "None"}
    rooms.refused(400, "spaces.messages.delete", name=own)
    rooms.chat("spaces.messages.delete", name=own, force=True)
    rooms.refused(404, "spaces.messages.get", name=own)
    left = rooms.chat("spaces.messages.list", parent=rooms.space)["messages"]
    assert [each["text"] for each in left] == ["Else"]
    gone = rooms.chat("spaces.messages.list", parent=rooms.space, showDeleted=True)["messages"]
    assert sum("deleteTime" in each for each in gone) == 2


def test_who_wrote_a_message_may_change_it() -> None:
    rooms = Rooms()
    made = rooms.say(f"Hi <users/{BO}>, <users/all>")
    assert made["text"] == "Hi @Bo Example, @all"
    assert [each["startIndex"] for each in made["annotations"]] == [3, 16]
    name = made["name"]
    rooms.refused(403, "spaces.messages.patch", {"text": "x"}, BO, name=name, updateMask="text")
    rooms.refused(400, "spaces.messages.patch", {"text": "x"}, name=name)
    rooms.refused(400, "spaces.messages.patch", {"text": "x"}, name=name, updateMask="sender")
    changed = rooms.chat("spaces.messages.update", {"text": "Ho"}, name=name, updateMask="text")
    assert (changed["text"], "annotations" in changed) == ("Ho", False)
    assert changed["lastUpdateTime"]
    rooms.chat("spaces.members.create", human(CY), parent=rooms.space)
    rooms.refused(403, "spaces.messages.delete", who=CY, name=name)
    theirs = rooms.say("Mine", CY)
    rooms.chat("spaces.messages.delete", name=theirs["name"])  # a manager may


def test_reactions_are_counted_on_their_message() -> None:
    rooms = Rooms()
    name, thumb = rooms.say("Done")["name"], {"emoji": {"unicode": "\U0001f44d"}}
    made = rooms.chat("spaces.messages.reactions.create", thumb, parent=name)
    rooms.chat("spaces.messages.reactions.create", thumb, BO, parent=name)
    rooms.refused(409, "spaces.messages.reactions.create", thumb, parent=name)
    rooms.refused(400, "spaces.messages.reactions.create", {}, parent=name)

    def count() -> Any:
        return rooms.chat("spaces.messages.get", name=name).get("emojiReactionSummaries")

    assert count()[0]["reactionCount"] == 2
    listed = rooms.chat("spaces.messages.reactions.list", parent=name,
                        filter='user.name = "users/1"')["reactions"]  # fmt: skip
    assert [each["user"]["email"] for each in listed] == [BO]
    rooms.refused(403, "spaces.messages.reactions.delete", who=BO, name=made["name"])
    rooms.chat("spaces.messages.reactions.delete", name=made["name"])
    rooms.refused(404, "spaces.messages.reactions.delete", name=made["name"])
    rooms.chat("spaces.messages.reactions.delete", who=BO, name=listed[0]["name"])
    assert count() is None


SEARCHES = [
    ("stock", {"Stock is low", "stock again"}),
    ('"is low"', {"Stock is low"}),
    (f"sender.name = users/{BO}", {"stock again"}),
    ("has_link()", {"See https://example.com"}),
    ("space.display_name:till AND stock", {"Stock is low", "stock again"}),
    ('space.display_name:nowhere stock', set()),
    ('space.space_type = "SPACE" stock', {"Stock is low", "stock again"}),
    (f"annotations.user_mentions.user.name:users/{BO}", {"@Bo Example come"}),
    ("is_unread() stock", {"Stock is low", "stock again"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), SEARCHES)
def test_messages_are_searched(text: str, found: set[str]) -> None:
    rooms = Rooms()
    for words, who in (("Stock is low", ANN), ("stock again", BO), ("See https://example.com", ANN),
                       (f"<users/{BO}> come", ANN)):  # fmt: skip
        rooms.say(words, who)
    for parent in ("spaces/-", rooms.space):
        answer = rooms.chat("spaces.messages.search", {"filter": text}, parent=parent)
        assert {each["message"]["text"] for each in answer.get("results", ())} == found
    assert rooms.chat("spaces.messages.search", {"filter": text}, CY, parent="spaces/-") == {}


def test_what_was_read_is_no_longer_found() -> None:
    rooms = Rooms()
    rooms.say("stock")
    name = f"{ME}/{rooms.space.partition('/')[2]}/spaceReadState"
    later = {"lastReadTime": "2030-01-01T00:00:00Z"}
    state = rooms.chat("users.spaces.updateSpaceReadState", later,
                       name=name, updateMask="lastReadTime")  # fmt: skip
    assert state["name"] == f"users/0/{rooms.space}/spaceReadState"
    assert rooms.chat("users.spaces.getSpaceReadState", name=name) == state
    thread = f"{ME}/{rooms.space.partition('/')[2]}/threads/t/threadReadState"
    read = rooms.chat("users.spaces.threads.getThreadReadState", name=thread)
    assert read["lastReadTime"] == state["lastReadTime"]
    asked = {"filter": "is_unread()"}
    assert rooms.chat("spaces.messages.search", asked, parent="spaces/-") == {}


def test_users_say_what_they_are_doing() -> None:
    rooms, name = Rooms(), "users/me/availability"
    assert rooms.chat("users.availability.get", name=name)["state"] == "ACTIVE"
    until = {"expireTime": "2026-03-02T10:00:00Z"}
    busy = rooms.chat("users.availability.markAsDoNotDisturb", until, name=name)
    assert busy["doNotDisturbMetadata"] == {"expirationTime": "2026-03-02T10:00:00Z"}
    assert "doNotDisturbMetadata" not in rooms.chat("users.availability.markAsAway", {}, name=name)
    status = {"customStatus": {"text": "Lunch"}}
    told = rooms.chat("users.availability.patch", status, name=name, updateMask="custom_status")
    assert (told["state"], told["customStatus"]) == ("AWAY", {"text": "Lunch"})


def test_an_app_sends_cards_and_attachments_are_named() -> None:
    rooms = Rooms()
    bot = {"member": {"name": f"users/{ROBOT}", "type": "HUMAN"}}
    rooms.chat("spaces.members.create", bot, parent=rooms.space)
    card = {"cardsV2": [{"cardId": "c"}]}
    made = rooms.chat("spaces.messages.create", card, ROBOT, parent=rooms.space)
    assert made["sender"]["type"] == "BOT"
    rooms.media = Media(b"a,b", "text/csv")
    data = rooms.chat("media.upload", {"filename": "a.csv"}, parent=rooms.space)[
        "attachmentDataRef"
    ]
    rooms.media = None
    sent = rooms.chat("spaces.messages.create", {"attachment": [{"attachmentDataRef": data}]},
                      parent=rooms.space)  # fmt: skip
    [one] = sent["attachment"]
    assert (one["contentName"], one["contentType"]) == ("a.csv", "text/csv")
    assert rooms.chat("spaces.messages.attachments.get", name=one["name"]) == one
    rooms.refused(404, "spaces.messages.attachments.get", name=f"{sent['name']}/attachments/9")

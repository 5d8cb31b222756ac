"""What goes on between mailboxes: drafts, threads, delivery, filters, history, settings."""

import json
from base64 import b64decode, urlsafe_b64decode
from collections.abc import Callable
from email import message_from_bytes, policy
from typing import Any

import pytest

from mockserver.apis.gmail import API
from mockserver.apis.gmail.mime import encode_base64url, mime_of
from mockserver.googleapi import ApiError, Call, Caller
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.gmail.conftest import raw
from tests.tenants import world

Ask = Callable[..., Any]
ANN, BO = "admin@example.com", "bo@example.com"
QUESTION = "From: bo@example.com\r\nSubject: Lunch\r\nMessage-ID: <q@x>\r\n\r\nNow?"
REPLY = "To: {}\r\nSubject: {}\r\nIn-Reply-To: <q@x>\r\n\r\nYes"
RESOURCES = {
    "gmail:v1": {
        "messages": [
            {"id": "q", **raw(QUESTION), "labelIds": ["INBOX"], "userId": ANN},
            {"id": "r", **raw(REPLY.format(BO, "Re: Lunch")), "labelIds": ["SENT"], "userId": ANN},
        ],
        "drafts": [{"id": "d1", "message": raw("To: bo@example.com\r\nSubject: Old\r\n\r\nx")}],
        "filters": [
            {"id": "f1", "criteria": {"from": "spam"}, "action": {"addLabelIds": ["SPAM"]}}
        ],
    }
}


@pytest.fixture
def tenant() -> World:
    made = world(API, resources=RESOURCES)
    for number, address in enumerate((ANN, BO, "cy@example.com")):
        user = {"id": f"{number}", "primaryEmail": address, "name": {"fullName": address[:2]}}
        made.put("users", f"{number}", user)
    member = {"groupId": "01grp000000", "member": {"id": "2", "email": "cy@example.com"}}
    made.put("members", "01grp000000/2", member)
    return made


@pytest.fixture
def call(tenant: World) -> Ask:
    def answer(method: str, body: JsonObject | None = None, who: str = ANN, **params: Any) -> Any:
        name = f"gmail.users.{method}"
        asked = Call(name, {"userId": "me", **params}, body or {}, tenant, caller=Caller("", who))
        return API.handlers[name](asked) or {}

    return answer


def subjects(call: Ask, who: str, label: str = "INBOX") -> list[str]:
    found = call("messages.list", who=who, labelIds=[label]).get("messages", [])
    read = [call("messages.get", who=who, id=each["id"]) for each in found]
    return [
        header["value"] for each in read for header in each["payload"]["headers"]
        if header["name"] == "Subject"
    ]  # fmt: skip


def test_a_mail_arrives_at_those_it_is_for(call: Ask) -> None:
    text = f"To: {BO}\r\nCc: sre@example.com\r\nBcc: cy@example.com\r\nSubject: All\r\n\r\nHi"
    sent = call("messages.send", raw(text))
    whole = message_from_bytes(
        urlsafe_b64decode(call("messages.get", id=sent["id"], format="raw")["raw"])
    )
    assert (whole["From"], whole["Bcc"]) == (ANN, "cy@example.com")
    assert [subjects(call, who) for who in (BO, "cy@example.com")] == [["All"], ["All"]]
    (got,) = call("messages.list", who=BO, labelIds=["INBOX", "UNREAD"])["messages"]
    headers = call("messages.get", who=BO, id=got["id"])["payload"]["headers"]
    assert "Bcc" not in {each["name"] for each in headers}
    own = call("messages.send", raw(f"To: {ANN}\r\nSubject: Note\r\n\r\nx"))
    assert own["labelIds"] == ["SENT", "INBOX", "UNREAD"]


@pytest.mark.parametrize(("subject", "joined"), [("Re: Lunch", True), ("Dinner", False)])
def test_replies_join_the_thread_that_they_answer(call: Ask, subject: str, joined: bool) -> None:
    sent = call("messages.send", raw(REPLY.format(BO, subject)))
    assert (sent["threadId"] == "q") is joined
    assert len(call("threads.get", id="q")["messages"]) == 2 + joined


def test_a_draft_is_a_message_until_it_is_sent(call: Ask) -> None:
    text = "To: bo@example.com\r\nSubject: {}\r\n\r\nx"
    made = call("drafts.create", {"message": raw(text.format("One"))})
    assert made["message"]["labelIds"] == ["DRAFT"]
    after = call("drafts.update", {"message": raw(text.format("Two"))}, id=made["id"])
    assert (after["id"], after["message"]["id"] != made["message"]["id"]) == (made["id"], True)
    read = call("drafts.get", id=made["id"])["message"]
    assert "raw" not in read
    assert subjects(call, ANN, "DRAFT") == ["Two", "Old"]
    assert [each["id"] for each in call("drafts.list", q="subject:two")["drafts"]] == [made["id"]]
    sent = call("drafts.send", {"id": made["id"]})
    assert (sent["labelIds"], subjects(call, BO)) == (["SENT"], ["Two"])
    call("drafts.delete", id="d1")
    assert call("drafts.list") == {"resultSizeEstimate": 0}
    with pytest.raises(ApiError, match="not found"):
        call("drafts.send", {"id": made["id"]})


def test_history_tells_what_happened_to_messages(call: Ask) -> None:
    start = call("getProfile")["historyId"]
    call("messages.modify", {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}, id="q")
    sent = call("messages.send", raw("To: bo@example.com\r\nSubject: New\r\n\r\nx"))
    call("messages.delete", id="r")
    told = call("history.list", startHistoryId=start)
    kinds = [next(key for key in each if key not in {"id", "messages"}) for each in told["history"]]
    assert kinds == ["labelsAdded", "labelsRemoved", "messagesAdded", "messagesDeleted"]
    assert told["historyId"] == call("getProfile")["historyId"]
    asked = {"startHistoryId": start, "historyTypes": ["messageAdded"], "labelId": "SENT"}
    (added,) = call("history.list", **asked)["history"]
    assert added["messagesAdded"][0]["message"]["id"] == sent["id"]
    with pytest.raises(ApiError, match="startHistoryId"):
        call("history.list")


def test_filters_and_forwarding_work_on_what_arrives(call: Ask) -> None:
    text = "To: bo@example.com\r\nSubject: {}\r\n\r\nx"
    action = {"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}
    made = call(
        "settings.filters.create", {"criteria": {"subject": "bill"}, "action": action}, who=BO
    )
    assert call("settings.filters.get", who=BO, id=made["id"])["action"] == action
    for subject in ("A bill", "News"):
        call("messages.send", raw(text.format(subject)))
    assert [subjects(call, BO, each) for each in ("STARRED", "INBOX")] == [["A bill"], ["News"]]
    away = {"enabled": True, "emailAddress": "cy@example.com", "disposition": "archive"}
    with pytest.raises(ApiError, match="forwarding address"):
        call("settings.updateAutoForwarding", away, who=BO)
    call("settings.forwardingAddresses.create", {"forwardingEmail": "cy@example.com"}, who=BO)
    call("settings.updateAutoForwarding", away, who=BO)
    call("messages.send", raw(text.format("More")))
    assert [subjects(call, who) for who in (BO, "cy@example.com")] == [["News"], ["More"]]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"criteria": {"from": "x"}}, "criteria and an action"),
        ({"criteria": {"from": "x"}, "action": {"addLabelIds": ["None"]}}, "Invalid label: None"),
        ({"criteria": {"from": "x"}, "action": {"forward": "x@y"}}, "forwarding address"),
        ({"criteria": {"query": "is:purple"}, "action": {"addLabelIds": ["SPAM"]}}, "purple"),
    ],
)
def test_filters_that_cannot_be_are_refused(call: Ask, body: JsonObject, message: str) -> None:
    with pytest.raises(ApiError, match=message):
        call("settings.filters.create", body)


def test_settings_are_kept(call: Ask) -> None:
    assert call("settings.getVacation")["enableAutoReply"] is False
    call("settings.updateVacation", {"enableAutoReply": True, "responseSubject": "Away"})
    assert call("settings.getVacation")["responseSubject"] == "Away"
    assert [each["id"] for each in call("settings.filters.list")["filter"]] == ["f1"]
    call("settings.filters.delete", id="f1")
    assert call("settings.filters.list") == {}
    (primary,) = call("settings.sendAs.list")["sendAs"]
    assert (primary["sendAsEmail"], primary["displayName"], primary["isPrimary"]) == (
        ANN,
        "ad",
        True,
    )
    signed = call("settings.sendAs.patch", {"signature": "Ann"}, sendAsEmail=ANN)
    assert signed == call("settings.sendAs.get", sendAsEmail=ANN)
    refusals: list[tuple[str, JsonObject, JsonObject]] = [
        ("sendAs.delete", {}, {"sendAsEmail": ANN}),
        ("sendAs.create", {"sendAsEmail": "nobody"}, {}),
        ("sendAs.create", {"sendAsEmail": ANN}, {}),
        ("delegates.get", {}, {"delegateEmail": BO}),
    ]
    for method, body, params in refusals:
        with pytest.raises(ApiError):
            call(f"settings.{method}", body, **params)


def test_a_delegate_reads_the_mailbox(call: Ask) -> None:
    with pytest.raises(ApiError, match="Delegation denied"):
        call("messages.list", who=BO, userId=ANN)
    call("settings.delegates.create", {"delegateEmail": BO})
    assert call("messages.list", who=BO, userId=ANN)["resultSizeEstimate"] == 3


def test_a_message_of_parts_is_answered_in_mime() -> None:
    text = {"mimeType": "text/plain", "body": {"data": encode_base64url("Grüezi".encode())}}
    file = {"mimeType": "application/pdf", "filename": "a.pdf", "body": {"data": "YWJj"}}
    headers = [{"name": "Subject", "value": "Zürich"}]
    made = mime_of({"mimeType": "multipart/mixed", "headers": headers, "parts": [text, file]})
    first, second = message_from_bytes(made, policy=policy.default).iter_parts()
    assert first.get_content() == "Grüezi"
    assert (second.get_filename(), second.get_content()) == ("a.pdf", b"abc")
    assert mime_of({}) == b""


AWAY: JsonObject = {
    "enableAutoReply": True,
    "responseSubject": "Away",
    "responseBodyPlainText": "Back on Monday",
    "responseBodyHtml": "<p>Back on Monday</p>",
}


@pytest.mark.parametrize(
    ("settings", "header", "replies"),
    [
        ({}, "", ["Away"]),
        ({"responseSubject": ""}, "", ["Re: Hi"]),
        ({"enableAutoReply": False}, "", []),
        ({"endTime": "1000"}, "", []),
        ({"restrictToContacts": True}, "", []),
        ({"restrictToDomain": True}, "", ["Away"]),
        ({}, "Auto-Submitted: auto-generated\r\n", []),
    ],
)
def test_who_is_away_replies_once(
    call: Ask, settings: JsonObject, header: str, replies: list[str]
) -> None:
    call("settings.updateVacation", {**AWAY, **settings}, who=BO)
    for _ in range(2):
        call("messages.send", raw(f"To: {BO}\r\nSubject: Hi\r\n{header}\r\nx"))
    assert subjects(call, ANN) == [*replies, "Lunch"]
    for each in call("messages.list", labelIds=["INBOX"])["messages"][:-1]:
        headers = call("messages.get", id=each["id"])["payload"]["headers"]
        told = {one["name"]: one["value"] for one in headers}
        assert (told["Auto-Submitted"], "In-Reply-To" in told) == ("auto-replied", True)


@pytest.mark.parametrize("kind", ["people", "connections"])
def test_who_is_away_replies_to_contacts(tenant: World, call: Ask, kind: str) -> None:
    known = {"resourceName": "people/c1", "emailAddresses": [{"value": ANN.title()}]}
    tenant.put(f"people:v1/{kind}", "people/c1", known)
    call("settings.updateVacation", {**AWAY, "restrictToContacts": True}, who=BO)
    call("messages.send", raw(f"To: {BO}\r\nSubject: Hi\r\n\r\nx"))
    assert subjects(call, ANN) == ["Away", "Lunch"]


@pytest.mark.parametrize(
    ("start", "end", "replies"),
    [(0, 1, ["Away"]), (1, 2, []), (-1, 0, []), (-2, None, ["Away"]), (None, 1, ["Away"])],
)
def test_who_is_away_replies_from_the_start_to_before_the_end(
    tenant: World, call: Ask, start: int | None, end: int | None, replies: list[str]
) -> None:
    now = int(tenant.clock.now().timestamp() * 1000)
    times = {"startTime": start, "endTime": end}
    given = {name: str(now + each) for name, each in times.items() if each is not None}
    away = {**AWAY, **given}
    away.pop("responseBodyHtml")
    call("settings.updateVacation", away, who=BO)
    call("messages.send", raw(f"To: {BO}\r\nSubject: Hi\r\n\r\nx"))
    assert subjects(call, ANN) == [*replies, "Lunch"]
    inbox = call("messages.list", labelIds=["INBOX"])["messages"]
    kinds = [call("messages.get", id=each["id"])["payload"]["mimeType"] for each in inbox[:-1]]
    assert kinds == ["text/plain" for _ in replies]


def test_who_watches_a_mailbox_is_told_by_its_topic(tenant: World) -> None:
    published: list[JsonObject] = []
    topics = ["projects/p/topics/mail"]

    def invoke(
        method_id: str, params: JsonObject, body: JsonObject | None = None, media: Any = None
    ) -> JsonObject:
        assert method_id == "pubsub.projects.topics.publish"
        if params["topic"] not in topics:
            raise ApiError(404, f"Resource not found (resource={params['topic']}).")
        published.append(body or {})
        return {}

    def ask(method: str, body: JsonObject | None = None, who: str = BO) -> Any:
        name = f"gmail.users.{method}"
        asked = Call(
            name, {"userId": "me"}, body or {}, tenant, caller=Caller("", who), invoke=invoke
        )
        return API.handlers[name](asked) or {}

    for body in ({}, {"topicName": "projects/p/topics/none"}):
        with pytest.raises(ApiError, match="topic"):
            ask("watch", body)
    asked = {"topicName": topics[0], "labelIds": ["INBOX"], "labelFilterBehavior": "INCLUDE"}
    answer = ask("watch", asked)
    assert int(answer["expiration"]) > 0
    sent = raw(f"To: {BO}\r\nSubject: Hi\r\n\r\nx")
    ask("messages.send", sent, ANN)
    ask("messages.send", raw(f"To: {ANN}\r\nSubject: Hi\r\n\r\nx"))  # not in the inbox
    told = [json.loads(b64decode(each["messages"][0]["data"])) for each in published]
    assert [each["emailAddress"] for each in told] == [BO, BO]
    assert told[1]["historyId"] > int(answer["historyId"])
    topics.clear()
    ask("messages.send", sent, ANN)
    ask("stop")
    topics.append("projects/p/topics/mail")
    ask("messages.send", sent, ANN)
    assert len(published) == 2

"""Mailboxes that a snapshot holds: messages, threads, labels and attachments."""

from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest

from mockserver.apis.gmail import API
from mockserver.apis.gmail.mime import encode_base64url
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.gmail.conftest import HELLO, OLD
from tests.tenants import ask, refused, world

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]


def invoice() -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "shop@example.com", "admin@example.com"
    message["Subject"], message["Date"] = "Invoice", "Sun, 01 Mar 2026 10:00:00 +0100"
    message.set_content("The invoice is attached.")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="invoice.pdf")
    return message.as_bytes()


def mail(ident: str, subject: str, **more: Any) -> JsonObject:
    headers = [{"name": "Subject", "value": subject}, {"name": "From", "value": "bo@example.com"}]
    payload = {"mimeType": "text/plain", "headers": headers, "body": {"size": 2, "data": "SGk="}}
    return {"id": ident, "internalDate": "1772200000000", "payload": payload, **more}


INBOX = [
    mail("m1", "First", threadId="t1", labelIds=["INBOX", "UNREAD"]),
    mail("m2", "Re: First", threadId="t1", internalDate="1772300000000"),
    mail("m3", "Offer", labelIds=["SPAM"]),
    {"id": "m4", "raw": encode_base64url(invoice()), "labelIds": ["INBOX", "Label_7"]},
]
RESOURCES = {
    "gmail:v1": {
        "messages": INBOX,
        "users/bo@example.com/messages": [mail("b1", "For Bo")],
        "labels": [{"id": "Label_7", "name": "Bills"}],
    }
}


@pytest.fixture
def tenant() -> World:
    return world(API, sentMessages=[OLD], resources=RESOURCES)


@pytest.fixture
def call(tenant: World) -> Ask:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> Any:
        return ask(API, tenant, f"gmail.users.{method}", {"userId": "me", **params}, body or {})

    return answer


@pytest.fixture
def refusal(tenant: World) -> Refusal:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> ApiError:
        return refused(API, tenant, f"gmail.users.{method}", {"userId": "me", **params}, body or {})

    return answer


def ids(answer: JsonObject, key: str = "messages") -> list[str]:
    return [each["id"] for each in answer.get(key, ())]


def test_an_inbox_is_listed_with_what_was_sent_the_latest_first(call: Ask) -> None:
    assert ids(call("messages.list")) == ["m4", "m2", "m1", "18a0"]
    assert ids(call("messages.list", labelIds=["INBOX"])) == ["m4", "m2", "m1"]
    assert ids(call("messages.list", labelIds=["SPAM"], includeSpamTrash=True)) == ["m3"]
    assert ids(call("messages.list", q="subject:first from:bo")) == ["m2", "m1"]


def test_a_message_in_raw_form_is_read(call: Ask) -> None:
    read = call("messages.get", id="m4")
    assert read["internalDate"] == "1772355600000"
    assert read["snippet"] == "The invoice is attached."
    (text, attached) = read["payload"]["parts"]
    assert text["body"]["data"]
    assert attached["body"].keys() == {"attachmentId", "size"}
    found = call("messages.attachments.get", messageId="m4", id=attached["body"]["attachmentId"])
    assert found == {"size": 4, "data": encode_base64url(b"%PDF")}


def test_a_mailbox_of_another_is_not_seen(refusal: Refusal) -> None:
    assert refusal("messages.get", id="b1").status == 404
    assert refusal("messages.list", userId="bo@example.com").status == 403


def test_threads_are_their_messages(call: Ask, refusal: Refusal) -> None:
    assert ids(call("threads.list"), "threads") == ["m4", "t1", "18a0"]
    thread = call("threads.get", id="t1", format="minimal")
    assert [(each["id"], "payload" in each) for each in thread["messages"]] == [
        ("m1", False),
        ("m2", False),
    ]
    read = call("threads.modify", {"removeLabelIds": ["UNREAD", "INBOX"]}, id="t1")
    assert [each["labelIds"] for each in read["messages"]] == [[], []]
    call("threads.trash", id="t1")
    assert ids(call("threads.list"), "threads") == ["m4", "18a0"]
    call("threads.untrash", id="t1")
    call("threads.delete", id="t1")
    assert refusal("threads.get", id="t1").status == 404
    assert refusal("messages.get", id="m1").status == 404


def test_labels_are_counted_made_renamed_and_removed(call: Ask, refusal: Refusal) -> None:
    assert {"INBOX", "Label_7"} <= set(ids(call("labels.list"), "labels"))
    inbox = call("labels.get", id="INBOX")
    assert (inbox["messagesTotal"], inbox["messagesUnread"], inbox["threadsTotal"]) == (3, 1, 2)
    made = call("labels.create", {"name": "Later"})
    assert (made["id"], made["type"]) == ("Label_1", "user")
    assert refusal("labels.create", {"name": "later"}).status == 409
    assert refusal("labels.create", {}).status == 400
    assert call("labels.patch", {"name": "Soon"}, id="Label_1")["name"] == "Soon"
    call("labels.delete", id="Label_7")
    assert call("messages.get", id="m4")["labelIds"] == ["INBOX"]
    assert refusal("labels.get", id="Label_7").status == 404
    assert refusal("labels.delete", id="INBOX").status == 400


def test_messages_are_labelled_moved_and_deleted_together(call: Ask, refusal: Refusal) -> None:
    many = {"ids": ["m1", "m2"], "addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD"]}
    assert call("messages.batchModify", many) == {}
    assert call("messages.get", id="m1")["labelIds"] == ["INBOX", "STARRED"]
    assert refusal("messages.batchModify", {**many, "ids": ["m1", "no"]}).status == 404
    assert refusal("messages.batchModify", {**many, "addLabelIds": ["No"]}).status == 400
    wrong = {**many, "addLabelIds": ["No"]}
    assert refusal("messages.batchModify", wrong, userId="bo@example.com").status == 403
    call("messages.batchDelete", {"ids": ["m1", "no", "b1"]})
    assert refusal("messages.get", id="m1").status == 404


def test_a_message_is_put_into_the_mailbox(call: Ask, refusal: Refusal) -> None:
    made = call("messages.insert", {**HELLO, "labelIds": ["INBOX"], "threadId": "t1"})
    assert ids(call("messages.list", labelIds=["INBOX"]))[0] == made["id"]
    assert len(call("threads.get", id="t1")["messages"]) == 3
    assert refusal("messages.insert", {}).status == 400
    assert refusal("messages.import", {**HELLO, "labelIds": ["No"]}).status == 400


def test_an_attachment_that_is_not_there_is_404(refusal: Refusal) -> None:
    assert refusal("messages.attachments.get", messageId="m1", id="x").status == 404
    assert refusal("messages.attachments.get", messageId="no", id="x").status == 404

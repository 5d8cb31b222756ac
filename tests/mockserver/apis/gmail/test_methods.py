from collections.abc import Callable
from email.message import EmailMessage
from typing import Any

import pytest

from mockserver.apis.gmail.delivery import read_raw
from mockserver.apis.gmail.mime import encode_base64url, message_fields
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.gmail.conftest import HELLO, raw

Ask = Callable[..., Any]
Refusal = Callable[..., ApiError]


def test_what_was_sent_is_listed_and_read(call: Ask) -> None:
    sent = call("messages.send", HELLO)
    assert sent["labelIds"] == ["SENT"]
    listed = call("messages.list", q="subject:hello")["messages"]
    assert listed == [{"id": sent["id"], "threadId": sent["threadId"]}]
    read = call("messages.get", id=sent["id"])
    headers = {each["name"]: each["value"] for each in read["payload"]["headers"]}
    assert (headers["From"], headers["Subject"]) == ("admin@example.com", "Hello")
    assert headers["Date"] == "Mon, 02 Mar 2026 09:00:00 +0000"
    assert (read["snippet"], read["internalDate"]) == ("Good morning, Ann", "1772442000000")


def test_headers_that_were_given_stay(call: Ask) -> None:
    text = "From: me@example.com\r\nTo: a@example.com\r\nDate: then\r\nMessage-ID: <1@x>\r\n\r\nHi"
    sent = call("messages.send", {**raw(text), "threadId": "t1"})
    assert sent["threadId"] == "t1"
    headers = call("messages.get", id=sent["id"])["payload"]["headers"]
    assert len([each for each in headers if each["name"] == "From"]) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [({}, "'raw' RFC822"), ({"raw": "%"}, "ByteString"), (raw("Subject: x\r\n\r\ny"), "Recipient")],
    ids=str,
)
def test_what_cannot_be_sent_is_refused(refusal: Refusal, body: JsonObject, message: str) -> None:
    error = refusal("messages.send", body)
    assert (error.status, error.reason) == (400, "invalidArgument")
    assert message in error.message


def test_another_mailbox_is_forbidden(call: Ask, refusal: Refusal) -> None:
    assert refusal("messages.list", userId="bo@example.com").status == 403
    assert call("messages.list", userId="admin@example.com")["resultSizeEstimate"] == 1


def test_messages_are_trashed_labelled_and_deleted(call: Ask, refusal: Refusal) -> None:
    assert call("messages.trash", id="18a0")["labelIds"] == ["SENT", "TRASH"]
    assert "messages" not in call("messages.list")
    assert call("messages.untrash", id="18a0")["labelIds"] == ["SENT"]
    starred = call("messages.modify", {"addLabelIds": ["STARRED"]}, id="18a0")
    assert starred["labelIds"] == ["SENT", "STARRED"]
    assert refusal("messages.modify", {}, id="18a0").status == 400
    call("messages.delete", id="18a0")
    assert refusal("messages.get", id="18a0").status == 404


def test_lists_are_paged_and_the_profile_counts(call: Ask) -> None:
    for _ in range(2):
        call("messages.send", HELLO)
    first = call("messages.list", maxResults=2)
    rest = call("messages.list", maxResults=2, pageToken=first["nextPageToken"])
    assert [len(page["messages"]) for page in (first, rest)] == [2, 1]
    profile = call("getProfile")
    assert (profile["emailAddress"], profile["messagesTotal"]) == ("admin@example.com", 3)


def mail() -> EmailMessage:
    message = EmailMessage()
    message["To"] = "ann@example.com"
    message.set_content("Plain text")
    message.add_alternative("<b>Rich</b>", subtype="html")
    message.add_attachment(b"abc", maintype="application", subtype="pdf", filename="a.pdf")
    return message


@pytest.mark.parametrize("strip", [True, False])
def test_raw_is_base64_of_either_alphabet(strip: bool) -> None:
    sent = bytes(mail())
    text = encode_base64url(sent)
    assert read_raw(text.rstrip("=") if strip else text.replace("-", "+")) == sent


def test_what_is_not_base64_is_refused() -> None:
    with pytest.raises(ApiError):
        read_raw("a")


def test_parts_are_numbered_and_attachments_named() -> None:
    made = message_fields(bytes(mail()))["payload"]
    assert made["mimeType"] == "multipart/mixed"
    body, attachment = made["parts"]
    assert [part["partId"] for part in body["parts"]] == ["0.0", "0.1"]
    assert (attachment["filename"], attachment["body"]) == ("a.pdf", {"size": 3, "data": "YWJj"})


def test_the_snippet_is_the_beginning_of_the_text() -> None:
    assert message_fields(bytes(mail()))["snippet"] == "Plain text"
    rich = EmailMessage()
    rich.set_content("<style>p {}</style><p>Tea &amp; <b>cake</b></p>", subtype="html")
    assert message_fields(bytes(rich))["snippet"] == "Tea & cake"
    empty = EmailMessage()
    empty.add_attachment(b"x", maintype="application", subtype="pdf")
    assert message_fields(bytes(empty))["snippet"] == ""

import pytest

from mockserver.apis.gmail.mime import decode_base64
from mockserver.apis.gmail.snapshot import CAPTURES, import_snapshot
from mockserver.googleapi import SnapshotImport
from mockserver.model import AnsweredCall, Json, JsonObject


def test_messages_are_sent_when_their_date_says() -> None:
    rows: Json = [{"id": "a", "internalDate": "1767225600000"}, {"id": "b"}]
    found = SnapshotImport(raw={"sentMessages": rows})
    import_snapshot(found)
    table = found.tables["sentMessages"]
    assert table["a"]["sentTime"] == "2026-01-01T00:00:00.000Z"
    assert (table["b"]["threadId"], table["b"]["labelIds"]) == ("b", ["SENT"])


def test_ids_must_be_there_and_differ() -> None:
    found = SnapshotImport(raw={"sentMessages": [{"id": "a"}, {"id": "a"}, {}]})
    import_snapshot(found)
    assert [problem.where for problem in found.problems] == [
        "/sentMessages/1/id", "/sentMessages/2/id",
    ]  # fmt: skip


def test_a_mailbox_holds_what_can_be_read() -> None:
    rows: Json = [
        {"id": "1", "raw": "%"},
        {"raw": "SGk="},
        {"id": "3", "raw": "From: a@example.com\nSubject: Hi\n\nHello,\nyou"},
        {"id": "2", "payload": {"headers": [{"name": "Date", "value": "not a day"}]}},
        "no message",
    ]
    labels: Json = [{"name": "Bills"}, {"id": "Label_9"}]
    held: Json = {"gmail:v1": {"messages": rows, "labels": labels, "drafts": {}}}
    found = SnapshotImport(raw={"capturedAt": "2026-03-01T00:00:00Z", "resources": held})
    import_snapshot(found)
    at = "/resources/gmail:v1"
    assert [each.where for each in found.problems] == [
        f"{at}/messages/0/raw",
        f"{at}/messages/1/id",
        f"{at}/labels/1/name",
    ]
    assert found.tables["gmail:v1/messages"]["2"]["sentTime"] == "2026-03-01T00:00:00.000Z"
    readable = found.tables["gmail:v1/messages"]["3"]
    assert (
        decode_base64(readable["raw"]) == b"From: a@example.com\r\nSubject: Hi\r\n\r\nHello,\r\nyou"
    )
    assert readable["snippet"] == "Hello, you"
    assert list(found.tables["gmail:v1/labels"]) == ["Label_1"]


def test_what_mailboxes_hold_becomes_rows_by_owner() -> None:
    held: Json = {
        "users/ann@example.com/messages": [
            {"id": "1", "labelIds": ["INBOX"]},
            {"id": "2", "labelIds": ["DRAFT"], "userId": "bo@example.com"},
            {"id": "3", "labelIds": "DRAFT", "userId": "me"},
        ],
        "people/ann@example.com/messages": [{"id": "4", "userId": "-"}],
        "users/messages": [{"id": "5", "threadId": "1"}],
        "ann/users/drafts": [{"id": "no collection of ours"}],
        "users/ann@example.com/drafts": [{"id": "d", "message": {"id": "6"}}, {"id": "e"}],
        "users/bo@example.com/labels": [{"name": "Bills"}],
    }
    raw: Json = {"capturedAt": "2026-03-01T00:00:00Z", "resources": {"gmail:v1": held}}
    found = SnapshotImport(raw=raw)
    import_snapshot(found)
    assert found.problems == []
    at, ann = {"sentTime": "2026-03-01T00:00:00.000Z"}, {"user": "ann@example.com"}
    bo = {"user": "bo@example.com"}
    assert found.tables["gmail:v1/messages"] == {
        "1": {**at, **ann, "id": "1", "labelIds": ["INBOX"], "threadId": "1"},
        "2": {**at, **bo, "id": "2", "labelIds": ["DRAFT"], "threadId": "2", "draftId": "r2"},
        "3": {**at, "id": "3", "labelIds": "DRAFT", "threadId": "3"},
        "4": {**at, "id": "4", "labelIds": ["INBOX"], "threadId": "4"},
        "5": {**at, "id": "5", "labelIds": ["INBOX"], "threadId": "1"},
        "6": {**at, **ann, "id": "6", "labelIds": ["DRAFT"], "threadId": "6", "draftId": "d"},
    }
    label = {"type": "user", **bo, "id": "Label_1", "name": "Bills"}
    assert found.tables["gmail:v1/labels"] == {"Label_1": label}


@pytest.mark.parametrize(
    ("profile", "customer"),
    [
        ({"emailAddress": 1}, None),
        ({}, None),
        (
            {"emailAddress": "ann@example.com"},
            {"customerEmail": "ann@example.com", "customerDomain": "example.com"},
        ),
    ],
)
def test_the_account_of_a_capture_is_the_customer(
    profile: JsonObject, customer: JsonObject | None
) -> None:
    [capture] = CAPTURES["gmail.users.getProfile"]
    answered = AnsweredCall("gmail.users.getProfile", {}, {}, {})
    assert capture.reshape is not None
    assert capture.reshape(profile, answered) == customer

"""The calls that agents make of Google Workspace, by google-api-python-client, unchanged.

Each call stands alone on one session of a small tenant, and what it answers is held against what
the live API would tell of this tenant.
"""

import io
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from googleapiclient.discovery import build
from googleapiclient.http import MediaIoBaseDownload, MediaIoBaseUpload

from mockserver.model import JsonObject
from mockserver.testing.mocks import mock

Google = Callable[[str, str], Any]
Usual = Callable[[Google], Any]
DOCUMENT, SHEET, FOLDER = (
    f"application/vnd.google-apps.{kind}" for kind in ("document", "spreadsheet", "folder")
)
ME, BO = "admin@example.com", "bo@example.com"


def _mail(ident: str, subject: str, sender: str, text: str, **more: Any) -> JsonObject:
    headers = {"From": sender, "To": ME, "Subject": subject, "Message-ID": f"<{ident}@example.com>"}
    return {
        "id": ident, "threadId": ident, "labelIds": ["INBOX", "UNREAD"],
        "internalDate": "1772355600000", "snippet": text,
        "payload": {
            "mimeType": "text/plain",
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "body": {"data": urlsafe_b64encode(text.encode()).decode(), "size": len(text)},
        },
        **more,
    }  # fmt: skip


def _event(ident: str, day: int, hour: int, **more: Any) -> JsonObject:
    at = [{"dateTime": f"2026-03-{day:02}T{each:02}:00:00Z", "timeZone": "UTC"}
          for each in (hour, hour + 1)]  # fmt: skip
    return {"id": ident, "summary": ident.title(), "start": at[0], "end": at[1], **more}


TENANT: JsonObject = {
    "capturedAt": "2026-03-02T09:00:00Z",
    "customer": {"id": "C03x", "customerDomain": "example.com"},
    "users": [
        {"id": "1", "primaryEmail": ME, "name": {"fullName": "Ada Lee"}},
        {"id": "2", "primaryEmail": BO, "name": {"fullName": "Bo Berg"}},
    ],
    "resources": {
        "gmail:v1": {
            "messages": [
                _mail("m1", "Invoice 7", "Shop <shop@example.com>", "Please pay invoice 7."),
                _mail("m2", "Lunch?", f"Bo <{BO}>", "At noon?"),
                _mail("m3", "Re: Lunch?", f"Bo <{BO}>", "Or one.", threadId="m2",
                      internalDate="1772359200000"),
            ],
        },
        "calendar:v3": {
            "calendars": [{"id": "team@example.com", "summary": "Team"}],
            "calendars/primary/events": [
                _event("review", 3, 14, attendees=[{"email": BO}]),
                _event("standup", 2, 9, recurrence=["RRULE:FREQ=DAILY;COUNT=5"]),
            ],
        },
        "drive:v3": {
            "files": [
                {"id": "plans", "name": "Plans", "mimeType": FOLDER},
                {"id": "note", "name": "note.txt", "mimeType": "text/plain", "parents": ["plans"]},
            ],
        },
        "sheets:v4": {
            "spreadsheets": [
                {"spreadsheetId": "costs", "properties": {"title": "Costs"},
                 "sheets": [{"properties": {"title": "Sheet1"}}]},
            ],
            "values": [{"spreadsheetId": "costs", "range": "Sheet1!A1:B2",
                        "values": [["tea", 2], ["cake", 3]]}],
        },
        "docs:v1": {
            "documents": [
                {"documentId": "letter", "title": "Letter",
                 "body": {"content": [{"paragraph": {"elements": [{"textRun": {
                     "content": "Dear Bo\n"}}]}}]}},
            ],
        },
        "people:v1": {
            "people": [{
                "resourceName": "people/c1",
                "names": [{"givenName": "Cy", "familyName": "Cole", "displayName": "Cy Cole"}],
                "emailAddresses": [{"value": "cy@example.com"}],
            }],
        },
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Google]:
    suite = tmp_path_factory.mktemp("desk")
    (suite / "base").mkdir()
    (suite / "base" / "tenant.json").write_bytes(orjson.dumps(TENANT))
    made = []

    @cache
    def service(name: str, version: str) -> Any:
        made.append(build(name, version))
        return made[-1]

    with mock(Path(suite), clock="frozen"):
        yield service
        for each in made:
            each.close()


# --- Gmail ---


def _raw(subject: str, to: str = BO, **headers: str) -> str:
    message = EmailMessage()
    message["To"], message["Subject"] = to, subject
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content("See you.")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="a.pdf")
    return urlsafe_b64encode(message.as_bytes()).decode()


def _users(google: Google) -> Any:
    return google("gmail", "v1").users()


def _messages(google: Google) -> Any:
    return _users(google).messages()


def _header(message: Any, name: str) -> str:
    headers = message["payload"]["headers"]
    return str(next(each["value"] for each in headers if each["name"] == name))


def _send(google: Google, subject: str, **more: Any) -> Any:
    return _messages(google).send(userId="me", body={"raw": _raw(subject), **more}).execute()


def _draft(google: Google, subject: str) -> Any:
    body = {"message": {"raw": _raw(subject)}}
    return _users(google).drafts().create(userId="me", body=body).execute()


def _of_ids(answer: Any, name: str = "messages") -> list[str]:
    return sorted(each["id"] for each in answer.get(name, []))


def gmail_profile(google: Google) -> Any:
    return _users(google).getProfile(userId="me").execute()["emailAddress"]


def gmail_search(google: Google) -> Any:
    asked = {"userId": "me", "q": "from:bo subject:lunch is:unread"}
    return _of_ids(_messages(google).list(**asked).execute())


def gmail_get(google: Google) -> Any:
    found = _messages(google).get(userId="me", id="m1").execute()
    return _header(found, "From"), urlsafe_b64decode(found["payload"]["body"]["data"]).decode()


def gmail_metadata(google: Google) -> Any:
    asked = {"format": "metadata", "metadataHeaders": ["Subject"]}
    found = _messages(google).get(userId="me", id="m1", **asked).execute()
    return found["payload"]["headers"], found["snippet"]


def gmail_raw(google: Google) -> Any:
    found = _messages(google).get(userId="me", id="m1", format="raw").execute()
    return b"Subject: Invoice 7" in urlsafe_b64decode(found["raw"]), "payload" in found


def gmail_send(google: Google) -> Any:
    sent = _send(google, "Plan")
    return sent["labelIds"], _header(_messages(google).get(userId="me", id=sent["id"]).execute(),
                                     "From")  # fmt: skip


def gmail_reply(google: Google) -> Any:
    raw = _raw("Re: Lunch?", In_Reply_To="<m2@example.com>", References="<m2@example.com>")
    body = {"raw": raw, "threadId": "m2"}
    return _messages(google).send(userId="me", body=body).execute()["threadId"]


def gmail_attachment(google: Google) -> Any:
    sent = _send(google, "With a file")
    read = _messages(google).get(userId="me", id=sent["id"]).execute()
    [part] = [each for each in read["payload"]["parts"] if each["filename"]]
    asked = {"messageId": sent["id"], "id": part["body"]["attachmentId"]}
    got = _messages(google).attachments().get(userId="me", **asked).execute()
    return part["filename"], urlsafe_b64decode(got["data"])


def gmail_thread(google: Google) -> Any:
    found = _users(google).threads().get(userId="me", id="m2").execute()
    return [each["id"] for each in found["messages"][:2]]


def gmail_threads(google: Google) -> Any:
    asked = {"userId": "me", "q": "subject:lunch"}
    return _of_ids(_users(google).threads().list(**asked).execute(), "threads")


def gmail_draft(google: Google) -> Any:
    made = _draft(google, "A draft")
    read = _users(google).drafts().get(userId="me", id=made["id"]).execute()["message"]
    return _header(read, "Subject"), "raw" in read


def gmail_draft_sent(google: Google) -> Any:
    sent = _users(google).drafts().send(userId="me", body={"id": _draft(google, "D")["id"]})
    return sent.execute()["labelIds"]


def gmail_label(google: Google) -> Any:
    labels = _users(google).labels()
    made = labels.create(userId="me", body={"name": "Bills"}).execute()["id"]
    change = {"addLabelIds": [made], "removeLabelIds": ["UNREAD"]}
    _messages(google).modify(userId="me", id=_kept_mail(google), body=change).execute()
    return labels.get(userId="me", id=made).execute()["messagesTotal"]


def _kept_mail(google: Google) -> str:
    body = {"raw": _raw("Kept", ME), "labelIds": ["INBOX", "UNREAD"]}
    return str(_messages(google).insert(userId="me", body=body).execute()["id"])


def gmail_batch_modify(google: Google) -> Any:
    mail = _kept_mail(google)
    body = {"ids": [mail], "removeLabelIds": ["INBOX"]}
    _messages(google).batchModify(userId="me", body=body).execute()
    return _messages(google).get(userId="me", id=mail).execute()["labelIds"]


def gmail_trash(google: Google) -> Any:
    mail = _kept_mail(google)
    gone = _messages(google).trash(userId="me", id=mail).execute()["labelIds"]
    found = _of_ids(_messages(google).list(userId="me", q="subject:kept").execute())
    return "TRASH" in gone, mail in found


def gmail_history(google: Google) -> Any:
    since = _users(google).getProfile(userId="me").execute()["historyId"]
    mail = _kept_mail(google)
    asked = {"startHistoryId": since, "historyTypes": ["messageAdded"]}
    found = _users(google).history().list(userId="me", **asked).execute()["history"]
    return [each["message"]["id"] == mail for one in found for each in one["messagesAdded"]]


# --- Calendar ---


def _events(google: Google) -> Any:
    return google("calendar", "v3").events()


def _at(hour: int) -> JsonObject:
    return {"dateTime": f"2026-04-06T{hour:02}:00:00Z"}


def _meet(google: Google, hour: int = 10, **more: Any) -> Any:
    body = {"summary": "Meet", "start": _at(hour), "end": _at(hour + 1), **more}
    return _events(google).insert(calendarId="primary", body=body).execute()


def calendar_lists(google: Google) -> Any:
    found = google("calendar", "v3").calendarList().list().execute()["items"]
    return {each["id"]: each.get("primary", False) for each in found}


def calendar_window(google: Google) -> Any:
    asked = {"timeMin": "2026-03-03T00:00:00Z", "timeMax": "2026-03-04T00:00:00Z",
             "singleEvents": True, "orderBy": "startTime"}  # fmt: skip
    found = _events(google).list(calendarId="primary", **asked).execute()
    return [each["summary"] for each in found["items"]]


def calendar_search(google: Google) -> Any:
    found = _events(google).list(calendarId="primary", q="review").execute()["items"]
    return [each["id"] for each in found]


def calendar_insert(google: Google) -> Any:
    made = _meet(google)
    return made["status"], made["creator"]["email"], "eid=" in made["htmlLink"]


def calendar_invite(google: Google) -> Any:
    made = _meet(google, 12, attendees=[{"email": BO}])
    theirs = _events(google).get(calendarId=BO, eventId=made["id"]).execute()
    return theirs["attendees"][0]["responseStatus"], theirs["organizer"]["email"]


def calendar_patch(google: Google) -> Any:
    asked = {"calendarId": "primary", "eventId": _meet(google, 14)["id"]}
    return _events(google).patch(**asked, body={"location": "Room 1"}).execute()["location"]


def calendar_move(google: Google) -> Any:
    made = _meet(google, 16)["id"]
    asked = {"eventId": made, "destination": "team@example.com"}
    _events(google).move(calendarId="primary", **asked).execute()
    return _events(google).get(calendarId="team@example.com", eventId=made).execute()["id"] == made


def calendar_delete(google: Google) -> Any:
    made = _meet(google, 18)["id"]
    _events(google).delete(calendarId="primary", eventId=made).execute()
    return _events(google).get(calendarId="primary", eventId=made).execute()["status"]


def calendar_quick(google: Google) -> Any:
    made = _events(google).quickAdd(calendarId="primary", text="Tea tomorrow 4pm").execute()
    return made["summary"], made["start"]["dateTime"][:16]


def calendar_instances(google: Google) -> Any:
    found = _events(google).instances(calendarId="primary", eventId="standup").execute()
    return len(found["items"])


def calendar_busy(google: Google) -> Any:
    body = {"timeMin": "2026-03-03T12:00:00Z", "timeMax": "2026-03-03T16:00:00Z",
            "items": [{"id": "primary"}]}  # fmt: skip
    found = google("calendar", "v3").freebusy().query(body=body).execute()
    return [each["start"] for each in found["calendars"]["primary"]["busy"]]


# --- Drive ---


def _files(google: Google) -> Any:
    return google("drive", "v3").files()


def _text(text: bytes) -> MediaIoBaseUpload:
    return MediaIoBaseUpload(io.BytesIO(text), "text/plain")


def _upload(google: Google, name: str) -> str:
    made = _files(google).create(body={"name": name}, media_body=_text(b"hello")).execute()
    return str(made["id"])


def drive_search(google: Google) -> Any:
    asked = "name contains 'note' and trashed = false and 'plans' in parents"
    return _of_ids(_files(google).list(q=asked).execute(), "files")


def drive_documents(google: Google) -> Any:
    found = _files(google).list(q=f"mimeType = '{DOCUMENT}'").execute()["files"]
    return "letter" in [each["id"] for each in found]


def drive_folder(google: Google) -> Any:
    folder = _files(google).create(body={"name": "Trip", "mimeType": FOLDER}).execute()["id"]
    inside = {"name": "list.txt", "parents": [folder]}
    made = _files(google).create(body=inside, media_body=_text(b"x"), fields="parents").execute()
    return made["parents"] == [folder]


def drive_download(google: Google) -> Any:
    got = io.BytesIO()
    request = _files(google).get_media(fileId=_upload(google, "a.txt"))
    done, loader = False, MediaIoBaseDownload(got, request)
    while not done:
        _, done = loader.next_chunk()
    return got.getvalue()


def drive_copy(google: Google) -> Any:
    made = _files(google).copy(fileId=_upload(google, "b.txt"), body={"name": "c.txt"}).execute()
    return made["name"]


def drive_export(google: Google) -> Any:
    got = _files(google).export(fileId="letter", mimeType="text/plain").execute()
    return got.decode("utf-8-sig").strip()


def drive_share(google: Google) -> Any:
    file = _upload(google, "d.txt")
    body = {"type": "user", "role": "writer", "emailAddress": BO}
    google("drive", "v3").permissions().create(fileId=file, body=body).execute()
    found = google("drive", "v3").permissions().list(fileId=file, fields="*").execute()
    return sorted((each["emailAddress"], each["role"]) for each in found["permissions"])


def drive_about(google: Google) -> Any:
    return google("drive", "v3").about().get(fields="user").execute()["user"]["emailAddress"]


def drive_trash(google: Google) -> Any:
    file = _upload(google, "gone.txt")
    _files(google).update(fileId=file, body={"trashed": True}).execute()
    found = _files(google).list(q="name = 'gone.txt' and trashed = false").execute()
    return found["files"]


# --- Sheets, Docs, People, Tasks ---


def _sheets(google: Google) -> Any:
    return google("sheets", "v4").spreadsheets()


def _new_sheet(google: Google) -> dict[str, str]:
    return {"spreadsheetId": _sheets(google).create(body={}).execute()["spreadsheetId"]}


def sheets_read(google: Google) -> Any:
    asked = {"range": "Sheet1!A1:B2", "valueRenderOption": "UNFORMATTED_VALUE"}
    return _sheets(google).values().get(spreadsheetId="costs", **asked).execute()["values"]


def sheets_formula(google: Google) -> Any:
    where, values = _new_sheet(google), _sheets(google).values()
    body = {"values": [[2, 3, "=SUM(A1:B1)*2"]]}
    values.update(**where, range="A1", valueInputOption="USER_ENTERED", body=body).execute()
    return values.get(**where, range="C1").execute()["values"]


def sheets_append(google: Google) -> Any:
    where, values = _new_sheet(google), _sheets(google).values()
    asked = {**where, "range": "A1", "valueInputOption": "RAW", "body": {"values": [["x"]]}}
    values.append(**asked).execute()
    made = values.append(**asked).execute()
    return made["updates"]["updatedRange"]


def sheets_batch(google: Google) -> Any:
    where = _new_sheet(google)
    body = {"requests": [{"addSheet": {"properties": {"title": "May"}}}]}
    _sheets(google).batchUpdate(**where, body=body).execute()
    found = _sheets(google).get(**where).execute()["sheets"]
    return [each["properties"]["title"] for each in found]


def docs_write(google: Google) -> Any:
    docs = google("docs", "v1").documents()
    where = {"documentId": docs.create(body={"title": "Minutes"}).execute()["documentId"]}
    requests = [
        {"insertText": {"location": {"index": 1}, "text": "Hello NAME"}},
        {"replaceAllText": {"containsText": {"text": "NAME"}, "replaceText": "Bo"}},
    ]
    docs.batchUpdate(**where, body={"requests": requests}).execute()
    content = docs.get(**where).execute()["body"]["content"]
    return content[-1]["paragraph"]["elements"][0]["textRun"]["content"]


def docs_read(google: Google) -> Any:
    found = google("docs", "v1").documents().get(documentId="letter").execute()
    return found["title"], found["body"]["content"][-1]["endIndex"]


def docs_listed(google: Google) -> Any:
    made = google("docs", "v1").documents().create(body={"title": "New one"}).execute()
    return _files(google).get(fileId=made["documentId"]).execute()["name"]


def _people(google: Google) -> Any:
    return google("people", "v1").people()


def people_connections(google: Google) -> Any:
    asked = {"resourceName": "people/me", "personFields": "names", "pageSize": 1}
    found = _people(google).connections().list(**asked).execute()["connections"]
    return [each["names"][0]["displayName"] for each in found]


def people_create(google: Google) -> Any:
    body = {"names": [{"givenName": "Di", "familyName": "Dahl"}]}
    made = _people(google).createContact(body=body).execute()
    found = _people(google).get(resourceName=made["resourceName"], personFields="names").execute()
    return found["names"][0]["displayName"]


def people_search(google: Google) -> Any:
    found = _people(google).searchContacts(query="cy", readMask="emailAddresses").execute()
    return [each["person"]["emailAddresses"][0]["value"] for each in found["results"]]


def people_me(google: Google) -> Any:
    asked = {"resourceName": "people/me", "personFields": "emailAddresses"}
    return _people(google).get(**asked).execute()["emailAddresses"][0]["value"]


def tasks_lists(google: Google) -> Any:
    google("tasks", "v1").tasks().insert(tasklist="@default", body={"title": "Call"}).execute()
    found = google("tasks", "v1").tasklists().list().execute()["items"]
    return found[0]["title"]


def tasks_done(google: Google) -> Any:
    tasks = google("tasks", "v1").tasks()
    made = tasks.insert(tasklist="@default", body={"title": "Shop"}).execute()["id"]
    asked = {"tasklist": "@default", "task": made, "body": {"status": "completed"}}
    done = tasks.patch(**asked).execute()
    open_ = tasks.list(tasklist="@default", showCompleted=False).execute().get("items", [])
    return "completed" in done, made in [each["id"] for each in open_]


def tasks_order(google: Google) -> Any:
    made = google("tasks", "v1").tasklists().insert(body={"title": "Trip"}).execute()["id"]
    tasks = google("tasks", "v1").tasks()
    first, *_ = (tasks.insert(tasklist=made, body={"title": title}).execute()["id"]
                 for title in ("a", "b"))  # fmt: skip
    tasks.move(tasklist=made, task=first).execute()
    return [each["title"] for each in tasks.list(tasklist=made).execute()["items"]]


CALLS: dict[Usual, Any] = {
    gmail_profile: ME,
    gmail_search: ["m2", "m3"],
    gmail_get: ("Shop <shop@example.com>", "Please pay invoice 7."),
    gmail_metadata: ([{"name": "Subject", "value": "Invoice 7"}], "Please pay invoice 7."),
    gmail_raw: (True, False),
    gmail_send: (["SENT"], ME),
    gmail_reply: "m2",
    gmail_attachment: ("a.pdf", b"%PDF"),
    gmail_thread: ["m2", "m3"],
    gmail_threads: ["m2"],
    gmail_draft: ("A draft", False),
    gmail_draft_sent: ["SENT"],
    gmail_label: 1,
    gmail_batch_modify: ["UNREAD"],
    gmail_trash: (True, False),
    gmail_history: [True],
    calendar_lists: {ME: True, "team@example.com": False},
    calendar_window: ["Standup", "Review"],
    calendar_search: ["review"],
    calendar_insert: ("confirmed", ME, True),
    calendar_invite: ("needsAction", ME),
    calendar_patch: "Room 1",
    calendar_move: True,
    calendar_delete: "cancelled",
    calendar_quick: ("Tea", "2026-03-03T16:00"),
    calendar_instances: 5,
    calendar_busy: ["2026-03-03T14:00:00Z"],
    drive_search: ["note"],
    drive_documents: True,
    drive_folder: True,
    drive_download: b"hello",
    drive_copy: "c.txt",
    drive_export: "Dear Bo",
    drive_share: [(ME, "owner"), (BO, "writer")],
    drive_about: ME,
    drive_trash: [],
    sheets_read: [["tea", 2], ["cake", 3]],
    sheets_formula: [["10"]],
    sheets_append: "Sheet1!A2",
    sheets_batch: ["Sheet1", "May"],
    docs_write: "Hello Bo\n",
    docs_read: ("Letter", 9),
    docs_listed: "New one",
    people_connections: ["Cy Cole"],
    people_create: "Di Dahl",
    people_search: ["cy@example.com"],
    people_me: ME,
    tasks_lists: "My Tasks",
    tasks_done: (True, False),
    tasks_order: ["a", "b"],
}
"""What each call answers."""


@pytest.mark.parametrize("usual", CALLS, ids=lambda usual: usual.__name__)
def test_a_usual_call_is_answered_as_the_live_api_would(usual: Usual, google: Google) -> None:
    assert usual(google) == CALLS[usual]

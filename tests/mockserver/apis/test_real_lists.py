"""Lists with filters by the real Google client, against a real server: the rows, or 501."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from mockserver.client import MockServer
from mockserver.model import SessionSpec
from tests.mockserver.apis.directory.conftest import RAW
from tests.mockserver.apis.test_real_transfers import ByHost

RESOURCES = {
    "drive:v3": {
        "files": [
            {"id": "plan", "name": "Budget plan", "mimeType": "text/plain", "trashed": False},
            {"id": "gone", "name": "Budget 2019", "mimeType": "text/plain", "trashed": True},
        ]
    },
    "calendar:v3": {
        "calendars/primary/events": [
            {
                "id": "standup",
                "summary": "Standup",
                "start": {"dateTime": "2026-03-02T09:00:00Z", "timeZone": "UTC"},
                "end": {"dateTime": "2026-03-02T09:15:00Z", "timeZone": "UTC"},
                "recurrence": ["RRULE:FREQ=DAILY"],
            },
            {"id": "trip", "start": {"date": "2026-03-04"}, "end": {"date": "2026-03-06"}},
        ]
    },
    "tasks:v1": {
        "tasks": [
            {"id": "done", "status": "completed", "due": "2026-03-01T00:00:00.000Z"},
            {"id": "open", "status": "needsAction", "due": "2026-03-09T00:00:00.000Z"},
        ]
    },
    "storage:v1": {
        "objects": [{"name": name, "bucket": "b"} for name in ("a/1.txt", "a/2.txt", "top.txt")]
    },
}
MAILS = [
    {"id": "m1", "internalDate": "1772355600000", "labelIds": ["INBOX", "UNREAD"]},
    {"id": "m2", "internalDate": "1767225600000", "labelIds": ["INBOX"]},
]


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Clients by name and version, all of one session that holds what stands above."""
    folder: Path = tmp_path_factory.mktemp("suite")
    (folder / "base").mkdir()
    url = "www.googleapis.com/calendar/v3/users/me/calendarList?showOwnOrganizationOnly=true"
    stub = {"method": "GET", "url": url, "body": {"items": [{"id": "own"}]}}
    raw = {**RAW, "resources": RESOURCES, "sentMessages": MAILS, "http": [stub]}
    raw["capturedAt"] = "2026-03-02T09:00:00Z"
    (folder / "base" / "tenant.json").write_bytes(orjson.dumps(raw))
    made: dict[tuple[str, str], Any] = {}
    with asyncio.Runner() as runner:
        server = runner.run(MockServer.start(folder))
        session = runner.run(server.open(SessionSpec(clock="frozen")))

        def client(name: str, version: str) -> Any:
            if (name, version) not in made:
                http = ByHost(server.url, session.id)
                made[name, version] = build(name, version, http=http)
            return made[name, version]

        yield client
        for each in made.values():
            each.close()
        runner.run(server.close())


def ids(answer: dict[str, Any], key: str) -> list[str]:
    return [str(row.get("id") or row.get("name")) for row in answer.get(key, [])]


def test_drive_is_searched(clients: Any) -> None:
    files = clients("drive", "v3").files()
    query = "name contains 'budget' and trashed = false"
    assert ids(files.list(q=query, spaces="drive").execute(), "files") == ["plan"]
    assert ids(files.list(q="trashed = true", orderBy="name").execute(), "files") == ["gone"]
    with pytest.raises(HttpError) as caught:
        files.list(q="name is 'budget'").execute()
    assert caught.value.status_code == 400


def test_calendar_expands_series_in_a_window(clients: Any) -> None:
    events = clients("calendar", "v3").events()
    found = events.list(
        calendarId="primary", timeMin="2026-03-03T12:00:00Z", timeMax="2026-03-05T12:00:00Z",
        singleEvents=True, orderBy="startTime", maxResults=10,
    ).execute()  # fmt: skip
    assert ids(found, "items") == ["trip", "standup_20260304T090000Z", "standup_20260305T090000Z"]
    assert ids(events.list(calendarId="primary", q="standup").execute(), "items") == ["standup"]


def test_tasks_are_selected(clients: Any) -> None:
    tasks = clients("tasks", "v1").tasks()
    assert ids(tasks.list(tasklist="@default", showCompleted=False).execute(), "items") == ["open"]
    due = tasks.list(tasklist="@default", dueMax="2026-03-05T00:00:00Z").execute()
    assert ids(due, "items") == ["done"]


def test_storage_has_levels(clients: Any) -> None:
    objects = clients("storage", "v1").objects()
    top = objects.list(bucket="b", delimiter="/").execute()
    assert (ids(top, "items"), top["prefixes"]) == (["top.txt"], ["a/"])
    below = objects.list(bucket="b", prefix="a/", startOffset="a/2").execute()
    assert ids(below, "items") == ["a/2.txt"]


def test_gmail_is_searched_or_refuses(clients: Any) -> None:
    messages = clients("gmail", "v1").users().messages()
    assert ids(messages.list(userId="me", q="is:unread newer_than:2d").execute(), "messages") == [
        "m1"
    ]
    with pytest.raises(HttpError) as caught:
        messages.list(userId="me", q="colour:red").execute()
    assert caught.value.status_code == 501


def test_what_is_refused_is_served_by_a_literal_answer(clients: Any) -> None:
    calendars = clients("calendar", "v3").calendarList()
    with pytest.raises(HttpError) as caught:
        calendars.list(minAccessRole="owner", showOwnOrganizationOnly=True).execute()
    assert ids(calendars.list(showOwnOrganizationOnly=True).execute(), "items") == ["own"]
    details = caught.value.error_details
    assert (caught.value.status_code, details[0]["reason"]) == (501, "NOT_HONOURED")

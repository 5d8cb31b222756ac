"""Searches of 100,000 mails, files, events and contacts: CPU of the first, of others, after writes.

The first search of a kind makes the indexes that it needs, once for all sessions of a snapshot, so
it is held to what that costs a row; so is the first of a session with a clock of its own, which
makes those of times. The others are of the same kind with other words.
"""

import gc
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from time import process_time

from mockserver.model import JsonObject
from mockserver.state import Clock, Ids, World
from tests.benchmarks.figures import Figure
from tests.mockserver.apis.workspace import Workspace
from tests.tenants import NOW

MANY, VOCABULARY, WORDS = 100_000, 20_000, 40
TARGET_MS, FIRST_MICROSECONDS = 50, 60
DAY = timedelta(days=1)
Asked = tuple[str, JsonObject]


def _text(number: int) -> str:
    """Forty words; `common` in three of ten texts, `rareN` in one of a hundred thousand."""
    several = [f"word{(number * 7919 + each * 104_729) % VOCABULARY}" for each in range(WORDS)]
    return " ".join([*several, *(["a common day"] if number % 10 < 3 else []), f"rare{number}"])


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _mail(number: int) -> JsonObject:
    headers = {"From": f"Ann <ann{number % 500}@example.com>", "To": "bo@example.com",
               "Subject": f"Report {number % 300} of {number % 7}"}  # fmt: skip
    return {
        "id": f"m{number}",
        "threadId": f"m{number}",
        "labelIds": ["INBOX", "UNREAD"] if number % 3 else ["INBOX", "Label_7"],
        "internalDate": str(int((NOW - number * DAY / 100).timestamp() * 1000)),
        "snippet": "a report",
        "sizeEstimate": number,
        "payload": {
            "mimeType": "text/plain",
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "body": {"data": urlsafe_b64encode(_text(number).encode()).decode()},
        },
    }


def _file(number: int) -> JsonObject:
    return {
        "id": f"f{number}",
        "name": f"Plan rare{number} {'common' if number % 10 < 3 else 'other'} {number % 500}",
        "mimeType": "text/plain",
        "parents": [f"folder{number % 1000}"],
        "description": _text(number),
        "modifiedTime": _time(NOW - number * DAY / 100),
    }


def _event(number: int) -> JsonObject:
    start = NOW + number * DAY / 100
    return {
        "id": f"event{number}",
        "summary": f"Meeting {number % 500} {'common' if number % 10 < 3 else 'other'}",
        "description": _text(number),
        "start": {"dateTime": _time(start)},
        "end": {"dateTime": _time(start + timedelta(minutes=30))},
        "updated": _time(NOW),
    }


def _contact(number: int) -> JsonObject:
    return {
        "resourceName": f"people/c{number}",
        "names": [{"givenName": f"Ann{number}", "familyName": f"Common{number % 500}"}],
        "emailAddresses": [{"value": f"ann{number}@example.com"}],
    }


DAILY: JsonObject = {
    "id": "daily",
    "summary": "Standup",
    "start": {"dateTime": "2001-03-02T09:00:00Z", "timeZone": "Europe/Zurich"},
    "end": {"dateTime": "2001-03-02T09:15:00Z", "timeZone": "Europe/Zurich"},
    "recurrence": ["RRULE:FREQ=DAILY"],
    "updated": "2026-03-01T00:00:00Z",
}
EVENTS = "calendars/primary/events"
SINGLE: JsonObject = {"singleEvents": True, "orderBy": "startTime", "maxResults": 50}


def _mail_search(*texts: str, **more: object) -> Sequence[JsonObject]:
    return [{"q": text, **more} for text in texts]


MAILS: Mapping[str, Sequence[JsonObject]] = {
    "a rare word": _mail_search("rare7", "rare77", "rare99999"),
    "a common word": _mail_search("common", "day"),
    "two words": _mail_search("common word7", "day word8"),
    "from:": _mail_search("from:ann7", "from:ann8@example.com"),
    "subject:": _mail_search("subject:7", "subject:report"),
    "a label and a word": _mail_search("label:Label_7 common", "is:unread common"),
    "a phrase": _mail_search('"common day"', '"a common"'),
    "negation": _mail_search("-common", "-from:ann7 -word9"),
    "OR": _mail_search("common OR word8", "{day word7 from:ann7}"),
    "after:": _mail_search("after:2026/02/01", "after:2025/02/01 common"),
    "older_than:": _mail_search("older_than:1y", "older_than:20d common"),
    "larger:": _mail_search("larger:50K", "smaller:50K common"),
}
FILES: Mapping[str, Sequence[JsonObject]] = {
    "name contains": _mail_search("name contains 'common'", "name contains 'oth'"),
    "a rare name": _mail_search("name contains 'rare7'", "name contains 'rare999'"),
    "name =": _mail_search("name = 'Plan rare7 other 7'", "name = 'Plan rare8 other 8'"),
    "fullText contains": _mail_search("fullText contains 'common'", "fullText contains 'word9'"),
    "a phrase in fullText": _mail_search(
        "fullText contains '\"common day\"'", "fullText contains '\"a common\"'"
    ),
    "in parents": _mail_search("'folder7' in parents", "'folder8' in parents"),
    "in parents, and a name": _mail_search(
        "'folder7' in parents and name contains 'plan'",
        "'folder1' in parents and name contains 'com'",
    ),
    "modifiedTime": _mail_search(
        "modifiedTime > '2026-01-01T00:00:00'", "modifiedTime < '2025-01-01T00:00:00'"
    ),
    "mimeType and not trashed": _mail_search(
        "mimeType = 'text/plain' and trashed = false", "mimeType != 'text/plain' or trashed = true"
    ),
    "not a word": _mail_search("not name contains 'common'", "not fullText contains 'word9'"),
}
MEETINGS: Mapping[str, Sequence[JsonObject]] = {
    "q": _mail_search("common", "other"),
    "a rare q": _mail_search("rare7", "rare99999"),
    "two words": _mail_search("common word7", "other word8"),
    "q by startTime": _mail_search("common", "other", **SINGLE),
    "a window": [
        {"timeMin": f"2026-0{n}-02T00:00:00Z", "timeMax": f"2026-0{n}-09T00:00:00Z"} for n in (4, 5)
    ],
    "a window by startTime": [
        {"timeMin": f"2026-0{n}-02T00:00:00Z", "timeMax": f"2026-0{n}-09T00:00:00Z", **SINGLE}
        for n in (4, 5)
    ],
    "timeMin by startTime": [{"timeMin": f"2026-0{n}-02T00:00:00Z", **SINGLE} for n in (4, 5)],
    "singleEvents": [{"singleEvents": True, "maxResults": n} for n in (50, 51)],
    "singleEvents by startTime": [{**SINGLE, "maxResults": n} for n in (50, 51)],
    "by updated": [{"orderBy": "updated", "maxResults": n} for n in (50, 51)],
}
PEOPLE: Mapping[str, Sequence[JsonObject]] = {
    "searchContacts": [
        {"query": text, "readMask": "names"} for text in ("ann7", "common", "ann99")
    ],
}
KINDS: Mapping[str, tuple[str, str, Mapping[str, Sequence[JsonObject]], JsonObject]] = {
    "mails": ("gmail:v1", "gmail.users.messages.list", MAILS, {"userId": "me"}),
    "files": ("drive:v3", "drive.files.list", FILES, {}),
    "events": ("calendar:v3", "calendar.events.list", MEETINGS, {"calendarId": "primary"}),
    "contacts": ("people:v1", "people.people.searchContacts", PEOPLE, {}),
}


def _write(space: Workspace, kind: str, number: int) -> None:
    """Write one row of a kind, as an agent would."""
    if kind == "mails":
        body: JsonObject = {"addLabelIds": ["STARRED"]}
        space.ask("gmail:v1", "gmail.users.messages.modify", body, userId="me", id=f"m{number}")
    elif kind == "files":
        space.ask("drive:v3", "drive.files.create", {"name": f"New plan {number}"})
    elif kind == "events":
        body = {**_event(number), "id": f"made{number}"}
        space.ask("calendar:v3", "calendar.events.insert", body, calendarId="primary")
    else:
        body = {"names": [{"givenName": f"New{number}"}]}
        space.ask("people:v1", "people.people.createContact", body)


def _rows(make: Callable[[int], JsonObject]) -> list[JsonObject]:
    return [make(number) for number in range(MANY)]


def _space(kind: str) -> Workspace:
    if kind == "mails":
        return Workspace("gmail", **{"gmail:v1": {"messages": _rows(_mail)}})
    if kind == "files":
        return Workspace("drive", **{"drive:v3": {"files": _rows(_file)}})
    if kind == "events":
        return Workspace("calendar", **{"calendar:v3": {EVENTS: [DAILY, *_rows(_event)]}})
    return Workspace("people", **{"people:v1": {"people": _rows(_contact)}})


def _open_session(space: Workspace, days: int) -> None:
    """Give the space a session of its own, whose clock has moved so many days."""
    clock = Clock("shift", captured_at=NOW - days * DAY, real=lambda: NOW)
    tables, users = space.world.base, space.world.table("users").rows()
    space.world = World(tables, clock=clock, ids=Ids(1), session=f"s{days}")
    for key, row in users.items():
        space.world.put("users", key, row)


def _cost(space: Workspace, kind: str, params: JsonObject) -> float:
    """Milliseconds of CPU of one list."""
    key, method, _, usual = KINDS[kind]
    started = process_time()
    space.ask(key, method, **usual, **params)
    return (process_time() - started) * 1000


def _figures_of(kind: str) -> Iterator[Figure]:
    space, searches = _space(kind), KINDS[kind][2]
    gc.freeze()
    # the clock of the first session stands as the snapshot's, those of the others are moved
    for days in (0, 3, 4):
        _open_session(space, days)
        for name, several in searches.items():
            first = _cost(space, kind, several[0]) * 1000 / MANY
            title = f"{kind}: {name}"
            if days < 4:
                moved = " with times moved" if days else ""
                yield Figure(f"{title}, the first{moved}", first, FIRST_MICROSECONDS, "us/row")
            if days == 3:
                continue
            if days:
                yield Figure(f"{title}, another session", first * MANY / 1000, TARGET_MS, "ms")
            again = max(_cost(space, kind, each) for each in (*several[1:], *several[1:]))
            yield Figure(f"{title}, then" if not days else f"{title}, and then", again, TARGET_MS,
                         "ms")  # fmt: skip
    for number, (name, several) in enumerate(searches.items()):
        _write(space, kind, number)
        again = max(_cost(space, kind, each) for each in several)
        yield Figure(f"{kind}: {name}, after a write", again, TARGET_MS, "ms")
    gc.unfreeze()


def figures() -> Iterator[Figure]:
    """Yields: Figures."""
    for kind in KINDS:
        yield from _figures_of(kind)

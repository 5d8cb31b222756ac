"""Laws of the collections of Workspace: what is written is read, listed, found, and taken back."""

import dataclasses
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.model import JsonObject
from tests.mockserver.apis.workspace import Workspace

Test = Callable[[str], bool]
TEXTS = st.lists(
    st.sampled_from(["plan", "plans", "a plan", "lunch plan", "plan-b", "Lunch", "übung", "x 7"]),
    max_size=7,
)


def has(*words: str) -> Test:
    """Whether a text has each of some words."""
    return lambda text: set(words) <= set(text.casefold().replace("-", " ").split())


def begins(beginning: str) -> Test:
    """Whether a word of a text begins so."""
    return lambda text: any(
        word.startswith(beginning) for word in text.casefold().replace("-", " ").split()
    )


def raw(text: str) -> str:
    lines = f"To: bo@example.com\r\nSubject: {text}\r\n\r\n{text}".encode()
    return urlsafe_b64encode(lines).decode()


def subject(message: JsonObject) -> str:
    return next(
        str(each["value"]) for each in message["payload"]["headers"] if each["name"] == "Subject"
    )


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A collection, by the methods that make, read, list and search its rows.

    Attributes:
        api: Its package and document, `gmail:v1`.
        make, read, every: Methods.
        body: What makes a row that says a text.
        text: The text of a row that was read.
        named: The parameter that names a row in `read`.
        ident: The id of what a method answers.
        field: Where a list has the rows.
        size: The parameter that sizes pages; empty for lists without pages.
        around: The parameters of each method, and of each alone.
        find: The method that searches, where it is not the list.
        query: The parameter that it searches by, and what it means of a text.
        before: What is made first.
    """

    api: str
    make: str
    read: str
    every: str
    body: Callable[[str], JsonObject]
    text: Callable[[JsonObject], str]
    named: str
    field: str
    ident: Callable[[JsonObject], str] = lambda row: str(row["id"])
    size: str = "pageSize"
    around: JsonObject = dataclasses.field(default_factory=dict)
    making: JsonObject = dataclasses.field(default_factory=dict)
    reading: JsonObject = dataclasses.field(default_factory=dict)
    listing: JsonObject = dataclasses.field(default_factory=dict)
    find: str = ""
    query: str = ""
    finds: Mapping[str, Test] = dataclasses.field(default_factory=dict)
    finding: JsonObject = dataclasses.field(default_factory=dict)
    found: Callable[[JsonObject], Sequence[JsonObject]] | None = None
    before: Callable[[Workspace], JsonObject] = lambda _: {}


def folder_of_permissions(space: Workspace) -> JsonObject:
    made = space.ask("drive:v3", "drive.files.create", {"name": "shared"})
    return {"fileId": made["id"]}


WORDS = {"plan": has("plan"), "lunch plan": has("lunch", "plan"), "nothing": has("nothing")}
NAMED = {
    "name contains 'plan'": begins("plan"),
    "name contains 'lun'": begins("lun"),
    "name = 'lunch'": lambda text: text.casefold() == "lunch",
    "name != 'plan'": lambda text: text.casefold() != "plan",
    "not name contains 'plan'": lambda text: not begins("plan")(text),
    "name contains 'lunch' or name = 'plan'": lambda text: begins("lunch")(text) or text == "plan",
    "modifiedTime > '2020-01-01T00:00:00' and name contains 'plan'": begins("plan"),
    "modifiedTime < '2020-01-01T00:00:00'": lambda _: False,
}
MAIL = {
    **WORDS,
    "subject:plan": has("plan"),
    "-plan": lambda text: not has("plan")(text),
    "plan OR lunch": lambda text: has("plan")(text) or has("lunch")(text),
    "in:inbox subject:(lunch plan)": has("lunch", "plan"),
}
ME: JsonObject = {"userId": "me"}
NOON: JsonObject = {"start": {"dateTime": "2026-03-05T12:00:00Z"},
                    "end": {"dateTime": "2026-03-05T13:00:00Z"}}  # fmt: skip
KINDS = {
    "mails": Kind(
        api="gmail:v1", make="gmail.users.messages.insert", read="gmail.users.messages.get",
        every="gmail.users.messages.list", named="id", field="messages", size="maxResults",
        body=lambda text: {"raw": raw(text), "labelIds": ["INBOX"]}, text=subject, around=ME,
        query="q", finds=MAIL,
    ),
    "threads": Kind(
        api="gmail:v1", make="gmail.users.messages.insert", read="gmail.users.threads.get",
        every="gmail.users.threads.list", named="id", field="threads", size="maxResults",
        body=lambda text: {"raw": raw(text), "labelIds": ["INBOX"]}, around=ME,
        text=lambda row: subject(row["messages"][0]), query="q", finds=MAIL,
    ),
    "drafts": Kind(
        api="gmail:v1", make="gmail.users.drafts.create", read="gmail.users.drafts.get",
        every="gmail.users.drafts.list", named="id", field="drafts", size="maxResults",
        body=lambda text: {"message": {"raw": raw(text)}}, around=ME,
        text=lambda row: subject(row["message"]), query="q", finds=WORDS,
    ),
    "labels": Kind(
        api="gmail:v1", make="gmail.users.labels.create", read="gmail.users.labels.get",
        every="gmail.users.labels.list", named="id", field="labels", size="", around=ME,
        body=lambda text: {"name": text}, text=lambda row: str(row["name"]),
    ),
    "files": Kind(
        api="drive:v3", make="drive.files.create", read="drive.files.get",
        every="drive.files.list", named="fileId", field="files",
        body=lambda text: {"name": text, "mimeType": "text/plain"},
        text=lambda row: str(row["name"]), query="q", finds=NAMED,
    ),
    "permissions": Kind(
        api="drive:v3", make="drive.permissions.create", read="drive.permissions.get",
        every="drive.permissions.list", named="permissionId", field="permissions",
        body=lambda text: {"type": "user", "role": "reader",
                           "emailAddress": f"{ord(text[0])}.{len(text)}@example.com"},
        text=lambda row: str(row["role"]), before=folder_of_permissions,
    ),
    "events": Kind(
        api="calendar:v3", make="calendar.events.insert", read="calendar.events.get",
        every="calendar.events.list", named="eventId", field="items", size="maxResults",
        body=lambda text: {"summary": text, **NOON}, text=lambda row: str(row["summary"]),
        around={"calendarId": "primary"}, query="q",
        finds={"plan": lambda text: "plan" in text.casefold(),
               "lunch plan": lambda text: "lunch" in text.casefold() and "plan" in text},
    ),
    "windows": Kind(
        api="calendar:v3", make="calendar.events.insert", read="calendar.events.get",
        every="calendar.events.list", named="eventId", field="items", size="maxResults",
        body=lambda text: {"summary": text, "start": {"date": f"2026-03-{len(text) + 1:02}"},
                           "end": {"date": f"2026-03-{len(text) + 2:02}"}},
        text=lambda row: str(row["summary"]), around={"calendarId": "primary"}, query="timeMin",
        finds={"2026-03-07T00:00:00Z": lambda text: len(text) + 2 > 7,
               "2026-03-01T00:00:00Z": lambda _: True},
    ),
    "contacts": Kind(
        api="people:v1", make="people.people.createContact", read="people.people.get",
        every="people.people.connections.list", named="resourceName", field="connections",
        body=lambda text: {"names": [{"givenName": text}]},
        text=lambda row: str(row["names"][0]["givenName"]),
        ident=lambda row: str(row["resourceName"]), reading={"personFields": "names"},
        listing={"resourceName": "people/me", "personFields": "names"},
        find="people.people.searchContacts", query="query", finding={"readMask": "names"},
        finds={"plan": begins("plan"), "lun": begins("lun"), "nothing": begins("nothing")},
        found=lambda answer: [each["person"] for each in answer.get("results", [])],
    ),
    "tasks": Kind(
        api="tasks:v1", make="tasks.tasks.insert", read="tasks.tasks.get",
        every="tasks.tasks.list", named="task", field="items", size="maxResults",
        body=lambda text: {"title": text}, text=lambda row: str(row["title"]),
        around={"tasklist": "@default"},
    ),
    "spaces": Kind(
        api="chat:v1", make="chat.spaces.create", read="chat.spaces.get", every="chat.spaces.list",
        named="name", field="spaces", ident=lambda row: str(row["name"]),
        body=lambda text: {"spaceType": "SPACE", "displayName": text},
        text=lambda row: str(row["displayName"]),
    ),
}  # fmt: skip


class Collection:
    """The rows of a kind in a world of their own."""

    def __init__(self, name: str) -> None:
        self.kind = KINDS[name]
        self.is_threads = name == "threads"
        self.space = Workspace(self.kind.api.partition(":")[0])
        self.around = {**self.kind.around, **self.kind.before(self.space)}

    def ask(self, method: str, body: JsonObject | None = None, **params: Any) -> Any:
        return self.space.ask(self.kind.api, method, body, **{**self.around, **params})

    def make(self, text: str) -> str:
        made = self.ask(self.kind.make, self.kind.body(text), **self.kind.making)
        return str(made["threadId"]) if self.is_threads else self.kind.ident(made)

    def read(self, ident: str) -> JsonObject:
        asked: JsonObject = {self.kind.named: ident}
        found: JsonObject = self.ask(self.kind.read, **self.kind.reading, **asked)
        return found

    def text(self, ident: str) -> str:
        return self.kind.text(self.read(ident))

    def pages(self, size: int = 0, **more: Any) -> list[str]:
        found: list[str] = []
        sized: JsonObject = {self.kind.size: size} if size and self.kind.size else {}
        token: JsonObject = {}
        while True:
            answer = self.ask(self.kind.every, **self.kind.listing, **sized, **more, **token)
            found += map(self.kind.ident, answer.get(self.kind.field, []))
            if "nextPageToken" not in answer:
                return found
            token = {"pageToken": answer["nextPageToken"]}

    def search(self, query: str) -> list[str]:
        kind = self.kind
        if kind.found is None:
            return self.pages(2, **{kind.query: query})
        asked: JsonObject = {kind.query: query}
        answer = self.ask(kind.find, **kind.finding, **asked)
        return list(map(kind.ident, kind.found(answer)))


UNLIKE = {"labels", "permissions", "spaces"}
"""Kinds whose rows are told apart by their texts."""
laws = pytest.mark.parametrize("name", KINDS)


def own(texts: list[str], name: str) -> list[str]:
    """The texts that rows side by side may have."""
    return list({text.casefold(): text for text in texts}.values()) if name in UNLIKE else texts


@laws
@settings(max_examples=12)
@given(texts=TEXTS, size=st.integers(1, 4))
def test_what_is_written_is_read_and_listed_on_pages(
    name: str, texts: list[str], size: int
) -> None:
    rows = Collection(name)
    before = rows.pages()
    made = [rows.make(text) for text in own(texts, name)]
    if name != "permissions":
        assert [rows.text(ident) for ident in made] == own(texts, name)
    assert len(set(made)) == len(made)
    listed = rows.pages()
    assert sorted(listed) == sorted([*before, *made])
    assert rows.pages(size) == listed


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.finds])
@settings(max_examples=12)
@given(texts=TEXTS)
def test_a_search_finds_what_a_scan_finds(name: str, texts: list[str]) -> None:
    rows = Collection(name)
    said = {rows.make(text): text for text in texts}
    listed = rows.pages()
    for query, test in rows.kind.finds.items():
        wanted = [ident for ident in listed if ident in said and test(said[ident])]
        found = [ident for ident in rows.search(query) if ident in said]
        assert (query, sorted(found)) == (query, sorted(wanted))


@laws
@settings(max_examples=8)
@given(first=TEXTS, then=TEXTS)
def test_what_is_taken_back_was_never_there(name: str, first: list[str], then: list[str]) -> None:
    rows = Collection(name)
    kept = own(first, name)
    made = [rows.make(text) for text in kept]
    since, listed = rows.space.world.history.latest, rows.pages()
    read = [rows.read(ident) for ident in made]
    for text in own([*kept, *then], name)[len(kept) :]:
        rows.make(text)
    rows.space.world.undo(since)
    assert rows.pages() == listed
    assert [rows.read(ident) for ident in made] == read

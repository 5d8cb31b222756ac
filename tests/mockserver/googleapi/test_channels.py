"""Channels: what they are told of changes, and which cannot be opened."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from mockserver.googleapi import ApiError, Call
from mockserver.googleapi.channels import (
    Events,
    close_channel,
    notify_channels,
    open_channel,
    watch_address,
)
from mockserver.model import JsonObject
from mockserver.state import NOTIFICATIONS, World
from tests.shelves import NOW, world

EVENTS = Events(
    added="add", changed="update", removed="remove", flags={"trashed": ("trash", "untrash")},
    returned="back", waiting="bin", aspects={"title": "content", "owner": "people"},
    shown=("name", "title"), kind="shelf#book", seconds=60,
)  # fmt: skip
CHANNEL: JsonObject = {"id": "c1", "type": "web_hook", "address": "https://a.test/hook"}
URI = "https://books.test/books"
NOW_MS = int(NOW.timestamp() * 1000)


def opened(over: World, sent: JsonObject, place: str = "books", **only: Any) -> JsonObject:
    call = Call("books.watch", {}, sent, over)
    return open_channel(call, only.pop("events", EVENTS), "books", place, URI, **only)


def heard(over: World) -> list[tuple[str, JsonObject | None, str]]:
    """Event, body and changed parts of each message."""
    rows = over.table(NOTIFICATIONS).rows().values()
    return [(row["event"], row["body"], row["headers"].get("X-Goog-Changed", "")) for row in rows]


def change(over: World, *writes: tuple[str, str, JsonObject | None]) -> None:
    latest = over.history.latest
    for table, key, row in writes:
        if row is None:
            over.delete(table, key)
        else:
            over.put(table, key, row)
    notify_channels(over, "books.update", over.history.since(latest) or ())


def test_a_channel_is_told_at_once_that_it_is_there() -> None:
    over = world()
    shown = {
        "kind": "api#channel", "id": "c1", "resourceUri": URI, "token": "t",
        "expiration": str(NOW_MS + 60_000),
    }  # fmt: skip
    made = opened(over, {**CHANNEL, "token": "t"})
    assert made == {**shown, "resourceId": made["resourceId"]}
    assert len(made["resourceId"]) == 32
    (row,) = over.table(NOTIFICATIONS).rows().values()
    assert {name: row[name] for name in ("method", "event", "url", "headers", "body", "at")} == {
        "method": "books.watch",
        "event": "sync",
        "url": "https://a.test/hook",
        "headers": {
            "X-Goog-Channel-ID": "c1",
            "X-Goog-Channel-Expiration": "Thu, 01 Jan 2026 00:01:00 GMT",
            "X-Goog-Resource-ID": made["resourceId"],
            "X-Goog-Resource-URI": URI,
            "X-Goog-Resource-State": "sync",
            "X-Goog-Message-Number": "1",
            "X-Goog-Channel-Token": "t",
        },
        "body": None,
        "at": "2026-01-01T00:00:00.000Z",
    }
    plain = opened(over, {**CHANNEL, "id": "c2"})
    assert "token" not in plain
    assert plain["resourceId"] == made["resourceId"]


@pytest.mark.parametrize(
    ("more", "lives_s"),
    [
        ({}, 60), ({"params": {"ttl": "7"}}, 7), ({"params": {"ttl": "x"}}, 60),
        ({"expiration": NOW_MS + 1}, 0.001), ({"expiration": str(NOW_MS + 9000)}, 9),
    ],
)  # fmt: skip
def test_a_channel_ends_when_it_asks_to(more: JsonObject, lives_s: float) -> None:
    ends = opened(world(), {**CHANNEL, **more})["expiration"]
    assert int(ends) == NOW_MS + lives_s * 1000


@pytest.mark.parametrize(
    ("more", "message", "reason", "location"),
    [
        ({"id": ""}, "entity.id is required", "required", "id"),
        ({"type": None}, "entity.type is required", "required", "type"),
        ({"address": ""}, "entity.address is required", "required", "address"),
        ({"type": "mail"}, "Unknown channel type: mail", "invalid", "type"),
        ({"id": "c" * 65}, "Channel id is longer than 64 characters", "invalid", "id"),
        ({"address": "http://a.test/x"}, "WebHook callback must be HTTPS: http://a.test/x",
         "push.webhookUrlNotHttps", ""),
        ({"id": "c0"}, "Channel id c0 not unique", "channelIdNotUnique", ""),
        ({"expiration": NOW_MS}, "Channel expiration is in the past", "invalid", "expiration"),
    ],
)  # fmt: skip
def test_a_channel_that_cannot_be_is_refused(
    more: JsonObject, message: str, reason: str, location: str
) -> None:
    over = world()
    opened(over, {**CHANNEL, "id": "c0"})
    with pytest.raises(ApiError) as refused:
        opened(over, {**CHANNEL, **more})
    error = refused.value
    assert (error.status, error.message, error.reason, error.location) == (
        400, message, reason, location,
    )  # fmt: skip


def test_an_id_may_be_long_and_an_address_on_this_machine() -> None:
    over = world()
    opened(over, {**CHANNEL, "id": "c" * 64, "address": "http://127.0.0.1:9/x", "type": "webhook"})
    assert len(heard(over)) == 1


BOOK = {"name": "a", "title": "A", "owner": "ann"}


@pytest.mark.parametrize(
    ("writes", "told"),
    [
        ([("books", "books/b", {"name": "b"})], ("add", {"kind": "shelf#book", "name": "b"}, "")),
        ([("books", "books/b", {})], ("add", None, "")),
        ([("books", "books/a", {**BOOK, "title": "B"})],
         ("update", {"kind": "shelf#book", "name": "a", "title": "B"}, "content")),
        ([("books", "books/a", {"name": "a"})],
         ("update", {"kind": "shelf#book", "name": "a"}, "content,people")),
        ([("books", "books/a", {**BOOK, "n": 1})],
         ("update", {"kind": "shelf#book", "name": "a", "title": "A"}, "")),
        ([("books", "books/a", {**BOOK, "trashed": True})],
         ("trash", {"kind": "shelf#book", "name": "a", "title": "A"}, "")),
        ([("books", "books/a", None)],
         ("remove", {"kind": "shelf#book", "name": "a", "title": "A"}, "")),
        ([("bin", "books/c", None), ("books", "books/c", {"name": "c"})],
         ("back", {"kind": "shelf#book", "name": "c"}, "")),
        ([("books", "books/a", {"n": 1}), ("books", "books/a", BOOK)], None),
        ([("books", "shelves/a", {})], None),
        ([("other", "books/b", {})], None),
    ],
)  # fmt: skip
def test_a_channel_is_told_of_what_became_of_each_row(
    writes: list[tuple[str, str, JsonObject | None]], told: tuple[str, JsonObject, str] | None
) -> None:
    over = world()
    over.put("books", "books/a", BOOK)
    over.put("bin", "books/c", {})
    opened(over, CHANNEL)
    change(over, *writes)
    assert heard(over)[1:] == ([told] if told else [])


def test_a_flag_that_falls_is_an_event_of_its_own() -> None:
    trashed = {**BOOK, "trashed": True}
    assert EVENTS.of(trashed, BOOK) == "untrash"
    assert EVENTS.of(trashed, {**trashed, "title": "B"}) == "update"
    assert replace(EVENTS, added="").of(None, BOOK) == ""


@pytest.mark.parametrize(
    ("only", "count"),
    [
        ({}, 2), ({"event": "add"}, 1), ({"event": "remove"}, 0),
        ({"ending": {"name": "@x.test"}}, 1), ({"ending": {"mail": "x"}}, 2),
        ({"events": replace(EVENTS, added="")}, 1), ({"events": replace(EVENTS, changed="")}, 1),
    ],
)  # fmt: skip
def test_a_channel_is_told_what_it_watches_and_no_more(only: dict[str, Any], count: int) -> None:
    over = world()
    over.put("books", "books/a", BOOK)
    opened(over, CHANNEL, **only)
    change(over, ("books", "books/a", {"name": "a"}), ("books", "books/b", {"name": "b@x.test"}))
    assert len(heard(over)) == 1 + count


def test_nothing_is_told_after_the_end() -> None:
    over = world()
    opened(over, {**CHANNEL, "expiration": NOW_MS + 1})
    close = {"id": "c2", "resourceId": opened(over, {**CHANNEL, "id": "c2"})["resourceId"]}
    with pytest.raises(ApiError, match="Channel 'c2' not found"):
        close_channel(Call("channels.stop", {}, {**close, "resourceId": "x"}, over))
    close_channel(Call("channels.stop", {}, close, over))
    with pytest.raises(ApiError, match="Channel 'c2' not found"):
        close_channel(Call("channels.stop", {}, close, over))
    change(over, ("books", "books/a", BOOK))
    assert [event for event, _, _ in heard(over)] == ["sync", "sync", "add"]
    over.clock.advance(timedelta(milliseconds=1))
    change(over, ("books", "books/a", None))
    assert len(heard(over)) == 3


def test_the_address_of_what_is_watched_has_what_selects() -> None:
    params = {"q": "a b", "types": ["x", "y"], "size": 3, "none": ""}
    call = Call("books.watch", params, {}, world())
    assert watch_address(call, "books/v1/books", "q", "types", "none", "absent") == (
        "https://www.googleapis.com/books/v1/books?alt=json&q=a+b&types=x&types=y"
    )
    assert watch_address(call, "x").endswith("/x?alt=json")

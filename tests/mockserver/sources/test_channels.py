"""Channels of Google's APIs: changes of what they watch are posted to addresses on this machine."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mockserver.state import CHANNELS, NOTIFICATIONS
from tests.mockserver.declared.worlds import Declared, declared, write_suite
from tests.mockserver.sources.test_deliveries import receiver
from tests.patience import until

_FILES = [{"id": "f1", "name": "one"}, {"id": "f2", "name": "two"}]
_EVENTS = [{"id": "e1", "summary": "one", "start": {"dateTime": "2026-11-22T09:00:00Z"},
            "end": {"dateTime": "2026-11-22T10:00:00Z"}}]  # fmt: skip
_USER = {"id": "1", "primaryEmail": "ann@example.com", "name": {"fullName": "Ann"}}
_NEW_USER = {"primaryEmail": "bob@example.com", "password": "12345678",
             "name": {"givenName": "Bob", "familyName": "B"}}  # fmt: skip
_CHANNEL = {"id": "c1", "type": "web_hook", "address": "https://hooks.example.com/"}
_USERS = "/admin/directory/v1/users"
_CALENDAR = "/www.googleapis.com/calendar/v3"
_EVENT = f"{_CALENDAR}/calendars/primary/events"


def suite(folder: Path) -> Path:
    resources = {"drive:v3": {"files": _FILES}, "calendar:v3": {"events": _EVENTS}}
    base: dict[str, Any] = {"resources": resources, "users": [_USER]}
    return write_suite(folder, {"api": "shop", "base_path": "/shop"}, **base)


async def ask(shop: Declared, verb: str, path: str, **body: Any) -> Any:
    headers = {"authorization": f"Bearer {shop.session.token}"}
    found = await shop.ask(verb, path, json=body or None, headers=headers)
    assert found.status_code < 300, found.text
    return found.json() if found.content else None


def messages(shop: Declared) -> list[dict[str, Any]]:
    return list(shop.session.world.table(NOTIFICATIONS).rows().values())


@pytest.mark.parametrize(
    ("stem", "watched", "changes", "told"),
    [
        (_CALENDAR, f"{_EVENT}/watch", [
            ("POST", _EVENT, {**_EVENTS[0], "id": "e2345"}), ("DELETE", f"{_EVENT}/e1", {})],
         [("exists", None, None)] * 2),
        ("/drive/v3", "/drive/v3/files/f1/watch", [
            ("PATCH", "/drive/v3/files/f1", {"name": "new"}),
            ("PATCH", "/drive/v3/files/f2", {"name": "other"}),
            ("PATCH", "/drive/v3/files/f1", {"trashed": True}),
            ("DELETE", "/drive/v3/files/f1", {})],
         [("update", "properties", None), ("trash", None, None), ("remove", None, None)]),
        ("/drive/v3", "/drive/v3/changes/watch?pageToken=1", [
            ("POST", "/drive/v3/files", {"name": "new"})],
         [("change", None, None)]),
        ("/admin/directory_v1", f"{_USERS}/watch?domain=example.com&event=add", [
            ("POST", _USERS, _NEW_USER), ("PATCH", f"{_USERS}/1", {"suspended": True})],
         [("add", None, "bob@example.com")]),
        ("/admin/directory_v1", f"{_USERS}/watch?customer=my_customer", [
            ("POST", f"{_USERS}/1/makeAdmin", {"status": True}), ("DELETE", f"{_USERS}/1", {}),
            ("POST", f"{_USERS}/1/undelete", {"orgUnitPath": "/"})],
         [("makeAdmin", None, "ann@example.com"), ("delete", None, "ann@example.com"),
          ("undelete", None, "ann@example.com")]),
    ],
)  # fmt: skip
async def test_what_changes_is_told_in_googles_form(
    tmp_path: Path, stem: str, watched: str, changes: list[tuple[str, str, Any]], told: list[Any]
) -> None:
    async with declared(suite(tmp_path)) as shop:
        made = await ask(shop, "POST", watched, **_CHANNEL)
        for verb, path, body in changes:
            await ask(shop, verb, path, **body)
        sync, *others = messages(shop)
        assert sync["event"] == "sync"
        assert [
            (each["event"], each["headers"].get("X-Goog-Changed"),
             (each["body"] or {}).get("primaryEmail"))
            for each in others
        ] == told  # fmt: skip
        numbers = [each["headers"]["X-Goog-Message-Number"] for each in messages(shop)]
        assert numbers == [str(number + 1) for number in range(len(numbers))]
        stop = {"id": "c1", "resourceId": made["resourceId"]}
        await ask(shop, "POST", f"{stem}/channels/stop", **stop)
        assert not shop.session.world.table(CHANNELS)


async def test_messages_reach_their_address(tmp_path: Path) -> None:
    async with receiver() as there, declared(suite(tmp_path)) as shop:
        channel = {**_CHANNEL, "address": there.url, "token": "t"}
        made = await ask(shop, "POST", "/drive/v3/files/f1/watch", **channel)
        await ask(shop, "PATCH", "/drive/v3/files/f1", name="new")
        await until(lambda: len(there.heads) > 1, "every message")
        head = there.heads[1].decode().lower()
        for name, value in (
            ("channel-id", "c1"), ("channel-token", "t"), ("message-number", "2"),
            ("resource-id", made["resourceId"]), ("resource-state", "update"),
            ("resource-uri", "https://www.googleapis.com/drive/v3/files/f1?alt=json"),
        ):  # fmt: skip
            assert f"\r\nx-goog-{name}: {value}\r\n" in head
        assert there.bodies == [None, None]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"id": ""}, "entity.id is required"),
        ({"address": "http://hooks.example.com/"}, "WebHook callback must be HTTPS"),
        ({"type": "mail"}, "Unknown channel type"),
        ({"expiration": "1000"}, "in the past"),
        ({"id": "c1"}, "not unique"),
    ],
)
async def test_a_channel_that_cannot_be_is_refused(
    tmp_path: Path, wrong: dict[str, str], text: str
) -> None:
    async with declared(suite(tmp_path)) as shop:
        await ask(shop, "POST", f"{_EVENT}/watch", **_CHANNEL)
        with pytest.raises(AssertionError, match=text):
            await ask(shop, "POST", f"{_EVENT}/watch", **{**_CHANNEL, "id": "c2", **wrong})


async def test_what_is_taken_back_and_what_is_too_late_is_not_told(tmp_path: Path) -> None:
    async with declared(suite(tmp_path)) as shop:
        await ask(shop, "POST", f"{_EVENT}/watch", **_CHANNEL, params={"ttl": "60"})
        with pytest.raises(AssertionError):
            await ask(shop, "POST", _EVENT, id="e1")
        shop.session.world.clock.advance(timedelta(seconds=60))
        await ask(shop, "DELETE", f"{_EVENT}/e1")
        assert [each["event"] for each in messages(shop)] == ["sync"]
        assert "not on this machine" in messages(shop)[0]["delivery"]

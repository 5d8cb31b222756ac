"""Channels: what `watch` methods open, and the messages about changed rows that they get.

Source: the guides "Push notifications" of Calendar, Drive, Directory and Reports. Not verified
against the live API: texts of refusals, that one request makes one message of each kind.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from hashlib import blake2s
from typing import NamedTuple
from urllib.parse import urlencode

from mockserver.collections import Index
from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import ApiError, invalid, not_found
from mockserver.googleapi.names import WILDCARD
from mockserver.model import Json, JsonObject
from mockserver.state import (
    CHANNELS,
    NOTIFICATIONS,
    Change,
    World,
    is_on_this_machine,
    record_message,
    rfc3339,
)

_TYPES = frozenset({"web_hook", "webhook"})
_SHOWN = ("kind", "id", "resourceId", "resourceUri", "token", "expiration")
_BY_TABLE = Index(lambda _, row: row["watched"]["tables"])
_Net = dict[tuple[str, str], tuple[JsonObject | None, JsonObject | None]]
"""Table and key of what a request changed to the rows before and after it."""
_LONGEST_ID = 64


@dataclass(frozen=True, kw_only=True)
class Events:
    """What an API calls the changes of some rows, and what it tells of them.

    Attributes:
        added: What a new row is; empty where nobody is told.
        changed: What a change is; empty likewise.
        removed: What a deletion is; empty likewise.
        flags: Field to what it is when that becomes true, and when it no longer is.
        returned: What a row is that comes back from the table `waiting`; that of an added row when
            empty.
        waiting: The table of deleted rows.
        aspects: Field to the part of a row that has changed with it.
        shown: The fields that a message holds; none for a message without a body.
        kind: The kind of a message's body.
        seconds: How long a channel lives that asks for no time.
    """

    added: str = "exists"
    changed: str = "exists"
    removed: str = "not_exists"
    flags: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    returned: str = ""
    waiting: str = ""
    aspects: Mapping[str, str] = field(default_factory=dict)
    shown: Sequence[str] = ()
    kind: str = ""
    seconds: int = 7 * 24 * 3600

    def of(self, before: JsonObject | None, after: JsonObject | None) -> str:
        """What a change is called; an empty string where nobody is told."""
        if before is None:
            return self.added
        if after is None:
            return self.removed
        for name, (becoming, ceasing) in self.flags.items():
            if bool(after.get(name)) != bool(before.get(name)):
                return becoming if after.get(name) else ceasing
        return self.changed


def open_channel(
    call: Call, events: Events, table: str, place: str, uri: str, **only: Json
) -> JsonObject:
    """Answers a `watch` method: a channel, which is told at once that it is there.

    Args:
        call: The call; its body is the channel.
        events: What the API calls changes.
        table: The table that is watched.
        place: The row that is watched, or what its rows are inside of; `-` is any segment.
        uri: The address of what is watched.
        only: The one `event` that is told, and `ending`: fields and what they end with.

    Raises:
        ApiError: 400 for a channel without an id or an address, or with one that cannot be.
    """
    world, sent = call.world, call.body
    _check_channel(world, sent)
    row: JsonObject = {
        "kind": "api#channel",
        "id": sent["id"],
        "resourceId": blake2s(uri.encode(), digest_size=16).hexdigest(),
        "resourceUri": uri,
        **({"token": sent["token"]} if sent.get("token") else {}),
        "expiration": _expiration(sent, world.clock.now(), events),
        "type": sent["type"],
        "address": sent["address"],
        "watched": {"tables": [table], "place": place, "events": asdict(events), **only},
    }
    world.put(CHANNELS, row["id"], row)
    _post(world, row, _Notice("sync"), call.id)
    return {name: row[name] for name in _SHOWN if name in row}


def watch_address(call: Call, path: str, *params: str) -> str:
    """The address of what a `watch` method is about: its path, and the parameters that select."""
    asked = {name: call.params[name] for name in params if call.params.get(name)}
    query = f"&{urlencode(asked, doseq=True)}" if asked else ""
    return f"https://www.googleapis.com/{path}?alt=json{query}"


def _check_channel(world: World, sent: JsonObject) -> None:
    for name in ("id", "type", "address"):
        if not sent.get(name):
            raise ApiError(400, f"entity.{name} is required", reason="required", location=name)
    if sent["type"] not in _TYPES:
        raise invalid(f"Unknown channel type: {sent['type']}", location="type")
    if len(sent["id"]) > _LONGEST_ID:
        raise invalid(f"Channel id is longer than {_LONGEST_ID} characters", location="id")
    address = sent["address"]
    if not address.startswith("https://") and not is_on_this_machine(address):
        text = f"WebHook callback must be HTTPS: {address}"
        raise ApiError(400, text, reason="push.webhookUrlNotHttps")
    if sent["id"] in world.table(CHANNELS):
        text = f"Channel id {sent['id']} not unique"
        raise ApiError(400, text, reason="channelIdNotUnique")


def _expiration(sent: JsonObject, now: datetime, events: Events) -> str:
    """When a channel ends, in milliseconds since 1970."""
    present = round(now.timestamp() * 1000)
    asked = sent.get("expiration")
    if asked is not None:
        if int(asked) <= present:
            raise invalid("Channel expiration is in the past", location="expiration")
        return str(asked)
    ttl = str((sent.get("params") or {}).get("ttl", ""))
    return str(present + 1000 * (int(ttl) if ttl.isdecimal() else events.seconds))


def close_channel(call: Call) -> None:
    """Answers `channels.stop`.

    Raises:
        ApiError: 404: there is no such channel, or it watches another resource.
    """
    channel = str(call.body.get("id", ""))
    row = call.world.table(CHANNELS).get(channel)
    if row is None or row["resourceId"] != call.body.get("resourceId"):
        raise not_found(f"Channel '{channel}' not found", name=channel)
    call.world.delete(CHANNELS, channel)


class _Notice(NamedTuple):
    """What a channel is told: the event, what a message holds, and which parts have changed."""

    event: str
    body: JsonObject | None = None
    aspects: str = ""


def notify_channels(world: World, method: str, changes: Iterable[Change]) -> None:
    """Post what a request changed to the channels that watch it."""
    channels = world.table(CHANNELS)
    now = world.clock.now().timestamp() * 1000
    net: _Net = {}
    for each in changes:
        place = each.collection, each.key
        net[place] = net.get(place, (each.before, None))[0], each.after
    messages: dict[tuple[str, str], tuple[JsonObject, _Notice]] = {}
    for place, (before, after) in net.items():
        for channel in channels.find(_BY_TABLE, place[0]) if before != after else ():
            told = _notice_of(channel["watched"], place[1], net, place)
            if told.event and int(channel["expiration"]) > now:
                messages[channel["id"], str(told)] = channel, told
    for channel, told in messages.values():
        _post(world, channel, told, method)


def _notice_of(watched: JsonObject, key: str, net: _Net, place: tuple[str, str]) -> _Notice:
    """What is told of a changed row; nothing has no event."""
    events, (before, after) = Events(**watched["events"]), net[place]
    row: JsonObject = after or before or {}
    event = events.of(before, after)
    if before is None and (events.waiting, key) in net:
        event = events.returned
    ending = watched.get("ending", {})
    if (
        watched.get("event", event) != event
        or not _is_inside(key, watched["place"])
        or not all(str(row.get(name, end)).endswith(end) for name, end in ending.items())
    ):
        return _Notice("")
    body = {name: row[name] for name in events.shown if name in row}
    both = before is not None and after is not None
    aspects = dict.fromkeys(
        aspect
        for name, aspect in events.aspects.items()
        if both and (before or {}).get(name) != row.get(name)
    )
    return _Notice(event, {"kind": events.kind, **body} if body else None, ",".join(aspects))


def _is_inside(key: str, place: str) -> bool:
    """Whether a row is the one of a place, or inside of it.

    >>> _is_inside("files/1/replies/2", "files/1"), _is_inside("calendars/-/events/1", "files")
    (True, False)
    """
    own, around = key.split("/"), place.split("/") if place else ()
    return len(own) >= len(around) and all(
        one == other or WILDCARD in {one, other} for one, other in zip(own, around, strict=False)
    )


def _post(world: World, channel: JsonObject, told: _Notice, method: str) -> None:
    ends = datetime.fromtimestamp(int(channel["expiration"]) / 1000, UTC)
    headers = {
        "X-Goog-Channel-ID": channel["id"],
        "X-Goog-Channel-Expiration": format_datetime(ends, usegmt=True),
        "X-Goog-Resource-ID": channel["resourceId"],
        "X-Goog-Resource-URI": channel["resourceUri"],
        "X-Goog-Resource-State": told.event,
        "X-Goog-Message-Number": str(world.count(f"channel {channel['id']}")),
        **({"X-Goog-Channel-Token": channel["token"]} if "token" in channel else {}),
        **({"X-Goog-Changed": told.aspects} if told.aspects else {}),
    }
    message: JsonObject = {
        "method": method, "event": told.event, "url": channel["address"], "headers": headers,
        "body": told.body, "at": rfc3339(world.clock.now()),
    }  # fmt: skip
    record_message(world, NOTIFICATIONS, message, headers)

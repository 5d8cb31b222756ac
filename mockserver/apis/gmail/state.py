"""Mailboxes: whose they are, what a search finds, what a format shows, what happened in them."""

from collections.abc import Iterator, Sequence, Set
from heapq import merge
from itertools import islice

from typing_extensions import override

from mockserver.apis.gmail import DELEGATES, MAIL, SENT
from mockserver.apis.gmail.mime import encode_base64url, mime_of
from mockserver.apis.gmail.search import Labelled, Test, read_search, sent_at
from mockserver.collections import LAST, Index, Range, Store
from mockserver.collections.query import Parts
from mockserver.collections.selections import AllOf, ByIndex, Selection
from mockserver.googleapi import ApiError, Call
from mockserver.googleapi.filter_trees import Tree, tree_selection
from mockserver.model import JsonObject
from mockserver.state import World, admin_email

_ME = "me"
_UNASKED = frozenset({"TRASH", "SPAM"})
"""Labels of messages that a list has only when it is asked for them."""

_HIDDEN = ("user", "sentTime", "draftId")
_FIRST_HISTORY = 1000
"""The history id of a mailbox whose messages tell none."""


def invalid_argument(text: str, code: str = "") -> ApiError:
    """400, as Gmail refuses what a request says."""
    return ApiError(400, text, reason="invalidArgument", code_name=code)


def own_address(call: Call) -> str:
    """The mailbox that a call is about.

    Raises:
        ApiError: 403 when it is neither the caller's nor delegated to the caller.
    """
    mine = call.caller.email or admin_email(call.world)
    asked = str(call.params.get("userId", _ME))
    if asked in {_ME, mine}:
        return mine
    if f"{asked}/{mine}" in call.world.table(DELEGATES):
        return asked
    raise ApiError(403, f"Delegation denied for {mine}", reason="forbidden")


def messages_of(world: World, owner: str) -> Iterator[JsonObject]:
    """All messages of a mailbox; one without an owner is in every mailbox.

    Yields:
        Messages, in no order.
    """
    for name in (SENT, MAIL):
        for row in world.table(name).rows().values():
            if row.get("user", owner) == owner:
                yield row


BY_ID = Index(lambda _, row: (str(row["id"]),))
BY_THREAD = Index(lambda _, row: (str(row["threadId"]),))
BY_LABEL = Index(lambda _, row: dict.fromkeys(map(str, row.get("labelIds", ()))))
BY_DRAFT = Index(lambda _, row: (row["draftId"],) if "draftId" in row else ())
_BY_HISTORY = Index(
    lambda _, row: (int(row["historyId"]),) if str(row.get("historyId")).isdecimal() else ()
)


def messages_with(world: World, owner: str, index: Index, value: str) -> list[JsonObject]:
    """The messages of a mailbox that an index finds by a value, in the order of `messages_of`."""
    return [
        row
        for name in (SENT, MAIL)
        for row in world.table(name).find(index, value)
        if row.get("user", owner) == owner
    ]


def table_of(world: World, ident: str) -> str:
    """The table that holds a message, or an empty string."""
    return next((name for name in (SENT, MAIL) if ident in world.table(name)), "")


def first_history_id(world: World) -> int:
    """The history id of a session's beginning; each of its changes adds one."""
    found = [_FIRST_HISTORY]
    for name in (SENT, MAIL):
        if name in world.base.tables and (ids := world.base.tables[name].ordered(_BY_HISTORY)):
            found.append(ids.entries(len(ids) - 1)[0][0])
    return max(found)


def history_id(world: World, *, ahead: int = 0) -> str:
    """The history id of the latest change, or of one ahead."""
    return str(first_history_id(world) + world.history.latest + ahead)


def put_message(world: World, name: str, row: JsonObject) -> JsonObject:
    """Keep a message in a table, as changed now."""
    row = {**row, "historyId": history_id(world, ahead=1)}
    world.put(name, str(row["id"]), row)
    return row


def brief_message(row: JsonObject) -> JsonObject:
    """What lists and changes tell of a message."""
    return {name: row[name] for name in ("id", "threadId", "labelIds") if name in row}


def _places(row: JsonObject) -> Iterator[tuple[str, str, int]]:
    """Where a message stands among those of its owner, the latest first.

    Yields:
        Label, empty for all mail, owner and time.
    """
    for label in dict.fromkeys(("", *map(str, row.get("labelIds", ())))):
        yield label, str(row.get("user", "")), -sent_at(row)


_BY_TIME = Index(lambda _, row: _places(row), timed=True)
_SHOWN = Index(
    lambda _, row: _places(row) if _UNASKED.isdisjoint(row.get("labelIds", ())) else (), timed=True
)
"""Messages outside trash and spam."""


class _Latest(Parts[JsonObject]):
    """Messages of a mailbox in all mail or under a label, the latest first, read as they are taken.

    Args:
        world: The session's world.
        index: The messages that are meant.
        label: The label; all mail when empty.
        owner: The mailbox; messages without an owner are in every mailbox.
    """

    def __init__(self, world: World, index: Index, label: str, owner: str) -> None:
        self._tables = [world.table(name) for name in (SENT, MAIL)]
        self._ranges = [
            (number, table.between(index, (label, whose), (label, whose, LAST)))
            for number, table in enumerate(self._tables)
            for whose in ("", owner)
        ]

    @override
    def __len__(self) -> int:
        return sum(len(found) for _, found in self._ranges)

    @override
    def part(self, start: int, stop: int) -> list[JsonObject]:
        places = merge(*(self._entries(number, found, stop) for number, found in self._ranges))
        several = islice(places, start, stop)
        return [self._tables[number].get(key) or {} for _, number, _, key in several]

    @staticmethod
    def _entries(number: int, found: Range, stop: int) -> Iterator[tuple[int, int, int, str]]:
        for (_, _, time), place, key in found.entries(0, stop):
            yield time, number, place, key


def find_messages(call: Call) -> Sequence[JsonObject]:
    """The messages that a list asks for, the latest first.

    Raises:
        ApiError: 501 for a search that cannot be honoured.
    """
    mine = own_address(call)
    wanted = set(call.params.get("labelIds", ()))
    search = read_search(call, str(call.params.get("q") or ""))
    hidden = set() if call.params.get("includeSpamTrash") else {*_UNASKED}
    hidden -= {*search.hidden, *wanted}
    world = call.world
    if len(wanted) <= 1 and not call.params.get("q") and hidden in ({*_UNASKED}, set()):
        found = _Latest(world, _SHOWN if hidden else _BY_TIME, "".join(wanted), mine)
        return found if len(found) else []
    rows: list[JsonObject] = []
    for name in (SENT, MAIL):
        table = world.table(name)
        labels = [_labelled(table, {each}) for each in wanted]
        where = AllOf([search_selection(table, search.tree), *labels])
        rows += [
            row
            for row in table.rows_of(where.places())
            if row.get("user", mine) == mine and hidden.isdisjoint(row.get("labelIds", ()))
        ]
    return sorted(rows, key=sent_at, reverse=True)


def search_selection(table: Store, tree: Tree[Test]) -> Selection:
    """The messages of a table that a search means; an index knows those with labels."""

    def look_up(test: Test) -> Selection | None:
        return _labelled(table, test.labels) if isinstance(test, Labelled) else None

    return tree_selection(tree, table, lambda test: test, look_up, "texts of messages")


def _labelled(table: Store, labels: Set[str]) -> ByIndex:
    bounds = [(each, f"{each}\0") for each in labels]
    return ByIndex(table, BY_LABEL, bounds, words=f"label {' or '.join(sorted(labels))}"[:80])


def message_in_format(row: JsonObject, form: str, headers: Sequence[str]) -> JsonObject:
    """A message in a format: `full`, `metadata`, `minimal` or `raw`."""
    seen = {name: value for name, value in row.items() if name not in _HIDDEN}
    if isinstance(seen.get("payload"), dict):
        seen["payload"] = _with_attachment_ids(seen["payload"], str(row["id"]))
    seen["internalDate"] = str(sent_at(row))
    if form == "raw":
        seen.setdefault("raw", encode_base64url(mime_of(row.get("payload") or {})))
        seen.pop("payload", None)
        return seen
    seen.pop("raw", None)
    if form == "minimal":
        seen.pop("payload", None)
    if form == "metadata" and "payload" in seen:
        wanted = {name.casefold() for name in headers}
        told = [
            each
            for each in seen["payload"].get("headers", ())
            if not wanted or each["name"].casefold() in wanted
        ]
        seen["payload"] = {"mimeType": seen["payload"].get("mimeType"), "headers": told}
    return seen


def _with_attachment_ids(part: JsonObject, message: str) -> JsonObject:
    """A part as it is shown: the data of attachments are asked for by their ids."""
    shown = dict(part)
    if _is_attachment(part):
        body = {name: value for name, value in part["body"].items() if name != "data"}
        shown["body"] = {"attachmentId": attachment_id(part, message), **body}
    if part.get("parts"):
        shown["parts"] = [_with_attachment_ids(each, message) for each in part["parts"]]
    return shown


def _is_attachment(part: JsonObject) -> bool:
    body = part.get("body")
    return isinstance(body, dict) and bool("attachmentId" in body or part.get("filename"))


def attachment_id(part: JsonObject, message: str) -> str:
    """The id of an attachment: its own, or one made of its message and place."""
    own = part.get("body", {}).get("attachmentId")
    return str(own or f"ANGj{message}-{part.get('partId', '')}")


def attachment_parts(part: JsonObject) -> Iterator[JsonObject]:
    """The parts of a message that are attachments.

    Yields:
        Parts, in order.
    """
    if _is_attachment(part):
        yield part
    for each in part.get("parts", ()):
        yield from attachment_parts(each)

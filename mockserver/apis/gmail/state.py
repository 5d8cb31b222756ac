"""Mailboxes: whose they are, what a search finds, what a format shows, what happened in them."""

from collections.abc import Iterator, Sequence, Set
from heapq import merge
from itertools import islice

from typing_extensions import override

from mockserver.apis.gmail import DELEGATES, MAIL, SENT
from mockserver.apis.gmail.mime import encode_base64url, mime_of
from mockserver.apis.gmail.search import Leaves, read_search, sent_at, with_labels
from mockserver.collections import LAST, Index, Range, Store
from mockserver.collections.query import Parts
from mockserver.collections.selections import AllOf, ByIndex, Selection, Without, numbers_of
from mockserver.googleapi import ApiError, Call
from mockserver.googleapi.filter_trees import Tree, tree_selection
from mockserver.model import JsonObject
from mockserver.state import World, admin_email, find_user

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
    if (user := find_user(call.world, asked)) is not None and user["primaryEmail"] == mine:
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
    user, at = str(row.get("user", "")), -sent_at(row)
    for label in dict.fromkeys(("", *map(str, row.get("labelIds", ())))):
        yield label, user, at


def _later_place(place: tuple[str, str, int], seconds: int) -> tuple[str, str, int]:
    return (*place[:2], place[2] - 1000 * seconds)


_BY_TIME = Index(lambda _, row: _places(row), timed=True, later=_later_place)
_SHOWN = Index(
    lambda _, row: _places(row) if _UNASKED.isdisjoint(row.get("labelIds", ())) else (),
    timed=True,
    later=_later_place,
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

    def meant(self, numbers: Sequence[Set[int]]) -> Iterator[tuple[int, str]]:
        """Some of them, looked for as they are taken.

        Args:
            numbers: Of each table where the meant ones stand.

        Yields:
            The number of the table, and the key.
        """
        several = (self._among(number, found, numbers[number]) for number, found in self._ranges)
        for _, number, _, key in merge(*several):
            yield number, key

    @staticmethod
    def _among(number: int, found: Range, numbers: Set[int]) -> Iterator[tuple[int, int, int, str]]:
        for start in range(0, len(found), _STEP):
            for at, (_, place, key) in enumerate(found.places(start, start + _STEP), start):
                if place in numbers:
                    [((_, _, time), *_)] = found.entries(at, at + 1)
                    yield time, number, place, key

    @staticmethod
    def _entries(number: int, found: Range, stop: int) -> Iterator[tuple[int, int, int, str]]:
        for start in range(0, stop, _STEP):
            for (_, _, time), place, key in found.entries(start, min(start + _STEP, stop)):
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
    selections: list[Selection] = []
    for name in (SENT, MAIL):
        table = world.table(name)
        parts = [search_selection(table, search.tree)]
        parts += [with_labels({each}).among(table) for each in wanted]
        if hidden and len(gone := with_labels(hidden).among(table)):
            parts.append(Without(table, gone))
        whose = ByIndex(table, _BY_OWNER, [("", "\0"), (mine, f"{mine}\0")], words=mine)
        parts += [whose] if len(whose) < len(table) else []
        selections.append(AllOf(parts))
    return _Found(world, mine, selections)


_BY_OWNER = Index(lambda _, row: (str(row.get("user", "")),))
_FEW, _STEP = 500, 200


class _Found(Parts[JsonObject]):
    """Messages of a mailbox that a search means, the latest first.

    A few are read and put in order; more are looked for among all, until a page is full.

    Args:
        world: The session's world.
        owner: The mailbox.
        selections: Which they are of each table of messages.
    """

    def __init__(self, world: World, owner: str, selections: Sequence[Selection]) -> None:
        self._world, self._owner, self._selections = world, owner, selections
        self._numbers = [numbers_of(each) for each in selections]

    @override
    def __len__(self) -> int:
        return sum(map(len, self._numbers))

    @override
    def part(self, start: int, stop: int) -> list[JsonObject]:
        tables = [self._world.table(name) for name in (SENT, MAIL)]
        if len(self) < _FEW:
            rows = [
                row
                for table, found in zip(tables, self._selections, strict=True)
                for row in table.rows_of(found.places())
            ]
            return sorted(rows, key=sent_at, reverse=True)[start:stop]
        meant = _Latest(self._world, _BY_TIME, "", self._owner).meant(self._numbers)
        return [tables[table].get(key) or {} for table, key in islice(meant, start, stop)]


def search_selection(table: Store, tree: Tree[Leaves]) -> Selection:
    """The messages of a table that a search means."""
    return tree_selection(
        tree, table, lambda leaf: leaf, lambda leaf: leaf.among(table), "every message"
    )


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

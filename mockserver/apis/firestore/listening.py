"""Listening: the documents of targets, and what becomes of them while the stream is open."""

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import orjson

from mockserver.apis.firestore import DOCUMENTS
from mockserver.apis.firestore.paths import read_document_name, root_of
from mockserver.apis.firestore.queries import read_query
from mockserver.apis.firestore.transactions import open_view
from mockserver.apis.firestore.writes import moment_text, read_time_of
from mockserver.collections import Store
from mockserver.googleapi import ApiError, Call, invalid
from mockserver.model import JsonObject
from mockserver.state import World

_TARGETS = "targets"


def _version(_: Store) -> object:
    """Another object after each write."""
    return object()


@dataclass
class _Target:
    """What one target wants to know of, and what it was told.

    Attributes:
        id: Its number.
        given: As it was added.
        root: The root of the documents of its database.
        told: Names of the documents that it knows of, with the times of their latest changes.
        version: What `_version` was when it was told last.
        is_current: Whether it was told all there was.
    """

    id: int
    given: JsonObject
    root: str
    told: dict[str, str] = field(default_factory=dict)
    version: object = None
    is_current: bool = False

    def rows(self, world: World, store: Store) -> dict[str, JsonObject]:
        """The documents that it means, by name and in order; raises ApiError."""
        if "query" in self.given:
            inner = self.given["query"] or {}
            parent = str(inner.get("parent") or self.root)
            query = read_query(world, store, parent, inner.get("structuredQuery") or {})
            return {row["name"]: query.show(row) for row in query.rows()}
        names = (self.given.get("documents") or {}).get("documents") or []
        for each in names:
            read_document_name(str(each))
        return {name: row for name in names if (row := store.get(name)) is not None}


def _change(kind: str, ids: list[int], **more: object) -> JsonObject:
    return {"targetChange": {"targetChangeType": kind, "targetIds": ids, **more}}


def listen(call: Call) -> Iterator[JsonObject]:
    """Adds or removes a target; then tells all targets of the stream what is new.

    Each step answers at once with what is new since the last one, `{}` when nothing is. It never
    ends by itself.

    Raises:
        ApiError: 400: there is neither a target to add nor one to remove.
    """
    root = root_of(f"{call.params['database']}/documents")
    targets: dict[int, _Target] = call.conversation.setdefault(_TARGETS, {})
    first: list[JsonObject] = []
    if call.body.get("addTarget"):
        given = call.body["addTarget"]
        ident = int(given.get("targetId") or len(targets) + 1)
        target = _Target(ident, given, root)
        try:
            target.rows(call.world, call.world.table(DOCUMENTS))
            first += _resume(call.world, target)
            targets[ident] = target
        except ApiError as error:
            first.append(_removed(ident, error))
    elif "removeTarget" in call.body:
        ident = int(call.body["removeTarget"])
        targets.pop(ident, None)
        first.append(_change("REMOVE", [ident]))
    else:
        raise invalid("A request to listen must add or remove a target.")
    return _tell(call.world, targets, first)


def _removed(ident: int, error: ApiError) -> JsonObject:
    cause = {"code": 3 if error.status == 400 else 13, "message": error.message}
    return _change("REMOVE", [ident], cause=cause)


def _resume(world: World, target: _Target) -> list[JsonObject]:
    """The first answers to a target; one that goes on knows what it was told up to then."""
    answers = [_change("ADD", [target.id])]
    time = target.given.get("readTime") or _time_in(target.given.get("resumeToken"))
    if not time:
        return answers
    try:
        store = open_view(world, target.root, {"readTime": time}).store
    except ApiError:  # so long ago that all is told anew
        return [*answers, _change("RESET", [target.id])]
    before = target.rows(world, store)
    target.told = {name: str(row.get("updateTime", "")) for name, row in before.items()}
    return answers


def _token(time: str) -> str:
    return b64encode(orjson.dumps({"time": time})).decode()


def _time_in(token: object) -> str:
    if not token:
        return ""
    try:
        return str(orjson.loads(b64decode(str(token)))["time"])
    except (ValueError, KeyError, TypeError) as error:
        raise invalid("Invalid resume token.") from error


def _tell(
    world: World, targets: Mapping[int, _Target], first: list[JsonObject]
) -> Iterator[JsonObject]:
    yield from first
    while True:
        news = list(_news(world, targets))
        yield from news
        if not news:
            yield {}


def _news(world: World, targets: Mapping[int, _Target]) -> Iterator[JsonObject]:
    """What targets are to be told now.

    Yields:
        Changes of documents, then that all targets are as of one time.
    """
    table, is_new = world.table(DOCUMENTS), False
    version = table.derived(_version)
    time = moment_text(read_time_of(world))
    for target in [*targets.values()]:
        if target.version is version:
            continue
        target.version = version
        changes = list(_changes_of(world, target, time))
        yield from changes
        is_new = is_new or bool(changes) or not target.is_current
        if not target.is_current:
            target.is_current = True
            if target.told and target.given.get("expectedCount") is not None:
                yield {"filter": {"targetId": target.id, "count": len(target.told)}}
            token = _token(time)
            yield _change("CURRENT", [target.id], resumeToken=token, readTime=time)
    if is_new:
        yield _change("NO_CHANGE", [], resumeToken=_token(time), readTime=time)
    for target in [*targets.values()]:
        if target.given.get("once") and target.is_current:
            yield _change("REMOVE", [target.id])
            del targets[target.id]  # type: ignore[attr-defined]


def _changes_of(world: World, target: _Target, time: str) -> Iterator[JsonObject]:
    table = world.table(DOCUMENTS)
    rows = target.rows(world, table)
    for name, row in rows.items():
        if target.told.get(name) != row.get("updateTime", ""):
            yield {"documentChange": {"document": row, "targetIds": [target.id]}}
    for name in target.told.keys() - rows.keys():
        kind = "documentDelete" if table.get(name) is None else "documentRemove"
        yield {kind: {"document": name, "removedTargetIds": [target.id], "readTime": time}}
    if not target.is_current and "documents" in target.given:
        names = (target.given["documents"] or {}).get("documents") or []
        for name in set(names) - rows.keys() - target.told.keys():
            gone = {"document": name, "removedTargetIds": [target.id], "readTime": time}
            yield {"documentDelete": gone}
    target.told = {name: str(row.get("updateTime", "")) for name, row in rows.items()}

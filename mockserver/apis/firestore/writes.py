"""Writes of documents: masks, transforms, preconditions, and the time of their commit."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from mockserver.apis.firestore import DOCUMENTS, TRANSACTIONS
from mockserver.apis.firestore.paths import FieldPath, field_path, read_document_name
from mockserver.apis.firestore.values import (
    NULL,
    field_value,
    number_of,
    rank_of,
    short_time,
    stored_fields,
    stored_value,
    value_of_number,
    with_field,
)
from mockserver.collections import LAST, Index
from mockserver.googleapi import ApiError, failed_precondition, invalid, not_found
from mockserver.model import JsonObject
from mockserver.state import World, parse_rfc3339
from mockserver.state.history import REMEMBERED

_LATEST = "latest"
_BY_TIME = Index(lambda _, row: (row["at"],) if "at" in row else ())
_TICK = timedelta(microseconds=1)
_LARGEST = 1024 * 1024
_MOST_TRANSFORMS = 500


def moment_text(moment: datetime) -> str:
    """A moment as Firestore writes it.

    >>> moment_text(datetime(2026, 3, 1, 9, 0, 0, 120000, tzinfo=UTC))
    '2026-03-01T09:00:00.120Z'
    """
    text = moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00")
    return short_time(f"{text}Z")


def read_time_of(world: World) -> datetime:
    """The present moment: no earlier than the latest commit."""
    row, now = world.table(TRANSACTIONS).get(_LATEST), world.clock.now()
    return now if row is None else max(now, parse_rfc3339(row["commitTime"]))


def next_commit(world: World) -> datetime:
    """The time of a commit: later than all that was read; what was there before it is noted."""
    found = read_time_of(world) + _TICK
    number = (world.table(TRANSACTIONS).get(_LATEST) or {"number": 0})["number"] + 1
    before: JsonObject = {"at": _micros_of(found), "before": world.history.latest}
    world.keep(TRANSACTIONS, f"commit/{number % REMEMBERED}", before)
    world.keep(TRANSACTIONS, _LATEST, {"commitTime": moment_text(found), "number": number})
    return found


def latest_change(world: World, moment: datetime) -> int | None:
    """The number of the session's latest change at a moment; None for that of now."""
    commits = world.table(TRANSACTIONS).between(_BY_TIME, _micros_of(moment) + 1, LAST)
    return int(commits[0]["before"]) if commits else None


# --- preconditions ---


def _check(world: World, name: str, found: JsonObject | None, given: JsonObject, act: str) -> None:
    """Refuse a write whose precondition a document does not meet.

    Raises:
        ApiError: 409, 404 or 400.
    """
    exists, time = given.get("exists"), given.get("updateTime")
    if exists is False and found is not None:
        text = f"Document already exists: {name}"
        raise ApiError(409, text, reason="duplicate", code_name="ALREADY_EXISTS")
    if exists is True and found is None:
        raise not_found(f"No document to {act}: {name}", name=name)
    if time is None:
        return
    if parse_rfc3339(time) > read_time_of(world):
        raise invalid("The update_time of a precondition cannot be in the future.")
    own = "" if found is None else str(found.get("updateTime", ""))
    if short_time(time) != short_time(own):
        stored, base = (_micros_of(parse_rfc3339(each)) if each else 0 for each in (own, time))
        raise failed_precondition(
            f"the stored version ({stored}) does not match the required base version ({base})"
        )


def _micros_of(moment: datetime) -> int:
    return (moment - datetime.fromtimestamp(0, UTC)) // _TICK


# --- transforms ---


def _plus(own: JsonObject, other: JsonObject) -> JsonObject:
    a, b = number_of(own), number_of(other)
    if b is None:
        raise invalid("The operand of an increment must be a number.")
    return other if a is None else value_of_number(a + b)


def _extreme(own: JsonObject, other: JsonObject, *, greatest: bool) -> JsonObject:
    a, b = number_of(own), number_of(other)
    if b is None:
        raise invalid("The operand of a maximum or minimum must be a number.")
    if a is None or math.isnan(b):
        return other
    if math.isnan(a):
        return own
    return other if (b > a if greatest else b < a) else own


def _items(value: JsonObject) -> list[JsonObject]:
    return (value.get("arrayValue") or {}).get("values") or []


def _array(items: Sequence[JsonObject]) -> JsonObject:
    return {"arrayValue": {"values": [*items]} if items else {}}


def _union(own: JsonObject, other: JsonObject) -> JsonObject:
    items = list(_items(own))
    known = set(map(rank_of, items))
    for each in _items(other):
        rank = rank_of(each)
        if rank not in known:
            known.add(rank)
            items.append(each)
    return _array(items)


def _difference(own: JsonObject, other: JsonObject) -> JsonObject:
    gone = set(map(rank_of, _items(other)))
    return _array([each for each in _items(own) if rank_of(each) not in gone])


_TRANSFORMS: Mapping[str, Callable[[JsonObject, JsonObject], JsonObject]] = {
    "increment": _plus,
    "maximum": lambda own, other: _extreme(own, other, greatest=True),
    "minimum": lambda own, other: _extreme(own, other, greatest=False),
    "appendMissingElements": _union,
    "removeAllFromArray": _difference,
}
_OF_ARRAYS = frozenset({"appendMissingElements", "removeAllFromArray"})


def _transform(
    fields: JsonObject, given: Sequence[JsonObject], moment: datetime
) -> tuple[JsonObject, list[JsonObject]]:
    """Fields after some transforms, and what is answered of each.

    Raises:
        ApiError: 400: a transform cannot be.
    """
    if len(given) > _MOST_TRANSFORMS:
        raise invalid("Cannot apply more than 500 field transforms to a document.")
    results = []
    for each in given:
        path = field_path(str(each.get("fieldPath", "")))
        own = field_value(fields, path) or {}
        kind = next((name for name in each if name != "fieldPath"), "")
        if kind == "setToServerValue":
            moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
            value = result = {"timestampValue": moment_text(moment)}
        elif kind in _OF_ARRAYS:
            value = _TRANSFORMS[kind](own, stored_value({"arrayValue": each[kind]}))
            result = NULL
        elif kind in _TRANSFORMS:
            value = result = _TRANSFORMS[kind](own, stored_value(each[kind]))
        else:
            raise invalid("A field transform must have a type.")
        fields = with_field(fields, path, value)
        results.append(result)
    return fields, results


# --- writes ---


def apply_write(world: World, root: str, write: JsonObject, moment: datetime) -> JsonObject:
    """Do one write of a commit; what is answered of it.

    Args:
        world: The session.
        root: The root of the documents of the database that is written to.
        write: The write.
        moment: The time of the commit.

    Raises:
        ApiError: 400, 404 or 409: it cannot be.
    """
    if "update" in write:
        return _update(world, root, write, moment)
    given = write.get("currentDocument") or {}
    for kind in ("delete", "verify"):
        if kind in write:
            name = _own_name(root, str(write[kind]))
            found = world.table(DOCUMENTS).get(name)
            _check(world, name, found, given, kind)
            if kind == "delete":
                world.delete(DOCUMENTS, name)
            return {}
    if "transform" not in write:
        raise invalid("A write must have an operation.")
    inner = write["transform"] or {}
    update: JsonObject = {
        "update": {"name": inner.get("document", "")},
        "updateMask": {},
        "updateTransforms": inner.get("fieldTransforms") or [],
        "currentDocument": given,
    }
    return _update(world, root, update, moment)


def _own_name(root: str, name: str) -> str:
    if read_document_name(name) != root:
        raise invalid(f'Document name "{name}" does not belong to the database of the request.')
    return name


def _update(world: World, root: str, write: JsonObject, moment: datetime) -> JsonObject:
    document = write.get("update") or {}
    name = _own_name(root, str(document.get("name", "")))
    before = world.table(DOCUMENTS).get(name)
    _check(world, name, before, write.get("currentDocument") or {}, "update")
    sent = stored_fields(document.get("fields") or {})
    own: JsonObject = {} if before is None else before.get("fields") or {}
    mask = write.get("updateMask")
    fields = sent if mask is None else _merge(own, sent, read_mask(mask))
    given = write.get("updateTransforms") or []
    fields, results = _transform(fields, given, moment)
    time = moment_text(moment)
    row = {
        "name": name,
        "fields": fields,
        "createTime": time if before is None else before.get("createTime", time),
        "updateTime": time,
    }
    if before is not None and fields == own:
        row = before  # a write that changes nothing leaves the time of the last change
    else:
        _check_size(name, fields)
        world.put(DOCUMENTS, name, row)
    answer = {"updateTime": row.get("updateTime", time)}
    return {**answer, "transformResults": results} if results else answer


def _check_size(name: str, fields: JsonObject) -> None:
    size = sum(map(len, _texts(fields)))
    if size > _LARGEST:
        raise invalid(
            f"Document '{name}' cannot be written because its size ({size:,} bytes) exceeds the "
            f"maximum allowed size of {_LARGEST:,} bytes."
        )


def _texts(fields: JsonObject) -> list[str]:
    """The texts of fields, names included, which are most of a large document."""
    waiting: list[object] = [fields]
    found: list[str] = []
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            found += each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return found


def read_mask(mask: JsonObject) -> list[FieldPath]:
    """The fields of a mask.

    Raises:
        ApiError: 400: one is no path of fields.
    """
    paths = mask.get("fieldPaths") or []
    paths = paths.split(",") if isinstance(paths, str) else paths
    return [field_path(str(each)) for each in paths]


def _merge(own: JsonObject, sent: JsonObject, paths: Sequence[FieldPath]) -> JsonObject:
    for path in paths:
        own = with_field(own, path, field_value(sent, path))
    return own


def commit(world: World, root: str, writes: Sequence[JsonObject]) -> JsonObject:
    """Do all of some writes, or none.

    Raises:
        ApiError: As the first write that cannot be.
    """
    moment = next_commit(world)
    results = [apply_write(world, root, each, moment) for each in writes]
    return {"writeResults": results, "commitTime": moment_text(moment)}

"""Long-running operations, done at once or after a number of polls, and locations."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from operator import itemgetter

from mockserver.collections import BY_KEY, Index, text_range
from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.collections import Verb
from mockserver.googleapi.errors import not_found
from mockserver.googleapi.facts import Filling, known_facts
from mockserver.googleapi.lists import PageRule, list_page
from mockserver.googleapi.names import nearest
from mockserver.googleapi.raw_snapshot import OPERATION_POLLS, OPERATION_SECONDS
from mockserver.googleapi.row_filters import filter_of
from mockserver.model import JsonMapping, JsonObject
from mockserver.state import OPERATIONS, World, parse_rfc3339, project_names, rfc3339

EMPTY = "type.googleapis.com/google.protobuf.Empty"
_PAGES = PageRule(default=100, maximum=1000)


def start_operation(
    call: Call,
    name: str,
    outcome: JsonObject,
    pending: JsonObject | None = None,
    *,
    is_pending: bool = False,
) -> JsonObject:
    """What a method answers that does its work in an operation; the work itself is done already.

    Args:
        call: The call.
        name: The operation's name, as its `get` will ask for it.
        outcome: The operation when it is done: `done`, `response`, `metadata` or their like.
        pending: The same while it is not; without `response`, and `done` absent, when None.
        is_pending: Whether the method itself answers that it is pending, however soon it is done.

    Returns:
        The operation as it is now.
    """
    world = call.world
    if pending is None:
        pending = {key: value for key, value in outcome.items() if key not in {"response", "done"}}
    seconds = timedelta(seconds=_setting(world, OPERATION_SECONDS))
    row: JsonObject = {"left": polls_before_done(world), "outcome": outcome, "pending": pending}
    if seconds:
        row["ready"] = rfc3339(world.clock.now() + seconds)
    world.put(OPERATIONS, name, row)
    return pending if is_pending else _current_state(world, row)


def start_known_operation(
    call: Call,
    api: str,
    item: str,
    path: str,
    row: JsonObject | None,
    outcome: JsonObject,
    pending: JsonObject,
    *,
    place: str = "",
) -> JsonObject:
    """Start an operation in the form in which its service is known to answer it.

    Args:
        call: The call.
        api: Whose facts tell the form.
        item: The schema of the resource that it is about.
        path: The path of that.
        row: What the operation answers in the end; None for nothing.
        outcome: What it is when it is done, where nothing is known.
        pending: What it is before that, likewise, with its `name`.
        place: Its name as its `get` asks for it; the one that it says when empty.
    """
    verb = call.id.rpartition(".")[2]
    known = known_facts(call.world, api).operation(call.id)
    filling = Filling(call, path, {})
    ident = str(pending.get("name") or place).rpartition("/")[2]
    more = {
        "operation": ident,
        "verb": verb,
        "item": item,
        "id": str(pending.get("targetId") or ""),
    }
    said = {state: filling.value(each, more) for state, each in known.items()}
    outcome = {**outcome, **said.get("done", {})}
    response = outcome.get("response")
    if isinstance(response, dict) and response.pop("{row}", None):
        response |= row or {}
    elif "response" not in said.get("done", outcome):
        outcome.pop("response", None)
    pending = {**pending, **said.get("pending", {})}
    name = place or str(outcome["name"])
    return start_operation(call, name, outcome, pending, is_pending="pending" in said)


def pending_operation(world: World, index: Index, target: str) -> JsonObject | None:
    """What the latest operation on something says while it is pending; None where nothing is done.

    Args:
        world: Where it is done.
        index: Finds operations by what they are on.
        target: What that is.
    """
    table = world.table(OPERATIONS)
    key = table.last(index, target)
    row = None if key is None else table.rows()[key]
    return row["pending"] if row is not None and is_pending(world, row) else None


def finished_operation(name: str, response: JsonObject | None, kind: str = "") -> JsonObject:
    """A finished operation in the newer APIs' form.

    Args:
        name: The operation's name.
        response: What it made; None for nothing.
        kind: The response's type URL.

    >>> finished_operation("operations/1", {"name": "a"}, "type.googleapis.com/x.Y")["response"]
    {'@type': 'type.googleapis.com/x.Y', 'name': 'a'}
    """
    answer = {"@type": EMPTY} if response is None else {**({"@type": kind} if kind else {})}
    return {"name": name, "done": True, "response": {**answer, **(response or {})}}


def location_operation(
    call: Call, verb: Verb, row: JsonObject, *, package: str, ident: str, metadata: JsonMapping
) -> JsonObject:
    """An operation in the location of a resource, which is how an API answers a write.

    Args:
        call: The call.
        verb: What it does.
        row: The resource.
        package: The package of the API's messages, `google.cloud.apphub.v1`.
        ident: The last part of the operation's name.
        metadata: Fields of `OperationMetadata` that are the same for every operation; they follow
            `verb`.
    """
    prefix = f"type.googleapis.com/{package}."
    *place, kind, _ = row["name"].split("/")
    message = f"{kind[0].upper()}{kind[1:].removesuffix('s')}"
    name = f"{'/'.join(place[:4])}/operations/{ident}"
    now = rfc3339(call.world.clock.now())
    metadata = {
        "@type": f"{prefix}OperationMetadata",
        "createTime": now,
        "target": row["name"],
        "verb": "update" if verb == "patch" else verb,
        **metadata,
    }
    finished = finished_operation(name, None if verb == "delete" else row, f"{prefix}{message}")
    outcome = {**finished, "metadata": {**metadata, "endTime": now}}
    return start_operation(call, name, outcome, {"name": name, "metadata": metadata})


def poll_operation(call: Call, name: str) -> JsonObject:
    """The operation of this name, one poll nearer to its end.

    Raises:
        ApiError: 404; the session has no such operation.
    """
    table = call.world.table(OPERATIONS)
    name = next((each for each in project_names(call.world, name) if each in table), name)
    row = table.get(name)
    if row is None:
        raise not_found(name=name, nearest=nearest(name, table))
    if row["left"]:
        row = {**row, "left": row["left"] - 1}
        call.world.put(OPERATIONS, name, row)
    return _current_state(call.world, row)


def get_operation(call: Call) -> JsonObject:
    """Answers `operations.get` of the newer APIs."""
    return poll_operation(call, str(call.params["name"]))


def list_operations(call: Call) -> JsonObject:
    """Answers `operations.list` of the newer APIs: those under a name, the latest last.

    Raises:
        ApiError: 400 for a filter or a page token that cannot be.
    """
    return _filtered_page(
        call, "operations", operations_below(call.world, str(call.params["name"]))
    )


def _filtered_page(call: Call, field: str, rows: Sequence[JsonObject]) -> JsonObject:
    test = filter_of(call)
    return list_page(call, field, [row for row in rows if test is None or test(row)], _PAGES)


def operations_below(world: World, parent: str) -> list[JsonObject]:
    """The operations under a name, or those that belong to none, in the order they were started."""
    prefix = f"{parent}/operations/" if parent else "operations/"
    table = world.table(OPERATIONS)
    found = sorted(table.starting(BY_KEY, prefix).entries(), key=itemgetter(1))
    return [_current_state(world, table.rows()[key]) for _, _, key in found]


def delete_operation(call: Call) -> JsonObject:
    """Answers `operations.delete` of the newer APIs: the operation is forgotten, its work stays."""
    name = str(call.params["name"])
    if name not in call.world.table(OPERATIONS):
        raise not_found(name=name)
    call.world.delete(OPERATIONS, name)
    return {}


def cancel_operation(call: Call) -> JsonObject:
    """Answers `operations.cancel` of the newer APIs; what is done stays done (AIP-151)."""
    if str(call.params["name"]) not in call.world.table(OPERATIONS):
        raise not_found(name=str(call.params["name"]))
    return {}


def polls_before_done(world: World) -> int:
    """How many times `get` answers that an operation of this session is pending."""
    return _setting(world, OPERATION_POLLS)


def _setting(world: World, name: str) -> int:
    row = world.table(name).get(name)
    return int(row["count"]) if row else 0


def _current_state(world: World, row: JsonObject) -> JsonObject:
    found: JsonObject = row["pending"] if is_pending(world, row) else row["outcome"]
    return found


def is_pending(world: World, row: JsonObject) -> bool:
    """Whether what an operation does, as its table has it, is not done yet."""
    ready = row.get("ready")
    return bool(row["left"] or (ready and world.clock.now() < parse_rfc3339(ready)))


_GLOBAL = "global"


def location_handlers(path: str, collections: Iterable[str]) -> Mapping[str, Handler]:
    """Handlers of the locations of an API, and of the operations there.

    Args:
        path: What the methods' Discovery ids begin with, `apphub.projects.locations`.
        collections: Tables of the resources that tell which locations there are.
    """
    tables = tuple(collections)
    return {
        f"{path}.list": partial(_list_locations, tables),
        f"{path}.get": partial(_get_location, tables),
        f"{path}.operations.list": list_operations,
        f"{path}.operations.get": get_operation,
        f"{path}.operations.delete": delete_operation,
        f"{path}.operations.cancel": cancel_operation,
    }


def _list_locations(collections: tuple[str, ...], call: Call) -> JsonObject:
    parent = str(call.params["name"])
    rows = [_location(parent, place) for place in _location_ids(collections, call, parent)]
    return _filtered_page(call, "locations", rows)


def _get_location(collections: tuple[str, ...], call: Call) -> JsonObject:
    name = str(call.params["name"])
    parent, _, place = name.rpartition("/locations/")
    several = [f"{each}/locations/{place}" for each in project_names(call.world, parent)]
    tables = map(call.world.table, collections)
    if place != _GLOBAL and not any(
        table.first(_PLACES, each) is not None for table in tables for each in several
    ):
        raise not_found(name=name)
    return _location(parent, place)


def _location_ids(collections: tuple[str, ...], call: Call, parent: str) -> list[str]:
    found = {_GLOBAL}
    for prefix in (f"{each}/locations/" for each in project_names(call.world, parent)):
        for collection in collections:
            places = call.world.table(collection).values(_PLACES, *text_range(prefix))
            found.update(place.removeprefix(prefix) for place in places)
    return sorted(found)


def _places(name: str, _: JsonObject) -> tuple[str, ...]:
    parent, sign, rest = name.partition("/locations/")
    return (f"{parent}{sign}{rest.partition('/')[0]}",) if sign else ()


_PLACES = Index(_places)
"""Resources by the names of their locations."""


def _location(parent: str, place: str) -> JsonObject:
    return {"name": f"{parent}/locations/{place}", "locationId": place}

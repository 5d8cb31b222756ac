"""Emulates Google Tasks: lists, tasks with subtasks in their order, moves and clearing.

Source: the API's reference. Not verified against the live API: texts and codes of refusals; that
`@default` is the first list.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from operator import methodcaller

from mockserver.collections import BY_KEY
from mockserver.collections.collection import Collection, Parent, Position, Reference, Schema
from mockserver.googleapi import Api, Call, Handler, PageRule, SnapshotImport, not_emulated
from mockserver.googleapi.keyed import KeyedResource, keyed_handlers
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

LISTS, TASKS = "tasks:v1/tasklists", "tasks:v1/tasks"
_LINK = "https://www.googleapis.com/tasks/v1"
_OWN = ("id", "kind", "etag", "selfLink", "updated", "parent", "position", "hidden", "webViewLink")
_STATES = ("needsAction", "completed")


def _complete(call: Call, row: JsonObject) -> JsonObject:
    """A task at the place that the call names, with the time at which it was completed."""
    row, status = {**row, "status": row.get("status", "needsAction")}, row.get("status")
    if status == "completed":
        row.setdefault("completed", rfc3339(call.world.clock.now()))
    else:
        row = {name: each for name, each in row.items() if name not in {"completed", "hidden"}}
    if "due" in row:  # the time of the day is not kept
        row["due"] = f"{row['due'][:10]}T00:00:00.000Z"
    return _placed(call, row) if call.id == "tasks.tasks.insert" else row


def _placed(call: Call, row: JsonObject) -> JsonObject:
    row = {name: each for name, each in row.items() if name != "parent"}
    row |= {"parent": call.params["parent"]} if call.params.get("parent") else {}
    return _TASKS.changes(call).positioned(_RULES, row, str(call.params.get("previous") or ""))


def _wrong(row: JsonObject) -> Iterator[str]:
    """The fields whose texts are none that they may have.

    Yields:
        Their names.
    """
    if row["status"] not in _STATES:
        yield "status"
    for name in row.keys() & {"due", "completed"}:
        try:
            parse_rfc3339(row[name])
        except ValueError:
            yield name


_RULES = Collection(
    name="tasks", table=TASKS, output_only=(*_OWN, "links", "assignmentInfo"), updated="updated",
    parents=(Parent("tasklist", "lists"),), defaults={"kind": "tasks#task"},
    references=(Reference("parent", "tasks", "id", "cascade", within=True),),
    position=Position("position", alike=("parent",)), tombstone={"deleted": True},
    problems=lambda row: [(f"/{name}", "Invalid Value") for name in _wrong(row)],
)  # fmt: skip
_LIST_RULES = Collection(
    name="lists", table=LISTS, output_only=_OWN, updated="updated",
    defaults={"kind": "tasks#taskList"},
)  # fmt: skip
_SCHEMA = Schema((_LIST_RULES, _RULES))
_LISTS = KeyedResource(
    siblings=_SCHEMA, rules=_LIST_RULES, collection=LISTS, pattern="{tasklist}", list_key="items",
    kind="tasks#taskLists", page=PageRule(1000, 1000, "maxResults"),
    link=f"{_LINK}/users/@me/lists/{{id}}",
)  # fmt: skip
_TASKS = KeyedResource(
    siblings=_SCHEMA, rules=_RULES, collection=TASKS, pattern="{tasklist}/{task}", list_key="items",
    parent="{tasklist}", kind="tasks#tasks", page=PageRule(20, 100, "maxResults"),
    link=f"{_LINK}/lists/{{tasklist}}/tasks/{{id}}", order="position", complete=_complete,
    windows=("completedMin", "completedMax", "dueMin", "dueMax", "updatedMin"),
    hiding={
        "showCompleted": lambda row: row.get("status") == "completed",
        "showHidden": methodcaller("get", "hidden"),
        "showDeleted": methodcaller("get", "deleted"),
        "showAssigned": methodcaller("get", "assignmentInfo"),
    },
    showing=("showCompleted",),
)  # fmt: skip


def _move(call: Call) -> JsonObject:
    if call.params.get("destinationTasklist", call.params["tasklist"]) != call.params["tasklist"]:
        raise not_emulated(call.id)
    own = _TASKS.found_row(call)
    return _TASKS.shown(_TASKS.changes(call).update(_RULES, own, _placed(call, own)))


def _clear(call: Call) -> None:
    changes, around = _TASKS.changes(call), str(call.params["tasklist"])
    changes.check_around(_RULES, (around,))
    for row in list(call.world.table(TASKS).starting(BY_KEY, f"{around}/")):
        if row.get("status") == "completed" and not row.get("hidden"):
            changes.update(_RULES, row, {**row, "hidden": True})


def _in_list(answer: Handler, call: Call) -> JsonObject | None:
    """Answer a call that may name the default list, which is the first."""
    for name in ("tasklist", "destinationTasklist"):
        if call.params.get(name) == "@default":
            call.params[name] = next(iter(call.world.table(LISTS).rows()), "@default")
    return answer(call)


_HANDLERS: Mapping[str, Handler] = {
    **keyed_handlers(_LISTS, "tasks.tasklists"),
    **keyed_handlers(_TASKS, "tasks.tasks"),
    "tasks.tasks.move": _move,
    "tasks.tasks.clear": _clear,
}


def import_snapshot(found: SnapshotImport) -> None:
    """Put the tasks of `resources` into their lists; those that name none are in the first."""
    resources = found.raw.get("resources")
    held = resources.get("tasks:v1") if isinstance(resources, dict) else None
    named = held.items() if isinstance(held, dict) else ()
    given = [(name, row) for name, rows in named if isinstance(rows, list) for row in rows]
    given = [(name, row) for name, row in given if isinstance(row, dict)]  # others are told of
    ours = [row for name, row in given if name.rpartition("/")[2] in {"tasklists", "lists"}]
    lists = {str(row["id"]): row for row in ours if "id" in row}
    tasks, first = {}, next(iter(lists), "default")
    for number, (name, row) in enumerate(given):
        if name.rpartition("/")[2] == "tasks":
            linked = str(row.get("selfLink")).partition("/lists/")[2].partition("/")[0]
            told = (row.get("tasklist"), *name.split("/")[1:2], linked)
            around = next((str(each) for each in told if each and each != "-"), first)
            own = str(row.get("id") or number)
            lists.setdefault(around, {"kind": "tasks#taskList", "id": around, "title": "My Tasks"})
            tasks[f"{around}/{own}"] = {**row, "id": own, "tasklist": around}
    if lists:
        found.tables |= {LISTS: lists, TASKS: tasks}
        found.times |= {LISTS: (("updated",),), TASKS: (("updated",), ("due",), ("completed",))}


API = Api(
    name="tasks", documents=(("tasks", "v1"),), import_snapshot=import_snapshot, dialect="legacy",
    handlers={name: partial(_in_list, answer) for name, answer in _HANDLERS.items()},
    reads=frozenset({LISTS, TASKS}),
)  # fmt: skip

"""Emulates Google Tasks: lists, tasks with subtasks in their order, moves and clearing.

Source: the API's reference. Not verified against the live API: texts and codes of refusals; that
`@default` is the first list.
"""

from functools import partial
from operator import methodcaller

from mockserver.collections import Index
from mockserver.collections.collection import Collection, Parent, Position, Reference, Schema
from mockserver.googleapi import Api, Call, PageRule
from mockserver.googleapi.keyed import KeyedResource, field_problems
from mockserver.model import JsonObject

LISTS, TASKS = "tasks:v1/tasklists", "tasks:v1/tasks"
_LINK = "https://www.googleapis.com/tasks/v1"
_OWN = ("id", "kind", "etag", "selfLink", "updated", "parent", "position", "hidden", "webViewLink")
_STATES, _TIMES = ("needsAction", "completed"), ("due", "completed")


def _is_done(row: JsonObject) -> bool:
    return row.get("status") == "completed"


_RULES = Collection(
    name="tasks", table=TASKS, output_only=(*_OWN, "links", "assignmentInfo"), updated="updated",
    timed=_TIMES, parents=(Parent("tasklist", "lists"),), defaults={"kind": "tasks#task"},
    references=(Reference("parent", "tasks", "id", "cascade", within=True),),
    position=Position("position", alike=("parent",)), tombstone={"deleted": True},
    problems=partial(field_problems, times=_TIMES, choices={"status": _STATES}),
)  # fmt: skip
_LIST_RULES = Collection(
    name="lists", table=LISTS, output_only=_OWN, updated="updated",
    defaults={"kind": "tasks#taskList"},
)  # fmt: skip
_SCHEMA = Schema((_LIST_RULES, _RULES))
_LISTS = KeyedResource(
    siblings=_SCHEMA, rules=_LIST_RULES, pattern="{tasklist}", kind="tasks#taskLists",
    page=PageRule(1000, 1000, "maxResults"), untold={"title": "My Tasks"},
    link=f"{_LINK}/users/@me/lists/{{id}}",
)  # fmt: skip
_TASKS = KeyedResource(
    siblings=_SCHEMA, rules=_RULES, pattern="{tasklist}/{task}", parent="{tasklist}",
    kind="tasks#tasks", page=PageRule(20, 100, "maxResults"), order="position", after="previous",
    link=f"{_LINK}/lists/{{tasklist}}/tasks/{{id}}", destination="destinationTasklist",
    computed={
        "status": lambda row, _: row.get("status", "needsAction"),
        "completed": lambda row, now: row.get("completed", now) if _is_done(row) else None,
        "hidden": lambda row, _: row.get("hidden") if _is_done(row) else None,
        "due": lambda row, _: (
            None if row.get("due") is None else f"{row['due'][:10]}T00:00:00.000Z"
        ),
    },
    windows=("completedMin", "completedMax", "dueMin", "dueMax", "updatedMin"),
    hiding={
        "showCompleted": _is_done,
        "showHidden": methodcaller("get", "hidden"),
        "showDeleted": methodcaller("get", "deleted"),
        "showAssigned": methodcaller("get", "assignmentInfo"),
    }, showing=("showCompleted",),
)  # fmt: skip

_TO_CLEAR = Index(
    lambda _, row: [(row["tasklist"],)] if _is_done(row) and not row.get("hidden") else ()
)


def _clear(call: Call) -> None:
    changes, [around] = _TASKS.changes(call), _TASKS.around(call)
    for row in list(call.world.table(TASKS).find(_TO_CLEAR, (around,))):
        changes.update(_RULES, row, {**row, "hidden": True})


API = Api(
    name="tasks", documents=(("tasks", "v1"),), dialect="legacy", resources=(_LISTS, _TASKS),
    handlers={"tasks.tasks.clear": _clear},
    aliases=dict.fromkeys(("tasklist", "destinationTasklist"), ("@default", LISTS)),
    relies=(
        "Rely on: lists, subtasks in their order, moves, clearing, what is hidden; `@default` "
        "is the first list, made when a task is first put there. Until then no list is listed. "
        "Not there: moves to another list. Proof: `tests/clients/test_usual_calls.py`, "
        "LangChain's tools in `tests/clients/test_google_tools.py`, laws in "
        "`tests/mockserver/apis/test_workspace_laws.py`."
    ),
)  # fmt: skip

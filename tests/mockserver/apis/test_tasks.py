"""The list of tasks that everybody has."""

from typing import Any

from mockserver.model import JsonObject
from tests.mockserver.apis.scenarios import Scenario, check, over_http
from tests.mockserver.apis.workspace import Workspace


def test_the_default_list_is_there_in_an_empty_world() -> None:
    space = Workspace("tasks")
    assert space.ask("tasks:v1", "tasks.tasks.list", tasklist="@default") == {"kind": "tasks#tasks"}
    assert "items" not in space.ask("tasks:v1", "tasks.tasklists.list")
    made = space.ask("tasks:v1", "tasks.tasks.insert", {"title": "Milk"}, tasklist="@default")
    assert made["title"] == "Milk"
    [only] = space.ask("tasks:v1", "tasks.tasklists.list")["items"]
    assert only["title"] == "My Tasks"
    [task] = space.ask("tasks:v1", "tasks.tasks.list", tasklist="@default")["items"]
    assert task["id"] == made["id"]


ROOT = "https://tasks.googleapis.com/tasks/v1"


def scenario() -> Scenario:
    return over_http(ROOT, _ask_all)


def _ask_all(call: Scenario) -> None:
    body: Any
    lists = "users/@me/lists"
    for body in ({"title": "Home"}, {}, {"title": "Work", "id": "mine", "updated": "x"}):
        call(f"POST {lists}", body)
    home, *_ = call(f"GET {lists}")["items"]
    call(f"GET {lists}?maxResults=1")
    for verb, body in (("PATCH", {"title": "House"}), ("PUT", {"id": home["id"], "title": "H"}),
                       ("PUT", {}), ("GET", None)):  # fmt: skip
        call(f"{verb} {lists}/{home['id']}", body)
    tasks = f"lists/{home['id']}/tasks"
    made: list[JsonObject] = []
    for body in (
        {"title": "Milk", "due": "2026-03-05T15:30:00Z", "notes": "two"}, {"title": "Eggs"},
        {"title": "Done", "status": "completed"}, {"title": "x", "status": "other"},
        {"title": "x", "due": "tomorrow"}, {"title": "Late", "due": "2026-03-01T00:00:00.000Z"},
        {"status": "completed", "completed": "2026-03-01T10:00:00.000Z"},
        {"position": "9", "hidden": True, "parent": "none", "etag": "x"},
    ):  # fmt: skip
        told = call(f"POST {tasks}", body)
        made += [told] if "id" in told else []
    milk, eggs, done, late, *_ = (str(each["id"]) for each in made)
    for params in (f"parent={milk}", f"parent={milk}&previous={eggs}", f"previous={eggs}",
                   "parent=none", "previous=none"):  # fmt: skip
        told = call(f"POST {tasks}?{params}", {"title": params[:6]})
    for params in (
        "", "showCompleted=false", "showHidden=true", "maxResults=2", "dueMin=2026-03-05T00:00:00Z",
        "dueMax=2026-03-05T00:00:00Z", "completedMin=2026-03-01T10:00:00Z", "showDeleted=true",
        "completedMax=2026-03-01T10:00:00Z", "updatedMin=2026-03-02T09:00:20Z", "dueMin=x",
        "updatedMin=2026-03-02T09:00:11Z", "maxResults=101", "showAssigned=true", "pageToken=x",
    ):  # fmt: skip
        call(f"GET {tasks}?{params}", wait=0)
    for ident, params in (
        (late, ""), (late, f"parent={milk}"), (milk, f"previous={late}"), (milk, f"parent={milk}"),
        (eggs, "previous=none"), ("none", ""), (eggs, "destinationTasklist=@default"),
        (late, "destinationTasklist=none"),
    ):  # fmt: skip
        call(f"POST {tasks}/{ident}/move?{params}")
    for verb, body in (
        ("PATCH", {"status": "completed"}), ("PATCH", {"due": None}), ("PATCH", {"due": "x"}),
        ("PATCH", {"status": "needsAction"}), ("PATCH", {"status": None, "title": "Oat milk"}),
        ("PUT", {"id": milk, "title": "M"}), ("PUT", {"status": "completed", "hidden": True}),
        ("PUT", {"id": "other"}), ("GET", None),
    ):  # fmt: skip
        call(f"{verb} {tasks}/{milk}", body)
    call(f"POST lists/{home['id']}/clear")
    for params in ("", "showHidden=true", "showHidden=true&showCompleted=false"):
        call(f"GET {tasks}?{params}")
    call(f"PATCH {tasks}/{done}", {"status": "needsAction"})
    for _ in range(2):
        call(f"DELETE {tasks}/{milk}")
        call(f"GET {tasks}/{milk}")
    call(f"GET {tasks}?showDeleted=true&showHidden=true")
    for _ in range(2):
        call(f"DELETE {lists}/{home['id']}")
    call(f"GET {tasks}")
    for path in ("lists/@default/tasks", "lists/none/tasks", "users/@me/lists/@default"):
        call(f"GET {path}")
    call("POST lists/none/clear")


def test_every_answer_is_told_in_whole() -> None:
    check(__file__, scenario())

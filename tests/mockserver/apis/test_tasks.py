"""The list of tasks that everybody has."""

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

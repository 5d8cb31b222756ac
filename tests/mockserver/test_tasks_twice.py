"""Google Tasks by the official client, emulated and declared: one table of cases for both."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httplib2
import orjson
import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import BatchHttpRequest

from mockserver.client import MockServer
from mockserver.model import JsonObject, SessionSpec

HOSTS = {"emulated": "tasks.googleapis.com", "declared": "todo.example.com"}
LISTS = [{"id": "inbox", "title": "Inbox"}, {"id": "work", "title": "Work"}]
TASKS: list[JsonObject] = [
    {"id": "a", "title": "A", "due": "2026-03-01T00:00:00.000Z", "updated": "2026-03-01T09:00:00Z"},
    {"id": "b", "title": "B", "due": "2026-03-09T00:00:00.000Z", "updated": "2026-03-02T09:00:00Z"},
    {"id": "a1", "title": "A1", "parent": "a"},
    {"id": "a2", "title": "A2", "parent": "a"},
    {"id": "done", "status": "completed", "completed": "2026-03-01T10:00:00Z"},
    {"id": "cleared", "status": "completed", "completed": "2026-02-01T10:00:00Z", "hidden": True},
    {"id": "gone", "deleted": True},
    {"id": "chat", "assignmentInfo": {"surfaceType": "SPACE"}},
]
PLACES = {"a": 0, "b": 1, "a1": 0, "a2": 1, "done": 2, "cleared": 3, "gone": 4, "chat": 5}
ROWS: list[JsonObject] = [
    {"status": "needsAction", "position": f"{PLACES[each['id']]:020}", **each, "tasklist": "inbox"}
    for each in TASKS
]
ROWS.append({"id": "w", "status": "needsAction", "position": f"{0:020}", "tasklist": "work"})
TOP = ["a", "b", "done", "a1", "a2"]
Ask = Callable[[Any], Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[asyncio.Runner, MockServer]]:
    folder: Path = tmp_path_factory.mktemp("suite")
    for name in ("apis", "base"):
        (folder / name).mkdir()
    text = (Path(__file__).parent / "declared" / "todo.yaml").read_text(encoding="utf-8")
    (folder / "apis" / "todo.yaml").write_text(text, encoding="utf-8")
    raw = {"capturedAt": "2026-03-10T09:00:00Z", "todo": {"lists": LISTS, "tasks": ROWS},
           "resources": {"tasks:v1": {"tasklists": LISTS, "tasks": ROWS}}}  # fmt: skip
    (folder / "base" / "rows.json").write_bytes(orjson.dumps(raw))
    with asyncio.Runner() as runner:
        made = runner.run(MockServer.start(folder))
        yield runner, made
        runner.run(made.close())


@pytest.fixture(params=HOSTS)
def service(request: Any, server: tuple[asyncio.Runner, MockServer]) -> Iterator[Any]:
    runner, mock = server
    session = runner.run(mock.open(SessionSpec(clock="frozen")))
    url = f"{session.base_url}/{HOSTS[request.param]}/"
    with build("tasks", "v1", http=httplib2.Http(), client_options={"api_endpoint": url}) as made:
        made.url = url
        yield made


def ids(answer: JsonObject) -> list[str]:
    """The ids of a list, those at the top before the subtasks of each."""
    found = sorted(answer.get("items", []), key=lambda each: each.get("parent", ""))
    return [each["id"] for each in found]


LISTED: list[tuple[JsonObject, list[str]]] = [
    ({}, TOP),
    ({"showCompleted": True}, TOP),
    ({"showCompleted": False}, ["a", "b", "a1", "a2"]),
    ({"showHidden": True}, ["a", "b", "done", "cleared", "a1", "a2"]),
    ({"showHidden": False}, TOP),
    ({"showHidden": True, "showCompleted": False}, ["a", "b", "a1", "a2"]),
    ({"showDeleted": True}, ["a", "b", "done", "gone", "a1", "a2"]),
    ({"showAssigned": True}, ["a", "b", "done", "chat", "a1", "a2"]),
    ({"dueMin": "2026-03-05T00:00:00Z"}, ["b"]),
    ({"dueMax": "2026-03-05T00:00:00Z"}, ["a"]),
    ({"dueMin": "2026-03-01T00:00:00.000Z", "dueMax": "2026-03-09T00:00:00.000Z"}, ["a", "b"]),
    ({"completedMin": "2026-02-15T00:00:00Z", "showHidden": True}, ["done"]),
    ({"completedMax": "2026-02-15T00:00:00Z", "showHidden": True}, ["cleared"]),
    ({"updatedMin": "2026-03-02T00:00:00Z"}, ["b"]),
    ({"maxResults": 2}, ["a", "a1"]),
]


@pytest.mark.parametrize(("params", "found"), LISTED, ids=[str(each[0]) for each in LISTED])
def test_a_list_shows(service: Any, params: JsonObject, found: list[str]) -> None:
    answer = service.tasks().list(tasklist="inbox", **params).execute()
    assert (answer["kind"], ids(answer)) == ("tasks#tasks", found)


REFUSED: dict[str, tuple[int, Ask]] = {
    "list of an unknown list": (404, lambda api: api.tasks().list(tasklist="nowhere")),
    "insert into an unknown list": (404, lambda api: api.tasks().insert(tasklist="no", body={})),
    "an unknown list": (404, lambda api: api.tasklists().get(tasklist="nowhere")),
    "an unknown task": (404, lambda api: api.tasks().get(tasklist="inbox", task="nothing")),
    "a task of another list": (404, lambda api: api.tasks().get(tasklist="inbox", task="w")),
    "deletion of an unknown list": (404, lambda api: api.tasklists().delete(tasklist="nowhere")),
    "clearing of an unknown list": (404, lambda api: api.tasks().clear(tasklist="nowhere")),
    "an unknown parent": (
        400, lambda api: api.tasks().insert(tasklist="inbox", parent="nothing", body={})),
    "a parent in another list": (
        400, lambda api: api.tasks().insert(tasklist="inbox", parent="w", body={})),
    "a move behind a task of another list": (
        400, lambda api: api.tasks().move(tasklist="inbox", task="a", previous="w")),
    "a move behind a task below another parent": (
        400, lambda api: api.tasks().move(tasklist="inbox", task="b", previous="a1")),
    "a move below itself": (
        400, lambda api: api.tasks().move(tasklist="inbox", task="a", parent="a")),
    "a move below its subtask": (
        400, lambda api: api.tasks().move(tasklist="inbox", task="a", parent="a1")),
    "a bad page token": (400, lambda api: api.tasks().list(tasklist="inbox", pageToken="nonsense")),
    "a time that is none": (
        400, lambda api: api.tasks().insert(tasklist="inbox", body={"due": "soon"})),
    "an unknown status": (
        400, lambda api: api.tasks().patch(tasklist="inbox", task="a", body={"status": "odd"})),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused(service: Any, what: str) -> None:
    status, ask = REFUSED[what]
    before = service.tasks().list(tasklist="inbox", showHidden=True).execute()
    with pytest.raises(HttpError) as refused:
        ask(service).execute()
    assert refused.value.status_code == status
    after = service.tasks().list(tasklist="inbox", showHidden=True).execute()
    assert after["items"] == before["items"]


MOVED: list[tuple[JsonObject, list[str]]] = [
    ({"task": "b"}, ["b", "a", "done", "a1", "a2"]),
    ({"task": "a", "previous": "b"}, ["b", "a", "done", "a1", "a2"]),
    ({"task": "a2", "parent": "a"}, ["a", "b", "done", "a2", "a1"]),
    ({"task": "a1", "parent": "a", "previous": "a2"}, ["a", "b", "done", "a2", "a1"]),
    ({"task": "a1"}, ["a1", "a", "b", "done", "a2"]),
    ({"task": "b", "parent": "a", "previous": "a1"}, ["a", "done", "a1", "b", "a2"]),
]


@pytest.mark.parametrize(("params", "found"), MOVED, ids=[str(each[0]) for each in MOVED])
def test_a_task_is_moved(service: Any, params: JsonObject, found: list[str]) -> None:
    moved = service.tasks().move(tasklist="inbox", **params).execute()
    assert moved.get("parent") == params.get("parent")
    assert ids(service.tasks().list(tasklist="inbox").execute()) == found


def test_a_new_task_comes_first_or_where_it_is_asked_for(service: Any) -> None:
    tasks = service.tasks()
    first = tasks.insert(
        tasklist="inbox", body={"title": "First", "due": "2026-03-04T15:00:00Z"}
    ).execute()
    below = tasks.insert(
        tasklist="inbox", parent="a", previous="a1", body={"title": "Mid"}
    ).execute()
    assert (first["status"], first["due"]) == ("needsAction", "2026-03-04T00:00:00.000Z")
    assert (first["kind"], first["position"], below["parent"]) == ("tasks#task", f"{0:020}", "a")
    assert ids(tasks.list(tasklist="inbox").execute()) == [
        first["id"], "a", "b", "done", "a1", below["id"], "a2"]  # fmt: skip


def test_completed_tasks_have_a_time_and_are_cleared(service: Any) -> None:
    tasks = service.tasks()
    done = tasks.patch(tasklist="inbox", task="a", body={"status": "completed"}).execute()
    assert done["completed"].startswith("2026-03-10T09:00:00")
    assert (
        "completed"
        not in tasks.patch(tasklist="inbox", task="done", body={"status": "needsAction"}).execute()
    )
    assert not tasks.clear(tasklist="inbox").execute()
    assert ids(tasks.list(tasklist="inbox").execute()) == ["b", "done", "a1", "a2"]
    assert tasks.get(tasklist="inbox", task="a").execute()["hidden"] is True
    opened = tasks.patch(tasklist="inbox", task="a", body={"status": "needsAction"}).execute()
    assert "hidden" not in opened


def test_an_update_replaces_and_keeps_what_callers_cannot_set(service: Any) -> None:
    body = {"id": "a1", "title": "New", "position": "9", "parent": "b"}
    new = service.tasks().update(tasklist="inbox", task="a1", body=body).execute()
    assert (new["title"], new["parent"], new["position"]) == ("New", "a", f"{0:020}")


def test_a_task_is_deleted_with_its_subtasks(service: Any) -> None:
    tasks = service.tasks()
    tasks.delete(tasklist="inbox", task="a").execute()
    assert ids(tasks.list(tasklist="inbox").execute()) == ["b", "done"]
    deleted = tasks.list(tasklist="inbox", showDeleted=True).execute()["items"]
    assert {each["id"] for each in deleted if each.get("deleted")} == {"a", "gone", "a1", "a2"}


def test_a_list_is_made_renamed_and_deleted_with_its_tasks(service: Any) -> None:
    lists, tasks = service.tasklists(), service.tasks()
    made = lists.insert(body={"title": "New"}).execute()
    lists.patch(tasklist=made["id"], body={"title": "Newer"}).execute()
    assert [each["title"] for each in lists.list().execute()["items"]] == ["Inbox", "Work", "Newer"]
    lists.delete(tasklist="inbox").execute()
    assert ids(lists.list().execute()) == ["work", made["id"]]
    for gone in (tasks.list(tasklist="inbox"), tasks.get(tasklist="inbox", task="a1")):
        with pytest.raises(HttpError, match="404"):
            gone.execute()


def test_pages_follow_each_other(service: Any) -> None:
    tasks, found = service.tasks(), []
    request = tasks.list(tasklist="inbox", maxResults=2)
    while request is not None:
        answer = request.execute()
        assert len(answer["items"]) <= 2
        found += answer["items"]
        request = tasks.list_next(request, answer)
    assert ids({"items": found}) == TOP


@pytest.mark.parametrize("verb", ["patch", "update", "delete"])
def test_a_stale_etag_is_refused(service: Any, verb: str) -> None:
    body = {} if verb == "delete" else {"body": {"id": "b", "title": "C"}}
    asked = getattr(service.tasks(), verb)(tasklist="inbox", task="b", **body)
    asked.headers["if-match"] = '"stale"'
    with pytest.raises(HttpError, match="412"):
        asked.execute()
    assert service.tasks().get(tasklist="inbox", task="b").execute()["title"] == "B"


def test_of_a_batch_only_the_part_that_fails_is_refused(service: Any) -> None:
    told: dict[str, Any] = {}
    batch = BatchHttpRequest(
        callback=lambda key, answer, error: told.update({key: error or answer}),
        batch_uri=f"{service.url}batch",
    )
    for number in range(1, 13):
        parent = {"parent": "nothing"} if number == 10 else {}
        body = {"title": f"T{number}"}
        batch.add(
            service.tasks().insert(tasklist="work", body=body, **parent), request_id=str(number)
        )
    if HOSTS["declared"] in service.url:  # batches are Google's: here its calls come one by one
        with pytest.raises(HttpError, match="no route POST /batch"):
            batch.execute()
        for key in batch._order:
            try:
                told[key] = batch._requests[key].execute()
            except HttpError as error:
                told[key] = error
    else:
        batch.execute()
    failed = [key for key, each in told.items() if isinstance(each, HttpError)]
    assert (failed, told["10"].status_code) == (["10"], 400)
    titles = [
        each.get("title") for each in service.tasks().list(tasklist="work").execute()["items"]
    ]
    assert titles == [f"T{number}" for number in (12, 11, 9, 8, 7, 6, 5, 4, 3, 2, 1)] + [None]

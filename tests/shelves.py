"""A made-up API with one plain collection, for tests of what is declared as data."""

from collections.abc import Mapping
from datetime import UTC, datetime

from mockserver.collections import Store
from mockserver.googleapi import Call, Handler, PageRule, Resource, Verb, crud_handlers
from mockserver.model import Json, JsonObject
from mockserver.state import (
    Base,
    Clock,
    Ids,
    World,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BOOKS = Resource(
    collection="books",
    pattern="projects/{project}/shelves/{shelf}/books/{book}",
    list_key="books",
    page=PageRule(default=2, maximum=3),
    id_param="bookId",
    defaults={"state": "NEW"},
    fields={"title": "string", "state": "string", "isbn": "string", "labels": "object"},
    immutable=("isbn",),
    output_only=("createTime",),
    etags=True,
)


def world(*books: JsonObject) -> World:
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    project = {"name": "projects/42", "projectId": "p"}
    tables = {
        "books": Store({book["name"]: book for book in books}),
        "projects": Store({"projects/42": project}),
    }
    return World(Base(tables, {}, NOW), clock=clock, ids=Ids(0), session="s")


def named(name: str, **fields: Json) -> JsonObject:
    return {"name": f"projects/p/shelves/{name}", **fields}


def handlers(resource: Resource = BOOKS) -> Mapping[str, Handler]:
    verbs: tuple[Verb, ...] = ("list", "get", "create", "patch", "update", "delete")
    return crud_handlers(resource, ("x", "y"), verbs)


class Shelves:
    """Calls the collection's methods over one world."""

    def __init__(self, *books: JsonObject, resource: Resource = BOOKS) -> None:
        self.world = world(*books)
        self._handlers = handlers(resource)

    def ask(self, verb: str, body: JsonObject | None = None, **params: Json) -> JsonObject:
        given = {"parent": "projects/p/shelves/s"} if verb in {"list", "create"} else {}
        call = Call(id=f"x.{verb}", params=given | params, body=body or {}, world=self.world)
        answer = self._handlers[f"x.{verb}"](call)
        assert answer is not None
        return answer

from typing import Any

import pytest

from mockserver.apis.firestore import API
from mockserver.googleapi import Call
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import world

DATABASE = "projects/p/databases/(default)"
ROOT = f"{DATABASE}/documents"
PREFIX = "firestore.projects.databases.documents."


class Firestore:
    """Asks methods over one world."""

    def __init__(self, made: World) -> None:
        self.world = made

    def ask(self, verb: str, body: JsonObject | None = None, **params: Any) -> Any:
        """What a method answers; its database is told, and its parent is the root."""
        method = f"{PREFIX}{verb}"
        named = {name.replace("__", "."): each for name, each in params.items()}
        asked = {"database": DATABASE, "parent": ROOT, **named}
        call = Call(method, asked, body or {}, self.world)
        with self.world.transaction():
            return API.handlers[method](call)

    def write(self, *writes: JsonObject, **more: Any) -> Any:
        return self.ask("commit", {"writes": list(writes), **more})

    def set(self, path: str, **fields: JsonObject) -> None:
        self.write({"update": {"name": f"{ROOT}/{path}", "fields": fields}})

    def fields(self, path: str) -> JsonObject:
        found: JsonObject = self.ask("get", name=f"{ROOT}/{path}")["fields"]
        return found

    def find(self, query: JsonObject, parent: str = ROOT, **more: Any) -> list[str]:
        """The paths of the documents that a query finds."""
        answers = self.ask("runQuery", {"structuredQuery": query, **more}, parent=parent)
        return [
            each["document"]["name"].removeprefix(f"{ROOT}/")
            for each in answers
            if "document" in each
        ]


def documents(**by_path: JsonObject) -> Firestore:
    """Firestore with documents in plain JSON."""
    given = {path.replace("__", "/"): fields for path, fields in by_path.items()}
    return Firestore(world(API, firestore={DATABASE: given}))


@pytest.fixture
def empty() -> Firestore:
    return documents()

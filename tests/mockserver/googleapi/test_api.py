from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from mockserver.googleapi import (
    ANONYMOUS,
    Api,
    Call,
    Collection,
    Resource,
    SnapshotImport,
    Verb,
    parse_document,
)
from mockserver.model import Capture, JsonObject
from mockserver.state import Base, Clock, Ids, World


def ping(call: Call) -> JsonObject:
    return {"id": call.id}


def test_an_api_declares_itself_in_one_value() -> None:
    api = Api(name="shop", documents=(("shop", "v1"),), handlers={"shop.ping": ping})
    assert api.handlers["shop.ping"] is ping
    assert (api.dialect, api.collections, api.supplements) == ("one_platform", (), ())
    assert api.import_snapshot is None


def test_a_declaration_cannot_change() -> None:
    api = Api(name="shop", documents=(), handlers={})
    with pytest.raises(FrozenInstanceError):
        api.name = "other"  # type: ignore[misc]  # the point of the test


SHELF = "projects/{project}/locations/{location}/shelves/{shelf}"
VERBS: tuple[Verb, ...] = ("get", "list", "update")
SHELVES = Resource(
    collection="bookShelves",
    pattern=SHELF,
    about="shelves",
    verbs=VERBS,
    created=("createTime",),
    times=("books.*.lent",),
    schema="books:v1#Shelf",
    fields={"books": "object[]", "size": "integer"},
    etags=True,
    total="totalSize",
)
BOOKS = Resource(collection="books", pattern=f"{SHELF}/books/{{book}}", methods=("library.books",))
LIBRARY = Api(
    name="library",
    resources=(SHELVES, BOOKS),
    locations=("library.projects.locations",),
    handlers={"library.ping": ping, "library.books.get": ping},
    captures=lambda: {"library.ping": (Capture("pings"),)},
)


def test_what_follows_of_resources() -> None:
    assert LIBRARY.collections == (
        Collection(
            "bookShelves", "shelves", (("createTime",), ("books", "*", "lent")), "books:v1#Shelf"
        ),
        Collection("books", ""),
    )
    place = "library.projects.locations"
    ids = {f"{place}.shelves.{verb}" for verb in VERBS}
    ids |= {f"library.books.{verb}" for verb in ("list", "get", "create", "patch", "delete")}
    operations = {f"{place}.operations.{verb}" for verb in ("list", "get", "delete", "cancel")}
    assert set(LIBRARY.handlers) == ids | operations | {f"{place}.list", f"{place}.get"} | {
        "library.ping"
    }
    assert LIBRARY.handlers["library.books.get"] is ping
    assert LIBRARY.captures() == {
        f"{place}.shelves.list": (Capture("bookShelves", "shelves"),),
        f"{place}.shelves.get": (Capture("bookShelves"),),
        "library.books.list": (Capture("books", "books"),),
        "library.books.get": (Capture("books"),),
        "library.ping": (Capture("pings"),),
    }


def test_rows_of_resources_are_imported_by_their_names() -> None:
    shelf = {"name": "projects/p/locations/eu/shelves/1"}
    found = SnapshotImport(raw={"bookShelves": [shelf, {"name": "odd"}, shelf]})
    assert LIBRARY.import_snapshot is not None
    LIBRARY.import_snapshot(found)
    assert found.tables == {"bookShelves": {shelf["name"]: shelf}, "books": {}}
    assert [each.where for each in found.problems] == ["/bookShelves/1/name", "/bookShelves/2/name"]


def test_a_document_is_made_of_resources() -> None:
    [raw] = LIBRARY.supplements
    document = parse_document(raw)
    assert document.host == "library.googleapis.com"
    assert set(document.methods) == {
        name for name in LIBRARY.handlers if ".shelves." in name or ".books." in name
    }
    listed = document.methods["library.projects.locations.shelves.list"]
    assert listed.path == "v1/{+parent}/shelves"
    assert listed.parameters["parent"].pattern == "^projects/[^/]+/locations/[^/]+$"
    changed = document.methods["library.projects.locations.shelves.update"]
    assert (changed.http_method, changed.path) == ("PUT", "v1/{+name}")
    properties = document.schemas["Shelf"]["properties"]
    assert set(properties) == {"name", "books", "size", "etag", "createTime"}
    assert properties["books"]["items"]["type"] == "object"
    assert "totalSize" in document.schemas["ListShelfResponse"]["properties"]
    assert document.schemas["Book"]["additionalProperties"] == {"type": "any"}


def test_a_field_of_an_unknown_type_is_refused() -> None:
    wrong = Resource(collection="books", pattern="books/{book}", fields={"pages": "integers"})
    with pytest.raises(ValueError, match=r"books\.pages is of an unknown type 'integers'"):
        Api(name="library", resources=(wrong,))


def test_imports_share_nothing() -> None:
    one, other = SnapshotImport({}), SnapshotImport({})
    one.tables["users"] = {}
    one.changes.append(("/users", "read"))
    assert (other.tables, other.changes, other.faults, other.problems) == ({}, [], [], [])


def test_a_collection_has_no_timestamps_unless_it_says_so() -> None:
    assert Collection("users", "people").times == ()


NOW = datetime(2026, 1, 1, tzinfo=UTC)


def call() -> Call:
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    world = World(Base({}, {}, NOW), clock=clock, ids=Ids(0), session="s")
    return Call(id="shop.ping", params={}, body={}, world=world)


def test_a_call_is_anonymous_unless_it_says_who_asks() -> None:
    assert call().caller is ANONYMOUS
    assert (ANONYMOUS.token, ANONYMOUS.email, ANONYMOUS.scopes) == ("", "", ())


def test_calls_do_not_share_what_they_ignored() -> None:
    one, other = call(), call()
    one.ignored.append("view")
    assert other.ignored == []


def test_a_call_reads_the_session_s_time() -> None:
    assert call().world.clock.now() == NOW

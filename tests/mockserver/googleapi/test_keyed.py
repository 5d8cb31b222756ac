import pytest

from mockserver.collections.collection import Collection, Parent, Schema
from mockserver.googleapi import Api, SnapshotImport
from mockserver.googleapi.keyed import KeyedResource, field_problems
from mockserver.model import JsonObject

SHELVES = Collection(name="shelves", table="library:v1/bookshelves", defaults={"kind": "shelf"})
BOOKS = Collection(
    name="books", table="library:v1/books", parents=(Parent("shelf", "shelves"),), timed=("lent",)
)
PAGES = Collection(
    name="pages", table="library:v1/pages",
    parents=(Parent("shelf", "shelves"), Parent("book", "books")),
)  # fmt: skip
SCHEMA = Schema((SHELVES, BOOKS, PAGES))
LINK = "https://library.example.com/v1/shelves"
API = Api(
    name="library",
    documents=(("library", "v1"),),
    resources=(
        KeyedResource(siblings=SCHEMA, rules=SHELVES, pattern="{shelf}", link=f"{LINK}/{{id}}",
                      untold={"title": "Mine"}),
        KeyedResource(siblings=SCHEMA, rules=BOOKS, pattern="{shelf}/{book}", parent="{shelf}",
                      link=f"{LINK}/{{shelf}}/books/{{id}}"),
        KeyedResource(siblings=SCHEMA, rules=PAGES, pattern="{shelf}/{book}/{page}",
                      parent="{shelf}/{book}",
                      link=f"{LINK}/{{shelf}}/books/{{book}}/pages/{{id}}"),
    ),
    reads=frozenset({"other:v1/things"}),
)  # fmt: skip


def imported(collections: object) -> SnapshotImport:
    found = SnapshotImport(raw={"resources": {"library:v1": collections}})
    assert API.import_snapshot is not None
    API.import_snapshot(found)
    return found


def test_what_follows_of_keyed_resources() -> None:
    verbs = ("list", "get", "insert", "patch", "update", "delete")
    nouns = ("bookshelves", "books", "pages")
    assert set(API.handlers) == {f"library.{noun}.{verb}" for noun in nouns for verb in verbs}
    assert API.reads == {SHELVES.table, BOOKS.table, PAGES.table, "other:v1/things"}
    assert (API.collections, API.captures()) == ((), {})


SHELF = {"id": "old"}
PLACED: list[tuple[str, JsonObject, str]] = [
    ("books", {"id": "b", "shelf": "new"}, "new/b"),
    ("shelves/new/books", {"id": "b"}, "new/b"),
    ("shelves/-/books", {"id": "b"}, "old/b"),
    ("books", {"id": "b", "selfLink": f"{LINK}/new/books/b"}, "new/b"),
    ("books", {"id": "b", "selfLink": "elsewhere"}, "old/b"),
    ("books", {}, "old/1"),
    ("pages", {"id": "p", "book": "b"}, "old/b/p"),
    ("pages", {"selfLink": f"{LINK}/new/books/b/pages/p"}, "new/b/1"),
]


@pytest.mark.parametrize(("name", "row", "key"), PLACED)
def test_a_row_tells_what_it_is_inside_of(name: str, row: JsonObject, key: str) -> None:
    found = imported({"bookshelves": [SHELF, "odd"], name: [row]})
    noun = name.rpartition("/")[2]
    assert list(found.tables[f"library:v1/{noun}"]) == [key]
    shelves = {"old": SHELF, "new": {"kind": "shelf", "id": "new", "title": "Mine"}}
    wanted = {"old", key.partition("/")[0]}
    assert found.tables[SHELVES.table] == {
        name: shelves[name] for name in shelves if name in wanted
    }
    assert found.times == {SHELVES.table: (), BOOKS.table: (("lent",),), PAGES.table: ()}


def test_rows_around_that_nobody_tells_are_made() -> None:
    tables = imported({"pages": [{"id": "p"}]}).tables
    assert list(tables[PAGES.table]) == ["default/default/p"]
    assert tables[BOOKS.table] == {"default/default": {"shelf": "default", "id": "default"}}
    assert list(tables[SHELVES.table]) == ["default"]


@pytest.mark.parametrize("collections", [None, [], {"books": None}, {"films": [{"id": "f"}]}])
def test_a_snapshot_without_rows_has_no_tables(collections: object) -> None:
    assert imported(collections).tables == {}


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ({"state": "lent", "lent": "2026-03-01T09:00:00Z"}, []),
        ({"state": "odd"}, ["/state"]),
        ({"lent": "soon"}, ["/state", "/lent"]),
    ],
)
def test_fields_hold_times_and_choices(row: JsonObject, wrong: list[str]) -> None:
    problems = field_problems(row, times=("lent",), choices={"state": ("lent", "there")})
    assert problems == [(name, "Invalid Value") for name in wrong]

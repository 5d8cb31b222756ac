from collections.abc import Mapping
from dataclasses import replace

import pytest

from mockserver.googleapi import ApiError, Call, find_row, rows_under
from mockserver.model import Json, JsonObject
from tests.shelves import BOOKS, Shelves, named

ROWS = [
    named("s/books/a", title="A"),
    named("s/books/b", title="B"),
    named("t/books/c", title="C"),
    {"name": "projects/other/shelves/s/books/d", "title": "D"},
]


def titles(answer: JsonObject) -> list[str]:
    return [row["title"] for row in answer.get("books", [])]


@pytest.mark.parametrize(
    ("parent", "found"),
    [
        ("projects/p/shelves/s", ["A", "B"]),
        ("projects/42/shelves/t", ["C"]),
        ("projects/p/shelves/-", ["A", "B", "C"]),
        ("projects/-/shelves/s", ["A", "B", "D"]),
        ("projects/p/shelves/none", []),
    ],
    ids=str,
)
def test_a_list_holds_what_is_under_its_parent(parent: str, found: list[str]) -> None:
    assert titles(Shelves(*ROWS).ask("list", parent=parent, pageSize=3)) == found


def test_the_number_of_a_project_means_the_project() -> None:
    shelves = Shelves(*ROWS)
    one = shelves.ask("get", name="projects/42/shelves/s/books/a")
    assert one == shelves.ask("get", name="projects/p/shelves/s/books/a")


def test_a_parent_of_another_kind_is_refused() -> None:
    with pytest.raises(ApiError) as caught:
        Shelves(*ROWS).ask("list", parent="folders/7")
    assert (caught.value.status, caught.value.location) == (400, "parent")


def test_what_is_not_there_is_404_with_the_nearest() -> None:
    with pytest.raises(ApiError) as caught:
        Shelves(*ROWS).ask("get", name="projects/p/shelves/s/books/aa")
    assert caught.value.status == 404
    assert caught.value.miss is not None
    assert caught.value.miss.nearest == "projects/p/shelves/s/books/a"


def test_a_text_of_its_own_names_what_is_missing() -> None:
    shelves = Shelves(resource=replace(BOOKS, missing="Resource '{name}' was not found"))
    with pytest.raises(ApiError, match="Resource 'x' was not found"):
        shelves.ask("get", name="x")


def test_filter_order_view_and_total_are_the_resource_s_own() -> None:
    def test(call: Call) -> object:
        return None if "filter" not in call.params else lambda row: row["title"] != "B"

    def backwards(_: Call, rows: object) -> Json:
        return list(reversed(list(rows)))  # type: ignore[call-overload]

    def short(_: Call, row: Mapping[str, Json]) -> JsonObject:
        return {"title": row["title"]}

    resource = replace(BOOKS, filter=test, order=backwards, show=short, total="totalSize")  # type: ignore[arg-type]
    shelves = Shelves(*ROWS, resource=resource)
    assert shelves.ask("list") == {"books": [{"title": "B"}, {"title": "A"}], "totalSize": 2}
    assert shelves.ask("list", filter="x") == {"books": [{"title": "A"}], "totalSize": 1}


def test_a_row_without_an_etag_is_shown_with_one() -> None:
    shelves = Shelves(named("s/books/a"), named("s/books/b", etag="own"))
    assert [row["etag"] == "own" for row in shelves.ask("list")["books"]] == [False, True]


def test_rows_are_found_for_handlers_of_other_methods() -> None:
    world = Shelves(*ROWS).world
    call = Call("x.archive", {"name": ROWS[0]["name"]}, {}, world)
    assert find_row(BOOKS, call) == ROWS[0]
    call = Call("x.count", {"parent": "projects/p/shelves/s"}, {}, world)
    assert list(rows_under(BOOKS, call)) == ROWS[:2]

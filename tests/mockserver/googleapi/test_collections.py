"""The laws that every plain collection keeps."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.collections.selections import Selection
from mockserver.googleapi import (
    ApiError,
    Call,
    Referrer,
    Resource,
    Verb,
    crud_handlers,
    etag,
    find_row,
    permission_denied,
    rows_under,
)
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import Json, JsonObject
from tests.shelves import BOOKS, NOW, Shelves, handlers, named

IDS = st.text("abcdef", min_size=1, max_size=3)
BODIES = st.fixed_dictionaries({}, optional={"title": st.text(max_size=4), "isbn": st.just("1")})


def test_a_verb_may_serve_several_methods() -> None:
    verbs = ("list", "get", "create", "patch", "update", "delete")
    assert handlers().keys() == {f"{path}.{verb}" for path in "xy" for verb in verbs}
    usual = {f"z.{verb}" for verb in verbs if verb != "update"}
    assert crud_handlers(BOOKS, ("z",)).keys() == usual


def test_fields_and_parents_that_must_be_there_are_asked_for() -> None:
    strict = replace(BOOKS, noun="book", required=("title", "isbn"), parent_collection="shelves")
    shelves = Shelves(resource=strict)
    assert refusal(shelves, "create", {"title": "T"}, bookId="a").status == 404
    shelves.world.put("shelves", "projects/p/shelves/s", {"name": "projects/p/shelves/s"})
    error = refusal(shelves, "create", {"title": "T"}, bookId="a")
    assert error.details[0]["fieldViolations"] == [
        {"field": "book.isbn", "description": "Field book.isbn is required."}
    ]
    assert shelves.ask("create", {"title": "T", "isbn": "1"}, bookId="a")["title"] == "T"


def test_what_names_a_row_forbids_its_deletion_or_goes_along() -> None:
    notes = Referrer(
        collection="notes", field="books", allowed_by="force", refusal="Used by {name}."
    )
    follows = Referrer(
        collection="books",
        field="follows",
        allowed_by="recursive",
        refusal="Followed by {name}.",
        goes_along=True,
    )
    second, third = (
        named(f"s/books/{book}", follows=f"projects/p/shelves/s/books/{before}")
        for book, before in ("ba", "cb")
    )
    own = replace(BOOKS, inside=("pages",), referrers=(notes, follows))
    shelves = Shelves(ROW, second, third, resource=own)
    shelves.world.put("notes", "n", {"books": [NAME]})
    shelves.world.put("pages", f"{second['name']}/pages/1", {})
    assert refusal(shelves, "delete", name=NAME).message == "Used by n."
    followed = refusal(shelves, "delete", name=NAME, force=True)
    assert (followed.status, followed.message) == (400, f"Followed by {second['name']}.")
    shelves.ask("delete", name=NAME, force=True, recursive=True)
    assert [len(shelves.world.table(name)) for name in ("books", "pages", "notes")] == [0, 0, 1]


@given(IDS, BODIES)
def test_what_was_created_is_read_and_listed(book: str, body: JsonObject) -> None:
    shelves = Shelves()
    made = shelves.ask("create", body, bookId=book)
    assert made["name"] == f"projects/p/shelves/s/books/{book}"
    assert shelves.ask("get", name=made["name"]) == made
    assert shelves.ask("list") == {"books": [made]}


@given(IDS, BODIES)
def test_what_was_created_cannot_be_created_again(book: str, body: JsonObject) -> None:
    shelves = Shelves()
    shelves.ask("create", body, bookId=book)
    before = shelves.ask("list")
    with pytest.raises(ApiError) as caught:
        shelves.ask("create", body, bookId=book)
    assert caught.value.status == 409
    assert shelves.ask("list") == before


@given(IDS, BODIES, BODIES, st.sampled_from(["title", "state"]))
def test_a_masked_patch_changes_the_masked_field_alone(
    book: str, body: JsonObject, change: JsonObject, mask: str
) -> None:
    shelves = Shelves()
    made = shelves.ask("create", body, bookId=book)
    after = shelves.ask("patch", change, name=made["name"], updateMask=mask)
    assert after.get(mask) == change.get(mask)
    changed = {name for name in made | after if made.get(name) != after.get(name)}
    assert changed <= {mask, "etag"}
    assert shelves.ask("get", name=made["name"]) == after


@given(IDS, BODIES)
def test_what_was_deleted_is_gone(book: str, body: JsonObject) -> None:
    shelves = Shelves()
    name = shelves.ask("create", body, bookId=book)["name"]
    assert shelves.ask("delete", name=name) == {}
    assert shelves.ask("list") == {}
    for verb in ("get", "patch", "delete"):
        with pytest.raises(ApiError) as caught:
            shelves.ask(verb, name=name)
        assert caught.value.status == 404


@given(st.sets(IDS, max_size=9), st.integers(0, 4))
def test_pages_joined_are_the_whole_list(books: set[str], size: int) -> None:
    shelves = Shelves()
    made = [shelves.ask("create", {}, bookId=book) for book in sorted(books)]
    found, token = [], ""
    while True:
        answer = shelves.ask("list", pageSize=size, pageToken=token)
        found += answer.get("books", [])
        token = answer.get("nextPageToken", "")
        if not token:
            break
    assert found == made


NAME = "projects/p/shelves/s/books/a"
ROW = named("s/books/a", title="A", isbn="1", createTime="then", labels={"k": "v"})


def refusal(
    shelves: Shelves, verb: str, body: JsonObject | None = None, **params: Json
) -> ApiError:
    with pytest.raises(ApiError) as caught:
        shelves.ask(verb, body, **params)
    return caught.value


def test_a_new_row_has_defaults_and_nothing_that_only_the_server_writes() -> None:
    made = Shelves().ask("create", {"title": "T", "createTime": "x", "etag": "y"}, bookId="n")
    assert {name: made[name] for name in made if name != "etag"} == {
        "name": "projects/p/shelves/s/books/n", "state": "NEW", "title": "T",
    }  # fmt: skip
    assert made["etag"] != "y"


@pytest.mark.parametrize("book", ["a/b", "-"])
def test_an_id_that_cannot_be_is_refused(book: str) -> None:
    error = refusal(Shelves(), "create", {}, bookId=book)
    assert (error.status, error.details[0]["fieldViolations"][0]["field"]) == (400, "book_id")


def test_an_id_is_made_where_none_is_given_unless_it_is_required() -> None:
    first, second = (Shelves().ask("create")["name"] for _ in range(2))
    assert first == second
    own = Shelves(resource=replace(BOOKS, id_param=None, new_id=lambda _: "own"))
    assert own.ask("create", {}, bookId="x")["name"].endswith("/own")
    required = Shelves(resource=replace(BOOKS, id_required=True))
    assert "book_id" in refusal(required, "create").message


def test_a_row_may_bring_its_name_where_that_is_so() -> None:
    shelves = Shelves(resource=replace(BOOKS, named_by_body=True))
    assert shelves.ask("create", {"name": NAME})["name"] == NAME
    assert shelves.ask("create", {"name": "odd"})["name"] != "odd"


def test_the_number_of_a_project_does_not_make_a_second_row() -> None:
    error = refusal(Shelves(ROW), "create", {}, parent="projects/42/shelves/s", bookId="a")
    assert error.status == 409


def test_a_patch_without_a_mask_changes_what_the_body_holds() -> None:
    after = Shelves(ROW).ask("patch", {"title": "B"}, name=NAME)
    assert (after["title"], after["isbn"], after["labels"]) == ("B", "1", {"k": "v"})


def test_an_update_without_a_mask_replaces_all_but_the_server_s_fields() -> None:
    after = Shelves(ROW).ask("update", {"title": "B"}, name=NAME)
    assert after.keys() == {"name", "title", "isbn", "createTime", "etag"}


def test_a_mask_may_be_snake_case_and_nested() -> None:
    after = Shelves(ROW).ask(
        "patch", {"labels": {"k": "w", "x": "y"}}, name=NAME, updateMask="labels.k"
    )
    assert after["labels"] == {"k": "w"}


def test_a_mask_with_a_field_that_is_none_is_refused() -> None:
    assert refusal(Shelves(ROW), "patch", {}, name=NAME, updateMask="colour").status == 400


@pytest.mark.parametrize(("verb", "mask"), [("patch", ""), ("update", ""), ("patch", "isbn")])
def test_an_immutable_field_may_be_repeated_and_not_changed(verb: str, mask: str) -> None:
    shelves = Shelves(ROW)
    assert shelves.ask(verb, {"isbn": "1"}, name=NAME, updateMask=mask)["isbn"] == "1"
    assert "immutable" in refusal(shelves, verb, {"isbn": "2"}, name=NAME, updateMask=mask).message
    assert shelves.ask("patch", {"isbn": "2"}, name=NAME, updateMask="title")["isbn"] == "1"


def test_a_stale_etag_is_refused_and_changes_nothing() -> None:
    shelves = Shelves(ROW)
    tag = shelves.ask("get", name=NAME)["etag"]
    fresh = shelves.ask("patch", {"title": "B", "etag": tag}, name=NAME)
    stale = refusal(shelves, "patch", {"title": "C", "etag": tag}, name=NAME)
    assert (stale.status, stale.code_name) == (409, "ABORTED")
    assert refusal(shelves, "delete", name=NAME, etag=tag).status == 409
    assert shelves.ask("get", name=NAME) == fresh
    assert shelves.ask("delete", name=NAME, etag=fresh["etag"]) == {}


def test_missing_rows_are_made_or_let_be_where_the_call_allows() -> None:
    shelves = Shelves()
    assert shelves.ask("patch", {"title": "B"}, name=NAME, allowMissing=True)["state"] == "NEW"
    shelves.ask("delete", name=NAME)
    assert shelves.ask("delete", name=NAME, allowMissing=True) == {}


def test_a_resource_completes_checks_and_answers_in_its_own_way() -> None:
    def stamp(call: Call, row: JsonObject) -> JsonObject:
        return {**row, "createTime": call.world.clock.now().isoformat()}

    def count(_: Call, before: JsonObject, after: JsonObject) -> JsonObject:
        return {**after, "changes": before.get("changes", 0) + 1}

    def keep(_: Call, row: JsonObject) -> None:
        if row.get("changes"):
            raise permission_denied()

    def operation(_: Call, verb: Verb, row: JsonObject) -> JsonObject:
        return {"done": True, "verb": verb, "response": row["name"]}

    own = replace(BOOKS, on_create=stamp, on_change=count, on_delete=keep, reply=operation)
    shelves = Shelves(resource=own)
    assert shelves.ask("create", {}, bookId="a") == {
        "done": True,
        "verb": "create",
        "response": NAME,
    }
    assert shelves.ask("get", name=NAME)["createTime"] == NOW.isoformat()
    assert shelves.ask("update", {}, name=NAME)["verb"] == "update"
    assert refusal(shelves, "delete", name=NAME).status == 403
    shelves.ask("create", {}, bookId="b")
    assert shelves.ask("delete", name=NAME[:-1] + "b")["verb"] == "delete"


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
    def chosen(asked: ListCall) -> Selection | None:
        wanted = asked.call.params.get("filter")
        return asked.tested(lambda row: row["title"] == wanted, "title") if wanted else None

    def short(_: Call, row: Mapping[str, Json]) -> JsonObject:
        return {"title": row["title"]}

    resource = replace(BOOKS, filter=chosen, order="title desc", show=short, total="totalSize")
    shelves = Shelves(*ROWS, resource=resource)
    assert shelves.ask("list") == {"books": [{"title": "B"}, {"title": "A"}], "totalSize": 2}
    assert shelves.ask("list", filter="A") == {"books": [{"title": "A"}], "totalSize": 1}
    assert shelves.ask("list", orderBy="title")["books"] == [{"title": "A"}, {"title": "B"}]


def test_a_row_without_an_etag_is_shown_with_one() -> None:
    shelves = Shelves(named("s/books/a"), named("s/books/b", etag="own"))
    assert [row["etag"] == "own" for row in shelves.ask("list")["books"]] == [False, True]


def test_rows_are_found_for_handlers_of_other_methods() -> None:
    world = Shelves(*ROWS).world
    call = Call("x.archive", {"name": ROWS[0]["name"]}, {}, world)
    assert find_row(BOOKS, call) == ROWS[0]
    call = Call("x.count", {"parent": "projects/p/shelves/s"}, {}, world)
    assert list(rows_under(BOOKS, call)) == ROWS[:2]


def test_the_parent_is_two_segments_up_unless_it_is_said() -> None:
    assert BOOKS.depth == 2
    assert replace(BOOKS, parent="projects/{project}").depth == 4


def test_a_collection_is_ten_lines() -> None:
    tags = Resource(collection="tags", pattern="tags/{tag}", list_key="tags")
    assert tags.names.captures("tags/a") == {"tag": "a"}
    assert tags.page.default == 50


values = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4)


@given(values)
def test_the_order_of_fields_does_not_change_an_etag(value: dict[str, int | str]) -> None:
    value = {
        key: item for key, item in value.items() if not isinstance(item, int) or abs(item) < 2**63
    }
    assert etag(value) == etag(dict(reversed(value.items())))


def test_a_resource_keeps_its_etag_when_it_carries_it() -> None:
    resource = {"id": "1", "name": "Sales"}
    assert etag({**resource, "etag": etag(resource)}) == etag(resource)


def test_another_value_has_another_etag() -> None:
    assert etag({"name": "Sales"}) != etag({"name": "Support"})


def test_an_etag_is_quoted() -> None:
    assert etag({}).startswith('"')
    assert etag({}).endswith('"')

from dataclasses import replace

import pytest

from mockserver.googleapi import ApiError, Call, Verb, permission_denied
from mockserver.model import Json, JsonObject
from tests.shelves import BOOKS, NOW, Shelves, named

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

"""The laws that every plain collection keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.shelves import Shelves, handlers

IDS = st.text("abcdef", min_size=1, max_size=3)
BODIES = st.fixed_dictionaries({}, optional={"title": st.text(max_size=4), "isbn": st.just("1")})


def test_a_verb_may_serve_several_methods() -> None:
    assert handlers().keys() == {
        "x.list", "x.get", "y.get", "x.create", "x.patch", "x.update", "x.delete",
    }  # fmt: skip


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

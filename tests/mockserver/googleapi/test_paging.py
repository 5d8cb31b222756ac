from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import ApiError, Call, PageRule, page, page_of
from mockserver.model import Json, JsonObject
from mockserver.state import Base, Clock, Ids, World

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULE = PageRule(default=3, maximum=5, ignore=("view",), mismatch="Invalid token")
ITEMS = list(range(10))


def call(
    params: JsonObject | None = None, body: JsonObject | None = None, method: str = "x.list"
) -> Call:
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    world = World(Base({}, {}, NOW), clock=clock, ids=Ids(0), session="s")
    return Call(id=method, params=params or {}, body=body or {}, world=world)


def token(**params: Json) -> str:
    return page(call(params), ITEMS, RULE)[1]


@pytest.mark.parametrize(
    ("size", "count"), [(None, 3), (0, 3), (2, 2), (5, 5), (6, 5), ("4", 4)], ids=str
)
def test_sizes_default_and_are_cut_to_the_maximum(size: Json, count: int) -> None:
    params = {} if size is None else {"pageSize": size}
    items, following = page(call(params), ITEMS, RULE)
    assert (list(items), bool(following)) == (ITEMS[:count], True)


def test_the_last_page_has_no_token() -> None:
    assert page(call({"pageSize": 5}), ITEMS[:5], RULE) == (ITEMS[:5], "")
    assert page(call(), [], RULE) == ([], "")


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ApiError) as caught:
        page(call({"pageSize": -1}), ITEMS, RULE)
    assert (caught.value.status, caught.value.location) == (400, "pageSize")


def test_the_size_may_change_between_pages() -> None:
    following = token(filter="a", pageSize=2)
    items, _ = page(call({"filter": "a", "pageSize": 4, "pageToken": following}), ITEMS, RULE)
    assert items == ITEMS[2:6]


def test_parameters_that_do_not_choose_may_change_between_pages() -> None:
    params = {"view": "other", "pageToken": token(view="one")}
    assert page(call(params), ITEMS, RULE)[0] == ITEMS[3:6]


@pytest.mark.parametrize(
    ("params", "method"),
    [({"filter": "b"}, "x.list"), ({}, "x.list"), ({"filter": "a"}, "y.list")],
    ids=["changed", "left-out", "other-method"],
)
def test_a_token_belongs_to_its_query(params: JsonObject, method: str) -> None:
    asked = call(params | {"pageToken": token(filter="a")}, method=method)
    with pytest.raises(ApiError) as caught:
        page(asked, ITEMS, RULE)
    assert (caught.value.message, caught.value.location) == ("Invalid token", "pageToken")


@pytest.mark.parametrize("text", ["x", "!!", "ä", "a.b", "MTA", "LTUu"], ids=repr)
def test_a_made_up_token_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="Invalid token"):
        page(call({"pageToken": text}), ITEMS, RULE)


@pytest.mark.parametrize("offset", [-5, 11])
def test_a_token_cannot_point_outside_of_the_list(offset: int) -> None:
    raw = token() + "=="
    digest = urlsafe_b64decode(raw).split(b".", 1)[1]
    forged = urlsafe_b64encode(b"%d.%s" % (offset, digest)).decode()
    with pytest.raises(ApiError, match="Invalid token"):
        page(call({"pageToken": forged}), ITEMS, RULE)


def test_a_query_in_the_body_is_paged_by_the_body() -> None:
    following = page(call(body={"filter": "a", "pageSize": 2}), ITEMS, RULE)[1]
    again = call(body={"filter": "a", "pageSize": 2, "pageToken": following})
    assert page(again, ITEMS, RULE)[0] == ITEMS[2:4]


def test_an_empty_token_is_the_first_page() -> None:
    assert page(call({"pageToken": ""}), ITEMS, RULE)[0] == ITEMS[:3]


@given(st.lists(st.integers()), st.integers(min_value=0, max_value=7))
def test_the_pages_joined_are_the_list(items: list[int], size: int) -> None:
    joined: list[int] = []
    following = ""
    while True:
        part, following = page(call({"pageSize": size, "pageToken": following}), items, RULE)
        joined += part
        if not following:
            break
    assert joined == items


@given(st.lists(st.integers(), max_size=20), st.integers(min_value=0, max_value=7))
def test_pages_of_what_is_found_one_by_one_are_those_of_the_list(
    items: list[int], size: int
) -> None:
    following = ""
    while True:
        asked = call({"pageSize": size, "pageToken": following})
        part, following = page_of(asked, iter(items), RULE)
        assert (part, following) == page(asked, items, RULE)
        if not following:
            break


def test_a_page_looks_for_no_more_than_it_needs() -> None:
    found = iter(range(100))
    assert page_of(call({"pageSize": 4}), found, RULE)[0] == [0, 1, 2, 3]
    assert next(found) == 5


def test_a_forged_token_of_what_is_found_one_by_one_is_refused() -> None:
    digest = urlsafe_b64decode(token() + "==").split(b".", 1)[1]
    forged = urlsafe_b64encode(b"%d.%s" % (-5, digest)).decode()
    with pytest.raises(ApiError, match="Invalid token"):
        page_of(call({"pageToken": forged}), iter(ITEMS), RULE)

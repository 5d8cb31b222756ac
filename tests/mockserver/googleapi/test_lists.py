import contextlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import (
    ApiError,
    Call,
    PageRule,
    filter_of,
    order_rows,
    page,
    row_test,
    values_at,
)
from mockserver.googleapi.lists import changed_since, sync_token
from mockserver.model import Json, JsonObject
from mockserver.state import Base, Clock, Ids, World
from tests.shelves import world

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
        part, following = page(asked, iter(items), RULE)
        assert (part, following) == page(asked, items, RULE)
        if not following:
            break


def test_a_page_looks_for_no_more_than_it_needs() -> None:
    found = iter(range(100))
    assert page(call({"pageSize": 4}), found, RULE)[0] == [0, 1, 2, 3]
    assert next(found) == 5


def test_a_forged_token_of_what_is_found_one_by_one_is_refused() -> None:
    digest = urlsafe_b64decode(token() + "==").split(b".", 1)[1]
    forged = urlsafe_b64encode(b"%d.%s" % (-5, digest)).decode()
    with pytest.raises(ApiError, match="Invalid token"):
        page(call({"pageToken": forged}), iter(ITEMS), RULE)


ROWS: list[JsonObject] = [
    {"n": "b", "size": "10", "at": {"time": "2026-02-01"}},
    {"n": "a", "size": "9", "at": {"time": "2026-03-01"}},
    {"n": "c", "at": {"time": "2026-03-01"}, "rank": 1.5},
]


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("", "bac"),
        ("n", "abc"),
        ("n desc", "cba"),
        ("size", "cab"),
        ("at.time DESC, n", "acb"),
        ("rank", "bac"),
    ],
    ids=str,
)
def test_rows_come_in_the_order_asked_for(order: str, names: str) -> None:
    found = order_rows(Call("x", {"orderBy": order}, {}, world()), ROWS)
    assert "".join(row["n"] for row in found) == names


def test_there_may_be_a_default() -> None:
    found = order_rows(Call("x", {}, {}, world()), ROWS, "n")
    assert [row["n"] for row in found] == ["a", "b", "c"]


def test_what_is_no_order_is_refused() -> None:
    with pytest.raises(ApiError) as caught:
        order_rows(Call("x", {"orderBy": "n upwards"}, {}, world()), ROWS)
    assert (caught.value.status, caught.value.location) == (400, "orderBy")


ROW = {
    "name": "projects/p/things/cart",
    "displayName": "Cart service",
    "count": 3,
    "size": "12",
    "open": True,
    "createTime": "2026-11-20T09:00:00.5Z",
    "labels": {"team": "shop", "a.b": "dotted"},
    "tags": ["red", "blue"],
    "owners": [{"email": "ann@example.com"}, {"email": "bo@example.com"}],
    "empty": [],
}


@pytest.mark.parametrize(
    "text",
    [
        'displayName="Cart service"',
        'display_name="Cart*"',
        'name="*things*cart"',
        'name="projects/*/things/*"',
        "count=3",
        "count>2.5 count<=3",
        "size>=12",
        "open=true",
        'createTime>"2026-11-20T09:00:00Z"',
        'createTime<"2026-11-20T10:00:00+00:30"',
        "labels.team=shop",
        "labels:team",
        "labels.a.b=dotted",
        "tags:red",
        "tags=blue",
        "tags:*",
        'owners.email="bo@example.com"',
        'displayName:"SERV"',
        "displayName>=Bart",
        "ann@example.com",
        "none!=1",
        "NOT none=1",
        "none=1 OR count=3",
        "",
    ],
)
def test_filters_that_hold(text: str) -> None:
    assert row_test(text)(ROW)


@pytest.mark.parametrize(
    "text",
    [
        "displayName=cart",
        'name="*x"',
        'name="a*"',
        'name="projects/*x*cart"',
        "count=x",
        "count>x",
        "open=false",
        "labels=shop",
        "labels:shop",
        "tags:green",
        "empty:*",
        "none:*",
        "none>1",
        "displayName.x=1",
        "zebra",
        "tags!=red",
        "open>1",
    ],
)
def test_filters_that_do_not(text: str) -> None:
    assert not row_test(text)(ROW)


@pytest.mark.parametrize("text", ["a=", "(a=1", "f(x)", "a=1)", "x" * 10_001], ids=lambda t: t[:9])
def test_what_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(ApiError) as caught:
        row_test(text)
    assert (caught.value.status, caught.value.location) == (400, "filter")


@given(st.text(max_size=20))
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    with contextlib.suppress(ApiError):
        assert row_test(text)(ROW) in {True, False}


def test_a_call_without_a_filter_has_no_test() -> None:
    assert filter_of(Call("x", {"filter": " "}, {}, world())) is None
    test = filter_of(Call("x", {"query": "count=3"}, {}, world()), "query")
    assert test is not None
    assert test(ROW)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("owners.email", ["ann@example.com", "bo@example.com"]),
        ("labels.x", []),
        ("tags", ["red", "blue"]),
    ],
    ids=str,
)
def test_values_at_a_path(path: str, values: list[Json]) -> None:
    assert values_at(ROW, path) == values


@given(st.integers(1, 5), st.integers(0, 12), st.booleans(), st.sets(st.integers(0, 11)))
def test_a_page_goes_on_behind_the_last_item_of_the_one_before(
    size: int, added: int, is_lazy: bool, gone: set[int]
) -> None:
    items = [{"id": f"i{number}"} for number in range(12)]
    first, following = page(call({"pageSize": size}), items, RULE)
    new = [{"id": f"new{number}"} for number in range(added)]
    left = [each for number, each in enumerate(items) if number not in gone or number == size - 1]
    later = iter([*new, *left]) if is_lazy else [*new, *left]
    more, _ = page(call({"pageSize": 5, "pageToken": following}), later, RULE)
    assert list(first) == items[:size]
    assert list(more) == [each for each in left if each not in first][:5]


def test_a_page_skips_nothing_where_the_last_item_of_the_one_before_is_gone() -> None:
    items = [{"id": f"i{number}"} for number in range(6)]
    _, following = page(call({"pageSize": 2}), items, RULE)
    more, _ = page(call({"pageSize": 2, "pageToken": following}), [items[0], *items[2:]], RULE)
    assert list(more) == items[2:4]


def test_a_token_of_a_synchronization_tells_what_changed_since() -> None:
    over = world()
    for number in range(12):
        over.put("books", str(number % 3), {"n": number})
    over.delete("books", "0")
    over.put("books", "9", {"n": 9})
    over.delete("books", "9")
    asked = Call("x.list", {}, {}, over)
    for owner in "", "a", "an", "ann":  # each of another padding
        token = sync_token(owner, 11)
        assert "=" not in token
        assert changed_since(asked, owner, token) == {
            ("books", "2"): {"n": 11}, ("books", "0"): {"n": 9}, ("books", "9"): {"n": 9},
        }  # fmt: skip
        assert changed_since(asked, owner, sync_token(owner, 15)) == {}
        assert changed_since(asked, owner + "x", token) is None
    for wrong in "", "a", "YW5u", "é", sync_token("ann", -5):
        assert changed_since(asked, "ann", wrong) is None


@pytest.mark.parametrize(
    ("removed", "added", "second"),
    [
        ([], [], ["d", "e", "f"]),
        (["c"], [], ["d", "e", "f"]),
        (["a"], [], ["d", "e", "f"]),
        (["a", "b"], [], ["d", "e", "f"]),
        ([], ["0"], ["d", "e", "f"]),
        (["c"], ["0"], ["b", "d", "e"]),
    ],
)
def test_the_next_page_goes_on_behind_the_last_item_wherever_it_is(
    removed: list[str], added: list[str], second: list[str]
) -> None:
    items = [{"id": name} for name in "abcdefg"]
    first, following = page(call(), items, RULE)
    assert [each["id"] for each in first] == ["a", "b", "c"]
    now = [{"id": name} for name in [*added, *"abcdefg"] if name not in removed]
    found, _ = page(call({"pageToken": following}), now, RULE)
    assert [each["id"] for each in found] == second

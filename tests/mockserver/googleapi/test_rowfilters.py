import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import ApiError, Call, filter_of, row_test, values_at
from mockserver.model import Json
from tests.shelves import world

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

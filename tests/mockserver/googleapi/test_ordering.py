import pytest

from mockserver.googleapi import ApiError, Call, order_rows
from mockserver.model import JsonObject
from tests.shelves import world

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
        order_rows(Call("x", {"sort": "n upwards"}, {}, world()), ROWS, parameter="sort")
    assert (caught.value.status, caught.value.location) == (400, "sort")

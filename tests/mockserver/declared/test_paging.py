"""Laws of lists: each row stands once on the pages of every style; filters are predicates."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.collections import Store
from mockserver.declared.declaration import Declaration, Errors
from mockserver.declared.errors import ErrorShape
from mockserver.declared.queries import ListRules, Page
from mockserver.declared.rows import Rows
from mockserver.googleapi import ApiError

STYLES: dict[str, Any] = {
    "page": "page",
    "page from 0": {"style": "page", "first": 0},
    "offset": {"style": "offset", "size": "limit"},
    "cursor": "cursor",
    "token": "token",
    "link header": "link_header",
}
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.sampled_from([0.5, -1.5, 2.0]),
    st.sampled_from(["", "a", "A", "b", "3", "true", "ä"]), st.lists(st.integers(0, 3), max_size=2),
)  # fmt: skip


def written_table(values: list[Any], writes: list[tuple[int, bool, Any]]) -> Store:
    """Rows of a base, with rows of a session put over them and taken out of them."""
    table = Store({f"r{n}": {"id": f"r{n}", "v": v, "w": n % 3} for n, v in enumerate(values)})
    table = table.copy()
    for n, is_put, value in writes:
        if is_put:
            table.put(f"r{n}", {"id": f"r{n}", "v": value, "w": n % 2})
        else:
            table.delete(f"r{n}")
    return table


WRITES = st.lists(st.tuples(st.integers(0, 40), st.booleans(), VALUES), max_size=6)
TABLES = st.builds(written_table, st.lists(VALUES, max_size=30), WRITES)


def rules(**declared: Any) -> ListRules:
    declaration = {"api": "a", "collections": {"things": declared}}
    return Rows(Declaration.model_validate(declaration), "things", {}).lists


def following(page: Page) -> dict[str, list[str]] | None:
    link = next((each for each in page.links if each.rel == "next"), None)
    return None if link is None else parse_qs(link.query, keep_blank_values=True)


@settings(deadline=None)
@given(TABLES, st.sampled_from(sorted(STYLES)), st.integers(1, 7), st.booleans())
def test_each_row_stands_once_on_the_pages(
    table: Store, style: str, size: int, is_sorted: bool
) -> None:
    lists = rules(paging=STYLES[style], sort="sort")
    assert lists.declared.paging is not None
    query: dict[str, list[str]] | None = {lists.declared.paging.size: [str(size)]}
    if is_sorted:
        query = {**(query or {}), "sort": ["-v"]}
    rows: list[Any] = []
    while query is not None:
        page = lists.page(table, query)
        assert len(page.rows) <= size
        assert page.total == len(table)
        rows += page.rows
        query = following(page)
    whole = rules(sort="sort").page(table, {"sort": ["-v"]} if is_sorted else {})
    assert rows == list(whole.rows)
    assert sorted(row["id"] for row in rows) == sorted(table.rows())


def number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def equal(value: Any, text: str) -> bool:
    if isinstance(value, list):
        return any(equal(each, text) for each in value)
    if value is None:
        return False
    if isinstance(value, bool):
        return text == str(value).lower()
    if isinstance(value, int | float):
        return number(text) == value
    return bool(value == text)


def ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, str], bool]:
    def holds(value: Any, text: str) -> bool:
        if isinstance(value, bool):
            return text in {"true", "false"} and compare(value, text == "true")
        if isinstance(value, int | float):
            return number(text) is not None and compare(value, number(text))
        return isinstance(value, str) and compare(value, text)

    return holds


PREDICATES: dict[str, Callable[[Any, str], bool]] = {
    "==": equal,
    "!=": lambda value, text: not equal(value, text),
    "<": ordered(lambda a, b: a < b),
    "<=": ordered(lambda a, b: a <= b),
    ">": ordered(lambda a, b: a > b),
    ">=": ordered(lambda a, b: a >= b),
    "in": lambda value, text: any(equal(value, each) for each in text.split(",")),
    "exists": lambda value, text: (value is not None) == (text != "false"),
}


@settings(deadline=None)
@given(
    TABLES,
    st.sampled_from(sorted(PREDICATES)),
    st.sampled_from(["a", "b", "3", "2.0", "-1.5", "true", "false", "", "a,3", "1,true", "nan"]),
)
def test_a_filter_is_a_predicate(table: Store, op: str, text: str) -> None:
    page = rules(filters={"f": {"field": "v", "op": op}}).page(table, {"f": [text]})
    holds = PREDICATES[op]
    assert list(page.rows) == [row for row in table.rows().values() if holds(row["v"], text)]


@given(TABLES, st.booleans())
def test_an_order_is_stable_and_rows_without_the_field_come_last(table: Store, down: bool) -> None:
    rows = rules(sort="s").page(table, {"s": ["-v" if down else "v"]}).rows
    numbers = [row["v"] for row in rows if type(row["v"]) in {int, float}]
    assert numbers == sorted(numbers, reverse=down)
    empty = [row for row in rows if row["v"] is None]
    assert list(rows)[len(rows) - len(empty) :] == empty
    assert [row["id"] for row in empty] == [k for k, r in table.rows().items() if r["v"] is None]


def kind_and_value(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool):
        return 0, value
    if isinstance(value, int | float):
        return 1, value
    return (2, value) if isinstance(value, str) else (3, str(value).replace(" ", ""))


@given(TABLES, st.booleans(), st.booleans(), st.none() | st.sampled_from(["2", "0"]))
def test_rows_are_ordered_by_several_fields(
    table: Store, down: bool, also_down: bool, most: str | None
) -> None:
    lists = rules(sort="s", filters={"most": {"field": "v", "op": "<="}})
    order = f"{'-' if down else ''}v,{'-' if also_down else ''}w"
    query = {"s": [order], **({"most": [most]} if most else {})}
    found = list(lists.page(table, query).rows)
    expected = [
        row for row in table.rows().values() if not most or PREDICATES["<="](row["v"], most)
    ]
    expected.sort(key=lambda row: row["w"], reverse=also_down)
    having = [row for row in expected if row["v"] is not None]
    having.sort(key=lambda row: kind_and_value(row["v"]), reverse=down)
    assert found == [*having, *(row for row in expected if row["v"] is None)]


@given(TABLES, st.sampled_from(["contains", "starts_with", "ends_with"]), st.sampled_from("aÄ3["))
def test_a_pattern_is_looked_for_in_texts(table: Store, op: str, text: str) -> None:
    page = rules(filters={"f": {"field": "v", "op": op}}).page(table, {"f": [text]})
    tests = {"contains": "__contains__", "starts_with": "startswith", "ends_with": "endswith"}
    expected = [
        row
        for row in table.rows().values()
        if row["v"] is not None
        and getattr(json_text(row["v"]).casefold(), tests[op])(text.casefold())
    ]
    assert list(page.rows) == expected


def json_text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


TABLE = Store({f"r{n}": {"id": f"r{n}"} for n in range(5)})


@pytest.mark.parametrize(
    ("paging", "query"),
    [
        ("page", {"page": ["0"]}),
        ("page", {"page": ["x"]}),
        ("page", {"page": ["9" * 99]}),
        ("page", {"per_page": ["0"]}),
        ("offset", {"offset": ["-1"]}),
        ("cursor", {"cursor": ["x"]}),
        ("cursor", {"cursor": ["WzFd"]}),
        ("cursor", {"cursor": ["é"]}),
    ],
)
def test_a_page_that_cannot_be_is_refused(paging: str, query: dict[str, list[str]]) -> None:
    with pytest.raises(ApiError) as caught:
        rules(paging=paging).page(TABLE, query)
    assert caught.value.status == 400
    shape = ErrorShape(Errors())
    assert shape.body(caught.value, "/")["error"]["code"] == 400


def test_a_token_of_another_query_is_refused() -> None:
    lists = rules(paging="cursor", filters=True)
    query = following(lists.page(TABLE, {"per_page": ["2"]}))
    assert query is not None
    with pytest.raises(ApiError, match="no token of this list"):
        lists.page(TABLE, {**query, "id": ["r1"]})


def test_a_token_goes_on_behind_its_row_where_rows_before_it_were_deleted() -> None:
    lists = rules(paging="cursor")
    query = following(lists.page(TABLE, {"per_page": ["2"]}))
    assert query is not None
    left = TABLE.copy()
    left.delete("r0")
    assert [row["id"] for row in lists.page(left, query).rows] == ["r2", "r3"]


def test_a_size_beyond_the_largest_is_cut_to_it() -> None:
    page = rules(paging={"style": "page", "max": 3, "default": 2}).page(TABLE, {"per_page": ["9"]})
    assert len(page.rows) == 3

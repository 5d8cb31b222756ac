"""Tools ask the emulated Google APIs as other callers do."""

from typing import Any

import pytest

from mockserver.apis.tools.table import ask, ask_all, bare_id, find_unit
from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import World


class Pages:
    """An API of three pages; keeps what it was asked."""

    def __init__(self, pages: int = 3) -> None:
        self.asked: list[tuple[JsonObject, JsonObject | None]] = []
        self.pages = pages

    def __call__(
        self, method_id: str, params: JsonObject, body: JsonObject | None = None
    ) -> JsonObject:
        self.asked.append((params, body))
        number = len(self.asked)
        answer: JsonObject = {"items": [{"n": number}]} if number != 2 else {}
        return {**answer, "nextPageToken": f"p{number}"} if number < self.pages else answer


def call(world: World, invoke: Any) -> Call:
    return Call(id="tools.x", params={}, body={}, world=world, invoke=invoke)


def test_all_pages_are_asked_for_by_parameter(tenant: World) -> None:
    pages = Pages()
    assert ask_all(call(tenant, pages), "a.list", "items", {"q": "1"}) == [{"n": 1}, {"n": 3}]
    assert [params for params, _ in pages.asked] == [
        {"q": "1"},
        {"q": "1", "pageToken": "p1"},
        {"q": "1", "pageToken": "p2"},
    ]


def test_all_pages_are_asked_for_in_the_body_when_there_is_one(tenant: World) -> None:
    pages = Pages(pages=2)
    ask_all(call(tenant, pages), "a.resolve", "items", {"c": "x"}, {"f": 1})
    assert pages.asked == [({"c": "x"}, {"f": 1}), ({"c": "x"}, {"f": 1, "pageToken": "p1"})]


def test_pages_without_end_are_not_followed_for_ever(tenant: World) -> None:
    pages = Pages(pages=10**9)
    ask_all(call(tenant, pages), "a.list", "items", {})
    assert len(pages.asked) == 100


def test_a_transport_that_cannot_call_others_says_so(tenant: World) -> None:
    with pytest.raises(ApiError, match="needs a transport") as caught:
        ask(call(tenant, None), "a.list", {})
    assert caught.value.status == 500


@pytest.mark.parametrize(
    ("name", "asked"),
    [("/Eng", "/Eng"), ("03x", "id:03x"), ("id:03x", "id:03x"), ("orgunits/03x", "id:03x"),
     ("orgUnits/03x", "id:03x")],
)  # fmt: skip
def test_an_org_unit_is_found_by_path_or_id(tenant: World, name: str, asked: str) -> None:
    pages = Pages(pages=1)
    find_unit(call(tenant, pages), name)
    assert pages.asked[0][0]["orgUnitPath"] == asked


def test_an_id_loses_its_prefix() -> None:
    assert bare_id({"orgUnitId": "id:03x"}) == "03x"

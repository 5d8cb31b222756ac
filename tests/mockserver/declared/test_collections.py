from pathlib import Path
from typing import Any

import pytest

from tests.mockserver.declared.worlds import declared, write_suite

FLIGHTS = [
    {"id": "F1", "from": "ZRH", "price": 120, "tags": ["direct"]},
    {"id": "F2", "from": "ZRH", "price": 80, "note": "Night flight"},
    {"id": "F3", "from": "LIS", "price": 80.5},
    {"id": "F4", "from": "OSL"},
]
BOOKING = {
    "type": "object",
    "required": ["flight"],
    "additionalProperties": False,
    "properties": {"flight": {"type": "string"}, "seats": {"type": "integer"}, "status": {}},
}
API: dict[str, Any] = {
    "api": "travel",
    "hosts": ["api.travel.example.com"],
    "base_path": "/v1",
    "collections": {
        "flights": {
            "readonly": True,
            "filters": {
                "from": "from",
                "max": {"field": "price", "op": "<="},
                "over": {"field": "price", "op": ">"},
                "any": {"field": "from", "op": "in"},
                "not": {"field": "from", "op": "!="},
                "tag": "tags",
                "note": {"field": "note", "op": "contains"},
                "priced": {"field": "price", "op": "exists"},
            },
            "search": "q",
            "sort": "sort",
        },
        "bookings": {
            "ids": "B{{ seq }}",
            "schema": BOOKING,
            "defaults": {"status": "confirmed"},
            "refs": {"flight": "flights.id"},
            "created": "createdAt",
            "list_in": "items",
            "actions": {
                "cancel": {
                    "path": "POST /bookings/{id}/cancel",
                    "set": {"status": "cancelled"},
                    "when": {"status": "confirmed"},
                }
            },
        },
    },
}
HOST = "/api.travel.example.com/v1"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path, API, {"flights": FLIGHTS})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "F1 F2 F3 F4"),
        ("from=ZRH", "F1 F2"),
        ("from=zrh", ""),
        ("max=80.5", "F2 F3"),
        ("max=80", "F2"),
        ("over=80", "F1 F3"),
        ("over=x", ""),
        ("any=LIS,OSL", "F3 F4"),
        ("any=LIS&any=ZRH", "F1 F2 F3"),
        ("not=ZRH", "F3 F4"),
        ("tag=direct", "F1"),
        ("note=NIGHT", "F2"),
        ("priced=true", "F1 F2 F3"),
        ("priced=false", "F4"),
        ("from=ZRH&max=100", "F2"),
        ("q=flight+night", "F2"),
        ("q=zrh", "F1 F2"),
        ("sort=price", "F2 F3 F1 F4"),
        ("sort=-price", "F1 F3 F2 F4"),
        ("sort=price:desc", "F1 F3 F2 F4"),
        ("sort=-from,price", "F2 F1 F4 F3"),
        ("sort=-from&max=100", "F2 F3"),
        ("nothing=1", "F1 F2 F3 F4"),
    ],
)
async def test_a_list_holds_the_rows_that_a_query_selects(
    suite: Path, query: str, expected: str
) -> None:
    async with declared(suite, url=HOST) as travel:
        rows = (await travel.ask("GET", f"/flights?{query}")).json()
    assert " ".join(row["id"] for row in rows) == expected


@pytest.mark.parametrize(
    ("path", "plan"),
    [
        ("/flights", "travel.flights: all rows; 4 found; as put, from an index"),
        (
            "/flights?from=ZRH&sort=-price",
            "travel.flights: index from == ZRH: 2 of 4 rows; 2 found; by price descending, sorted",
        ),
        (
            "/flights?q=night&not=LIS",
            "travel.flights: index from != LIS: 3 of 4 rows, then column texts with"
            " 'night': 4 of 4 rows; 1 found; as put, from an index",
        ),
        ("/flights/F1", "no list was made"),
    ],
)
async def test_a_list_says_how_it_found_its_rows(suite: Path, path: str, plan: str) -> None:
    async with declared(suite) as api:
        for _ in range(2):  # also where the answer is kept
            found = await api.ask("GET", HOST + path, headers={"X-Mock-Explain": "1"})
            assert found.headers["x-mock-plan"] == plan


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "text"),
    [
        ("GET", "/flights/F1", None, 200, '"price":120'),
        ("GET", "/flights/F9", None, 404, "No flights with id 'F9'."),
        ("GET", "/flihgts", None, 404, "The nearest route is GET /v1/flights."),
        ("GET", "/", None, 404, "There is no route GET /v1/"),
        ("DELETE", "/flights/F1", None, 405, "it answers GET"),
        ("POST", "/bookings", {"flight": "F9"}, 422, "flight names no flights: F9."),
        ("POST", "/bookings", {"flight": 1}, 422, "flight: 1 is not of type 'string'"),
        ("POST", "/bookings", {"seats": 1}, 422, "'flight' is a required property"),
        ("POST", "/bookings", {"flight": "F1", "x": 1}, 422, "'x' was unexpected"),
        ("POST", "/bookings", [], 400, "must be a JSON object"),
        ("POST", "/bookings/B1/cancel", None, 404, "No bookings"),
    ],
)
async def test_a_request_that_cannot_be_answered_says_why_in_the_usual_shape(
    suite: Path, verb: str, path: str, body: Any, status: int, text: str
) -> None:
    async with declared(suite, url=HOST) as travel:
        answer = await travel.ask(verb, path, json=body)
    assert answer.status_code == status
    assert text in answer.text
    if status >= 400:
        assert answer.json()["error"]["code"] == status
        assert "server" not in answer.headers


async def test_a_row_lives_from_its_creation_to_its_deletion(suite: Path) -> None:
    async with declared(suite, url=HOST) as travel:
        made = await travel.ask("POST", "/bookings", json={"flight": "F1"})
        assert made.status_code == 201
        assert made.headers["location"].endswith(f"/s/s1{HOST}/bookings/B1")
        row = {"id": "B1", "status": "confirmed", "flight": "F1",
               "createdAt": "2026-11-22T09:00:00.000Z"}  # fmt: skip
        assert made.json() == row
        assert (await travel.ask("GET", "/bookings")).json() == {"items": [row]}
        cancelled = await travel.ask("POST", "/bookings/B1/cancel")
        assert cancelled.json() == {**row, "status": "cancelled"}
        again = await travel.ask("POST", "/bookings/B1/cancel")
        assert again.status_code == 409
        patched = await travel.ask("PATCH", "/bookings/B1", json={"seats": 2})
        assert patched.json()["seats"] == 2
        put = await travel.ask("PUT", "/bookings/B1", json={"flight": "F2"})
        assert put.json() == {"id": "B1", "flight": "F2", "createdAt": row["createdAt"]}
        assert set(travel.session.world.diff()) == {"travel.bookings"}
        assert (await travel.ask("DELETE", "/bookings/B1")).status_code == 204
        assert (await travel.ask("GET", "/bookings/B1")).status_code == 404
        assert travel.session.world.diff() == {}
        assert travel.session.world.written_collections() == ("travel.bookings",)
        methods = [entry["method_id"] for entry in travel.journal]
    assert methods[:4] == [
        "travel.bookings.create", "travel.bookings.list", "travel.bookings.cancel",
        "travel.bookings.cancel",
    ]  # fmt: skip


@pytest.mark.parametrize("url", ["/v1", "/api.travel.example.com/v1"])
async def test_an_api_answers_with_its_host_and_without(suite: Path, url: str) -> None:
    async with declared(suite, url=url) as travel:
        assert (await travel.ask("GET", "/flights/F1")).json()["id"] == "F1"
        assert (await travel.ask("GET", "/nothing")).json()["error"]["code"] == 404
        own = {"Host": "api.travel.example.com", "X-Mock-Session": "s1"}
        direct = await travel.client.get("http://api.travel.example.com/v1/flights/F1", headers=own)
        assert direct.json()["id"] == "F1"


async def test_google_answers_as_before_beside_a_declared_api(suite: Path) -> None:
    async with declared(suite) as travel:
        found = await travel.ask("GET", "/admin.googleapis.com/admin/directory/v1/users?customer=C")
        assert found.headers["server"] == "ESF"
        lost = await travel.ask("GET", "/nothing")
        assert lost.text.startswith("<!DOCTYPE html>")

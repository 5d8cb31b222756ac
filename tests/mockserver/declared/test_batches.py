"""Several requests in one: each for itself, or all or none."""

from pathlib import Path
from typing import Any

import pytest

from tests.mockserver.declared.worlds import declared, write_suite


def suite(folder: Path, *, atomic: bool = False) -> Path:
    return write_suite(
        folder,
        {
            "api": "shop",
            "base_path": "/v1",
            "batch": {"path": "/batch", "atomic": atomic, "most": 10},
            "collections": {"things": {"etag": True, "unique": ["n"]}},
            "webhooks": [{"on": "things.create", "url": "https://hooks.example.com/"}],
        },
        {"things": [{"id": "a", "n": 100}]},
    )


_NINE = [{"method": "POST", "url": "/things", "body": {"id": f"t{n}", "n": n}} for n in range(9)]
_TENTH: dict[str, Any] = {"method": "POST", "url": "/things", "body": {"id": "b", "n": 100}}


@pytest.mark.parametrize("atomic", [False, True])
async def test_the_tenth_request_fails(tmp_path: Path, *, atomic: bool) -> None:
    async with declared(suite(tmp_path, atomic=atomic), url="/v1") as shop:
        found = await shop.ask("POST", "/batch", json={"requests": [*_NINE, _TENTH]})
        rows, world = shop.session.state(("shop.things",))["shop.things"], shop.session.world
        parents = [each.get("parent") for each in shop.journal]
        messages = world.table("shop:webhooks")
        if atomic:
            assert found.status_code == 409
            message = found.json()["error"]["message"]
            assert message.startswith("Request 10 of 10 failed, and none is kept: ")
            assert list(rows) == ["a"]
            assert (world.diff(), len(messages), world.history.latest) == ({}, 0, 0)
        else:
            assert [each["status"] for each in found.json()["responses"]] == [201] * 9 + [409]
            assert (len(rows), len(messages)) == (10, 9)
        assert len(parents) == 11
        assert len({each for each in parents if each is not None}) == 1


async def test_each_request_has_what_the_batch_has(tmp_path: Path) -> None:
    async with declared(suite(tmp_path), url="/v1") as shop:
        parts = [
            {"id": "x", "url": "/things/a?fields=n"},
            {"method": "DELETE", "url": "/things/a", "headers": {"If-Match": '"old"'}},
            {"method": "DELETE", "url": "/things/a"},
            {"method": "GET", "url": "/things/a"},
        ]
        found = (await shop.ask("POST", "/batch", json={"requests": parts})).json()["responses"]
        assert [(each["id"], each["status"]) for each in found] == [
            ("x", 200), ("2", 412), ("3", 204), ("4", 404),
        ]  # fmt: skip
        assert found[0]["body"] == {"id": "a", "n": 100}
        assert found[0]["headers"]["etag"]
        assert "body" not in found[2]


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({}, 400, "in a list"),
        ({"requests": []}, 400, "in a list"),
        ({"requests": [_TENTH] * 11}, 413, "10 are taken"),
    ],
)
async def test_a_batch_that_is_none_is_refused(
    tmp_path: Path, body: Any, status: int, text: str
) -> None:
    async with declared(suite(tmp_path), url="/v1") as shop:
        found = await shop.ask("POST", "/batch", json=body)
        assert (found.status_code, text in found.text) == (status, True)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (7, "must be an object"),
        ({"url": "https://example.com/"}, "must be a path"),
        ({"url": "/things", "verb": "GET"}, "unknown field: verb"),
        ({"url": "/things", "headers": []}, ""),
        ({"url": "/things", "headers": [1]}, "must be an object"),
        ({"url": "/batch", "method": "POST", "body": {"requests": [_TENTH]}}, "another batch"),
        ({"url": "/nothing"}, "/nothing"),
    ],
)
async def test_a_part_that_is_no_request_fails_alone(tmp_path: Path, part: Any, text: str) -> None:
    async with declared(suite(tmp_path), url="/v1") as shop:
        found = await shop.ask("POST", "/batch", json={"requests": [part, {"url": "/things"}]})
        first, second = found.json()["responses"]
        assert text in str(first["body"])
        assert (first["status"] < 400) is (text == "")
        assert second["status"] == 200

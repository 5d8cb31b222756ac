"""Objects of Storage as a client meets them, in a tenant that is empty at first."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mockserver.testing import EmulatorTransport

BUCKETS = "/storage/v1/b"
OBJECTS = f"{BUCKETS}/shop/o"


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    base = "https://storage.googleapis.com"
    with httpx.Client(transport=EmulatorTransport(), base_url=base) as made:
        made.headers["Authorization"] = "Bearer t"
        body = {"name": "shop", "versioning": {"enabled": True}}
        assert made.post(f"{BUCKETS}?project=p", json=body).status_code == 200
        yield made


def put(client: httpx.Client, name: str, content: bytes, **params: Any) -> httpx.Response:
    upload = {"uploadType": "media", "name": name, **params}
    return client.post(f"/upload{OBJECTS}", params=upload, content=content)


def read(client: httpx.Client, name: str, **params: Any) -> bytes:
    return client.get(f"{OBJECTS}/{name}", params={"alt": "media", **params}).content


def test_every_write_is_a_generation(client: httpx.Client) -> None:
    first = put(client, "a/b", b"123456789").json()
    assert (first["size"], first["crc32c"], first["metageneration"]) == ("9", "4waSgw==", "1")
    second = put(client, "a/b", b"two", ifGenerationMatch=first["generation"]).json()
    assert int(second["generation"]) > int(first["generation"])
    place = "a%2Fb"
    assert read(client, place) == b"two"
    assert read(client, place, generation=first["generation"]) == b"123456789"
    several = client.get(OBJECTS, params={"versions": True}).json()["items"]
    assert [bool(each.get("timeDeleted")) for each in several] == [True, False]
    assert len(client.get(OBJECTS).json()["items"]) == 1
    changed = client.patch(f"{OBJECTS}/{place}", json={"metadata": {"k": "v"}}).json()
    assert (changed["metageneration"], changed["generation"]) == ("2", second["generation"])
    assert client.delete(f"{OBJECTS}/{place}").status_code == 204
    assert client.get(f"{OBJECTS}/{place}").status_code == 404
    assert read(client, place, generation=second["generation"]) == b"two"
    earlier = {"generation": first["generation"]}
    assert client.delete(f"{OBJECTS}/{place}", params=earlier).status_code == 204
    assert client.get(f"{OBJECTS}/{place}", params=earlier).status_code == 404
    assert put(client, "a/b", b"three", ifGenerationMatch="0").status_code == 200


def test_preconditions(client: httpx.Client) -> None:
    made = put(client, "a", b"1").json()
    generation, place = made["generation"], f"{OBJECTS}/a"
    for verb, params, status in (
        ("GET", {"ifGenerationMatch": generation}, 200),
        ("GET", {"ifGenerationMatch": "1"}, 412),
        ("GET", {"ifGenerationNotMatch": generation}, 304),
        ("GET", {"ifMetagenerationMatch": "2"}, 412),
        ("PATCH", {"ifMetagenerationMatch": "2"}, 412),
        ("DELETE", {"ifGenerationMatch": "1"}, 412),
        ("DELETE", {"ifGenerationNotMatch": generation}, 412),
    ):
        body = {"content": b"{}"} if verb == "PATCH" else {}
        found = client.request(verb, place, params=params, **body)  # type: ignore[arg-type]
        assert found.status_code == status, (verb, params)
    assert put(client, "a", b"2", ifGenerationMatch="0").status_code == 412
    error = put(client, "a", b"2", ifGenerationMatch="0").json()["error"]
    assert error["errors"][0]["reason"] == "conditionNotMet"


def test_contents_are_composed_copied_and_moved(client: httpx.Client) -> None:
    put(client, "a", b"one")
    put(client, "b", b"two")
    sources = {"sourceObjects": [{"name": "a"}, {"name": "b"}], "destination": {}}
    made = client.post(f"{OBJECTS}/all/compose", json=sources).json()
    assert (made["size"], made["componentCount"], "md5Hash" in made) == ("6", 2, False)
    sums = client.get(f"{OBJECTS}/all", params={"alt": "media"}).headers["x-goog-hash"]
    assert sums == f"crc32c={made['crc32c']}"
    for way, name in (("copyTo/b/shop", "c"), ("rewriteTo/b/shop", "d"), ("moveTo", "e")):
        answer = client.post(f"{OBJECTS}/all/{way}/o/{name}", json={})
        assert answer.status_code == 200, way
        assert read(client, name) == b"onetwo"
        assert client.get(f"{OBJECTS}/{name}").json()["componentCount"] == 2
    assert client.get(f"{OBJECTS}/all").status_code == 404
    wrong: list[tuple[list[dict[str, Any]], int]] = [
        ([], 400),
        ([{"name": "none"}], 404),
        ([{"name": "a", "objectPreconditions": {"ifGenerationMatch": "1"}}], 412),
    ]
    for each, status in wrong:
        body = {"sourceObjects": each}
        assert client.post(f"{OBJECTS}/x/compose", json=body).status_code == status


def test_buckets_that_are_not_there_or_not_empty(client: httpx.Client) -> None:
    gone = client.post("/upload/storage/v1/b/none/o", params={"uploadType": "media", "name": "a"})
    assert (gone.status_code, "bucket does not exist" in gone.text) == (404, True)
    put(client, "a", b"1")
    assert client.delete(f"{BUCKETS}/shop").status_code == 409
    wrong = put(client, "", b"1")
    assert (wrong.status_code, wrong.json()["error"]["message"]) == (400, "Required")

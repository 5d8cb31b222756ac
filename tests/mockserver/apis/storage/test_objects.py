"""Objects of Storage as a client meets them, in a tenant that is empty at first."""

import gzip
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
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


def key_headers(key: bytes) -> dict[str, str]:
    digest = b64encode(sha256(key).digest()).decode()
    return {
        "x-goog-encryption-algorithm": "AES256",
        "x-goog-encryption-key": b64encode(key).decode(),
        "x-goog-encryption-key-sha256": digest,
    }


def test_a_customer_s_key_reads_what_it_wrote(client: httpx.Client) -> None:
    key, other = key_headers(b"k" * 32), key_headers(b"o" * 32)
    where = {"uploadType": "media", "name": "a"}
    made = client.post(f"/upload{OBJECTS}", params=where, content=b"secret", headers=key).json()
    assert made["customerEncryption"]["keySha256"] == key["x-goog-encryption-key-sha256"]
    assert "md5Hash" not in client.get(f"{OBJECTS}/a").json()
    media, short = {"alt": "media"}, {**key, "x-goog-encryption-key": "eA=="}
    for headers, status in ((key, 200), ({}, 400), (other, 400), (short, 400)):
        assert client.get(f"{OBJECTS}/a", params=media, headers=headers).status_code == status
    put(client, "plain", b"1")
    assert client.get(f"{OBJECTS}/plain", params=media, headers=key).status_code == 400
    copied = client.post(f"{OBJECTS}/a/rewriteTo/b/shop/o/b", json={})
    assert copied.status_code == 400
    source = {name.replace("goog-", "goog-copy-source-"): each for name, each in key.items()}
    copied = client.post(f"{OBJECTS}/a/rewriteTo/b/shop/o/b", json={}, headers=source)
    assert copied.json()["resource"]["size"] == "6"


def test_what_is_stored_compressed_is_sent_so_to_who_takes_it(client: httpx.Client) -> None:
    content = gzip.compress(b"long" * 9)
    put(client, "a", content, contentEncoding="gzip")
    media = {"alt": "media"}
    for coding, is_unpacked in (("gzip", False), ("identity", True)):
        found = client.get(f"{OBJECTS}/a", params=media, headers={"accept-encoding": coding})
        assert (found.content, "warning" in found.headers) == (b"long" * 9, is_unpacked)
        assert found.headers["x-goog-stored-content-encoding"] == "gzip"
    put(client, "odd", b"plain", contentEncoding="gzip")
    plain = {"accept-encoding": "identity"}
    assert client.get(f"{OBJECTS}/odd", params=media, headers=plain).content == b"plain"
    part = client.get(f"{OBJECTS}/odd", params=media, headers={**plain, "range": "bytes=1-2"})
    assert (part.status_code, part.headers["content-range"]) == (206, "bytes 1-2/5")


def test_entity_tags_and_fields_of_contents(client: httpx.Client) -> None:
    tag = put(client, "a", b"1").json()["etag"]
    for params in ({}, {"alt": "media"}):
        for name, value, status in (
            ("if-match", tag, 200), ("if-match", "x", 412),
            ("if-none-match", tag, 304), ("if-none-match", "x", 200),
        ):  # fmt: skip
            found = client.get(f"{OBJECTS}/a", params=params, headers={name: value})
            assert found.status_code == status, (params, name, value)
    client.patch(f"{OBJECTS}/a", json={"metadata": {"k": "v"}, "cacheControl": "no-store"})
    headers = client.get(f"{OBJECTS}/a", params={"alt": "media"}).headers
    assert (headers["x-goog-meta-k"], headers["cache-control"]) == ("v", "no-store")


def test_what_is_held_or_retained_stays(client: httpx.Client) -> None:
    for hold in ("temporaryHold", "eventBasedHold"):
        put(client, "a", b"1")
        client.patch(f"{OBJECTS}/a", json={hold: True})
        assert (client.delete(f"{OBJECTS}/a").status_code, put(client, "a", b"2").status_code) == (
            403,
            403,
        )
        client.patch(f"{OBJECTS}/a", json={hold: False})
        assert client.delete(f"{OBJECTS}/a").status_code == 204
    assert put(client, "b", b"1", ifGenerationMatch="0").status_code == 200
    until = {"retention": {"mode": "Unlocked", "retainUntilTime": "2999-01-01T00:00:00Z"}}
    client.patch(f"{OBJECTS}/b", json=until)
    generation = client.get(f"{OBJECTS}/b").json()
    assert generation["retentionExpirationTime"].startswith("2999")
    named = {"generation": generation["generation"]}
    assert client.delete(f"{OBJECTS}/b", params=named).status_code == 403
    gone: dict[str, Any] = {"retention": None}
    assert client.patch(f"{OBJECTS}/b", json=gone).status_code == 403
    override = {"overrideUnlockedRetention": True}
    assert "retention" not in client.patch(f"{OBJECTS}/b", params=override, json=gone).json()
    assert client.delete(f"{OBJECTS}/b", params=named).status_code == 204


def test_contexts_and_folders_select(client: httpx.Client) -> None:
    for name, value in (("a", "x"), ("b", "y"), ("c", "")):
        put(client, name, b"1")
        custom = {"custom": {"k": {"value": value}}} if value else None
        client.patch(f"{OBJECTS}/{name}", json={"contexts": custom})
    for text, names in (
        ('contexts."k"="x"', "a"), ('contexts."k":*', "ab"), ('-contexts."k"="x"', "bc"),
        ('-contexts."k":*', "c"),
    ):  # fmt: skip
        found = client.get(OBJECTS, params={"filter": text}).json()
        assert "".join(each["name"] for each in found["items"]) == names, text
    assert client.get(OBJECTS, params={"filter": "name=1"}).status_code == 501
    client.post(f"{BUCKETS}/shop/managedFolders", json={"name": "d/"})
    levels = {"delimiter": "/", "includeFoldersAsPrefixes": "true"}
    assert client.get(OBJECTS, params=levels).json()["prefixes"] == ["d/"]


def test_deleted_objects_and_buckets_come_back(client: httpx.Client) -> None:
    body = {"name": "keeps", "softDeletePolicy": {"retentionDurationSeconds": "604800"}}
    bucket = client.post(f"{BUCKETS}?project=p", json=body).json()
    path = f"{BUCKETS}/keeps"
    upload = {"uploadType": "media", "name": "a"}
    first = client.post(f"/upload{path}/o", params=upload, content=b"1").json()
    second = client.post(f"/upload{path}/o", params=upload, content=b"2").json()
    gone = {"softDeleted": True, "generation": first["generation"]}
    assert "hardDeleteTime" in client.get(f"{path}/o/a", params=gone).json()
    assert len(client.get(f"{path}/o", params={"softDeleted": True}).json()["items"]) == 1
    back = client.post(f"{path}/o/a/restore", params={"generation": first["generation"]}).json()
    assert int(back["generation"]) > int(second["generation"])
    assert client.get(f"{path}/o/a", params={"alt": "media"}).content == b"1"
    assert client.delete(path).status_code == 409
    client.delete(f"{path}/o/a")
    assert client.delete(path).status_code == 204
    assert [client.get(path).status_code, client.delete(path).status_code] == [404, 404]
    named = {"generation": bucket["generation"]}
    assert client.get(path, params={"softDeleted": True}).status_code == 400
    assert "softDeleteTime" in client.get(path, params={"softDeleted": True, **named}).json()
    assert client.post(f"{path}/restore", params=named).json()["name"] == "keeps"
    assert client.post(f"{path}/restore", params=named).status_code == 404
    assert client.get(path).status_code == 200


def test_sources_of_a_composition_go_where_that_is_asked(client: httpx.Client) -> None:
    put(client, "a", b"one")
    body = {"sourceObjects": [{"name": "a"}], "deleteSourceObjects": True}
    client.post(f"{OBJECTS}/all/compose", json=body)
    assert client.get(f"{OBJECTS}/a").status_code == 404
    assert read(client, "all") == b"one"

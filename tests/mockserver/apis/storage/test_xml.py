"""The XML API of Storage: objects, lists, uploads in parts, forms, signed URLs."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator

import httpx
import pytest

from mockserver.testing import EmulatorTransport

BUCKETS = "/storage/v1/b"


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    base = "https://storage.googleapis.com"
    with httpx.Client(transport=EmulatorTransport(), base_url=base) as made:
        made.headers["Authorization"] = "Bearer t"
        assert made.put("/shop", headers={"x-goog-project-id": "p"}).status_code == 200
        yield made


def test_objects_and_lists(client: httpx.Client) -> None:
    headers = {"content-type": "text/plain", "x-goog-meta-k": "v", "content-encoding": "identity"}
    made = client.put("/shop/a/b%20c", content=b"123456789", headers=headers)
    assert "crc32c=4waSgw==" in made.headers["x-goog-hash"]
    found = client.get("/shop/a/b%20c")
    assert (found.content, found.headers["etag"]) == (b"123456789", made.headers["etag"])
    assert (found.headers["content-type"], found.headers["x-goog-meta-k"]) == ("text/plain", "v")
    part = client.get("/shop/a/b%20c", headers={"range": "bytes=0-1"})
    assert (part.status_code, part.content) == (206, b"12")
    client.put("/shop/d", content=b"1")
    listed = client.get("/shop", params={"max-keys": "1"}).text
    assert "<Key>a/b c</Key>" in listed
    assert "<IsTruncated>true</IsTruncated>" in listed
    token = re.findall(r"<NextMarker>(.*?)<", listed)[0]
    assert "<Key>d</Key>" in client.get("/shop", params={"marker": token}).text
    levels = client.get("/shop", params={"delimiter": "/"}).text
    assert "<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes>" in levels
    assert ">US<" in client.get("/shop?location").text
    shown = client.get("/shop/d", params={"response-content-disposition": "inline"})
    assert shown.headers["content-disposition"] == "inline"
    assert client.delete("/shop").status_code == 409
    for name in ("a/b%20c", "d"):
        assert client.delete(f"/shop/{name}").status_code == 204
    assert client.delete("/shop").status_code == 204


@pytest.mark.parametrize(
    ("verb", "path", "status", "code"),
    [
        ("GET", "/none/a", 404, "NoSuchKey"),
        ("GET", "/none", 404, "NoSuchBucket"),
        ("GET", "/", 404, ""),
        ("GET", "/storage/v1/none", 404, ""),
        ("POST", "/shop/a", 405, "MethodNotAllowed"),
        ("PUT", "/shop/a?upload_id=x", 404, "NoSuchUpload"),
        ("PUT", "/shop/a?partNumber=1&uploadId=x", 404, "NoSuchUpload"),
        ("POST", "/shop", 400, "MalformedPOSTRequest"),
        (
            "GET",
            "/shop/a?X-Goog-Signature=0&X-Goog-Date=20200101T000000Z&X-Goog-Expires=1",
            400,
            "ExpiredToken",
        ),
        ("GET", "/shop?max-keys=x", 400, "InvalidArgument"),
        ("GET", "/shop/a?Signature=0&Expires=1", 400, "ExpiredToken"),
    ],
)
def test_refusals(client: httpx.Client, verb: str, path: str, status: int, code: str) -> None:
    found = client.request(verb, path)
    assert found.status_code == status
    assert f"<Code>{code}</Code>" in found.text or not code


def test_uploads_in_parts(client: httpx.Client) -> None:
    begun = client.post("/shop/big?uploads", headers={"content-type": "text/plain"}).text
    where = {"uploadId": re.findall(r"<UploadId>(.*?)<", begun)[0]}
    tags = [
        client.put("/shop/big", params={**where, "partNumber": n}, content=each).headers["etag"]
        for n, each in ((1, b"one"), (2, b"two"))
    ]
    assert client.get("/shop/big", params=where).text.count("<Part>") == 2
    one = "<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>"
    for parts, status in (([], 400), ([(1, "odd")], 400), ([(2, tags[1]), (1, tags[0])], 200)):
        body = "".join(one.format(*each) for each in parts)
        done = client.post("/shop/big", params=where, content=body)
        assert done.status_code == status
    found = client.get("/shop/big")
    assert (found.content, found.headers["content-type"]) == (b"onetwo", "text/plain")
    begun = client.post("/shop/big?uploads").text
    where = {"uploadId": re.findall(r"<UploadId>(.*?)<", begun)[0]}
    assert client.delete("/shop/big", params=where).status_code == 204
    assert client.delete("/shop/big", params=where).status_code == 404


def test_an_upload_that_a_link_goes_on_with(client: httpx.Client) -> None:
    begun = client.post("/shop/a", headers={"x-goog-resumable": "start", "x-goog-meta-k": "v"})
    link = begun.headers["location"]
    piece = client.put(link, content=b"1", headers={"content-range": "bytes 0-0/2"})
    assert piece.status_code == 501
    assert (begun.status_code, client.put(link, content=b"whole").status_code) == (201, 200)
    assert client.get("/shop/a").content == b"whole"
    assert client.get(f"{BUCKETS}/shop/o/a").json()["metadata"] == {"k": "v"}


def test_forms(client: httpx.Client) -> None:
    policy = {"expiration": "2999-01-01T00:00:00Z", "conditions": [
        {"bucket": "shop"}, ["starts-with", "$key", "in/"], ["content-length-range", 0, 9],
    ]}  # fmt: skip
    late = {**policy, "expiration": "2000-01-01T00:00:00Z"}
    larger, odd, nothing = (
        {**policy, "conditions": each}
        for each in ([["content-length-range", 2, 9]], [5], [["at-most", "$key", "x"], {}])
    )
    for fields, rules, status in (
        ({"key": "in/a"}, policy, 204), ({"key": "out"}, policy, 403), ({"key": "in/a"}, late, 403),
        ({"key": "in/a", "x-goog-odd": "1"}, policy, 400), ({}, policy, 400),
        ({"key": "in/a"}, larger, 403), ({"key": "in/a"}, odd, 400),
        ({"key": "in/a"}, nothing, 400), ({"key": "in/a"}, [], 400),
    ):  # fmt: skip
        data = {**fields, "policy": b64encode(json.dumps(rules).encode()).decode()}
        found = client.post("/shop/", data=data, files={"file": ("n", b"1", "text/plain")})
        assert found.status_code == status
    assert client.get("/shop/in/a").content == b"1"


def test_a_url_that_is_signed_until_no_time_that_there_is_is_refused(client: httpx.Client) -> None:
    for ends in ("9" * 30, "9" * 12):
        assert client.get(f"/shop/a?Signature=x&Expires={ends}").status_code == 400

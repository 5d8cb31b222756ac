"""Small recordings of each shape that tools write, all of one exchange, contents made up."""

import base64
import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mockserver.cassettes.foreign import read_foreign
from mockserver.errors import FormatError

UPSTREAM = "https://api.example.com"
URL = f"{UPSTREAM}/v1/things?page=1"
SENT, ANSWER = {"name": "lamp"}, {"id": 7, "name": "lamp"}
ZIPPED = gzip.compress(json.dumps(ANSWER).encode(), mtime=0)


def vcrpy(request: dict[str, Any], response: dict[str, Any], **more: Any) -> dict[str, Any]:
    asked = {"method": "POST", "uri": URL, "headers": {"content-type": ["application/json"]}}
    answer = {"status": {"code": 200, "message": "OK"}, "headers": {"x-a": ["1"]}}
    return {"interactions": [{"request": asked | request, "response": answer | response}], **more}


def ruby(body: dict[str, Any], **answer: Any) -> dict[str, Any]:
    asked = {"method": "post", "uri": URL, "body": {"string": json.dumps(SENT)}, "headers": {}}
    return {"http_interactions": [{"request": asked, "response": {"body": body, **answer}}]}


def har(content: dict[str, Any], *headers: tuple[str, Any], creator: str = "Firefox") -> Any:
    asked = {
        "method": "POST",
        "url": f"{URL}#top",
        "headers": [{"name": ":authority", "value": "api.example.com"}],
        "postData": {"mimeType": "application/json", "text": json.dumps(SENT)},
    }
    named = [{"name": name, "value": value} for name, value in headers]
    answer = {"status": 200, "statusText": "", "headers": named, "content": content}
    log = {"creator": {"name": creator}, "entries": [{"request": asked, "response": answer}]}
    return {"log": log}


def wiremock(**answer: Any) -> dict[str, Any]:
    asked = {
        "method": "POST",
        "urlPath": "/v1/things",
        "queryParameters": {"page": {"equalTo": "1"}},
        "bodyPatterns": [{"equalToJson": json.dumps(SENT), "ignoreArrayOrder": True}],
    }
    return {"request": asked, "response": {"status": 200, **answer}}


def exact(value: str) -> list[dict[str, str]]:
    return [{"matcher": "exact", "value": value}]


def hoverfly(**answer: Any) -> dict[str, Any]:
    asked = {
        "method": exact("POST"),
        "scheme": exact("https"),
        "destination": exact("api.example.com"),
        "path": exact("/v1/things"),
        "query": {"page": exact("1")},
        "body": [{"matcher": "json", "value": json.dumps(SENT)}],
    }
    pairs = [{"request": asked, "response": {"status": 200, **answer}}]
    return {"data": {"pairs": pairs}, "meta": {"hoverflyVersion": "v1.9.0"}}


def nock(response: Any, **more: Any) -> list[dict[str, Any]]:
    asked = {"scope": f"{UPSTREAM}:443", "method": "post", "path": "/v1/things?page=1"}
    return [{**asked, "body": SENT, "status": 200, "response": response, **more}]


TEXT = json.dumps(ANSWER)
BASE64 = base64.b64encode(ZIPPED).decode()
PIECES = [ZIPPED[:9].hex(), ZIPPED[9:].hex()]
BASE64_PIECES = [base64.b64encode(each).decode() for each in (ZIPPED[:9], ZIPPED[9:])]
GZIP = ("content-encoding", "gzip")
SHAPES: dict[str, tuple[str, Any]] = {
    "vcrpy, plain though gzip is recorded": (
        "cassette",
        vcrpy(
            {"body": json.dumps(SENT)},
            {"body": {"string": TEXT}, "headers": {"Content-Encoding": ["gzip"]}},
            version=1,
        ),
    ),
    "vcrpy, parsed_body and no version": (
        "cassette",
        vcrpy({"parsed_body": SENT}, {"parsed_body": ANSWER}),
    ),
    "vcrpy, bodies as objects": ("cassette", vcrpy({"body": SENT}, {"body": {"string": ANSWER}})),
    "vcrpy, base64_string": (
        "cassette",
        vcrpy(
            {"body": {"string": json.dumps(SENT)}},
            {"body": {"base64_string": f"{BASE64}\n"}, "headers": {"Content-Encoding": ["gzip"]}},
        ),
    ),
    "Ruby VCR": (
        "Ruby VCR",
        ruby({"encoding": "UTF-8", "string": TEXT}, status={"code": 200}, headers={}),
    ),
    "betamax": (
        "betamax",
        ruby(
            {"base64_string": BASE64, "encoding": "utf-8"},
            status_code=200,
            headers={"content-encoding": "gzip"},
        )
        | {"recorded_with": "betamax/0.9.0"},
    ),
    "HAR of a browser": ("HAR", har({"text": TEXT}, GZIP)),
    "HAR, base64": (
        "HAR",
        har({"text": base64.b64encode(TEXT.encode()).decode(), "encoding": "base64"}, GZIP),
    ),
    "polly.js, hex": (
        "polly.js",
        har({"text": json.dumps(PIECES)}, ("content-encoding", ["gzip"]), creator="Polly.JS"),
    ),
    "polly.js, base64": (
        "polly.js",
        har(
            {"text": json.dumps(BASE64_PIECES), "encoding": "base64"}, GZIP, creator="Polly.JS"
        ),
    ),
    "polly.js, opened by a persister": (
        "polly.js",
        har({"textJSON": ANSWER}, ("content-type", "application/json"), creator="Polly.JS"),
    ),
    "WireMock, one mapping": ("WireMock", wiremock(jsonBody=ANSWER)),
    "WireMock, exported": ("WireMock", {"mappings": [wiremock(body=TEXT)]}),
    "Hoverfly": ("Hoverfly", hoverfly(body=TEXT)),
    "Hoverfly, encoded": (
        "Hoverfly",
        hoverfly(body=BASE64, encodedBody=True, headers={"Content-Encoding": ["gzip"]}),
    ),
    "nock": ("nock", nock(ANSWER, rawHeaders=["X-A", "1", "X-A", "2"])),
    "nock, coded": ("nock", nock(PIECES, headers={"content-encoding": "gzip"})),
    "nock, binary": (
        "nock",
        nock(TEXT.encode().hex(), responseIsBinary=True, reqheaders={"content-length": 15}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_read_as_the_same_exchange(tmp_path: Path, name: str) -> None:
    known, value = SHAPES[name]
    path = tmp_path / "recording"
    path.write_text(json.dumps(value), encoding="utf-8")
    cassette, imported = read_foreign(path, upstream=UPSTREAM)
    [item] = cassette.interactions
    assert (imported.format, imported.notes) == (known, ())
    assert (item.request.method, item.request.url) == ("POST", URL)
    assert json.loads(item.request.body) == SENT
    assert item.response.status == 200
    assert json.loads(item.response.body) == ANSWER


def test_headers_that_came_twice_are_there_twice(tmp_path: Path) -> None:
    path = tmp_path / "nock.json"
    path.write_text(json.dumps(SHAPES["nock"][1]), encoding="utf-8")
    response = read_foreign(path)[0].interactions[0].response
    assert response.headers == (("X-A", "1"), ("X-A", "2"))


def test_an_archive_of_playwright_holds_its_bodies(tmp_path: Path) -> None:
    path = tmp_path / "trace.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("har.har", json.dumps(har({"size": 9, "_file": "0a1b.json"})))
        archive.writestr("0a1b.json", TEXT)
    assert json.loads(read_foreign(path)[0].interactions[0].response.body) == ANSWER
    (tmp_path / "har.har").write_text(json.dumps(har({"_file": "0a1b.json"})), encoding="utf-8")
    (tmp_path / "0a1b.json").write_text(TEXT, encoding="utf-8")
    beside = read_foreign(tmp_path / "har.har")[0]
    assert json.loads(beside.interactions[0].response.body) == ANSWER


@pytest.mark.parametrize(
    ("names", "message"),
    [([], "with 0 HAR files"), (["a.har", "b.har"], "with 2 HAR files")],
    ids=["none", "two"],
)
def test_an_archive_holds_one_har(tmp_path: Path, names: list[str], message: str) -> None:
    path = tmp_path / "trace.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", "")
        for name in names:
            archive.writestr(name, "{}")
    with pytest.raises(FormatError, match=message):
        read_foreign(path)
    path.write_bytes(b"PK\x03\x04 torn")
    with pytest.raises(FormatError, match="not a ZIP archive"):
        read_foreign(path)


GLOB = [{"matcher": "glob", "value": "*"}]
BROKEN: dict[str, tuple[Any, Any, str]] = {
    "vcrpy": (
        vcrpy({"body": None}, {"body": {"string": "ok"}}),
        lambda value: value["interactions"].append({"request_sample": {}}),
        "#/interactions/1: has no `request`; left out",
    ),
    "Ruby VCR": (
        ruby({"string": TEXT}, status={"code": 200}),
        lambda value: value["http_interactions"].append({"request": {}, "response": {}}),
        "#/http_interactions/1/response: has no `status`; left out",
    ),
    "HAR": (
        har({"text": TEXT}),
        lambda value: value["log"]["entries"].append({"request": {}, "response": {"status": 200}}),
        "#/log/entries/1/request: has no `url`; left out",
    ),
    "nock": (
        nock(ANSWER),
        lambda value: value.append({"scope": UPSTREAM, "method": "get"}),
        "#/1: has no `path`; left out",
    ),
    "Hoverfly": (
        hoverfly(body=TEXT),
        lambda value: value["data"]["pairs"].append(
            {"request": {"method": GLOB}, "response": {"status": 200}}
        ),
        "#/data/pairs/1/request/method: it matches by pattern; left out",
    ),
    "WireMock": (
        {"mappings": [wiremock(body=TEXT)]},
        lambda value: value["mappings"].append({"request": {"urlPattern": "/.*"}}),
        "#/mappings/1: it matches by urlPattern; left out",
    ),
    "unforeseen": (
        nock(ANSWER),
        lambda value: value.append({**value[0], "method": {}, "path": []}),
        "#/1/method: expected a text, found an object; left out",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_used_is_left_out_and_the_rest_is_taken(tmp_path: Path, name: str) -> None:
    value, spoil, note = BROKEN[name]
    value = json.loads(json.dumps(value))
    spoil(value)
    path = tmp_path / "recording"
    path.write_text(json.dumps(value), encoding="utf-8")
    cassette, imported = read_foreign(path, upstream=UPSTREAM)
    assert len(cassette.interactions) == 1
    assert imported.notes == (note,)

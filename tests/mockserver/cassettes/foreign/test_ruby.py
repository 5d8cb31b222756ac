import pytest

from mockserver.cassettes.foreign.ruby import read, recognises
from mockserver.model import RecordedRequest, RecordedResponse
from mockserver.storage.untrusted_yaml import load_yaml
from tests.mockserver.cassettes.foreign.test_imported import SOURCE

CASSETTE = """\
---
http_interactions:
- request:
    method: get
    uri: https://api.example.com/v1/things
    body: {encoding: US-ASCII, string: ''}
    headers:
      Accept: ["*/*"]
  response:
    status: {code: 200, message: OK}
    headers:
      Content-Encoding: [gzip]
      Set-Cookie: [a=1, b=2]
    body: {encoding: ASCII-8BIT, string: !binary "aGk="}
    http_version: '1.1'
  recorded_at: Fri, 20 Nov 2026 09:00:00 GMT
- request: {method: post, uri: "https://api.example.com/", body: {base64_string: "aGk=\\n"}}
  response:
    status: {code: 201, message: null}
    body: {encoding: ISO-8859-1, string: "é"}
recorded_with: VCR 6.2.0
"""


def test_a_cassette_of_ruby_is_read() -> None:
    value = load_yaml(CASSETTE, "a.yml")
    assert recognises(value)
    imported = read(value, SOURCE)
    first, second = imported.interactions
    assert first.request == RecordedRequest(
        "GET", "https://api.example.com/v1/things", (("Accept", "*/*"),)
    )
    assert first.response == RecordedResponse(
        200, "OK", (("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")), b"hi", coding="gzip"
    )
    assert first.recorded_at == "2026-11-20T09:00:00Z"
    assert (second.request.body, second.response.body) == (b"hi", b"\xe9")
    assert (second.response.reason, second.recorded_at) == ("", "")
    assert imported.recorded_by == "VCR 6.2.0"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("plain", b"plain"),
        ({"encoding": "no-such", "string": "é"}, "é".encode()),
        ({"encoding": "ASCII-8BIT", "string": "é"}, "é".encode()),
        ({"string": b"\x1f\x8bnot opened"}, b"\x1f\x8bnot opened"),
    ],
    ids=["text", "unknown encoding", "bytes", "coded"],
)
def test_bodies_are_bytes(body: object, expected: bytes) -> None:
    answer = {"status": {"code": 200}, "body": body, "headers": {"Content-Encoding": ["gzip"]}}
    item = {"request": {"method": "get", "uri": "u"}, "response": answer, "recorded_at": "then"}
    made = read({"http_interactions": [item]}, SOURCE).interactions[0]
    assert made.response.body == expected
    assert made.response.coding == ("" if expected.startswith(b"\x1f\x8b") else "gzip")
    assert made.recorded_at == "then"


def test_a_mistake_has_its_place() -> None:
    imported = read({"http_interactions": [{"request": {}}]}, SOURCE)
    assert imported.notes == ("#/http_interactions/0: has no `response`; left out",)

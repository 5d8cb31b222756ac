from dataclasses import replace

import pytest

from mockserver.cassettes.matching import Volatile
from mockserver.cassettes.replay import KeyedRequest, RequestKeys, Scrubs
from mockserver.cassettes.replay import keys as module
from mockserver.model import RecordedRequest
from tests.mockserver.cassettes.replay.recordings import request


class Counting:
    """Redacts by upper case, and counts how often."""

    key_id = "1a2b3c4d"

    def __init__(self) -> None:
        self.asked = 0

    def pseudonym(self, kind: str, value: str) -> str:
        return value

    def redact_request(self, request: RecordedRequest, /) -> RecordedRequest:
        self.asked += 1
        return replace(request, body=request.body.upper())


def test_a_request_that_comes_again_is_not_redacted_again() -> None:
    redactor = Counting()
    keyer = RequestKeys(redactor)
    found = [keyer.of(request('PUT /a "x"')) for _ in range(3)]
    assert redactor.asked == 1
    assert found[0] is found[2]
    assert found[0].request.body == b'"X"'
    assert keyer.key_id == "1a2b3c4d"


def test_a_request_that_differs_in_what_may_count_is_another() -> None:
    keyer = RequestKeys()
    one = request("GET /a")
    assert keyer.of(one) is not keyer.of(replace(one, headers=(("Range", "bytes=0-1"),)))
    assert keyer.of(one) is keyer.of(replace(one, headers=(*one.headers, ("Cookie", "a=1"))))
    assert keyer.key_id == ""


def test_few_requests_are_remembered_and_large_ones_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 2)
    keyer = RequestKeys()
    first = keyer.of_redacted(request("GET /1"))
    assert keyer.of_redacted(request("GET /1")) is first
    for number in (2, 3):
        keyer.of_redacted(request(f"GET /{number}"))
    assert keyer.of_redacted(request("GET /1")) is not first
    large = replace(request("PUT /a"), body=b"x" * 20_000)
    assert keyer.of(large) is not keyer.of(large)


def test_keys_leave_out_what_is_scrubbed() -> None:
    scrubs = Scrubs(lambda text: text.replace("token-1", "*"), lambda text: text.upper()[:2])
    keys = [
        KeyedRequest(request(word), Volatile(), scrubs)
        for word in ("GET /a?t=token-1", "GET /a?t=*", "GET /b")
    ]
    assert keys[0].exact == keys[1].exact != keys[2].exact
    assert keys[0].by_kind == keys[2].by_kind
    assert keys[0].timeless is keys[0].exact

import gzip
import json
from typing import Any

import pytest

from mockserver.cassettes.files.comparison import MOST, compare_cassettes, response_changes
from mockserver.model import Cassette, Interaction, RecordedRequest, RecordedResponse


def asked(url: str, body: bytes = b"", status: int = 200) -> Interaction:
    return Interaction(RecordedRequest("GET", url), RecordedResponse(status, body=body))


def tape(*items: Interaction) -> Cassette:
    return Cassette("a.yaml", items)


def by_url(request: RecordedRequest) -> str:
    return request.url


def test_requests_are_paired_first_with_first() -> None:
    before = tape(asked("/a", b"1"), asked("/gone"), asked("/a", b"2"), asked("/b"))
    after = tape(asked("/b"), asked("/a", b"1"), asked("/a", b"3"), asked("/new"), asked("/a"))
    found = compare_cassettes(before, after, key=by_url)
    assert [number for number, _ in found.added] == [4, 5]
    assert [number for number, _ in found.removed] == [2]
    assert [(change.before, change.after) for change in found.changed] == [(3, 3)]
    assert found.changed[0].changes == ("body /: 2 -> 3",)
    assert found.same == 2
    assert found.differs


def test_a_cassette_is_the_same_as_itself() -> None:
    same = tape(asked("/a"), asked("/a", b"x"))
    assert not compare_cassettes(same, same, key=by_url).differs


def changes(before: Any, after: Any) -> tuple[str, ...]:
    old, new = (RecordedResponse(200, body=json.dumps(value).encode()) for value in (before, after))
    return response_changes(old, new)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "c": 3}, ("body /b: 2 -> none", "body /c: none -> 3")),
        ([1, 2, 3], [1, 9, 2, 3], ("body /1: none -> 9",)),
        ([1, 2, 3], [1, 3], ("body /1: 2 -> none",)),
        ({"a": [{"b": 1}]}, {"a": [{"b": True}]}, ("body /a/0/b: 1 -> true",)),
        ({"a": "x" * 90}, {"a": None}, (f'body /a: "{"x" * 56}... -> null',)),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}, ()),
    ],
    ids=["members", "inserted", "dropped", "type", "long", "order"],
)
def test_json_is_compared_value_by_value(before: Any, after: Any, told: tuple[str, ...]) -> None:
    assert changes(before, after) == told


def test_status_end_and_headers_are_compared_but_for_those_that_always_differ() -> None:
    old = RecordedResponse(200, headers=(("Date", "1"), ("X-A", "1"), ("x-b", "2")))
    new = RecordedResponse(503, headers=(("Date", "2"), ("x-a", "1")), ended="short")
    assert response_changes(old, new) == (
        "status: 200 -> 503",
        "ended: complete -> short",
        "header x-b: 2 -> none",
    )


def test_text_is_compared_line_by_line_and_bytes_by_their_number() -> None:
    text = response_changes(
        RecordedResponse(200, body=b"a\nb\n"), RecordedResponse(200, body=b"a\nc")
    )
    assert text == ("body @@ -2 +2 @@", "body -b", "body +c")
    binary = response_changes(
        RecordedResponse(200, body=b"\xff"), RecordedResponse(200, body=b"ab")
    )
    assert binary == ("body: 1 -> 2 bytes",)


def test_content_coding_is_no_difference() -> None:
    coded = RecordedResponse(
        200, headers=(("Content-Encoding", "gzip"),), body=gzip.compress(b'{"a":1}')
    )
    plain = RecordedResponse(200, body=b'{"a": 2}')
    assert "body /a: 1 -> 2" in response_changes(coded, plain)


def test_what_is_listed_has_an_end() -> None:
    listed = changes(list(range(100)), list(range(1000, 1100)))
    assert (len(listed), listed[-1]) == (MOST + 1, "...")

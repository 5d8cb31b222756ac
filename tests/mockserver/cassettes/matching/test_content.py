import orjson
import pytest

from mockserver.cassettes.matching import Uncounted
from mockserver.cassettes.matching.canonical import (
    Reading,
    canonical_body,
    canonical_pairs,
    path_segments,
)
from mockserver.messages import split_pairs

PLAIN = Reading(Uncounted())


def kind(media: str, body: bytes, reading: Reading = PLAIN) -> str:
    return canonical_body((("Content-Type", media),), body, reading)[0]


@pytest.mark.parametrize(
    ("media", "body", "expected"),
    [
        ("application/json", b"{}", "json"),
        ("text/plain", b' {"a": 1}', "json"),
        ("application/json", b"{", "text"),
        ("application/json", b"[" * 150 + b"]" * 150, "json"),
        ("application/json", b"[" * 300 + b"]" * 300, "text"),
        ("application/json", b"[1.0," + b"[" * 150 + b"]" * 150 + b"]", "text"),
        ("application/x-www-form-urlencoded", b"a=1", "form"),
        ("application/x-www-form-urlencoded", b"\xff=1", "text"),
        ("multipart/mixed; boundary=b", b"--b\r\n\r\nx\r\n--b--", "multipart"),
        ("multipart/mixed; boundary=b", b"nothing", "bytes"),
        ("application/x-ndjson", b'{"a":1}\n{"a":2}\n', "lines"),
        ("text/plain", b"hello", "text"),
        ("image/png", b"\x89PNG", "bytes"),
        ("", b"\x00", "bytes"),
    ],
)
def test_a_body_is_of_a_kind(media: str, body: bytes, expected: str) -> None:
    assert kind(media, body) == expected


def test_fields_are_sorted_by_name_and_their_values_are_not() -> None:
    found = canonical_pairs(split_pairs("b=2&a=%41+b&b=1&c&&=x"), PLAIN)
    assert found == (("", ("x",)), ("a", ("A b",)), ("b", ("2", "1")), ("c", ("",)))


def test_fields_that_do_not_count_are_left_out() -> None:
    reading = Reading(Uncounted(query=frozenset({"key", "alt=json"})))
    assert canonical_pairs(split_pairs("key=1&alt=json&alt=sse"), reading) == (("alt", ("sse",)),)


def test_times_are_left_out_when_they_shall_not_count() -> None:
    uncounted = Uncounted(times=frozenset({"start", "n"}), time_members=(("a", "start"),))
    body = b'{"a": {"start": "2026-11-20T09:00:00Z"}}'
    headers = (("Content-Type", "application/json"),)
    for times, start in ((True, "2026-11-20T09:00:00Z"), (False, "<time>")):
        reading = Reading(uncounted, times=times)
        assert canonical_body(headers, body, reading)[1] == {"a": {"start": start}}
        pairs = canonical_pairs(split_pairs("start=2026-11-20T09:00:00Z"), reading)
        assert pairs == (("start", (start,)),)


BATCH = b"""--%(b)b\r
Content-Type: application/http\r
Content-ID: <%(id)b>\r
\r
GET /v1/users/a%%2Fb?z=1&a=2 HTTP/1.1\r
Authorization: %(id)b\r
\r
\r
--%(b)b\r
Content-Type: application/http\r
\r
POST /v1/users\r
Content-Type: application/json\r
\r
{"b":1,"a":2}\r
--%(b)b--"""


def test_a_batch_is_the_requests_in_it_whatever_their_ids_and_boundaries() -> None:
    found = [
        canonical_body(
            (("Content-Type", f"multipart/mixed; boundary={boundary}"),),
            BATCH % {b"b": boundary.encode(), b"id": name},
            PLAIN,
        )
        for boundary, name in (("one", b"1"), ("two", b"2 +\r\n 3"))
    ]
    assert orjson.dumps(found[0]) == orjson.dumps(found[1])
    first, second = found[0][1]
    assert first[1][1][:2] == ["GET", ("v1", "users", "a/b")]
    assert second[1][1][3] == ("json", {"a": 2, "b": 1})


def test_segments_are_decoded_one_by_one() -> None:
    assert path_segments("/a%2Fb/%c3%a4/") == ("a/b", "ä", "")

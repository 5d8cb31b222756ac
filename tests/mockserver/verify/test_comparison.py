import json
import re
from typing import Any

import pytest

from mockserver.verify.comparison import Answer, compare
from mockserver.verify.values import Translation

JSON = (("content-type", "application/json"),)


def answer(body: Any, status: int = 200, headers: Any = JSON) -> Answer:
    return Answer(status, headers, body if isinstance(body, bytes) else json.dumps(body).encode())


def kinds(recorded: Any, given: Any, translation: Translation | None = None) -> list[str]:
    found = compare(answer(recorded), answer(given), translation or Translation("me@x.org"), "/r")
    return [f"{each.kind} {each.field}" for each in found.differences]


@pytest.mark.parametrize(
    ("recorded", "given", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {}, ["missing a"]),
        ({"a": None}, {}, []),
        ({"a": 1}, {"a": True}, ["value a"]),
        ({"a": "x"}, {"a": "x", "b": 1}, ["extra b"]),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": 2}]}}, ["value a.b[].c"]),
        ({"a": [1]}, {"a": {}}, ["value a"]),
        # times, tokens, and what was taken out
        ({"at": "2026-01-01T00:00:00Z"}, {"at": "2020-02-02T10:00:00.5Z"}, []),
        ({"at": "2026-01-01T00:00:00Z"}, {"at": "soon"}, ["value at"]),
        ({"at": 1767225600}, {"at": 1790000000}, []),
        ({"at": "1767225600000"}, {"at": "1790000000"}, ["value at"]),
        ({"startTime": "123456789"}, {"startTime": "1790000000000"}, []),
        ({"startTime": "123456789"}, {"startTime": "later"}, ["value startTime"]),
        ({"startTime": "sooner"}, {"startTime": "123456789"}, ["value startTime"]),
        ({"address": "192.0.2.1"}, {"address": "198.51.100.7"}, []),
        ({"address": "192.0.2.1"}, {"address": "none"}, ["value address"]),
        ({"range": "192.0.2.0/24"}, {"range": "198.51.100.0/20"}, ["value range"]),
        ({"etag": "abc"}, {"etag": "xyz"}, []),
        ({"etag": "abc"}, {}, ["missing etag"]),
        ({"nextPageToken": "abc"}, {"nextPageToken": "xyz"}, []),
        ({"secret": "REDACTED"}, {"secret": "s3"}, []),
        ({"by": "ann@example.com"}, {"by": "me@x.org"}, []),
        # what the service made up, and what it did not
        ({"id": "a81bc81b-dead-4e5d-abff-90865d1e13b1"}, {"id": "order-000001"}, []),
        ({"id": 71634}, {"id": 12}, []),
        ({"count": 71634}, {"count": 12}, ["value count"]),
        ({"name": "Default"}, {"name": "Other"}, ["value name"]),
        ({"link": "https://a.example.com/o/7163458"}, {"link": "https://a.example.com/o/1"}, []),
        ({"link": "https://a.example.com/o/1634"}, {"link": "https://b.example.com/o/1"},
         ["value link"]),
        ({"text": "Order 7163458 of Monday"}, {"text": "Order 12 of Monday"}, []),
        ({"text": "Order 7163458"}, {"text": "No order"}, ["value text"]),
        # lists
        ([{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}], ["order "]),
        ([{"name": "a"}], [{"name": "a"}, {"name": "b"}], ["extra []"]),
        (["a", "b"], ["b"], ["missing []"]),
        ([{"k": 1}, {"k": 2}], [{"k": 1}, {"k": 3}], ["value [].k"]),
    ],
)  # fmt: skip
def test_fields(recorded: Any, given: Any, expected: list[str]) -> None:
    assert kinds(recorded, given) == expected


def test_what_the_client_said_is_not_made_up() -> None:
    translation = Translation()
    translation.hear("/v1/orders/order-7163458")
    translation.hear_value({"n": [7163459]})
    assert kinds({"id": "order-7163458"}, {"id": "order-1"}, translation) == ["value id"]
    assert kinds({"id": 7163459}, {"id": 1}, translation) == ["value id"]


@pytest.mark.parametrize(
    ("recorded", "given", "expected", "error"),
    [
        (answer({}), answer({}, 404), ["status"], None),
        (answer({}, 404), answer({}), ["status"], False),
        (answer({"error": {"code": 404, "message": "no"}}, 404),
         answer({"error": {"code": 404, "message": "none"}}, 404), ["value"], False),
        (answer({"error": {"code": 404, "message": "no", "details": []}}, 404),
         answer({"error": {"code": 404, "message": "no"}}, 404), ["missing"], True),
        (answer({"why": "no"}, 400), answer({"why": "other"}, 400), ["value"], False),
        (answer(b""), answer(b"more"), [], None),
        (answer(b"a,b\r\n", headers=()), answer(b"a,b\n"), [], None),
        (answer(b"a,b", headers=()), answer(b"a,c"), ["body"], None),
        (answer(b"\xff\x01", headers=()), answer(b"\xff\x02"), ["body"], None),
        (answer({}, headers=[*JSON, ("Location", "/o/1634567"), ("Retry-After", "7")]),
         answer({}, headers=[("content-type", "text/plain"), ("location", "/o/1")]),
         ["header", "header"], None),
    ],
)  # fmt: skip
def test_answers(recorded: Answer, given: Answer, expected: list[str], error: bool | None) -> None:
    found = compare(recorded, given, Translation(), "")
    assert [each.kind for each in found.differences] == expected
    assert found.error_agrees is error
    assert found.all_said == (not {"status", "missing", "value", "body"} & {*expected})


def test_requests_get_what_stands_for_recorded_values() -> None:
    translation = Translation()
    recorded = {"id": "ord_81763458", "n": {"sheetId": 7163}, "etag": "abc", "nextPageToken": "t1"}
    given = {"id": "ord_1", "n": {"sheetId": 3}, "etag": "xyz", "nextPageToken": "t2"}
    assert kinds(recorded, given, translation) == []
    assert translation.path("/v1/orders/ord_81763458:cancel") == "/v1/orders/ord_1:cancel"
    assert translation.path("/v1/sheets/7163/x") == "/v1/sheets/3/x"
    assert translation.text("after ord_81763458, later") == "after ord_1, later"
    asked = {"ids": ["ord_81763458"], "range": {"sheetId": 7163, "row": 7163}, "etag": "abc"}
    assert translation.value(asked, "/r") == {
        "ids": ["ord_1"], "range": {"sheetId": 3, "row": 7163}, "etag": "xyz",
    }  # fmt: skip
    assert translation.field("pageToken", "t1", "/r") == "t2"
    assert translation.field("pageToken", "t1", "/other") == "t2"
    assert translation.field("page", "t1", "/r") == "t1"
    assert translation.opaque('"abc"') == "xyz"
    assert translation.opaque('"other"') == '"other"'
    # the same id of the service is not another one the next time
    assert kinds({"id": "ord_81763458"}, {"id": "ord_2"}, translation) == ["value id"]


def test_a_placeholder_may_stand_for_several() -> None:
    translation = Translation(placeholders=re.compile(r"10\d{4}"))
    translation.created("nets", "net-a")
    assert translation.path("/nets/100001") == "/nets/net-a"
    assert translation.text("see nets/100001") == "see nets/net-a"
    for own in ("op-1", "op-2"):
        assert kinds({"link": "ops/100002"}, {"link": f"ops/{own}"}, translation) == []
        assert translation.path("/ops/100002") == f"/ops/{own}"
    assert kinds({"targetId": "100003"}, {"targetId": "x1"}, translation) == []
    assert translation.path("/any/100003") == "/any/100003"

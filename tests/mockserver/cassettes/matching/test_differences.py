import json

import pytest

from mockserver.cassettes.matching import (
    Canonical,
    NearestRecording,
    canonical,
    differences,
    nearest,
)
from mockserver.cassettes.matching.differences import MOST
from mockserver.model import Json, RecordedRequest

URL = "https://api.example.com/v1/users/ann?pageToken=a&max=1"


def request(url: str = URL, body: Json = None, method: str = "GET") -> RecordedRequest:
    headers = (("Content-Type", "application/json"), ("Range", "bytes=0-1"))
    return RecordedRequest(method, url, headers, json.dumps(body).encode() if body else b"")


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (request(), ()),
        (request(method="PUT"), ("method",)),
        (request(URL.replace("api", "www")), ("host",)),
        (request(URL.replace("ann", "bob")), ("path segment 3",)),
        (request(URL.replace("/ann", "")), ("path segment 3",)),
        (request(URL.replace("=a", "=b") + "&x=1"), ("query.pageToken", "query.x")),
        (RecordedRequest("GET", URL), ("header.range",)),
        (request(body={"a": 1}), ("body (none sent, json recorded)",)),
    ],
)
def test_fields_that_differ_are_named(other: RecordedRequest, expected: tuple[str, ...]) -> None:
    assert differences(canonical(request()), canonical(other)) == expected


def test_members_of_bodies_are_named_by_their_paths() -> None:
    one = request(body={"a": {"b": [1, {"c": 2}], "same": 1}, "x": 1, "list": [1]})
    other = request(body={"a": {"b": [1, {"c": 3}], "same": 1}, "y": 1, "list": [1, 2]})
    assert differences(canonical(one), canonical(other)) == (
        "body.a.b.1.c", "body.list.1", "body.x", "body.y",
    )  # fmt: skip


@pytest.mark.parametrize("other", [[1], "b", None])
def test_values_of_different_types_differ_as_a_whole(other: Json) -> None:
    one, another = request(body={"a": {"b": 1}}), request(body={"a": other, "z": 1})
    assert differences(canonical(one), canonical(another)) == ("body.a", "body.z")
    assert differences(canonical(another), canonical(one)) == ("body.a", "body.z")


def test_fields_of_forms_are_named() -> None:
    one, other = (
        RecordedRequest("POST", URL, (("Content-Type", "application/x-www-form-urlencoded"),), body)
        for body in (b"a=1&b=2", b"a=1&b=3")
    )
    assert differences(canonical(one), canonical(other)) == ("body.b",)


def test_a_long_list_ends() -> None:
    one, other = ({str(number): value for number in range(40)} for value in (1, 2))
    found = differences(canonical(request(body=one)), canonical(request(body=other)))
    assert len(found) == MOST + 1
    assert found[-1] == "..."
    few, others = ({str(number): value for number in range(MOST)} for value in (1, 2))
    told = differences(canonical(request(body=few)), canonical(request(body=others)))
    assert (len(told), "..." in told) == (MOST, False)


HOST_URL = "https://api.example.com/v1/users"


def get(url: str) -> Canonical:
    return canonical(RecordedRequest("GET", url))


def test_the_candidate_that_differs_least_is_nearest() -> None:
    candidates = [
        get("https://www.example.com/v1/users"),
        get(HOST_URL + "?a=1&b=2"),
        get(HOST_URL + "?a=2"),
    ]
    assert nearest(get(HOST_URL + "?a=1"), candidates) == NearestRecording(1, ("query.b",))


def test_another_path_is_further_away_than_other_fields() -> None:
    candidates = [get(HOST_URL + "/ann"), get(HOST_URL + "?a=1&b=2&c=3")]
    assert nearest(get(HOST_URL), candidates) == NearestRecording(
        1, ("query.a", "query.b", "query.c")
    )


def test_the_earlier_of_two_is_nearest() -> None:
    assert nearest(
        get(HOST_URL), [get(HOST_URL + "?a=1"), get(HOST_URL + "?b=1")]
    ) == NearestRecording(0, ("query.a",))


def test_nothing_is_near_where_nothing_is() -> None:
    assert nearest(get(HOST_URL), []) is None


FIELDS = "?" + "&".join(f"f{number}=1" for number in range(7))


@pytest.mark.parametrize(
    ("nearer", "further"),
    [
        (get(HOST_URL + FIELDS), canonical(RecordedRequest("POST", HOST_URL))),
        (canonical(RecordedRequest("POST", HOST_URL)), get(HOST_URL + FIELDS + "&g=1&h=1")),
        (canonical(RecordedRequest("POST", HOST_URL)), get(HOST_URL + "/ann")),
        (get(HOST_URL + FIELDS + "&g=1&h=1"), get(HOST_URL + "/ann")),
        (get(HOST_URL + "/ann"), get(HOST_URL + FIELDS + "&g=1&h=1&i=1&j=1")),
        (get(HOST_URL + "/ann/b/c"), get("https://www.example.com/v1/users")),
    ],
    ids=[
        "7 fields, method",
        "method, 9 fields",
        "method, path",
        "9 fields, path",
        "path, 11 fields",
        "path, host",
    ],
)
def test_what_differs_counts_by_its_kind(nearer: Canonical, further: Canonical) -> None:
    """A host as 40 fields, a segment of the path as 10, the method as 8."""
    found = [nearest(get(HOST_URL), pair) for pair in ([nearer, further], [further, nearer])]
    assert [near.index for near in found if near] == [0, 1]

import json
from typing import Any

import orjson
import pytest

from mockserver.cassettes.matching import (
    Canonical,
    NearestRecording,
    canonical,
    differences,
    effect_of,
    nearest,
)
from mockserver.cassettes.matching.canonical import (
    counts_times,
    differing_places,
    is_model_path,
)
from mockserver.cassettes.matching.differences import (
    MOST,
    explain_difference,
    is_model_call,
    nearest_call,
    place_of,
)
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


MODEL_URL = "https://api.openai.com/v1/chat/completions"
GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-pro:streamGenerateContent"


def sent(url: str = MODEL_URL, **body: Any) -> RecordedRequest:
    headers = (("Content-Type", "application/json"),)
    return RecordedRequest("POST", url, headers, orjson.dumps(body))


def chat(*messages: tuple[str, str], **more: Any) -> Canonical:
    told = [{"role": role, "content": text} for role, text in messages]
    return canonical(sent(model="m", messages=told, **more))


SYSTEM, ASKED = ("system", "Be brief."), ("user", "Where is order A1, please?")
LONG = "x" * 40
RECORDED = chat(SYSTEM, ASKED, ("assistant", "At home."), temperature=0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (chat(SYSTEM, ASKED, ("assistant", "At home."), temperature=0), ""),
        (chat(SYSTEM, ASKED, temperature=0),
         "it ends before message 2 (assistant) of the recording: 'At home.'"),
        (chat(SYSTEM, ASKED, ("assistant", "At home."), ("user", "Thanks"), temperature=0),
         "message 3 (user) is not in the recording: 'Thanks'"),
        (chat(SYSTEM, ("assistant", ASKED[1])),
         "message 1 differs: recorded as user, asked as assistant"),
        (chat(SYSTEM, ("user", "Where is order B2, please?")),
         "message 1 (user) differs at character 15: recorded"
         " 'Where is order A1, please?', asked 'Where is order B2, please?'"),
        (chat(SYSTEM, ("user", "Where is order A1")),
         "message 1 (user) differs at character 17: recorded"
         " 'Where is order A1, please?', asked 'Where is order A1'"),
        (chat(SYSTEM, ASKED, ("assistant", "At home."), temperature=1),
         "the messages are the same, and 'temperature' differs: recorded 0, asked 1"),
        (chat(SYSTEM, ASKED, ("assistant", "At home."), temperature=0, seed=7),
         "the messages are the same, and 'seed' differs: recorded None, asked 7"),
        (chat(SYSTEM, ASKED, ("assistant", "At home."), temperature=0, stop=["x"]),
         "the messages are the same, and 'stop' differs"),
    ],
)  # fmt: skip
def test_where_two_conversations_part_is_told(call: Canonical, text: str) -> None:
    assert explain_difference(call, RECORDED) == text


@pytest.mark.parametrize(
    ("before", "behind", "shown"),
    [(24, 55, "'{0}a{1}'"), (25, 55, "...'{0}a{1}'"), (24, 56, "'{0}a{1}'...")],
)
def test_long_texts_are_quoted_around_where_they_differ(
    before: int, behind: int, shown: str
) -> None:
    one, other = (chat(("user", "x" * before + letter + "y" * behind)) for letter in "ab")
    recorded = shown.format("x" * 24, "y" * 55)
    asked = recorded.replace("a", "b")
    text = f"message 0 (user) differs at character {before}: recorded {recorded}, asked {asked}"
    assert explain_difference(other, one) == text


def test_the_recording_that_goes_along_furthest_is_nearest() -> None:
    call = chat(SYSTEM, ASKED, ("user", "again"), temperature=0)
    others = [
        chat(("system", "Be long."), ASKED, temperature=0),
        chat(SYSTEM, ("user", "Where was it?"), temperature=0),
        chat(SYSTEM, ("user", "Where is it?"), temperature=1, seed=1),
        chat(SYSTEM, ("user", "Where is it?"), temperature=0, seed=1),
        chat(SYSTEM, ("user", "Where is it?"), temperature=0, seed=2),
        chat(SYSTEM, temperature=0),
    ]
    found = nearest_call(call, others)
    assert found is not None
    assert (found.index, "body.seed" in found.differs) == (3, True)
    shorter, other = chat(SYSTEM, seed=1, temperature=1), chat(SYSTEM, ("user", "zzz"))
    found = nearest_call(chat(SYSTEM, ASKED), [shorter, other])
    assert found is not None
    assert found.index == 1
    assert nearest_call(call, []) is None
    assert nearest_call(others[0], [others[0]]) == NearestRecording(0, ())


def test_the_place_of_a_value_is_where_it_stands_first() -> None:
    assert place_of("A1", RECORDED) == "character 15 of message 1 (user)"
    assert place_of("Be", RECORDED) == "character 0 of message 0 (system)"
    assert place_of("A2", RECORDED) == ""


@pytest.mark.parametrize(
    ("request_", "path", "call", "query"),
    [
        (sent(model="m", messages=[]), True, True, ()),
        (sent("https://proxy.example.com/v1/chat/completions/", model="m", messages=[]), True, True,
         ()),
        (sent(f"{GEMINI}?alt=sse&key=k", contents=[]), True, True, (("alt", ("sse",)),)),
        (sent(GEMINI, contents=[]), True, True, ()),
        (sent("https://a.example.com/v1/units", model="m"), False, False, ()),
        (RecordedRequest("GET", MODEL_URL), False, False, ()),
        (
            RecordedRequest("POST", MODEL_URL, (("Content-Type", "text/plain"),), b"x"),
            True, False, (),
        ),
    ],
)  # fmt: skip
def test_what_asks_a_model(
    request_: RecordedRequest, path: bool, call: bool, query: tuple[object, ...]
) -> None:
    found = canonical(request_)
    assert (is_model_path(request_), is_model_call(found), found.query) == (path, call, query)
    assert counts_times(request_) is path
    assert not call or effect_of(found).reads


def test_the_times_in_what_a_model_is_asked_count_unless_they_are_left_out() -> None:
    one, other = (
        sent(model="m", messages=[{"role": "user", "content": f"Today is 2026-11-{day}."}])
        for day in (23, 24)
    )
    assert canonical(one) != canonical(other)
    assert canonical(one, times=False) == canonical(other, times=False)


def test_the_places_at_which_requests_differ_are_named() -> None:
    one, other = (
        canonical(sent(f"https://a.example.com/x?q={number}", n=number, same=1))
        for number in (1, 2)
    )
    assert differing_places(one, other, ["/query/q", "/body/n", "/body/same"]) == (
        "another value at /query/q, /body/n"
    )
    assert differing_places(one, one, ["/query/q", "/body/n"]) == ""

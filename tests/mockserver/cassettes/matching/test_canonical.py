import gzip
import json
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cassettes.matching import canonical, canonical_key, counts_times, text_key
from mockserver.model import Json, RecordedRequest

URL = "https://api.example.com/v1/users"
JSON = (("Content-Type", "application/json"),)


def get(url: str, *headers: tuple[str, str]) -> RecordedRequest:
    return RecordedRequest("GET", url, headers)


def post(body: bytes, content_type: str = "application/json") -> RecordedRequest:
    return RecordedRequest("POST", URL, (("Content-Type", content_type),), body)


def form_data(boundary: str) -> RecordedRequest:
    body = f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--{boundary}--'
    return post(body.encode(), f"multipart/form-data; boundary={boundary}")


SAME = [
    (get(URL + "?a=1&b=2"), get(URL + "?b=2&a=1")),
    (get(URL), get("https://API.example.com:443/v1/users")),
    (get(URL), get("http://api.example.com/v1/users")),
    (get(URL + "/ann%40example.com"), get(URL + "/ann@example.com")),
    (get(URL + "/%7eann"), get(URL + "/~ann")),
    (get(URL + "?q=a+b"), get(URL + "?q=a%20b")),
    (get(URL, ("Cookie", "a=1"), ("User-Agent", "x")), get(URL, ("Cookie", "a=2"))),
    (get(URL, ("Authorization", "Bearer a")), get(URL, ("Authorization", "Bearer b"))),
    (post(b'{"a":1,"b":[1.0,"\\u00e9"]}'), post('{"b": [1, "é"], "a": 1}'.encode())),
    (form_data("one"), form_data("two")),
    (
        post(b"a=1&b=2", "application/x-www-form-urlencoded"),
        post(b"b=2&a=1", "application/x-www-form-urlencoded; charset=utf-8"),
    ),
    (
        post(b'{"a":1}'),
        RecordedRequest(
            "POST", URL, (*JSON, ("Content-Encoding", "gzip")), gzip.compress(b'{"a":1}', mtime=0)
        ),
    ),
    (get(URL), RecordedRequest("POST", URL, (("X-HTTP-Method-Override", "get"),))),
    (
        get("https://admin.googleapis.com/a?prettyPrint=true&alt=json&key=1"),
        get("https://admin.mtls.googleapis.com/a?quotaUser=2"),
    ),
]
DIFFERENT = [
    (get(URL), RecordedRequest("DELETE", URL)),
    (get(URL), get(URL + "/")),
    (get(URL + "/a%2Fb"), get(URL + "/a/b")),
    (get(URL), get("https://api.example.com:8443/v1/users")),
    (get(URL + "?a=1&a=2"), get(URL + "?a=2&a=1")),
    (get(URL), get(URL, ("Range", "bytes=0-9"))),
    (post(b'{"a":1}'), post(b'{"a":"1"}')),
    (post(b'{"a":[1,2]}'), post(b'{"a":[2,1]}')),
    (post(b""), post(b"{}")),
    (post(b'{"a":null}'), post(b"{}")),
    (post(b"\x00", "image/png"), post(b"\x01", "image/png")),
]


@pytest.mark.parametrize(("one", "other"), SAME, ids=map(str, range(len(SAME))))
def test_spelling_does_not_tell_requests_apart(
    one: RecordedRequest, other: RecordedRequest
) -> None:
    assert canonical_key(one) == canonical_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=map(str, range(len(DIFFERENT))))
def test_what_counts_tells_requests_apart(one: RecordedRequest, other: RecordedRequest) -> None:
    assert canonical_key(one) != canonical_key(other)


def test_what_is_scrubbed_does_not_count() -> None:
    one, other = (post(b'{"token":"line\\n%b"}' % name) for name in (b"a1", b"a2"))
    assert canonical_key(one) != canonical_key(other)

    def scrub(text: str) -> str:
        return text.replace("\na1", "\n<a>").replace("\na2", "\n<a>")

    assert canonical_key(one, scrub=scrub) == canonical_key(other, scrub=scrub)


def test_declared_times_count_unless_they_are_left_out() -> None:
    url = "https://monitoring.googleapis.com/v3/projects/p/timeSeries?interval.endTime="
    one, other = get(url + "2026-11-20T09:00:00Z"), get(url + "2026-11-21T09:00:00Z")
    assert counts_times(one)
    assert not counts_times(get(URL))
    assert canonical_key(one) != canonical_key(other)
    assert canonical_key(one, times=False) == canonical_key(other, times=False)


def test_bodies_that_declare_volatile_members_are_compared_without_them() -> None:
    def write(stamp: str) -> RecordedRequest:
        entry = {"insertId": stamp, "timestamp": stamp, "textPayload": "hello"}
        body = json.dumps({"entries": [entry]}).encode()
        return RecordedRequest(
            "POST", "https://logging.googleapis.com/v2/entries:write", JSON, body
        )

    assert canonical_key(write("a")) == canonical_key(write("b"))


def test_a_text_with_lone_surrogates_has_a_key_too() -> None:
    assert len(text_key("\ud800")) == 16


def test_a_user_in_the_url_and_a_fragment_do_not_count() -> None:
    assert canonical(get("https://u:p@api.example.com/v1/users#top")) == canonical(get(URL))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**31), 2**31) | st.text('aé\n"\\/ 1', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.", max_size=2), inner),
    max_leaves=8,
)


def shuffled(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: shuffled(value[name]) for name in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@given(VALUES)
def test_equal_json_has_equal_keys_however_it_is_written(value: Json) -> None:
    one = post(json.dumps(value).encode())
    other = post(json.dumps(shuffled(value), ensure_ascii=False, indent=1).encode())
    assert canonical_key(one) == canonical_key(other)


@given(VALUES, VALUES)
def test_different_json_has_different_keys(one: Json, other: Json) -> None:
    texts = [json.dumps(value, sort_keys=True) for value in (one, other)]
    keys = [canonical_key(post(json.dumps([value]).encode())) for value in (one, other)]
    assert (keys[0] == keys[1]) == (texts[0] == texts[1])


SEGMENTS = st.lists(st.text("a/%:é ", min_size=1, max_size=4), min_size=1, max_size=3)


@given(SEGMENTS, st.lists(st.tuples(st.sampled_from("abc"), st.text("a&= é", max_size=3))))
def test_paths_and_queries_are_read_as_they_were_meant(
    segments: list[str], fields: list[tuple[str, str]]
) -> None:
    path = "/".join(quote(segment, safe="") for segment in segments)
    found = canonical(get(f"https://h.example.com/{path}?{urlencode(fields)}"))
    assert found.path == tuple(segments)
    assert dict(found.query) == {
        name: tuple(value for other, value in fields if other == name) for name, _ in fields
    }


ANYTHING = st.builds(
    lambda target, media, coding, body: RecordedRequest(
        "POST",
        f"https://h.example.com/{target}",
        (("Content-Type", media), ("Content-Encoding", coding)),
        body,
    ),
    st.text("a/?&=%2\ud800\x00é:#[", max_size=12),
    st.sampled_from([
        "application/json", "multipart/mixed; boundary=b", "application/http", "text/x; charset=7",
        "application/x-www-form-urlencoded", "application/x-ndjson", "\xff",
    ]),
    st.sampled_from(["", "gzip", "br", "zstd, deflate"]),
    st.lists(
        st.sampled_from([b"--b", b"\r\n", b"{", b"}", b'"a":', b"1.0", b"1e999", b"\xff", b"&=%"])
        | st.binary(max_size=3)
    ).map(b"".join),
)  # fmt: skip


@given(ANYTHING)
def test_whatever_was_sent_has_a_key(request: RecordedRequest) -> None:
    assert len(canonical_key(request)) == 16


@pytest.mark.parametrize("depth", [100, 240, 250, 254, 300, 2000])
def test_whatever_is_nested_has_a_key(depth: int) -> None:
    inner = b'{"a":1.5,"b":' + b"[" * depth + b"]" * depth + b"}"
    parts = b"--b\r\nContent-Type: application/json\r\n\r\n" + inner + b"\r\n--b--"
    assert len(canonical_key(post(inner))) == 16
    assert len(canonical_key(post(parts, "multipart/mixed; boundary=b"))) == 16


def test_a_body_that_was_opened_is_not_opened_again() -> None:
    headers = (*JSON, ("Content-Encoding", "gzip"))
    opened = RecordedRequest("POST", URL, headers, b'{"a":1}', coding="gzip;level=6")
    assert canonical_key(opened) == canonical_key(post(b'{"a":1}'))

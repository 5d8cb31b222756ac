import gzip
import json
from hashlib import sha256
from unittest import mock
from urllib.parse import quote, urlencode

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cassettes.matching import (
    Canonical,
    IgnoredParts,
    canonical,
    canonical_key,
    counts_times,
    is_plain,
    loose_canonical,
    text_key,
)
from mockserver.cassettes.matching.canonical import (
    BodyReading,
    _is_readable,
    canonical_body,
    canonical_pairs,
    path_segments,
)
from mockserver.messages import split_pairs
from mockserver.model import MATCH_PARTS, Json, Match, RecordedRequest, pointer_path
from mockserver.model.cassettes import MatchPart

PRINTED = "".join(map(chr, range(32, 127)))
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


HEADERS = (("Range", " bytes=0-1"), ("IF-Match", "x"), ("Accept", "y"), ("Range", "a"))
COUNTED = (("if-match", "x"), ("range", "a"), ("range", "bytes=0-1"))


@pytest.mark.parametrize(
    ("request_", "counted"),
    [
        (
            get("https://H.Example.com:443/a%2Fb/c?x=2&a=1&a=0#f", *HEADERS),
            Canonical("GET", "h.example.com", ("a/b", "c"), (("a", ("1", "0")), ("x", ("2",))),
                      COUNTED, ("none", None)),
        ),
        (get("http://h.io:80"), Canonical("GET", "h.io", ("",), (), (), ("none", None))),
        (get("http://h.io:443/"), Canonical("GET", "h.io:443", ("",), (), (), ("none", None))),
        (
            RecordedRequest(
                "put", "https://h.io:80/%zz/ä?é=%C3%A9", (("X-HTTP-Method-Override", "get"),)
            ),
            Canonical("PUT", "h.io:80", ("%zz", "ä"), (("é", ("é",)),), (), ("none", None)),
        ),
        (
            RecordedRequest("post", "https://h.io/a", JSON, b'{"b": 1e0, "a": null}'),
            Canonical("POST", "h.io", ("a",), (), (), ("json", {"a": None, "b": 1})),
        ),
        (
            RecordedRequest(
                "POST", "https://any.io/v1/chat/completions", JSON,
                b'{"model": "a%2Fb", "messages": [], "user": "ann"}',
            ),
            Canonical("POST", "model:openai", ("openai.chat.completions.create",), (), (),
                      ("json", {"model": "a%2Fb", "messages": []})),
        ),
        (
            RecordedRequest(
                "POST", "https://any.io/v1/models/a%2Fb:generateContent?alt=sse&x=1", JSON,
                b'{"contents": []}',
            ),
            Canonical("POST", "model:gemini", ("gemini.models.generateContent", "a/b"),
                      (("alt", ("sse",)),), (), ("json", {"contents": []})),
        ),
    ],
)  # fmt: skip
def test_what_counts_of_a_request(request_: RecordedRequest, counted: Canonical) -> None:
    assert canonical(request_) == counted


def test_signs_of_control_make_a_body_unreadable() -> None:
    unreadable = [sign for sign in range(128) if not _is_readable(bytes([sign]))]
    assert unreadable == [sign for sign in range(128) if chr(sign) not in f"\t\n\r{PRINTED}"]
    assert not _is_readable(b"\xff")


@pytest.mark.parametrize("part", MATCH_PARTS)
def test_a_part_counts_exactly_where_a_match_names_it(part: MatchPart) -> None:
    one = canonical(
        RecordedRequest("POST", "https://a.io/a?x=1", (*JSON, ("Range", "1")), b'{"a": 1}')
    )
    other = canonical(
        RecordedRequest("PUT", "https://b.io/b?x=2", (*JSON, ("Range", "2")), b'{"a": 2}')
    )
    mixed = one._replace(**{part: getattr(other, part)})
    rest = tuple(name for name in MATCH_PARTS if name != part)
    assert loose_canonical(one, Match(parts=rest)) == loose_canonical(mixed, Match(parts=rest))
    only = Match(parts=(part,))
    assert loose_canonical(one, only) != loose_canonical(mixed, only)
    assert loose_canonical(other, only) == loose_canonical(mixed, only)


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


@pytest.mark.parametrize(
    ("body", "is_file"),
    [
        (b"word", False), (b"\xff\xfe\xfd\xfc", False), (b"a word", False), (b"eightlet", False),
        (b"\xff\xfe\xfd\xfc\xfb", True), (b"a\x00word", True), (b"nineletts", True),
    ],
)  # fmt: skip
def test_a_body_too_large_to_be_read_counts_as_a_file(body: bytes, is_file: bool) -> None:
    module = "mockserver.cassettes.matching.canonical"
    with mock.patch.multiple(module, LARGEST_BYTES=4, LARGEST_TEXT=8):
        found = canonical(post(body, "application/octet-stream")).body
    assert (found == ("file", sha256(body).hexdigest())) is is_file


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


PLAIN = BodyReading(IgnoredParts())


def kind(media: str, body: bytes, reading: BodyReading = PLAIN) -> str:
    return canonical_body((("Content-Type", media),), body, reading)[0]


@pytest.mark.parametrize(
    ("media", "body", "expected"),
    [
        ("application/json", b"{}", "json"),
        ("text/plain", b' {"a": 1}', "json"),
        ("application/json", b"{", "text"),
        ("application/json", b"[" * 150 + b"]" * 150, "json"),
        ("application/json", b"[" * 300 + b"]" * 300, "text"),
        ("application/json", b"[1.0," + b"[" * 99 + b"]" * 99 + b"]", "json"),
        ("application/json", b"[1.0," + b"[" * 100 + b"]" * 100 + b"]", "text"),
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


@pytest.mark.parametrize(
    ("media", "body", "expected"),
    [
        ("application/json", b' {"b": 2.0, "a": 1}', {"a": 1, "b": 2}),
        ("application/x-ndjson", b'{"a": 1}\n\r\n\x1e{"b":2.0}\n', [{"a": 1}, {"b": 2}]),
        ("application/x-www-form-urlencoded", b"b=2&a=1", (("a", ("1",)), ("b", ("2",)))),
        (
            "multipart/mixed; boundary=b",
            b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--",
            [[[["content-type", "text/plain"]], ("text", "x")]],
        ),
        ("text/plain; charset=latin-1", b"\xe4", "\xe4"),
    ],
)
def test_what_counts_of_a_body_is_its_content(media: str, body: bytes, expected: object) -> None:
    assert canonical_body((("Content-Type", media),), body, PLAIN)[1] == expected


def test_fields_are_sorted_by_name_and_their_values_are_not() -> None:
    found = canonical_pairs(split_pairs("b=2&a=%41+b&b=1&c&&=x"), PLAIN)
    assert found == (("", ("x",)), ("a", ("A b",)), ("b", ("2", "1")), ("c", ("",)))


def test_fields_that_do_not_count_are_left_out() -> None:
    reading = BodyReading(IgnoredParts(query=frozenset({"key", "alt=json"})))
    assert canonical_pairs(split_pairs("key=1&alt=json&alt=sse"), reading) == (("alt", ("sse",)),)


def test_times_are_left_out_when_they_shall_not_count() -> None:
    uncounted = IgnoredParts(times=frozenset({"start", "n"}), time_members=(("a", "start"),))
    body = b'{"a": {"start": "2026-11-20T09:00:00Z"}}'
    headers = (("Content-Type", "application/json"),)
    for times, start in ((True, "2026-11-20T09:00:00Z"), (False, "<time>")):
        reading = BodyReading(uncounted, times=times)
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


JSON_HEADERS = (("Content-Type", "application/json"), ("Range", "bytes=0-1"), ("If-Match", "a"))
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


def asked(
    body: Json, query: str = "", headers: tuple[tuple[str, str], ...] = JSON_HEADERS
) -> Canonical:
    content = body if isinstance(body, str) else json.dumps(body)
    url = f"https://api.example.com/a{query}"
    return canonical(RecordedRequest("POST", url, headers, content.encode()))


@pytest.mark.parametrize(
    ("one", "other", "match"),
    [
        (asked({"a": 1, "id": 2}), asked({"a": 1, "id": 3}), Match(ignore=("/body/id",))),
        (
            asked({"items": [{"id": 1}, {"id": 2}]}),
            asked({"items": [{"id": 3}, {}]}),
            Match(ignore=("/body/items/*/id",)),
        ),
        (asked([1, 2]), asked([3, 2]), Match(ignore=("/body/0",))),
        (asked({"a": [1]}), asked({"a": []}), Match(ignore=("/body/a/*",))),
        (asked({"a": {"b": 1}}), asked({"a": {}}), Match(ignore=("/body/a/*",))),
        (asked({"a~b/c": 1}), asked({}), Match(ignore=("/body/a~0b~1c",))),
        (asked({}, "?x=1&y=2"), asked({}, "?y=2"), Match(ignore=("/query/x",))),
        (asked({}), asked({}, headers=JSON_HEADERS[:1]), Match(ignore=("/headers/*",))),
        (asked("a=1&b=2", headers=FORM), asked("b=2", headers=FORM), Match(ignore=("/body/a",))),
        (asked({"a": None, "b": [{"c": None}]}), asked({"b": [{}]}), Match(null_is_absent=True)),
        (asked({"a": [{"x": 1}, 2]}), asked({"a": [2, {"x": 1}]}), Match(any_order=("/body/a",))),
        (asked({}, "?f=a&f=b"), asked({}, "?f=b&f=a"), Match(any_order=("/query/f",))),
        (asked({"a": 1}), asked("text"), Match(parts=("method", "path"))),
    ],
)  # fmt: skip
def test_two_requests_are_the_same_but_for_what_a_match_leaves_out(
    one: Canonical, other: Canonical, match: Match
) -> None:
    assert one != other
    assert loose_canonical(one, Match()) != loose_canonical(other, Match())
    assert loose_canonical(one, match) == loose_canonical(other, match)


def test_what_counts_of_a_request_is_left_as_it_was() -> None:
    request = asked({"a": [2, 1], "b": None})
    before = request.text()
    loose_canonical(
        request, Match(ignore=("/body/a/*",), null_is_absent=True, any_order=("/body/a",))
    )
    assert request.text() == before


@pytest.mark.parametrize("pointer", ["body/a", "/path/a", "/body", "", "/"])
def test_a_pointer_that_leads_to_no_field_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match="begin with /query/, /headers/ or /body/"):
        pointer_path(pointer)


def test_a_match_of_everything_is_plain() -> None:
    assert is_plain(None)
    assert is_plain(Match())
    assert not is_plain(Match(parts=("method",)))


LOOSE_VALUES = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab*0"), inner, max_size=3)
    ),
    max_leaves=8,
)
MATCHES = st.builds(
    Match,
    parts=st.lists(st.sampled_from(MATCH_PARTS), unique=True).map(tuple),
    ignore=st.lists(st.sampled_from(["/body/a", "/body/*/b", "/query/x"]), max_size=2).map(tuple),
    null_is_absent=st.booleans(),
    any_order=st.lists(st.sampled_from(["/body/a", "/body/*"]), max_size=2).map(tuple),
)


@given(LOOSE_VALUES, LOOSE_VALUES, MATCHES)
def test_what_is_equal_is_so_however_it_is_compared_and_twice_is_once(
    one: Json, other: Json, match: Match
) -> None:
    first, second = asked(one), asked(other)
    compared = loose_canonical(first, match)
    assert loose_canonical(asked(one), match) == compared
    if first == second:
        assert compared == loose_canonical(second, match)
    assert loose_canonical(compared, match) == compared

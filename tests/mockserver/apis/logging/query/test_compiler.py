from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.logging.query.compiler import (
    EARLIEST,
    LATEST,
    Entry,
    compile_query,
    encode_log_name,
    folded_text,
    json_escaped,
)
from mockserver.apis.logging.query.language import parse_query
from mockserver.apis.logging.query.values import time_ns
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.logging.query.printing import print_query

ROW: JsonObject = {
    "logName": "projects/p/logs/app%2Fworker",
    "timestamp": "2026-03-02T08:00:00.5Z",
    "severity": "ERROR",
    "textPayload": "Pod OOMKilled",
    "labels": {"k8s-pod/app": "cart"},
    "resource": {"type": "k8s_container", "labels": {"zone": "b"}},
    "jsonPayload": {"n": 7, "tags": ["red", "blue"], "none": None},
    "httpRequest": {"status": 503},
}
ENTRY = Entry(ROW, "k", time_ns("2026-03-02T08:00:00.5Z"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "severity>=WARNING",
        '"oomkilled"',
        "oomkilled AND NOT nothing",
        'labels."k8s-pod/app"=cart',
        "resource.labels.zone=b",
        "resource:k8s",
        "jsonPayload.n>6 jsonPayload.n<=7",
        "jsonPayload.tags=blue",
        "jsonPayload.none=NULL_VALUE",
        "jsonPayload.none:*",
        "jsonPayload:blue",
        "trace=\"\"",
        "trace!=x",
        "httpRequest.requestSize=0",
        "NOT jsonPayload.missing=x",
        "-operation.id:*",
        "traceSampled=false",
        'logName="projects/p/logs/app/worker"',
        "logName=projects/p/logs/app%2Fworker",
        'timestamp:"2026-03-02T08"',
        'timestamp=~"^2026"',
        'timestamp="2026-03-02T08:00:00.5Z"',
        'timestamp!="2026-03-02"',
        "a OR b OR severity=ERROR",
        "(a OR severity=ERROR) (b OR c OR textPayload:pod) httpRequest.status=503 labels:cart",
    ],
    ids=repr,
)  # fmt: skip
def test_a_query_holds(text: str) -> None:
    assert holds(text)


@pytest.mark.parametrize(
    "text",
    [
        "severity<ERROR",
        "nothing",
        "jsonPayload.missing=x",
        "jsonPayload.missing!=x",
        "jsonPayload.missing!~x",
        "labels.missing!=x",
        "resource.labels.missing=\"\"",
        "jsonPayload.n!=7",
        "receiveTimestamp<\"2030-01-01\"",
        "trace:*",
        "zz OR qq",
        "severity=ERROR nothing oomkilled",
    ],
    ids=repr,
)  # fmt: skip
def test_a_query_does_not_hold(text: str) -> None:
    assert not holds(text)


def holds(text: str, entry: Entry = ENTRY) -> bool:
    found = compile_query(text)
    return found.start <= entry.ns < found.end and found.holds(entry)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ('timestamp>="1970-01-01T00:00:01Z"', 10**9, LATEST),
        ('timestamp>"1970-01-01T00:00:01Z"', 10**9 + 1, LATEST),
        ('timestamp<"1970-01-01T00:00:01Z"', EARLIEST, 10**9),
        ('timestamp<="1970-01-01T00:00:01Z"', EARLIEST, 10**9 + 1),
        ('timestamp="1970-01-01T00:00:01Z"', 10**9, 10**9 + 1),
        ('timestamp>="1970-01-02" timestamp<"1970-01-03" timestamp>="1970-01-01"',
         86_400 * 10**9, 2 * 86_400 * 10**9),
        ("severity=ERROR", EARLIEST, LATEST),
        ('NOT timestamp<"1970-01-02"', EARLIEST, LATEST),
        ("", EARLIEST, LATEST),
    ],
    ids=repr,
)  # fmt: skip
def test_bounds_of_the_timestamp_become_a_span(text: str, start: int, end: int) -> None:
    found = compile_query(text)
    assert (found.start, found.end) == (start, end)


def test_a_query_of_nothing_but_a_span_always_holds_in_it() -> None:
    assert compile_query('timestamp>="1970-01-02"').always
    assert not compile_query("severity=ERROR").always


def test_a_query_is_in_session_time_and_entries_are_in_stored_time() -> None:
    shift = timedelta(days=1)
    assert compile_query('timestamp>="1970-01-02"', shift).start == 0
    assert compile_query('timestamp:"03-03"', shift).holds(ENTRY)
    entry = Entry({**ROW, "receiveTimestamp": "2026-03-02T08:00:01Z"}, "k", 0)
    assert compile_query('receiveTimestamp="2026-03-03T08:00:01Z"', shift).holds(entry)


def test_a_bad_timestamp_is_refused() -> None:
    with pytest.raises(Exception, match="invalid time value 'soon'"):
        compile_query("timestamp>=soon")


@pytest.mark.parametrize("name", ["projects/p/logs/a%2Fb", "projects/p/logs/a/b"])
def test_log_names_are_encoded_once(name: str) -> None:
    assert encode_log_name(name) == "projects/p/logs/a%2Fb"


ATOMS = st.sampled_from(
    ["severity>=ERROR", "severity=INFO", '"cart"', "jsonPayload.n>5", "jsonPayload.n<=5",
     "labels.a:*", 'textPayload=~"^a"', "timestamp>2026-01-01", "trace!=x", "SEARCH(cart)"]
)  # fmt: skip
ROWS = st.fixed_dictionaries(
    {"timestamp": st.sampled_from(["2025-06-01T00:00:00Z", "2026-06-01T00:00:00Z"])},
    optional={
        "severity": st.sampled_from(["INFO", "ERROR", "ALERT"]),
        "textPayload": st.sampled_from(["a cart", "b", "cart"]),
        "labels": st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy")),
        "jsonPayload": st.fixed_dictionaries({"n": st.integers(0, 10)}),
        "trace": st.sampled_from(["x", "y"]),
    },
)


@given(ATOMS, ATOMS, ROWS)
def test_negation_of_a_conjunction_is_the_disjunction_of_negations(
    one: str, other: str, row: JsonObject
) -> None:
    entry = Entry(row, "k", time_ns(row["timestamp"]))
    assert holds(f"NOT ({one} AND {other})", entry) is holds(f"(NOT {one}) OR (NOT {other})", entry)
    assert holds(f"NOT ({one} OR {other})", entry) is holds(f"(NOT {one}) AND (NOT {other})", entry)
    assert holds(f"NOT NOT {one}", entry) is holds(one, entry)


@given(ATOMS, ATOMS, ATOMS, ROWS)
def test_a_printed_query_finds_the_same(one: str, two: str, three: str, row: JsonObject) -> None:
    entry = Entry(row, "k", time_ns(row["timestamp"]))
    text = f"{one} OR {two} {three}"
    assert holds(print_query(parse_query(text)), entry) is holds(text, entry)
    assert holds(text, entry) is ((holds(one, entry) or holds(two, entry)) and holds(three, entry))


FUNCTION_ROW: JsonObject = {
    "logName": "projects/p/logs/cloudaudit.googleapis.com%2Factivity",
    "insertId": "a1",
    "httpRequest": {"remoteIp": "192.0.2.9"},
    "jsonPayload": {"message": "Quick brown-fox, jumps", "ips": ["x", "198.51.100.3"], "n": 5},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('log_id("cloudaudit.googleapis.com/activity")', True),
        ('LOG_ID("cloudaudit.googleapis.com%2Factivity")', True),
        ('log_id("activity")', False),
        ('source("projects/p")', True),
        ("source(projects/q)", False),
        ("sample(insertId, 1)", True),
        ("sample(insertId, 0.0)", False),
        ("sample(jsonPayload.none, 1)", False),
        ('ip_in_net(httpRequest.remoteIp, "192.0.2.0/24")', True),
        ('ip_in_net(httpRequest.remoteIp, "2001:db8::/32")', False),
        ('ip_in_net(jsonPayload.ips, "198.51.100.0/30")', True),
        ('ip_in_net(jsonPayload.n, "0.0.0.0/0")', False),
        ('SEARCH("FOX quick")', True),
        ('SEARCH("qui")', False),
        ('SEARCH("`brown-fox`")', True),
        ('SEARCH("`rown-fox`")', False),
        ('SEARCH("`brown-fox` jumps a1")', True),
        ('SEARCH(jsonPayload.message, "jumps")', True),
        ('SEARCH(jsonPayload, "jumps 5")', True),
        ('SEARCH(textPayload, "jumps")', False),
    ],
    ids=repr,
)
def test_functions_look_at_an_entry(text: str, expected: bool) -> None:
    assert compile_query(text).holds(Entry(FUNCTION_ROW, "k", 0)) is expected


def test_a_sample_is_a_share_and_always_the_same() -> None:
    entries = [Entry({"insertId": str(number)}, "k", 0) for number in range(2_000)]
    quarter = compile_query("sample(insertId, 0.25)").holds
    found = [entry for entry in entries if quarter(entry)]
    assert 400 < len(found) < 600
    half = compile_query("sample(insertId, 0.5)").holds
    assert all(half(entry) for entry in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nope(a)", "unknown function 'nope'"),
        ("log_id()", "log_id takes 1 arguments, found 0"),
        ("SEARCH(a, b, c)", "SEARCH takes 1 or 2 arguments, found 3"),
        ("sample(insertId, x)", "invalid fraction 'x'"),
        ("sample(insertId, 2)", "the fraction '2' is not between 0.0 and 1.0"),
        ('ip_in_net(httpRequest.remoteIp, "300.0.0.0/8")', "invalid network '300.0.0.0/8'"),
        ("sample(thud, 1)", "Field not found: 'thud'."),
    ],
    ids=repr,
)
def test_a_function_that_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(ApiError) as caught:
        compile_query(text)
    assert caught.value.message == f"Unparseable filter: {said}"


def test_the_text_of_an_entry_is_its_values_without_times_and_names() -> None:
    row = {
        "timestamp": "2026",
        "severity": "ERROR",
        "jsonPayload": {"n": 1.5, "ok": True, "off": False, "none": None, "of": ["A", 2]},
    }
    entry = Entry(row, "k", 7)
    assert entry.text == "error\n1.5\ntrue\nfalse\na\n2"
    assert entry.text is entry.text
    assert '"severity":"error"' in entry.json_text


def test_what_is_in_a_value_is_in_the_written_entry() -> None:
    value = 'Say "hi"\n\\ Größe'
    entry = Entry({"textPayload": value}, "k", 0)
    assert json_escaped(value) in entry.json_text
    assert folded_text(value) == value.casefold()

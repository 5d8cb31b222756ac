import pytest

from mockserver.apis.logging.query.values import (
    MISSING,
    Field,
    Kind,
    duration_ns,
    field_getter,
    find_field,
    parse_number,
    plain_ns,
    re2_matcher,
    time_ns,
    untyped_test,
    value_test,
)
from mockserver.googleapi import ApiError
from mockserver.googleapi.filter_trees import Value
from mockserver.model import Json

NOON = 1_795_083_379_000_000_000


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("2026-11-19T10:16:19Z", NOON),
        ("2026-11-19T10:16:19.866742+0000", NOON + 866_742_000),
        ("2026-11-19T12:16:19.123456789+02:00", NOON + 123_456_789),
        ("2026-11-19t10:16:19,5z", NOON + 500_000_000),
        ("2026-11-19 10:16:19", NOON),
        ("2026-11-19T10:16Z", NOON - 19 * 10**9),
        ("2026-11-19", NOON - 36_979 * 10**9),
        ("2026-11-19T11:16:19.5+01", NOON + 500_000_000),
        ("1969-12-31T23:59:59.5Z", -500_000_000),
    ],
    ids=repr,
)
def test_timestamps_are_read_in_all_forms_that_clients_send(text: str, ns: int) -> None:
    assert time_ns(text) == ns


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-13-01", "2026-11-19T25:00:00Z", "2026-11-19T10:16:19.Z",
     "2026-11-19T10:16:19.0123456789Z", "2026-11-19T10:16:19.1x3Z"],
    ids=repr,
)  # fmt: skip
def test_what_is_no_timestamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        time_ns(text)


def test_only_the_usual_form_is_read_fast() -> None:
    assert plain_ns("2026-11-19T10:16:19.25Z") == NOON + 250_000_000
    assert plain_ns("2026-11-19T10:16:19.²Z") is None
    assert plain_ns("2026-11-19T10:16:19.25") is None


@pytest.mark.parametrize(
    ("text", "ns"),
    [("1.5s", 1_500_000_000), ("500ms", 500_000_000), ("2", 2 * 10**9), ("-3us", -3_000),
     (".5s", 500_000_000), ("1h", 3600 * 10**9), ("1.25m", 75 * 10**9), ("7ns", 7)],
    ids=repr,
)  # fmt: skip
def test_durations_are_whole_nanoseconds(text: str, ns: int) -> None:
    assert duration_ns(text) == ns


@pytest.mark.parametrize("text", ["", "s", "5 s", "1w", "x"], ids=repr)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        duration_ns(text)


ROW = {
    "logName": "projects/p/logs/x",
    "labels": {"k8s-pod/app": "cart", "a.b": "c"},
    "resource": {"type": "global", "labels": {"zone": "b"}},
    "jsonPayload": {"a": {"b": 3}, "list": [{"n": 1}, {"n": 2}, {}], "none": None},
}


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("severity",), Field(("severity",), "severity")),
        (("LOGNAME",), Field(("logName",), "text")),
        (("http_request", "requestUrl"), Field(("httpRequest", "requestUrl"), "text")),
        (("resource",), Field(("resource",), "message")),
        (("resource", "labels", "zone"), Field(("resource", "labels", "zone"), "text")),
        (("labels", "a", "b"), Field(("labels", "a.b"), "text")),
        (("labels",), Field(("labels",), "labels")),
        (("jsonPayload", "a", "b"), Field(("jsonPayload", "a", "b"), "free")),
    ],
    ids=repr,
)
def test_a_path_finds_its_field(path: tuple[str, ...], field: Field) -> None:
    assert find_field(path) == field


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (("thud",), "Unparseable filter: Field not found: 'thud'."),
        (
            ("jsonpayloads", "x"),
            "Unparseable filter: Field not found: 'jsonpayloads.x'. Did you mean 'jsonPayload'?",
        ),
        (("operation", "thud"), "Unparseable filter: Field not found: 'operation.thud'."),
        (("textPayload", "thud"), "Unparseable filter: Field not found: 'textPayload.thud'."),
    ],
    ids=repr,
)
def test_an_unknown_field_is_not_found(path: tuple[str, ...], said: str) -> None:
    with pytest.raises(ApiError) as caught:
        find_field(path)
    assert caught.value.message == said


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("logName",), "projects/p/logs/x"),
        (("labels", "k8s-pod/app"), "cart"),
        (("labels", "a", "b"), "c"),
        (("resource", "labels", "zone"), "b"),
        (("jsonPayload", "a", "b"), 3),
        (("jsonPayload", "none"), None),
        (("jsonPayload", "list", "n"), [1, 2]),
        (("jsonPayload", "list", "m"), MISSING),
        (("jsonPayload", "a", "b", "c"), MISSING),
        (("labels", "other"), MISSING),
        (("operation", "id"), MISSING),
        (("trace",), MISSING),
    ],
    ids=repr,
)
def test_a_field_is_found_in_an_entry(path: tuple[str, ...], value: object) -> None:
    assert field_getter(find_field(path))(ROW) == value


def test_a_list_of_messages_stands_for_each() -> None:
    get = field_getter(find_field(("errorGroups", "id")))
    assert get({"errorGroups": [{"id": "a"}, {"id": "b"}]}) == ["a", "b"]


@pytest.mark.parametrize(
    ("kind", "sign", "literal", "yes", "no"),
    [
        ("text", "=", "Ab", ["ab", "AB", "Ab"], ["abc", ""]),
        ("text", "!=", "ab", ["c"], ["AB"]),
        ("text", ":", "LL", ["hello"], ["help"]),
        ("text", "<", "m", ["a", "A"], ["z"]),
        ("text", "=~", "^a+$", ["aa"], ["A", "b"]),
        ("text", "!~", "a", ["b"], ["xax"]),
        ("number", ">=", "500", [500, 501, "503", 500.5], [499, "nan", "x"]),
        ("number", ":", "5", [5, "5"], [50]),
        ("number", "=~", "^5", [503], [400]),
        ("boolean", "=", "TRUE", [True], [False, "true"]),
        ("boolean", "=~", "tru", [True], [False]),
        ("duration", ">", "1s", ["1.5s", "2s"], ["0.9s", "soon"]),
        ("time", "<", "2026-01-02", ["2026-01-01T23:59:59.9Z"], ["2026-01-02T00:00:00Z", "x"]),
        ("severity", ">=", "error", ["ERROR", "ALERT"], ["INFO", "?"]),
        ("severity", "=", "500", ["ERROR"], ["CRITICAL"]),
        ("severity", "=~", "^E", ["ERROR", "EMERGENCY"], ["INFO"]),
        ("free", "=", "3", [3, 3.0, "3", [1, 3]], [4, True, None, "33"]),
        ("free", "=", "true", [True, "TRUE"], [False, 1, None]),
        ("free", ":", "ab", ["xABx", {"k": "ab"}, {"abc": 1}, ["ab"]], ["a", {"k": 1}, None]),
        ("free", ">", "2", [3, "3"], [1, "1", None]),
        ("free", "=~", "^a", ["ab", {"k": "ab"}, ["x", "a"]], ["b", 1]),
        ("labels", ":", "zone", [{"zone": "b"}, {"x": "zone"}], [{"a": "b"}]),
        ("message", "=", "b", [{"zone": "b"}], [{"b": "a"}]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_values_compare_by_their_type(
    kind: Kind, sign: str, literal: str, yes: list[Json], no: list[Json]
) -> None:
    test = value_test(kind, sign, Value(literal, quoted=False))
    assert [test(value) for value in yes] == [True] * len(yes)
    assert [test(value) for value in no] == [False] * len(no)


def test_null_is_a_value_only_without_quotes() -> None:
    null = Value("NULL_VALUE", quoted=False)
    assert [untyped_test("=", null)(value) for value in (None, "NULL_VALUE", 0)] == [
        True,
        False,
        False,
    ]
    assert untyped_test("!=", null)(0)
    assert untyped_test("=", Value("NULL_VALUE"))("null_value")


@pytest.mark.parametrize(
    ("kind", "literal", "said"),
    [
        ("number", "x", "invalid number value 'x'"),
        ("boolean", "yes", "invalid boolean value 'yes'"),
        ("time", "soon", "invalid time value 'soon'"),
        ("duration", "x", "invalid duration value 'x'"),
        ("severity", "FATAL", "invalid severity value 'FATAL'"),
        ("severity", "1.5", "invalid severity value '1.5'"),
    ],
    ids=repr,
)
def test_a_literal_of_another_type_is_refused(kind: Kind, literal: str, said: str) -> None:
    with pytest.raises(ApiError) as caught:
        value_test(kind, "=", Value(literal))
    assert caught.value.message == f"Unparseable filter: {said}"


def test_a_regular_expression_that_is_none_is_refused() -> None:
    with pytest.raises(ApiError, match=r"invalid regular expression '\(': missing \)"):
        re2_matcher("(")


def test_no_regular_expression_is_slow() -> None:
    assert not re2_matcher("(a+)+$")("a" * 5_000 + "b")


def test_times_may_be_stored_earlier_than_they_are_asked_for() -> None:
    test = value_test("time", "=", Value("1970-01-01T00:00:05Z"), earlier_ns=3 * 10**9)
    assert test("1970-01-01T00:00:02Z")


def test_whole_numbers_stay_exact() -> None:
    assert parse_number("9007199254740993") == 9007199254740993
    assert (parse_number("1e3"), parse_number("+.5"), parse_number("0x1")) == (1000.0, 0.5, None)

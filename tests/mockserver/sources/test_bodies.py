"""Request bodies, and the errors for those that cannot be read."""

import orjson
import pytest

from mockserver.asgi.requests import Request
from mockserver.googleapi import DEEPEST, ApiError, Dialect
from mockserver.sources import bodies
from mockserver.sources.bodies import MOST_FIELDS, MOST_VALUES, parse_form, parse_json


def message(content: bytes) -> str:
    with pytest.raises(ApiError) as caught:
        parse_json(content, "one_platform")
    assert caught.value.status == 400
    return caught.value.message


@pytest.mark.parametrize("content", [b"", b"  \n"])
def test_no_body_is_an_empty_object(content: bytes) -> None:
    assert parse_json(content, "one_platform") == {}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"a": foo}', "Unexpected token."),
        (b'{"a": ', "Unexpected end of string."),
        (b'{"a": "\xff"}', "Invalid UTF-8 at byte 7."),
    ],
    ids=["token", "end", "utf-8"],
)
def test_what_is_no_json_is_refused_as_google_does(content: bytes, says: str) -> None:
    assert message(content).startswith(f"Invalid JSON payload received. {says}")


NUMBERED = b"".join(b'{"k%d":' % at for at in range(DEEPEST + 3))


@pytest.mark.parametrize("dialect", ["one_platform", "legacy"])
@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "a"),
        (b'{"x": {"y": [1]}, "z\\"": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", 'z\\"'),
        (b'{"b": [{"c": 1}, ' + b"[" * 10_000, "b"),
        (b"[" * 10_000, ""),
        (b'{"n":' + b"[" * DEEPEST + b"]" * DEEPEST + b"}", "n"),
        (NUMBERED + b"1" + b"}" * (DEEPEST + 3), f"k{DEEPEST - 1}"),
        (b'{"a": [{}], "b":' * 500 + b"1" + b"}" * 500, "a"),
    ],
    ids=[
        "objects",
        "arrays",
        "after an object",
        "no key",
        "by one",
        "numbered",
        "less than is decoded",
    ],
)
def test_a_body_nested_too_deeply_is_refused_at_its_key(
    content: bytes, key: str, dialect: Dialect
) -> None:
    with pytest.raises(ApiError) as caught:
        parse_json(content, dialect)
    said = f"Message too deep. Max recursion depth reached for key '{key}'"
    assert (caught.value.status, caught.value.message) == (400, said)


@pytest.mark.parametrize(
    "content",
    [b"[" * DEEPEST + b"]" * DEEPEST, b"[" + b",".join([b"[{}]"] * 1000) + b"]"],
    ids=["just not too deep", "wide"],
)
def test_a_body_of_many_parts_is_read(content: bytes) -> None:
    assert parse_json(content, "one_platform") == orjson.loads(content)


def test_the_error_points_at_the_place() -> None:
    _, shown, caret = message(b'{"a": foo}').split("\n")
    assert shown[caret.index("^") :].startswith(("foo", "oo"))


def test_the_older_apis_say_parse_error() -> None:
    with pytest.raises(ApiError) as caught:
        parse_json(b"{", "legacy")
    assert (caught.value.message, caught.value.reason) == ("Parse Error", "parseError")


def test_the_last_value_of_a_form_field_counts() -> None:
    assert parse_form(b"a=1&a=2&b=&c=%C3%BC") == {"a": "2", "b": "", "c": "\u00fc"}


def test_a_form_is_read_once_however_many_names_it_has() -> None:
    form = parse_form(b"&".join(b"n%d=1&l%d[]=2&l%d[]=3" % (at, at, at) for at in range(3000)))
    assert (len(form), form["n7"], form["l7[]"]) == (6000, "1", ["2", "3"])


def test_a_form_of_too_many_fields_is_refused() -> None:
    with pytest.raises(ApiError, match="more fields than the limit") as caught:
        parse_form(b"a=1&" * MOST_FIELDS + b"a=1")
    assert caught.value.status == 400


@pytest.mark.parametrize(
    "content",
    [
        b"[" + b"[]," * MOST_VALUES + b"1]",
        b'["a,b", ' + b"{}," * MOST_VALUES + b"1]",
        b'["\\\\", ' + b"1," * MOST_VALUES + b"1]",
    ],
    ids=["arrays", "a text before", "a backslash before"],
)
def test_a_body_of_too_many_values_is_not_built(content: bytes) -> None:
    assert "more values than the limit" in message(content)


@pytest.mark.parametrize(
    "inside", [b",", b"[", b'\\"', b"\\\\"], ids=["comma", "array", "quote", "slash"]
)
def test_signs_in_a_text_are_no_values(inside: bytes) -> None:
    content = b'{"text": "' + inside * MOST_VALUES + b',"}'
    assert parse_json(content, "one_platform")


def test_a_body_that_the_memory_has_no_room_for_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(_: int) -> bytearray:
        raise MemoryError

    monkeypatch.setattr(bodies, "bytearray", full, raising=False)
    with pytest.raises(ApiError) as caught:
        parse_json(b'{"a": "' + b"b" * 200_000 + b'"}', "one_platform")
    assert caught.value.status == 507
    parse_json(b'{"a": "' + b"b" * 10_000 + b'"}', "one_platform")  # a process that runs has that


def asked(content_type: str) -> Request:
    headers = [(b"content-type", content_type.encode())]
    scope = {"method": "POST", "headers": headers, "query_string": b"", "raw_path": b"/x"}
    return Request(scope)


PARTS, FORM = "multipart/mixed; boundary=b", "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("kind", "piece", "most", "is_refused"),
    [
        (PARTS, b"\n--b", 3, False), (PARTS, b"\n--b", 4, True),
        (FORM, b"a=1&", 3, False), (FORM, b"a=1&", 4, True),
        ("text/plain", b"a=1&", 9, False),
        ("application/json", b" [1,", 2, False), ("application/json", b"[1,", 9, True),
        ("", b"{", 9, True), ("", b"x[{", 9, False),
    ],
)  # fmt: skip
def test_a_body_of_too_many_parts_is_refused_whatever_it_is(
    kind: str, piece: bytes, most: int, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("_FEW", 0), ("_MOST_LINES", 3), ("MOST_FIELDS", 4), ("MOST_VALUES", 5)):
        monkeypatch.setattr(bodies, name, value)
    if not is_refused:
        bodies.check_content(asked(kind), piece * most)
        return
    with pytest.raises(ApiError) as caught:
        bodies.check_content(asked(kind), piece * most)
    assert (caught.value.status, caught.value.reason) == (400, "badRequest")
    monkeypatch.setattr(bodies, "_FEW", len(piece) * most)
    bodies.check_content(asked(kind), piece * most)


def test_what_takes_more_memory_than_there_is_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "_LITTLE", 0)
    bodies.check_size(b"[1]")
    monkeypatch.setattr(bodies, "_VALUE_BYTES", 1 << 60)
    with pytest.raises(ApiError, match="has not the memory") as caught:
        bodies.check_size(b"[1]")
    assert (caught.value.status, caught.value.reason) == (507, "insufficientStorage")

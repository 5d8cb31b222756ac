import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi.scalars import (
    camel_case,
    proto_type,
    refusal_text,
    scalar_reader,
    snake_case,
)
from mockserver.model import Json

READ: list[tuple[str, str, Json, Json]] = [
    ("integer", "int32", "5", 5),
    ("integer", "int32", -5, -5),
    ("integer", "int32", "1.0", 1),
    ("integer", "int32", 1e3, 1000),
    ("integer", "int32", "1e3", 1000),
    ("integer", "uint32", 4294967295, 4294967295),
    ("integer", "", "7", 7),
    ("string", "int64", 9007199254740993, "9007199254740993"),
    ("string", "int64", "-1", "-1"),
    ("string", "uint64", "18446744073709551615", "18446744073709551615"),
    ("number", "double", "1.5", 1.5),
    ("number", "float", 2, 2.0),
    ("number", "double", "NaN", "NaN"),
    ("number", "double", "-Infinity", "-Infinity"),
    ("boolean", "", True, True),
    ("boolean", "", "true", True),
    ("boolean", "", "False", False),
    ("boolean", "", "1", True),
    ("string", "", "x", "x"),
    ("string", "date-time", "yesterday", "yesterday"),
    ("string", "byte", "-_8=", "+/8="),
    ("string", "byte", "aGk", "aGk="),
    ("string", "byte", "", ""),
    (
        "string",
        "google-datetime",
        "2026-11-19T10:16:19.123456789Z",
        "2026-11-19T10:16:19.123456789Z",
    ),
    ("string", "google-datetime", "2026-11-19T10:16:19.25+02:00", "2026-11-19T08:16:19.25Z"),
    ("string", "google-datetime", "2026-11-19t10:16:19z", "2026-11-19T10:16:19Z"),
    ("string", "google-duration", "1.5s", "1.5s"),
    ("string", "google-duration", "-3s", "-3s"),
    ("string", "google-fieldmask", "a,b.c", "a,b.c"),
]


@pytest.mark.parametrize(("kind", "form", "sent", "got"), READ, ids=repr)
def test_a_value_is_read_as_the_front_end_does(kind: str, form: str, sent: Json, got: Json) -> None:
    value = scalar_reader(kind, form)(sent)
    assert value == got
    assert type(value) is type(got)


REFUSED: list[tuple[str, str, Json]] = [
    ("integer", "int32", "abc"),
    ("integer", "int32", ""),
    ("integer", "int32", "1_000"),
    ("integer", "int32", " 5"),
    ("integer", "int32", "\u0665"),
    ("integer", "int32", 1.5),
    ("integer", "int32", True),
    ("integer", "int32", 2**31),
    ("integer", "int32", "9" * 5000),
    ("integer", "int32", "1e999"),
    ("integer", "int32", math.inf),
    ("integer", "uint32", -1),
    ("string", "int64", 2**63),
    ("number", "double", "1e999"),
    ("number", "double", "inf"),
    ("number", "double", False),
    ("boolean", "", "maybe"),
    ("boolean", "", 1),
    ("string", "", 5),
    ("string", "", None),
    ("string", "byte", "a"),
    ("string", "byte", "ä"),
    ("string", "byte", "a b="),
    ("string", "google-datetime", "2026-11-19"),
    ("string", "google-datetime", "2026-11-19T10:16:19"),
    ("string", "google-datetime", "2026-13-19T10:16:19Z"),
    ("string", "google-datetime", "2026-13-19T10:16:19+01:00"),
    ("string", "google-duration", "1.5"),
    ("string", "google-duration", "1m"),
]


@pytest.mark.parametrize(("kind", "form", "sent"), REFUSED, ids=lambda value: repr(value)[:30])
def test_what_cannot_be_read_is_refused(kind: str, form: str, sent: Json) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (whatever it says, the caller words it)
        scalar_reader(kind, form)(sent)


@pytest.mark.parametrize(
    ("kind", "form", "value", "said"),
    [
        ("integer", "int32", "abc", "Invalid value at 'a.b' (TYPE_INT32), \"abc\""),
        ("string", "int64", 1.5, "Invalid value at 'a.b' (TYPE_INT64), 1.5"),
        ("boolean", "", "x", "Invalid value at 'a.b' (TYPE_BOOL), \"x\""),
        ("string", "", 5, "Invalid value at 'a.b' (TYPE_STRING), 5"),
        (
            "string",
            "google-datetime",
            "x",
            "Invalid value at 'a.b' (type.googleapis.com/google.protobuf.Timestamp), \"x\"",
        ),
    ],
    ids=str,
)
def test_a_refusal_names_the_proto_type(kind: str, form: str, value: Json, said: str) -> None:
    assert refusal_text("a.b", proto_type(kind, form), value) == said


def test_a_refusal_does_not_repeat_a_huge_value() -> None:
    assert len(refusal_text("a", "TYPE_INT32", "x" * 100_000)) < 300


@given(st.integers(min_value=-(2**63), max_value=2**63 - 1))
def test_a_long_is_the_same_as_number_and_as_text(number: int) -> None:
    read = scalar_reader("string", "int64")
    assert read(number) == read(str(number)) == str(number)


@given(st.from_regex(r"[a-z]{2,}(_[a-z]{2,})*", fullmatch=True))
def test_proto_names_of_whole_words_survive_the_way_to_json_and_back(name: str) -> None:
    assert snake_case(camel_case(name)) == name

import pytest

from mockserver.cassettes.files.values import (
    MisplacedError,
    list_of,
    mapping_of,
    member,
    status_of,
    text_of,
    value_text,
)


@pytest.mark.parametrize(
    ("take", "value", "message", "hint"),
    [
        (text_of, 1, "expected a text, found a number", "put it in quotes"),
        (text_of, [], "expected a text, found an array", ""),
        (mapping_of, b"x", "expected a mapping, found bytes", ""),
        (list_of, {}, "expected a list, found an object", ""),
        (status_of, True, "True is no HTTP status", ""),
        (status_of, 1000, "1000 is no HTTP status", ""),
    ],
)
def test_a_value_of_another_kind_is_a_mistake_with_its_place(
    take: object, value: object, message: str, hint: str
) -> None:
    with pytest.raises(MisplacedError) as error:
        take(value, ("a", 1))  # type: ignore[operator]
    assert (error.value.place, error.value.message) == (("a", 1), message)
    assert error.value.hint == hint


def test_what_is_right_is_returned() -> None:
    assert text_of(b"\xe9", ()) == "é"
    assert list_of(None, ()) == []
    assert member({"a": 1}, "a", ()) == 1
    assert status_of(200, ()) == 200


def test_a_text_is_never_shown() -> None:
    assert value_text("secret") == "a string"

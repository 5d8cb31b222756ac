import base64

import pytest

from mockserver.redaction.known_secrets import field_before, search_forms, stands_whole, strictness


@pytest.mark.parametrize(
    ("value", "strict"),
    [
        ("ab12", "in its field"),
        ("111111111", "in its field"),
        ("token", "in its field"),
        ("secret", "in its field"),
        ("12345678901234567890", "whole"),
        ("Ann Lovelace", "whole"),
        ("a1b2c3d4", "whole"),
        ("a1b2c3d4e", "anywhere"),
        ("ann@corp.test", "anywhere"),
    ],
    ids=str,
)
def test_the_less_a_value_says_the_stricter_it_is_looked_for(value: str, strict: str) -> None:
    assert strictness(value, frozenset({"secret"})) == strict


@pytest.mark.parametrize("before", range(3))
def test_short_values_are_known_in_base64_at_every_alignment(before: int) -> None:
    coded = base64.b64encode(b"\0" * before + b"hunter2aa" + b"\0\0").lower()
    assert any(form in coded for form, names in search_forms("hunter2aa") if names == ("base64",))


def test_other_alphabets_are_known() -> None:
    found = {names: form for form, names in search_forms("Zoë Smith")}
    assert found["in Latin-1",] == b"zo\xeb smith"
    assert found["percent-encoded",] == "Zoë+Smith".encode()[:2].lower() + "ë+smith".encode()
    assert not any(names == ("in Latin-1",) for _, names in search_forms("山田太郎さん"))


@pytest.mark.parametrize(
    ("content", "whole"),
    [(b"x=1234&", True), (b"x=12345", False), (b"a1234", False), (b"1234", True)],
)
def test_a_word_of_its_own_is_no_part_of_another(content: bytes, *, whole: bool) -> None:
    at = content.index(b"1234")
    assert stands_whole(content, at, at + 4) is whole


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b'"pin": "1234"', "pin"),
        (b'{\\"user_pin\\":\\"1234', "userpin"),
        (b"a=b&pin=1234", "pin"),
        (b"Set-Cookie:\n  - 1234", "setcookie"),
        (b"in 1234", ""),
    ],
    ids=["json", "escaped", "form", "yaml", "text"],
)
def test_the_name_before_a_value_is_known(content: bytes, field: str) -> None:
    assert field_before(content, content.index(b"1234")) == field

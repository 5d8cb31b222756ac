import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction import known_secrets
from mockserver.redaction.encodings import Layer
from mockserver.redaction.known_secrets import (
    KnownSecret,
    KnownSecrets,
    field_before,
    is_whole_word,
    search_forms,
    strictness,
)

FIELDS = {"secret": ("pin", "*code"), "name": ("fullname",)}


def known(*secrets: KnownSecret, fields: dict[str, tuple[str, ...]] = FIELDS) -> KnownSecrets:
    made = KnownSecrets(fields)
    made.learn(secrets)
    return made


def found(content: bytes, *secrets: KnownSecret) -> list[tuple[int, str]]:
    return [(each.start, each.kind) for each in known(*secrets).find(Layer(content))]


@pytest.mark.parametrize(
    ("content", "there"),
    [
        (b'{"pin": "1234"}', True),
        (b"entry_code=1234", True),
        (b'{"count": 1234}', False),
        (b'{"pin": "12345"}', False),
        (b"at 12:34, 1234 were there", False),
    ],
    ids=["field", "glob", "count", "longer", "text"],
)
def test_a_short_secret_counts_only_in_a_field_of_its_kind(content: bytes, *, there: bool) -> None:
    assert bool(found(content, KnownSecret("secret", "1234"))) is there


def test_a_secret_that_is_an_ordinary_word_makes_no_noise() -> None:
    assert found(b'{"fullName": "x"} the fullname', KnownSecret("secret", "fullname")) == []
    assert found(b"ZnVsbG5hbWU=", KnownSecret("secret", "fullname")) == []


def test_a_name_counts_as_a_word_of_its_own() -> None:
    assert found(b"Lovelace and lovelacely", KnownSecret("name", "Lovelace")) == [(0, "name")]


def test_case_does_not_matter() -> None:
    assert found(b"see ANN@corp.TEST", KnownSecret("email", "ann@Corp.test")) == [(4, "email")]


def test_a_secret_that_looks_escaped_is_found_when_it_was_undone() -> None:
    assert found(b"p=a@b&c-12345", KnownSecret("secret", "a%40b&amp;c-12345"))


def test_nothing_is_found_of_nothing() -> None:
    search = known(KnownSecret("secret", "  "))
    assert (len(search), list(search.find(Layer(b"  ")))) == (0, [])


def test_of_two_kinds_the_one_that_is_looked_for_more_widely_counts() -> None:
    search = known(KnownSecret("name", "12345678"), KnownSecret("secret", "12345678"))
    assert list(search.find(Layer(b"(12345678)")))


def test_secrets_learned_one_by_one_are_all_found_in_few_passes() -> None:
    searches = KnownSecrets(FIELDS)
    for number in range(200):
        searches.learn([KnownSecret("email", f"person{number}@corp.test")])
        searches.learn([KnownSecret("email", f"person{number}@corp.test")])
    assert len(searches) == 200
    content = b"person0@corp.test person199@corp.test"
    assert sorted(each.start for each in searches.find(Layer(content))) == [0, 18]


@pytest.mark.parametrize("step", [1, 7, 20, 1 << 18])
def test_secrets_at_the_border_of_two_steps_are_found_once(
    monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(known_secrets, "_STEP", step)
    search = known(KnownSecret("token", "plum-Quartz#77"), fields={})
    content = b"a plum-Quartz#77, PLUM-QUARTZ#77" + b" " * 30 + b"plum-Quartz#77"
    assert [finding.start for finding in search.find(Layer(content))] == [2, 18, 62]


@pytest.mark.parametrize("size", [8, 9, 15, 16, 17, 23, 24, 25])
def test_a_secret_is_found_at_every_place(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(known_secrets, "_STEP", 32)
    secret = "plum-Quartz#77-Walnut*Vx"[:size].ljust(size, "9")
    search = known(KnownSecret("token", secret), fields={})
    for place in range(70):
        for behind in (0, 1, 9):
            content = b" " * place + secret.encode() + b" " * behind
            assert [each.start for each in search.find(Layer(content))] == [place]


def test_what_was_learned_before_is_found_with_what_was_learned_since() -> None:
    fields = {"pin": ("pin",)}
    searches = KnownSecrets(fields)
    for number in range(20):
        searches.learn(
            [
                KnownSecret("token", f"walnut-{number:02d}-{'x' * number}"),
                KnownSecret("pin", "4711"),
            ]
        )
    searches.learn([KnownSecret("token", "4711")])
    for number in range(20):
        content = f"walnut-{number:02d}-{'x' * number}".encode()
        assert content in [finding.text for finding in searches.find(Layer(content))]
    assert [each.kind for each in searches.find(Layer(b"pin: 4711"))][:1] == ["pin"]


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
    assert is_whole_word(content, at, at + 4) is whole


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


SECRETS = st.lists(
    st.text(alphabet="ab0-@", min_size=9, max_size=40).filter(
        lambda text: strictness(text, frozenset()) == "anywhere"
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(SECRETS, st.lists(st.text(alphabet="ab0- ", max_size=20), min_size=7, max_size=7))
def test_every_secret_is_found_that_stands_in_a_content(
    values: list[str], between: list[str]
) -> None:
    content = "".join(f"{text}{value}" for text, value in zip(between, values, strict=False))
    search = known(*(KnownSecret("token", value) for value in values))
    findings = {(each.start, each.value) for each in search.find(Layer(content.encode()))}
    ends = {start + len(value) for start, value in findings}
    at = 0
    for text, value in zip(between, values, strict=False):
        at += len(text)
        assert at + len(value) in ends
        at += len(value)


def test_secrets_learned_between_two_looks_are_found_with_many_others() -> None:
    search = KnownSecrets({})
    search.learn(KnownSecret("token", f"walnut-Quartz#{number:05d}") for number in range(5000))
    for number in (4999, 5000, 5001, 0, 5002):
        search.learn([KnownSecret("token", f"walnut-Quartz#{number:05d}")])
        content = f"a walnut-Quartz#{number:05d} b".encode()
        assert [each.start for each in search.find(Layer(content))] == [2]

import base64

import pytest

from mockserver.redaction import known_secrets
from mockserver.redaction.encodings import Layer
from mockserver.redaction.known_secrets import (
    Finding,
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


X = b"x" * 15
WIDE = b"a\0n\0n\0 \0l\0e\0e\0'\0s"


@pytest.mark.parametrize(
    ("value", "forms"),
    [
        ("PW", {b"pw": (), b"p\0w": ("in UTF-16",)}),
        ("xxxxx", {X[:5]: (), b"x\0x\0x\0x\0x": ("in UTF-16",)}),
        ("xxxxxx", {X[:6]: (), b"x\0x\0x\0x\0x\0x": ("in UTF-16",),
                    b"78" * 6: ("hexadecimal",), b"ehh4ehh4": ("base64",)}),
        ("x" * 15, {X: (), (b"x\0" * 15)[:-1]: ("in UTF-16",), b"78" * 15: ("hexadecimal",),
                    b"4ehh4ehh4ehh4ehh4eh": ("base64",), b"ehh4ehh4ehh4ehh4ehh4": ("base64",),
                    b"h4ehh4ehh4ehh4ehh4e": ("base64",)}),
        ("x" * 16, {b"x" * 16: (), (b"x\0" * 16)[:-1]: ("in UTF-16",)}),
        ("Ann Lee's", {b"ann lee's": (), b"ann lee''s": (), WIDE: ("in UTF-16",),
                       b"ann+lee's": ("percent-encoded",), b"416e6e204c65652773": ("hexadecimal",),
                       b"bbm4gtgvlj3": ("base64",), b"fubibmzwunc": ("base64",),
                       b"qw5uiexlzsdz": ("base64",)}),
        ("Zoë", {b"zo\xc3\xab": (), b"z\0o\0\xc3\0\xab": ("in UTF-16",),
                 b"zo\xeb": ("in Latin-1",)}),
        ("山", {b"\xe5\xb1\xb1": (), b"\xe5\0\xb1\0\xb1": ("in UTF-16",)}),
    ],
)  # fmt: skip
def test_a_value_is_looked_for_in_these_forms(
    value: str, forms: dict[bytes, tuple[str, ...]]
) -> None:
    assert dict(search_forms(value)) == forms


@pytest.mark.parametrize("before", range(3))
@pytest.mark.parametrize("value", ["hunter2aa", "Zoë??>", "abcdef"])
def test_short_values_are_known_in_base64_at_every_alignment(value: str, before: int) -> None:
    forms = [form for form, names in search_forms(value) if names == ("base64",)]
    for encode in base64.b64encode, base64.urlsafe_b64encode:
        coded = encode(b"\xff" * before + value.encode() + b"\xff\xff").lower()
        apart = encode(b"\0" * before + value.encode() + b"\0\0").lower()
        there = [form for form in forms if form in coded]
        assert there == [form for form in forms if form in apart]
        assert there or len(value) == 6


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b"pin: ", "pin"), (b"pin = '", "pin"), (b'{"user_pin": "', "userpin"),
        (b"a.$pin=", "apin"),
        (b'\\"pin\\": \\"', "pin"), (b"pin:\n  - ", "pin"), (b'etag: W/"', "etag"), (b"pin", ""),
        (b"a pin: see ", ""), (b"4: ", ""), (b": ", ""), (b"pin" + b":" + b" " * 92, "pin"),
        (b"pin" + b":" + b" " * 93, "in"), (b"a" * 200 + b"=", "a" * 95),
    ],
)  # fmt: skip
def test_the_field_of_a_value_is_named_before_it(content: bytes, field: str) -> None:
    assert field_before(content + b"1234", len(content)) == field


@pytest.mark.parametrize(
    ("content", "whole"),
    [(b"1234", True), (b" 1234", True), (b"-1234.", True), (b"a1234", False), (b"12345", False),
     (b"_1234_", True)],
)  # fmt: skip
def test_a_whole_word_is_part_of_no_longer_one(content: bytes, *, whole: bool) -> None:
    start = content.index(b"1234")
    assert is_whole_word(content, start, start + 4) is whole


LONG = "Plum-" + "0123456789" * 500


@pytest.mark.parametrize(
    ("content", "secret", "expected"),
    [
        ("to ANN@corp.test!", ("email", " ann@corp.test "), [(3, "ANN@corp.test", ())]),
        ("61626331322d64 abc12-D", ("key", "abc12-D"), [(15, "abc12-D", ())]),
        ("x6162632d31322d44", ("key", "abc-12-D"), [(1, "6162632d31322d44", ("hexadecimal",))]),
        ("a Fine+fine+Key", ("key", "Fine fine Key"),
         [(2, "Fine+fine+Key", ("percent-encoded",))]),
        ("of Berlin", ("city", "Berlin"), []),
        ("town: Berlin", ("city", "Berlin"), [(6, "Berlin", ())]),
        ("of New Berlin", ("city", "New Berlin"), [(3, "New Berlin", ())]),
        (f"say {LONG[:4500]}.", ("key", LONG[:4500]), [(4, LONG[:4500], ())]),
        (f"say {LONG[:4096]}", ("key", LONG[:4096]), [(4, LONG[:4096], ())]),
        (f"say {LONG[:4096]} or", ("key", LONG), [(4, f"{LONG[:4096]} or", ())]),
    ],
)  # fmt: skip
def test_what_is_found_is_told_whole(
    content: str, secret: tuple[str, str], expected: list[tuple[int, str, tuple[str, ...]]]
) -> None:
    search = known(KnownSecret(*secret), fields={"city": ("town",)})
    assert list(search.find(Layer(content.encode()))) == [
        Finding(start, text.encode(), secret[0], form, secret[1].strip())
        for start, text, form in expected
    ]

"""What stands for nobody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction import reserved_values
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.reserved_values import (
    find_pseudonym_spans,
    find_pseudonyms,
    generalise_pseudonyms,
    is_pseudonym,
    is_wildcard,
    looks_opaque,
)

KINDS = {
    "email": "ada@corp.io", "domain": "corp.io", "customer": "C03xq7b2k", "project": "my-proj",
    "org_unit": "03ph8a2zx3qh4wr", "account": "124062053255204345285", "ipv4": "10.1.2.3",
    "ipv6": "2a00:1450::1", "mac": "aa:bb:cc:dd:ee:ff", "phone": "+49 170 1234567",
    "uuid": "550e8400-e29b-41d4-a716-446655440000", "hash": "d41d8cd98f00b204e9800998ecf8427e",
    "street": "1 Canary Street", "city": "Canaryville", "person_name": "Ada",
    "card": "4111111111111111", "iban": "DE89370400440532013000",
    "access_token": "ya29.a0Af", "refresh_token": "1//0abc", "client_secret": "GOCSPX-a",
    "api_key": "AIza" + "a" * 35, "vendor_token": "ghp_" + "a" * 36,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_pseudonym_is_known_by_its_kind(source: Pseudonyms, kind: str) -> None:
    made = source.of(kind, KINDS[kind])
    assert is_pseudonym(made)
    assert generalise_pseudonyms(f"/x/{made}?y", credentials_only=False) == f"/x/<{kind}>?y"
    assert find_pseudonyms(f"a {made}, b") == (made,)


def test_exact_keys_lose_their_credentials_alone(source: Pseudonyms) -> None:
    token, person = source.of("access_token", "ya29.a"), source.of("email", "ada@corp.io")
    text = generalise_pseudonyms(f"{token} {person}", credentials_only=True)
    assert text == f"<access_token> {person}"


def test_opaque_ones_are_secrets_or_ids(source: Pseudonyms) -> None:
    one, other = source.of("password", "x1"), source.of("device", "x1")
    assert generalise_pseudonyms(f"{one} {other}", credentials_only=False) == "<secret> <id>"
    assert generalise_pseudonyms(f"{one} {other}", credentials_only=True) == f"<secret> {other}"


def test_percent_coding_before_it_hides_no_pseudonym(source: Pseudonyms) -> None:
    person = source.of("email", "ada@corp.io")
    assert (
        generalise_pseudonyms(f"q=email%3A{person}", credentials_only=False) == "q=email%3A<email>"
    )


def test_a_text_without_pseudonyms_is_the_same_object() -> None:
    text = "/admin/directory/v1/users"
    assert generalise_pseudonyms(text, credentials_only=False) is text


@pytest.mark.parametrize(
    "value", ["", "-", "my_customer", "ALL_USERS", "{id}", "***", "[REDACTED]"]
)
def test_wildcards_enums_and_placeholders_stand_for_all(value: str) -> None:
    assert is_wildcard(value)


@pytest.mark.parametrize(
    ("value", "opaque"),
    [("open", False), ("OPEN", False), ("Open", False), ("a81f", True), ("12345", False),
     ("123456", True), ("aBcDeF", True), ("abcdefghijklmnop", True), ("My Device", False)],
)  # fmt: skip
def test_what_a_machine_made_looks_like_it(value: str, *, opaque: bool) -> None:
    assert looks_opaque(value) is opaque


@given(
    st.sampled_from(sorted(form for _, form in reserved_values._FORMS)).flatmap(
        lambda form: st.from_regex(form, fullmatch=True)
    )
)
def test_each_form_has_a_sign_that_is_looked_for_first(text: str) -> None:
    found = tuple(each[0] for each in reserved_values._PSEUDONYM.finditer(text))
    assert find_pseudonyms(text) == found


@given(
    st.lists(
        st.one_of(
            st.sampled_from(sorted(form for _, form in reserved_values._FORMS)).flatmap(
                lambda form: st.from_regex(form, fullmatch=True)
            ),
            st.sampled_from(
                (" ", "=", "%3D", "a" * 300 + " ", "0000", "xample", "\n", '"', "2001")
            ),
        )
    )
)
def test_pseudonyms_are_found_where_one_look_at_everything_finds_them(parts: list[str]) -> None:
    content = "".join(parts).encode()
    everywhere = [found.span() for found in reserved_values._PSEUDONYM_BYTES.finditer(content)]
    assert find_pseudonym_spans(content) == everywhere

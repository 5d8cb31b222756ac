"""Pseudonyms by kind."""

import ipaddress
import re
from ast import literal_eval
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction import pseudonyms
from mockserver.redaction.pseudonyms import (
    MAKERS,
    KeyedNoise,
    Pseudonyms,
    birth,
    card,
    city,
    derive_key,
    digits,
    domain,
    email,
    iban,
    ipv4,
    ipv6,
    is_national,
    is_reserved,
    key_id,
    luhn,
    mac,
    opaque,
    person_name,
    phone,
    postal_code,
    street,
    valid_iban,
)

GOLDEN = Path(__file__).with_name("pseudonyms.golden.txt")
VALUES = [
    "ada@corp.io", "C03xq7b2k", "id:03ph8a2zx3qh4wr", "124062053255204345285", "my-project",
    "123456789012", "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e",
    "10.1.2.3", "PF2X9K1", "AIzaSyA1234567890abcdefghijklmnopqrstuvw", "ya29.a0AfH6SM", "x",
    "Ada Lindqvist", "+49 170 1234567",
]  # fmt: skip


@pytest.mark.parametrize("kind", [*MAKERS, "device", "session"])
def test_a_pseudonym_is_final_and_the_same_for_the_same_key(kind: str) -> None:
    for value in VALUES:
        source = Pseudonyms(b"k")
        made = source.of(kind, value)
        assert source.of(kind, made) == made, value
        assert Pseudonyms(b"k").of(kind, value) == made, value


def _golden() -> list[tuple[str, str, str]]:
    lines = (line.split("\t") for line in GOLDEN.read_text(encoding="utf-8").splitlines())
    return [(kind, literal_eval(value), literal_eval(made)) for kind, value, made in lines]


@pytest.mark.parametrize(("kind", "value", "made"), _golden())
def test_a_key_makes_the_same_pseudonyms_in_every_release(
    source: Pseudonyms, kind: str, value: str, made: str
) -> None:
    """Kind, value and pseudonym stand in the file beside this one."""
    assert source.of(kind, value) == made
    assert source.of(kind, made) == made


@pytest.mark.parametrize("kind", ["device", "profile", "customer", "org_unit"])
@pytest.mark.parametrize("value", ["C03xq7b2k", "03ph8a2zx3qh4wr", "ada@corp.io"])
def test_an_id_is_the_same_in_whichever_field(source: Pseudonyms, kind: str, value: str) -> None:
    own = {"C": "customer", "0": "org_unit", "a": "email"}[value[0]]
    assert source.shaped_id(kind, value) == source.of(own, value)


@pytest.mark.parametrize(
    "text", ["198.18.4.4", "203.0.113.9", "ada@example.com", "sub.example.com", "my_customer",
             "00:00:00:00:00:00", "::1", "user-0123abcd@d01234567.example.com"],
)  # fmt: skip
def test_what_stands_for_nobody_is_known(text: str) -> None:
    assert is_reserved(text)


@pytest.mark.parametrize("text", ["10.0.0.1", "ada@corp.io", "corp.io", "C03xq7b2k"])
def test_what_stands_for_somebody_is_known(text: str) -> None:
    assert not is_reserved(text)


def test_an_address_stays_in_the_domain_of_its_neighbours(source: Pseudonyms) -> None:
    one, other = email(source, "ada@corp.io"), email(source, "Bob@Corp.io")
    assert one.partition("@")[2] == other.partition("@")[2] == domain(source, "corp.io")
    assert one != other


def test_case_does_not_make_another_person(source: Pseudonyms) -> None:
    assert email(source, "Ada@Corp.io") == email(source, "ada@corp.io")


def test_a_subdomain_stays_below_its_domain(source: Pseudonyms) -> None:
    assert domain(source, "emea.corp.io").endswith("." + domain(source, "corp.io"))
    assert domain(source, "x.corp.co.uk").endswith("." + domain(source, "corp.co.uk"))


def test_mail_that_anybody_may_have_tells_of_no_domain(source: Pseudonyms) -> None:
    assert email(source, "ada@gmail.com").endswith("@example.com")


@pytest.mark.parametrize("kept", ["ada@example.com", "a@b.example.org", "x@y.test"])
def test_example_addresses_stay(source: Pseudonyms, kept: str) -> None:
    assert email(source, kept) == kept


@pytest.mark.parametrize(
    "robot",
    [
        "runner@my-proj.iam.gserviceaccount.com",
        "123456789-compute@developer.gserviceaccount.com",
        "service-123456789@gcp-sa-x.iam.gserviceaccount.com",
    ],
    ids=["own", "compute", "agent"],
)
def test_a_service_account_stays_one(source: Pseudonyms, robot: str) -> None:
    made = email(source, robot)
    assert made != robot
    assert made.endswith("gserviceaccount.com")
    assert "my-proj" not in made
    assert "123456789" not in made
    assert email(source, made) == made


def test_a_service_account_joins_its_project(source: Pseudonyms) -> None:
    made = email(source, "runner@my-proj.iam.gserviceaccount.com")
    assert source.of("project", "my-proj") in made


@given(st.ip_addresses(v=4).map(str))
def test_ipv4_pseudonyms_are_reserved_and_final(source: Pseudonyms, address: str) -> None:
    made = ipv4(source, address)
    assert ipv4(source, made) == made
    assert made == address or ipaddress.ip_address(made) in ipaddress.ip_network("198.18.0.0/15")


@given(st.ip_addresses(v=6).map(str))
def test_ipv6_pseudonyms_are_reserved_and_final(source: Pseudonyms, address: str) -> None:
    made = ipv6(source, address)
    assert ipv6(source, made) == made
    assert made == address or ipaddress.ip_address(made) in ipaddress.ip_network("2001:db8::/32")


@pytest.mark.parametrize(
    "address", ["aa:bb:cc:dd:ee:0f", "AA-BB-CC-DD-EE-0F", "aabb.ccdd.ee0f", "aabbccddee0f"]
)
def test_a_mac_address_keeps_its_notation(source: Pseudonyms, address: str) -> None:
    made = mac(source, address)
    assert [sign for sign in made if not sign.isalnum()] == [
        sign for sign in address if not sign.isalnum()
    ]
    assert made.isupper() == address.isupper()
    assert mac(source, made) == made != address


@given(st.from_regex(r"[1-9][0-9]{5,24}", fullmatch=True))
def test_a_number_keeps_its_length(source: Pseudonyms, number: str) -> None:
    made = digits(source, number)
    assert len(made) == len(number)
    assert digits(source, made) == made


def test_what_is_no_number_is_not_one_of_ours(source: Pseudonyms) -> None:
    assert digits(source, "12a") == "12a"


@pytest.mark.parametrize(
    ("given_", "form"),
    [
        ("(212) 867-5309", r"\(\d{3}\) 555-01\d\d"),
        ("212-867-5309", r"\d{3}-555-01\d\d"),
        ("+1 212 867 5309", r"\+1-\d{3}-555-01\d\d"),
        ("+49 170 1234567", r"\+1-\d{3}-555-01\d\d"),
    ],
    ids=["brackets", "dashes", "e164", "abroad"],
)
def test_a_phone_number_is_one_of_fiction(source: Pseudonyms, given_: str, form: str) -> None:
    made = phone(source, given_)
    assert re.fullmatch(form, made)
    assert phone(source, made) == made


def test_writing_does_not_make_another_phone(source: Pseudonyms) -> None:
    assert phone(source, "+49 170 1234567") == phone(source, "+49-170-1234567")


@pytest.mark.parametrize(
    "number", ["4111 1111 1111 1111", "378282246310005", "5555-5555-5555-4444"]
)
def test_a_card_keeps_form_and_check(source: Pseudonyms, number: str) -> None:
    made = card(source, number)
    assert luhn(re.sub(r"\D", "", made))
    assert len(made) == len(number)
    assert card(source, made) == made != number


@pytest.mark.parametrize("number", ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"])
def test_an_iban_keeps_country_form_and_check(source: Pseudonyms, number: str) -> None:
    made = iban(source, number)
    assert made[:2] == number[:2]
    assert valid_iban(made)
    assert [place for place, sign in enumerate(made) if sign == " "] == [
        place for place, sign in enumerate(number) if sign == " "
    ]
    assert iban(source, made) == made != number


def test_a_full_name_is_made_of_its_parts(source: Pseudonyms) -> None:
    whole = person_name(source, "Ada Lindqvist")
    assert whole == f"{person_name(source, 'Ada')} {person_name(source, 'Lindqvist')}"


def test_signs_between_names_stay(source: Pseudonyms) -> None:
    made = person_name(source, "Lindqvist, Ada-Maria (Dr.)")
    assert "".join(sign for sign in made if not sign.isalnum()) == ", - (.)"
    assert "Maria" not in made


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (person_name, "Ada Lindqvist"),
        (person_name, "明日香"),
        (street, "12 Canary Street"),
        (city, "Canaryville"),
        (postal_code, "12345"),
        (postal_code, "AB1 2CD"),
        (birth, "1990-02-03"),
        (birth, "1990-02-03T00:00:00Z"),
        (birth, "3 Feb"),
    ],
)
def test_a_pseudonym_is_another_value_and_final(
    source: Pseudonyms, make: object, value: str
) -> None:
    assert callable(make)
    made = make(source, value)
    assert made != value
    assert make(source, made) == made


def test_equal_values_are_equal_whatever_field_they_are_in(source: Pseudonyms) -> None:
    assert opaque(source, "device", "a1b2") == opaque(source, "serial", "a1b2")
    assert opaque(source, "device", "a1b2")[-16:] == opaque(source, "password", "a1b2")[-16:]


@given(st.text(), st.integers(1, 10**40))
def test_noise_repeats_and_stays_below_its_limit(value: str, limit: int) -> None:
    one, other = (Pseudonyms(b"k").noise("kind", value) for _ in range(2))
    drawn = [one.below(limit) for _ in range(20)]
    assert drawn == [other.below(limit) for _ in range(20)]
    assert all(0 <= number < limit for number in drawn)


@given(st.text(), st.sampled_from(["email", "opaque", "domain"]))
def test_noise_is_that_of_the_keyed_hash_of_kind_and_value(value: str, kind: str) -> None:
    content = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
    keyed = KeyedNoise(blake2b(content, key=derive_key(b"k"), digest_size=48).digest())
    source = Pseudonyms(b"k")
    source.noise("another", value)
    assert source.noise(kind, value).hex(16) == f"{keyed.below(16**16):016x}"


@pytest.mark.parametrize("host", ["corp.io", "Corp.io", "mail.a.co.uk", "gmail.com", "example.com"])
def test_an_address_is_the_same_whichever_came_before(host: str) -> None:
    source = Pseudonyms(b"k")
    made = [source.of("email", f"{name}@{host}") for name in ("ada", "bob", "ada")]
    assert made == [
        Pseudonyms(b"k").of("email", f"{name}@{host}") for name in ("ada", "bob", "ada")
    ]


def test_domains_of_addresses_are_remembered_up_to_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pseudonyms, "_MOST_DOMAINS", 2)
    source = Pseudonyms(b"k")
    for number in range(5):
        source.of("email", f"ada@corp{number}.io")
    assert list(source.domains) == ["corp4.io"]


def test_kind_and_key_make_other_noise() -> None:
    made = {Pseudonyms(b"k").noise("a", "v").hex(16), Pseudonyms(b"k").noise("b", "v").hex(16)}
    made.add(Pseudonyms(b"other").noise("a", "v").hex(16))
    assert len(made) == 3


def test_a_key_of_any_length_is_told_by_eight_digits() -> None:
    assert [key_id(key) for key in (b"", b"a", b"x" * 999)] == ["79714df8", "d2e0f50a", "ecb7e1c5"]


def test_of_two_kinds_the_one_that_tells_more_counts() -> None:
    kinds = ["person_name", "username", "id", "device", "project", "password", "page_token"]
    assert sorted(sorted(kinds), key=pseudonyms.rank) == kinds
    assert pseudonyms.rank("whatever")[0] == pseudonyms.rank("id")[0]
    assert pseudonyms.rank("cookie")[0] == pseudonyms.rank("password")[0]


@pytest.mark.parametrize(
    "number",
    [
        "123-45-6789",
        "001-45-6789",
        "12345678Z",
        "00000023T",
        "111.444.777-35",
        "529.982.247-25",
        "756.1234.5678.04",
        "1 85 05 78 006 084 91",
        "2 99 12 33 123 456 01",
        "RSSMRA85T10A562S",
        "QQ123456C",
        "QQ 12 34 56 C",
        "11010519491231002X",
        "340524199001010014",
        "131052-308T",
        "010101A123N",
        "850101-1234567",
        "ABCDE1234F",
    ],
)
def test_a_number_of_a_state_has_its_form_and_its_check(number: str) -> None:
    assert is_national(number)


@pytest.mark.parametrize(
    "number",
    [
        "000-45-6789",
        "666-45-6789",
        "123-45-678",
        "111.111.111-11",
        "111.444.777-36",
        "111.444.777-45",
        "850101-5234567",
        "ABCDE1234",
        "12345678A",
        "00000023A",
        "111.444.777-30",
        "529.982.247-20",
        "756.1234.5678.00",
        "1 85 05 78 006 084 90",
        "2 99 12 33 123 456 00",
        "110105194912310020",
        "340524199001010010",
        "131052-3080",
        "010101A1230",
    ],
)
def test_a_number_of_another_form_or_check_is_of_no_state(number: str) -> None:
    assert not is_national(number)

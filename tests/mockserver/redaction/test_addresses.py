"""Pseudonyms of e-mail addresses, domains, IP and MAC addresses."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction.pseudonyms import Pseudonyms, domain, email, ipv4, ipv6, mac, user_info


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


def test_what_is_no_address_is_opaque(source: Pseudonyms) -> None:
    assert email(source, "ada").startswith("redacted-")
    assert email(source, "user-0123abcd") == "user-0123abcd"
    assert domain(source, "intranet") == "intranet"


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


@pytest.mark.parametrize("kept", ["127.0.0.1", "192.0.2.9", "169.254.169.254", "not one"])
def test_addresses_of_nobody_stay(source: Pseudonyms, kept: str) -> None:
    assert ipv4(source, kept) == kept


@pytest.mark.parametrize("kept", ["::1", "2001:db8::7", "ff02::1", "not one"])
def test_ipv6_addresses_of_nobody_stay(source: Pseudonyms, kept: str) -> None:
    assert ipv6(source, kept) == kept


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


def test_other_macs(source: Pseudonyms) -> None:
    assert mac(source, "00:00:00:00:00:00") == "00:00:00:00:00:00"
    assert mac(source, "short").startswith("redacted-")


def test_user_and_password_are_apart(source: Pseudonyms) -> None:
    user, _, password = user_info(source, "ada:hunter2").partition(":")
    assert user.startswith("redacted-")
    assert password.startswith("redacted-")
    assert user_info(source, "ada") == user
    assert user_info(source, ":x").startswith(":redacted-")

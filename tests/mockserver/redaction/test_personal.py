"""What tells of people, devices and customers."""

import pytest

from mockserver.redaction import Redactor

TEXTS = {
    "email": "ada.l+x@corp.io", "umlaut": "jörg@müller.de", "ipv4": "10.2.3.4",
    "ipv6": "2a00:1450:4001::200e", "mac": "3c:22:fb:aa:bb:cc", "phone": "+49 170 1234567",
    "us phone": "(212) 867-5309", "street": "12 Canary Street", "customer": "C03xq7b2k",
    "org unit": "03ph8a2zx3qh4wr", "account": "104062053255204345285",
    "uuid": "550e8400-e29b-41d4-a716-446655440000",
    "card": "4111 1111 1111 1111", "iban": "DE89 3704 0044 0532 0130 00", "ssn": "123-45-6789",
    "project": "projects/my-proj",
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_found_in_a_text(redactor: Redactor, name: str) -> None:
    """CEP-65."""
    made = redactor.redact_text(f"see {TEXTS[name]}, there")
    assert TEXTS[name] not in made
    assert made.startswith("see ")
    assert made.endswith(", there")
    assert redactor.redact_text(made) == made


@pytest.mark.parametrize(
    "field",
    ["fullName", "givenName", "phone", "serialNumber", "deviceId", "customerId", "projectId",
     "profileId", "streetAddress", "postalCode", "macAddress", "iban", "accountNumber", "ssn",
     "machineName", "domainName", "birthDate", "organizationId"],
)  # fmt: skip
def test_found_by_field(redactor: Redactor, field: str) -> None:
    """CEP-65."""
    made = redactor.redact_json({field: "ab-12.xy"})
    assert "ab-12" not in str(made)


@pytest.mark.parametrize(
    "text",
    ["2026-11-20T09:00:00.000Z", "2026-11-20T09:00:00+01:00", "1551686400000", "120.0.6099",
     "10:30:45", "/Engineering/Platform", "admin#directory#user", "chrome.users.PasswordManager",
     "STANDARD_PROTECTION", "4111111111111112", "C0", "std::vector", "user@host", "1.2.3", "a@b"],
)  # fmt: skip
def test_what_tells_of_nobody_stays(redactor: Redactor, text: str) -> None:
    """CEP-66."""
    assert redactor.redact_text(text) == text


def test_entity_tags_of_two_parts_tell_whose_they_are(redactor: Redactor) -> None:
    made = redactor.redact_json({"etag": '"kZ9abcXy12/Qw3rtY"', "other": "kZ9abcXy12/Qw3rtY"})
    assert "kZ9abcXy12" not in str(made["etag"] if isinstance(made, dict) else "")
    assert redactor.redact_json({"etag": '"ab-12.xy"'}) == {"etag": '"ab-12.xy"'}

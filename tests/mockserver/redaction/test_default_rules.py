"""What opens something is found wherever it stands."""

import json
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode

import pytest

from mockserver.apis import APIS
from mockserver.redaction import CREDENTIAL_FIELDS, Redactor, RuleSet
from mockserver.redaction.reserved_values import CREDENTIAL_KINDS
from mockserver.redaction.rule import normalised_name

PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0=\n-----END PRIVATE KEY-----\n"
SHAPES = {
    "google": "ya29.a0AfH6SMBx-y_z", "refresh": "1//0gAbCdEfGh-x",
    "key": "AIza" + "aB1" * 11 + "xy",
    "secret": "GOCSPX-abcdEFGH1234", "github": "ghp_" + "a1B2" * 9, "gitlab": "glpat-" + "a1" * 10,
    "slack": "xoxb-1234567890-abcdef", "openai": "sk-" + "a1B2" * 8, "aws": "AKIA" + "AB12" * 4,
    "stripe": "sk_live_" + "a1" * 8, "sendgrid": "SG." + "a1" * 9 + "." + "b2" * 9, "pem": PEM,
    "code": "4/0AbCd" + "e1" * 10, "cut": PEM[:60],
}  # fmt: skip


def test_a_rule_finds_credentials_exactly_where_its_kind_is_one() -> None:
    rules = [*RuleSet.default().rules, *(rule for api in APIS for rule in api.redaction())]
    told = {rule.name for rule in rules if rule.credential}
    assert told == {rule.name for rule in rules if rule.kind in CREDENTIAL_KINDS}


@pytest.mark.parametrize("name", SHAPES)
def test_a_credential_is_told_by_its_shape(redactor: Redactor, name: str) -> None:
    made = redactor.redact_text(f"see {SHAPES[name]} there")
    assert SHAPES[name] not in made
    assert SHAPES[name][5:] not in made
    assert redactor.redact_text(made) == made


@pytest.mark.parametrize("field", sorted(CREDENTIAL_FIELDS))
def test_a_credential_is_told_by_its_field(redactor: Redactor, field: str) -> None:
    assert normalised_name(field) == field
    made = redactor.redact_json({field: "plainly"})
    assert "plainly" not in str(made)


@pytest.mark.parametrize("field", ["pageToken", "nextPageToken", "nextSyncToken"])
def test_a_page_token_is_the_same_in_answer_and_question(redactor: Redactor, field: str) -> None:
    made = redactor.redact_json({field: "abc"})
    assert isinstance(made, dict)
    assert redactor.redact_target("/x?pageToken=abc") == f"/x?pageToken={made[field]}"
    assert made[field].startswith("redacted-id-")


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS={}", "export MYSQL_PWD='{}'", "set ADMIN_PASSWORD={}", "h:1433;password={};a=b",
        "Uid=app;Pwd={};", "deploy --token={} -v", "see https://h.corp-nine.io/x?a=1&password={}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("word", ["horsebattery", "Sommerregen", "hunter"])
def test_a_password_that_is_a_word_is_found_where_a_program_is_set_up(
    redactor: Redactor, text: str, word: str
) -> None:
    made = redactor.redact_text(text.format(word))
    assert word not in made
    assert redactor.redact_text(made) == made


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS=required", "GITHUB_TOKEN=$TOKEN", "--password=stdin", "TOKEN=null",
        "MAX_TOKENS=many", "--token=TOKEN", "the password: required", "PASSED=everything",
        "BYPASS=everything",
    ],
)  # fmt: skip
def test_what_tells_how_a_password_is_given_stays(redactor: Redactor, text: str) -> None:
    assert redactor.redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "const SECRET_KEY = 'Gannet-58-Fjord';", "CREATE USER ann IDENTIFIED BY 'Gannet-58-Fjord';",
        "define('DB_PASSWORD', 'Gannet-58-Fjord');",
    ],
)  # fmt: skip
def test_a_password_is_found_in_programs(redactor: Redactor, text: str) -> None:
    made = redactor.redact_text(text)
    assert "Gannet" not in made
    assert redactor.redact_text(made) == made


@pytest.mark.parametrize(
    "field",
    ["password_confirmation", "passwordHash", "privateKeyBase64", "client-key-data", "doorCode"]
)  # fmt: skip
def test_a_credential_is_told_by_the_names_of_its_kin(redactor: Redactor, field: str) -> None:
    assert "plainly" not in str(redactor.redact_json({field: "plainly"}))


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


@pytest.mark.parametrize("scheme", ["Bearer", "token", "AWS4-HMAC-SHA256", "SAPISIDHASH"])
def test_the_scheme_stays(redactor: Redactor, scheme: str) -> None:
    made = redactor.redact_header("Authorization", f"{scheme} abc123")
    assert made.startswith(f"{scheme} redacted-secret-")
    assert redactor.redact_header("Authorization", made) == made


def test_basic_is_opened(redactor: Redactor) -> None:
    value = "Basic " + b64encode(b"ada:hunter2").decode()
    made = redactor.redact_header("Authorization", value)
    user, _, password = b64decode(made.removeprefix("Basic ")).decode().partition(":")
    assert user.startswith("redacted-secret-")
    assert password.startswith("redacted-secret-")
    assert redactor.redact_header("Authorization", made) == made
    assert redactor.redact_header("Authorization", "Basic ???") != "Basic ???"


def test_a_token_is_the_same_in_a_header_and_in_a_field(redactor: Redactor) -> None:
    body = redactor.redact_json({"access_token": "tok-12345"})
    assert isinstance(body, dict)
    assert (
        redactor.redact_header("Authorization", "Bearer tok-12345")
        == f"Bearer {body['access_token']}"
    )


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("Cookie", "sid=abc-123; theme=\"dark-7\"; flag=", ["sid=", "theme=\"", "flag="]),
        ("Set-Cookie", "SID=abc-123; Path=/x; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly",
         ["SID=", "Path=/x", "Expires=Wed, 21 Oct 2026 07:28:00 GMT", "HttpOnly"]),
        ("Cookie", "loose-value-1", []),
    ],
    ids=["cookie", "set-cookie", "loose"],
)  # fmt: skip
def test_names_and_attributes_of_cookies_stay(
    redactor: Redactor, name: str, value: str, kept: list[str]
) -> None:
    made = redactor.redact_header(name, value)
    assert all(piece in made for piece in kept)
    assert "abc-123" not in made
    assert "dark-7" not in made
    assert "loose-value-1" not in made
    assert redactor.redact_header(name, made) == made


def _jwt(claims: dict[str, object]) -> str:
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "typ": "JWT"}, claims)]
    coded = [urlsafe_b64encode(part).decode().rstrip("=") for part in (*parts, b"signed")]
    return ".".join(coded)


def _claims(token: str) -> object:
    part = token.split(".")[1]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def test_a_jwt_can_still_be_read(redactor: Redactor) -> None:
    token = _jwt({"email": "ada@corp.io", "iat": 1700000000, "scope": "a b"})
    made = redactor.redact_text(f"got {token}.").removeprefix("got ").removesuffix(".")
    assert _claims(made) == {
        "email": redactor.redact_text("ada@corp.io"),
        "iat": 1700000000,
        "scope": "a b",
    }
    assert made.split(".")[2] != token.split(".")[2]
    assert redactor.redact_text(made) == made


def test_a_jwt_is_the_same_in_a_field(redactor: Redactor) -> None:
    token = _jwt({"sub": "ada@corp.io"})
    assert redactor.redact_json({"id_token": token}) == {"id_token": redactor.redact_text(token)}
    assert (
        redactor.redact_header("Authorization", f"Bearer {token}")
        == f"Bearer {redactor.redact_text(token)}"
    )


def test_what_only_looks_like_a_jwt_loses_its_signature(redactor: Redactor) -> None:
    made = redactor.redact_text("eyJhbGciOi.xx.c2lnbmF0dXJl")
    assert "c2lnbmF0dXJl" not in made
    assert redactor.redact_text(made) == made

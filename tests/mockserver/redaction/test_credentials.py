"""What opens something is found wherever it stands."""

import pytest

from mockserver.redaction import CREDENTIAL_FIELDS, Redactor
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

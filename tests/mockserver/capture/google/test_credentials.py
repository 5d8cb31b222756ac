import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from mockserver.capture.google.capture import (
    credentials_error,
    load_credentials,
    refresh_credentials,
)
from mockserver.errors import MockServerError

SCOPES = ("https://www.googleapis.com/auth/admin.directory.orgunit.readonly",)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = tmp_path_factory.mktemp("keys") / "key.json"
    content = {
        "type": "service_account",
        "client_email": "robot@example.com",
        "private_key": pem.decode(),
        "token_uri": "http://127.0.0.1:9/token",
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_service_account_acts_with_the_scopes_of_a_plan(key: Path) -> None:
    found = load_credentials(key, "", SCOPES)
    assert (found.service_account_email, tuple(found.scopes)) == ("robot@example.com", SCOPES)


def test_a_service_account_may_act_for_somebody(key: Path) -> None:
    assert load_credentials(key, "admin@example.com", SCOPES)._subject == "admin@example.com"


def test_no_other_credentials_act_for_somebody(tmp_path: Path) -> None:
    path = tmp_path / "user.json"
    user = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}
    path.write_text(json.dumps(user), encoding="utf-8")
    with pytest.raises(MockServerError, match="--subject needs a service account"):
        load_credentials(path, "admin@example.com", SCOPES)


@pytest.mark.parametrize("content", [None, "{", "{}", '{"type": "odd"}'], ids=str)
def test_credentials_that_cannot_be_used_say_what_to_do(
    tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "key.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(MockServerError, match=r"no credentials.*gcloud auth .*orgunit.readonly"):
        load_credentials(path, "", SCOPES)


def test_credentials_are_tried_before_anything_is_recorded(key: Path) -> None:
    found = load_credentials(key, "", SCOPES)
    with pytest.raises(MockServerError, match="the credentials were refused"):
        refresh_credentials(found, SCOPES)


def test_credentials_that_are_good_are_not_renewed() -> None:
    class Good:
        valid = True

    refresh_credentials(Good(), SCOPES)


def test_an_error_without_words_is_told_nevertheless() -> None:
    assert str(credentials_error(ValueError("first line\nsecond"), SCOPES)).startswith(
        "the credentials were refused: first line ("
    )

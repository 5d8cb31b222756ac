"""Keys and roles of IAM as a client meets them."""

import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest
from google.oauth2 import service_account

from mockserver.googleapi.signing import read_jwt
from tests.mockserver.apis.asking import Asker

ROBOT = "serviceAccounts/robot@p.iam.gserviceaccount.com"


@pytest.fixture
def ask() -> Iterator[Asker]:
    with Asker("https://iam.googleapis.com/v1/projects/p/") as made:
        made("POST", "serviceAccounts", {"accountId": "robot"})
        yield made


def test_a_key_is_a_file_that_clients_load(ask: Asker) -> None:
    made = ask("POST", f"{ROBOT}/keys", {})
    found = json.loads(b64decode(made["privateKeyData"]))
    load: Any = service_account.Credentials.from_service_account_info
    loaded = load(found)
    assert loaded.service_account_email == "robot@p.iam.gserviceaccount.com"
    (listed,) = ask("GET", f"{ROBOT}/keys")["keys"]
    assert "privateKeyData" not in listed
    name = made["name"].removeprefix("projects/p/")
    pem = ask("GET", f"{name}?publicKeyType=TYPE_X509_PEM_FILE")["publicKeyData"]
    assert b"CERTIFICATE" in b64decode(pem)
    assert "publicKeyData" not in ask("GET", name)
    ask("DELETE", name)
    ask("GET", name, status=404)


def test_an_account_signs(ask: Asker) -> None:
    assert ask("POST", f"{ROBOT}:signBlob", {"bytesToSign": "aGk="})["signature"]
    signed = ask("POST", f"{ROBOT}:signJwt", {"payload": '{"sub": "x"}'})["signedJwt"]
    found = read_jwt(signed)
    assert found is not None
    assert (found.is_ours, found.claims) == (True, {"sub": "x"})
    ask("POST", f"{ROBOT}:signJwt", {"payload": "x"}, 400)
    ask("POST", f"{ROBOT}/keys", {"privateKeyType": "TYPE_PKCS12_FILE"}, 400)
    ask("POST", "serviceAccounts/none@p.iam.gserviceaccount.com/keys", {}, 404)


def test_a_role_is_changed_under_the_etag_that_was_read(ask: Asker) -> None:
    made = ask("POST", "roles", {"roleId": "reader", "role": {"title": "R"}})
    changed = ask("PATCH", "roles/reader", {**made, "title": "New"})
    assert changed["title"] == "New"
    assert changed["etag"] != made["etag"]


def test_a_deleted_role_stays_and_is_restored(ask: Asker) -> None:
    role = {"title": "Auditor", "includedPermissions": ["iam.roles.get"]}
    for ident in ("auditor", "other"):
        ask("POST", "roles", {"roleId": ident, "role": role})
    ask("POST", "roles/auditor:undelete", {}, 400)
    assert ask("DELETE", "roles/auditor")["deleted"] is True
    ask("DELETE", "roles/auditor", status=400)
    assert ask("GET", "roles/auditor")["deleted"] is True
    for query, names in (("", ["other"]), ("?showDeleted=true", ["auditor", "other"])):
        listed = ask("GET", f"roles{query}")["roles"]
        assert [each["name"].rpartition("/")[2] for each in listed] == names
        assert "includedPermissions" not in listed[0]
    assert "deleted" not in ask("POST", "roles/auditor:undelete", {})
    listed = ask("GET", "roles?view=FULL")["roles"]
    assert [each["includedPermissions"] for each in listed] == [["iam.roles.get"]] * 2
    ask("DELETE", "roles/none", status=404)

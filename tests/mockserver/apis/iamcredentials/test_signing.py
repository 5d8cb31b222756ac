from base64 import b64decode, b64encode, urlsafe_b64encode

import orjson
import pytest

from mockserver.apis.iamcredentials import API
from mockserver.googleapi import read_jwt, signing_key
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.iamcredentials.conftest import ACCOUNTS, NAME
from tests.tenants import NOW, ask, refused

THEN = int(NOW.timestamp())
CONTENT = b"\xff\xfe\xfd"


@pytest.mark.parametrize("payload", [b64encode(CONTENT), urlsafe_b64encode(CONTENT)])
def test_a_blob_is_signed(tenant: World, payload: bytes) -> None:
    answer = ask(API, tenant, f"{ACCOUNTS}.signBlob", {"name": NAME}, {"payload": payload.decode()})
    assert answer["keyId"] == signing_key().id
    assert signing_key().has_signed(CONTENT, b64decode(answer["signedBlob"]))


def test_claims_are_signed(tenant: World) -> None:
    body = {"payload": orjson.dumps({"sub": "a", "exp": THEN + 60}).decode()}
    answer = ask(API, tenant, f"{ACCOUNTS}.signJwt", {"name": NAME}, body)
    read = read_jwt(answer["signedJwt"])
    assert read is not None
    assert read.is_ours
    assert read.claims["sub"] == "a"
    assert ask(API, tenant, f"{ACCOUNTS}.signJwt", {"name": NAME}, {"payload": "{}"})["signedJwt"]


@pytest.mark.parametrize(
    ("method", "body"),
    [
        pytest.param("signBlob", {}, id="nothing"),
        pytest.param("signBlob", {"payload": "*"}, id="no base64"),
        pytest.param("signJwt", {"payload": "x"}, id="no JSON"),
        pytest.param("signJwt", {"payload": "[]"}, id="a list"),
        pytest.param("signJwt", {"payload": '{"exp": "soon"}'}, id="no time"),
        pytest.param("signJwt", {"payload": '{"exp": true}'}, id="no number"),
        pytest.param("signJwt", {"payload": f'{{"exp": {THEN}}}'}, id="past"),
        pytest.param("signJwt", {"payload": f'{{"exp": {THEN + 43_201}}}'}, id="far"),
    ],
)
def test_what_cannot_be_signed_is_refused(tenant: World, method: str, body: JsonObject) -> None:
    error = refused(API, tenant, f"{ACCOUNTS}.{method}", {"name": NAME}, body)
    assert error.details[0]["fieldViolations"][0]["field"] == "payload"

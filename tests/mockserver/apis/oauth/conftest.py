from base64 import urlsafe_b64encode
from typing import Any

import orjson
import pytest

from mockserver.apis.oauth import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import NOW, world

TOKEN_URI = "https://oauth2.googleapis.com/token"


def encoded(value: object) -> str:
    return urlsafe_b64encode(orjson.dumps(value)).decode().rstrip("=")


def jwt(**claims: Any) -> str:
    """A service account's JWT as of now, for an hour; signed by nobody."""
    header = encoded({"alg": "RS256", "typ": "JWT"})
    return f"{header}.{encoded(claims_of(**claims))}.c2lnbmF0dXJl"


def claims_of(**claims: Any) -> JsonObject:
    """What such a JWT says."""
    now = int(NOW.timestamp())
    full = {
        "iss": "robot@project.example",
        "scope": "email https://www.googleapis.com/auth/admin.directory.user.readonly",
        "aud": TOKEN_URI,
        "iat": now,
        "exp": now + 3600,
        **claims,
    }
    return {name: value for name, value in full.items() if value is not None}


@pytest.fixture
def tenant() -> World:
    made = world(API)
    name = {"givenName": "Ann", "familyName": "Zimmer", "fullName": "Ann Zimmer"}
    row = {"id": "1ann", "primaryEmail": "ann@example.com", "name": name}
    made.put("users", "1ann", row)
    return made

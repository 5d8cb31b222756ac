from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest

from mockserver.apis.gmail import API
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import World
from tests.tenants import ask, refused, world

OLD: JsonObject = {
    "id": "18a0",
    "snippet": "Old news",
    "internalDate": "1767225600000",
    "payload": {
        "mimeType": "text/plain",
        "headers": [
            {"name": "Subject", "value": "News"},
            {"name": "To", "value": "bo@example.com"},
        ],
    },
}


def raw(text: str) -> JsonObject:
    return {"raw": urlsafe_b64encode(text.encode()).decode()}


HELLO = raw("To: ann@example.com\r\nSubject: Hello\r\n\r\nGood  morning,\r\nAnn")


@pytest.fixture
def tenant() -> World:
    return world(API, sentMessages=[OLD])


@pytest.fixture
def call(tenant: World) -> Callable[..., Any]:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> JsonObject:
        return ask(API, tenant, f"gmail.users.{method}", {"userId": "me", **params}, body)

    return answer


@pytest.fixture
def refusal(tenant: World) -> Callable[..., ApiError]:
    def answer(method: str, body: JsonObject | None = None, **params: Any) -> ApiError:
        return refused(API, tenant, f"gmail.users.{method}", {"userId": "me", **params}, body)

    return answer

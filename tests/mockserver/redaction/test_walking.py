"""Parsed JSON: fields, keys, pairs of name and value; what is no secret stays."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.model import Json, JsonObject
from mockserver.redaction import Redactor, RuleSet


@pytest.mark.parametrize(
    ("value", "gone"),
    [
        ({"password": "hunter2"}, "hunter2"),
        ({"password": ["hunter2", {"x": 1}]}, "hunter2"),
        ({"password": {"stringValue": "hunter2"}}, "hunter2"),
        ({"phones": [{"value": "030 12345678", "type": "work"}]}, "12345678"),
        ({"ada@corp.io": 1}, "ada@"),
        ({"parameters": [{"name": "DEVICE_ID", "value": "zz9-x1"}]}, "zz9-x1"),
        ({"key": "client_secret", "value": "s-12345"}, "s-12345"),
        ({"name": "Ada Berg", "email": "ada@corp.io"}, "Ada"),
        ({"id": "0a1b2c", "email": "ada@corp.io"}, "0a1b2c"),
        ({"projectNumber": 123456789012}, "123456789012"),
        ({"locality": "Canaryville", "streetAddress": "1 X"}, "Canaryville"),
    ],
)  # fmt: skip
def test_secrets_by_place(redactor: Redactor, value: JsonObject, gone: str) -> None:
    made = redactor.redact_json(value)
    assert gone not in str(made)
    assert redactor.redact_json(made) == made


@pytest.mark.parametrize(
    "value",
    [
        {"name": "Engineering", "orgUnitPath": "/Engineering"},
        {"name": "All staff", "email": "all@example.com", "directMembersCount": "9"},
        {"count": 123456789, "totalTokens": 123456, "token": 123456, "passwordEnabled": True},
        {"creationTime": "2026-11-20T09:00:00.000Z", "expiry": "1551686400000"},
        {"policySchema": "chrome.users.SafeBrowsingProtectionLevel", "value": "STANDARD"},
        {"customer": "my_customer", "projectId": "-", "deviceId": "DEVICE_ID_UNSPECIFIED"},
        {"locality": "Berlin", "countryCode": "DE"},
        {"ip": "198.51.100.7", "mail": "ada@example.org", "local": "127.0.0.1"},
        {"deviceId": {"nested": "kept"}, "serialNumber": None, "password": ""},
        {"kind": "admin#directory#user", "version": "120.0.6099.109", "isAdmin": False},
    ],
)  # fmt: skip
def test_the_structure_that_an_agent_needs_stays(redactor: Redactor, value: JsonObject) -> None:
    """CEP-66."""
    assert redactor.redact_json(value) == value


def _shape(value: Json) -> object:
    if isinstance(value, dict):
        return [_shape(item) for item in value.values()]
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return type(value)


NAMES = st.sampled_from(
    ["password", "token", "name", "email", "id", "customerId", "deviceId", "value", "key", "note",
     "phone", "projectId", "pageToken", "fullName", "emails", "parameters"]
)  # fmt: skip
TEXTS = st.sampled_from(
    ["ada@corp.io", "Ada Berg", "10.2.3.4", "C03xq7b2k", "dev-77x", "4111111111111111", "",
     '{"password": "x1"}', "YWRhQGNvcnAuaW8gc2F5cw==", "me", "projects/my-proj/x", "ENUM_VALUE"]
)  # fmt: skip
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)
RULES = RuleSet.default()


@settings(max_examples=40)
@given(VALUES)
def test_structure_and_types_stay_and_twice_is_once(value: Json) -> None:
    """CEP-66."""
    redactor = Redactor(RULES, b"k")
    made = redactor.redact_json(value)
    assert _shape(made) == _shape(value)
    assert redactor.redact_json(made) == made

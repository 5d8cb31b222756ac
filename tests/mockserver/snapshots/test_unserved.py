from typing import Any

import pytest

from mockserver.apis import APIS
from mockserver.errors import InvalidFilesError
from mockserver.model import SessionSpec
from mockserver.snapshots.importer import unserved_collections
from mockserver.snapshots.resolver import SnapshotResolver


def found(resources: Any) -> list[tuple[str, str, str]]:
    return [
        (each.where, each.level, each.hint)
        for each in unserved_collections({"resources": resources}, APIS)
    ]


@pytest.mark.parametrize(
    ("key", "name", "hint"),
    [
        ("admin:directory_v1", "users", "write it under the key 'users' or 'deletedUsers'"),
        ("chromepolicy:v1", "policySchemas", "write it under the key 'policySchemas'"),
        ("cloudidentity:v1", "policies", "write it under the key 'identityPolicies'"),
        ("oauth2:v2", "userinfo", "remove it"),
    ],
)
def test_what_is_emulated_from_another_key_is_an_error(key: str, name: str, hint: str) -> None:
    assert found({key: {name: [{}]}}) == [(f"/resources/{key}/{name}", "error", hint)]


def test_what_no_method_meets_is_an_error() -> None:
    resources: Any = {"androidenterprise:v1": {"enrollmentTokens": [{}]}}
    assert found(resources) == [("/resources/androidenterprise:v1/enrollmentTokens", "error", "")]


@pytest.mark.parametrize(
    "resources",
    [
        {"drive:v3": {"files": [{}]}},
        {"admin:directory_v1": {"roles": [{}]}},  # its methods are generic
        {"admin:directory_v1": {"users": []}},
        {"none:v1": {"x": [{}]}, "drive:v3": {"none": [{}]}, "run:v2": {}},  # the import tells
        {"drive:v3": []},
        [],
        None,
    ],
)
def test_what_is_served_or_told_elsewhere_is_none(resources: Any) -> None:
    assert found(resources) == []


def test_no_session_opens_on_what_would_never_be_seen() -> None:
    layer = {
        "capturedAt": "2026-11-20T09:00:00Z",
        "resources": {"admin:directory_v1": {"groups": [{}]}},
    }
    with pytest.raises(InvalidFilesError, match=r"directory\.groups\.\w+ is emulated"):
        SnapshotResolver(None).base(SessionSpec(overrides=(layer,)))

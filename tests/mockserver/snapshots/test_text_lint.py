from typing import Any

import pytest

from mockserver.snapshots.lint import (
    OpaqueValues,
    find_broken_texts,
    find_stale_page_tokens,
    is_opaque,
)


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("found [object Object] here", True),
        ("[object Promise]", True),
        ("undefined", True),
        (" NaN\n", True),
        ("users/undefined", True),
        ("share: NaN", True),
        ("id=undefined&x=1", True),
        ("behaviour is undefined", False),
        ("undefinedness", False),
        ("NaNo", False),
        ("an [object] of it", False),
    ],
    ids=str,
)
def test_texts_that_a_program_wrote_by_mistake_are_told(text: str, *, broken: bool) -> None:
    """CEPR-30: no `[object Object]` in a fixture or in the output of a tool."""
    raw = {"tools": {"t/x": {"responses": [{"result": {"text": text}}]}}}
    found = [problem.where for problem in find_broken_texts(raw)]
    assert found == (["/tools/t~1x/responses/0/result/text"] if broken else [])


def test_the_page_token_of_a_capture_is_stale() -> None:
    raw: dict[str, Any] = {
        "auditEvents": {"items": [], "nextPageToken": "abc"},
        "users": [],
        "orgUnits": {"items": [], "nextPageToken": ""},
        "tools": {"nextPageToken": {"responses": []}},
    }
    assert [item.where for item in find_stale_page_tokens(raw)] == ["/auditEvents/nextPageToken"]


@pytest.mark.parametrize(
    ("text", "opaque"),
    [
        ("policies/akajj264apgibxyz5", True),
        ("id:03ph8a2z23yjui6", True),
        ("124062053255204345285", True),
        ("7f9c24e8-3b1a-4f8e-9d2c-5a6b7c8d9e0f", True),
        ("Engineering", False),
        ("2026-11-20T09:00:00.000Z", False),
        ("126.0.6478.61", False),
        ("chrome.users.SafeBrowsing", False),
        ("windows10", False),
        ("", False),
    ],
    ids=str,
)
def test_identifiers_are_told_from_what_people_read(text: str, *, opaque: bool) -> None:
    assert is_opaque(text) is opaque


def test_opaque_values_are_hints_with_the_name_that_people_know() -> None:
    """CEP-68: opaque values such as policy ids are reported as hints for a UI."""
    raw: dict[str, Any] = {
        "orgUnits": [{"orgUnitId": "id:03ph8a2z23yjui6", "orgUnitPath": "/Engineering"}],
        "identityPolicies": [
            {
                "name": f"policies/akajj264apgibxyz{number}",
                "policyQuery": {"orgUnit": "orgUnits/03ph8a2z23yjui6"},
                "etag": "akajj264apgibxyz",
            }
            for number in range(3)
        ],
        "groups": [{"id": "01qdwywh9v2glu3", "name": "Pilot"}, "not an object"],
    }
    hints = {item.where: item for item in OpaqueValues().hints(raw)}
    assert list(hints) == [
        "/orgUnits/0/orgUnitId",
        "/identityPolicies/0/name",
        "/identityPolicies/0/policyQuery/orgUnit",
        "/groups/0/id",
    ]
    assert {item.level for item in hints.values()} == {"hint"}
    assert "people know it as '/Engineering'" in str(
        hints["/identityPolicies/0/policyQuery/orgUnit"]
    )
    assert "3 such in /name of identityPolicies" in hints["/identityPolicies/0/name"].hint
    assert "people know it as 'Pilot'" in str(hints["/groups/0/id"])

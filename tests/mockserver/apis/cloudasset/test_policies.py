from collections.abc import Callable
from typing import Any

import pytest

Ask = Callable[..., Any]


@pytest.mark.parametrize(
    ("scope", "query", "roles"),
    [
        ("projects/shop", "", ["roles/owner", "roles/compute.admin", "roles/viewer"]),
        ("projects/42", "policy:amy@example.com", ["roles/owner"]),
        ("projects/shop", "policy:roles/compute.admin", ["roles/compute.admin"]),
        ("projects/shop", "policy:comp*", ["roles/compute.admin"]),
        ("projects/shop", "roles:roles/viewer", ["roles/viewer"]),
        ("projects/shop", "memberTypes:group", ["roles/compute.admin"]),
        ("projects/shop", "resource:projects/shop policy:amy", ["roles/owner"]),
        ("projects/shop", "allUsers", ["roles/viewer"]),
        ("projects/shop", "policy.role.name:owner", ["roles/owner"]),
        ("organizations/1", "", ["roles/viewer"]),
        ("folders/7", "policy:cy", ["roles/viewer"]),
        ("folders/7", "policy:amy", []),
    ],
    ids=str,
)
def test_the_bindings_that_meet_a_query_are_found(
    call: Ask, scope: str, query: str, roles: list[str]
) -> None:
    found = call("searchAllIamPolicies", scope=scope, query=query).get("results", [])
    bindings = [each for row in found for each in row["policy"]["bindings"]]
    assert sorted(each["role"] for each in bindings) == sorted(roles)


def test_policies_are_paged_and_of_the_types_asked_for(call: Ask) -> None:
    assert "nextPageToken" in call("searchAllIamPolicies", scope="projects/shop", pageSize=1)
    types = ["cloudresourcemanager.googleapis.com/Project"]
    found = call("searchAllIamPolicies", scope="projects/shop", assetTypes=types)["results"]
    assert [row["project"] for row in found] == ["projects/42"]

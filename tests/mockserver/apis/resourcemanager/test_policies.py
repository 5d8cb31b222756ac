from collections.abc import Callable
from typing import Any

from mockserver.googleapi import ApiError

Ask = Callable[..., Any]


def test_a_policy_is_the_project_s_by_id_and_by_number(call: Ask) -> None:
    bindings = [{"role": "roles/owner", "members": ["user:ann@example.com"]}]
    body = {"policy": {"bindings": bindings}}
    kept = call("projects.setIamPolicy", body, resource="projects/42")
    assert call("projects.getIamPolicy", resource="shop-prod", version="v1") == kept
    assert call("folders.getIamPolicy", resource="folders/10").get("bindings") is None


def test_permissions_are_asked_of_what_is_there(
    call: Ask, refusal: Callable[..., ApiError]
) -> None:
    body = {"permissions": ["a.b"]}
    assert call("organizations.testIamPermissions", body, resource="organizations/1") == body
    assert (
        refusal("organizations.testIamPermissions", body, resource="organizations/2").status == 403
    )

"""Allow policies of resources: read, replaced, and asked for permissions.

They are kept in one collection for all APIs, as Cloud Asset finds them: by the resource's full name
(`//cloudresourcemanager.googleapis.com/projects/shop`).
"""

from collections.abc import Callable, Mapping

from mockserver.googleapi.call import Call, Handler
from mockserver.googleapi.collections import etag
from mockserver.googleapi.errors import ApiError
from mockserver.model import JsonObject
from mockserver.state import World, project_names

_STANDARD = str.maketrans("-_", "+/")
IAM_POLICIES = "iamPolicies"
"""Collection of `{"resource", "policy", "project"?, "assetType"?, ...}` by `resource`."""


def get_policy(call: Call, resource: str) -> JsonObject:
    """The allow policy of a resource; an empty one when the session holds none."""
    row = policy_row(call.world, resource)
    policy: JsonObject = row["policy"] if row else {}
    conditional = any(each.get("condition") for each in policy.get("bindings") or ())
    return {**policy, "version": 3 if conditional else 1, "etag": _etag(policy)}


def set_policy(call: Call, resource: str) -> JsonObject:
    """Replace the allow policy of a resource with the body's `policy`.

    Raises:
        ApiError: 409 when the policy's etag is not that of the policy as it is.
    """
    given: JsonObject = dict(call.body.get("policy") or {})
    row = policy_row(call.world, resource) or {
        "resource": full_name_of_resource(resource),
        "policy": {},
    }
    if given.get("etag") and given["etag"] != _etag(row["policy"]):
        text = "There were concurrent policy changes. Please retry the whole read-modify-write."
        raise ApiError(409, text, reason="aborted", code_name="ABORTED")
    given.pop("etag", None)
    call.world.put(IAM_POLICIES, row["resource"], {**row, "policy": given})
    return get_policy(call, resource)


def policy_row(world: World, resource: str) -> JsonObject | None:
    """The allow policy of a resource in any of its names, as it is kept, or None."""
    host, slash, path = full_name_of_resource(resource).removeprefix("//").partition("/")
    table = world.table(IAM_POLICIES)
    for name in project_names(world, path):
        found = table.get(f"//{host}{slash}{name}")
        if found is not None:
            return found
    return None


def full_name_of_resource(resource: str) -> str:
    """A resource as Cloud Asset names it, where a bucket bears no more than its name."""
    return resource.replace("//storage.googleapis.com/b/", "//storage.googleapis.com/", 1)


def granted_permissions(call: Call, resource: str) -> JsonObject:
    """The permissions that the caller has, of those in the body: all, where nobody asks who may.

    Args:
        call: The call.
        resource: The full name of the resource.
    """
    permissions = list(call.body.get("permissions") or ())
    if call.permits is not None:
        name = full_name_of_resource(resource)
        permissions = [each for each in permissions if call.permits(str(each), name)]
    return {"permissions": permissions} if permissions else {}


def _etag(policy: JsonObject) -> str:
    # bytes in JSON are base64, and a digest of 20 bytes ends in one sign of padding
    found = etag({key: value for key, value in policy.items() if key != "etag"}).strip('"')
    return found.translate(_STANDARD) + "="


def policy_handlers(path: str, full_name: Callable[[Call], str]) -> Mapping[str, Handler]:
    """Handlers of the allow policies of resources.

    Args:
        path: What the methods' Discovery ids begin with, `apphub.projects.locations.applications`.
        full_name: The full name of the resource that a call names; raises ApiError.
    """

    def permissions(call: Call) -> JsonObject:
        return granted_permissions(call, full_name(call))

    return {
        f"{path}.getIamPolicy": lambda call: get_policy(call, full_name(call)),
        f"{path}.setIamPolicy": lambda call: set_policy(call, full_name(call)),
        f"{path}.testIamPermissions": permissions,
    }

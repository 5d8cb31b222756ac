"""Allow policies of projects, folders and organizations."""

from mockserver.apis.resourcemanager.reading import find_node
from mockserver.googleapi import Call, get_policy, granted_permissions, set_policy
from mockserver.model import JsonObject

_HOST = "//cloudresourcemanager.googleapis.com"


def get_iam_policy(call: Call) -> JsonObject:
    """Answers `getIamPolicy`."""
    return get_policy(call, _full_name(call))


def set_iam_policy(call: Call) -> JsonObject:
    """Answers `setIamPolicy`."""
    return set_policy(call, _full_name(call))


def test_iam_permissions(call: Call) -> JsonObject:
    """Answers `testIamPermissions`: the caller has every permission there is."""
    _full_name(call)
    return granted_permissions(call)


def _full_name(call: Call) -> str:
    name = str(call.params["resource"])
    row = find_node(call, name if "/" in name else f"projects/{name}")
    # policies are found by the project's id, as Cloud Asset names them
    if "projectId" in row:
        return f"{_HOST}/projects/{row['projectId']}"
    return f"{_HOST}/{row['name']}"

"""Methods of the Resource Manager API: Discovery id to handler."""

from collections.abc import Mapping

from mockserver.apis.resourcemanager import changing, policies, reading
from mockserver.googleapi import Handler, get_operation

_POLICY: Mapping[str, Handler] = {
    f"cloudresourcemanager.{kind}.{verb}": handler
    for kind in ("projects", "folders", "organizations")
    for verb, handler in (
        ("getIamPolicy", policies.get_iam_policy),
        ("setIamPolicy", policies.set_iam_policy),
        ("testIamPermissions", policies.test_iam_permissions),
    )
}

HANDLERS: Mapping[str, Handler] = {
    "cloudresourcemanager.projects.search": reading.search_projects,
    "cloudresourcemanager.projects.list": reading.list_projects,
    "cloudresourcemanager.projects.get": reading.get,
    "cloudresourcemanager.projects.getAncestry": reading.get_ancestry,
    "cloudresourcemanager.projects.create": changing.create_project,
    "cloudresourcemanager.projects.patch": changing.patch,
    "cloudresourcemanager.projects.update": changing.update_v1,
    "cloudresourcemanager.projects.delete": changing.delete,
    "cloudresourcemanager.projects.undelete": changing.undelete,
    "cloudresourcemanager.projects.move": changing.move,
    "cloudresourcemanager.folders.search": reading.search_folders,
    "cloudresourcemanager.folders.list": reading.list_folders,
    "cloudresourcemanager.folders.get": reading.get,
    "cloudresourcemanager.folders.create": changing.create_folder,
    "cloudresourcemanager.folders.patch": changing.patch,
    "cloudresourcemanager.folders.delete": changing.delete,
    "cloudresourcemanager.folders.undelete": changing.undelete,
    "cloudresourcemanager.folders.move": changing.move,
    "cloudresourcemanager.organizations.search": reading.search_organizations,
    "cloudresourcemanager.organizations.get": reading.get,
    "cloudresourcemanager.operations.get": get_operation,
    **_POLICY,
}

"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection
from mockserver.state import PROJECTS

FOLDERS = "folders"

ORGANIZATIONS = "organizations"

_TIMES = (("createTime",), ("updateTime",), ("deleteTime",))

COLLECTIONS = (
    Collection(
        ORGANIZATIONS,
        "organizations of Resource Manager",
        _TIMES,
        "cloudresourcemanager:v3#Organization",
    ),
    Collection(FOLDERS, "folders of Resource Manager", _TIMES, "cloudresourcemanager:v3#Folder"),
    Collection(PROJECTS, "projects of Resource Manager", _TIMES, "cloudresourcemanager:v3#Project"),
)

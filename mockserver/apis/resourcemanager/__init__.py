"""Emulates the Resource Manager API: organizations, folders and projects."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import
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

API = Api(
    name="resourcemanager",
    documents=(("cloudresourcemanager", "v3"), ("cloudresourcemanager", "v1")),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: projects, folders and organizations as one hierarchy for all APIs, by id "
        "and by number, searches, ancestry, deletion and restoration, allow policies with "
        "etags. Not there: effects of policies on other calls, unless a case asks for "
        "permissions. Proof: `tests/mockserver/apis/resourcemanager`."
    ),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
)

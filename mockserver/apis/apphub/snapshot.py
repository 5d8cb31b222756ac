"""App Hub's resources, as a snapshot holds them."""

from mockserver.apis.apphub.state import EVERY
from mockserver.googleapi import Collection, Import, named_rows

_ABOUT = {
    "apphubApplications": "applications of App Hub",
    "apphubServices": "services of App Hub applications",
    "apphubWorkloads": "workloads of App Hub applications",
    "apphubDiscoveredServices": "services that App Hub has discovered",
    "apphubDiscoveredWorkloads": "workloads that App Hub has discovered",
    "apphubServiceProjectAttachments": "service projects attached to an App Hub host project",
}
COLLECTIONS = tuple(
    Collection(name, about, times=(("createTime",), ("updateTime",)))
    for name, about in _ABOUT.items()
)


def import_snapshot(found: Import) -> None:
    """Make the tables."""
    for resource in EVERY:
        found.tables[resource.collection] = named_rows(found, resource.collection, resource.pattern)

"""App Hub's resources, as a snapshot holds them."""

from mockserver.apis.apphub.state import RESOURCES
from mockserver.googleapi import Collection, SnapshotImport, named_rows

_DESCRIPTIONS = {
    "apphubApplications": "applications of App Hub",
    "apphubServices": "services of App Hub applications",
    "apphubWorkloads": "workloads of App Hub applications",
    "apphubDiscoveredServices": "services that App Hub has discovered",
    "apphubDiscoveredWorkloads": "workloads that App Hub has discovered",
    "apphubServiceProjectAttachments": "service projects attached to an App Hub host project",
}
COLLECTIONS = tuple(
    Collection(name, about, times=(("createTime",), ("updateTime",)))
    for name, about in _DESCRIPTIONS.items()
)


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables."""
    for resource in RESOURCES:
        found.tables[resource.collection] = named_rows(found, resource.collection, resource.pattern)

"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

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

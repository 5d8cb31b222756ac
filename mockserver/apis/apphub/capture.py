"""What captured answers of App Hub are in a snapshot."""

from mockserver.model import Capture, Captures

_PLACE = "apphub.projects.locations"
_RESOURCES = (
    ("applications", "apphubApplications"),
    ("applications.services", "apphubServices"),
    ("applications.workloads", "apphubWorkloads"),
    ("discoveredServices", "apphubDiscoveredServices"),
    ("discoveredWorkloads", "apphubDiscoveredWorkloads"),
    ("serviceProjectAttachments", "apphubServiceProjectAttachments"),
)

CAPTURES: Captures = {
    **{
        f"{_PLACE}.{path}.list": (Capture(collection, path.rpartition(".")[2]),)
        for path, collection in _RESOURCES
    },
    **{f"{_PLACE}.{path}.get": (Capture(collection),) for path, collection in _RESOURCES},
}
"""Discovery id to what its answers fill."""

"""What captured answers of Kubernetes Engine are in a snapshot."""

from mockserver.model import Capture, Captures

_LINK = ("selfLink",)

CAPTURES: Captures = {
    "container.projects.locations.clusters.list": (Capture("clusters", "clusters", _LINK),),
    "container.projects.locations.clusters.get": (Capture("clusters", "", _LINK),),
    "container.projects.zones.clusters.list": (Capture("clusters", "clusters", _LINK),),
    "container.projects.zones.clusters.get": (Capture("clusters", "", _LINK),),
}
"""Discovery id to what its answers fill."""

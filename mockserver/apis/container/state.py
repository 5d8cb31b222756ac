"""Clusters by their names, of locations and of the older zones."""

from collections.abc import Sequence

from mockserver.apis.container.collections import CLUSTERS
from mockserver.googleapi import Call, is_under, nearest, not_found, parent_of
from mockserver.model import JsonObject
from mockserver.state import project_names

_BELOW = 2


def find_cluster(call: Call) -> JsonObject:
    """The cluster that a call names, by name or by project, zone and id.

    Raises:
        ApiError: 404, in the API's own words (not verified against the live API).
    """
    name = cluster_name(call)
    table = call.world.table(CLUSTERS)
    for each in project_names(call.world, name):
        found = table.get(each)
        if found is not None:
            return found
    raise not_found(f"Not found: {name}.", name=name, nearest=nearest(name, table))


def cluster_name(call: Call) -> str:
    """The full name of the cluster that a call is about."""
    given = str(call.params.get("name") or call.params.get("parent") or "")
    if given:
        return given.partition("/nodePools/")[0]
    return f"{_location_name(call)}/clusters/{call.params['clusterId']}"


def clusters_below(call: Call) -> Sequence[JsonObject]:
    """The clusters of a project's location; `-` is every location."""
    parents = project_names(call.world, str(call.params.get("parent") or _location_name(call)))
    return [
        row
        for name, row in call.world.table(CLUSTERS).rows().items()
        if any(is_under(parent, parent_of(name, _BELOW)) for parent in parents)
    ]


def _location_name(call: Call) -> str:
    return f"projects/{call.params['projectId']}/locations/{call.params['zone']}"

"""Clusters by their names, of locations and of the older zones."""

from dataclasses import dataclass
from sys import maxsize

from typing_extensions import override

from mockserver.apis.container import CLUSTERS
from mockserver.googleapi import Call, PageRule, Resource


@dataclass(frozen=True, kw_only=True)
class _Clusters(Resource):
    """Clusters, which calls name by name or by project, zone and id."""

    @override
    def name_in(self, call: Call) -> str:
        given = str(call.params.get("name") or call.params.get("parent") or "")
        if given:
            return given.partition("/nodePools/")[0]
        return f"{self.parent_in(call)}/clusters/{call.params['clusterId']}"

    @override
    def parent_in(self, call: Call) -> str:
        zone = "projects/{projectId}/locations/{zone}"
        return str(call.params.get("parent") or zone.format_map(call.params))


CLUSTER = _Clusters(
    collection=CLUSTERS,
    pattern="projects/{project}/locations/{location}/clusters/{cluster}",
    list_key="clusters",
    page=PageRule(default=maxsize, maximum=maxsize, token=""),
    missing="Not found: {name}.",  # not verified against the live API
)

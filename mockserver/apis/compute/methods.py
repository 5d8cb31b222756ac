"""The methods of Compute Engine; of these, lists over all zones and regions, and `wait`."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from typing_extensions import override

from mockserver.apis.compute.changes import OF_CHANGES
from mockserver.apis.compute.groups import OF_GROUPS
from mockserver.apis.compute.instances import OF_INSTANCES
from mockserver.apis.compute.links import place_of, tables_of
from mockserver.apis.compute.offers import OF_OFFERS
from mockserver.collections.query import Parts, Rows
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    PageRule,
    not_found,
    page,
    poll_operation,
    rows_under,
)
from mockserver.googleapi.collections import Found, own_resource, visible_row
from mockserver.googleapi.regions import REGIONS, ZONES
from mockserver.model import JsonObject
from mockserver.state import OPERATIONS, PROJECTS, find_project, fixed_digits, rfc3339

_PAGES = PageRule(default=500, maximum=500, size="maxResults")
_AGGREGATED: Mapping[str, Sequence[str]] = {
    "zones": (
        "autoscalers", "disks", "futureReservations", "instanceGroupManagers", "instanceGroups",
        "instances", "instantSnapshots", "networkEndpointGroups", "nodeGroups", "reservations",
        "storagePools", "targetInstances",
    ),
    "regions": (
        "addresses", "forwardingRules", "interconnectAttachments", "networkAttachments",
        "nodeTemplates", "packetMirrorings", "publicDelegatedPrefixes", "regionCommitments",
        "regionCompositeHealthChecks", "regionHealthAggregationPolicies",
        "regionHealthCheckServices", "regionHealthSources", "regionNotificationEndpoints",
        "resourcePolicies", "routers", "serviceAttachments", "subnetworks", "targetPools",
        "targetVpnGateways", "vpnGateways", "vpnTunnels",
    ),
    "global": (
        "backendBuckets", "backendServices", "healthChecks", "instanceTemplates",
        "networkFirewallPolicies", "securityPolicies", "sslCertificates", "sslPolicies",
        "targetHttpProxies", "targetHttpsProxies", "targetTcpProxies", "urlMaps",
    ),
}  # fmt: skip
"""Where the resources of collections are, to the collections that are listed over all of it."""
_REGIONAL = frozenset({
    "autoscalers", "backendBuckets", "backendServices", "disks", "healthChecks",
    "instanceGroupManagers", "instanceGroups", "instanceTemplates", "instantSnapshots",
    "networkEndpointGroups", "networkFirewallPolicies", "securityPolicies", "sslCertificates",
    "sslPolicies", "targetHttpProxies", "targetHttpsProxies", "targetTcpProxies", "urlMaps",
})  # fmt: skip
_GLOBAL = frozenset({
    "addresses", "forwardingRules", "networkEndpointGroups", "publicDelegatedPrefixes",
})  # fmt: skip
"""Collections whose resources in regions, or whose global ones, are another collection."""
_SCOPES: Mapping[str, Sequence[str]] = {
    "global": ("global",),
    "regions": [f"regions/{each}" for each in REGIONS],
    "zones": [f"zones/{each}" for each in ZONES],
}
_RESOURCES = frozenset({"regionHealthCheckServices", "regionNotificationEndpoints"})
"""Collections that the answer calls `resources`."""


class _Joined(Parts[Found]):
    """Keys and rows of several lists, one list after another."""

    __slots__ = ("_lists",)

    def __init__(self, lists: Sequence[Rows]) -> None:
        self._lists = lists

    @override
    def __len__(self) -> int:
        return sum(map(len, self._lists))

    @override
    def part(self, start: int, stop: int) -> list[Found]:
        found: list[Found] = []
        for each in self._lists:
            low, high = max(start, 0), min(stop, len(each))
            found += zip(each.keys[low:high], each[low:high], strict=True) if low < high else ()
            start, stop = start - len(each), stop - len(each)
        return found


def _aggregate(where: str, collection: str, call: Call) -> JsonObject:
    """Answers `aggregatedList`: what there is of a collection, by zone and region.

    Raises:
        ApiError: 400 for a filter, an order or a page token that cannot be.
    """
    own, regional, everywhere = tables_of(collection)
    several = {where: own}
    several |= {"regions": regional} if collection in _REGIONAL else {}
    several |= {"global": everywhere} if collection in _GLOBAL else {}
    resources = [own_resource(call, f"compute.{each}.list") for each in several.values()]
    lists = [cast("Rows", rows_under(each, call)) for each in resources]
    found, token = page(call, _Joined(lists), _PAGES)
    items: dict[str, JsonObject] = {}
    for key, row in found:
        place = place_of(key)
        field = "resources" if collection in _RESOURCES else place.collection
        inside = items.setdefault(place.scope, {field: []})
        inside[field].append(visible_row(resources[0], call, row))
    if not token and "pageToken" not in call.params:
        scopes = [scope for place in several for scope in _SCOPES[place]]
        items |= {scope: _nothing_in(scope) for scope in scopes if scope not in items}
    call.ignored += sorted({"includeAllScopes", "serviceProjectNumber"} & call.params.keys())
    answer: JsonObject = {**own_resource(call).list_head(call), "items": items}
    return {**answer, "nextPageToken": token} if token else answer


def _nothing_in(scope: str) -> JsonObject:
    """What the answer says of a place where nothing is. Source: recordings."""
    text = f"No results for the scope '{scope}'."
    data = [{"key": "scope", "value": scope}]
    return {"warning": {"code": "NO_RESULTS_ON_PAGE", "message": text, "data": data}}


def _wait(call: Call) -> JsonObject:
    """Answers `wait`: the operation is done when it answers; raises ApiError: 404."""
    own = {name: call.params[name] for name in ("zone", "region") if name in call.params}
    scope = "".join(f"{name}s/{value}" for name, value in own.items()) or "global"
    name = f"projects/{call.params['project']}/{scope}/operations/{call.params['operation']}"
    answer = poll_operation(call, name)
    row = call.world.table(OPERATIONS).get(name)
    if row is None:
        return answer
    done = {**row, "left": 0}
    done.pop("ready", None)
    call.world.put(OPERATIONS, name, done)
    return poll_operation(call, name)


def _project(call: Call) -> JsonObject:
    """Answers `projects.get`: what is told of the project, or what every project has."""
    try:
        return call.answer_by_conventions()
    except ApiError as error:
        if error.status not in {404, 501}:
            raise
    ident = str(call.params["project"])
    found = find_project(call.world, ident)
    if found is None and len(call.world.table(PROJECTS)):
        raise not_found(f"The resource 'projects/{ident}' was not found", name=ident)
    number = str((found or {}).get("name") or fixed_digits(ident, 12)).rpartition("/")[2]
    return {
        "kind": "compute#project",
        "id": number,
        "name": str((found or {}).get("projectId") or ident),
        "creationTimestamp": (found or {}).get("createTime") or rfc3339(call.world.clock.now()),
        "commonInstanceMetadata": {"kind": "compute#metadata"},
        "defaultServiceAccount": f"{number}-compute@developer.gserviceaccount.com",
        "defaultNetworkTier": "PREMIUM",
        "xpnProjectStatus": "UNSPECIFIED_XPN_PROJECT_STATUS",
        "selfLink": f"https://www.googleapis.com/compute/v1/projects/{ident}",
    }


HANDLERS: Mapping[str, Handler] = {
    **OF_CHANGES,
    **OF_INSTANCES,
    **OF_GROUPS,
    "compute.projects.get": _project,
    **OF_OFFERS,
    **{
        f"compute.{each}.aggregatedList": partial(_aggregate, where, each)
        for where, several in _AGGREGATED.items()
        for each in several
    },
    **{f"compute.{scope}Operations.wait": _wait for scope in ("global", "region", "zone")},
}

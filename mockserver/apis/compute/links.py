"""What names what in Compute Engine: links between resources, and what they forbid.

Source: reference pages; not verified against the live API: some nouns in texts of refusals.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from mockserver.collections import BY_KEY, Index, Store
from mockserver.googleapi import ApiError, Call, invalid
from mockserver.googleapi.lists import values_at
from mockserver.googleapi.scalars import snake_case
from mockserver.model import Json, JsonObject
from mockserver.state import World, project_names

_NETWORK = ("network",)
_PROXY = ("urlMap", "sslCertificates", "sslPolicy")
_TCP_PROXY = ("service", "sslCertificates", "sslPolicy")
_BACKEND = ("healthChecks", "backends.group", "securityPolicy", "edgeSecurityPolicy")
_MAP = (
    "defaultService",
    "pathMatchers.defaultService",
    "pathMatchers.pathRules.service",
    "pathMatchers.routeRules.service",
)
_RULE = ("target", "backendService", "network", "subnetwork", "IPAddress")
_MANAGER = (
    "instanceTemplate",
    "versions.instanceTemplate",
    "targetPools",
    "autoHealingPolicies.healthCheck",
)
_TEMPLATE = (
    "properties.networkInterfaces.network",
    "properties.networkInterfaces.subnetwork",
)
_ENDPOINTS = ("network", "subnetwork")
LINKS: Mapping[str, Sequence[str]] = {
    "addresses": ("network", "subnetwork"),
    "autoscalers": ("target",),
    "backendServices": _BACKEND,
    "disks": ("resourcePolicies",),
    "firewalls": _NETWORK,
    "forwardingRules": _RULE,
    "globalForwardingRules": _RULE,
    "instanceGroupManagers": _MANAGER,
    "instanceTemplates": _TEMPLATE,
    "instances": (
        "disks.source",
        "networkInterfaces.network",
        "networkInterfaces.subnetwork",
        "resourcePolicies",
    ),
    "interconnectAttachments": ("router",),
    "networkAttachments": ("subnetworks",),
    "networkEndpointGroups": _ENDPOINTS,
    "nodeGroups": ("nodeTemplate",),
    "regionAutoscalers": ("target",),
    "regionBackendServices": _BACKEND,
    "regionDisks": ("resourcePolicies",),
    "regionInstanceGroupManagers": _MANAGER,
    "regionInstanceTemplates": _TEMPLATE,
    "regionNetworkEndpointGroups": _ENDPOINTS,
    "regionTargetHttpProxies": _PROXY,
    "regionTargetHttpsProxies": _PROXY,
    "regionTargetTcpProxies": _TCP_PROXY,
    "regionUrlMaps": _MAP,
    "routers": ("network", "interfaces.linkedVpnTunnel", "nats.natIps", "nats.subnetworks.name"),
    "routes": ("network", "nextHopInstance", "nextHopVpnTunnel", "nextHopIlb"),
    "serviceAttachments": ("targetService", "producerForwardingRule", "natSubnets"),
    "subnetworks": _NETWORK,
    "targetGrpcProxies": _PROXY,
    "targetHttpProxies": _PROXY,
    "targetHttpsProxies": _PROXY,
    "targetPools": ("healthChecks",),
    "targetSslProxies": _TCP_PROXY,
    "targetTcpProxies": _TCP_PROXY,
    "targetVpnGateways": _NETWORK,
    "urlMaps": _MAP,
    "vpnGateways": _NETWORK,
    "vpnTunnels": ("vpnGateway", "targetVpnGateway", "router", "peerExternalGateway"),
}
"""Collections to the fields that name other resources, which therefore must be, and must stay."""

_PATH = re.compile(r"(?:^|/)(projects/[^/]+/(?:global|zones/[^/]+|regions/[^/]+)/\w+/[^?#]+)$")
_HOST = re.compile(r"^https://[^/]+/compute/\w+/")
_SCOPES = ("global/", "zones/", "regions/")


class Place(NamedTuple):
    """Where a resource is.

    Attributes:
        project: The beginning of its path, `projects/p`.
        scope: What follows: `global`, `zones/z` or `regions/r`.
        collection: The segment before its name.
    """

    project: str
    scope: str
    collection: str


def place_of(path: str) -> Place:
    """Where the resource of a path is.

    >>> place_of("projects/p/zones/z/disks/d")
    Place(project='projects/p', scope='zones/z', collection='disks')
    """
    parts = path.split("/")
    return Place("/".join(parts[:2]), "/".join(parts[2:-2]), parts[-2])


def resource_path(link: str, key: str) -> str:
    """The path that a link names, as the resource of a key says it; empty for no link.

    >>> resource_path("zones/z/disks/d", "projects/p/zones/z/instances/i")
    'projects/p/zones/z/disks/d'
    """
    found = _PATH.search(link)
    if found is not None:
        return found[1]
    link = _HOST.sub("", link)
    return f"{place_of(key).project}/{link}" if link.startswith(_SCOPES) else ""


def full_link(call: Call, path: str) -> str:
    """The URL of a resource's path."""
    return f"https://www.googleapis.com/compute/{call.version}/{path}"


def with_full_links(call: Call, given: JsonObject) -> JsonObject:
    """What a request says, with URLs for what it names by the end of one alone."""
    project = f"projects/{call.params['project']}"

    def full(value: Json) -> Json:
        if isinstance(value, list):
            return [full(each) for each in value]
        is_end = isinstance(value, str) and value.startswith(_SCOPES)
        return full_link(call, f"{project}/{value}") if is_end else value

    return {name: full(value) for name, value in given.items()}


def _named_by(fields: Sequence[str], key: str, row: JsonObject) -> Sequence[str]:
    """The paths that a row names, each once."""
    found = {resource_path(text, key) for _, text in _links_of(fields, row)}
    return sorted(found - {""})


def _links_of(fields: Sequence[str], row: JsonObject) -> Iterator[tuple[str, str]]:
    for each in fields:
        for value in values_at(row, each):
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    yield each, text


_USERS: Mapping[str, Index] = {
    name: Index(partial(_named_by, fields)) for name, fields in LINKS.items()
}


def noun_of(path: str) -> str:
    """What texts call the resource of a path.

    >>> noun_of("projects/p/global/urlMaps/m"), noun_of("projects/p/global/targetHttpProxies/t")
    ('url_map', 'target_http_proxy')
    """
    name = place_of(path).collection
    for end, single in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if name.endswith(end):
            return snake_case(name.removesuffix(end) + single)
    return snake_case(name)


def table_of(call: Call, collection: str) -> str:
    """The name of the table of a collection."""
    return f"compute:{call.version}/{collection}"


def user_of(call: Call, path: str, *collections: str) -> str:
    """The path of the first resource that names another one; empty where none does."""
    for name in collections or LINKS:
        table = call.world.table(table_of(call, name))
        for each in project_names(call.world, path) if len(table) else ():
            user = table.first(_USERS[name], each)
            if user is not None:
                return user
    return ""


def rows_that_name(call: Call, collection: str, path: str) -> list[JsonObject]:
    """The rows of a collection that name a resource."""
    table, index = call.world.table(table_of(call, collection)), _USERS[collection]
    several = project_names(call.world, path)
    return [table.rows()[key] for each in several for key in table.find(index, each).row_keys()]


def check_unused(call: Call, path: str) -> None:
    """Refuse to delete what another resource names; raises ApiError: 400."""
    user = user_of(call, path)
    if user:
        text = f"The {noun_of(path)} resource '{path}' is already being used by '{user}'"
        raise ApiError(400, text, reason="resourceInUseByAnotherResource")


def check_links(call: Call, collection: str, key: str, given: JsonObject) -> None:
    """Refuse a resource that names what is not there, where the session knows what there is.

    A collection of which the session holds nothing in the project may have anything; every
    project has the network `default`.

    Raises:
        ApiError: 400.
    """
    for field, text in _links_of(LINKS.get(collection, ()), given):
        path = resource_path(text, key)
        if path and not _may_exist(call.world, call.version, key, path):
            raise invalid(
                f"Invalid value for field 'resource.{field}': '{text}'. "
                f"The referenced {noun_of(path)} resource cannot be found."
            )


def _may_exist(world: World, version: str, key: str, path: str) -> bool:
    place = place_of(path)
    if place.project not in project_names(world, place_of(key).project):
        return True
    if path.endswith("/global/networks/default"):
        return True
    tables = [world.table(f"compute:{version}/{each}") for each in tables_of(place.collection)]
    paths = project_names(world, path)
    if any(each in table for table in tables for each in paths):
        return True
    return not any(
        _has_any(table, each) for table in tables for each in project_names(world, place.project)
    )


def _has_any(table: Store, project: str) -> bool:
    return bool(len(table)) and bool(len(table.starting(BY_KEY, f"{project}/")))


@lru_cache(256)
def tables_of(collection: str) -> tuple[str, ...]:
    """What the methods of a collection may be called: those of regions and global ones apart."""
    name = collection[0].upper() + collection[1:]
    return collection, f"region{name}", f"global{name}"


def find_linked(call: Call, link: Json, key: str) -> tuple[str, str, JsonObject] | None:
    """The table, key and row of what a link names; None where the session has it not."""
    path = resource_path(str(link or ""), key)
    for name in tables_of(place_of(path).collection) if path else ():
        table = call.world.table(table_of(call, name))
        for each in project_names(call.world, path):
            row = table.get(each)
            if row is not None:
                return table_of(call, name), each, row
    return None

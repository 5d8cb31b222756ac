"""Writes that Compute Engine refuses: of stale fingerprints, of missing links, of what is in use.

Source: reference pages and recordings; not verified against the live API: texts of 412.
"""

from base64 import b64encode, urlsafe_b64decode
from collections.abc import Callable, Mapping
from dataclasses import replace

from mockserver.apis.compute.links import check_links, check_unused, place_of, with_full_links
from mockserver.googleapi import ApiError, Call, Handler, etag, precondition
from mockserver.googleapi.collections import Found, create_row, named_row, own_resource
from mockserver.model import Json, JsonObject
from mockserver.state import OPERATIONS

Fields = Callable[[Call, JsonObject], JsonObject]
"""The fields that a method sets, given the call and the row as it is; raises ApiError."""
_STALE_LABELS = "Labels fingerprint either invalid or resource labels have changed"
_STALE = "Supplied fingerprint does not match current {} fingerprint."


def fingerprint(value: Json) -> str:
    """The fingerprint of a part of a resource.

    >>> len(fingerprint({"items": []})), fingerprint({}) == fingerprint({"a": "b"})
    (12, False)
    """
    return b64encode(urlsafe_b64decode(etag(value)[1:13])[:8]).decode()


def collection_of(call: Call) -> str:
    """The collection of the method that is called, `instances`."""
    return call.id.split(".")[1]


def check_fingerprint(sent: Json, kept: Json, text: str) -> None:
    """Refuse a change of what was changed in the meantime; raises ApiError: 412."""
    if kept and _bytes_of(sent) != _bytes_of(kept):
        raise precondition(text)


def _bytes_of(value: Json) -> bytes:
    """What a fingerprint says, however it is written."""
    try:
        return urlsafe_b64decode(f"{value or ''}===".replace("+", "-").replace("/", "_"))
    except ValueError:
        return str(value).encode()


def put_row(call: Call, found: Found, fields: JsonObject) -> JsonObject | None:
    """Put the row whose method a call asks, with other fields; answers the operation."""
    rows = own_resource(call, f"compute.{collection_of(call)}.get")
    row = rows.put_fields(call, found, fields)
    return own_resource(call).write_answer(call, "patch", found[0], row)


def make_row(call: Call, collection: str, params: JsonObject, body: JsonObject) -> None:
    """Make a resource of another collection along with a call; raises ApiError: 400, 409."""
    method = f"compute.{collection}.insert"
    project = {"project": call.params["project"]}
    asked = replace(call, id=method, params={**project, **params}, body=body)
    create_row(own_resource(call, method), asked)


def setting(fields: Fields) -> Handler:
    """The handler of a method that sets fields of a row and answers an operation."""

    def answer(call: Call) -> JsonObject | None:
        resource = own_resource(call, f"compute.{collection_of(call)}.get")
        is_update = call.id.rpartition(".")[2].startswith("update")  # of a part, by conventions
        path = resource.name_in(call) if is_update else own_resource(call).path_in(call)
        if path.count("/") == _BARE:  # of global ones the oldest setters leave `global` out
            project, _, rest = path.partition(f"/{collection_of(call)}/")
            path = f"{project}/global/{collection_of(call)}/{rest}"
        found = resource.require(call, path)
        return put_row(call, found, fields(call, found[1]))

    return answer


_BARE = 3
"""Slashes in the path of a resource without a scope."""


def linked(call: Call, row: JsonObject) -> JsonObject:
    """The links that a setter sets; raises ApiError: 400 for a link to nothing."""
    given = dict(call.body)
    if call.id.endswith(".setEdgeSecurityPolicy"):
        given = {"edgeSecurityPolicy": given.get("securityPolicy")}
    check_links(call, collection_of(call), f"projects/{call.params['project']}", given)
    return with_full_links(call, given)


def insert(call: Call) -> JsonObject | None:
    """Answers `insert`: what it names must be there; raises ApiError: 400, 409."""
    check_links(call, collection_of(call), f"projects/{call.params['project']}", call.body)
    call.body = with_full_links(call, call.body)
    return call.answer_by_conventions()


def delete(call: Call) -> JsonObject | None:
    """Answers `delete`: nothing may name it; raises ApiError: 404, 400."""
    check_unused(call, named_row(call)[0])
    return call.answer_by_conventions()


def _delete_network(call: Call) -> JsonObject | None:
    """Answers `networks.delete`: that it is in use tells the operation; raises ApiError: 404."""
    key, row = named_row(call)
    try:
        check_unused(call, key)
    except ApiError as error:
        answer = own_resource(call).write_answer(call, "delete", key, row) or {}
        name = f"{place_of(key).project}/global/operations/{answer['name']}"
        kept = call.world.table(OPERATIONS).rows()[name]
        told = {"code": "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "message": error.message}
        failure: JsonObject = {
            "error": {"errors": [told]},
            "httpErrorStatusCode": 400,
            "httpErrorMessage": "BAD REQUEST",
        }
        call.world.put(OPERATIONS, name, {**kept, "outcome": {**kept["outcome"], **failure}})
        return answer
    return call.answer_by_conventions()


def change(call: Call) -> JsonObject | None:
    """Answers `patch` and `update`.

    Raises:
        ApiError: 404; 412 for a stale fingerprint, 400 for a link to nothing.
    """
    resource = own_resource(call)
    if "autoscaler" in call.params:  # named beside the path
        call.body.setdefault("name", call.params["autoscaler"])
    key, before = resource.require(call, resource.name_in(call))
    if "fingerprint" in call.body:
        check_fingerprint(
            call.body["fingerprint"], before.get("fingerprint"), "Invalid fingerprint."
        )
    check_links(call, collection_of(call), key, call.body)
    call.body = with_full_links(call, call.body)
    answer = call.answer_by_conventions()
    if "labelFingerprint" in before:  # the labels are the same, and so is their fingerprint
        after = call.world.table(resource.collection).rows()[key]
        kept = {"labelFingerprint": before["labelFingerprint"]}
        call.world.put(resource.collection, key, {**after, **kept})
    return answer


def labels(call: Call, row: JsonObject) -> JsonObject:
    """The fields that `setLabels` sets; raises ApiError: 412."""
    check_fingerprint(call.body.get("labelFingerprint"), row.get("labelFingerprint"), _STALE_LABELS)
    found = call.body.get("labels") or {}
    return {"labels": found, "labelFingerprint": fingerprint({"labels": found, "of": row["name"]})}


def metadata(call: Call, row: JsonObject) -> JsonObject:
    """The fields that `setMetadata` sets; raises ApiError: 412."""
    kept = row.get("metadata") or {}
    check_fingerprint(
        call.body.get("fingerprint"), kept.get("fingerprint"), _STALE.format("metadata")
    )
    return {"metadata": sealed_metadata(call.body)}


def sealed_metadata(given: JsonObject) -> JsonObject:
    """Metadata with their fingerprint."""
    items = given.get("items") or []
    return {"kind": "compute#metadata", "fingerprint": fingerprint(items), "items": items}


def tags(call: Call, row: JsonObject) -> JsonObject:
    """The fields that `setTags` sets; raises ApiError: 412."""
    kept = row.get("tags") or {}
    check_fingerprint(call.body.get("fingerprint"), kept.get("fingerprint"), _STALE.format("tags"))
    return {"tags": sealed_tags(call.body)}


def sealed_tags(given: JsonObject) -> JsonObject:
    """Tags with their fingerprint."""
    items = given.get("items") or []
    return {"fingerprint": fingerprint(items), **({"items": items} if items else {})}


_LABELLED = (
    "addresses", "disks", "externalVpnGateways", "forwardingRules", "globalAddresses",
    "globalForwardingRules", "images", "instances", "instantSnapshots", "interconnectAttachments",
    "interconnects", "machineImages", "regionDisks", "regionInstantSnapshots",
    "regionSecurityPolicies", "regionSnapshots", "securityPolicies", "snapshots",
    "targetVpnGateways", "vpnGateways", "vpnTunnels",
)  # fmt: skip
_INSERTED = (
    "addresses", "autoscalers", "backendServices", "firewalls", "forwardingRules",
    "globalForwardingRules", "instanceTemplates", "interconnectAttachments", "networkAttachments",
    "networkEndpointGroups", "nodeGroups", "regionAutoscalers", "regionBackendServices",
    "regionInstanceTemplates", "regionNetworkEndpointGroups", "regionTargetHttpProxies",
    "regionTargetHttpsProxies", "regionTargetTcpProxies", "regionUrlMaps", "routers", "routes",
    "serviceAttachments", "subnetworks", "targetGrpcProxies", "targetHttpProxies",
    "targetHttpsProxies", "targetPools", "targetSslProxies", "targetTcpProxies",
    "targetVpnGateways", "urlMaps", "vpnGateways", "vpnTunnels",
)  # fmt: skip
_DELETED = (
    "addresses", "backendBuckets", "backendServices", "disks", "externalVpnGateways",
    "forwardingRules", "globalAddresses", "globalForwardingRules", "healthChecks",
    "httpHealthChecks", "httpsHealthChecks", "instanceTemplates",
    "networkEndpointGroups", "nodeTemplates", "regionBackendServices", "regionDisks",
    "regionHealthChecks", "regionInstanceTemplates", "regionNetworkEndpointGroups",
    "regionSecurityPolicies", "regionSslCertificates", "regionSslPolicies",
    "regionTargetHttpProxies", "regionTargetHttpsProxies", "regionTargetTcpProxies",
    "regionUrlMaps", "resourcePolicies", "routers", "securityPolicies", "sslCertificates",
    "sslPolicies", "subnetworks", "targetGrpcProxies", "targetHttpProxies", "targetHttpsProxies",
    "targetPools", "targetSslProxies", "targetTcpProxies", "targetVpnGateways", "urlMaps",
    "vpnGateways", "vpnTunnels",
)  # fmt: skip
_PATCH, _BOTH = ("patch",), ("patch", "update")
_CHANGED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "forwardingRules", "globalForwardingRules", "networkAttachments",
            "regionSecurityPolicies", "regionSslPolicies", "regionTargetHttpsProxies",
            "securityPolicies", "serviceAttachments", "sslPolicies", "subnetworks",
            "targetGrpcProxies", "targetHttpProxies", "targetHttpsProxies",
        ),
        _PATCH,
    ),
    **dict.fromkeys(
        (
            "autoscalers", "backendServices", "firewalls", "regionAutoscalers",
            "regionBackendServices", "regionUrlMaps", "routers", "urlMaps",
        ),
        _BOTH,
    ),
}  # fmt: skip
_LINKED: Mapping[str, tuple[str, ...]] = {
    "backendServices": ("setSecurityPolicy", "setEdgeSecurityPolicy"),
    "forwardingRules": ("setTarget",),
    "globalForwardingRules": ("setTarget",),
    "regionBackendServices": ("setSecurityPolicy",),
    "regionTargetHttpProxies": ("setUrlMap",),
    "regionTargetHttpsProxies": ("setSslCertificates", "setUrlMap"),
    "targetHttpProxies": ("setUrlMap",),
    "targetHttpsProxies": ("setSslCertificates", "setSslPolicy", "setUrlMap"),
    "targetSslProxies": ("setBackendService", "setSslCertificates", "setSslPolicy"),
    "targetTcpProxies": ("setBackendService",),
}

OF_CHANGES: Mapping[str, Handler] = {
    **{f"compute.{each}.insert": insert for each in _INSERTED},
    "compute.networks.delete": _delete_network,
    **{f"compute.{each}.delete": delete for each in _DELETED},
    **{f"compute.{each}.{verb}": change for each, verbs in _CHANGED.items() for verb in verbs},
    **{
        f"compute.{each}.{verb}": setting(linked)
        for each, verbs in _LINKED.items()
        for verb in verbs
    },
    **{f"compute.{each}.setLabels": setting(labels) for each in _LABELLED},
}
"""Method id to what answers it."""

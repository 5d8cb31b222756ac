"""A project of Compute Engine with one resource of each collection, and what requests ask of it."""

from collections.abc import Mapping, Sequence
from typing import Any

PROJECT, ZONE, REGION = "projects/shop-prod", "europe-west1-b", "europe-west1"
_COLLECTIONS: Mapping[str, str] = {
    f"zones/{ZONE}": "autoscalers disks instanceGroupManagers instanceGroups instances "
    "instantSnapshots networkEndpointGroups nodeGroups",
    f"regions/{REGION}": "addresses forwardingRules interconnectAttachments networkAttachments "
    "nodeTemplates resourcePolicies routers serviceAttachments subnetworks targetPools "
    "targetVpnGateways vpnGateways vpnTunnels regionAutoscalers regionBackendServices regionDisks "
    "regionHealthChecks regionInstanceGroupManagers regionInstanceGroups regionInstanceTemplates "
    "regionInstantSnapshots regionNetworkEndpointGroups regionSecurityPolicies regionSnapshots "
    "regionSslCertificates regionSslPolicies regionTargetHttpProxies regionTargetHttpsProxies "
    "regionTargetTcpProxies regionUrlMaps",
    "global": "backendBuckets backendServices externalVpnGateways firewalls globalAddresses "
    "globalForwardingRules healthChecks httpHealthChecks httpsHealthChecks images "
    "instanceTemplates interconnects machineImages networks routes securityPolicies snapshots "
    "sslCertificates sslPolicies targetGrpcProxies targetHttpProxies targetHttpsProxies "
    "targetSslProxies targetTcpProxies urlMaps",
}
_MORE: Mapping[str, Mapping[str, Any]] = {
    "instances": {
        "status": "RUNNING",
        "disks": [{"deviceName": "data", "index": 1}],
        "networkInterfaces": [
            {"name": "nic0", "network": "global/networks/one"},
            {"name": "nic1", "accessConfigs": [{"name": "External NAT"}]},
        ],
    },
    "disks": {"sizeGb": "1"},
    "regionDisks": {"sizeGb": "1"},
    "subnetworks": {"ipCidrRange": "192.0.2.0/25"},
    "networks": {"autoCreateSubnetworks": True},
}


def _row(scope: str, collection: str, name: str, **fields: Any) -> dict[str, Any]:
    segment = collection
    for start in ("region", "global"):
        if collection.startswith(start):
            segment = collection[len(start)].lower() + collection[len(start) + 1 :]
    link = f"https://www.googleapis.com/compute/v1/{PROJECT}/{scope}/{segment}/{name}"
    return {"id": "7", "name": name, "selfLink": link, **_MORE.get(collection, {}), **fields}


ROWS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    collection: [
        _row(scope, collection, "one"),
        *(
            _row(scope, collection, name, status=status)
            for name, status in (("halted", "TERMINATED"), ("asleep", "SUSPENDED"))
            if collection == "instances"
        ),
        *([_row(scope, "disks", "spare")] if collection == "disks" else ()),
    ]
    for scope, several in _COLLECTIONS.items()
    for collection in several.split()
}
"""The rows of `resources`, by collection."""

_ONE = ("one", "none")
_NAMES = (
    "address autoscaler backendBucket backendService disk externalVpnGateway firewall "
    "forwardingRule healthCheck httpHealthCheck httpsHealthCheck instance instanceGroup "
    "instanceGroupManager instanceTemplate image network networkAttachment networkEndpointGroup "
    "nodeTemplate resource resourcePolicy router securityPolicy serviceAttachment sslCertificate "
    "sslPolicy subnetwork targetGrpcProxy targetHttpProxy targetHttpsProxy targetPool "
    "targetSslProxy targetTcpProxy targetVpnGateway urlMap vpnGateway vpnTunnel"
)
_USUAL: Mapping[str, Sequence[Any]] = {
    **dict.fromkeys(_NAMES.split(), _ONE),
    "acceleratorType": ("nvidia-l4", "none"),
    "diskType": ("pd-ssd", "none"),
    "machineType": ("e2-small", "none"),
    "project": ("shop-prod",),
    "zone": (ZONE,),
    "region": (REGION,),
    "networkInterface": ("nic0", "nic1"),
    "accessConfig": ("External NAT",),
    "deviceName": ("data", "none"),
    "size": (1, 0),
    "initialNodeCount": (1,),
    "autoDelete": (True,),
    "filter": ("",),
    "orderBy": ("",),
}
_STOPPED = {**_USUAL, "instance": ("halted", "one"), "resource": ("halted", "one")}
PARAMS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    **{
        f"compute.instances.{verb}": _STOPPED
        for verb in (
            "setMachineType",
            "setMachineResources",
            "setMinCpuPlatform",
            "setServiceAccount",
            "updateShieldedInstanceConfig",
            "updateDisplayDevice",
        )
    },
    "compute.instances.resume": {**_USUAL, "instance": ("asleep", "one")},
    "compute.instances.addAccessConfig": {**_USUAL, "networkInterface": ("nic0",)},
    "compute.instances.*AccessConfig": {**_USUAL, "networkInterface": ("nic1",)},
    "compute.instances.getEffectiveFirewalls": {**_USUAL, "networkInterface": ("nic0",)},
    **{f"compute.{each}Types.list": _USUAL for each in ("accelerator", "disk", "machine")},
    "compute.*": _USUAL,
}
"""Globs of methods to values of their parameters."""

_NEW = [{"name": "two"}, {"name": "one"}]
_LINKS = {
    "urlMap": "global/urlMaps/one",
    "sslCertificates": ["global/sslCertificates/one"],
    "sslPolicy": "global/sslPolicies/one",
    "service": "global/backendServices/one",
    "target": "global/targetHttpProxies/one",
    "securityPolicy": "global/securityPolicies/one",
}
_NO_LINKS = [{"description": "as it was"}]
BODIES: Mapping[str, Sequence[Any]] = {
    "compute.instances.attachDisk": [
        {"source": f"zones/{ZONE}/disks/spare"},
        {"source": f"zones/{ZONE}/disks/none"},
    ],
    "compute.instances.setMachineType": [{"machineType": f"zones/{ZONE}/machineTypes/e2-small"}],
    "compute.instances.updateNetworkInterface": [{"stackType": "IPV4_ONLY"}],
    "compute.instances.updateAccessConfig": [{"name": "External NAT", "publicPtrDomainName": "x."}],
    "compute.instances.addAccessConfig": [{"name": "External NAT"}],
    "compute.instances.setMetadata": [{"items": [{"key": "a", "value": "b"}]}],
    "compute.instances.setTags": [{"items": ["web"]}],
    "compute.*isks.resize": [{"sizeGb": "20"}, {"sizeGb": "0"}],
    "compute.*isks.createSnapshot": [{"name": "two"}],
    "compute.subnetworks.expand*": [{"ipCidrRange": "192.0.2.0/24"}, {"ipCidrRange": "x"}],
    "compute.images.deprecate": [{"state": "DEPRECATED"}],
    "compute.*.setLabels": [{"labels": {"team": "web"}}],
    "compute.*nstanceGroups.addInstances": [
        {"instances": [{"instance": f"zones/{ZONE}/instances/one"}]},
        {"instances": [{"instance": f"zones/{ZONE}/instances/none"}]},
    ],
    "compute.*nstanceGroupManagers.createInstances": [{"instances": [{"name": "two"}]}],
    "compute.*nstanceGroups.listInstances": [{"instanceState": "RUNNING"}, {}],
    "compute.*nstanceGroupManagers.setInstanceTemplate": [
        {"instanceTemplate": "global/instanceTemplates/one"},
        {"instanceTemplate": "global/instanceTemplates/none"},
    ],
    "compute.*.insert": _NEW,
    "compute.*utoscalers.patch": [{"name": "one"}],
    "compute.*.patch": _NO_LINKS,
    "compute.*.update": [{"name": "one", "description": "as it was"}],
    "compute.*": [_LINKS],
}
"""Globs of methods to bodies."""

MEMBERS: Mapping[str, str] = {
    f"compute.{each}": "members of groups are told by the calls that add them"
    for each in (
        "instanceGroups.removeInstances",
        *(f"*nstanceGroupManagers.{verb}Instances" for verb in ("delete", "abandon", "recreate")),
        "*nstanceGroupManagers.applyUpdatesToInstances",
    )
}
"""Methods that need a member, and why no prepared request reaches them."""

"""Compute Engine: states of instances, disks, groups, links, fingerprints, lists of all zones."""

from typing import Any

import pytest

from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from tests.mockserver.apis.workspace import Workspace

KEY = "compute:v1"
ZONE: JsonObject = {"project": "p", "zone": "z1-a"}
REGION: JsonObject = {"project": "p", "region": "z1"}
ALL: JsonObject = {"project": "p"}
VM: JsonObject = {**ZONE, "instance": "vm"}
TEMPLATE = {"machineType": "e2-small", "disks": [{"boot": True, "autoDelete": True}]}


class Project:
    """A project with a network, an instance in it and a disk."""

    def __init__(self) -> None:
        self.workspace = Workspace("compute")
        self.ask("networks.insert", ALL, {"name": "net", "autoCreateSubnetworks": False})
        subnet = {"name": "sub", "network": "global/networks/net", "ipCidrRange": "192.0.2.0/24"}
        self.ask("subnetworks.insert", REGION, subnet)
        self.ask("disks.insert", ZONE, {"name": "data", "sizeGb": "10"})
        boot = {"boot": True, "autoDelete": True, "initializeParams": {"diskSizeGb": "20"}}
        nic = {"subnetwork": "regions/z1/subnetworks/sub", "accessConfigs": [{}]}
        self.ask("instances.insert", ZONE,
                 {"name": "vm", "machineType": "zones/z1-a/machineTypes/e2-small",
                  "disks": [boot], "networkInterfaces": [nic]})  # fmt: skip

    def ask(self, method: str, params: JsonObject, body: JsonObject | None = None) -> Any:
        return self.workspace.ask(KEY, f"compute.{method}", body, **params)

    def vm(self) -> Any:
        return self.ask("instances.get", VM)

    def refused(self, method: str, params: JsonObject, body: JsonObject | None = None) -> str:
        with pytest.raises(ApiError) as caught:
            self.ask(method, params, body)
        return f"{caught.value.status} {caught.value.reason}"


@pytest.fixture
def project() -> Project:
    return Project()


def test_an_instance_has_what_it_did_not_ask_for(project: Project) -> None:
    vm = project.vm()
    nic = vm["networkInterfaces"][0]
    assert nic["network"].endswith("/projects/p/global/networks/net")
    assert nic["networkIP"].startswith("192.0.2.")
    assert nic["accessConfigs"][0]["natIP"].startswith("203.0.113.")
    disk = project.ask("disks.get", {**ZONE, "disk": "vm"})
    assert (disk["sizeGb"], disk["users"]) == ("20", [vm["selfLink"]])


@pytest.mark.parametrize(
    ("moves", "state"),
    [
        (["stop"], "TERMINATED"),
        (["stop", "start"], "RUNNING"),
        (["suspend"], "SUSPENDED"),
        (["suspend", "resume", "reset"], "RUNNING"),
        (["resume"], "400 resourceNotReady"),
        (["stop", "reset"], "400 resourceNotReady"),
        (["suspend", "start"], "400 resourceNotReady"),
    ],
)
def test_a_state_allows_what_it_allows(project: Project, moves: list[str], state: str) -> None:
    for verb in moves[:-1]:
        project.ask(f"instances.{verb}", VM)
    last = f"instances.{moves[-1]}"
    if state.startswith("400"):
        assert project.refused(last, VM) == state
        return
    project.ask(last, VM)
    assert project.vm()["status"] == state


def test_a_machine_type_is_of_a_stopped_instance(project: Project) -> None:
    body = {"machineType": "zones/z1-a/machineTypes/e2-medium"}
    assert project.refused("instances.setMachineType", VM, body) == "400 invalid"
    project.ask("instances.stop", VM)
    project.ask("instances.setMachineType", VM, body)
    project.ask("instances.setServiceAccount", VM, {"email": "robot@example.com", "scopes": ["a"]})
    project.ask("instances.updateDisplayDevice", VM, {"enableDisplay": True})
    vm = project.vm()
    assert vm["machineType"].endswith("/zones/z1-a/machineTypes/e2-medium")
    assert vm["serviceAccounts"] == [{"email": "robot@example.com", "scopes": ["a"]}]
    assert vm["displayDevice"] == {"enableDisplay": True}


@pytest.mark.parametrize(
    ("method", "param", "part", "body"),
    [
        ("setMetadata", "instance", "metadata", {"items": [{"key": "a", "value": "b"}]}),
        ("setTags", "instance", "tags", {"items": ["web"]}),
        ("setLabels", "resource", "", {"labels": {"a": "b"}}),
    ],
)
def test_a_stale_fingerprint_is_refused(
    project: Project, method: str, param: str, part: str, body: JsonObject
) -> None:
    name = "fingerprint" if part else "labelFingerprint"
    params = {**ZONE, param: "vm"}
    vm = project.vm()
    own = (vm[part] if part else vm)[name]
    assert project.refused(f"instances.{method}", params, body) == "412 conditionNotMet"
    project.ask(f"instances.{method}", params, {**body, name: own})
    assert project.refused(f"instances.{method}", params, {**body, name: own}).startswith("412")
    after = project.vm()
    assert (after[part] if part else after)[name] != own


def test_a_disk_is_attached_once_and_left_when_it_is_detached(project: Project) -> None:
    data = {**ZONE, "disk": "data"}
    source = {"source": "zones/z1-a/disks/data", "deviceName": "d"}
    project.ask("instances.attachDisk", VM, source)
    assert project.refused("disks.delete", data) == "400 resourceInUseByAnotherResource"
    again = {**source, "deviceName": "e"}
    assert project.refused("instances.attachDisk", VM, again).startswith("400 resourceInUse")
    nothing = {"source": "zones/z1-a/disks/none"}
    assert project.refused("instances.attachDisk", VM, nothing) == "400 invalid"
    assert project.refused("instances.attachDisk", VM, {}) == "400 invalid"
    boot = {**VM, "deviceName": "persistent-disk-0"}
    assert project.refused("instances.detachDisk", boot) == "400 invalid"
    assert project.refused("instances.detachDisk", {**VM, "deviceName": "x"}) == "400 invalid"
    project.ask("instances.setDiskAutoDelete", {**boot, "autoDelete": False})
    project.ask("instances.detachDisk", {**VM, "deviceName": "d"})
    assert "users" not in project.ask("disks.get", data)
    project.ask("disks.delete", data)


def test_a_disk_grows_and_is_kept_in_a_snapshot(project: Project) -> None:
    data = {**ZONE, "disk": "data"}
    assert project.refused("disks.resize", data, {"sizeGb": "5"}) == "400 invalid"
    project.ask("disks.resize", data, {"sizeGb": "50"})
    project.ask("disks.createSnapshot", data, {"name": "snap"})
    snapshot = project.ask("snapshots.get", {**ALL, "snapshot": "snap"})
    assert snapshot["diskSizeGb"] == "50"
    assert snapshot["sourceDisk"].endswith("/disks/data")
    small = {"name": "copy", "sourceSnapshot": "global/snapshots/snap", "sizeGb": "10"}
    assert project.refused("disks.insert", ZONE, small) == "400 invalid"
    project.ask("disks.insert", ZONE, {"name": "copy", "sourceSnapshot": "global/snapshots/snap"})
    assert project.ask("disks.get", {**ZONE, "disk": "copy"})["sizeGb"] == "50"


def test_what_is_in_use_stays(project: Project) -> None:
    subnet = {**REGION, "subnetwork": "sub"}
    network = {**ALL, "network": "net"}
    assert project.refused("subnetworks.delete", subnet) == "400 resourceInUseByAnotherResource"
    operation = project.ask("networks.delete", network)
    asked = {**ALL, "operation": operation["name"]}
    done = project.ask("globalOperations.wait", asked)
    assert done["error"]["errors"][0]["code"] == "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE"
    assert (done["status"], done["httpErrorStatusCode"]) == ("DONE", 400)
    project.ask("instances.setDeletionProtection",
                {**ZONE, "resource": "vm", "deletionProtection": True})  # fmt: skip
    assert project.refused("instances.delete", VM) == "400 invalidResourceUsage"
    project.ask("instances.setDeletionProtection",
                {**ZONE, "resource": "vm", "deletionProtection": False})  # fmt: skip
    project.ask("instances.delete", VM)
    assert project.refused("disks.get", {**ZONE, "disk": "vm"}) == "404 notFound"
    project.ask("subnetworks.delete", subnet)
    project.ask("networks.delete", network)
    assert project.refused("networks.get", network) == "404 notFound"
    assert project.refused("globalOperations.wait", {**ALL, "operation": "x"}) == "404 notFound"


def test_a_link_to_nothing_is_refused_where_it_is_known_what_there_is(project: Project) -> None:
    rule = {"name": "web", "network": "global/networks/none"}
    assert project.refused("firewalls.insert", ALL, rule) == "400 invalid"
    project.ask("firewalls.insert", ALL, {**rule, "network": "global/networks/net"})
    project.ask("firewalls.insert", ALL, {"name": "old", "network": "global/networks/default"})
    network = {**ALL, "network": "net"}
    found = project.ask("networks.getEffectiveFirewalls", network)["firewalls"]
    assert [each["name"] for each in found] == ["web"]
    nic = {**VM, "networkInterface": "nic0"}
    assert project.ask("instances.getEffectiveFirewalls", nic)["firewalls"] == found
    project.ask("backendServices.insert", ALL, {"name": "back"})  # any health check may be there
    service = {**ALL, "backendService": "back"}
    old = project.ask("backendServices.get", service)["fingerprint"]
    project.ask("backendServices.patch", service, {"timeoutSec": 5, "fingerprint": old})
    stale = {"timeoutSec": 6, "fingerprint": old}
    assert project.refused("backendServices.patch", service, stale) == "412 conditionNotMet"
    project.ask(
        "urlMaps.insert", ALL, {"name": "m", "defaultService": "global/backendServices/back"}
    )
    project.ask("targetHttpProxies.insert", ALL, {"name": "t", "urlMap": "global/urlMaps/m"})
    proxy, none = {**ALL, "targetHttpProxy": "t"}, {"urlMap": "global/urlMaps/none"}
    assert project.refused("targetHttpProxies.setUrlMap", proxy, none) == "400 invalid"
    project.ask("targetHttpProxies.setUrlMap", proxy, {"urlMap": "global/urlMaps/m"})
    assert project.refused("backendServices.delete", service).startswith("400 resourceInUse")


def test_a_subnetwork_grows_and_a_network_turns_custom_once(project: Project) -> None:
    subnet = {**REGION, "subnetwork": "sub"}
    for wrong in ("192.0.2.0/25", "192.0.2.0/24", "x"):
        body = {"ipCidrRange": wrong}
        assert project.refused("subnetworks.expandIpCidrRange", subnet, body) == "400 invalid"
    project.ask("subnetworks.expandIpCidrRange", subnet, {"ipCidrRange": "192.0.0.0/16"})
    assert project.ask("subnetworks.get", subnet)["ipCidrRange"] == "192.0.0.0/16"
    project.ask("networks.insert", ALL, {"name": "auto", "autoCreateSubnetworks": True})
    project.ask("networks.switchToCustomMode", {**ALL, "network": "auto"})
    again = project.refused("networks.switchToCustomMode", {**ALL, "network": "auto"})
    assert again == "400 invalid"
    project.ask("images.insert", ALL, {"name": "img", "family": "f"})
    image = {**ALL, "image": "img"}
    project.ask("images.deprecate", image, {"state": "DEPRECATED"})
    assert project.refused("images.getFromFamily", {**ALL, "family": "f"}) == "404 notFound"


def test_an_interface_has_one_outer_address(project: Project) -> None:
    nic = {**VM, "networkInterface": "nic0"}
    assert project.refused("instances.addAccessConfig", nic, {}) == "400 invalid"
    named = {**nic, "accessConfig": "External NAT"}
    project.ask("instances.updateAccessConfig", nic, {"publicPtrDomainName": "a.example.com."})
    project.ask("instances.deleteAccessConfig", named)
    assert project.refused("instances.deleteAccessConfig", named) == "400 invalid"
    project.ask("instances.addAccessConfig", nic, {"natIP": "203.0.113.9"})
    own = project.vm()["networkInterfaces"][0]
    assert own["accessConfigs"][0]["natIP"] == "203.0.113.9"
    stale = {"fingerprint": "AAAAAAAAAAA="}
    assert project.refused("instances.updateNetworkInterface", nic, stale).startswith("412")
    assert (
        project.refused("instances.addAccessConfig", {**nic, "networkInterface": "x"}, {})
        == "400 invalid"
    )


def test_members_of_a_group_are_instances(project: Project) -> None:
    project.ask("instanceGroups.insert", ZONE, {"name": "g"})
    group = {**ZONE, "instanceGroup": "g"}
    body = {"instances": [{"instance": "zones/z1-a/instances/vm"}]}
    assert project.refused("instanceGroups.removeInstances", group, body) == "400 memberNotFound"
    project.ask("instanceGroups.addInstances", group, body)
    assert project.refused("instanceGroups.addInstances", group, body) == "400 memberAlreadyExists"
    nobody = {"instances": [{"instance": "zones/z1-a/instances/none"}]}
    assert project.refused("instanceGroups.addInstances", group, nobody) == "404 notFound"
    project.ask("instanceGroups.setNamedPorts", group, {"namedPorts": [{"name": "a", "port": 1}]})
    project.ask("instances.stop", VM)
    [listed] = project.ask("instanceGroups.listInstances", group, {})["items"]
    assert (listed["status"], listed["namedPorts"][0]["port"]) == ("TERMINATED", 1)
    running = project.ask("instanceGroups.listInstances", group, {"instanceState": "RUNNING"})
    assert "items" not in running
    assert project.ask("instanceGroups.get", group)["size"] == 1
    project.ask("instances.delete", VM)
    assert "items" not in project.ask("instanceGroups.listInstances", group, {})
    project.ask("instanceGroups.delete", group)


@pytest.mark.parametrize("scope", [ZONE, REGION], ids=["zone", "region"])
def test_a_manager_makes_instances_of_its_template(project: Project, scope: JsonObject) -> None:
    managers = "instanceGroupManagers" if scope is ZONE else "regionInstanceGroupManagers"
    project.ask("instanceTemplates.insert", ALL, {"name": "t", "properties": TEMPLATE})
    template = {"instanceTemplate": "global/instanceTemplates/t"}
    project.ask(f"{managers}.insert", scope, {"name": "m", "targetSize": 2, **template})
    manager = {**scope, "instanceGroupManager": "m"}

    def names() -> list[str]:
        found = project.ask(f"{managers}.listManagedInstances", manager)
        return [each["instance"] for each in found.get("managedInstances", ())]

    assert len(names()) == 2
    used = project.refused("instanceTemplates.delete", {**ALL, "instanceTemplate": "t"})
    assert used == "400 resourceInUseByAnotherResource"
    project.ask(f"{managers}.resize", {**manager, "size": 3})
    assert project.refused(f"{managers}.resize", {**manager, "size": -1}) == "400 invalid"
    first, second, _ = names()
    project.ask(f"{managers}.recreateInstances", manager, {"instances": [first]})
    project.ask(f"{managers}.deleteInstances", manager, {"instances": [first]})
    project.ask(f"{managers}.abandonInstances", manager, {"instances": [second]})
    assert project.refused(f"{managers}.deleteInstances", manager, {"instances": [second]}) == (
        "400 memberNotFound"
    )
    project.ask(f"{managers}.createInstances", manager, {"instances": [{"name": "extra"}]})
    assert project.ask(f"{managers}.get", manager)["targetSize"] == len(names()) == 2
    project.ask(f"{managers}.setInstanceTemplate", manager, template)
    project.ask(f"{managers}.delete", manager)
    left = project.ask("instances.aggregatedList", ALL)["items"]["zones/z1-a"]["instances"]
    assert sorted(each["name"] for each in left) == sorted(["vm", second.rpartition("/")[2]])


def test_a_list_of_all_zones_is_by_zone_and_in_pages(project: Project) -> None:
    other = {"project": "p", "zone": "z2-b"}
    project.ask("disks.insert", other, {"name": "far"})
    project.ask("regionDisks.insert", REGION, {"name": "wide", "sizeGb": "10"})
    found = project.ask("disks.aggregatedList", ALL)["items"]
    told = {
        scope: [each["name"] for each in inside["disks"]]
        for scope, inside in found.items()
        if "warning" not in inside
    }
    assert told == {"zones/z1-a": ["data", "vm"], "zones/z2-b": ["far"], "regions/z1": ["wide"]}
    first = project.ask("disks.aggregatedList", {**ALL, "maxResults": 3})
    last = {**ALL, "maxResults": 3, "pageToken": first["nextPageToken"]}
    assert list(project.ask("disks.aggregatedList", last)["items"]) == ["regions/z1"]
    named = project.ask("disks.aggregatedList", {**ALL, "filter": "name=far"})["items"]
    assert next(iter(named)) == "zones/z2-b"


EAST: JsonObject = {"project": "p", "zone": "us-east1-b"}


@pytest.mark.parametrize(
    ("name", "cpus", "megabytes"),
    [
        ("f1-micro", 1, 614), ("g1-small", 1, 1740), ("e2-micro", 2, 1024),
        ("e2-medium", 2, 4096), ("e2-standard-4", 4, 16_384), ("e2-highcpu-8", 8, 8192),
        ("e2-highmem-16", 16, 131_072), ("n1-standard-1", 1, 3840), ("n1-highmem-2", 2, 13_312),
        ("n1-highcpu-2", 2, 1843), ("n1-highcpu-8", 8, 7373), ("n2-standard-80", 80, 327_680),
        ("n2-highmem-128", 128, 884_736),
        ("n2-highcpu-2", 2, 2048), ("n2-highmem-64", 64, 524_288),
        ("n2d-standard-224", 224, 917_504), ("n2d-highcpu-32", 32, 32_768),
        ("c2-standard-60", 60, 245_760), ("c2d-highmem-8", 8, 65_536),
        ("c3-highcpu-176", 176, 360_448), ("c3-highmem-22", 22, 180_224),
        ("c3-standard-88", 88, 360_448), ("g2-standard-12", 12, 49_152),
        ("t2d-standard-48", 48, 196_608),
    ],
)  # fmt: skip
def test_a_type_of_machines_has_its_cpus_and_memory(name: str, cpus: int, megabytes: int) -> None:
    found = Project().ask("machineTypes.get", {**EAST, "machineType": name})
    is_small = name in {"f1-micro", "g1-small", "e2-micro", "e2-medium"}
    assert (found["name"], found["guestCpus"], found["memoryMb"]) == (name, cpus, megabytes)
    assert found["maximumPersistentDisks"] == (16 if is_small else 128)
    assert found["description"].startswith(f"{cpus} vCPU{'s' * (cpus > 1)}, ")


@pytest.mark.parametrize(
    ("method", "params", "field", "value"),
    [
        ("zones.get", EAST, "region", "us-east1"),
        ("regions.get", {"project": "p", "region": "us-east1"}, "zones", "us-east1-d"),
        ("machineTypes.get", {**EAST, "machineType": "n1-standard-2"}, "memoryMb", 7680),
        ("diskTypes.get", {**EAST, "diskType": "pd-ssd"}, "zone", "us-east1-b"),
        ("acceleratorTypes.get", {**EAST, "acceleratorType": "nvidia-l4"}, "name", "nvidia-l4"),
    ],
)
def test_every_project_has_zones_and_types(
    method: str, params: JsonObject, field: str, value: Any
) -> None:
    project = Project()
    found = project.ask(method, params)[field]
    last = found[-1] if isinstance(found, list) else found
    assert (last.rpartition("/")[2] if isinstance(last, str) else last) == value
    listed = project.ask(method.replace(".get", ".list"), {**params, "maxResults": 2})
    assert len(listed["items"]) == 2
    assert listed["nextPageToken"]


def test_what_no_zone_has_is_missing_and_a_snapshot_is_believed(project: Project) -> None:
    assert project.refused("zones.get", ZONE) == "404 notFound"
    assert project.refused("machineTypes.list", ZONE) == "404 notFound"
    nothing = {**EAST, "machineType": "e9-huge"}
    assert project.refused("machineTypes.get", nothing) == "404 notFound"
    own = "projects/p/zones/us-east1-b/machineTypes/own-1"
    project.workspace.world.put("compute:v1/machineTypes", own, {"name": "own-1", "guestCpus": 7})
    several = project.ask("machineTypes.list", EAST)["items"]
    assert [each["name"] for each in several] == ["own-1"]


def test_lists_tell_their_links_and_places_with_nothing(project: Project) -> None:
    path = "projects/p/zones/z1-a/instances"
    found = project.ask("instances.list", ZONE)
    assert (found["id"], found["selfLink"]) == (
        path, f"https://www.googleapis.com/compute/v1/{path}",
    )  # fmt: skip
    items = project.ask("instances.aggregatedList", ALL)["items"]
    assert [each["name"] for each in items["zones/z1-a"]["instances"]] == ["vm"]
    assert items["zones/us-east1-b"]["warning"]["code"] == "NO_RESULTS_ON_PAGE"

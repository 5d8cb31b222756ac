"""Instances and disks: states, what each state allows, disks that come and go with instances.

Source: reference pages and recordings; not verified against the live API: texts of refusals, and
addresses of network interfaces.
"""

from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Network, ip_network

from mockserver.apis.compute.changes import (
    check_fingerprint,
    fingerprint,
    make_row,
    metadata,
    put_row,
    sealed_metadata,
    sealed_tags,
    setting,
    tags,
)
from mockserver.apis.compute.links import (
    check_links,
    find_linked,
    full_link,
    place_of,
    resource_path,
    rows_that_name,
    table_of,
    user_of,
)
from mockserver.googleapi import ApiError, Call, Handler, invalid
from mockserver.googleapi.collections import named_row, own_resource
from mockserver.googleapi.list_rules import field_of
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_USUAL_NETWORK = ip_network("10.128.0.0/20")
_USUAL_SIZE = "10"
_STATES: Mapping[str, tuple[tuple[str, ...], str, str]] = {
    "start": (("TERMINATED", "RUNNING"), "RUNNING", "lastStartTimestamp"),
    "startWithEncryptionKey": (("TERMINATED", "RUNNING"), "RUNNING", "lastStartTimestamp"),
    "stop": (("RUNNING", "TERMINATED", "SUSPENDED"), "TERMINATED", "lastStopTimestamp"),
    "suspend": (("RUNNING",), "SUSPENDED", "lastSuspendedTimestamp"),
    "resume": (("SUSPENDED",), "RUNNING", "lastStartTimestamp"),
    "reset": (("RUNNING",), "RUNNING", ""),
    "simulateMaintenanceEvent": (("RUNNING",), "RUNNING", ""),
    "sendDiagnosticInterrupt": (("RUNNING",), "RUNNING", ""),
    "performMaintenance": (("RUNNING",), "RUNNING", ""),
}
"""What an instance must be, what it becomes, and what tells when."""


def not_ready(path: str) -> ApiError:
    """What refuses a method that the state of a resource does not allow."""
    return ApiError(400, f"The resource '{path}' is not ready", reason="resourceNotReady")


def _move(call: Call) -> JsonObject | None:
    """Answers what brings an instance into a state; raises ApiError: 404, 400."""
    found = named_row(call)
    verb = call.id.rpartition(".")[2]
    before, after, field = _STATES[verb]
    state = found[1].get("status", "RUNNING")
    if state not in before:
        raise not_ready(found[0])
    fields: JsonObject = {"status": after}
    if field and state != after:
        fields[field] = rfc3339(call.world.clock.now())
    answer = put_row(call, found, fields)
    return None if verb == "sendDiagnosticInterrupt" else answer


def _of_stopped(fields: Callable[[Call, JsonObject], JsonObject]) -> Handler:
    """The handler of a setter that only a stopped instance allows."""

    def checked(call: Call, row: JsonObject) -> JsonObject:
        if row.get("status", "RUNNING") != "TERMINATED":
            raise invalid(
                f"Instance '{row.get('name')}' is not stopped: stop it before this change."
            )
        return fields(call, row)

    return setting(checked)


def _project(call: Call) -> str:
    return f"projects/{call.params['project']}"


def _machine_type(call: Call, row: JsonObject) -> JsonObject:
    return {"machineType": _in_zone(call, "machineTypes", str(call.body.get("machineType", "")))}


def _in_zone(call: Call, collection: str, given: str) -> str:
    """The link to something of the zone of a call, by its name or a part of its link."""
    zone = f"projects/{call.params['project']}/zones/{call.params.get('zone')}"
    if given.startswith(("https:", "projects/")) or not given:
        return given
    return full_link(call, resource_path(given, zone) or f"{zone}/{collection}/{given}")


def _plain(*names: str) -> Callable[[Call, JsonObject], JsonObject]:
    """The fields of a body that are fields of a row."""
    return lambda call, row: {name: call.body[name] for name in names if name in call.body}


def _into(field: str) -> Callable[[Call, JsonObject], JsonObject]:
    """The one field that a body is, over what it was."""
    return lambda call, row: {field: {**(row.get(field) or {}), **call.body}}


def _service_account(call: Call, row: JsonObject) -> JsonObject:
    if not call.body.get("email"):
        return {"serviceAccounts": []}
    return {
        "serviceAccounts": [{"email": call.body["email"], "scopes": call.body.get("scopes", [])}]
    }


def _protection(call: Call, row: JsonObject) -> JsonObject:
    return {"deletionProtection": call.params.get("deletionProtection", True)}


# Disks of instances


def _device(row: JsonObject, name: str) -> tuple[list[JsonObject], JsonObject]:
    """The disks of an instance, and the one of a device; raises ApiError: 400."""
    disks = list(row.get("disks") or ())
    for each in disks:
        if each.get("deviceName") == name:
            return disks, each
    raise invalid(f"Invalid value for field 'deviceName': '{name}'. No such attached disk.")


def _attached(call: Call, key: str, given: JsonObject, index: int, name: str) -> JsonObject:
    """A disk as an instance has it, made where the instance asks for a new one."""
    disk = {field: value for field, value in given.items() if field != "initializeParams"}
    new = given.get("initializeParams")
    link = full_link(call, key)
    if new is not None or not given.get("source"):
        if given.get("type") == "SCRATCH":
            return {**disk, "index": index, "kind": "compute#attachedDisk"}
        new = new or {}
        own = str(new.get("diskName") or (name if index == 0 else f"{name}-{index}"))
        size = str(new.get("diskSizeGb") or given.get("diskSizeGb") or _USUAL_SIZE)
        body: JsonObject = {"name": own, "sizeGb": size, "users": [link]}
        body["type"] = _in_zone(call, "diskTypes", str(new.get("diskType") or "pd-standard"))
        body |= {field: new[field] for field in ("sourceImage", "labels") if new.get(field)}
        make_row(call, "disks", {"zone": place_of(key).scope.partition("/")[2]}, body)
        disk["source"] = full_link(call, f"{key.rpartition('/instances/')[0]}/disks/{own}")
        disk["diskSizeGb"] = size
    else:
        found = find_linked(call, given["source"], key)
        if found is not None:
            table, place, row = found
            user = user_of(call, place, "instances")
            if user and disk.get("mode", "READ_WRITE") == "READ_WRITE":
                text = f"The disk resource '{place}' is already being used by '{user}'"
                raise ApiError(400, text, reason="resourceInUseByAnotherResource")
            call.world.put(table, place, {**row, "users": [*(row.get("users") or ()), link]})
            disk["diskSizeGb"] = str(row.get("sizeGb") or _USUAL_SIZE)
    usual: JsonObject = {
        "autoDelete": False,
        "boot": False,
        "deviceName": f"persistent-disk-{index}",
        "interface": "SCSI",
        "mode": "READ_WRITE",
        "type": "PERSISTENT",
    }
    return {**usual, **disk, "index": index, "kind": "compute#attachedDisk"}


def _attach(call: Call) -> JsonObject | None:
    """Answers `attachDisk`; raises ApiError: 404, 400 for a disk that is in use or is not there."""
    key, row = found = named_row(call)
    check_links(call, "instances", key, {"disks": [call.body]})
    if not call.body.get("source"):
        raise invalid("Invalid value for field 'resource.source': ''. A disk must be named.")
    disks = list(row.get("disks") or ())
    index = 1 + max((int(each.get("index", -1)) for each in disks), default=-1)
    new = _attached(call, key, call.body, index, str(row["name"]))
    if any(each.get("deviceName") == new["deviceName"] for each in disks):
        raise invalid(f"The device name '{new['deviceName']}' is already in use.")
    return put_row(call, found, {"disks": [*disks, new]})


def _detach(call: Call) -> JsonObject | None:
    """Answers `detachDisk`: the disk stays; raises ApiError: 404, 400."""
    key, row = found = named_row(call)
    disks, gone = _device(row, str(call.params.get("deviceName")))
    if gone.get("boot") and row.get("status", "RUNNING") != "TERMINATED":
        raise invalid("Cannot detach the boot disk of an instance that is not stopped.")
    _release(call, key, gone)
    return put_row(call, found, {"disks": [each for each in disks if each is not gone]})


def _release(call: Call, key: str, disk: JsonObject) -> None:
    """Have a disk forget an instance that uses it."""
    found = find_linked(call, disk.get("source"), key)
    if found is not None:
        table, place, row = found
        users = [each for each in row.get("users") or () if resource_path(each, key) != key]
        rest = {name: value for name, value in row.items() if name != "users"}
        call.world.put(table, place, {**rest, **({"users": users} if users else {})})


def _auto_delete(call: Call, row: JsonObject) -> JsonObject:
    disks, one = _device(row, str(call.params.get("deviceName")))
    changed = {**one, "autoDelete": call.params.get("autoDelete", True)}
    return {"disks": [changed if each is one else each for each in disks]}


# Network interfaces


def _interface(call: Call, key: str, given: JsonObject, index: int) -> JsonObject:
    """A network interface with the network of its subnetwork and an address in it."""
    nic: JsonObject = {"name": f"nic{index}", "stackType": "IPV4_ONLY", **given}
    project = place_of(key).project
    subnetwork = find_linked(call, given.get("subnetwork"), key)
    if subnetwork is not None:
        nic.setdefault("network", subnetwork[2].get("network"))
    elif not given.get("network"):
        nic["network"] = full_link(call, f"{project}/global/networks/default")
    for field in ("network", "subnetwork"):
        link = str(nic.get(field) or "")
        path = "" if link.startswith("projects/") else resource_path(link, key)
        nic |= {field: full_link(call, path)} if path else {}
    if "networkIP" not in nic:
        block = ip_network(str((subnetwork or ("", "", {}))[2].get("ipCidrRange", _USUAL_NETWORK)))
        nic["networkIP"] = _free_address(call, block)
    accesses = [
        {"kind": "compute#accessConfig", "name": "External NAT", "type": "ONE_TO_ONE_NAT"}
        | {"networkTier": "PREMIUM", "natIP": _outer_address(call), **each}
        for each in given.get("accessConfigs") or ()
    ]
    nic |= {"accessConfigs": accesses} if accesses else {}
    return {"kind": "compute#networkInterface", **nic, "fingerprint": fingerprint(nic)}


def _free_address(call: Call, block: object) -> str:
    """The first address of a block, from as many as there are instances on, that nobody has."""
    table = call.world.table(table_of(call, "instances"))
    network = block if isinstance(block, IPv4Network) else _USUAL_NETWORK
    place, size = len(table) + 2, network.num_addresses
    for number in range(place, place + min(size, 1000)):
        found = str(network[number % max(size - 1, 1)])
        if not field_of("networkInterfaces.networkIP").equal(table, [found]).places():
            return found
    raise ApiError(400, f"IP space of '{network}' is exhausted.", reason="ipSpaceExhausted")


def _outer_address(call: Call) -> str:
    return f"203.0.113.{int(call.world.ids.hex('address', 2), 16) % 254 + 1}"


def _nic(row: JsonObject, name: str) -> tuple[list[JsonObject], JsonObject]:
    """The interfaces of an instance, and the one of a name; raises ApiError: 400."""
    several = list(row.get("networkInterfaces") or ())
    for each in several:
        if each.get("name") == name:
            return several, each
    raise invalid(f"Invalid value for field 'networkInterface': '{name}'. No such interface.")


def _with_nic(several: list[JsonObject], one: JsonObject, fields: JsonObject) -> JsonObject:
    changed = {**one, **fields}
    changed["fingerprint"] = fingerprint({**changed, "fingerprint": None})
    return {"networkInterfaces": [changed if each is one else each for each in several]}


def _add_access(call: Call, row: JsonObject) -> JsonObject:
    several, one = _nic(row, str(call.params.get("networkInterface")))
    if one.get("accessConfigs"):
        raise invalid("At most one access config currently supported.")
    usual = {"kind": "compute#accessConfig", "name": "External NAT", "type": "ONE_TO_ONE_NAT"}
    access = {**usual, "natIP": _outer_address(call), "networkTier": "PREMIUM", **call.body}
    return _with_nic(several, one, {"accessConfigs": [access]})


def _change_access(call: Call, row: JsonObject) -> JsonObject:
    """What `updateAccessConfig` and `deleteAccessConfig` set; raises ApiError: 400."""
    several, one = _nic(row, str(call.params.get("networkInterface")))
    name = str(call.params.get("accessConfig") or call.body.get("name") or "External NAT")
    kept = list(one.get("accessConfigs") or ())
    if all(each.get("name") != name for each in kept):
        raise invalid(f"Invalid value for field 'accessConfig': '{name}'. It does not exist.")
    if call.id.endswith(".deleteAccessConfig"):
        rest = [each for each in kept if each.get("name") != name]
    else:
        rest = [{**each, **call.body} if each.get("name") == name else each for each in kept]
    return _with_nic(several, one, {"accessConfigs": rest})


def _change_nic(call: Call, row: JsonObject) -> JsonObject:
    several, one = _nic(row, str(call.params.get("networkInterface")))
    text = "Supplied fingerprint does not match current network interface fingerprint."
    check_fingerprint(call.body.get("fingerprint"), one.get("fingerprint"), text)
    check_links(
        call, "instances", "projects/" + call.params["project"], {"networkInterfaces": [call.body]}
    )
    return _with_nic(several, one, call.body)


# Instances


def complete_instance(call: Call, key: str, given: JsonObject) -> JsonObject:
    """A new instance with its disks, interfaces and fingerprints; its new disks are made.

    Raises:
        ApiError: 400 for a link to nothing and for a disk that is in use, 409 for a disk's name.
    """
    check_links(call, "instances", key, given)
    name = str(given.get("name", ""))
    row: JsonObject = {"deletionProtection": False, "startRestricted": False, **given}
    now = rfc3339(call.world.clock.now())
    row |= {"status": "RUNNING", "lastStartTimestamp": now, "cpuPlatform": "Intel Broadwell"}
    if "/" in str(given.get("machineType")):
        row["machineType"] = _in_zone(call, "machineTypes", str(given["machineType"]))
    nics: Sequence[JsonObject] = given.get("networkInterfaces") or ({},)
    row["networkInterfaces"] = [_interface(call, key, each, at) for at, each in enumerate(nics)]
    row["metadata"] = sealed_metadata(given.get("metadata") or {})
    row["tags"] = sealed_tags(given.get("tags") or {})
    disks = enumerate(given.get("disks") or ())
    row["disks"] = [_attached(call, key, each, at, name) for at, each in disks]
    usual = {"automaticRestart": True, "onHostMaintenance": "MIGRATE", "preemptible": False}
    row["scheduling"] = {**usual, **(given.get("scheduling") or {})}
    return row


def _insert(call: Call) -> JsonObject | None:
    """Answers `insert`; raises ApiError: 400, 409."""
    zone, name = str(call.params["zone"]), str(call.body.get("name", ""))
    key = f"projects/{call.params['project']}/zones/{zone}/instances/{name}"
    if name and key not in call.world.table(table_of(call, "instances")):
        call.body = complete_instance(call, key, call.body)
    return call.answer_by_conventions()


def remove_instance(call: Call, key: str, row: JsonObject) -> None:
    """Delete the disks that go with an instance, and take it out of its groups."""
    for disk in row.get("disks") or ():
        found = find_linked(call, disk.get("source"), key)
        if disk.get("autoDelete") and found is not None:
            call.world.delete(*found[:2])
        else:
            _release(call, key, disk)
    members = table_of(call, MEMBERS)
    table = call.world.table(members)
    path = full_link(call, key)
    for _, _, place in field_of("instance").equal(table, [path]).places():
        call.world.delete(members, place)


MEMBERS = "instanceGroupMembers"
"""The collection of the instances in groups, which `listInstances` reads."""


def _delete(call: Call) -> JsonObject | None:
    """Answers `delete`; raises ApiError: 404, 400 for a protected instance."""
    key, row = named_row(call)
    if row.get("deletionProtection"):
        text = "Resource cannot be deleted if it's protected against deletion."
        raise invalid(f"Invalid resource usage: '{text}'", reason="invalidResourceUsage")
    remove_instance(call, key, row)
    return call.answer_by_conventions()


def _firewalls(call: Call) -> JsonObject:
    """Answers `getEffectiveFirewalls`: the rules of the network, or of an instance's network."""
    noun = call.id.split(".")[1]
    own = own_resource(call, f"compute.{noun}.get")
    key, row = own.require(call, own.name_in(call))
    if noun == "instances":
        nic = _nic(row, str(call.params.get("networkInterface")))[1]
        key = resource_path(str(nic.get("network", "")), key)
    rows = rows_that_name(call, "firewalls", key)
    return {"firewalls": rows} if rows else {}


# Disks by themselves


def _insert_disk(call: Call) -> JsonObject | None:
    """Answers `disks.insert`: of a type and a size; raises ApiError: 400 for no source."""
    check_links(call, "disks", "projects/" + call.params["project"], call.body)
    source = find_linked(
        call,
        call.body.get("sourceSnapshot") or call.body.get("sourceImage"),
        "projects/" + call.params["project"],
    )
    size = (source or ("", "", {}))[2].get("diskSizeGb")
    if not call.body.get("sizeGb") and size:
        call.body["sizeGb"] = str(size)
    if size and int(call.body["sizeGb"]) < int(size):
        raise invalid(
            f"Invalid value for field 'resource.sizeGb': '{call.body['sizeGb']}'. "
            f"Requested disk size cannot be smaller than the source's ({size} GB)."
        )
    return call.answer_by_conventions()


def _resize(call: Call, row: JsonObject) -> JsonObject:
    size, before = int(call.body.get("sizeGb") or 0), int(row.get("sizeGb") or 0)
    if size <= before:
        raise invalid(
            f"Invalid value for field 'sizeGb': '{size}'. New disk size must be larger than the "
            f"current size ({before} GB)."
        )
    return {"sizeGb": str(size)}


def _wider(call: Call, row: JsonObject) -> JsonObject:
    """What `expandIpCidrRange` sets; raises ApiError: 400 for a range without the one there is."""
    asked, before = str(call.body.get("ipCidrRange", "")), str(row.get("ipCidrRange", ""))
    try:
        new, old = IPv4Network(asked), IPv4Network(before or asked)
    except ValueError as error:
        raise invalid(f"Invalid value for field 'ipCidrRange': '{asked}'.") from error
    if not (old.subnet_of(new) and old != new) and before:
        raise invalid(f"Invalid value for field 'ipCidrRange': '{asked}' does not widen {before}.")
    return {"ipCidrRange": asked}


def _custom(call: Call, row: JsonObject) -> JsonObject:
    """What `switchToCustomMode` sets; raises ApiError: 400 for a network that is no auto one."""
    if not row.get("autoCreateSubnetworks"):
        raise invalid(f"Network '{row.get('name')}' is not in auto subnet mode.")
    return {"autoCreateSubnetworks": False}


def _snapshot(call: Call) -> JsonObject | None:
    """Answers `createSnapshot`; raises ApiError: 404, 409."""
    key, row = found = named_row(call)
    body: JsonObject = {
        **call.body,
        "sourceDisk": full_link(call, key),
        "sourceDiskId": str(row.get("id", "")),
        "diskSizeGb": str(row.get("sizeGb") or _USUAL_SIZE),
        "status": "READY",
        "labelFingerprint": fingerprint(call.body.get("labels") or {}),
        **dict.fromkeys(("storageBytes", "creationSizeBytes", "downloadBytes"), "0"),
    }
    make_row(call, "snapshots", {}, body)
    return put_row(call, found, {})


_SETTERS: Mapping[str, Callable[[Call, JsonObject], JsonObject]] = {
    "setMetadata": metadata,
    "setTags": tags,
    "setScheduling": _into("scheduling"),
    "setShieldedInstanceIntegrityPolicy": _into("shieldedInstanceIntegrityPolicy"),
    "setDeletionProtection": _protection,
    "setDiskAutoDelete": _auto_delete,
    "addAccessConfig": _add_access,
    "updateAccessConfig": _change_access,
    "deleteAccessConfig": _change_access,
    "updateNetworkInterface": _change_nic,
}
_STOPPED_SETTERS: Mapping[str, Callable[[Call, JsonObject], JsonObject]] = {
    "setMachineType": _machine_type,
    "setMachineResources": _plain("guestAccelerators"),
    "setMinCpuPlatform": _plain("minCpuPlatform"),
    "setServiceAccount": _service_account,
    "updateShieldedInstanceConfig": _into("shieldedInstanceConfig"),
    "updateDisplayDevice": _into("displayDevice"),
}
OF_INSTANCES: Mapping[str, Handler] = {
    "compute.networks.switchToCustomMode": setting(_custom),
    "compute.subnetworks.expandIpCidrRange": setting(_wider),
    "compute.images.deprecate": setting(lambda call, row: {"deprecated": call.body}),
    "compute.instances.insert": _insert,
    "compute.instances.delete": _delete,
    "compute.instances.attachDisk": _attach,
    "compute.instances.detachDisk": _detach,
    "compute.instances.getEffectiveFirewalls": _firewalls,
    "compute.networks.getEffectiveFirewalls": _firewalls,
    **{f"compute.instances.{verb}": _move for verb in _STATES},
    **{f"compute.instances.{verb}": setting(each) for verb, each in _SETTERS.items()},
    **{f"compute.instances.{verb}": _of_stopped(each) for verb, each in _STOPPED_SETTERS.items()},
    **{
        f"compute.{disks}.{verb}": answer
        for disks in ("disks", "regionDisks")
        for verb, answer in (
            ("insert", _insert_disk),
            ("resize", setting(_resize)),
            ("createSnapshot", _snapshot),
        )
    },
}
"""Method id to what answers it."""

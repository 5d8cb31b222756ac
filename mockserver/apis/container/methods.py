"""What conventions do not tell of Kubernetes Engine: sizes, versions, and when they may change.

Source: reference pages, recordings of the beta, and messages that tools of its users quote. Not
verified against the live API: refusals of names, of versions that are older, and of what Autopilot
does not do.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

from mockserver.apis.container.state import (
    CLUSTER_TABLE,
    DEFAULT_VERSION,
    POOL_TABLE,
    VERSIONS,
    count_nodes,
    pending_change,
    pools_of,
    version_key,
    with_pool_state,
    with_states,
    zones_of,
)
from mockserver.collections.places import value_at
from mockserver.googleapi import ApiError, Call, Handler, failed_precondition, invalid
from mockserver.googleapi.collections import Found, own_resource
from mockserver.model import JsonObject
from mockserver.state import OPERATIONS, project_names

_PLACE = "container.projects.locations"
_CLUSTERS, _POOLS = f"{_PLACE}.clusters", f"{_PLACE}.clusters.nodePools"
_NAME = re.compile(r"[a-z](?:[-a-z0-9]{0,38}[a-z0-9])?")
_NOTHING = "Must specify a field to update."
Fields = Callable[[Call, JsonObject], JsonObject]
"""The fields that a method sets, given the call and the row as it is; raises ApiError."""


def _cluster(call: Call) -> Found:
    """The cluster that a call is about; raises ApiError: 404."""
    name = str(call.params.get("name") or call.params.get("parent") or "")
    resource = own_resource(call, f"{_CLUSTERS}.get")
    return resource.require(call, name.partition("/nodePools/")[0])


def _idle_cluster(call: Call) -> Found:
    """The same, of which nothing is being made or changed; raises ApiError: 404, 400."""
    found = _cluster(call)
    done = pending_change(call, found[0])
    if done is None:
        return found
    if done.get("operationType") == "CREATE_CLUSTER":
        raise failed_precondition(
            f"Operation {done['name']} is currently creating cluster {found[1]['name']}. "
            "Please wait and try again once it is done."
        )
    raise failed_precondition(f"Cluster is running incompatible operation {done['name']}.")


def _with_own_pools(call: Call) -> Found:
    """The same, whose node pools callers may change; raises ApiError: 404, 400."""
    found = _idle_cluster(call)
    if value_at(found[1], ("autopilot", "enabled")):
        raise invalid("Autopilot clusters do not support mutating node pools.")
    return found


def _check_name(what: str, given: JsonObject) -> str:
    name = str(given.get("name") or "")
    if not name:
        raise invalid(f"{what}.name must be specified.")
    if not _NAME.fullmatch(name):
        raise invalid(
            f'Invalid value for field "{what.lower()}.name": "{name}". Must be a match of regex '
            f"'{_NAME.pattern}'."
        )
    return name


def _check_free(call: Call, table: str, name: str) -> None:
    if any(each in call.world.table(table) for each in project_names(call.world, name)):
        raise ApiError(409, f"Already exists: {name}.", reason="alreadyExists")


def _version(asked: str, usual: str = DEFAULT_VERSION) -> str:
    """The version that a request means; raises ApiError: 400 for none that is offered."""
    if asked in {"", "-"}:
        return usual
    if asked == "latest":
        return VERSIONS[0]
    for each in VERSIONS:
        if each == asked or each.startswith((f"{asked}.", f"{asked}-")):
            return each
    raise invalid(f'No valid versions with the prefix "{asked}" found.')


# Clusters


def _create(call: Call) -> JsonObject:
    parent, given = str(call.params["parent"]), dict(call.body.get("cluster") or {})
    name = f"{parent}/clusters/{_check_name('Cluster', given)}"
    _check_free(call, CLUSTER_TABLE, name)
    several = given.get("nodePools") or ()
    count = int(given.get("initialNodeCount") or 0)
    is_autopilot = bool(value_at(given, ("autopilot", "enabled")))
    if not several and count < 1 and not is_autopilot:
        raise invalid("Cluster.initial_node_count must be greater than zero.")
    for pool in several:
        _check_name("NodePool", pool)
    version = _version(str(given.get("initialClusterVersion") or ""))
    zones = given.get("locations") or zones_of(parent.rpartition("/")[2])
    usual = {"version": version, "locations": zones}
    first = {"name": "default-pool", "initialNodeCount": max(count, 1), **usual}
    if "nodeConfig" in given:
        first["config"] = given["nodeConfig"]
    call.body["cluster"] = {
        **given,
        **dict.fromkeys(("initialClusterVersion", "currentMasterVersion"), version),
        "locations": zones,
        "nodePools": [{**usual, **each} for each in several] or [first],
    }
    answer = call.answer_by_conventions()
    count_nodes(call, name)
    return answer


def _get(call: Call) -> JsonObject:
    return with_states(call, _cluster(call), call.answer_by_conventions())


def _list(call: Call) -> JsonObject:
    answer, parent = call.answer_by_conventions(), str(call.params["parent"])
    shown = []
    for row in answer.get("clusters", ()):
        place = f"{parent.rpartition('/')[0]}/{row.get('location') or '-'}"
        shown.append(with_states(call, (f"{place}/clusters/{row['name']}", row), row))
    return {**answer, "clusters": shown} if shown else answer


def _delete(call: Call) -> JsonObject:
    _idle_cluster(call)
    return call.answer_by_conventions()


def _setting(fields: Fields | None = None) -> Handler:
    """The handler of a method that changes a cluster: by conventions, or these fields."""

    def answer(call: Call) -> JsonObject | None:
        found = _idle_cluster(call)
        if fields is None:
            if not (set(call.body) - {"name", "projectId", "zone", "clusterId"}):
                raise invalid(_NOTHING)
            return call.answer_by_conventions()
        return _put(call, f"{_CLUSTERS}.get", found, fields(call, found[1]))

    return answer


def _put(call: Call, method: str, found: Found, fields: JsonObject) -> JsonObject | None:
    row = own_resource(call, method).put_fields(call, found, fields)
    return own_resource(call).write_answer(call, "patch", found[0], row)


def _labels(call: Call, row: JsonObject) -> JsonObject:
    sent = call.body.get("labelFingerprint")
    if sent and row.get("labelFingerprint", sent) != sent:
        text = "Labels could not be set due to fingerprint mismatch."
        raise ApiError(412, text, code_name="FAILED_PRECONDITION")
    fingerprint = call.world.ids.hex("container/labels", 8)
    return {"resourceLabels": call.body.get("resourceLabels"), "labelFingerprint": fingerprint}


def _addons(call: Call, row: JsonObject) -> JsonObject:
    return {"addonsConfig": {**(row.get("addonsConfig") or {}), **_sent(call, "addonsConfig")}}


def _sent(call: Call, field: str) -> JsonObject:
    sent = call.body.get(field)
    if not isinstance(sent, dict):
        raise invalid(_NOTHING)
    return sent


def _access(call: Call, row: JsonObject) -> JsonObject:
    """What `setMasterAuth` sets; passwords are not told."""
    kept = {name: each for name, each in _sent(call, "update").items() if name != "password"}
    return {"masterAuth": {**(row.get("masterAuth") or {}), **kept}}


def _zones(call: Call) -> JsonObject | None:
    found, zones = _idle_cluster(call), call.body.get("locations")
    if not zones:
        raise invalid("Must specify at least one location.")
    return _move(call, found, zones)


def _move(call: Call, found: Found, zones: object) -> JsonObject | None:
    """Have a cluster and its pools run nodes in other zones."""
    for pool in pools_of(call, found[0]):
        path = f"{found[0]}/nodePools/{pool['name']}"
        call.world.put(POOL_TABLE, path, {**pool, "locations": zones})
    answer = _put(call, f"{_CLUSTERS}.get", found, {"locations": zones})
    count_nodes(call, found[0])
    return answer


def _master(call: Call, row: JsonObject, asked: str) -> JsonObject:
    """The fields of a control plane of another version; raises ApiError: 400."""
    before = str(row.get("currentMasterVersion") or DEFAULT_VERSION)
    version = _version(asked)
    if version_key(version) < version_key(before):
        text = f'Master cannot be upgraded to "{version}": it is older than "{before}".'
        raise invalid(text)
    return {"currentMasterVersion": version}


def _node_version(row: JsonObject, asked: str) -> str:
    """A version for nodes: none newer than the control plane's; raises ApiError: 400."""
    master = str(row.get("currentMasterVersion") or DEFAULT_VERSION)
    version = master if asked in {"", "-"} else _version(asked)
    if version_key(version) > version_key(master):
        text = f'Node version "{version}" must not be newer than master version "{master}".'
        raise invalid(text)
    return version


def _update(call: Call) -> JsonObject | None:
    """Answers `update`: one thing that is desired of a cluster or of its pools.

    Raises:
        ApiError: 404, 400.
    """
    found = _idle_cluster(call)
    desired = dict(call.body.get("update") or {})
    pool = str(desired.pop("desiredNodePoolId", ""))
    if not desired:
        raise invalid(_NOTHING)
    if "desiredMasterVersion" in desired:
        fields = _master(call, found[1], str(desired["desiredMasterVersion"]))
        return _as("UPGRADE_MASTER", call, _put(call, f"{_CLUSTERS}.get", found, fields))
    if "desiredLocations" in desired:
        return _move(call, found, desired["desiredLocations"])
    of_pools: JsonObject = {}
    if "desiredNodeVersion" in desired:
        of_pools["version"] = _node_version(found[1], str(desired["desiredNodeVersion"]))
    if "desiredNodePoolAutoscaling" in desired:
        of_pools["autoscaling"] = _range_of(desired["desiredNodePoolAutoscaling"])
    image = desired.get("desiredImageType")
    if of_pools or image:
        for each in _meant_pools(call, found[0], pool):
            config = {"config": {**(each.get("config") or {}), "imageType": image}} if image else {}
            path = f"{found[0]}/nodePools/{each['name']}"
            call.world.put(POOL_TABLE, path, {**each, **of_pools, **config})
        answer = _put(call, f"{_CLUSTERS}.get", found, {})
        count_nodes(call, found[0])
        kind = "UPGRADE_NODES" if "version" in of_pools or image else "UPDATE_CLUSTER"
        return _as(kind, call, answer)
    if "desiredAddonsConfig" in desired:
        before = found[1].get("addonsConfig") or {}
        desired["desiredAddonsConfig"] = {**before, **desired["desiredAddonsConfig"]}
    call.body["update"] = desired
    return call.answer_by_conventions()


def _meant_pools(call: Call, cluster: str, pool: str) -> list[JsonObject]:
    several = list(pools_of(call, cluster))
    if not pool:
        return several
    found = [each for each in several if each["name"] == pool]
    if not found:
        path = f"{cluster}/nodePools/{pool}"
        raise own_resource(call, f"{_POOLS}.get").missing_error(call, path)
    return found


def _as(kind: str, call: Call, answer: JsonObject | None) -> JsonObject:
    """An operation of a kind that its method alone does not tell."""
    answer = {**(answer or {}), "operationType": kind}
    table, name = call.world.table(OPERATIONS), str(call.params["name"])
    for place in project_names(call.world, name.partition("/clusters/")[0]):
        key = f"{place}/operations/{answer['name']}"
        row = table.get(key)
        if row is not None:
            several = {
                each: {**row[each], "operationType": kind} for each in ("outcome", "pending")
            }
            call.world.put(OPERATIONS, key, {**row, **several})
    return answer


def _config(call: Call) -> JsonObject:
    call.ignored += sorted({"projectId", "zone"} & call.params.keys())
    channels = (("RAPID", 0), ("REGULAR", 1), ("STABLE", 2), ("EXTENDED", 2))
    return {
        "defaultClusterVersion": DEFAULT_VERSION,
        "validNodeVersions": list(VERSIONS),
        "defaultImageType": "COS_CONTAINERD",
        "validImageTypes": [
            "COS_CONTAINERD", "COS", "UBUNTU_CONTAINERD", "UBUNTU",
            "WINDOWS_LTSC_CONTAINERD",
        ],
        "validMasterVersions": list(VERSIONS),
        "channels": [
            {"channel": name, "defaultVersion": VERSIONS[at], "validVersions": list(VERSIONS[at:])}
            for name, at in channels
        ],
    }  # fmt: skip


# Node pools


def _create_pool(call: Call) -> JsonObject:
    key, cluster = _with_own_pools(call)
    given = dict(call.body.get("nodePool") or {})
    _check_free(call, POOL_TABLE, f"{key}/nodePools/{_check_name('NodePool', given)}")
    if "autoscaling" in given:
        _range_of(given["autoscaling"])
    usual = {
        "version": _node_version(cluster, str(given.get("version") or "")),
        "locations": given.get("locations") or cluster.get("locations"),
    }
    call.body["nodePool"] = {**given, **{name: each for name, each in usual.items() if each}}
    answer = call.answer_by_conventions()
    count_nodes(call, key)
    return answer


def _delete_pool(call: Call) -> JsonObject:
    key, _ = _with_own_pools(call)
    answer = call.answer_by_conventions()
    count_nodes(call, key)
    return answer


def _get_pool(call: Call) -> JsonObject:
    return _seen_pools(call, [call.answer_by_conventions()])[0]


def _list_pools(call: Call) -> JsonObject:
    _cluster(call)
    answer = call.answer_by_conventions()
    seen = _seen_pools(call, answer.get("nodePools", []))
    return {**answer, "nodePools": seen} if seen else answer


def _seen_pools(call: Call, several: list[JsonObject]) -> list[JsonObject]:
    done = pending_change(call, _cluster(call)[0])
    return several if done is None else [with_pool_state(done, each) for each in several]


def _range_of(given: object) -> JsonObject:
    """The limits of a pool that scales by itself; raises ApiError: 400."""
    limits = given if isinstance(given, dict) else {}
    least, most = (int(limits.get(name) or 0) for name in ("minNodeCount", "maxNodeCount"))
    total = int(limits.get("totalMaxNodeCount") or 0)
    if limits.get("enabled") and not total and not 0 <= least <= most != 0:
        raise invalid(
            "NodePool.autoscaling: min_node_count must be at least zero, and max_node_count "
            "greater than zero and not less than min_node_count."
        )
    return limits


def _setting_pool(fields: Fields) -> Handler:
    """The handler of a method that sets fields of a node pool."""

    def answer(call: Call) -> JsonObject | None:
        key, _ = _with_own_pools(call)
        pool = own_resource(call, f"{_POOLS}.get").require(call, str(call.params["name"]))
        found = _put(call, f"{_POOLS}.get", pool, fields(call, pool[1]))
        count_nodes(call, key)
        return found

    return answer


def _size(call: Call, row: JsonObject) -> JsonObject:
    count = int(call.body.get("nodeCount") or 0)
    if count < 0:
        raise invalid("NodePool.node_count must be at least zero.")
    return {"initialNodeCount": count}


def _management(call: Call, row: JsonObject) -> JsonObject:
    return {"management": _sent(call, "management")}


def _autoscaling(call: Call, row: JsonObject) -> JsonObject:
    return {"autoscaling": _range_of(_sent(call, "autoscaling"))}


def _update_pool(call: Call) -> JsonObject | None:
    key, cluster = _with_own_pools(call)
    resource, name = own_resource(call, f"{_POOLS}.get"), str(call.params["name"])
    found = resource.require(call, name)
    sent = {each: value for each, value in call.body.items() if each != "name"}
    version = sent.pop("nodeVersion", None)
    if version is None and not sent:
        raise invalid(_NOTHING)
    fields = {} if version is None else {"version": _node_version(cluster, str(version))}
    if sent:
        resource.put_fields(call, found, fields)
        call.body = sent
        answer = call.answer_by_conventions()
    else:
        answer = _as("UPGRADE_NODES", call, _put(call, f"{_POOLS}.get", found, fields))
    count_nodes(call, key)
    return answer


# Zones


def _ask_location(method: str, call: Call) -> JsonObject:
    """Answer an older method, which names project, zone, cluster and pool one by one."""
    params, parts = call.params, ["projects/{projectId}/locations/{zone}"]
    for field, noun in (
        ("clusterId", "clusters"),
        ("nodePoolId", "nodePools"),
        ("operationId", "operations"),
    ):
        parts += [f"{noun}/{{{field}}}"] if field in params else ()
    whole = "/".join(parts).format_map(params)
    verb = method.rpartition(".")[2]
    name = "parent" if verb in {"list", "create"} else "name"
    return call.ask(method, {name: whole}, call.body)


_VERBS = {
    "addons": "setAddons", "legacyAbac": "setLegacyAbac", "locations": "setLocations",
    "logging": "setLogging", "master": "updateMaster", "monitoring": "setMonitoring",
    "resourceLabels": "setResourceLabels", "setMaintenancePolicy": "setMaintenancePolicy",
    "setMasterAuth": "setMasterAuth", "setNetworkPolicy": "setNetworkPolicy",
    "startIpRotation": "startIpRotation", "completeIpRotation": "completeIpRotation",
    **dict.fromkeys(("create", "delete", "get", "list", "update")),
}  # fmt: skip
_POOL_VERBS = {
    "autoscaling": "setAutoscaling",
    **dict.fromkeys(("create", "delete", "get", "list", "setManagement", "setSize", "update")),
}
_OLDER: Mapping[str, str] = {
    "getServerconfig": "getServerConfig",
    **{f"clusters.{old}": f"clusters.{new or old}" for old, new in _VERBS.items()},
    **{f"clusters.nodePools.{old}": f"clusters.nodePools.{new or old}"
       for old, new in _POOL_VERBS.items()},
    **{f"operations.{verb}": f"operations.{verb}" for verb in ("cancel", "get", "list")},
}  # fmt: skip
"""Methods of zones to those of locations."""

HANDLERS: Mapping[str, Handler] = {
    f"{_PLACE}.getServerConfig": _config,
    f"{_CLUSTERS}.create": _create,
    f"{_CLUSTERS}.get": _get,
    f"{_CLUSTERS}.list": _list,
    f"{_CLUSTERS}.delete": _delete,
    f"{_CLUSTERS}.update": _update,
    f"{_CLUSTERS}.updateMaster": _setting(
        lambda call, row: _master(call, row, str(call.body.get("masterVersion") or ""))
    ),
    f"{_CLUSTERS}.setAddons": _setting(_addons),
    f"{_CLUSTERS}.setLegacyAbac": _setting(
        lambda call, row: {"legacyAbac": {"enabled": bool(call.body.get("enabled"))}}
    ),
    f"{_CLUSTERS}.setLocations": _zones,
    f"{_CLUSTERS}.setMasterAuth": _setting(_access),
    f"{_CLUSTERS}.setResourceLabels": _setting(_labels),
    f"{_CLUSTERS}.startIpRotation": _setting(lambda call, row: {}),
    f"{_CLUSTERS}.completeIpRotation": _setting(lambda call, row: {}),
    **{
        f"{_CLUSTERS}.{verb}": _setting()
        for verb in ("setLogging", "setMaintenancePolicy", "setMonitoring", "setNetworkPolicy")
    },
    f"{_POOLS}.create": _create_pool,
    f"{_POOLS}.get": _get_pool,
    f"{_POOLS}.list": _list_pools,
    f"{_POOLS}.delete": _delete_pool,
    f"{_POOLS}.update": _update_pool,
    f"{_POOLS}.setSize": _setting_pool(_size),
    f"{_POOLS}.setAutoscaling": _setting_pool(_autoscaling),
    f"{_POOLS}.setManagement": _setting_pool(_management),
    **{
        f"container.projects.zones.{old}": partial(_ask_location, f"{_PLACE}.{new}")
        for old, new in _OLDER.items()
    },
}

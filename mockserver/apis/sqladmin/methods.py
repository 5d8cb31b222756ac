"""What conventions do not tell of Cloud SQL: states, operations, and what an instance comes with.

Source: the API's reference, recordings, and refusals as tools of its users quote them. Not
verified against the live API: the text about a database that is there.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from mockserver.collections import BY_KEY, Index
from mockserver.collections.places import value_at
from mockserver.googleapi import ApiError, Call, Handler, invalid, precondition
from mockserver.googleapi.collections import Found, etag, own_resource
from mockserver.googleapi.operations import pending_operation
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_REGION = "us-central1"
_FIRST_DATABASES: Mapping[str, tuple[str, ...]] = {
    "MYSQL": ("information_schema", "mysql", "performance_schema", "sys"),
    "POSTGRES": ("postgres",),
    "SQLSERVER": ("master", "model", "msdb", "tempdb"),
}
_FIRST_USERS: Mapping[str, JsonObject] = {
    "MYSQL": {"name": "root", "host": ""},
    "POSTGRES": {"name": "postgres"},
    "SQLSERVER": {"name": "sqlserver"},
}
_USUAL_USER: JsonObject = {
    "kind": "sql#user",
    "iamStatus": "IAM_STATUS_UNSPECIFIED",
    "passwordPolicy": {"status": {}},
}
"""What recordings say of every user."""
_STATES = {"CREATE": "PENDING_CREATE", "CLONE": "PENDING_CREATE", "RESTART": "RUNNABLE"}
_TAKEN = (
    "The Cloud SQL instance already exists. When you delete an instance, you can't reuse the name "
    "of the deleted instance until one week from the deletion date."
)
_BUSY = "Operation failed because another operation was already in progress."
_PROTECTED = (
    "The instance is protected. Please disable the deletion protection and try again. To disable "
    "deletion protection, update the instance settings with deletionProtectionEnabled set to false."
)
Fields = Callable[[Call, JsonObject], JsonObject]


def _instance_of_operation(key: str, row: JsonObject) -> Iterable[str]:
    outcome = row["outcome"]
    if outcome.get("kind") != "sql#operation":
        return ()
    name = str(outcome.get("targetLink", "")).partition("/instances/")[2].partition("/")[0]
    return (f"{key.partition('/operations/')[0].partition('/instances/')[0]}/instances/{name}",)


_BY_INSTANCE = Index(_instance_of_operation)
_BY_MASTER = Index(lambda key, row: (str(row.get("masterInstanceName", "")).rpartition(":")[2],))


def _key(call: Call, name: str = "") -> str:
    return f"projects/{call.params['project']}/instances/{name or call.params['instance']}"


def _instance(call: Call, name: str = "") -> Found:
    """The instance that a call names; raises ApiError: 404."""
    return own_resource(call, "sql.instances.get").require(call, _key(call, name))


def _pending(call: Call, key: str) -> JsonObject | None:
    """What an operation says that is being done to an instance; None where nothing is."""
    return pending_operation(call.world, _BY_INSTANCE, key)


def _idle(call: Call) -> Found:
    """The instance of a call, to which nothing is being done; raises ApiError: 404, 409."""
    found = _instance(call)
    if _pending(call, found[0]) is not None:
        raise ApiError(409, _BUSY, reason="operationInProgress")
    return found


def _engine(row: JsonObject) -> str:
    return str(row.get("databaseVersion") or "MYSQL").partition("_")[0]


# Instances


def _insert(call: Call) -> JsonObject:
    body, name = call.body, str(call.body.get("name") or "")
    if not name:
        raise invalid("Missing parameter: instance name.", reason="required")
    if not value_at(body, ("settings", "tier")):
        raise invalid("Missing parameter: tier.", reason="required")
    if own_resource(call, "sql.instances.get").find(call.world, _key(call, name)) is not None:
        raise ApiError(409, _TAKEN, reason="instanceAlreadyExists")
    master = str(body.get("masterInstanceName") or "").rpartition(":")[2]
    parent = _instance(call, master)[1] if master else {}
    password = body.pop("rootPassword", None)
    call.body = _complete(call, {"databaseVersion": parent.get("databaseVersion"), **body}, name)
    if master:
        call.body["instanceType"] = "READ_REPLICA_INSTANCE"
    answer = call.answer_by_conventions()
    if not master:
        _fill(call, name, call.body, is_rooted=password is not None)
    return answer


def _complete(call: Call, given: JsonObject, name: str) -> JsonObject:
    """A new instance with where it is and how it is called."""
    region = str(given.get("region") or _REGION)
    version = given.get("databaseVersion") or "MYSQL_8_0"
    usual = {"availabilityType": "ZONAL", "edition": "ENTERPRISE"}
    return {
        **given,
        "name": name,
        "databaseVersion": version,
        "region": region,
        "gceZone": given.get("gceZone") or f"{region}-a",
        "connectionName": f"{call.params['project']}:{region}:{name}",
        "settings": {**usual, **(given.get("settings") or {}), "settingsVersion": "1"},
    }


def _fill(call: Call, name: str, row: JsonObject, *, is_rooted: bool = False) -> None:
    """Put what an instance comes with into it."""
    engine, key = _engine(row), _key(call, name)
    own = {"project": call.params["project"], "instance": name}
    databases = own_resource(call, "sql.databases.get")
    for each in _FIRST_DATABASES.get(engine, ()):
        path = f"{key}/databases/{each}"
        database = databases.with_facts(call, path, {"kind": "sql#database", "name": each, **own})
        call.world.put(databases.collection, path, database)
    if engine in _FIRST_USERS and (is_rooted or engine != "SQLSERVER"):
        user = _FIRST_USERS[engine]
        _put_user(call, f"{key}/users/{user['name']}", {**user, **own})


def _put_user(call: Call, path: str, given: JsonObject) -> JsonObject:
    """Put a user where it belongs, with what the service says of each."""
    users = own_resource(call, "sql.users.get")
    host = {"host": given["host"]} if "host" in given else {}
    row = {**users.with_facts(call, path, {**_USUAL_USER, **given}), **host}
    row = {**row, "etag": etag(row).strip('"')}
    call.world.put(users.collection, path, row)
    return row


def _with_state(call: Call, key: str, row: JsonObject) -> JsonObject:
    done = _pending(call, key)
    if done is None:
        return row
    kind = str(done.get("operationType"))
    return {**row, "state": _STATES.get(kind, "RUNNABLE")}


def _get(call: Call) -> JsonObject:
    return _with_state(call, _instance(call)[0], call.answer_by_conventions())


def _list(call: Call) -> JsonObject:
    answer = _without_location(call)
    rows = answer.get("items", ())
    several = [_with_state(call, _key(call, str(row["name"])), row) for row in rows]
    return {**answer, "items": several} if several else answer


def _change(call: Call) -> JsonObject:
    """Answers `patch` and `update`: settings are merged, and have the next version.

    Raises:
        ApiError: 404, 409; 412 for a version of settings that is not the latest.
    """
    _, row = _idle(call)
    before = row.get("settings") or {}
    sent = call.body.get("settings") or {}
    version = str(before.get("settingsVersion") or "1")
    if str(sent.get("settingsVersion") or version) != version:
        raise precondition("Condition does not match.", reason="staleData")
    kept = before if call.id.endswith(".patch") else {}
    number = str(int(version) + 1) if version.isdecimal() else version
    call.body["settings"] = {**kept, **sent, "settingsVersion": number}
    call.body.pop("rootPassword", None)
    return call.answer_by_conventions()


def _delete(call: Call) -> JsonObject:
    key, row = _idle(call)
    if value_at(row, ("settings", "deletionProtectionEnabled")):
        raise invalid(_PROTECTED, reason="invalid")
    table = own_resource(call, "sql.instances.get").collection
    name = key.rpartition("/")[2]
    replicas = [each for each in call.world.table(table).find(_BY_MASTER, name).row_keys()
                if each.startswith(key.rpartition("/")[0])]  # fmt: skip
    if replicas:
        text = "The requested operation is not valid for a primary instance with replicas."
        raise invalid(text, reason="invalidOperation")
    return call.answer_by_conventions()


def _starting(fields: Fields | None, call: Call) -> JsonObject | None:
    """Answer a method that does something to an instance, and may set fields of it."""
    found = _idle(call)
    if fields is not None:
        own_resource(call, "sql.instances.get").put_fields(call, found, fields(call, found[1]))
    return own_resource(call).write_answer(call, "patch", found[0], found[1])


def _promoted(call: Call, row: JsonObject) -> JsonObject:
    if not row.get("masterInstanceName"):
        text = "The requested operation is not valid for the current instance."
        raise invalid(text, reason="invalidOperation")
    return {"masterInstanceName": "", "instanceType": "CLOUD_SQL_INSTANCE"}


def _running(call: Call, row: JsonObject) -> JsonObject:
    if value_at(row, ("settings", "activationPolicy")) == "NEVER":
        text = "The instance or operation is not in an appropriate state to handle the request."
        raise ApiError(409, text, reason="invalidState")
    return {}


def _clone(call: Call) -> JsonObject | None:
    key, row = _idle(call)
    name = str(value_at(call.body, ("cloneContext", "destinationInstanceName")) or "")
    if not name:
        raise invalid("Missing parameter: destinationInstanceName.", reason="required")
    resource = own_resource(call, "sql.instances.get")
    if resource.find(call.world, _key(call, name)) is not None:
        raise ApiError(409, _TAKEN, reason="instanceAlreadyExists")
    names = ("databaseVersion", "region", "settings")
    kept: JsonObject = {each: row[each] for each in names if each in row}
    made = resource.with_facts(call, _key(call, name), _complete(call, kept, name))
    made = {"kind": "sql#instance", "state": "RUNNABLE", **made}
    call.world.put(resource.collection, _key(call, name), made)
    for noun in ("databases", "users"):
        table = own_resource(call, f"sql.{noun}.get").collection
        for path in call.world.table(table).starting(BY_KEY, f"{key}/").row_keys():
            inside = {**call.world.table(table).rows()[path], "instance": name}
            call.world.put(table, f"{_key(call, name)}{path.removeprefix(key)}", inside)
    return own_resource(call).write_answer(call, "patch", _key(call, name), made)


# What is in them


def _insert_database(call: Call) -> JsonObject:
    key, name = _idle(call)[0], str(call.body.get("name") or "")
    if not name:
        raise invalid("Missing parameter: database name.", reason="required")
    if own_resource(call, "sql.databases.get").find(call.world, f"{key}/databases/{name}"):
        raise invalid(
            f"Invalid request: failed to create database {name}. Detail: database {name!r} already "
            "exists."
        )
    call.body["instance"] = call.params["instance"]
    return call.answer_by_conventions()


def _below(call: Call) -> JsonObject:
    """Answer a method about what is in an instance, which has to be there; raises ApiError: 404."""
    _instance(call)
    return _without_location(call)


def _without_location(call: Call) -> JsonObject:
    """What conventions answer to a list, wherever it is told to look."""
    if call.params.pop("location", None) is not None:
        call.ignored.append("location")
    return call.answer_by_conventions()


def _users(call: Call) -> tuple[str, Found | None]:
    """The table of users, and the user that a call names."""
    key, name = _instance(call)[0], str(call.params.get("name") or call.body.get("name") or "")
    resource = own_resource(call, "sql.users.get")
    return resource.collection, resource.find(call.world, f"{key}/users/{name}") if name else None


def _insert_user(call: Call) -> JsonObject | None:
    key, (_, found) = _idle(call)[0], _users(call)
    name = str(call.body.get("name") or "")
    if not name:
        raise invalid("Missing parameter: user name.", reason="required")
    kept = {each: value for each, value in call.body.items() if each != "password"}
    path = f"{key}/users/{name}"
    row = _put_user(
        call,
        path,
        {
            **({"host": ""} if _engine(_instance(call)[1]) == "MYSQL" else {}),
            **(found[1] if found else {}),
            **kept,
            "project": call.params["project"],
            "instance": call.params["instance"],
        },
    )
    return own_resource(call).write_answer(call, "create", path, row)


def _change_user(call: Call) -> JsonObject | None:
    _idle(call)
    table, found = _users(call)
    if found is None:
        raise invalid("Invalid request: the user does not exist.", reason="invalid")
    if call.id.endswith(".delete"):
        call.world.delete(table, found[0])
    else:
        kept = {each: value for each, value in call.body.items() if each != "password"}
        call.world.put(table, found[0], {**found[1], **kept})
    return own_resource(call).write_answer(call, "patch", found[0], found[1])


def _back_up(call: Call) -> JsonObject:
    _idle(call)
    now = rfc3339(call.world.clock.now())
    times = dict.fromkeys(("enqueuedTime", "startTime", "endTime", "windowStartTime"), now)
    call.body = {
        **call.body,
        **times,
        "instance": call.params["instance"],
        "status": "SUCCESSFUL",
        "type": "ON_DEMAND",
        "backupKind": "SNAPSHOT",
    }
    return call.answer_by_conventions()


def _restore(call: Call) -> JsonObject | None:
    _idle(call)
    ident = value_at(call.body, ("restoreBackupContext", "backupRunId"))
    source = str(value_at(call.body, ("restoreBackupContext", "instanceId")) or "")
    if ident is not None:
        key = f"{_key(call, source)}/backupRuns/{ident}"
        own_resource(call, "sql.backupRuns.get").require(call, key)
    return _starting(None, call)


def _connect(call: Call) -> JsonObject:
    """Answers `connect.get`: what the connectors of Cloud SQL ask for."""
    row = _instance(call)[1]
    names = ("serverCaCert", "ipAddresses", "region", "databaseVersion", "backendType")
    return {"kind": "sql#connectSettings", **{each: row[each] for each in names if each in row}}


HANDLERS: Mapping[str, Handler] = {
    "sql.instances.insert": _insert,
    "sql.instances.get": _get,
    "sql.instances.list": _list,
    "sql.instances.patch": _change,
    "sql.instances.update": _change,
    "sql.instances.delete": _delete,
    "sql.instances.clone": _clone,
    "sql.instances.restoreBackup": _restore,
    "sql.instances.restart": partial(_starting, _running),
    "sql.instances.failover": partial(_starting, _running),
    "sql.instances.promoteReplica": partial(_starting, _promoted),
    **{
        f"sql.instances.{verb}": partial(_starting, None)
        for verb in (
            "export", "import", "resetSslConfig", "rotateServerCa", "startReplica", "stopReplica",
            "truncateLog",
        )
    },
    "sql.databases.insert": _insert_database,
    "sql.databases.list": _below,
    "sql.users.insert": _insert_user,
    "sql.users.list": _below,
    "sql.users.update": _change_user,
    "sql.users.delete": _change_user,
    "sql.backupRuns.insert": _back_up,
    "sql.backupRuns.list": _below,
    "sql.connect.get": _connect,
}  # fmt: skip

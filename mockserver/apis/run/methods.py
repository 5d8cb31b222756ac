"""What conventions do not tell of Cloud Run: revisions, traffic, executions of jobs.

Source: the API's reference. Not verified against the live API: texts of 400.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

from mockserver.googleapi import ApiError, Call, Handler, Verb, bad_fields, failed_precondition
from mockserver.googleapi.collections import own_resource
from mockserver.googleapi.masks import read_update_mask, update_resource
from mockserver.model import JsonObject
from mockserver.state import rfc3339

_PREFIX = "run.projects.locations"
_SERVICES, _JOBS = f"{_PREFIX}.services", f"{_PREFIX}.jobs"
_REVISIONS, _EXECUTIONS = f"{_SERVICES}.revisions", f"{_JOBS}.executions"
_TASKS = f"{_EXECUTIONS}.tasks"
_NAME = re.compile(r"[a-z](?:[a-z0-9-]{0,47}[a-z0-9])?")
_LATEST = "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST"
_REVISION = "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION"
_MOST_TASKS = 10_000
"""Of an execution. Source: quotas of Cloud Run."""
_SHORT = {"us-central1": "uc", "europe-west1": "ew", "us-east1": "ue", "asia-east1": "de"}


def _condition(call: Call, kind: str) -> JsonObject:
    now = rfc3339(call.world.clock.now())
    return {"type": kind, "state": "CONDITION_SUCCEEDED", "lastTransitionTime": now}


def _put(call: Call, method: str, path: str, row: JsonObject) -> JsonObject:
    resource = own_resource(call, f"{method}.get")
    row = resource.with_etag(row)
    call.world.put(resource.collection, path, row)
    return row


def _check_new(call: Call, method: str, field: str) -> str:
    """The path of what a call makes; raises ApiError: 400 for its name, 409."""
    ident = str(call.params.get(field) or "")
    noun = method.rpartition(".")[2]
    if not _NAME.fullmatch(ident):
        text = (
            "It must only contain lowercase letters, digits and hyphens, begin with a letter, not "
            "end with a hyphen, and have less than 50 characters."
        )
        raise bad_fields([(f"{noun[:-1]}_id", f"Invalid resource id '{ident}'. {text}")])
    path = f"{call.params['parent']}/{noun}/{ident}"
    if own_resource(call, f"{method}.get").find(call.world, path) is not None:
        raise ApiError(409, f"Resource '{ident}' already exists.")
    return path


def _check_containers(template: object, where: str) -> None:
    containers = template.get("containers") if isinstance(template, dict) else None
    if not containers or not all(each.get("image") for each in containers):
        raise bad_fields([(f"{where}.containers", f"{where}.containers.image is required.")])


# Services


def _create_service(call: Call) -> JsonObject | None:
    path = _check_new(call, _SERVICES, "serviceId")
    _check_containers(call.body.get("template"), "template")
    given = {**call.body, "name": path, "generation": "1"}
    row = own_resource(call, f"{_SERVICES}.get").with_facts(call, path, given)
    row = {"ingress": "INGRESS_TRAFFIC_ALL", "launchStage": "GA", **row}
    _, row = _with_revision(call, path, row)
    row |= _traffic(call, path, row)
    return _answer(call, "create", path, row)


def _answer(call: Call, verb: Verb, path: str, row: JsonObject) -> JsonObject | None:
    if not call.params.get("validateOnly"):
        row = _put(call, _SERVICES, path, row)
    return own_resource(call).write_answer(call, verb, path, row)


def _with_revision(call: Call, path: str, row: JsonObject) -> tuple[str, JsonObject]:
    """A service with a new revision of its template; raises ApiError: 409 for a revision's name."""
    number, service = int(row.get("generation") or 1), path.rpartition("/")[2]
    letters = call.world.ids.base36("run/revision", 3)
    template = dict(row.get("template") or {})
    name = str(template.pop("revision", "") or f"{service}-{number:05}-{letters}")
    revision = f"{path}/revisions/{name}"
    if own_resource(call, f"{_REVISIONS}.get").find(call.world, revision) is not None:
        raise ApiError(409, f"Revision named '{name}' with different configuration already exists.")
    now = rfc3339(call.world.clock.now())
    made: JsonObject = {
        **template,
        "name": revision,
        "uid": call.world.ids.uuid("run/revision"),
        "generation": "1",
        "service": service,
        "createTime": now,
        "updateTime": now,
        "conditions": [_condition(call, each) for each in ("Ready", "ContainerReady")],
    }
    if not call.params.get("validateOnly"):
        _put(call, _REVISIONS, revision, made)
    digest, location = sha256(path.encode()).hexdigest()[:10], path.split("/")[3]
    uri = f"https://{service}-{digest}-{_SHORT.get(location, location[:2])}.a.run.app"
    return revision, {
        **row,
        "uri": row.get("uri") or uri,
        "urls": row.get("urls") or [uri],
        "latestReadyRevision": revision,
        "latestCreatedRevision": revision,
        "observedGeneration": str(number),
        "terminalCondition": _condition(call, "Ready"),
        "conditions": [_condition(call, each) for each in ("RoutesReady", "ConfigurationsReady")],
    }


def _traffic(call: Call, path: str, row: JsonObject) -> JsonObject:
    """What a service says of its traffic; raises ApiError: 400 for no 100 percent, 404."""
    asked = row.get("traffic") or [{"type": _LATEST, "percent": 100}]
    if sum(int(each.get("percent") or 0) for each in asked) != 100:
        text = "The sum of traffic percentages must be 100."
        raise bad_fields([("traffic", text)])
    latest = str(row.get("latestReadyRevision") or "").rpartition("/")[2]
    targets, statuses = [], []
    for each in asked:
        name = str(each.get("revision") or "")
        kind = each.get("type") or (_REVISION if name else _LATEST)
        if kind == _REVISION and name != latest:
            resource = own_resource(call, f"{_REVISIONS}.get")
            resource.require(call, f"{path}/revisions/{name}")
        targets.append({**each, "type": kind})
        tag = {"uri": row["uri"].replace("://", f"://{each['tag']}---")} if each.get("tag") else {}
        statuses.append({**each, "type": kind, "revision": name or latest, **tag})
    return {"traffic": targets, "trafficStatuses": statuses}


def _patch_service(call: Call) -> JsonObject | None:
    path = str(call.params["name"])
    resource = own_resource(call, f"{_SERVICES}.get")
    found = resource.find(call.world, path)
    if found is None and call.params.get("allowMissing"):
        parent, _, ident = path.partition("/services/")
        call.params |= {"parent": parent, "serviceId": ident}
        return _create_service(call)
    key, before = resource.require(call, path)
    resource.check_etag(before, str(call.body.get("etag") or ""))
    mask = str(call.params.get("updateMask") or "")
    named = [each.partition(".")[0] for each in mask.split(",") if each] or list(call.body)
    sent = {each: call.body.get(each) for each in named if each not in _OUTPUT}
    if mask and any("." in each for each in mask.split(",")):
        sent = {**sent, **_merged(before, call.body, mask)}
    if "template" in sent:
        _check_containers(sent["template"], "template")
    number = str(int(before.get("generation") or 1) + 1)
    row = {**before, **{each: value for each, value in sent.items() if value is not None}}
    row = {each: value for each, value in row.items() if sent.get(each, value) is not None}
    row |= {"generation": number, "observedGeneration": number}
    row |= {"updateTime": rfc3339(call.world.clock.now()), "lastModifier": call.caller.email}
    if "template" in sent and sent["template"] != before.get("template"):
        row["template"] = resource.with_facts(call, key, {"template": row["template"]})["template"]
        _, row = _with_revision(call, key, row)
    row |= _traffic(call, key, row)
    return _answer(call, "patch", key, {each: v for each, v in row.items() if v != ""})


_OUTPUT = frozenset({
    "name", "uid", "uri", "etag", "generation", "createTime", "latestReadyRevision",
    "latestCreatedRevision", "observedGeneration", "trafficStatuses", "conditions",
    "terminalCondition", "urls",
})  # fmt: skip


def _merged(before: JsonObject, body: JsonObject, mask: str) -> JsonObject:
    """The top-level fields that a mask names parts of, with these parts changed."""
    paths = read_update_mask(mask)
    after = update_resource(before, body, paths, tuple(_OUTPUT))
    return {path[0]: after.get(path[0]) for path in paths}


def _delete_revision(call: Call) -> JsonObject:
    name = str(call.params["name"])
    key, _ = own_resource(call, f"{_REVISIONS}.get").require(call, name)
    service = own_resource(call, f"{_SERVICES}.get").find(
        call.world, key.partition("/revisions/")[0]
    )
    ident = key.rpartition("/")[2]
    row = service[1] if service else {}
    serving = {each.get("revision") for each in row.get("trafficStatuses") or ()}
    if ident in serving or row.get("latestReadyRevision") == key:
        text = f"Revision {ident} cannot be deleted while it is the latest or receives traffic."
        raise failed_precondition(text)
    return call.answer_by_conventions()


# Jobs


def _create_job(call: Call) -> JsonObject:
    _check_new(call, _JOBS, "jobId")
    template = call.body.get("template") or {}
    _check_containers(template.get("template"), "template.template")
    call.body |= {"generation": "1", "observedGeneration": "1", "executionCount": 0}
    call.body["conditions"] = [_condition(call, "Ready")]
    return call.answer_by_conventions()


def _run_job(call: Call) -> JsonObject | None:
    """Answers `run`: an execution whose tasks succeed; raises ApiError: 404, 400."""
    resource = own_resource(call, f"{_JOBS}.get")
    found = key, job = resource.require(call, str(call.params["name"]))
    resource.check_etag(job, str(call.body.get("etag") or ""))
    overrides = call.body.get("overrides") or {}
    own = dict(job.get("template") or {})
    count = int(overrides.get("taskCount") or own.get("taskCount") or 1)
    if not 0 < count <= _MOST_TASKS:
        raise bad_fields([("task_count", f"task_count must be from 1 to {_MOST_TASKS}.")])
    template = _overridden(dict(own.get("template") or {}), overrides)
    ident = f"{key.rpartition('/')[2]}-{call.world.ids.base36('run/execution', 5)}"
    now, path = rfc3339(call.world.clock.now()), f"{key}/executions/{ident}"
    times = dict.fromkeys(("createTime", "startTime", "completionTime", "updateTime"), now)
    row: JsonObject = {
        "name": path,
        "uid": call.world.ids.uuid("run/execution"),
        "generation": "1",
        "observedGeneration": "1",
        "creator": call.caller.email,
        **times,
        "launchStage": job.get("launchStage") or "GA",
        "job": key.rpartition("/")[2],
        "parallelism": int(own.get("parallelism") or 0),
        "taskCount": count,
        "template": template,
        "conditions": [_condition(call, each) for each in ("Completed", "Started")],
        "succeededCount": count,
    }
    if call.params.get("validateOnly") or call.body.get("validateOnly"):
        return own_resource(call).write_answer(call, "create", path, row)
    row = _put(call, _EXECUTIONS, path, row)
    for number in range(count):
        task = f"{path}/tasks/{ident}-task{number}"
        _put(call, _TASKS, task, _task(call, task, number, row))
    latest = {"name": ident, "createTime": now, "completionTime": now}
    resource.put_fields(
        call,
        found,
        {
            "executionCount": int(job.get("executionCount") or 0) + 1,
            "latestCreatedExecution": {**latest, "completionStatus": "EXECUTION_SUCCEEDED"},
        },
    )
    return own_resource(call, f"{_EXECUTIONS}.delete").write_answer(call, "create", path, row)


def _task(call: Call, name: str, number: int, execution: JsonObject) -> JsonObject:
    taken = ("job", "createTime", "startTime", "completionTime", "updateTime")
    return {
        "name": name,
        "uid": call.world.ids.uuid("run/task"),
        "generation": "1",
        **{each: execution[each] for each in taken},
        "execution": execution["name"].rpartition("/")[2],
        "index": number,
        "containers": execution["template"].get("containers", []),
        "conditions": [_condition(call, "Completed")],
        "lastAttemptResult": {"status": {}, "exitCode": 0},
    }


def _overridden(template: JsonObject, overrides: JsonObject) -> JsonObject:
    """The template of an execution, with what its request has in place of the job's."""
    if "timeout" in overrides:
        template["timeout"] = overrides["timeout"]
    several = list(template.get("containers") or ())
    for each in overrides.get("containerOverrides") or ():
        named = [n for n, one in enumerate(several) if one.get("name") == each.get("name")]
        for place in named or ([0] if several and not each.get("name") else []):
            one = dict(several[place])
            if "args" in each or each.get("clearArgs"):
                one["args"] = each.get("args") or []
            env = {pair["name"]: pair for pair in [*one.get("env", ()), *each.get("env", ())]}
            several[place] = {**one, **({"env": list(env.values())} if env else {})}
    return {**template, "containers": several} if several else template


def _cancel(call: Call) -> JsonObject:
    """Answers `executions.cancel`: what is done is no longer cancelled; raises ApiError: 404."""
    resource = own_resource(call, f"{_EXECUTIONS}.get")
    found = _, row = resource.require(call, str(call.params["name"]))
    if row.get("completionTime"):
        text = f"Execution {row['name'].rpartition('/')[2]} has completed and cannot be cancelled."
        raise failed_precondition(text)
    now = rfc3339(call.world.clock.now())
    count = int(row.get("taskCount") or 1) - int(row.get("succeededCount") or 0)
    completed = {**_condition(call, "Completed"), "state": "CONDITION_FAILED"}
    completed["executionReason"] = "CANCELLED"
    fields = {"completionTime": now, "cancelledCount": count, "conditions": [completed]}
    row = resource.put_fields(call, found, fields)
    return own_resource(call).write_answer(call, "patch", found[0], row) or {}


def _wait(call: Call) -> JsonObject:
    """Answers `operations.wait`; raises ApiError: 404."""
    return call.ask(f"{_PREFIX}.operations.get", {"name": call.params["name"]})


HANDLERS: Mapping[str, Handler] = {
    f"{_SERVICES}.create": _create_service,
    f"{_SERVICES}.patch": _patch_service,
    f"{_REVISIONS}.delete": _delete_revision,
    f"{_JOBS}.create": _create_job,
    f"{_JOBS}.run": _run_job,
    f"{_EXECUTIONS}.cancel": _cancel,
    f"{_PREFIX}.operations.wait": _wait,
}

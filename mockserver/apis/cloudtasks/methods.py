"""Methods of Cloud Tasks with a meaning of their own; the others are answered by conventions.

Source: the reference of Cloud Tasks. Not verified against the live API: texts of refusals, but for
those of queues that are not there.

A task on this machine is sent when a method of its queue is called and its time has come; until
its answer is there, the task is due again when its deadline has passed. A task for a target
elsewhere keeps an attempt that says so, and stays.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit, urlunsplit

from mockserver.collections import BY_KEY, Index
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    bad_fields,
    duration_s,
    failed_precondition,
    invalid,
    not_found,
    parent_of,
    require_row,
)
from mockserver.googleapi.targets import (
    WITH_BODY,
    app_engine_request,
    backoff_s,
    has_succeeded,
    send_to_target,
    status_of,
)
from mockserver.model import JsonObject
from mockserver.state import World, epoch_micros, parse_rfc3339, project_names, rfc3339

_AT_ONCE = 100
_REMEMBERED = timedelta(hours=1)
_REMEMBERED_QUEUE = timedelta(days=3)
_TOMBSTONES = "cloudTasksDeleted"
"""Names of tasks and queues that cannot be used again yet, until when."""


def _due(key: str, row: JsonObject) -> Iterable[tuple[str, int]]:
    last, at = row.get("lastAttempt") or {}, row.get("scheduleTime")
    is_elsewhere = "responseStatus" in last and "responseTime" not in last
    moment = epoch_micros(parse_rfc3339(str(at))) if at else 0
    return () if is_elsewhere else ((parent_of(key, 2), moment),)


_BY_DUE = Index(_due, timed=True)
"""Tasks of a queue by when they may be sent."""


def request_of(task: JsonObject, queue: JsonObject) -> JsonObject:
    """The request that a task means, changed as its queue says."""
    if "appEngineHttpRequest" in task:
        override = queue.get("appEngineRoutingOverride")
        target = {**task["appEngineHttpRequest"]}
        if override:
            target["appEngineRouting"] = override
        return app_engine_request(str(task["name"]).split("/")[1], target)
    request = {**(task.get("httpRequest") or {})}
    target = queue.get("httpTarget") or {}
    own = {each["header"]["key"]: each["header"]["value"] for each in _header_overrides(target)}
    request["headers"] = {**(request.get("headers") or {}), **own}
    for name in ("httpMethod", "oidcToken", "oauthToken"):
        if target.get(name) and target[name] != "HTTP_METHOD_UNSPECIFIED":
            request[name] = target[name]
    override = target.get("uriOverride")
    if override:
        request["url"] = _overridden(str(request.get("url") or ""), override)
    return request


def _header_overrides(target: JsonObject) -> Iterable[JsonObject]:
    return [each for each in target.get("headerOverrides") or () if each.get("header")]


def _overridden(url: str, override: JsonObject) -> str:
    """A URL with the parts that a queue says for all its tasks."""
    parts = urlsplit(url)
    only_missing = override.get("uriOverrideEnforceMode") == "IF_NOT_EXISTS"
    if only_missing and url:
        return url
    told = str(override.get("scheme") or "").lower()
    scheme = told if told in {"http", "https"} else parts.scheme or "https"
    host = str(override.get("host") or parts.hostname or "")
    port = override.get("port") or parts.port
    path = str((override.get("pathOverride") or {}).get("path") or parts.path or "/")
    query = str((override.get("queryOverride") or {}).get("queryParams") or parts.query)
    place = f"{host}:{port}" if port else host
    return urlunsplit((scheme, place, path if path.startswith("/") else f"/{path}", query, ""))


class TaskQueue:
    """One queue and its tasks.

    Args:
        world: The session's state.
        version: The version of the API whose rows they are.
        row: The queue.
    """

    def __init__(self, world: World, version: str, row: JsonObject) -> None:
        self._world = world
        self._version = version
        self.row = row
        self.name = str(row["name"])
        self.tasks = f"cloudtasks:{version}/tasks"

    def put(self, task: JsonObject) -> None:
        """Keep a task."""
        self._world.put(self.tasks, task["name"], task)

    def remove(self, name: str) -> None:
        """Delete a task; its name cannot be used for an hour."""
        self._world.delete(self.tasks, name)
        _entomb(self._world, name, _REMEMBERED)

    def purge(self) -> None:
        """Delete every task."""
        table = self._world.table(self.tasks)
        for key in list(table.starting(BY_KEY, f"{self.name}/tasks/").row_keys()):
            self.remove(key)

    def settle(self) -> None:
        """Send the tasks whose time has come, unless the queue is paused."""
        if self.row.get("state", "RUNNING") != "RUNNING":
            return
        after = epoch_micros(self._world.clock.now()) + 1
        late = self._world.table(self.tasks).between(_BY_DUE, (self.name, 0), (self.name, after))
        for task in list(late[:_AT_ONCE]):
            self.send(task)

    def send(self, task: JsonObject) -> None:
        """Send a task now."""
        world, now = self._world, self._world.clock.now()
        number = int(task.get("dispatchCount") or 0) + 1
        attempt: JsonObject = {
            "scheduleTime": task.get("scheduleTime") or rfc3339(now),
            "dispatchTime": rfc3339(now),
        }
        headers = {
            "User-Agent": "Google-Cloud-Tasks",
            "X-CloudTasks-QueueName": self.name.rpartition("/")[2],
            "X-CloudTasks-TaskName": str(task["name"]).rpartition("/")[2],
            "X-CloudTasks-TaskRetryCount": str(number - 1),
            "X-CloudTasks-TaskExecutionCount": str(task.get("responseCount") or 0),
            "X-CloudTasks-TaskETA": f"{parse_rfc3339(attempt['scheduleTime']).timestamp():.6f}",
        }
        request = request_of(task, self.row)
        done = partial(_note_outcome, self._version, self.name, str(task["name"]), number)
        is_sent = send_to_target(world, "cloudtasks.dispatch", request, headers, done)
        if not is_sent:
            text = f"not sent: {request.get('url')} is not on this machine"
            attempt["responseStatus"] = {"code": 14, "message": text}
        again = now + timedelta(seconds=duration_s(task.get("dispatchDeadline"), 600))
        self.put(
            {
                **task,
                "dispatchCount": number,
                "firstAttempt": task.get("firstAttempt") or {"dispatchTime": rfc3339(now)},
                "lastAttempt": attempt,
                **({"scheduleTime": rfc3339(again)} if is_sent else {}),
            }
        )


def _note_outcome(
    version: str, queue: str, name: str, number: int, world: World, outcome: str
) -> None:
    """Delete a task that is done; have another one tried again after a while, or give it up."""
    row = world.table(f"cloudtasks:{version}/queues").get(queue)
    task = world.table(f"cloudtasks:{version}/tasks").get(name)
    if row is None or task is None or task.get("dispatchCount") != number:
        return
    own, retry = TaskQueue(world, version, row), row.get("retryConfig") or {}
    most = int(retry.get("maxAttempts") or 100)
    if has_succeeded(outcome) or 0 < most <= number:
        own.remove(name)
        return
    wait = backoff_s(
        number,
        duration_s(retry.get("minBackoff"), 0.1),
        duration_s(retry.get("maxBackoff"), 3600),
        int(retry.get("maxDoublings") or 16),
    )
    now = world.clock.now()
    attempt = {
        **task["lastAttempt"], "responseTime": rfc3339(now), "responseStatus": status_of(outcome),
    }  # fmt: skip
    answered = int(task.get("responseCount") or 0) + outcome.isdecimal()
    again = rfc3339(now + timedelta(seconds=wait))
    own.put({**task, "lastAttempt": attempt, "responseCount": answered, "scheduleTime": again})


def _entomb(world: World, name: str, how_long: timedelta = _REMEMBERED_QUEUE) -> None:
    """Note that a name cannot be used for a while: three days for a queue."""
    world.put(_TOMBSTONES, name, {"until": rfc3339(world.clock.now() + how_long)})


def _is_entombed(world: World, name: str) -> bool:
    """Whether something of a name existed too recently."""
    row = world.table(_TOMBSTONES).get(name)
    return row is not None and parse_rfc3339(str(row["until"])) > world.clock.now()


_TASK, _QUEUE = re.compile(r"[A-Za-z0-9_-]{1,500}"), re.compile(r"[A-Za-z0-9-]{1,100}")
_NO_QUEUE = (
    "Queue does not exist. If you just created the queue, wait at least a minute for the queue to "
    "initialize."
)
_TARGETS = ("httpRequest", "appEngineHttpRequest")
_LATEST = timedelta(days=30)
_DEADLINES_S = {"httpRequest": (15, 1800), "appEngineHttpRequest": (15, 86400)}


def _queue(call: Call, name: str) -> TaskQueue:
    """The queue of a name, with what is due in it sent; raises ApiError: 404."""
    row = require_row(call.world, f"cloudtasks:{call.version}/queues", name, _NO_QUEUE)
    queue = TaskQueue(call.world, call.version, row)
    queue.settle()
    return queue


def _named_task(call: Call) -> tuple[TaskQueue, JsonObject]:
    """The task that a call names, and its queue; raises ApiError: 404."""
    name = str(call.params["name"])
    queue = _queue(call, parent_of(name, 2))
    own = f"{queue.name}/tasks/{name.rpartition('/')[2]}"
    found = call.world.table(queue.tasks).get(own)
    if found is None:
        recent = "The task no longer exists, though a task with this name existed recently."
        is_recent = _is_entombed(call.world, own)
        raise not_found(recent if is_recent else "Requested entity was not found.", name=name)
    return queue, found


def _task_view(task: JsonObject, view: object) -> JsonObject:
    """A task as a view shows it: without bodies, unless all is asked for."""
    if view == "FULL":
        return {**task, "view": "FULL"}
    short = {
        name: {key: each for key, each in task[name].items() if key != "body"}
        for name in _TARGETS
        if name in task
    }
    return {**task, **short, "view": "BASIC"}


def _create_queue(call: Call) -> JsonObject:
    name = str(call.body.get("name") or "")
    parent, _, last = name.rpartition("/queues/")
    if parent not in project_names(call.world, str(call.params["parent"])):
        text = f"Queue.name must be formatted: {call.params['parent']}/queues/QUEUE_ID"
        raise bad_fields([("queue.name", text)])
    if not _QUEUE.fullmatch(last):
        text = "A queue's id has letters, digits and hyphens, 100 at the most."
        raise bad_fields([("queue.name", text)])
    if _is_entombed(call.world, name):
        text = "The queue cannot be created because a queue with this name existed too recently."
        raise failed_precondition(text)
    return call.answer_by_conventions()


def _delete_queue(call: Call) -> JsonObject:
    row = require_row(
        call.world, f"cloudtasks:{call.version}/queues", str(call.params["name"]), _NO_QUEUE
    )
    TaskQueue(call.world, call.version, row).purge()
    answer = call.answer_by_conventions()
    _entomb(call.world, str(row["name"]))
    return answer


def _purge(call: Call) -> JsonObject:
    queue = _queue(call, str(call.params["name"]))
    queue.purge()
    row = {**queue.row, "purgeTime": rfc3339(call.world.clock.now())}
    call.world.put(f"cloudtasks:{call.version}/queues", queue.name, row)
    return row


def _resume(call: Call) -> JsonObject:
    answer = call.answer_by_conventions()
    _queue(call, str(call.params["name"]))
    return answer


def _check_task(call: Call, queue: TaskQueue, task: JsonObject) -> str:
    """Refuse a task that cannot be; the kind of its target. Raises ApiError."""
    kinds = [name for name in _TARGETS if name in task]
    if not kinds and queue.row.get("httpTarget"):
        task["httpRequest"], kinds = {}, ["httpRequest"]
    if len(kinds) != 1:
        text = "A task has either an httpRequest or an appEngineHttpRequest."
        raise bad_fields([("task.payload_type", text)])
    kind, target = kinds[0], task[kinds[0]]
    url, is_overridden = str(target.get("url") or ""), bool(queue.row.get("httpTarget"))
    if kind == "httpRequest" and not is_overridden and not url.startswith(("http://", "https://")):
        text = "HttpRequest.url must start with 'http://' or 'https://'."
        raise bad_fields([("task.http_request.url", text)])
    path = str(target.get("relativeUri") or "/")
    if kind == "appEngineHttpRequest" and not path.startswith("/"):
        text = "AppEngineHttpRequest.relative_uri must begin with '/'."
        raise bad_fields([("task.app_engine_http_request.relative_uri", text)])
    if target.get("body") and target.get("httpMethod", "POST") not in WITH_BODY:
        raise invalid("HTTP body may only be set for POST, PUT or PATCH.")
    least, most = _DEADLINES_S[kind]
    deadline = duration_s(task.get("dispatchDeadline"), 600)
    if not least <= deadline <= most:
        text = f"Task.dispatchDeadline must be between {least}s and {most}s."
        raise bad_fields([("task.dispatch_deadline", text)])
    return kind


def _new_task(call: Call, queue: TaskQueue, given: JsonObject) -> JsonObject:
    """Put a task into a queue; raises ApiError."""
    kind, now = _check_task(call, queue, given), call.world.clock.now()
    last = str(given.get("name") or "").rpartition("/tasks/")[2]
    if given.get("name"):
        around = str(given["name"]).rpartition("/tasks/")[0]
        if around not in project_names(call.world, queue.name) or not _TASK.fullmatch(last):
            text = f"Task name must be formatted: {queue.name}/tasks/TASK_ID, its id in letters"
            raise bad_fields([("task.name", f"{text}, digits, hyphens and underscores.")])
    name = f"{queue.name}/tasks/{last or call.world.ids.digits('cloudtasks/task', 20)}"
    if name in call.world.table(queue.tasks):
        raise _taken("Requested entity already exists")
    if _is_entombed(call.world, name):
        text = "The task cannot be created because a task with this name existed too recently."
        raise _taken(text)
    at = parse_rfc3339(str(given["scheduleTime"])) if given.get("scheduleTime") else now
    if at > now + _LATEST:
        text = "The Task.scheduleTime is too far in the future: 30 days at the most."
        raise bad_fields([("task.schedule_time", text)])
    target = {"httpMethod": "POST", **given[kind]}
    if kind == "appEngineHttpRequest":
        target = {"relativeUri": "/", **target}
    task: JsonObject = {
        "name": name,
        kind: target,
        "scheduleTime": rfc3339(max(at, now)),
        "createTime": rfc3339(now),
        "dispatchDeadline": given.get("dispatchDeadline") or "600s",
        "dispatchCount": 0,
        "responseCount": 0,
        **({"retryConfig": given["retryConfig"]} if given.get("retryConfig") else {}),
    }
    queue.put(task)
    queue.settle()
    return task


def _taken(text: str) -> ApiError:
    return ApiError(409, text, reason="alreadyExists", code_name="ALREADY_EXISTS")


def _create_task(call: Call) -> JsonObject:
    queue = _queue(call, str(call.params["parent"]))
    task = _new_task(call, queue, {**(call.body.get("task") or {})})
    return _task_view(task, call.body.get("responseView"))


def _buffer(call: Call) -> JsonObject:
    queue = _queue(call, str(call.params["queue"]))
    if not (queue.row.get("httpTarget") or {}).get("uriOverride"):
        raise failed_precondition(
            "Tasks are buffered in queues whose httpTarget has a uriOverride."
        )
    body, last = call.body.get("body") or {}, str(call.params.get("taskId") or "")
    request: JsonObject = {"url": "", **({"body": body["data"]} if body.get("data") else {})}
    if body.get("contentType"):
        request["headers"] = {"Content-Type": body["contentType"]}
    name = {"name": f"{queue.name}/tasks/{last}"} if last else {}
    return {"task": _task_view(_new_task(call, queue, {**name, "httpRequest": request}), "BASIC")}


def _get_task(call: Call) -> JsonObject:
    return _task_view(_named_task(call)[1], call.params.get("responseView"))


def _list_tasks(call: Call) -> JsonObject:
    _queue(call, str(call.params["parent"]))
    view, answer = call.params.pop("responseView", ""), call.answer_by_conventions()
    tasks = answer.get("tasks")
    return {**answer, "tasks": [_task_view(each, view) for each in tasks]} if tasks else answer


def _delete_task(call: Call) -> JsonObject:
    queue, task = _named_task(call)
    queue.remove(str(task["name"]))
    return {}


def _run_task(call: Call) -> JsonObject:
    queue, task = _named_task(call)
    queue.send(task)
    return _task_view(task, call.body.get("responseView"))


_QUEUES = "cloudtasks.projects.locations.queues"
HANDLERS: Mapping[str, Handler] = {
    f"{_QUEUES}.create": _create_queue,
    f"{_QUEUES}.delete": _delete_queue,
    f"{_QUEUES}.purge": _purge,
    f"{_QUEUES}.resume": _resume,
    f"{_QUEUES}.tasks.create": _create_task,
    f"{_QUEUES}.tasks.buffer": _buffer,
    f"{_QUEUES}.tasks.get": _get_task,
    f"{_QUEUES}.tasks.list": _list_tasks,
    f"{_QUEUES}.tasks.delete": _delete_task,
    f"{_QUEUES}.tasks.run": _run_task,
}

"""The tasks of a queue: which are due, what is sent, and what comes of it.

A task on this machine is sent when a method of its queue is called and its time has come; until
its answer is there, the task is due again when its deadline has passed. A task for a target
elsewhere keeps an attempt that says so, and stays.
"""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit, urlunsplit

from mockserver.collections import BY_KEY, Index
from mockserver.googleapi import duration_s, parent_of
from mockserver.googleapi.targets import (
    app_engine_request,
    backoff_s,
    has_succeeded,
    send_to_target,
    status_of,
)
from mockserver.model import JsonObject
from mockserver.state import World, epoch_micros, parse_rfc3339, rfc3339

_AT_ONCE = 100
_REMEMBERED = timedelta(hours=1)
_REMEMBERED_QUEUE = timedelta(days=3)
TOMBSTONES = "cloudTasksDeleted"
"""Names of tasks and queues that cannot be used again yet, until when."""


def _due(key: str, row: JsonObject) -> Iterable[tuple[str, int]]:
    last, at = row.get("lastAttempt") or {}, row.get("scheduleTime")
    is_elsewhere = "responseStatus" in last and "responseTime" not in last
    moment = epoch_micros(parse_rfc3339(str(at))) if at else 0
    return () if is_elsewhere else ((parent_of(key, 2), moment),)


BY_DUE = Index(_due, timed=True)
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
        entomb(self._world, name, _REMEMBERED)

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
        late = self._world.table(self.tasks).between(BY_DUE, (self.name, 0), (self.name, after))
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


def entomb(world: World, name: str, how_long: timedelta = _REMEMBERED_QUEUE) -> None:
    """Note that a name cannot be used for a while: three days for a queue."""
    world.put(TOMBSTONES, name, {"until": rfc3339(world.clock.now() + how_long)})


def is_entombed(world: World, name: str) -> bool:
    """Whether something of a name existed too recently."""
    row = world.table(TOMBSTONES).get(name)
    return row is not None and parse_rfc3339(str(row["until"])) > world.clock.now()

"""Methods of Cloud Scheduler with a meaning of their own; the others are answered by conventions.

A schedule is five fields as cron has them, or `every 5 minutes`. A job that is due runs when a
method of its location is called and its time has come; runs that were missed until then are one.
Source: the reference of Cloud Scheduler. Not verified against the live API: texts of refusals.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mockserver.collections import Index
from mockserver.googleapi import (
    ApiError,
    Call,
    Handler,
    bad_fields,
    duplicate,
    failed_precondition,
    invalid,
    parent_of,
    require_row,
)
from mockserver.googleapi.targets import app_engine_request, send_to_target, status_of
from mockserver.model import JsonObject
from mockserver.state import World, epoch_micros, parse_rfc3339, project_names, rfc3339

_EVERY = re.compile(r"every (?:(\d{1,5}) )?(minute|min|hour)s?", re.IGNORECASE)
_FIELDS = re.compile(r"[\w*,/-]+( [\w*,/-]+){4}")
_WRONG = "Schedule or time zone is invalid."


@dataclass(frozen=True)
class _Schedule:
    """When a job is due.

    Attributes:
        cron: The five fields.
        every: The time between two runs of a schedule without a calendar.
        zone: The time zone.
    """

    cron: str
    every: timedelta | None
    zone: ZoneInfo

    def after(self, moment: datetime) -> datetime:
        """The first time after a moment.

        A run at a local time that a change of the clock leaves out comes right after the change.
        """
        if self.every is not None:
            return moment + self.every
        from cronsim import CronSim

        return next(CronSim(self.cron, moment.astimezone(self.zone))).astimezone(moment.tzinfo)


def read_schedule(text: str, zone: str) -> _Schedule:
    """Read a schedule.

    Raises:
        ApiError: 400: it cannot be read, no date fits it, or its time zone is unknown.
    """
    from cronsim import CronSim, CronSimError

    try:
        place = ZoneInfo(zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise invalid(_WRONG, location="timeZone") from error
    every = _EVERY.fullmatch(text.strip())
    if every is not None and int(every[1] or 1):
        unit = timedelta(hours=1) if every[2].lower() == "hour" else timedelta(minutes=1)
        return _Schedule("", int(every[1] or 1) * unit, place)
    cron = " ".join(text.split())
    try:
        if not _FIELDS.fullmatch(cron):
            raise invalid(_WRONG, location="schedule")
        CronSim(cron, datetime(2026, 1, 1, tzinfo=place))
    except CronSimError as error:
        raise invalid(_WRONG, location="schedule") from error
    return _Schedule(cron, None, place)


_JOBS = "cloudscheduler:v1/jobs"
_TARGETS = ("httpTarget", "pubsubTarget", "appEngineHttpTarget")
_AT_ONCE = 100
_RETRY = {
    "maxRetryDuration": "0s", "minBackoffDuration": "5s", "maxBackoffDuration": "3600s",
    "maxDoublings": 5,
}  # fmt: skip


def _due(key: str, row: JsonObject) -> Iterable[tuple[str, int]]:
    at = row.get("scheduleTime")
    if not at or row.get("state", "ENABLED") != "ENABLED":
        return ()
    return ((parent_of(key, 2), epoch_micros(parse_rfc3339(str(at)))),)


_BY_DUE = Index(_due, timed=True)


def _settle(call: Call, place: str) -> None:
    """Run the jobs of a location whose time has come."""
    after = epoch_micros(call.world.clock.now()) + 1
    for each in project_names(call.world, place):
        late = call.world.table(_JOBS).between(_BY_DUE, (each, 0), (each, after))
        for job in list(late[:_AT_ONCE]):
            _attempt(call, job)


def _job(call: Call) -> JsonObject:
    """The job that a call names, after it ran if it was due; raises ApiError: 404."""
    name = str(call.params["name"])
    _settle(call, parent_of(name, 2))
    return require_row(call.world, _JOBS, name, "Job not found.")


def _next(call: Call, job: JsonObject) -> JsonObject:
    """When a job is next due, as its field; raises ApiError: 400."""
    schedule = read_schedule(str(job.get("schedule") or ""), str(job.get("timeZone") or ""))
    return {"scheduleTime": rfc3339(schedule.after(call.world.clock.now()))}


def _check_target(call: Call, job: JsonObject) -> None:
    kinds = [name for name in _TARGETS if name in job]
    if len(kinds) != 1:
        raise bad_fields([("job.target", "A job has exactly one target.")])
    target = job[kinds[0]]
    if kinds[0] == "httpTarget" and not str(target.get("uri") or "").startswith("http"):
        raise bad_fields([("job.http_target.uri", "The URI must begin with http:// or https://.")])
    if kinds[0] == "pubsubTarget" and not (target.get("data") or target.get("attributes")):
        text = "Pub/Sub message must contain either non-empty data, or at least one attribute."
        raise bad_fields([("job.pubsub_target", text)])


def _create(call: Call) -> JsonObject:
    job, parent = {**call.body}, str(call.params["parent"])
    _check_target(call, job)
    name = str(job.get("name") or f"{parent}/jobs/{call.world.ids.digits('cloudscheduler', 19)}")
    around, _, last = name.rpartition("/jobs/")
    if around not in project_names(call.world, parent) or not last:
        raise bad_fields([("job.name", f"Job name must be formatted: {parent}/jobs/JOB_ID")])
    if name in call.world.table(_JOBS):
        raise duplicate(f"Job {name} already exists.")
    row: JsonObject = {
        **job,
        "name": name,
        "timeZone": job.get("timeZone") or "UTC",
        "state": "ENABLED",
        "userUpdateTime": rfc3339(call.world.clock.now()),
        "retryConfig": {**_RETRY, **(job.get("retryConfig") or {})},
        "attemptDeadline": job.get("attemptDeadline") or "180s",
        **_next(call, job),
    }
    for kind in ("httpTarget", "appEngineHttpTarget"):
        if kind in row:
            row[kind] = {"httpMethod": "POST", **row[kind]}
    call.world.put(_JOBS, name, row)
    return row


def _patch(call: Call) -> JsonObject:
    before = _job(call)
    changed = {"schedule", "timeZone"}.intersection(call.body)
    if changed:
        _next(call, {**before, **{name: call.body[name] for name in changed}})
    name = str(call.answer_by_conventions()["name"])
    row = {**call.world.table(_JOBS).rows()[name]}
    row |= {"userUpdateTime": rfc3339(call.world.clock.now()), **_next(call, row)}
    call.world.put(_JOBS, name, row)
    return row


def _change_state(call: Call, wanted: str, after: str) -> JsonObject:
    job = _job(call)
    state = job.get("state", "ENABLED")
    if state != wanted:
        text = f"The job is {state}, and must be {wanted} to become {after}."
        raise failed_precondition(text)
    row = {**job, "state": after, "userUpdateTime": rfc3339(call.world.clock.now())}
    row |= _next(call, job) if after == "ENABLED" else {}
    call.world.put(_JOBS, row["name"], row)
    return row


def _run(call: Call) -> JsonObject:
    return _attempt(call, _job(call))


def _attempt(call: Call, job: JsonObject) -> JsonObject:
    """Send what a job sends, and note when it is due again."""
    world, name = call.world, str(job["name"])
    now = rfc3339(world.clock.now())
    row = {key: each for key, each in job.items() if key != "status"}
    row |= {"lastAttemptTime": now, **_next(call, job)}
    status = _publish(call, job["pubsubTarget"]) if "pubsubTarget" in job else {}
    world.put(_JOBS, name, {**row, "status": status} if status else row)
    if "pubsubTarget" in job:
        return row
    target = job.get("httpTarget")
    if target is None:
        target = app_engine_request(name.split("/")[1], job.get("appEngineHttpTarget") or {})
    headers = {
        "User-Agent": "Google-Cloud-Scheduler",
        "X-CloudScheduler": "true",
        "X-CloudScheduler-JobName": name.rpartition("/")[2],
        "X-CloudScheduler-ScheduleTime": str(job.get("scheduleTime") or now),
    }
    done = partial(_note_outcome, name)
    if not send_to_target(world, "cloudscheduler.dispatch", target, headers, done):
        _note_outcome(name, world, f"not sent: {target.get('url') or target.get('uri')} is away")
    return row


def _publish(call: Call, target: JsonObject) -> JsonObject:
    """Publish the message of a job; what went wrong, as a status."""
    message = {name: target[name] for name in ("data", "attributes") if target.get(name)}
    topic = {"topic": str(target.get("topicName") or "")}
    try:
        call.ask("pubsub.projects.topics.publish", topic, {"messages": [message]})
    except ApiError as error:
        return {"code": 5 if error.status == 404 else 3, "message": error.message}
    return {}


def _note_outcome(name: str, world: World, outcome: str) -> None:
    row = world.table(_JOBS).get(name)
    if row is not None:
        status = status_of(outcome)
        kept = {key: each for key, each in row.items() if key != "status"}
        world.put(_JOBS, name, {**kept, "status": status} if status else kept)


def _list(call: Call) -> JsonObject:
    _settle(call, str(call.params["parent"]))
    return call.answer_by_conventions()


_PREFIX = "cloudscheduler.projects.locations.jobs"
HANDLERS: Mapping[str, Handler] = {
    f"{_PREFIX}.create": _create,
    f"{_PREFIX}.get": _job,
    f"{_PREFIX}.list": _list,
    f"{_PREFIX}.patch": _patch,
    f"{_PREFIX}.pause": lambda call: _change_state(call, "ENABLED", "PAUSED"),
    f"{_PREFIX}.resume": lambda call: _change_state(call, "PAUSED", "ENABLED"),
    f"{_PREFIX}.run": _run,
}

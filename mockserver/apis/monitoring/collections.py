"""What Monitoring has: its plain collections as data, and the keys and methods beside them."""

from collections.abc import Callable
from functools import partial

from mockserver.collections.selections import Selection
from mockserver.googleapi import (
    READ_VERBS,
    Call,
    Collection,
    PageRule,
    Referrer,
    Resource,
    bad_fields,
    lazy_attribute,
    require_fields,
)
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import AnsweredCall, Capture, Captures, JsonObject
from mockserver.state import rfc3339

SERIES = "timeSeries"
DESCRIPTORS = "metricDescriptors"
RESOURCE_DESCRIPTORS = "monitoredResourceDescriptors"
OBJECTIVES = "serviceLevelObjectives"
_SERVICES = "monitoredServices"
_POLICIES = "alertPolicies"
_GROUPS = "monitoringGroups"
_API = "monitoring:v3"
_PROJECT = "projects/{project}"

COLLECTIONS = (
    Collection(
        SERIES,
        "time series of metrics",
        (("points", "*", "interval", "startTime"), ("points", "*", "interval", "endTime")),
    ),
    Collection(DESCRIPTORS, "metric descriptors", resource=f"{_API}#MetricDescriptor"),
    Collection(
        RESOURCE_DESCRIPTORS,
        "monitored resource descriptors",
        resource=f"{_API}#MonitoredResourceDescriptor",
    ),
)
"""Keys whose rows are computed with."""


def _digits(kind: str) -> Callable[[Call], str]:
    """Makes ids of 19 digits."""
    return lambda call: call.world.ids.digits(kind, 19)


def _mutation_record(call: Call) -> JsonObject:
    return {"mutateTime": rfc3339(call.world.clock.now()), "mutatedBy": call.caller.email}


def _new_policy(call: Call, row: JsonObject) -> JsonObject:
    """A new alerting policy: with its records and the names of its conditions."""
    record = _mutation_record(call)
    return _with_condition_names(call, {**row, "creationRecord": record, "mutationRecord": record})


def _changed_policy(call: Call, _: JsonObject, row: JsonObject) -> JsonObject:
    """A changed alerting policy: with the record of its change."""
    return _with_condition_names(call, {**row, "mutationRecord": _mutation_record(call)})


def _with_condition_names(call: Call, row: JsonObject) -> JsonObject:
    """A policy whose conditions have names. Source: Discovery document."""
    require_fields(row, "alert_policy", ("displayName", "combiner", "conditions"))
    if len(row["conditions"]) > 6:
        text = "An alerting policy has at most 6 conditions."
        raise bad_fields([("alert_policy.conditions", text)])
    conditions = [
        each
        if each.get("name")
        else {"name": f"{row['name']}/conditions/{_digits('condition')(call)}", **each}
        for each in row["conditions"]
    ]
    return {**row, "conditions": conditions}


def _valid_objective(row: JsonObject) -> JsonObject:
    """An objective that can be: a goal, one period, an indicator. Source: Discovery document."""
    owner = "service_level_objective"
    require_fields(row, owner, ("serviceLevelIndicator", "goal"))
    if not 0 < float(row["goal"]) <= 0.9999:
        raise bad_fields([(f"{owner}.goal", "The goal must be above 0 and at most 0.9999.")])
    if ("rollingPeriod" in row) == ("calendarPeriod" in row):
        text = "Exactly one of rolling_period and calendar_period must be set."
        raise bad_fields([(owner, text)])
    return row


def _new_channel(call: Call, row: JsonObject) -> JsonObject:
    """A new notification channel: with the record of its making."""
    return {**row, "creationRecord": _mutation_record(call)}


def _by_descent(asked: ListCall) -> Selection | None:
    """Groups by descent. Source: Discovery document."""
    rows, params = asked.table.rows(), asked.call.params

    def above(name: str) -> list[str]:
        found: list[str] = []
        while name in rows and rows[name].get("parentName") not in {None, "", *found}:
            name = rows[name]["parentName"]
            found.append(name)
        return found

    if group := params.get("childrenOfGroup"):
        return asked.field("parentName").equal(asked.table, [str(group)])
    if group := params.get("descendantsOfGroup"):
        return asked.tested(lambda row: group in above(row["name"]), f"below {group}")
    if group := params.get("ancestorsOfGroup"):
        return asked.field("name").equal(asked.table, above(str(group)))
    return None


_row_test = lazy_attribute("mockserver.apis.monitoring", "filters", "row_test")


def _filter_rows(asked: ListCall) -> Selection | None:
    text = str(asked.call.params.get("filter") or "")
    return asked.tested(_row_test()(text), f"filter {text}") if text.strip() else None


_plain = partial(Resource, page=PageRule(default=1000, maximum=1000), filter=_filter_rows)
RESOURCES = (
    _plain(
        collection=_POLICIES,
        about="alerting policies",
        schema=f"{_API}#AlertPolicy",
        pattern=f"{_PROJECT}/alertPolicies/{{policy}}",
        parent_param="name",
        order="",
        new_id=_digits("alertPolicy"),
        on_create=_new_policy,
        on_change=_changed_policy,
        defaults={"enabled": True},
        output_only=("creationRecord", "mutationRecord"),
        times=("creationRecord.mutateTime", "mutationRecord.mutateTime"),
        total="totalSize",
    ),
    _plain(
        collection="alerts",
        about="alerts (incidents)",
        schema=f"{_API}#Alert",
        pattern=f"{_PROJECT}/alerts/{{alert}}",
        verbs=READ_VERBS,
        page=PageRule(default=50, maximum=1000),
        order="open_time desc",
        times=("openTime", "closeTime"),
        total="totalSize",
    ),
    _plain(
        collection=_SERVICES,
        about="services that are watched by objectives",
        schema=f"{_API}#Service",
        pattern=f"{_PROJECT}/services/{{service}}",
        methods=("monitoring.services",),
        id_param="serviceId",
        inside=(OBJECTIVES,),
    ),
    _plain(
        collection=OBJECTIVES,
        about="service level objectives",
        schema=f"{_API}#ServiceLevelObjective",
        pattern=f"{_PROJECT}/services/{{service}}/serviceLevelObjectives/{{objective}}",
        methods=("monitoring.services.serviceLevelObjectives",),
        id_param="serviceLevelObjectiveId",
        parent_collection=_SERVICES,
        on_create=lambda _, row: _valid_objective(row),
        on_change=lambda _call, _before, row: _valid_objective(row),
    ),
    _plain(
        collection="dashboards",
        about="dashboards",
        schema="monitoring:v1#Dashboard",
        pattern=f"{_PROJECT}/dashboards/{{dashboard}}",
        filter=None,
        named_by_body=True,
        noun="dashboard",
        required=("displayName",),
        etags=True,
    ),
    _plain(
        collection="notificationChannels",
        about="notification channels",
        schema=f"{_API}#NotificationChannel",
        pattern=f"{_PROJECT}/notificationChannels/{{channel}}",
        parent_param="name",
        order="",
        new_id=_digits("notificationChannel"),
        noun="notification_channel",
        required=("type",),
        on_create=_new_channel,
        referrers=(
            Referrer(
                collection=_POLICIES,
                field="notificationChannels",
                allowed_by="force",
                refusal="The notification channel is used by {name}; set force to delete it.",
            ),
        ),
        defaults={"enabled": True},
        output_only=("creationRecord", "mutationRecords", "verificationStatus"),
        times=("creationRecord.mutateTime", "mutationRecords.*.mutateTime"),
        total="totalSize",
    ),
    _plain(
        collection="notificationChannelDescriptors",
        about="kinds of notification channels",
        schema=f"{_API}#NotificationChannelDescriptor",
        pattern=f"{_PROJECT}/notificationChannelDescriptors/{{kind}}",
        verbs=READ_VERBS,
        parent_param="name",
        list_key="channelDescriptors",
    ),
    _plain(
        collection=_GROUPS,
        about="groups of monitored resources",
        schema=f"{_API}#Group",
        pattern=f"{_PROJECT}/groups/{{group}}",
        verbs=(*READ_VERBS, "create", "update", "delete"),
        list_key="group",
        parent_param="name",
        filter=_by_descent,
        new_id=_digits("group"),
        noun="group",
        required=("displayName", "filter"),
        referrers=(
            Referrer(
                collection=_GROUPS,
                field="parentName",
                allowed_by="recursive",
                refusal="The group has children ({name}); set recursive to delete them too.",
                goes_along=True,
            ),
        ),
    ),
    _plain(
        collection="uptimeCheckConfigs",
        about="uptime checks",
        schema=f"{_API}#UptimeCheckConfig",
        pattern=f"{_PROJECT}/uptimeCheckConfigs/{{check}}",
        noun="uptime_check_config",
        required=("displayName",),
        new_id=lambda call: call.world.ids.base36("uptimeCheck", 11),
        defaults={"period": "60s", "timeout": "10s"},
        total="totalSize",
    ),
    _plain(
        collection="snoozes",
        about="snoozes",
        schema=f"{_API}#Snooze",
        pattern=f"{_PROJECT}/snoozes/{{snooze}}",
        verbs=(*READ_VERBS, "create", "patch"),
        new_id=_digits("snooze"),
        noun="snooze",
        required=("displayName", "interval", "criteria"),
        times=("interval.startTime", "interval.endTime"),
    ),
)


def keep_stored_series(series: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """A time series as it was written; one that was computed by the call is left out."""
    computed = any(
        name.startswith(("aggregation.", "secondaryAggregation."))
        and str(value) not in {"", "ALIGN_NONE", "REDUCE_NONE"}
        for name, value in call.params.items()
    )
    without_points = call.params.get("view") == "HEADERS"
    return None if computed or without_points else series


CAPTURES: Captures = {
    "monitoring.projects.timeSeries.list": (
        Capture(
            SERIES,
            "timeSeries",
            ("metric", "resource", "metricKind", "valueType"),
            joined=("points",),
            reshape=keep_stored_series,
        ),
    ),
    "monitoring.projects.metricDescriptors.list": (Capture(DESCRIPTORS, "metricDescriptors"),),
    "monitoring.projects.monitoredResourceDescriptors.list": (
        Capture(RESOURCE_DESCRIPTORS, "resourceDescriptors"),
    ),
}
"""Discovery id to what its answers fill."""

"""Methods of Cloud Monitoring, and its plain collections, declared as data."""

from collections.abc import Callable, Mapping

from mockserver.apis.monitoring.collections import (
    ALERTS,
    CHANNEL_KINDS,
    CHANNELS,
    DASHBOARDS,
    GROUPS,
    OBJECTIVES,
    POLICIES,
    SERVICES,
    SNOOZES,
    UPTIME_CHECKS,
)
from mockserver.apis.monitoring.prometheus_document import PROMETHEUS_IDS
from mockserver.collections.selections import Selection
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    Referrer,
    Resource,
    Verb,
    bad_fields,
    crud_handlers,
    require_fields,
)
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import JsonObject
from mockserver.state import rfc3339


def digit_id_maker(kind: str) -> Callable[[Call], str]:
    """Makes ids of 19 digits."""
    return lambda call: call.world.ids.digits(kind, 19)


def _mutation_record(call: Call) -> JsonObject:
    return {"mutateTime": rfc3339(call.world.clock.now()), "mutatedBy": call.caller.email}


def new_policy(call: Call, row: JsonObject) -> JsonObject:
    """A new alerting policy: with its records and the names of its conditions."""
    record = _mutation_record(call)
    return _with_condition_names(call, {**row, "creationRecord": record, "mutationRecord": record})


def changed_policy(call: Call, _: JsonObject, row: JsonObject) -> JsonObject:
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
        else {"name": f"{row['name']}/conditions/{digit_id_maker('condition')(call)}", **each}
        for each in row["conditions"]
    ]
    return {**row, "conditions": conditions}


def valid_objective(row: JsonObject) -> JsonObject:
    """An objective that can be: a goal, one period, an indicator. Source: Discovery document."""
    owner = "service_level_objective"
    require_fields(row, owner, ("serviceLevelIndicator", "goal"))
    if not 0 < float(row["goal"]) <= 0.9999:
        raise bad_fields([(f"{owner}.goal", "The goal must be above 0 and at most 0.9999.")])
    if ("rollingPeriod" in row) == ("calendarPeriod" in row):
        text = "Exactly one of rolling_period and calendar_period must be set."
        raise bad_fields([(owner, text)])
    return row


def new_channel(call: Call, row: JsonObject) -> JsonObject:
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


_PAGES = PageRule(default=1000, maximum=1000)
_PROJECT = "projects/{project}"


def _filter_rows(asked: ListCall) -> Selection | None:
    from mockserver.apis.monitoring.filters import row_test

    text = str(asked.call.params.get("filter") or "")
    return asked.tested(row_test(text), f"filter {text}") if text.strip() else None


def _project_collection(collection: str, ident: str, **more: object) -> Resource:
    """A collection right below a project."""
    settings: JsonObject = {
        "list_key": collection,
        "page": _PAGES,
        "filter": _filter_rows,
        "pattern": f"{_PROJECT}/{collection}/{{{ident}}}",
        **more,
    }
    return Resource(collection=collection, **settings)


_SERVICE = Resource(
    collection=SERVICES,
    pattern=f"{_PROJECT}/services/{{service}}",
    list_key="services",
    page=_PAGES,
    filter=_filter_rows,
    id_param="serviceId",
    inside=(OBJECTIVES,),
)

_DASHBOARD = Resource(
    collection=DASHBOARDS,
    pattern=f"{_PROJECT}/dashboards/{{dashboard}}",
    list_key="dashboards",
    page=_PAGES,
    named_by_body=True,
    noun="dashboard",
    required=("displayName",),
    etags=True,
)
_OBJECTIVE = Resource(
    collection=OBJECTIVES,
    pattern=f"{_PROJECT}/services/{{service}}/serviceLevelObjectives/{{objective}}",
    list_key="serviceLevelObjectives",
    page=_PAGES,
    filter=_filter_rows,
    id_param="serviceLevelObjectiveId",
    parent_collection=SERVICES,
    on_create=lambda _, row: valid_objective(row),
    on_change=lambda _call, _before, row: valid_objective(row),
)
_SNOOZE = _project_collection(
    SNOOZES,
    "snooze",
    new_id=digit_id_maker("snooze"),
    noun="snooze",
    required=("displayName", "interval", "criteria"),
)
_UPTIME_CHECK = _project_collection(
    UPTIME_CHECKS,
    "check",
    noun="uptime_check_config",
    required=("displayName",),
    new_id=lambda call: call.world.ids.base36("uptimeCheck", 11),
    defaults={"period": "60s", "timeout": "10s"},
    total="totalSize",
)
_GROUP = Resource(
    collection=GROUPS,
    pattern=f"{_PROJECT}/groups/{{group}}",
    list_key="group",
    page=_PAGES,
    parent_param="name",
    filter=_by_descent,
    new_id=digit_id_maker("group"),
    noun="group",
    required=("displayName", "filter"),
    referrers=(
        Referrer(
            collection=GROUPS,
            field="parentName",
            allowed_by="recursive",
            refusal="The group has children ({name}); set recursive to delete them too.",
            goes_along=True,
        ),
    ),
)
_CHANNEL_KIND = _project_collection(
    CHANNEL_KINDS, "kind", parent_param="name", list_key="channelDescriptors"
)
_CHANNEL = _project_collection(
    CHANNELS,
    "channel",
    parent_param="name",
    order="",
    new_id=digit_id_maker("notificationChannel"),
    noun="notification_channel",
    required=("type",),
    on_create=new_channel,
    referrers=(
        Referrer(
            collection=POLICIES,
            field="notificationChannels",
            allowed_by="force",
            refusal="The notification channel is used by {name}; set force to delete it.",
        ),
    ),
    defaults={"enabled": True},
    output_only=("creationRecord", "mutationRecords", "verificationStatus"),
    total="totalSize",
)
_ALERT = _project_collection(
    ALERTS,
    "alert",
    page=PageRule(default=50, maximum=1000),
    order="open_time desc",
    total="totalSize",
)


_POLICY = _project_collection(
    POLICIES,
    "policy",
    parent_param="name",
    order="",
    new_id=digit_id_maker("alertPolicy"),
    on_create=new_policy,
    on_change=changed_policy,
    defaults={"enabled": True},
    output_only=("creationRecord", "mutationRecord"),
    total="totalSize",
)
_STANDARD_COLLECTIONS: tuple[tuple[Resource, str, tuple[Verb, ...]], ...] = (
    (_POLICY, "projects.alertPolicies", ()),
    (_ALERT, "projects.alerts", ("list", "get")),
    (_CHANNEL, "projects.notificationChannels", ()),
    (_CHANNEL_KIND, "projects.notificationChannelDescriptors", ("list", "get")),
    (_GROUP, "projects.groups", ("list", "get", "create", "update", "delete")),
    (_UPTIME_CHECK, "projects.uptimeCheckConfigs", ()),
    (_SNOOZE, "projects.snoozes", ("list", "get", "create", "patch")),
    (_SERVICE, "services", ()),
    (_OBJECTIVE, "services.serviceLevelObjectives", ()),
    (_DASHBOARD, "projects.dashboards", ()),
)


_SERIES = (
    "projects.timeSeries.list",
    "folders.timeSeries.list",
    "organizations.timeSeries.list",
    "projects.timeSeries.create",
    "projects.timeSeries.createService",
    "projects.metricDescriptors.list",
    "projects.metricDescriptors.get",
    "projects.metricDescriptors.create",
    "projects.metricDescriptors.delete",
    "projects.monitoredResourceDescriptors.list",
    "projects.monitoredResourceDescriptors.get",
)


def _answer_computed(call: Call) -> JsonObject | None:
    # imported here: filters, alignment and PromQL take time that a server's start need not pay
    from mockserver.apis.monitoring.series_methods import COMPUTING_HANDLERS

    return COMPUTING_HANDLERS[call.id](call)


RESOURCE_HANDLERS: Mapping[str, Handler] = {
    name: handler
    for resource, ident, verbs in _STANDARD_COLLECTIONS
    for name, handler in crud_handlers(resource, f"monitoring.{ident}", *verbs).items()
}


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys((f"monitoring.{name}" for name in _SERIES), _answer_computed),
    **dict.fromkeys(PROMETHEUS_IDS, _answer_computed),
    **RESOURCE_HANDLERS,
}

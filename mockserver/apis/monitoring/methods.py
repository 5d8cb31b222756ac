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
from mockserver.collections import BY_KEY, Index
from mockserver.collections.selections import Selection
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    Resource,
    Verb,
    bad_fields,
    crud_handlers,
    failed_precondition,
    not_found,
)
from mockserver.googleapi.list_rules import ListCall
from mockserver.model import JsonObject
from mockserver.state import project_names, rfc3339


def digit_id_maker(kind: str) -> Callable[[Call], str]:
    """Makes ids of 19 digits."""
    return lambda call: call.world.ids.digits(kind, 19)


def _require_fields(row: JsonObject, owner: str, *names: str) -> None:
    missing = [name for name in names if not row.get(name)]
    if missing:
        text = "Field {0}.{1} is required."
        raise bad_fields([(f"{owner}.{each}", text.format(owner, each)) for each in missing])


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
    _require_fields(row, "alert_policy", "displayName", "combiner", "conditions")
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


def new_objective(call: Call, row: JsonObject) -> JsonObject:
    """A new objective of a service that is there.

    Raises:
        ApiError: 404 for the service; as `objective`.
    """
    service = row["name"].partition("/serviceLevelObjectives/")[0]
    table = call.world.table(SERVICES)
    if not any(each in table for each in project_names(call.world, service)):
        raise not_found(name=service)
    return valid_objective(row)


def valid_objective(row: JsonObject) -> JsonObject:
    """An objective that can be: a goal, one period, an indicator. Source: Discovery document."""
    owner = "service_level_objective"
    _require_fields(row, owner, "serviceLevelIndicator", "goal")
    if not 0 < float(row["goal"]) <= 0.9999:
        raise bad_fields([(f"{owner}.goal", "The goal must be above 0 and at most 0.9999.")])
    if ("rollingPeriod" in row) == ("calendarPeriod" in row):
        text = "Exactly one of rolling_period and calendar_period must be set."
        raise bad_fields([(owner, text)])
    return row


def delete_objectives(call: Call, row: JsonObject) -> None:
    """A service takes its objectives along."""
    inside = f"{row['name']}/serviceLevelObjectives/"
    for name in call.world.table(OBJECTIVES).starting(BY_KEY, inside).row_keys():
        call.world.delete(OBJECTIVES, name)


def check_channel_unused(call: Call, row: JsonObject) -> None:
    """Refuse to delete a channel that a policy notifies, unless forced."""
    users = call.world.table(POLICIES).find(_BY_CHANNEL, row["name"])
    if users and not call.params.get("force"):
        text = f"The notification channel is used by {users[0]['name']}; set force to delete it."
        raise failed_precondition(text)


_BY_CHANNEL = Index(lambda _, row: dict.fromkeys(map(str, row.get("notificationChannels", ()))))
_BY_PARENT = Index(lambda _, row: (str(row.get("parentName", "")),))


def new_channel(call: Call, row: JsonObject) -> JsonObject:
    """A new notification channel: with the record of its making."""
    _require_fields(row, "notification_channel", "type")
    return {**row, "creationRecord": _mutation_record(call)}


def delete_children(call: Call, row: JsonObject) -> None:
    """A group takes its children along when that is asked for; else it is refused."""
    children = call.world.table(GROUPS).find(_BY_PARENT, row["name"]).row_keys()
    if children and not call.params.get("recursive"):
        text = f"The group has children ({children[0]}); set recursive to delete them too."
        raise failed_precondition(text)
    for name in children:
        delete_children(call, {"name": name})
        call.world.delete(GROUPS, name)


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


def requirement_check(owner: str, *names: str) -> Callable[[Call, JsonObject], JsonObject]:
    """Makes a check that a resource has what it must have."""

    def check(_: Call, row: JsonObject) -> JsonObject:
        _require_fields(row, owner, *names)
        return row

    return check


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
    on_delete=delete_objectives,
)

_ALL_VERBS: tuple[Verb, ...] = ("list", "get", "create", "patch", "delete")
_READ_VERBS: tuple[Verb, ...] = ("list", "get")
_DASHBOARD = Resource(
    collection=DASHBOARDS,
    pattern=f"{_PROJECT}/dashboards/{{dashboard}}",
    list_key="dashboards",
    page=_PAGES,
    named_by_body=True,
    on_create=requirement_check("dashboard", "displayName"),
    etags=True,
)
_OBJECTIVE = Resource(
    collection=OBJECTIVES,
    pattern=f"{_PROJECT}/services/{{service}}/serviceLevelObjectives/{{objective}}",
    list_key="serviceLevelObjectives",
    page=_PAGES,
    filter=_filter_rows,
    id_param="serviceLevelObjectiveId",
    on_create=new_objective,
    on_change=lambda _call, _before, row: valid_objective(row),
)
_SNOOZE = _project_collection(
    SNOOZES,
    "snooze",
    new_id=digit_id_maker("snooze"),
    on_create=requirement_check("snooze", "displayName", "interval", "criteria"),
)
_UPTIME_CHECK = _project_collection(
    UPTIME_CHECKS,
    "check",
    on_create=requirement_check("uptime_check_config", "displayName"),
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
    on_create=requirement_check("group", "displayName", "filter"),
    on_delete=delete_children,
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
    on_create=new_channel,
    on_delete=check_channel_unused,
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
    (_POLICY, "projects.alertPolicies", _ALL_VERBS),
    (_ALERT, "projects.alerts", _READ_VERBS),
    (_CHANNEL, "projects.notificationChannels", _ALL_VERBS),
    (_CHANNEL_KIND, "projects.notificationChannelDescriptors", _READ_VERBS),
    (_GROUP, "projects.groups", ("list", "get", "create", "update", "delete")),
    (_UPTIME_CHECK, "projects.uptimeCheckConfigs", _ALL_VERBS),
    (_SNOOZE, "projects.snoozes", ("list", "get", "create", "patch")),
    (_SERVICE, "services", _ALL_VERBS),
    (_OBJECTIVE, "services.serviceLevelObjectives", _ALL_VERBS),
    (_DASHBOARD, "projects.dashboards", _ALL_VERBS),
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
    for name, handler in crud_handlers(
        resource, {verb: f"monitoring.{ident}.{verb}" for verb in verbs}
    ).items()
}


HANDLERS: Mapping[str, Handler] = {
    **dict.fromkeys((f"monitoring.{name}" for name in _SERIES), _answer_computed),
    **dict.fromkeys(PROMETHEUS_IDS, _answer_computed),
    **RESOURCE_HANDLERS,
}

"""Alerting, services, dashboards and other plain collections, declared as data."""

from collections.abc import Callable, Mapping

from mockserver.apis.monitoring.changes import (
    changed_policy,
    check_channel_unused,
    delete_children,
    delete_objectives,
    digits,
    kin_of_group,
    needs,
    new_channel,
    new_objective,
    new_policy,
    objective,
)
from mockserver.apis.monitoring.snapshot import (
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
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    Resource,
    Verb,
    crud_handlers,
    ordered,
)
from mockserver.model import JsonObject

Rows = tuple[JsonObject, ...]
_PAGES = PageRule(default=1000, maximum=1000)
_PROJECT = "projects/{project}"


def _filter(call: Call) -> Callable[[JsonObject], bool] | None:
    from mockserver.apis.monitoring.matching import row_test

    text = str(call.params.get("filter") or "")
    return row_test(text) if text.strip() else None


def _newest_first(call: Call, rows: object) -> Rows:
    return tuple(ordered(call, rows, "open_time desc"))  # type: ignore[arg-type]


def _plain(collection: str, ident: str, **more: object) -> Resource:
    """A collection right below a project."""
    settings: JsonObject = {
        "list_key": collection,
        "page": _PAGES,
        "filter": _filter,
        "pattern": f"{_PROJECT}/{collection}/{{{ident}}}",
        **more,
    }
    return Resource(collection=collection, **settings)


_POLICY = _plain(
    POLICIES,
    "policy",
    parent_param="name",
    order=ordered,
    new_id=digits("alertPolicy"),
    on_create=new_policy,
    on_change=changed_policy,
    defaults={"enabled": True},
    output_only=("creationRecord", "mutationRecord"),
    total="totalSize",
)
_ALERT = _plain(
    ALERTS,
    "alert",
    page=PageRule(default=50, maximum=1000),
    order=_newest_first,
    total="totalSize",
)
_CHANNEL = _plain(
    CHANNELS,
    "channel",
    parent_param="name",
    order=ordered,
    new_id=digits("notificationChannel"),
    on_create=new_channel,
    on_delete=check_channel_unused,
    defaults={"enabled": True},
    output_only=("creationRecord", "mutationRecords", "verificationStatus"),
    total="totalSize",
)
_CHANNEL_KIND = _plain(CHANNEL_KINDS, "kind", parent_param="name", list_key="channelDescriptors")
_GROUP = Resource(
    collection=GROUPS,
    pattern=f"{_PROJECT}/groups/{{group}}",
    list_key="group",
    page=_PAGES,
    parent_param="name",
    filter=kin_of_group,
    new_id=digits("group"),
    on_create=needs("group", "displayName", "filter"),
    on_delete=delete_children,
)
_UPTIME_CHECK = _plain(
    UPTIME_CHECKS,
    "check",
    on_create=needs("uptime_check_config", "displayName"),
    new_id=lambda call: call.world.ids.base36("uptimeCheck", 11),
    defaults={"period": "60s", "timeout": "10s"},
    total="totalSize",
)
_SNOOZE = _plain(
    SNOOZES,
    "snooze",
    new_id=digits("snooze"),
    on_create=needs("snooze", "displayName", "interval", "criteria"),
)
_SERVICE = Resource(
    collection=SERVICES,
    pattern=f"{_PROJECT}/services/{{service}}",
    list_key="services",
    page=_PAGES,
    filter=_filter,
    id_param="serviceId",
    on_delete=delete_objectives,
)
_OBJECTIVE = Resource(
    collection=OBJECTIVES,
    pattern=f"{_PROJECT}/services/{{service}}/serviceLevelObjectives/{{objective}}",
    list_key="serviceLevelObjectives",
    page=_PAGES,
    filter=_filter,
    id_param="serviceLevelObjectiveId",
    on_create=new_objective,
    on_change=lambda _call, _before, row: objective(row),
)
_DASHBOARD = Resource(
    collection=DASHBOARDS,
    pattern=f"{_PROJECT}/dashboards/{{dashboard}}",
    list_key="dashboards",
    page=_PAGES,
    named_by_body=True,
    on_create=needs("dashboard", "displayName"),
    etags=True,
)

_CRUD: tuple[Verb, ...] = ("list", "get", "create", "patch", "delete")
_READ: tuple[Verb, ...] = ("list", "get")
_PLAIN: tuple[tuple[Resource, str, tuple[Verb, ...]], ...] = (
    (_POLICY, "projects.alertPolicies", _CRUD),
    (_ALERT, "projects.alerts", _READ),
    (_CHANNEL, "projects.notificationChannels", _CRUD),
    (_CHANNEL_KIND, "projects.notificationChannelDescriptors", _READ),
    (_GROUP, "projects.groups", ("list", "get", "create", "update", "delete")),
    (_UPTIME_CHECK, "projects.uptimeCheckConfigs", _CRUD),
    (_SNOOZE, "projects.snoozes", ("list", "get", "create", "patch")),
    (_SERVICE, "services", _CRUD),
    (_OBJECTIVE, "services.serviceLevelObjectives", _CRUD),
    (_DASHBOARD, "projects.dashboards", _CRUD),
)


def _trying(resource: Resource, handler: Handler) -> Handler:
    """A write that is taken back when the call only asks whether it could be."""

    def answer(call: Call) -> JsonObject | None:
        rows = dict(call.world.table(resource.collection).rows())
        reply = handler(call)
        if call.params.get("validateOnly") and reply is not None:
            name = reply["name"]
            if name in rows:
                call.world.put(resource.collection, name, rows[name])
            else:
                call.world.delete(resource.collection, name)
        return reply

    return answer


RESOURCE_HANDLERS: Mapping[str, Handler] = {
    name: _trying(resource, handler) if resource in (_GROUP, _DASHBOARD) else handler
    for resource, ident, verbs in _PLAIN
    for name, handler in crud_handlers(
        resource, {verb: f"monitoring.{ident}.{verb}" for verb in verbs}
    ).items()
}

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.monitoring import API
from mockserver.googleapi import ApiError, Catalog
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import PROJECT, asked
from tests.tenants import ask, world

GENERIC = {
    "monitoring.locations.global.metricsScopes.get",
    "monitoring.locations.global.metricsScopes.listMetricsScopesByMonitoredProject",
    "monitoring.locations.global.metricsScopes.projects.create",
    "monitoring.locations.global.metricsScopes.projects.delete",
    "monitoring.operations.get",
    "monitoring.projects.collectdTimeSeries.create",
    "monitoring.projects.groups.members.list",
    "monitoring.projects.notificationChannels.getVerificationCode",
    "monitoring.projects.notificationChannels.sendVerificationCode",
    "monitoring.projects.notificationChannels.verify",
    "monitoring.projects.timeSeries.query",
    "monitoring.uptimeCheckIps.list",
}


def test_every_method_but_a_few_has_semantics_of_its_own() -> None:
    catalog = Catalog(preferred=API.documents, supplements=API.supplements)
    assert {one.id for one in catalog.methods()} - set(API.handlers) == GENERIC


POLICY: JsonObject = {
    "displayName": "Errors",
    "combiner": "OR",
    "conditions": [{"displayName": "c", "conditionThreshold": {"filter": "x"}}],
}
OBJECTIVE: JsonObject = {
    "goal": 0.99,
    "rollingPeriod": "86400s",
    "serviceLevelIndicator": {"requestBased": {}},
}
WRITABLE: list[tuple[str, str, JsonObject]] = [
    ("projects.alertPolicies", "alertPolicies", POLICY),
    ("projects.notificationChannels", "notificationChannels", {"type": "email"}),
    ("projects.uptimeCheckConfigs", "uptimeCheckConfigs", {"displayName": "u"}),
    ("services", "services", {"displayName": "s"}),
    ("projects.dashboards", "dashboards", {"displayName": "d"}),
    ("projects.groups", "group", {"displayName": "g", "filter": "x"}),
]


def create(world: World, method: str, body: JsonObject, **params: object) -> JsonObject:
    named = {"name": PROJECT, "parent": PROJECT, **params}
    return ask(API, world, f"monitoring.{method}.create", named, body)


@pytest.mark.parametrize(("method", "key", "body"), WRITABLE, ids=[row[1] for row in WRITABLE])
@given(text=st.text(min_size=1, max_size=5))
def test_what_is_made_is_read_listed_changed_and_gone(
    method: str, key: str, body: JsonObject, text: str
) -> None:
    tenant = world(API)
    made = create(tenant, method, {**body, "displayName": text})
    name = made["name"]
    assert asked(tenant, f"{method}.get", name) == made
    assert asked(tenant, f"{method}.list")[key] == [made]
    verb = "update" if key == "group" else "patch"
    body = {**made, "displayName": text + "!"}
    params = {"name": name, "updateMask": "display_name"}
    changed = ask(API, tenant, f"monitoring.{method}.{verb}", params, body)
    assert changed["displayName"] == text + "!"
    assert asked(tenant, f"{method}.delete", name) == {}
    with pytest.raises(ApiError) as caught:
        asked(tenant, f"{method}.get", name)
    assert caught.value.status == 404


def test_a_filter_looks_at_any_field() -> None:
    tenant = world(API)
    made = create(tenant, "projects.alertPolicies", {**POLICY, "userLabels": {"team": "shop"}})
    create(tenant, "projects.alertPolicies", {**POLICY, "displayName": "Other"})
    text = 'user_labels.team = "shop" AND display_name = starts_with("Err")'
    found = asked(tenant, "projects.alertPolicies.list", filter=text)
    assert found == {"alertPolicies": [made], "totalSize": 1}


def alert(number: int, opened: str, state: str) -> JsonObject:
    return {"name": f"{PROJECT}/alerts/{number}", "openTime": opened, "state": state}


ALERTS = [
    alert(1, "2026-03-02T08:00:00Z", "CLOSED"),
    alert(2, "2026-03-02T08:30:00Z", "OPEN"),
    alert(3, "2026-03-01T08:30:00Z", "OPEN"),
]


@pytest.mark.parametrize(
    ("params", "numbers"),
    [
        ({}, "213"),
        ({"filter": 'open_time >= "2026-03-02T00:00:00Z"'}, "21"),
        ({"filter": 'state = "OPEN" AND open_time < "2026-03-02T00:00:00Z"'}, "3"),
        ({"orderBy": "open_time"}, "312"),
        ({"pageSize": 1}, "2"),
    ],
)
def test_alerts_are_newest_first_unless_told_otherwise(params: JsonObject, numbers: str) -> None:
    found = asked(world(API, alerts=ALERTS), "projects.alerts.list", **params)
    assert "".join(each["name"][-1] for each in found["alerts"]) == numbers


def test_groups_are_chosen_by_descent() -> None:
    tenant = world(API)
    body = {"displayName": "g", "filter": "x"}
    top = create(tenant, "projects.groups", body)["name"]
    middle = create(tenant, "projects.groups", {**body, "parentName": top})["name"]
    leaf = create(tenant, "projects.groups", {**body, "parentName": middle})["name"]
    for parameter, asked_for, expected in (
        ("childrenOfGroup", top, {middle}),
        ("descendantsOfGroup", top, {middle, leaf}),
        ("ancestorsOfGroup", leaf, {top, middle}),
    ):
        found = asked(tenant, "projects.groups.list", **{parameter: asked_for})
        assert {each["name"] for each in found["group"]} == expected


def test_what_is_only_validated_is_not_written() -> None:
    tenant = world(API)
    create(tenant, "projects.dashboards", {"displayName": "d"}, validateOnly=True)
    assert tenant.diff() == {}
    made = create(tenant, "projects.dashboards", {"displayName": "d"})
    params = {"name": made["name"], "validateOnly": True}
    body = {"displayName": "e"}
    changed = ask(API, tenant, "monitoring.projects.dashboards.patch", params, body)
    assert changed["displayName"] == "e"
    assert asked(tenant, "projects.dashboards.get", made["name"]) == made


def test_objectives_belong_to_a_service() -> None:
    tenant = world(API)
    service = create(tenant, "services", {}, serviceId="cart")["name"]
    assert service == f"{PROJECT}/services/cart"
    made = create(
        tenant,
        "services.serviceLevelObjectives",
        OBJECTIVE,
        parent=service,
        serviceLevelObjectiveId="fast",
    )
    assert made["name"] == f"{service}/serviceLevelObjectives/fast"
    method = "services.serviceLevelObjectives.list"
    assert asked(tenant, method, f"{PROJECT}/services/-")["serviceLevelObjectives"] == [made]
    asked(tenant, "services.delete", service)
    assert asked(tenant, method, service) == {}

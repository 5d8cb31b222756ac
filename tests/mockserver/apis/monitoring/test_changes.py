import pytest

from mockserver.apis.monitoring import API
from mockserver.model import JsonObject
from mockserver.state import World
from tests.mockserver.apis.monitoring.conftest import PROJECT, asked, refusal
from tests.mockserver.apis.monitoring.test_methods import OBJECTIVE, POLICY, create
from tests.tenants import ask, world

OBJECTIVES = "services.serviceLevelObjectives"


@pytest.fixture
def tenant() -> World:
    made = world(API)
    create(made, "services", {}, serviceId="cart")
    return made


def test_a_policy_says_who_made_it_and_names_its_conditions(tenant: World) -> None:
    made = create(tenant, "projects.alertPolicies", POLICY)
    record = {"mutateTime": "2026-03-02T09:00:00.000Z", "mutatedBy": "admin@example.com"}
    assert made["creationRecord"] == made["mutationRecord"] == record
    assert made["conditions"][0]["name"].startswith(f"{made['name']}/conditions/")
    assert made["enabled"] is True


@pytest.mark.parametrize(
    ("method", "body", "words"),
    [
        ("projects.alertPolicies", {}, "Field alert_policy.displayName is required."),
        ("projects.alertPolicies", {**POLICY, "conditions": [{}] * 7}, "at most 6 conditions"),
        ("projects.notificationChannels", {}, "notification_channel.type is required"),
        ("projects.groups", {"displayName": "g"}, "group.filter is required"),
        ("projects.snoozes", {}, "snooze.interval is required"),
        ("projects.dashboards", {}, "dashboard.displayName is required"),
        ("projects.uptimeCheckConfigs", {}, "uptime_check_config.displayName is required"),
    ],
)
def test_what_is_not_whole_is_refused(
    tenant: World, method: str, body: JsonObject, words: str
) -> None:
    assert words in refusal(tenant, f"{method}.create", body)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"goal": 1.0}, "400 The goal must be above 0 and at most 0.9999."),
        ({"goal": -0.1}, "400 The goal must be above 0 and at most 0.9999."),
        ({"calendarPeriod": "DAY"}, "Exactly one of rolling_period and calendar_period"),
        ({"serviceLevelIndicator": None}, "serviceLevelIndicator is required"),
    ],
)
def test_an_objective_is_one_that_can_be_met(tenant: World, change: JsonObject, words: str) -> None:
    parent = f"{PROJECT}/services/cart"
    body = {**OBJECTIVE, **change}
    assert words in refusal(tenant, f"{OBJECTIVES}.create", body, parent=parent)


def test_the_highest_goal_can_be_met(tenant: World) -> None:
    params = {"parent": f"{PROJECT}/services/cart"}
    body = {**OBJECTIVE, "goal": 0.9999}
    assert ask(API, tenant, f"monitoring.{OBJECTIVES}.create", params, body)["goal"] == 0.9999


def test_an_objective_of_no_service_is_refused(tenant: World) -> None:
    parent = f"{PROJECT}/services/none"
    assert refusal(tenant, f"{OBJECTIVES}.create", OBJECTIVE, parent=parent).startswith("404")


def test_a_channel_that_is_notified_is_deleted_by_force(tenant: World) -> None:
    made = create(tenant, "projects.notificationChannels", {"type": "email"})
    assert made["enabled"] is True
    channel = made["name"]
    create(tenant, "projects.alertPolicies", {**POLICY, "notificationChannels": [channel]})
    method = "projects.notificationChannels.delete"
    assert "set force to delete it" in refusal(tenant, method, name=channel)
    assert asked(tenant, method, channel, force=True) == {}


def test_a_group_takes_its_children_along_when_asked(tenant: World) -> None:
    body = {"displayName": "g", "filter": "x"}
    top = create(tenant, "projects.groups", body)["name"]
    middle = create(tenant, "projects.groups", {**body, "parentName": top})["name"]
    create(tenant, "projects.groups", {**body, "parentName": middle})
    assert "set recursive" in refusal(tenant, "projects.groups.delete", name=top)
    params = {"name": top, "recursive": True}
    assert ask(API, tenant, "monitoring.projects.groups.delete", params) == {}
    assert asked(tenant, "projects.groups.list") == {}

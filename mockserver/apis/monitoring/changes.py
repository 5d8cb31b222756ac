"""What makes a new or changed resource complete, and what a deletion takes along or is refused for.

Which fields are required is what the Discovery document says; the texts of the refusals are not
verified against the live API.
"""

from collections.abc import Callable

from mockserver.apis.monitoring.snapshot import GROUPS, OBJECTIVES, POLICIES, SERVICES
from mockserver.googleapi import ApiError, Call, bad_fields, not_found
from mockserver.model import JsonObject
from mockserver.state import project_names, rfc3339


def digits(kind: str) -> Callable[[Call], str]:
    """Makes ids of 19 digits."""
    return lambda call: call.world.ids.digits(kind, 19)


def _required(row: JsonObject, owner: str, *names: str) -> None:
    missing = [name for name in names if not row.get(name)]
    if missing:
        text = "Field {0}.{1} is required."
        raise bad_fields([(f"{owner}.{each}", text.format(owner, each)) for each in missing])


def _record(call: Call) -> JsonObject:
    return {"mutateTime": rfc3339(call.world.clock.now()), "mutatedBy": call.caller.email}


def new_policy(call: Call, row: JsonObject) -> JsonObject:
    """A new alerting policy: with its records and the names of its conditions."""
    record = _record(call)
    return _policy(call, {**row, "creationRecord": record, "mutationRecord": record})


def changed_policy(call: Call, _: JsonObject, row: JsonObject) -> JsonObject:
    """A changed alerting policy: with the record of its change."""
    return _policy(call, {**row, "mutationRecord": _record(call)})


def _policy(call: Call, row: JsonObject) -> JsonObject:
    """A policy whose conditions have names. Source: Discovery document."""
    _required(row, "alert_policy", "displayName", "combiner", "conditions")
    if len(row["conditions"]) > 6:
        text = "An alerting policy has at most 6 conditions."
        raise bad_fields([("alert_policy.conditions", text)])
    conditions = [
        each
        if each.get("name")
        else {"name": f"{row['name']}/conditions/{digits('condition')(call)}", **each}
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
        raise not_found(asked=service)
    return objective(row)


def objective(row: JsonObject) -> JsonObject:
    """An objective that can be: a goal, one period, an indicator. Source: Discovery document."""
    owner = "service_level_objective"
    _required(row, owner, "serviceLevelIndicator", "goal")
    if not 0 < float(row["goal"]) <= 0.9999:
        raise bad_fields([(f"{owner}.goal", "The goal must be above 0 and at most 0.9999.")])
    if ("rollingPeriod" in row) == ("calendarPeriod" in row):
        text = "Exactly one of rolling_period and calendar_period must be set."
        raise bad_fields([(owner, text)])
    return row


def delete_objectives(call: Call, row: JsonObject) -> None:
    """A service takes its objectives along."""
    inside = f"{row['name']}/serviceLevelObjectives/"
    for name in [each for each in call.world.table(OBJECTIVES).rows() if each.startswith(inside)]:
        call.world.delete(OBJECTIVES, name)


def check_channel_unused(call: Call, row: JsonObject) -> None:
    """Refuse to delete a channel that a policy notifies, unless forced."""
    policies = call.world.table(POLICIES).rows().values()
    users = [each for each in policies if row["name"] in each.get("notificationChannels", ())]
    if users and not call.params.get("force"):
        text = f"The notification channel is used by {users[0]['name']}; set force to delete it."
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")


def new_channel(call: Call, row: JsonObject) -> JsonObject:
    """A new notification channel: with the record of its making."""
    _required(row, "notification_channel", "type")
    return {**row, "creationRecord": _record(call)}


def delete_children(call: Call, row: JsonObject) -> None:
    """A group takes its children along when that is asked for; else it is refused."""
    children = [
        name
        for name, each in call.world.table(GROUPS).rows().items()
        if each.get("parentName") == row["name"]
    ]
    if children and not call.params.get("recursive"):
        text = f"The group has children ({children[0]}); set recursive to delete them too."
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
    for name in children:
        delete_children(call, {"name": name})
        call.world.delete(GROUPS, name)


def kin_of_group(call: Call) -> Callable[[JsonObject], bool] | None:
    """Groups by descent. Source: Discovery document."""
    rows = call.world.table(GROUPS).rows()

    def above(name: str) -> list[str]:
        found: list[str] = []
        while name in rows and rows[name].get("parentName") not in {None, "", *found}:
            name = rows[name]["parentName"]
            found.append(name)
        return found

    if asked := call.params.get("childrenOfGroup"):
        return lambda row: row.get("parentName") == asked
    if asked := call.params.get("descendantsOfGroup"):
        return lambda row: asked in above(row["name"])
    if asked := call.params.get("ancestorsOfGroup"):
        return lambda row: row["name"] in above(str(asked))
    return None


def needs(owner: str, *names: str) -> Callable[[Call, JsonObject], JsonObject]:
    """Makes a check that a resource has what it must have."""

    def check(_: Call, row: JsonObject) -> JsonObject:
        _required(row, owner, *names)
        return row

    return check

"""Usage reports of users, of the customer and of other entities, as of the end of a day.

What the Directory knows of accounts is told of it as it is now; everything else is what the
snapshot's `usageReports` say of that day. Not verified against the live API: how many days reports
are late, and the order of users.
"""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Literal

from mockserver.apis.reports import USAGE_REPORTS
from mockserver.apis.reports.filters import meets_conditions, parse_conditions, user_tests
from mockserver.collections import BY_KEY
from mockserver.googleapi import (
    Call,
    Handler,
    PageRule,
    each_of,
    etag,
    forbidden,
    invalid,
    list_answer,
    page,
)
from mockserver.googleapi.list_rules import marked
from mockserver.googleapi.names import require_user
from mockserver.model import Json, JsonObject
from mockserver.state import USERS, World, customer_id, is_customer

Entity = Literal["CUSTOMER", "USER", "OBJECT"]

_KIND = "admin#reports#usageReport"
_PAGES = PageRule(default=1000, maximum=1000, size="maxResults", mismatch="Invalid page token.")
_DAYS_LATE = 2
_OLDEST = timedelta(days=450)
_NEVER = "1970-01-01T00:00:00.000Z"
_FLAGS: Mapping[str, str] = {
    "is_suspended": "suspended",
    "is_disabled": "suspended",
    "is_archived": "archived",
    "is_super_admin": "isAdmin",
    "is_delegated_admin": "isDelegatedAdmin",
    "is_2sv_enrolled": "isEnrolledIn2Sv",
    "is_2sv_enforced": "isEnforcedIn2Sv",
}
"""Parameter of a user's account to the flag of the Directory that it repeats."""
_COUNTS: Mapping[str, str] = {
    "num_suspended_users": "suspended",
    "num_archived_users": "archived",
    "num_users_2sv_enrolled": "isEnrolledIn2Sv",
    "num_users_2sv_enforced": "isEnforcedIn2Sv",
}
"""Parameter of the customer to the flag of its users that it counts."""


def get_customer_usage(call: Call) -> JsonObject:
    """Answers `customerUsageReports.get`: one report.

    Raises:
        ApiError: 403 for another customer; 400 for a day without data, or what is no parameter.
    """
    day = _asked_day(call)
    return _answer(call, iter([_report(call, day, "CUSTOMER", "", _of_customer(call.world))]))


def get_user_usage(call: Call) -> JsonObject:
    """Answers `userUsageReport.get`: a report for each user, or for one.

    Raises:
        ApiError: 403 for another customer, 404 for an unknown user; 400 for a day without data, a
            filter, an org unit or a token that cannot be.
    """
    world, params, day = call.world, call.params, _asked_day(call)
    tests = list(user_tests(world, params))
    users = each_of(world.table(USERS).ordered(BY_KEY))
    if params["userKey"] != "all":
        users = iter([require_user(world, str(params["userKey"]))])
    reports = (
        _report(call, day, "USER", str(user["id"]), _of_user(user), str(user["primaryEmail"]))
        for user in users
        if all(test(user) for test in tests)
    )
    return _answer(call, reports)


def get_entity_usage(call: Call) -> JsonObject:
    """Answers `entityUsageReports.get`: what the snapshot has of entities of a type.

    Raises:
        ApiError: 403 for another customer; 400 for a day without data or a filter that cannot be.
    """
    day, key = _asked_day(call), str(call.params["entityKey"])
    start = _place(_stored_day(call.world, day), "OBJECT", "" if key == "all" else key)
    rows = each_of(call.world.table(USAGE_REPORTS).starting(BY_KEY, start))
    reports = (
        _report(call, day, "OBJECT", str(row["entity"].get("entityId", "")), {}) for row in rows
    )
    return _answer(call, reports)


def _asked_day(call: Call) -> date:
    if not is_customer(call.world, call.params.get("customerId") or "my_customer"):
        raise forbidden()
    text, today = str(call.params["date"]), call.world.clock.now().date()
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise invalid(f"Invalid value '{text}' for date.", location="date") from error
    latest = today - timedelta(days=_DAYS_LATE)
    if day > latest:
        raise invalid(
            f"Data for dates later than {latest} is not yet available. Please check back later"
        )
    if day < today - _OLDEST:
        raise invalid(f"Start date can not be earlier than {today - _OLDEST}", location="date")
    return day


def _stored_day(world: World, day: date) -> date:
    """The day that a snapshot calls so, whose time a session may have moved."""
    return day - timedelta(days=world.clock.shift.days)


def _place(day: date, entity: Entity, key: str) -> str:
    return f"{day}/{entity}/{key}"


def report_key(row: JsonObject) -> str:
    """The key of a report of a snapshot in its table: its day, and what it is about."""
    entity: Mapping[str, Json] = row.get("entity") or {}
    kind = str(entity.get("type") or ("USER" if entity.get("userEmail") else "CUSTOMER")).upper()
    found = entity.get("userEmail") if kind == "USER" else entity.get("entityId")
    return f"{row['date']}/{kind}/{'' if kind == 'CUSTOMER' else str(found or '').casefold()}"


def _report(
    call: Call, day: date, kind: Entity, ident: str, known: Mapping[str, Json], address: str = ""
) -> JsonObject:
    """One report: what is known of accounts, and over it what the snapshot says of the day."""
    place = _place(_stored_day(call.world, day), kind, (address or ident).casefold())
    given = call.world.table(USAGE_REPORTS).get(place) or {}
    told: dict[str, JsonObject] = {name: _parameter(name, value) for name, value in known.items()}
    told |= {str(each.get("name")): each for each in given.get("parameters") or ()}
    asked = str(call.params.get("parameters") or "")
    wanted = [name.strip() for name in asked.split(",") if name.strip()]
    wrong = next((name for name in wanted if ":" not in name), "")
    if wrong:
        raise invalid(f"Invalid value '{wrong}' for parameters.", location="parameters")
    entity: JsonObject = {"type": kind, "customerId": customer_id(call.world)}
    if kind == "USER":
        entity |= {"userEmail": address, "profileId": ident}
    elif kind == "OBJECT":
        entity |= {"entityId": ident}
    found = [told[name] for name in wanted if name in told] if wanted else list(told.values())
    row: JsonObject = {"kind": _KIND, "date": str(day), "entity": entity, "parameters": found}
    return {**row, "etag": etag(row)}


def _parameter(name: str, value: Json) -> JsonObject:
    if isinstance(value, bool):
        return {"name": name, "boolValue": value}
    if isinstance(value, int):
        return {"name": name, "intValue": str(value)}
    kind = "datetimeValue" if name.endswith("_time") else "stringValue"
    return {"name": name, kind: value}


def _of_user(user: JsonObject) -> Mapping[str, Json]:
    flags = {f"accounts:{name}": bool(user.get(flag)) for name, flag in _FLAGS.items()}
    name = user.get("name") or {}
    return {
        **flags,
        "accounts:admin_set_name": str(name.get("fullName", "")),
        "accounts:creation_time": user.get("creationTime") or _NEVER,
        "accounts:last_login_time": user.get("lastLoginTime") or _NEVER,
        "accounts:last_sso_time": _NEVER,
    }


def _of_customer(world: World) -> Mapping[str, Json]:
    users = world.table(USERS)
    counts = {
        f"accounts:{name}": len(marked(users, _TESTS[flag], flag)) for name, flag in _COUNTS.items()
    }
    return {"accounts:num_users": len(users), **counts}


_TESTS = {flag: lambda row, flag=flag: row.get(flag) for flag in _COUNTS.values()}


def _answer(call: Call, reports: Iterator[JsonObject]) -> JsonObject:
    filters = call.params.get("filters")
    conditions = parse_conditions(filters) if filters else ()
    found = (each for each in reports if meets_conditions(each, conditions))
    shown, token = page(call, found, _PAGES)
    head = {"kind": "admin#reports#usageReports", "etag": etag([row["etag"] for row in shown])}
    return list_answer("usageReports", shown, token, head)


USAGE_HANDLERS: Mapping[str, Handler] = {
    "reports.customerUsageReports.get": get_customer_usage,
    "reports.userUsageReport.get": get_user_usage,
    "reports.entityUsageReports.get": get_entity_usage,
}

"""Tools that read: each asks the emulated Google APIs and shows what they answer."""

import re

from mockserver.apis.tools.asking import CUSTOMER, MY_CUSTOMER, ask, ask_all, bare_id, find_unit
from mockserver.googleapi import Call
from mockserver.model import JsonObject
from mockserver.state import RULE_TYPE, find_token, flat_rule

_CONNECTOR = re.compile(r"Connector|SecurityEvent|RealtimeUrlCheck|DataProtection", re.IGNORECASE)
_SCHEMAS = "chrome.users.*"


def list_org_units(call: Call) -> JsonObject:
    """All org units, or those below `orgUnitPath`."""
    params: JsonObject = {"customerId": MY_CUSTOMER, "type": "all"}
    if "orgUnitPath" in call.body:
        params["orgUnitPath"] = call.body["orgUnitPath"]
    answer = ask(call, "directory.orgunits.list", params)
    return {"orgUnits": answer.get("organizationUnits", [])}


def get_chrome_events(call: Call) -> JsonObject:
    """One page of Chrome audit events, newest first."""
    answer = ask(
        call,
        "reports.activities.list",
        {"userKey": "all", "applicationName": "chrome", "maxResults": 50, **call.body},
    )
    events: JsonObject = {"events": answer.get("items", [])}
    if answer.get("nextPageToken"):
        events["nextPageToken"] = answer["nextPageToken"]
    return events


def list_dlp_rules(call: Call) -> JsonObject:
    """All data loss prevention rules, flat."""
    text = f"customer == '{CUSTOMER}' && setting.type == '{RULE_TYPE}'"
    params = {"filter": text, "pageSize": 100}
    policies = ask_all(call, "cloudidentity.policies.list", "policies", params)
    return {"rules": [flat_rule(policy) for policy in policies]}


def get_connector_configuration(call: Call) -> JsonObject:
    """Connector policies of one org unit, inherited ones included; or those set anywhere."""
    if "orgUnit" in call.body:
        unit = find_unit(call, call.body["orgUnit"])
        return {"policies": _connectors(call, bare_id(unit))}
    root = find_unit(call, "/")
    params = {"customerId": MY_CUSTOMER, "type": "all"}
    below = ask(call, "directory.orgunits.list", params).get("organizationUnits", [])
    found = _connectors(call, bare_id(root))
    for unit in below:
        resolved = _connectors(call, bare_id(unit))
        found += [item for item in resolved if item.get("sourceKey") == item["targetKey"]]
    return {"policies": found}


def _connectors(call: Call, unit: str) -> list[JsonObject]:
    resolved = ask_all(
        call,
        "chromepolicy.customers.policies.resolve",
        "resolvedPolicies",
        {"customer": CUSTOMER},
        {
            "policyTargetKey": {"targetResource": f"orgunits/{unit}"},
            "policySchemaFilter": _SCHEMAS,
            "pageSize": 1000,
        },
    )
    return [item for item in resolved if _CONNECTOR.search(item["value"]["policySchema"])]


def get_fleet_overview(call: Call) -> JsonObject:
    """Browser versions, browsers, enrollment tokens and org units, in short."""
    of_customer = "chromemanagement.customers"
    versions = ask_all(
        call,
        f"{of_customer}.reports.countChromeVersions",
        "browserVersions",
        {"customer": CUSTOMER},
    )
    parent = {"parent": CUSTOMER}
    browsers = ask_all(call, f"{of_customer}.chromeBrowsers.list", "chromeBrowsers", parent)
    tokens = ask_all(call, f"{of_customer}.enrollmentTokens.list", "enrollmentTokens", parent)
    params = {"customerId": MY_CUSTOMER, "type": "all"}
    units = ask(call, "directory.orgunits.list", params).get("organizationUnits", [])
    return {
        "browserVersions": versions,
        "browserCount": sum(int(item.get("count", 0)) for item in versions),
        "browsers": browsers,
        "enrollmentTokens": tokens,
        "orgUnitCount": len(units),
    }


def debug_auth(call: Call) -> JsonObject:
    """Who the caller's credential says is asking."""
    caller = call.caller
    known = find_token(call.world, caller.token) if caller.token else None
    answer: JsonObject = {
        "authenticated": bool(caller.email),
        "email": caller.email,
        "scopes": list(caller.scopes),
    }
    if known is not None:
        answer["expires"] = known["expires"]
    return answer

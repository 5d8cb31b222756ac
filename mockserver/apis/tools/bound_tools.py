"""The tools that are bound to the emulated Google APIs; to add one, add its entry here."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mockserver.googleapi import (
    Call,
    bad_fields,
    failed_precondition,
    require_row,
)
from mockserver.model import Json, JsonObject
from mockserver.state import (
    ACTIONS,
    RULE_TYPE,
    TRIGGERS,
    find_token,
    flat_rule,
    rfc3339,
    rule_value,
)

MY_CUSTOMER = "my_customer"
CUSTOMER = f"customers/{MY_CUSTOMER}"
_MOST_PAGES = 100


def ask_all(
    call: Call, method: str, items: str, params: JsonObject, body: JsonObject | None = None
) -> list[JsonObject]:
    """The items of all pages of a method.

    Args:
        call: The tool's call.
        method: Discovery id.
        items: The answer's field that holds the items.
        params: Path and query parameters; the page token is among them when there is no body.
        body: The request body; the page token is in it when there is one.

    Raises:
        ApiError: What the method answers.
    """
    found: list[JsonObject] = []
    token: JsonObject = {}
    for _ in range(_MOST_PAGES):
        if body is None:
            answer = call.ask(method, {**params, **token})
        else:
            answer = call.ask(method, params, {**body, **token})
        found += answer.get(items, ())
        if not answer.get("nextPageToken"):
            break
        token = {"pageToken": answer["nextPageToken"]}
    return found


def find_unit(call: Call, name: str) -> JsonObject:
    """The org unit that a path, an id or `orgunits/<id>` means.

    Raises:
        ApiError: 404; there is no such org unit.
    """
    bare = name.removeprefix("orgunits/").removeprefix("orgUnits/").removeprefix("id:")
    asked = name if name.startswith("/") else f"id:{bare}"
    return call.ask("directory.orgunits.get", {"customerId": MY_CUSTOMER, "orgUnitPath": asked})


def bare_id(unit: Json) -> str:
    """An org unit's id without its prefix."""
    return str(unit["orgUnitId"]).removeprefix("id:")


DRAFTS = "policyDrafts"
_TOKENS = "chromemanagement.customers.enrollmentTokens"
_RESOLVE = "chromepolicy.customers.policies.resolve"


def enroll_browser(call: Call) -> JsonObject:
    """The active enrollment token of an org unit; makes one when there is none."""
    unit = bare_id(find_unit(call, call.body.get("orgUnit", "/")))
    params = {"parent": CUSTOMER, "filter": f'token_state = "ACTIVE" AND org_unit_id = "{unit}"'}
    active = ask_all(call, f"{_TOKENS}.list", "enrollmentTokens", params)
    if active:
        return {"created": False, "enrollmentToken": active[0]}
    made = call.ask(f"{_TOKENS}.create", {"parent": CUSTOMER}, {"orgUnitId": unit})
    return {"created": True, "enrollmentToken": made}


def draft_policy_change(call: Call) -> JsonObject:
    """A change that is written down and not made yet."""
    body = call.body
    unit = find_unit(call, body["targetUnit"])
    schema = body["policySchema"]
    name = f"{CUSTOMER}/policySchemas/{schema}"
    call.ask("chromepolicy.customers.policySchemas.get", {"name": name})
    resource = f"orgunits/{bare_id(unit)}"
    draft: JsonObject = {
        "draftId": f"draft-{call.world.ids.base36('draft', 10)}",
        "status": "DRAFT",
        "policySchema": schema,
        "targetResource": resource,
        "targetUnit": unit["orgUnitPath"],
        "value": body["value"],
        "currentValue": _current_value(call, resource, schema),
        "createTime": rfc3339(call.world.clock.now()),
    }
    if body.get("reasoning"):
        draft["reasoning"] = body["reasoning"]
    call.world.put(DRAFTS, draft["draftId"], draft)
    return {"draft": draft}


def apply_policy_change(call: Call) -> JsonObject:
    """Make a drafted change, or one that is given whole and confirmed.

    Raises:
        ApiError: 400 without draft and confirmation, or for a draft made before; 404 for an unknown
            draft; or what the Chrome Policy API answers.
    """
    draft = _find_draft(call) if "draftId" in call.body else _change_without_draft(call)
    schema, resource = draft["policySchema"], draft["targetResource"]
    request = {
        "policyTargetKey": {"targetResource": resource},
        "policyValue": {"policySchema": schema, "value": draft["value"]},
        "updateMask": ",".join(draft["value"]),
    }
    call.ask(
        "chromepolicy.customers.policies.orgunits.batchModify",
        {"customer": CUSTOMER},
        {"requests": [request]},
    )
    if "draftId" in draft:
        call.world.put(DRAFTS, draft["draftId"], {**draft, "status": "APPLIED"})
    return {
        "status": "APPLIED",
        "policySchema": schema,
        "targetResource": resource,
        "value": _current_value(call, resource, schema),
    }


def _find_draft(call: Call) -> JsonObject:
    asked = call.body["draftId"]
    missing = f"There is no draft {asked!r}; draftPolicyChange makes one."
    draft = require_row(call.world, DRAFTS, asked, missing)
    if draft["status"] == "APPLIED":
        raise failed_precondition(f"The draft {asked!r} was applied before.")
    return draft


def _change_without_draft(call: Call) -> JsonObject:
    if call.body.get("confirm") is not True:
        text = "Nothing was changed: give the id of a draft, or set confirm to true."
        raise bad_fields([("confirm", text)])
    missing = [name for name in ("policySchema", "targetUnit", "value") if name not in call.body]
    if missing:
        raise bad_fields([(name, f"'{name}' is required without a draft.") for name in missing])
    unit = find_unit(call, call.body["targetUnit"])
    return {
        "policySchema": call.body["policySchema"],
        "targetResource": f"orgunits/{bare_id(unit)}",
        "value": call.body["value"],
    }


def _current_value(call: Call, resource: str, schema: str) -> JsonObject:
    body = {"policyTargetKey": {"targetResource": resource}, "policySchemaFilter": schema}
    found = call.ask(_RESOLVE, {"customer": CUSTOMER}, body).get("resolvedPolicies", [])
    value: JsonObject = found[0]["value"]["value"] if found else {}
    return value


def create_dlp_rule(call: Call) -> JsonObject:
    """A new data loss prevention rule for one org unit."""
    unit = bare_id(find_unit(call, call.body.get("orgUnit", "/")))
    policy = {
        "customer": CUSTOMER,
        "policyQuery": {"orgUnit": f"orgUnits/{unit}"},
        "setting": {"type": RULE_TYPE, "value": rule_value(call.body)},
    }
    operation = call.ask("cloudidentity.policies.create", {}, policy)
    return {"rule": flat_rule(operation["response"])}


_CONNECTOR = re.compile(r"Connector|SecurityEvent|RealtimeUrlCheck|DataProtection", re.IGNORECASE)
_SCHEMAS = "chrome.users.*"


def list_org_units(call: Call) -> JsonObject:
    """All org units, or those below `orgUnitPath`."""
    params: JsonObject = {"customerId": MY_CUSTOMER, "type": "all"}
    if "orgUnitPath" in call.body:
        params["orgUnitPath"] = call.body["orgUnitPath"]
    answer = call.ask("directory.orgunits.list", params)
    return {"orgUnits": answer.get("organizationUnits", [])}


def get_chrome_events(call: Call) -> JsonObject:
    """One page of Chrome audit events, newest first."""
    answer = call.ask(
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
    below = call.ask("directory.orgunits.list", params).get("organizationUnits", [])
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
    units = call.ask("directory.orgunits.list", params).get("organizationUnits", [])
    return {
        "browserVersions": versions,
        "browserCount": sum(int(item.get("count", 0)) for item in versions),
        "browsers": browsers,
        "enrollmentTokens": tokens,
        "orgUnitCount": len(units),
    }


def debug_auth(call: Call) -> JsonObject:
    """The account and the scopes of the caller's credential."""
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


_TEXT: JsonObject = {"type": "string", "minLength": 1}
_UNIT: JsonObject = {**_TEXT, "description": "Org unit: its path (`/Sales`) or its id."}
_TIME: JsonObject = {**_TEXT, "description": "RFC 3339."}
_VALUE: JsonObject = {
    "type": "object",
    "minProperties": 1,
    "description": "Fields of the policy and their new values.",
}

_TENANT = (
    "auditEvents", "browsers", "chromeReports", "connectorPolicies", "dlpRules", "orgUnits",
    "policies", "policySchemas", "users",
)  # fmt: skip


@dataclass(frozen=True)
class Tool:
    """A tool of the tool API.

    Attributes:
        description: What it does, for the model that chooses it.
        properties: Its arguments: name to JSON Schema.
        run: Answers a call with the tool's result.
        required: The arguments that must be there.
        reads: Collections of a snapshot, one of which a session with tools of its own must have
            for this one to be there, too.
    """

    description: str
    properties: JsonObject
    run: Callable[[Call], JsonObject]
    required: tuple[str, ...] = ()
    reads: tuple[str, ...] = _TENANT

    @property
    def schema(self) -> JsonObject:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": self.properties,
            "required": list(self.required),
            "additionalProperties": False,
        }


TOOLS: Mapping[str, Tool] = {
    "listOrgUnits": Tool(
        "List the organizational units of the customer.",
        {"orgUnitPath": {**_TEXT, "description": "List only what is below this path."}},
        list_org_units,
    ),
    "getChromeEvents": Tool(
        "List Chrome audit events, newest first.",
        {
            "maxResults": {"type": "integer", "minimum": 1, "maximum": 1000},
            "pageToken": _TEXT,
            "eventName": _TEXT,
            "startTime": _TIME,
            "endTime": _TIME,
        },
        get_chrome_events,
    ),
    "listDLPRules": Tool(
        "List the data loss prevention rules of the customer.", {}, list_dlp_rules
    ),
    "getChromeConnectorConfiguration": Tool(
        "Show the Chrome connector policies, of one org unit or wherever they are set.",
        {"orgUnit": _UNIT},
        get_connector_configuration,
    ),
    "enrollBrowser": Tool(
        "Get a token that enrolls browsers into an org unit.", {"orgUnit": _UNIT}, enroll_browser
    ),
    "getFleetOverview": Tool(
        "Summarize browsers, versions, enrollment tokens and org units.", {}, get_fleet_overview
    ),
    "draftPolicyChange": Tool(
        "Write down a change of a Chrome policy, without making it.",
        {
            "policySchema": {**_TEXT, "description": "Full name, `chrome.users.X`."},
            "targetUnit": _UNIT,
            "value": _VALUE,
            "reasoning": {"type": "string"},
        },
        draft_policy_change,
        required=("policySchema", "targetUnit", "value"),
    ),
    "applyPolicyChange": Tool(
        "Make a drafted policy change, or a whole one that is confirmed.",
        {
            "draftId": _TEXT,
            "policySchema": _TEXT,
            "targetUnit": _UNIT,
            "value": _VALUE,
            "confirm": {"type": "boolean"},
        },
        apply_policy_change,
    ),
    "createDLPRule": Tool(
        "Create a data loss prevention rule for Chrome.",
        {
            "displayName": _TEXT,
            "description": {"type": "string"},
            "triggers": {"type": "array", "minItems": 1, "items": {"enum": list(TRIGGERS)}},
            "action": {"enum": list(ACTIONS)},
            "orgUnit": _UNIT,
            "condition": {**_TEXT, "description": "CEL over the content."},
        },
        create_dlp_rule,
        required=("displayName", "triggers", "action"),
    ),
    "debugAuth": Tool(
        "Show the account, scopes and expiry of the credential in use.", {}, debug_auth
    ),
}
"""Tool name to tool, in the order they are listed."""

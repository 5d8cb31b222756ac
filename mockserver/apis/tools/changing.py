"""Tools that change something: each through the emulated Google APIs."""

from mockserver.apis.tools.asking import CUSTOMER, ask, ask_all, bare_id, find_unit
from mockserver.googleapi import ApiError, Call, bad_fields, nearest, not_found
from mockserver.model import JsonObject
from mockserver.state import RULE_TYPE, flat_rule, rfc3339, rule_value

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
    made = ask(call, f"{_TOKENS}.create", {"parent": CUSTOMER}, {"orgUnitId": unit})
    return {"created": True, "enrollmentToken": made}


def draft_policy_change(call: Call) -> JsonObject:
    """A change that is written down and not made yet."""
    body = call.body
    unit = find_unit(call, body["targetUnit"])
    schema = body["policySchema"]
    ask(call, "chromepolicy.customers.policySchemas.get", {"name": _schema_name(schema)})
    resource = f"orgunits/{bare_id(unit)}"
    draft: JsonObject = {
        "draftId": f"draft-{call.world.ids.base36('draft', 10)}",
        "status": "DRAFT",
        "policySchema": schema,
        "targetResource": resource,
        "targetUnit": unit["orgUnitPath"],
        "value": body["value"],
        "currentValue": _current(call, resource, schema),
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
    draft = _draft(call) if "draftId" in call.body else _confirmed(call)
    schema, resource = draft["policySchema"], draft["targetResource"]
    request = {
        "policyTargetKey": {"targetResource": resource},
        "policyValue": {"policySchema": schema, "value": draft["value"]},
        "updateMask": ",".join(draft["value"]),
    }
    ask(
        call,
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
        "value": _current(call, resource, schema),
    }


def _draft(call: Call) -> JsonObject:
    drafts = call.world.table(DRAFTS)
    asked = call.body["draftId"]
    draft = drafts.get(asked)
    if draft is None:
        text = f"There is no draft {asked!r}; draftPolicyChange makes one."
        raise not_found(text, asked=asked, nearest=nearest(asked, drafts.rows()))
    if draft["status"] == "APPLIED":
        text = f"The draft {asked!r} was applied before."
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
    return draft


def _confirmed(call: Call) -> JsonObject:
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


def _current(call: Call, resource: str, schema: str) -> JsonObject:
    body = {"policyTargetKey": {"targetResource": resource}, "policySchemaFilter": schema}
    found = ask(call, _RESOLVE, {"customer": CUSTOMER}, body).get("resolvedPolicies", [])
    value: JsonObject = found[0]["value"]["value"] if found else {}
    return value


def _schema_name(schema: str) -> str:
    return f"{CUSTOMER}/policySchemas/{schema}"


def create_dlp_rule(call: Call) -> JsonObject:
    """A new data loss prevention rule for one org unit."""
    unit = bare_id(find_unit(call, call.body.get("orgUnit", "/")))
    policy = {
        "customer": CUSTOMER,
        "policyQuery": {"orgUnit": f"orgUnits/{unit}"},
        "setting": {"type": RULE_TYPE, "value": rule_value(call.body)},
    }
    operation = ask(call, "cloudidentity.policies.create", {}, policy)
    return {"rule": flat_rule(operation["response"])}

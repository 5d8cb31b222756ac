"""Rules against data loss, which are Cloud Identity policies."""

from typing import Any

from harness.demo.google import Google, JsonObject
from harness.demo.tools.tenant import bare, customer_id

PAGE = 50
_RULE = "rule.dlp"
_TRIGGERS = {
    "upload": "google.workspace.chrome.file.v1.upload",
    "download": "google.workspace.chrome.file.v1.download",
    "paste": "google.workspace.chrome.web_content.v1.upload",
    "print": "google.workspace.chrome.page.v1.print",
}
_ACTIONS = {"blockContent": "BLOCK", "warnUser": "WARN", "auditOnly": "AUDIT"}


def list_dlp_rules(google: Google, args: JsonObject) -> JsonObject:
    """All rules: `{"rules": [{"name", "displayName", "description", "triggers", ...}]}`.

    A rule also has `action` (BLOCK, WARN, AUDIT), `state` (ACTIVE, INACTIVE) and `orgUnit` (a bare
    id).
    """
    wanted = f'customer == "customers/{customer_id(google)}" && setting.type.matches("{_RULE}")'
    policies = google.identity().policies()
    found = google.pages(
        lambda token: policies.list(filter=wanted, **{"pageSize": PAGE, **args}, pageToken=token),
        "policies",
    )
    return {"rules": [_row(policy) for policy in found]}


def create_dlp_rule(google: Google, args: JsonObject) -> JsonObject:
    """Create a rule and read it back.

    Args:
        google: Where to ask.
        args: `displayName`, `trigger` (upload, download, paste, print), `action` (BLOCK, WARN,
            AUDIT), `orgUnit` (bare id), `detector` (an info type).
    """
    action = next(key for key, name in _ACTIONS.items() if name == args["action"])
    body = {
        "customer": f"customers/{customer_id(google)}",
        "policyQuery": {
            "orgUnit": f"orgUnits/{args['orgUnit']}",
            "query": "entity.org_units.exists(org_unit, "
            f"org_unit.org_unit_id == orgUnitId('{args['orgUnit']}'))",
        },
        "setting": {
            "type": f"settings/{_RULE}",
            "value": {
                "displayName": args["displayName"],
                "triggers": [_TRIGGERS[args["trigger"]]],
                "condition": {
                    "contentCondition": f"all_content.matches_dlp_detector('{args['detector']}', "
                    "google.privacy.dlp.v2.Likelihood.LIKELY)"
                },
                "action": {"chromeAction": {action: {}}},
                "state": "ACTIVE",
            },
        },
    }
    google.ask(google.identity("v1beta1").policies().create(body=body))
    rules = list_dlp_rules(google, {})["rules"]
    made = [rule for rule in rules if rule["displayName"] == args["displayName"]]
    return {"created": bool(made), "rule": made[-1] if made else None, "rules": len(rules)}


def _row(policy: JsonObject) -> JsonObject:
    value: dict[str, Any] = policy["setting"].get("value", {})
    chrome = value.get("action", {}).get("chromeAction", {})
    return {
        "name": policy["name"],
        "displayName": value.get("displayName", ""),
        "description": value.get("description", ""),
        "triggers": [_trigger(trigger) for trigger in value.get("triggers", [])],
        "action": next((_ACTIONS[key] for key in chrome if key in _ACTIONS), ""),
        "state": value.get("state", ""),
        "orgUnit": bare(policy.get("policyQuery", {}).get("orgUnit", "")),
    }


def _trigger(name: str) -> str:
    return next((short for short, full in _TRIGGERS.items() if full == name), name)

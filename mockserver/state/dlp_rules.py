"""Data protection rules in two shapes: the flat one of tools, and the value of a policy setting."""

import re
from collections.abc import Mapping

from mockserver.model import JsonObject

RULE_TYPE = "settings/rule.dlp"
ACTIVE = "ACTIVE"

TRIGGERS: Mapping[str, str] = {
    "UPLOAD": "google.workspace.chrome.file.v1.upload",
    "DOWNLOAD": "google.workspace.chrome.file.v1.download",
    "PASTE": "google.workspace.chrome.web_content.v1.upload",
    "PRINT": "google.workspace.chrome.page.v1.print",
    "NAVIGATION": "google.workspace.chrome.url.v1.navigation",
    "SHARE": "google.workspace.drive.file.v1.share",
}
"""A trigger's flat word to its name in a policy."""

ACTIONS: Mapping[str, str] = {
    "BLOCK": "blockContent",
    "WARN": "warnUser",
    "AUDIT": "auditOnly",
}
"""An action's flat word to its field of `chromeAction`."""

_OTHER_WORDS: Mapping[str, str] = {
    "FILE_UPLOAD": "UPLOAD",
    "FILE_DOWNLOAD": "DOWNLOAD",
    "WEB_CONTENT_UPLOAD": "PASTE",
    "CLIPBOARD": "PASTE",
    "PAGE_PRINT": "PRINT",
    "URL_NAVIGATION": "NAVIGATION",
    "BLOCK_CONTENT": "BLOCK",
    "WARN_USER": "WARN",
    "AUDIT_ONLY": "AUDIT",
    "ALLOW": "AUDIT",
}
_UNIT_IN_QUERY = re.compile(r"orgUnitId\('([^']+)'\)")


def flat_word(text: str) -> str:
    """A trigger's or action's flat word, in upper case; unknown words stay as they are.

    >>> flat_word("file_upload"), flat_word("warn"), flat_word("google.workspace.x")
    ('UPLOAD', 'WARN', 'google.workspace.x')
    """
    word = text.upper().replace(" ", "_").replace("-", "_")
    word = _OTHER_WORDS.get(word, word)
    return word if word in TRIGGERS or word in ACTIONS else text


def rule_value(flat: JsonObject) -> JsonObject:
    """The value of a `settings/rule.dlp` setting that says what a flat rule says.

    Triggers and actions that are no flat words go through as they are. Fields that a flat rule does
    not know stay in the value.
    """
    triggers = [flat_word(item) for item in flat.get("triggers", ())]
    value: JsonObject = {
        "displayName": flat.get("displayName", ""),
        "description": flat.get("description", ""),
        "triggers": [TRIGGERS.get(item, item) for item in triggers],
        "action": _action(flat.get("action")),
        "state": flat.get("state") or ACTIVE,
    }
    condition = flat.get("condition")
    if condition:
        text = isinstance(condition, str)
        value["condition"] = {"contentCondition": condition} if text else condition
    known = {*value, "name", "id", "orgUnit", "condition"}
    return {**{name: item for name, item in flat.items() if name not in known}, **value}


def _action(action: object) -> JsonObject:
    if isinstance(action, dict):
        return action
    word = flat_word(str(action or "AUDIT"))
    return {"chromeAction": {ACTIONS.get(word, word): {}}}


def flat_rule(policy: JsonObject) -> JsonObject:
    """What a policy of type `settings/rule.dlp` says, as a flat rule.

    >>> flat_rule({"name": "policies/a", "setting": {"value": {"displayName": "No cards"}}})
    {'name': 'policies/a', 'displayName': 'No cards', 'triggers': [], 'action': 'AUDIT', \
'state': 'ACTIVE'}
    """
    value = policy.get("setting", {}).get("value", {})
    words = {name: word for word, name in TRIGGERS.items()}
    chrome = value.get("action", {}).get("chromeAction", {})
    action = next((word for word, name in ACTIONS.items() if name in chrome), "")
    rule: JsonObject = {
        "name": policy.get("name", ""),
        "displayName": value.get("displayName", ""),
        "description": value.get("description", ""),
        "triggers": [words.get(item, item) for item in value.get("triggers", ())],
        "action": action or next(iter(chrome), "AUDIT"),
        "state": value.get("state", ACTIVE),
        "orgUnit": policy.get("policyQuery", {}).get("orgUnit", ""),
        "condition": value.get("condition", {}).get("contentCondition", ""),
        "createTime": value.get("createTime", ""),
        "updateTime": value.get("updateTime", ""),
    }
    return {name: item for name, item in rule.items() if item != "" or name == "name"}


def unit_query(bare_id: str) -> str:
    """The clause of a policy query that means one org unit. Source: Discovery document."""
    return f"entity.org_units.exists(org_unit, org_unit.org_unit_id == orgUnitId('{bare_id}'))"


def unit_of_query(query: str) -> str:
    """The bare id of the one org unit that a policy query means, or an empty string.

    >>> unit_of_query(unit_query("03ph1"))
    '03ph1'
    """
    found = _UNIT_IN_QUERY.findall(query)
    return str(found[0]).removeprefix("id:") if len(found) == 1 else ""

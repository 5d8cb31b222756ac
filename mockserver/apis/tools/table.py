"""The tools that are bound to the emulated Google APIs; to add one, add its entry here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mockserver.apis.tools import changing, reading
from mockserver.googleapi import Call
from mockserver.model import JsonObject
from mockserver.state import ACTIONS, TRIGGERS

_TEXT: JsonObject = {"type": "string", "minLength": 1}
_UNIT: JsonObject = {**_TEXT, "description": "Org unit: its path (`/Sales`) or its id."}
_TIME: JsonObject = {**_TEXT, "description": "RFC 3339."}
_VALUE: JsonObject = {
    "type": "object",
    "minProperties": 1,
    "description": "Fields of the policy and their new values.",
}


@dataclass(frozen=True)
class Tool:
    """A tool of the tool API.

    Attributes:
        description: What it does, for the model that chooses it.
        properties: Its arguments: name to JSON Schema.
        run: Answers a call with the tool's result.
        required: The arguments that must be there.
    """

    description: str
    properties: JsonObject
    run: Callable[[Call], JsonObject]
    required: tuple[str, ...] = ()

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
        reading.list_org_units,
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
        reading.get_chrome_events,
    ),
    "listDLPRules": Tool(
        "List the data loss prevention rules of the customer.", {}, reading.list_dlp_rules
    ),
    "getChromeConnectorConfiguration": Tool(
        "Show the Chrome connector policies, of one org unit or wherever they are set.",
        {"orgUnit": _UNIT},
        reading.get_connector_configuration,
    ),
    "enrollBrowser": Tool(
        "Get a token that enrolls browsers into an org unit.",
        {"orgUnit": _UNIT},
        changing.enroll_browser,
    ),
    "getFleetOverview": Tool(
        "Summarize browsers, versions, enrollment tokens and org units.",
        {},
        reading.get_fleet_overview,
    ),
    "draftPolicyChange": Tool(
        "Write down a change of a Chrome policy, without making it.",
        {
            "policySchema": {**_TEXT, "description": "Full name, `chrome.users.X`."},
            "targetUnit": _UNIT,
            "value": _VALUE,
            "reasoning": {"type": "string"},
        },
        changing.draft_policy_change,
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
        changing.apply_policy_change,
    ),
    "createDLPRule": Tool(
        "Create a data loss prevention rule for Chrome.",
        {
            "displayName": _TEXT,
            "description": {"type": "string"},
            "triggers": {
                "type": "array",
                "minItems": 1,
                "items": {"enum": list(TRIGGERS)},
            },
            "action": {"enum": list(ACTIONS)},
            "orgUnit": _UNIT,
            "condition": {**_TEXT, "description": "CEL over the content."},
        },
        changing.create_dlp_rule,
        required=("displayName", "triggers", "action"),
    ),
    "debugAuth": Tool(
        "Show the account, scopes and expiry of the credential in use.", {}, reading.debug_auth
    ),
}
"""Tool name to tool, in the order they are listed."""

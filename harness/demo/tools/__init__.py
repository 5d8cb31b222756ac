"""The agent's tools by name; each asks Google and answers with a JSON object.

To add one: write its function, add its line.
"""

from collections.abc import Callable, Mapping

from harness.demo.google import Google, JsonObject
from harness.demo.tools.browsers import enroll_browser, get_fleet_overview
from harness.demo.tools.dlp import create_dlp_rule, list_dlp_rules
from harness.demo.tools.events import get_chrome_events
from harness.demo.tools.policies import apply_policy_change, draft_policy_change, get_configuration
from harness.demo.tools.tenant import debug_auth, list_org_units

Tool = Callable[[Google, JsonObject], JsonObject]

TOOLS: Mapping[str, Tool] = {
    "listOrgUnits": list_org_units,
    "getChromeEvents": get_chrome_events,
    "listDLPRules": list_dlp_rules,
    "getChromeConnectorConfiguration": get_configuration,
    "enrollBrowser": enroll_browser,
    "getFleetOverview": get_fleet_overview,
    "draftPolicyChange": draft_policy_change,
    "applyPolicyChange": apply_policy_change,
    "createDLPRule": create_dlp_rule,
    "debugAuth": debug_auth,
}

__all__ = ["TOOLS", "Tool"]

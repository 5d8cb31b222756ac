"""Ways to look into a question, by name; each asks its tools and gives an answer.

To add one: write its function, add its line here and its symptoms in `harness.demo.knowledge`.
"""

from collections.abc import Callable, Mapping

from harness.demo.answers import Answer
from harness.demo.flows.changes import apply_change, create_rule, draft_change
from harness.demo.flows.enrollment import explain_enrollment
from harness.demo.flows.events import explain_events
from harness.demo.flows.failures import explain_failure
from harness.demo.flows.fleet import explain_fleet
from harness.demo.flows.rules import explain_rules
from harness.demo.flows.settings import explain_setting
from harness.demo.flows.tenant import describe_tenant, explain_authentication
from harness.demo.investigation import Investigation

Flow = Callable[[Investigation], Answer]

FLOWS: Mapping[str, Flow] = {
    "apply_change": apply_change,
    "create_rule": create_rule,
    "draft_change": draft_change,
    "authentication": explain_authentication,
    "tenant": describe_tenant,
    "rules": explain_rules,
    "enrollment": explain_enrollment,
    "events": explain_events,
    "settings": explain_setting,
    "fleet": explain_fleet,
}

__all__ = ["FLOWS", "Flow", "explain_failure"]

"""What a session holds: its collections, its clock, its ids."""

from mockserver.state.accounts import (
    GROUPS,
    MEMBERS,
    USERS,
    all_member_ids,
    find_group,
    find_user,
    groups_with,
    members_of,
)
from mockserver.state.clock import Clock, RealTime, parse_rfc3339, rfc3339, shifted
from mockserver.state.dlprules import (
    ACTIONS,
    RULE_TYPE,
    TRIGGERS,
    flat_rule,
    flat_word,
    rule_value,
    unit_of_query,
    unit_query,
)
from mockserver.state.ids import Ids, fixed_base36, fixed_digits
from mockserver.state.projects import PROJECTS, find_project, project_names
from mockserver.state.tables import Table
from mockserver.state.tenant import (
    CUSTOMER,
    ORG_UNITS,
    OrgTree,
    customer,
    customer_id,
    is_customer,
    org_tree,
)
from mockserver.state.tokens import admin_email, find_token, first_token, issue_token, session_of
from mockserver.state.world import OPERATIONS, TOKENS, Base, World

__all__ = [
    "ACTIONS",
    "CUSTOMER",
    "GROUPS",
    "MEMBERS",
    "OPERATIONS",
    "ORG_UNITS",
    "PROJECTS",
    "RULE_TYPE",
    "TOKENS",
    "TRIGGERS",
    "USERS",
    "Base",
    "Clock",
    "Ids",
    "OrgTree",
    "RealTime",
    "Table",
    "World",
    "admin_email",
    "all_member_ids",
    "customer",
    "customer_id",
    "find_group",
    "find_project",
    "find_token",
    "find_user",
    "first_token",
    "fixed_base36",
    "fixed_digits",
    "flat_rule",
    "flat_word",
    "groups_with",
    "is_customer",
    "issue_token",
    "members_of",
    "org_tree",
    "parse_rfc3339",
    "project_names",
    "rfc3339",
    "rule_value",
    "session_of",
    "shifted",
    "unit_of_query",
    "unit_query",
]

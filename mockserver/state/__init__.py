"""What a session holds: its collections, its clock, its ids."""

from mockserver.state.clock import Clock, RealTime, parse_rfc3339, rfc3339, shifted
from mockserver.state.ids import Ids
from mockserver.state.tables import Table
from mockserver.state.tenant import OrgTree, customer, customer_id, is_customer, org_tree
from mockserver.state.tokens import admin_email, find_token, first_token, issue_token, session_of
from mockserver.state.world import TOKENS, Base, World

__all__ = [
    "TOKENS",
    "Base",
    "Clock",
    "Ids",
    "OrgTree",
    "RealTime",
    "Table",
    "World",
    "admin_email",
    "customer",
    "customer_id",
    "find_token",
    "first_token",
    "is_customer",
    "issue_token",
    "org_tree",
    "parse_rfc3339",
    "rfc3339",
    "session_of",
    "shifted",
]

"""What lists of Chat select: the caller's spaces, and what of members and messages is shown."""

import re
from collections.abc import Mapping, Sequence

from mockserver.apis.chat.messages import is_deleted
from mockserver.apis.chat.spaces import asks_as_admin, hidden_spaces
from mockserver.collections import LAST, Index
from mockserver.collections.selections import ByIndex, Selection, Without
from mockserver.googleapi import invalid
from mockserver.googleapi.list_rules import (
    ListCall,
    ListRules,
    Order,
    SentParameter,
    field_of,
    marked,
    sort_keys,
)
from mockserver.model import JsonObject

_CUSTOMER = re.compile(r'\s*(?:AND\s+)?customer\s*=\s*"?customers/my_customer"?(?:\s+AND)?\s*')
_ORDER = re.compile(r"(?:create_?time\s+)?(asc|desc)", re.IGNORECASE)


_BY_NAME = Index(lambda key, _: ((key,),))


def _of_caller(asked: ListCall) -> Sequence[Selection]:
    """The spaces that the caller is in, or all for an administrator."""
    if asks_as_admin(asked.call):
        return ()
    bounds = [((each,), (each, LAST)) for each in sorted(hidden_spaces(asked.call))]
    hidden = ByIndex(asked.table, _BY_NAME, bounds, words="spaces of others")
    return [Without(asked.table, hidden)] if bounds else []


def _by_query(sent: SentParameter) -> Selection | None:
    """The spaces that a search means; an administrator names the one customer there is."""
    text, number = _CUSTOMER.subn("", str(sent.value))
    if asks_as_admin(sent.call) != bool(number):
        verb = "cannot" if number else "must"
        raise invalid(f"The query {verb} name a customer.", location=sent.name)
    return sent.meeting(text, sent.name) if text.strip() else None


def _is_group(row: JsonObject) -> bool:
    return "groupMember" in row


def _is_invited(row: JsonObject) -> bool:
    return row.get("state") == "INVITED"


_HIDDEN = {"showGroups": _is_group, "showInvited": _is_invited, "showDeleted": is_deleted}


def _unless_shown(sent: SentParameter) -> Selection | None:
    if sent.value is True:
        return None
    hidden = marked(sent.table, _HIDDEN[sent.name], f"hidden without {sent.name}")
    return Without(sent.table, hidden) if len(hidden) else None


def _by_time(sent: SentParameter) -> Order:
    """Orders messages: `ASC`, `DESC`, or `createTime desc`."""
    found = _ORDER.fullmatch(str(sent.value).strip())
    if found is None:
        raise invalid(f"Invalid order_by: '{sent.value}'.", location=sent.name)
    return sort_keys(sent, f"createTime {found[1].lower()}")


LISTS: Mapping[str, ListRules] = {
    "chat.spaces.list": ListRules(select=_of_caller),
    "chat.spaces.search": ListRules({"query": _by_query}, select=_of_caller),
    "chat.spaces.members.list": ListRules(
        dict.fromkeys(("showGroups", "showInvited"), _unless_shown),
        unsent={"showGroups", "showInvited"},
    ),
    "chat.spaces.messages.list": ListRules(
        {"showDeleted": _unless_shown, "orderBy": _by_time},
        unsent={"showDeleted"},
        order=((field_of("createTime", timed=True), False),),
    ),
}
"""Method id to the rules of its parameters."""

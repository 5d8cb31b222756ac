"""Settings of a mailbox: filters, delegates, forwarding, addresses to send as, and single ones.

What arrives is filtered, forwarded and answered by them (`delivery`). The others are kept and
told: nothing is fetched by IMAP or POP.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from mockserver.apis.gmail import DELEGATES, FILTERS, FORWARDING, SEND_AS, SETTINGS
from mockserver.apis.gmail.delivery import meets_criteria
from mockserver.apis.gmail.labels import check_labels
from mockserver.apis.gmail.state import invalid_argument, own_address
from mockserver.collections import BY_KEY
from mockserver.googleapi import Call, Handler, duplicate, not_found
from mockserver.model import JsonObject
from mockserver.state import find_user

_NOTHING: JsonObject = {"payload": {}, "labelIds": [], "sentTime": "1970-01-01T00:00:00Z"}


@dataclass(frozen=True, slots=True)
class _Kind:
    """A list of settings of a mailbox.

    Attributes:
        table: Where they are, by mailbox and key.
        key: The field that tells them apart.
        field: The field of a list's answer.
        new: What is written for a new one; raises ApiError.
    """

    table: str
    key: str
    field: str
    new: Callable[[Call], JsonObject]

    def find(self, call: Call, ident: str) -> JsonObject | None:
        """The one of the caller's mailbox that has a key; no mailbox stands for every one."""
        table, owner = call.world.table(self.table), own_address(call)
        found = table.get(f"{owner}/{ident}") or table.get(f"/{ident}")
        is_primary = self.table == SEND_AS and ident == owner
        return _primary(call, owner) if found is None and is_primary else found

    def list(self, call: Call) -> JsonObject:
        table, owner = call.world.table(self.table), own_address(call)
        found = [*table.starting(BY_KEY, "/"), *table.starting(BY_KEY, f"{owner}/")]
        first = [_primary(call, owner)] if self.table == SEND_AS else []
        rows = list({str(row[self.key]): row for row in (*first, *found)}.values())
        return {self.field: rows} if rows else {}

    def get(self, call: Call) -> JsonObject:
        ident = str(call.params[self.key])
        found = self.find(call, ident)
        if found is None:
            raise not_found(name=ident)
        return found

    def create(self, call: Call) -> JsonObject:
        row = self.new(call)
        if self.find(call, str(row[self.key])) is not None:
            raise duplicate(f"{row[self.key]} already exists")
        return self._put(call, row)

    def patch(self, call: Call) -> JsonObject:
        return self._put(call, {**self.get(call), **call.body, self.key: call.params[self.key]})

    def delete(self, call: Call) -> None:
        row = self.get(call)
        if row.get("isPrimary"):
            raise invalid_argument("Cannot delete primary send-as")
        for whose in (own_address(call), ""):
            call.world.delete(self.table, f"{whose}/{row[self.key]}")

    def _put(self, call: Call, row: JsonObject) -> JsonObject:
        call.world.put(self.table, f"{own_address(call)}/{row[self.key]}", row)
        return row


def _primary(call: Call, owner: str) -> JsonObject:
    user = find_user(call.world, owner) or {}
    name = str((user.get("name") or {}).get("fullName", ""))
    return {"sendAsEmail": owner, "displayName": name, "replyToAddress": "", "signature": "",
            "isPrimary": True, "isDefault": True}  # fmt: skip


def _new_filter(call: Call) -> JsonObject:
    criteria, action = call.body.get("criteria") or {}, call.body.get("action") or {}
    if not criteria or not action:
        raise invalid_argument("Filter must have criteria and an action")
    check_labels(call, *(action.get("addLabelIds") or ()), *(action.get("removeLabelIds") or ()))
    forward = action.get("forward")
    if forward and _KINDS["forwardingAddresses"].find(call, str(forward)) is None:
        raise invalid_argument("Unrecognized forwarding address")
    meets_criteria(call, call.body, _NOTHING)
    return {"id": f"ANe1{call.world.ids.base36('filter', 24)}", **call.body}


def _new_address(field: str, call: Call) -> JsonObject:
    """A new address of somebody; who has a mailbox in this world has accepted at once."""
    address = str(call.body.get(field) or "")
    if "@" not in address:
        raise invalid_argument(f"Invalid {field}")
    status = "pending" if find_user(call.world, address) is None else "accepted"
    return {**call.body, field: address, "verificationStatus": status}


_KINDS: Mapping[str, _Kind] = {
    "filters": _Kind(FILTERS, "id", "filter", _new_filter),
    **{
        name: _Kind(table, key, field, partial(_new_address, key))
        for name, table, key, field in (
            ("delegates", DELEGATES, "delegateEmail", "delegates"),
            ("forwardingAddresses", FORWARDING, "forwardingEmail", "forwardingAddresses"),
            ("sendAs", SEND_AS, "sendAsEmail", "sendAs"),
        )
    },
}
KEYS: Mapping[str, str] = {each.table: each.key for each in _KINDS.values()}
"""Tables of settings to the field that tells their rows apart."""

_SINGLE: Mapping[str, JsonObject] = {
    "AutoForwarding": {"enabled": False},
    "Imap": {
        "enabled": True, "autoExpunge": True, "expungeBehavior": "archive", "maxFolderSize": 0,
    },
    "Language": {"displayLanguage": "en"},
    "Pop": {"accessWindow": "disabled", "disposition": "leaveInInbox"},
    "Vacation": {
        "enableAutoReply": False, "responseSubject": "", "responseBodyPlainText": "",
        "responseBodyHtml": "", "restrictToContacts": False, "restrictToDomain": False,
    },
}  # fmt: skip
"""Settings of which a mailbox has one each, and what they are in a new mailbox."""


def _get_single(name: str, call: Call) -> JsonObject:
    row = call.world.table(SETTINGS).get(f"{own_address(call)}/{name}")
    return {**_SINGLE[name], **(row or {})}


def _update_single(name: str, call: Call) -> JsonObject:
    address = call.body.get("emailAddress")
    if name == "AutoForwarding" and call.body.get("enabled"):
        known = _KINDS["forwardingAddresses"].find(call, str(address))
        if known is None or known.get("verificationStatus") != "accepted":
            raise invalid_argument("Unrecognized forwarding address")
    call.world.put(SETTINGS, f"{own_address(call)}/{name}", call.body)
    return _get_single(name, call)


_PATH = "gmail.users.settings"
HANDLERS: Mapping[str, Handler] = {
    **{
        f"{_PATH}.{name}.{verb}": getattr(kind, verb)
        for name, kind in _KINDS.items()
        for verb in ("list", "get", "create", "delete")
    },
    **{f"{_PATH}.sendAs.{verb}": _KINDS["sendAs"].patch for verb in ("patch", "update")},
    **{f"{_PATH}.get{name}": partial(_get_single, name) for name in _SINGLE},
    **{f"{_PATH}.update{name}": partial(_update_single, name) for name in _SINGLE},
}

"""Calendars as a snapshot holds them: the administrator's own may be written by the address."""

from mockserver.googleapi import SnapshotImport

_TABLES = ("calendar:v3/events", "calendar:v3/acl", "calendar:v3/calendars")


def complete_rows(found: SnapshotImport) -> None:
    """Put what is in the calendar of the administrator's address into the primary calendar."""
    customer = found.raw.get("customer")
    address = customer.get("customerEmail") if isinstance(customer, dict) else None
    if not isinstance(address, str):
        return
    for name in _TABLES:
        rows = found.tables.get(name)
        if rows:
            found.tables[name] = {_key(key, address): row for key, row in rows.items()}


def _key(key: str, address: str) -> str:
    kind, _, rest = key.partition("/")
    owner, slash, tail = rest.partition("/")
    return f"{kind}/primary{slash}{tail}" if owner.casefold() == address.casefold() else key

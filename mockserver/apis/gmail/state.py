"""The store of sent messages: whose it is, what a search finds, what a format shows."""

import re
from collections.abc import Sequence

from mockserver.googleapi import ApiError, Call
from mockserver.model import JsonObject
from mockserver.state import admin_email, parse_rfc3339

SENT = "sentMessages"
_ME = "me"
_HIDDEN = ("user", "sentTime")
_TERM = re.compile(r'(-?)(?:(\w+):)?("[^"]*"|\S+)')
_HEADERS = {"from": ("From",), "to": ("To", "Cc", "Bcc"), "subject": ("Subject",), "cc": ("Cc",)}


def own_address(call: Call) -> str:
    """The mailbox that a call is about.

    Raises:
        ApiError: 403 when it is not the caller's.
    """
    mine = call.caller.email or admin_email(call.world)
    asked = str(call.params.get("userId", _ME))
    if asked not in {_ME, mine}:
        raise ApiError(403, f"Delegation denied for {mine}", reason="forbidden")
    return mine


def found_by(call: Call) -> list[JsonObject]:
    """The messages that a list asks for, the latest first.

    Of the search language `from:`, `to:`, `cc:`, `subject:`, `in:`, `label:`, `after:`, `before:`,
    words and phrases are understood, each with `-` before it too; other operators are told as
    ignored.
    """
    mine = own_address(call)
    wanted = set(call.params.get("labelIds", ()))
    rows = [
        row
        for row in call.world.table(SENT).rows().values()
        if row.get("user", mine) == mine
        and wanted <= set(row.get("labelIds", ()))
        and ("TRASH" not in row.get("labelIds", ()) or call.params.get("includeSpamTrash"))
    ]
    for sign, operator, word in _TERM.findall(str(call.params.get("q", ""))):
        text, name = word.strip('"'), operator.lower()
        if name and name not in {*_HEADERS, "in", "label", "after", "before"}:
            call.ignored.append(f"q ({name}:)")
            continue
        rows = [row for row in rows if _meets(row, name, text) is not bool(sign)]
    return sorted(rows, key=sent_at, reverse=True)


def sent_at(row: JsonObject) -> int:
    """When a message was sent, in milliseconds since 1970, as `internalDate` has it."""
    return int(parse_rfc3339(row["sentTime"]).timestamp() * 1000)


def _meets(row: JsonObject, operator: str, text: str) -> bool:
    if operator in {"in", "label"}:
        return text.upper() in row.get("labelIds", ())
    if operator in {"after", "before"}:
        return _is_after(row, text) is (operator == "after")
    headers = {each["name"]: each["value"] for each in row.get("payload", {}).get("headers", ())}
    names = _HEADERS.get(operator)
    values = [headers.get(name, "") for name in names] if names else [*headers.values()]
    values += [] if names else [row.get("snippet", "")]
    return any(text.casefold() in str(value).casefold() for value in values)


def _is_after(row: JsonObject, text: str) -> bool:
    """Whether a message is of a day (`2026/11/20`) or later, or after a time in seconds."""
    try:
        day = parse_rfc3339(f"{text.replace('/', '-')}T00:00:00Z")
        start = int(day.timestamp())
    except ValueError:
        start = int(text) if text.isdecimal() else 0
    return sent_at(row) >= start * 1000


def shown(row: JsonObject, form: str, headers: Sequence[str]) -> JsonObject:
    """A message in a format: `full`, `metadata`, `minimal` or `raw`."""
    seen = {name: value for name, value in row.items() if name not in _HIDDEN}
    seen["internalDate"] = str(sent_at(row))
    if form == "raw":
        seen.pop("payload", None)
        return seen
    seen.pop("raw", None)
    if form == "minimal":
        seen.pop("payload", None)
    if form == "metadata" and "payload" in seen:
        wanted = {name.casefold() for name in headers}
        told = [
            each
            for each in seen["payload"].get("headers", ())
            if not wanted or each["name"].casefold() in wanted
        ]
        seen["payload"] = {"mimeType": seen["payload"].get("mimeType"), "headers": told}
    return seen

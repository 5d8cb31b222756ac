"""Sent messages, as a snapshot holds them: Gmail's messages in full format."""

from datetime import UTC, datetime

from mockserver.apis.gmail.state import SENT
from mockserver.errors import Problem
from mockserver.googleapi import Collection, Import, Rows, each_object, text_at
from mockserver.model import JsonObject
from mockserver.state import rfc3339

COLLECTIONS = (Collection(SENT, "messages that Gmail has sent", times=(("sentTime",),)),)


def import_snapshot(found: Import) -> None:
    """Make the table, by message id."""
    rows: Rows = {}
    for pointer, row in each_object(found, SENT):
        ident = text_at(found, pointer, row, "id")
        if ident is None:
            continue
        if ident in rows:
            found.problems.append(Problem(f"{pointer}/id", f"{ident!r} is there twice"))
        rows[ident] = {"threadId": ident, "labelIds": ["SENT"], "sentTime": _sent(row), **row}
    found.tables[SENT] = rows


def _sent(row: JsonObject) -> str:
    """The moment of `internalDate` as a timestamp, which moves with the session's clock."""
    date = str(row.get("internalDate", "0"))
    millis = int(date) if date.isdecimal() else 0
    return rfc3339(datetime.fromtimestamp(millis / 1000, UTC))

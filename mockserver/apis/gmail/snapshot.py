"""Sent messages, as a snapshot holds them: Gmail's messages in full format."""

from datetime import UTC, datetime

from mockserver.apis.gmail.state import SENT
from mockserver.googleapi import Collection, Import, Rows, add_row, each_object, text_at
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
        sent = {"threadId": ident, "labelIds": ["SENT"], "sentTime": _sent(row), **row}
        add_row(found, rows, ident, sent, pointer=f"{pointer}/id", what="message")
    found.tables[SENT] = rows


def _sent(row: JsonObject) -> str:
    """The moment of `internalDate` as a timestamp, which moves with the session's clock."""
    date = str(row.get("internalDate", "0"))
    millis = int(date) if date.isdecimal() else 0
    return rfc3339(datetime.fromtimestamp(millis / 1000, UTC))

"""Mail as a snapshot holds it: what was sent, and the mailboxes in `resources`."""

import binascii
from collections.abc import Iterator
from datetime import UTC, datetime

from mockserver.apis.gmail import LABELS, MAIL, SENT
from mockserver.errors import Problem
from mockserver.googleapi import Rows, SnapshotImport, add_row, each_object, text_at
from mockserver.model import JsonObject
from mockserver.state import parse_rfc3339, rfc3339

_RESOURCES, _DOCUMENT = "resources", "gmail:v1"


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables, by message id: of what was sent, and of what `resources` put into mailboxes.

    A message there may be written short, as `raw`: the rest is read from it.
    """
    sent: Rows = {}
    for pointer, row in each_object(found, SENT):
        _add_message(found, sent, pointer, row, "SENT")
    found.tables[SENT] = sent
    mail: Rows = {}
    for pointer, row in _rows_of_resources(found, "messages"):
        _add_message(found, mail, pointer, _complete_message(found, pointer, row), "INBOX")
    if mail:
        found.tables[MAIL] = mail
        found.times[MAIL] = (("sentTime",),)
    labels: Rows = {}
    for pointer, row in _rows_of_resources(found, "labels"):
        name = text_at(found, pointer, row, "name")
        ident = str(row.get("id") or f"Label_{len(labels) + 1}")
        if name is not None:
            label = {"type": "user", **row, "id": ident}
            add_row(found, labels, ident, label, pointer=f"{pointer}/id", noun="label")
    if labels:
        found.tables[LABELS] = labels


def _rows_of_resources(found: SnapshotImport, collection: str) -> Iterator[tuple[str, JsonObject]]:
    """The objects of a collection of mailboxes; `users/ann@example.com/messages` names the owner.

    What is of another form is told by the import of all resources.

    Yields:
        JSON pointer and object, in order.
    """
    resources = found.raw.get(_RESOURCES)
    held = resources.get(_DOCUMENT) if isinstance(resources, dict) else None
    for name, rows in held.items() if isinstance(held, dict) else ():
        *above, last = name.split("/")
        if last != collection or not isinstance(rows, list):
            continue
        owner = above[1] if above[:1] == ["users"] and len(above) > 1 else ""
        at = f"/{_RESOURCES}/{_DOCUMENT}/{name.replace('/', '~1')}"
        for number, row in enumerate(rows):
            if isinstance(row, dict):
                whose = str(row.get("userId") or owner)
                told = {key: value for key, value in row.items() if key != "userId"}
                own = {"user": whose} if whose not in {"", "-", "me"} else {}
                yield f"{at}/{number}", {**told, **own}


def _add_message(
    found: SnapshotImport, rows: Rows, pointer: str, row: JsonObject, label: str
) -> None:
    ident = text_at(found, pointer, row, "id")
    if ident is not None:
        whole = {"threadId": ident, "labelIds": [label], "sentTime": _sent_time(found, row), **row}
        add_row(found, rows, ident, whole, pointer=f"{pointer}/id", noun="message")


def _complete_message(found: SnapshotImport, pointer: str, row: JsonObject) -> JsonObject:
    """A message completed by the fields that its `raw` has and it lacks."""
    if not isinstance(row.get("raw"), str) or "payload" in row:
        return row
    # most servers start without a mailbox, and reading MIME is much to load
    from mockserver.apis.gmail.methods import message_part, parse_message, snippet

    try:
        content, message = parse_message(row["raw"])
    except binascii.Error:
        text = "expected a message in base64, as the API's raw format has it"
        found.problems.append(Problem(f"{pointer}/raw", text))
        return row
    told = {
        "snippet": snippet(message),
        "sizeEstimate": len(content),
        "payload": message_part(message),
    }
    return {**told, **row}


def _sent_time(found: SnapshotImport, row: JsonObject) -> str:
    """When a message was sent, as a timestamp, which moves with the session's clock.

    It is the moment of `internalDate`, or of the header `Date`; else that of the snapshot.
    """
    date = str(row.get("internalDate", ""))
    if date.isdecimal():
        return rfc3339(datetime.fromtimestamp(int(date) / 1000, UTC))
    part = row.get("payload")
    headers = part.get("headers", ()) if isinstance(part, dict) else ()
    for header in headers if isinstance(headers, list) else ():
        if isinstance(header, dict) and str(header.get("name", "")).casefold() == "date":
            from email.utils import parsedate_to_datetime

            try:
                return rfc3339(parsedate_to_datetime(str(header.get("value"))).astimezone(UTC))
            except ValueError:
                break
    try:
        return rfc3339(parse_rfc3339(str(found.raw.get("capturedAt", ""))))
    except ValueError:
        return rfc3339(datetime.fromtimestamp(0, UTC))

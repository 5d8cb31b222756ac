"""Mail as a snapshot holds it: what was sent, and the mailboxes in `resources`."""

import binascii
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mockserver.apis.gmail import DRAFTS, LABELS, MAIL, SENT
from mockserver.errors import Problem
from mockserver.googleapi import Rows, SnapshotImport, add_row, each_object, text_at
from mockserver.model import AnsweredCall, Capture, Captures, JsonObject
from mockserver.state import parse_rfc3339, rfc3339


def _customer(profile: JsonObject, _: AnsweredCall) -> JsonObject | None:
    """The account as the one that a session's first token stands for."""
    address = profile.get("emailAddress")
    if not isinstance(address, str):
        return None
    return {"customerEmail": address, "customerDomain": address.partition("@")[2]}


CAPTURES: Captures = {
    "gmail.users.getProfile": (Capture("customer", shape="object", reshape=_customer),)
}


_RESOURCES, _DOCUMENT = "resources", "gmail:v1"


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables, by message id: of what was sent, and of what `resources` put into mailboxes.

    A message there may be written short, as `raw`: the rest is read from it.
    """
    sent: Rows = {}
    for pointer, row in each_object(found, SENT):
        _add_message(found, sent, pointer, _complete_message(found, pointer, row), "SENT")
    found.tables[SENT] = sent
    mail: Rows = {}
    for pointer, row in _rows_of_resources(found, "messages"):
        _add_message(found, mail, pointer, _complete_message(found, pointer, row), "INBOX")
    for pointer, row in _rows_of_resources(found, "drafts"):
        message, ident = row.get("message"), text_at(found, pointer, row, "id")
        if ident is not None and isinstance(message, dict):
            own = {"user": row["user"]} if "user" in row else {}
            told = {"id": ident, **message, **own, "draftId": ident}
            complete = _complete_message(found, f"{pointer}/message", told)
            _add_message(found, mail, f"{pointer}/message", complete, "DRAFT")
            found.tables[DRAFTS] = {}
    _join_threads([*sent.values(), *mail.values()])
    if mail:
        found.tables[MAIL] = mail
        found.times[MAIL] = (("sentTime",),)
    _import_settings(found)
    labels: Rows = {}
    for pointer, row in _rows_of_resources(found, "labels"):
        name = text_at(found, pointer, row, "name")
        ident = str(row.get("id") or f"Label_{len(labels) + 1}")
        if name is not None:
            label = {"type": "user", **row, "id": ident}
            add_row(found, labels, ident, label, pointer=f"{pointer}/id", noun="label")
    if labels:
        found.tables[LABELS] = labels


def _import_settings(found: SnapshotImport) -> None:
    """Make the tables of settings, by mailbox and key; no mailbox stands for every one."""
    held = (found.raw.get(_RESOURCES) or {}) if isinstance(found.raw.get(_RESOURCES), dict) else {}
    if not held.get(_DOCUMENT):
        return
    from mockserver.apis.gmail.settings import KEYS

    for table, key in KEYS.items():
        rows: Rows = {}
        for pointer, row in _rows_of_resources(found, table.rpartition("/")[2]):
            ident, owner = text_at(found, pointer, row, key), str(row.get("user", ""))
            told = {name: value for name, value in row.items() if name != "user"}
            if ident is not None:
                add_row(found, rows, f"{owner}/{ident}", told, pointer=pointer, noun="setting")
        if rows:
            found.tables[table] = rows


def _join_threads(rows: Sequence[JsonObject]) -> None:
    """Give a message without a thread that of the message that its headers answer."""
    if not any("threadId" not in row for row in rows):
        return
    from mockserver.apis.gmail.mime import message_ids

    threads: dict[tuple[str, str], str] = {}
    for row in rows:
        whose = str(row.get("user", ""))
        known = (
            threads[whose, each]
            for each in reversed(message_ids(row, "references", "in-reply-to"))
            if (whose, each) in threads
        )
        row.setdefault("threadId", next(known, row["id"]))
        for each in message_ids(row, "message-id"):
            threads.setdefault((whose, each), str(row["threadId"]))


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
        whole = {"labelIds": [label], "sentTime": _sent_time(found, row), **row}
        if "DRAFT" in (whose := whole["labelIds"]) and isinstance(whose, list):
            whole.setdefault("draftId", f"r{ident}")
        add_row(found, rows, ident, whole, pointer=f"{pointer}/id", noun="message")


def _complete_message(found: SnapshotImport, pointer: str, row: JsonObject) -> JsonObject:
    """A message completed by the fields that its `raw` has and it lacks.

    What has several lines is the message itself, as people read it, and not base64.
    """
    if not isinstance(row.get("raw"), str) or "payload" in row:
        return row
    # most servers start without a mailbox, and reading MIME is much to load
    from mockserver.apis.gmail.mime import decode_base64, message_fields

    lines = row["raw"].splitlines()
    try:
        content = "\r\n".join(lines).encode() if len(lines) > 1 else decode_base64(row["raw"])
    except binascii.Error:
        text = "expected a message in base64, as the API's raw format has it, or its lines"
        found.problems.append(Problem(f"{pointer}/raw", text))
        return row
    told = message_fields(content)
    return {**told, **row, "raw": told["raw"]}


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

"""How messages come into mailboxes: put there, sent, delivered, filtered and forwarded.

Source: the guides on threads, filters and forwarding. Whether a thread goes on without the subject
of its messages, and which labels an imported message has, are not verified against the live API.
"""

import binascii
from collections.abc import Iterator, Sequence
from datetime import UTC
from email import policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from mockserver.apis.gmail import FILTERS, MAIL, SENT, SETTINGS
from mockserver.apis.gmail.mime import (
    addresses_of,
    decode_base64,
    encode_base64url,
    message_fields,
    message_ids,
    plain_subject,
    with_headers,
    without_header,
)
from mockserver.apis.gmail.search import header_values, read_search
from mockserver.apis.gmail.state import invalid_argument, own_address, put_message
from mockserver.collections import BY_KEY, Index
from mockserver.googleapi import Call, tree_test
from mockserver.model import JsonObject
from mockserver.state import (
    USERS,
    World,
    admin_email,
    all_member_ids,
    find_group,
    find_user,
    rfc3339,
)

_ADDRESSED = ("to", "cc", "bcc")
_ARRIVED = ("INBOX", "UNREAD")
_DISPOSITIONS = {"archive": {"INBOX"}, "trash": {"INBOX"}, "markRead": {"UNREAD"}}
"""What becomes of a message that is forwarded: the labels that it loses."""
_BY_MESSAGE_ID = Index(
    lambda _, row: dict.fromkeys(
        (str(row.get("user", "")), each) for each in message_ids(row, "message-id")
    )
)


def read_raw(text: str, *, addressed: bool = True) -> bytes:
    """A message from the `raw` field of a request.

    Args:
        text: The field.
        addressed: Whether a message to nobody is refused.

    Raises:
        ApiError: 400: not base64, or a message to nobody.
    """
    try:
        content = decode_base64(text)
    except binascii.Error as error:
        text = "Invalid value for ByteString: raw"
        raise invalid_argument(text, "INVALID_ARGUMENT") from error
    if addressed and not addresses_of(message_fields(content), *_ADDRESSED):
        raise invalid_argument("Recipient address required", "INVALID_ARGUMENT")
    return content


def raw_of_request(call: Call, message: JsonObject, missing: str) -> str:
    """The message of a request, in base64: in its body, or uploaded; ApiError 400 for none."""
    raw = str(message.get("raw") or (encode_base64url(call.media.content) if call.media else ""))
    if not raw:
        raise invalid_argument(missing)
    return raw


def completed_content(call: Call, content: bytes) -> bytes:
    """A message with the headers that Gmail adds: whom it is from, when, and its id."""
    row = message_fields(content)
    ids, now = call.world.ids, call.world.clock.now()
    added = {
        "From": own_address(call),
        "Message-ID": f"<{ids.base36('mail', 20)}@mail.example.com>",
        "Date": now.strftime("%a, %d %b %Y %H:%M:%S +0000"),
    }
    known = {name for name in added if header_values(row, (name.casefold(),))}
    return with_headers(content, {name: added[name] for name in added if name not in known})


def thread_of(world: World, owner: str, row: JsonObject) -> str:
    """The thread of a mailbox that a message goes on with by its headers, or an empty text."""
    for ident in reversed(message_ids(row, "references", "in-reply-to")):
        for name in (SENT, MAIL):
            for whose in (owner, ""):
                for other in world.table(name).find(_BY_MESSAGE_ID, (whose, ident)):
                    if plain_subject(other) == plain_subject(row):
                        return str(other["threadId"])
    return ""


def add_message(
    world: World, owner: str, table: str, content: bytes, labels: Sequence[str], ident: str,
    **more: str,
) -> JsonObject:  # fmt: skip
    """Put a message in MIME into a mailbox, where its thread goes on."""
    row: JsonObject = {
        "id": ident,
        "threadId": "",
        "labelIds": [*dict.fromkeys(labels)],
        **message_fields(content),
        "user": owner,
        "sentTime": rfc3339(world.clock.now()),
        **{name: value for name, value in more.items() if value},
    }
    row["threadId"] = row["threadId"] or thread_of(world, owner, row) or ident
    if "DRAFT" in labels:
        row.setdefault("draftId", f"r{world.ids.digits('draft', 19)}")
    return put_message(world, table, row)


def date_of(content: bytes) -> str:
    """When a message says that it was sent, as a timestamp; empty where it does not."""
    for text in header_values(message_fields(content), ("date",)):
        try:
            return rfc3339(parsedate_to_datetime(text).astimezone(UTC))
        except ValueError:
            continue
    return ""


def send_content(call: Call, content: bytes, thread: str) -> JsonObject:
    """Send a message: it is among the sent ones, and arrives in the mailboxes of this world."""
    world, owner = call.world, own_address(call)
    content = completed_content(call, content)
    receivers = list(_receivers(world, addresses_of(message_fields(content), *_ADDRESSED)))
    labels = ["SENT", *(_ARRIVED if owner in receivers else ())]
    ident = world.ids.hex("message", 16)
    sent = add_message(world, owner, SENT, content, labels, ident, threadId=thread)
    arriving = without_header(content, "Bcc")
    for each in receivers:
        if (find_user(world, each) or {}).get("suspended"):
            _deliver(call, owner, _undelivered(call, owner, each, content))
        elif each != owner:
            _deliver(call, each, arriving)
    return sent


def _undelivered(call: Call, sender: str, receiver: str, content: bytes) -> bytes:
    """What Gmail answers to mail for an account that is suspended."""
    fields = message_fields(content)
    lines = (
        "From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
        f"To: {sender}",
        "Auto-Submitted: auto-replied",
        "Subject: Delivery Status Notification (Failure)",
        *(f"In-Reply-To: {each}" for each in header_values(fields, ("message-id",))),
        *(f"References: {each}" for each in header_values(fields, ("message-id",))),
        "",
        "** Message not delivered **",
        "",
        f"Your message couldn't be delivered to {receiver} because the account is disabled.",
        "",
        "The response was: 550 5.2.1 The email account that you tried to reach is disabled.",
    )
    return completed_content(call, "\r\n".join(lines).encode())


def _receivers(world: World, addresses: Sequence[str]) -> Iterator[str]:
    """The mailboxes of this world that addresses mean; a group stands for its members.

    Yields:
        Addresses, each once.
    """
    found: dict[str, None] = {}
    for address in addresses:
        user, group = find_user(world, address), find_group(world, address)
        if user is not None:
            found[str(user["primaryEmail"])] = None
        elif address == admin_email(world).casefold():
            found[admin_email(world)] = None
        for member in sorted(all_member_ids(world, str(group["id"]))) if group else ():
            known = world.table(USERS).get(member)
            if known is not None:
                found[str(known["primaryEmail"])] = None
    yield from found


def _deliver(call: Call, owner: str, content: bytes, *, forwarded: bool = False) -> None:
    """Put what arrives into a mailbox, as its filters and its forwarding say."""
    world, labels, forward = call.world, [*_ARRIVED], dict[str, None]()
    row = {**message_fields(content), "labelIds": labels, "sentTime": rfc3339(world.clock.now())}
    for each in world.table(FILTERS).starting(BY_KEY, f"{owner}/"):
        action = each.get("action") or {}
        if meets_criteria(call, each, row):
            labels += action.get("addLabelIds") or ()
            gone = set(action.get("removeLabelIds") or ())
            labels = [name for name in labels if name not in gone]
            forward |= dict.fromkeys([action["forward"]] if action.get("forward") else ())
    auto = world.table(SETTINGS).get(f"{owner}/AutoForwarding") or {}
    if auto.get("enabled"):
        forward[str(auto["emailAddress"])] = None
        gone = _DISPOSITIONS.get(str(auto.get("disposition")), set())
        labels = [name for name in labels if name not in gone]
        labels += ["TRASH"] if auto.get("disposition") == "trash" else ()
    add_message(world, owner, MAIL, content, labels, world.ids.hex("delivered", 16))
    if not forwarded and "INBOX" in labels:
        _reply_while_away(call, owner, row)
    for other in () if forwarded else _receivers(world, [*map(str.casefold, forward)]):
        _deliver(call, other, content, forwarded=True)


_AGAIN_AFTER = 4 * 24 * 3600 * 1000
"""Milliseconds until somebody is told anew that the owner of a mailbox is away."""


def _reply_while_away(call: Call, owner: str, row: JsonObject) -> None:
    """Answer what arrived with the vacation reply, once in four days to each sender.

    Nobody replies to what was written by a program. Source: help pages.
    """
    world = call.world
    away = world.table(SETTINGS).get(f"{owner}/Vacation") or {}
    now = int(world.clock.now().timestamp() * 1000)
    start, end = (
        int(away.get(name) or at) for name, at in (("startTime", 0), ("endTime", now + 1))
    )
    senders = [each for each in addresses_of(row, "from") if each != owner.casefold()]
    if not away.get("enableAutoReply") or not start <= now < end or not senders:
        return
    if header_values(row, ("auto-submitted", "list-id", "precedence")):
        return
    [sender, *_], told = senders, world.table(SETTINGS).get(f"{owner}/Told") or {}
    is_outside = sender.rpartition("@")[2] != owner.casefold().rpartition("@")[2]
    is_stranger = away.get("restrictToContacts") and not _is_contact(world, sender)
    if (away.get("restrictToDomain") and is_outside) or is_stranger:
        return
    if now - told.get(sender, -_AGAIN_AFTER) < _AGAIN_AFTER:
        return
    world.put(SETTINGS, f"{owner}/Told", {**told, sender: now})
    reply = EmailMessage(policy=policy.SMTP)
    [subject] = header_values(row, ("subject",))[:1] or [""]
    reply["From"], reply["To"], reply["Auto-Submitted"] = owner, sender, "auto-replied"
    reply["Subject"] = str(away.get("responseSubject") or f"Re: {subject}")
    for known in header_values(row, ("message-id",))[:1]:
        reply["In-Reply-To"] = reply["References"] = known
    reply.set_content(str(away.get("responseBodyPlainText") or ""))
    if html := str(away.get("responseBodyHtml") or ""):
        reply.add_alternative(html, subtype="html")
    added = {
        "Message-ID": f"<{world.ids.base36('mail', 20)}@mail.example.com>",
        "Date": world.clock.now().strftime("%a, %d %b %Y %H:%M:%S +0000"),
    }
    content = with_headers(reply.as_bytes(), added)
    for each in _receivers(world, [sender]):
        _deliver(call, each, content)


_CONTACTS = ("people:v1/people", "people:v1/connections")
_BY_CONTACT = Index(
    lambda _, row: dict.fromkeys(
        str(each.get("value", "")).casefold() for each in row.get("emailAddresses") or ()
    )
)


def _is_contact(world: World, address: str) -> bool:
    return any(world.table(name).find(_BY_CONTACT, address) for name in _CONTACTS)


def meets_criteria(call: Call, row: JsonObject, message: JsonObject) -> bool:
    """Whether a message is one that a filter means.

    Raises:
        ApiError: 501 for a search that cannot be honoured.
    """
    criteria = row.get("criteria") or {}
    words = [f"{name}:({criteria[name]})" for name in ("from", "to", "subject")
             if criteria.get(name)]  # fmt: skip
    words += [f"({criteria['query']})"] if criteria.get("query") else []
    words += [f"-({criteria['negatedQuery']})"] if criteria.get("negatedQuery") else []
    words += ["has:attachment"] if criteria.get("hasAttachment") else []
    if criteria.get("size"):
        words.append(f"{criteria.get('sizeComparison') or 'larger'}:{criteria['size']}")
    tree = read_search(call, " ".join(words)).tree
    return tree_test(tree, lambda test: test)(message)

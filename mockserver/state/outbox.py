"""Messages to others: recorded in the session, and sent once what wrote them is answered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Protocol
from urllib.parse import urlsplit

from mockserver.collections.collection import Tables
from mockserver.model import Json, JsonObject, shortened

_MOST_SENT = 1000
"""Messages of one kind and session: a receiver that calls the API again would never end."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message that is to be sent.

    Attributes:
        table: The table in which it is recorded.
        key: Its key there.
        url: Where it goes to, on this machine.
        body: Its body; None for none.
        headers: Its headers.
        done: Called with the session's state and what became of it, or None.
        verb: The method of HTTP.
        content: Its bytes, where its body is no JSON.
    """

    table: str
    key: str
    url: str
    body: Json
    headers: Mapping[str, str]
    done: "Done | None" = None
    verb: str = "POST"
    content: bytes | None = None


Done = Callable[[Any, str], None]
"""Takes a session's state, and the status of an answer or why there is none."""


class Sender(Tables, Protocol):
    """A session that sends messages; `outbox` holds those that wait."""

    outbox: tuple[Message, ...]


def record_message(
    world: Sender,
    table: str,
    told: JsonObject,
    headers: Mapping[str, str] | None,
    done: Done | None = None,
    content: bytes | None = None,
) -> None:
    """Record a message, and put it into the outbox of the session where it is to be sent.

    Args:
        world: The session's state.
        table: Where it is recorded.
        told: What is recorded of it; its `url` and `body` are sent, by its `verb` or POST.
        headers: With what headers it is sent; None where it is only recorded.
        done: Called when it was sent, or could not be.
        content: The bytes that are sent for its body, which is no JSON.
    """
    number = len(world.table(table)) + 1
    told = {"number": number, **told}
    if headers is not None:
        reason = ""
        if number > _MOST_SENT:
            reason = f"a session sends {_MOST_SENT} messages at the most"
        elif not is_on_this_machine(told["url"]):
            reason = f"{shortened(told['url'])} is not on this machine"
        told["delivery"] = f"not sent: {reason}" if reason else "on its way"
        if not reason:
            place = (table, str(number), told["url"], told["body"], headers, done)
            sent = Message(*place, told.get("verb", "POST"), content)
            world.outbox = (*world.outbox, sent)
    world.put(table, str(number), told)


def note_delivery(world: Tables, message: Message, outcome: str) -> None:
    """Record what became of a message that was to be sent.

    Args:
        world: The session's state.
        message: The message.
        outcome: The status of the answer, or why there is none.
    """
    row = world.table(message.table).get(message.key)
    if row is not None and row.get("url") == message.url:  # the session may be another by now
        world.put(message.table, message.key, {**row, "delivery": outcome})
        if message.done is not None:
            message.done(world, outcome)


def is_on_this_machine(url: str) -> bool:
    """Whether a URL of HTTP leads to the machine that it is used on.

    >>> is_on_this_machine("http://127.0.0.1:8000/hook"), is_on_this_machine("http://10.0.0.1/")
    (True, False)
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
    return is_here and parts.scheme in {"http", "https"}

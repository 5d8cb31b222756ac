"""What follows from a change: messages to others, which are recorded, and work that takes time."""

from datetime import timedelta
from fnmatch import fnmatchcase
from ipaddress import ip_address
from urllib.parse import urlsplit

from mockserver.declared.calls import Answer, DeclaredCall, WebhookMessage
from mockserver.declared.declaration import Declaration
from mockserver.declared.errors import refusal
from mockserver.declared.rows import Rows, silent_table
from mockserver.declared.templates import render, row_values
from mockserver.model import Json, JsonObject, shortened
from mockserver.state import World, parse_rfc3339, rfc3339

WEBHOOKS = "webhooks"
_MOST_SENT = 1000
"""Messages of one session: a receiver that calls the API again would never end otherwise."""


def record_webhooks(declaration: Declaration, call: DeclaredCall, row: Json) -> None:
    """Record the messages that an operation makes the API send.

    Each is a row of the table `<api>:webhooks`: number, method, event, url, body and time. Those
    that are to be sent have `delivery`, and lie in the call's outbox where they can be.
    """
    below = call.operation.id.removeprefix(f"{declaration.api}.")
    table = silent_table(declaration.api, WEBHOOKS)
    for webhook in declaration.webhooks:
        if not fnmatchcase(below, webhook.on):
            continue
        event = webhook.event or below
        values = row_values(
            call.world, table, row=row if isinstance(row, dict) else {}, body=call.body or {},
            params=call.params, event=event,
        )  # fmt: skip
        usual: JsonObject = {"event": event, "data": row}
        body = usual if webhook.body is None else render(webhook.body, values)
        number = len(call.world.table(table)) + 1
        message: JsonObject = {
            "number": number,
            "method": call.operation.id,
            "event": event,
            "url": str(render(webhook.url, values)),
            "body": body,
            "at": rfc3339(call.world.clock.now()),
        }
        if webhook.send:
            reason = ""
            if number > _MOST_SENT:
                reason = f"a session sends {_MOST_SENT} messages at the most"
            elif not is_on_this_machine(message["url"]):
                reason = f"{shortened(message['url'])} is not on this machine"
            message["delivery"] = f"not sent: {reason}" if reason else "on its way"
            if not reason:
                sent = WebhookMessage(table, number, message["url"], event, body)
                call.outbox = (*call.outbox, sent)
        call.world.put(table, str(number), message)


def note_delivery(world: World, message: WebhookMessage, outcome: str) -> None:
    """Record what became of a message that was to be sent.

    Args:
        world: The session's state.
        message: The message.
        outcome: The status of the answer, or why there is none.
    """
    row = world.table(message.table).get(str(message.number))
    if row is not None and row.get("url") == message.url:  # the session may be another by now
        world.put(message.table, str(message.number), {**row, "delivery": outcome})


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


def accept_later(rows: Rows, call: DeclaredCall, answer: Answer) -> Answer:
    """The answer to a request that is only accepted: 202, and where to ask how it goes on."""
    accepted = rows.declared.accepted
    if accepted is None or call.operation.kind not in accepted.operations:
        return answer
    world, table = call.world, silent_table(rows.api, "jobs")
    job = world.ids.hex(table, 12)
    ready = world.clock.now() + timedelta(seconds=accepted.seconds)
    kept = {"collection": rows.name, "ready": rfc3339(ready), "row": answer.payload}
    world.put(table, job, kept)
    path = accepted.path.replace("{job}", job)
    for name, value in zip(call.operation.placeholders, call.captures, strict=False):
        path = path.replace(f"{{{name}}}", value)
    values = row_values(world, table, job=job, row=answer.payload)
    headers = (("location", f"{call.url}{path}"),)
    return Answer(render(accepted.pending, values), 202, headers)


def answer_job(rows: Rows, call: DeclaredCall) -> Answer:
    """How accepted work goes on."""
    accepted = rows.declared.accepted
    world, table = call.world, silent_table(rows.api, "jobs")
    job = call.captures[call.operation.placeholders.index("job")]
    row = world.table(table).get(job)
    if accepted is None or row is None or row["collection"] != rows.name:
        raise refusal(404, f"No job {shortened(job)!r}.")
    is_done = world.clock.now() >= parse_rfc3339(row["ready"])
    values = row_values(world, table, job=job, row=row["row"])
    return Answer(render(accepted.done if is_done else accepted.pending, values))

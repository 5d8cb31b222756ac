"""What follows from a change: messages to others, which are recorded, and work that takes time."""

from datetime import timedelta
from fnmatch import fnmatchcase

from mockserver.declared.calls import Answer, DeclaredCall
from mockserver.declared.declaration import Declaration
from mockserver.declared.errors import refusal
from mockserver.declared.rows import Rows, silent_table
from mockserver.declared.templates import render, row_values
from mockserver.model import Json, JsonObject, shortened
from mockserver.state import parse_rfc3339, record_message, rfc3339

WEBHOOKS = "webhooks"


def record_webhooks(declaration: Declaration, call: DeclaredCall, row: Json) -> None:
    """Record the messages that an operation makes the API send.

    Each is a row of the table `<api>:webhooks`: number, method, event, url, body and time; and
    what became of it, where it is to be sent.
    """
    if not declaration.webhooks:
        return
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
        message: JsonObject = {
            "method": call.operation.id,
            "event": event,
            "url": str(render(webhook.url, values)),
            "body": usual if webhook.body is None else render(webhook.body, values),
            "at": rfc3339(call.world.clock.now()),
        }
        headers = {"x-mock-event": event.encode("ascii", "replace").decode()}
        record_message(call.world, table, message, headers if webhook.send else None)


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

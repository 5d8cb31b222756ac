"""Calls that no HTTP request carries, answered from recordings."""

import logging
from typing import NamedTuple

import orjson

from mockserver.cassettes.replay import Keyed, Played, Unmatched
from mockserver.googleapi import ApiError
from mockserver.model import Header, Interaction, JsonObject, RecordedRequest
from mockserver.redaction.fields import redact_body
from mockserver.routing import Route
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.recordings import Replay
from mockserver.sessions.session import Session
from mockserver.sources.binding import Asked
from mockserver.sources.direct import Outcome
from mockserver.sources.exchange import Exchange
from mockserver.sources.fault_application import meet_faults, without_wire
from mockserver.sources.misses import internal
from mockserver.sources.recorded import told_of
from mockserver.sources.unplayed import unplayed, unrecorded

_log = logging.getLogger(__name__)


class Sent(NamedTuple):
    """A call as a recording of it would have it.

    Attributes:
        path: `/package.Service/Method`.
        body: Its message as JSON.
        headers: Its media type.
        token: The access token as sent, or an empty string.
        client: What the caller says it is.
    """

    path: str
    body: bytes
    headers: tuple[Header, ...]
    token: str = ""
    client: bytes = b""


class Answered(NamedTuple):
    """What came of it.

    Attributes:
        outcome: For whoever asked.
        interaction: The recording, where one answers.
        told: Which one it is.
    """

    outcome: Outcome
    interaction: Interaction | None = None
    told: str = ""


def answer_recorded(session: Session, replay: Replay, route: Route, sent: Sent) -> Answered:
    """Answer a call from the recordings of its session, and journal it.

    Args:
        session: Where it is asked.
        replay: Its recordings, which know the path.
        route: What it means.
        sent: The call.
    """
    exchange = Exchange(session, route, sent.client)
    exchange.source = "none"
    played: Played | None = None
    failed: ApiError | None = None
    try:
        played = _played(exchange, replay, sent)
        exchange.source = "cassette"
        told = told_of(played)
        exchange.recording = told.recording
        exchange.response = played.interaction.response.body
    except ApiError as error:
        failed = error
    except Exception:  # noqa: BLE001  (a defect of ours must not end the server)
        _log.exception("%s was not replayed", route.method_id)
        failed = internal()
    failed = without_wire(exchange) or failed
    if failed is not None:
        exchange.refuse(failed)
        played = None
    exchange.finish()
    miss = exchange.miss.blame if exchange.miss else ""
    outcome = Outcome(exchange.seq, failed, exchange.delay_ms, exchange.source, miss=miss)
    if played is None:
        return Answered(outcome)
    return Answered(outcome, played.interaction, told_of(played).said)


def _played(exchange: Exchange, replay: Replay, sent: Sent) -> Played:
    """The recording; raises ApiError where there is none, or a fault comes first."""
    keyed = [
        replay.keyer.fresh(replay.redactor.request(asked), asked)
        for asked in (_request(host, sent) for host in replay.hosts_of(sent.path))
    ]
    exchange.path = sent.path
    if not keyed:
        raise unrecorded(replay.known.hosts, exchange.route)
    exchange.body = _body(keyed[0])
    exchange.redacted = True
    session, route = exchange.session, exchange.route
    if session.has_faults:
        asked = Asked({}, exchange.body or {})
        meet_faults(exchange, asked, caller_of(session, sent.token, route))
    missed: tuple[Unmatched, RecordedRequest] | None = None
    for each in keyed:
        found = replay.play(each)
        if isinstance(found, Played):
            return found
        missed = missed or (found, each.request)
    if missed is None:
        raise internal()
    raise unplayed(*missed, replay, route)


def _request(host: str, sent: Sent) -> RecordedRequest:
    return RecordedRequest("POST", f"https://{host}{sent.path}", sent.headers, sent.body)


def _body(keyed: Keyed) -> JsonObject:
    value = orjson.loads(keyed.request.body or b"{}")
    made: JsonObject = redact_body(value) if isinstance(value, dict) else {}
    return made

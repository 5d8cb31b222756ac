"""A call meets the faults of its session: what it is refused with, and what it sees late."""

from mockserver.googleapi import ApiError, Caller
from mockserver.model import Fault
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.fault_errors import fault_error
from mockserver.sessions.faults import Circumstances, Damage, Meeting
from mockserver.sources.binding import Asked
from mockserver.sources.exchange import Exchange
from mockserver.state import LateWorld, expire_tokens, remember_changes

_PAGE_TOKEN = "pageToken"  # noqa: S105  (a parameter's name)
_STALE = "stale"
_LOST = frozenset({"reset", "truncate", "malformed"})


def meet_faults(exchange: Exchange, asked: Asked, caller: Caller) -> None:
    """Let a call meet what its session is told to fail with, and count it.

    Raises:
        ApiError: The error that a fault answers with.
    """
    route, session = exchange.route, exchange.session
    if not route.method_id:
        return
    faults = session.faults
    if faults.delays_changes:
        remember_changes(session.world)
    how = Circumstances(
        _user(exchange, caller), _PAGE_TOKEN in asked.params or _PAGE_TOKEN in asked.body
    )
    meeting = faults.meet(route.method_id, how)
    exchange.delay_ms = meeting.delay_ms
    if meeting.late:
        exchange.late = LateWorld(session.world, meeting.late)
    if meeting.expires is not None:
        _expire(exchange, caller, meeting.expires)
    if meeting.answer is not None:
        raise _said(exchange, meeting.answer)
    _damaged(exchange, asked, meeting)


def _damaged(exchange: Exchange, asked: Asked, meeting: Meeting) -> None:
    if meeting.stale is not None:
        exchange.fault = _name(meeting.stale)
        # the method itself says what it says of a token of another query
        if _PAGE_TOKEN in asked.body:
            asked.body = {**asked.body, _PAGE_TOKEN: _STALE}
        else:
            asked.params[_PAGE_TOKEN] = _STALE
    if meeting.damage is not None:
        exchange.fault = meeting.damage.origin
        exchange.damage = meeting.damage
        if meeting.damage.at_once:
            exchange.source = "fault"
            raise lost(meeting.damage)


def lost(damage: Damage) -> ApiError:
    """What is left of an answer that did not get through, where there is no wire to damage."""
    text = f"The connection failed before the whole answer was there ({damage.kind})."
    return ApiError(503, text, reason="backendError", code_name="UNAVAILABLE")


def without_wire(exchange: Exchange) -> ApiError | None:
    """What damage on the wire comes to for a call that no HTTP connection carries."""
    damage, exchange.damage = exchange.damage, None
    if damage is None:
        return None
    if damage.kind in _LOST:
        exchange.source = "fault"
        return lost(damage)
    exchange.delay_ms += damage.pause_ms
    return None


def _expire(exchange: Exchange, caller: Caller, fault: Fault) -> None:
    expire_tokens(exchange.session.world)
    exchange.source, exchange.fault = "fault", _name(fault)
    caller_of(exchange.session, caller.token, exchange.route)
    # nobody asks for a token here, or it is none of ours: it is refused all the same
    raise _said(exchange, fault.model_copy(update={"status": 401}))


def _said(exchange: Exchange, fault: Fault) -> ApiError:
    route = exchange.route
    exchange.source, exchange.fault = "fault", _name(fault)
    return fault_error(
        fault,
        method_id=route.method_id,
        host=route.host,
        dialect=route.dialect,
        title=route.method.document.title if route.method else "",
    )


def _name(fault: Fault) -> str:
    return fault.origin or fault.method


def _user(exchange: Exchange, caller: Caller) -> str:
    named = exchange.system.quota_user if exchange.system else ""
    return named or caller.email or caller.token

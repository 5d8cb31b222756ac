"""Applies the faults of a session to a call: what it is refused with, and what it sees late."""

from mockserver.googleapi import ApiError
from mockserver.model import Fault
from mockserver.sessions.credentials import caller_of
from mockserver.sessions.faults import CallTraits, Damage
from mockserver.sources.exchange import Exchange
from mockserver.state import DelayedWorld, expire_tokens

_PAGE_TOKEN = "pageToken"  # noqa: S105  (a parameter's name)
_STALE = "stale"
_LOSSES = frozenset({"reset", "truncate", "malformed"})


def apply_faults(exchange: Exchange) -> None:
    """Apply to a call what its session is told to fail with, and count it.

    Raises:
        ApiError: The error that a fault answers with.
    """
    route, session, response = exchange.route, exchange.session, exchange.response
    method_id = exchange.entry.method_id
    if not method_id:
        return
    faults, caller = session.faults, exchange.caller
    history = session.world.history
    if faults.delays_changes and history.delayed_from is None:
        history.delayed_from = history.latest
    quota_user = exchange.system.quota_user if exchange.system else ""
    how = CallTraits(
        quota_user or caller.email or caller.token,
        _PAGE_TOKEN in exchange.params or _PAGE_TOKEN in exchange.body,
        exchange.fault_group,
    )
    effect = faults.next_effect(method_id, how)
    response.delay_ms = effect.delay_ms
    exchange.malformed = effect.malformed
    if effect.late:
        exchange.delayed_world = DelayedWorld(session.world, effect.late)
    if effect.expires is not None:
        expire_tokens(session.world)
        response.source, exchange.entry.fault = "fault", _name_of(effect.expires)
        caller_of(session, caller.token, route)
        # nobody asks for a token here, or it is none of ours: it is refused all the same
        raise _error_of(exchange, effect.expires.model_copy(update={"status": 401}))
    if effect.answer is not None:
        if exchange.defers_fault(effect.answer):
            exchange.entry.fault = _name_of(effect.answer)
            return
        raise _error_of(exchange, effect.answer)
    if effect.stale is not None:
        exchange.entry.fault = _name_of(effect.stale)
        # the method itself says what it says of a token of another query
        if _PAGE_TOKEN in exchange.body:
            exchange.body = {**exchange.body, _PAGE_TOKEN: _STALE}
        else:
            exchange.params[_PAGE_TOKEN] = _STALE
    if effect.damage is not None:
        exchange.entry.fault = effect.damage.origin
        response.damage = effect.damage
        if effect.damage.at_once:
            response.source = "fault"
            raise _loss(effect.damage)


def damage_without_wire(exchange: Exchange) -> ApiError | None:
    """What damage on the wire comes to for a call that no HTTP connection carries."""
    response = exchange.response
    damage, response.damage = response.damage, None
    if damage is None:
        return None
    if damage.kind in _LOSSES:
        response.source = "fault"
        return _loss(damage)
    response.delay_ms += damage.pause_ms
    return None


def _loss(damage: Damage) -> ApiError:
    """What is left of an answer that did not get through, where there is no wire to damage."""
    text = f"The connection failed before the whole answer was there ({damage.kind})."
    return ApiError(503, text, reason="backendError", code_name="UNAVAILABLE")


def _error_of(exchange: Exchange, fault: Fault) -> ApiError:
    exchange.response.source, exchange.entry.fault = "fault", _name_of(fault)
    return exchange.fault_error(fault)


def _name_of(fault: Fault) -> str:
    return fault.origin or fault.method

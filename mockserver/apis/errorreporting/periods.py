"""What events a call asks for: a period up to now, and a service."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from mockserver.apis.errorreporting.state import when
from mockserver.googleapi import Call, invalid
from mockserver.model import JsonObject

PERIODS: Mapping[str, timedelta] = {
    "PERIOD_1_HOUR": timedelta(hours=1),
    "PERIOD_6_HOURS": timedelta(hours=6),
    "PERIOD_1_DAY": timedelta(days=1),
    "PERIOD_1_WEEK": timedelta(weeks=1),
    "PERIOD_30_DAYS": timedelta(days=30),
}
_NUMBERS = {str(number): name for number, name in enumerate(PERIODS, start=1)}
_UNSAID = "PERIOD_30_DAYS"
"""The period when none is asked for; the live API's own is not documented."""

_SERVICE = ("service", "version", "resourceType")


def asked(call: Call, outer: str, inner: str) -> str:
    """A part of a parameter that is a message: `timeRange.period`, or nested as gRPC has it."""
    nested = call.params.get(outer)
    value = nested.get(inner) if isinstance(nested, dict) else None
    return str(call.params.get(f"{outer}.{inner}") or value or "")


def begin(call: Call) -> datetime:
    """When the period that a call asks for began, in session time.

    Raises:
        ApiError: 400; no such period.
    """
    name = asked(call, "timeRange", "period")
    name = _NUMBERS.get(name, name)
    if name in {"", "0", "PERIOD_UNSPECIFIED"}:
        name = _UNSAID
    if name not in PERIODS:
        text = f"Invalid period '{name}': it must be one of {', '.join(PERIODS)}."
        raise invalid(text, location="timeRange.period")
    return call.world.clock.now() - PERIODS[name]


def service_test(call: Call) -> Callable[[JsonObject], bool]:
    """Whether an event is of the service that a call asks for; exact, and all parts must fit."""
    wanted = {name: asked(call, "serviceFilter", name) for name in _SERVICE}
    wanted = {name: text for name, text in wanted.items() if text}

    def test(row: JsonObject) -> bool:
        context = row["event"].get("serviceContext") or {}
        return all(context.get(name) == text for name, text in wanted.items())

    return test


def since(rows: list[JsonObject], start: datetime) -> list[JsonObject]:
    """The events after a moment."""
    return [row for row in rows if when(row) > start]

"""The faults of a session: which calls they meet, how often, how late, and at which rate."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import translate
from math import cos, exp, log, pi, sqrt

from mockserver.model import Fault, FaultReport, Latency, Rate
from mockserver.state import ChangeDelay, Ids

_MINUTE_S = 60


class TokenBucket:
    """The buckets of one rate: one for the session, or one for each user.

    A call that is refused takes nothing, so a caller that waits is let through.

    Args:
        rate: How they are filled.
    """

    __slots__ = ("_filled", "_rate", "_size")

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._size = float(rate.burst or max(1.0, rate.per_minute))
        self._filled: dict[str, tuple[float, datetime]] = {}

    def admits(self, user: str, now: datetime) -> bool:
        """Whether a call may pass now; if so, it is counted."""
        owner = user if self._rate.per == "user" else ""
        left, since = self._filled.get(owner, (self._size, now))
        new = (now - since).total_seconds() * self._rate.per_minute / _MINUTE_S
        left = min(self._size, left + max(0.0, new))
        passes = left >= 1
        self._filled[owner] = (left - passes, now)
        return passes


_DIGITS = 13
_RANGE: int = 16**_DIGITS


def draw_latency_ms(latency: Latency, ids: Ids) -> float:
    """The next latency of a session, in milliseconds."""
    match latency.distribution:
        case "fixed":
            return latency.ms
        case "uniform":
            return latency.low_ms + (latency.high_ms - latency.low_ms) * _draw(ids)
        case "lognormal":
            drawn = latency.median_ms * exp(latency.sigma * _normal(ids))
            return min(drawn, latency.high_ms)


def _draw(ids: Ids) -> float:
    """A number from 0 to 1, neither of them."""
    return (int(ids.hex("latency", _DIGITS), 16) + 0.5) / float(_RANGE)


def _normal(ids: Ids) -> float:
    """A number of the standard normal distribution (Box and Muller)."""
    return sqrt(-2 * log(_draw(ids))) * cos(2 * pi * _draw(ids))


WIRE = frozenset({"reset", "truncate", "malformed", "slow_first_byte", "dribble"})
"""Kinds that show on the connection."""

_PACED = frozenset({"slow_first_byte", "dribble"})
"""Kinds whose latency is not spent before the answer begins."""

_START = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Damage:
    """What happens to an answer on the wire.

    Attributes:
        kind: One of `WIRE`.
        origin: The fault it is from.
        pause_ms: Milliseconds before the body, or between its pieces.
        after_bytes: Bytes that are sent before the cut; None for half of the body, and for a
            `reset` before anything is done.
        chunk_bytes: Size of the pieces of `dribble`.
        after_events: Events of a stream that are sent before the cut, or None.
    """

    kind: str
    origin: str
    pause_ms: float = 0.0
    after_bytes: int | None = None
    chunk_bytes: int = 64
    after_events: int | None = None

    @property
    def at_once(self) -> bool:
        """Whether the connection is reset before anything is done."""
        cut = self.after_bytes if self.after_events is None else self.after_events
        return self.kind == "reset" and cut is None


class FaultScript:
    """One fault with what is left of it.

    Attributes:
        fault: The fault.
        met: How many calls it met.
        asked: How many calls its method named.
        lag: How late it lets changes be seen, or None.
    """

    __slots__ = ("_bucket", "_calls", "_pattern", "asked", "fault", "lag", "met")

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.met = 0
        self.asked = 0
        self._pattern = re.compile(translate(fault.method))
        self._calls = tuple(_range(each) for each in fault.calls)
        self._bucket = TokenBucket(fault.rate) if fault.rate else None
        self.lag = ChangeDelay(fault.propagation, self.count) if fault.propagation else None

    def applies_to(self, method_id: str, group: str = "") -> bool:
        """Whether the fault's method names this one, or the group that it is of."""
        names = (method_id, group) if group else (method_id,)
        return any(self._pattern.match(name) is not None for name in names)

    def wants(self, traits: "CallTraits", now: datetime, ids: Ids) -> bool:
        """Whether this call, one that its method names, is to be met; it is counted."""
        fault = self.fault
        if fault.kind == "stale_page_token" and not traits.paged:
            return False
        if fault.kind == "malformed_tool_call" and not traits.group:
            return False  # none but models ask for tool calls
        self.asked += 1
        has_left = fault.times == "always" or self.met < fault.times
        calls = self._calls
        if not has_left or (calls and not any(low <= self.asked <= high for low, high in calls)):
            return False
        if fault.share is not None and _draw(ids) >= fault.share:
            return False
        return self._bucket is None or not self._bucket.admits(traits.user, now)

    def count(self) -> None:
        """Count a call that was met."""
        self.met += 1


@dataclass(frozen=True, slots=True)
class CallTraits:
    """What decides, beside the method, whether a fault meets a call.

    Attributes:
        user: Whose rate it counts for.
        paged: Whether it asks for a further page.
        group: What a fault may name in the place of its method, `models.chat`; or an empty string.
    """

    user: str = ""
    paged: bool = False
    group: str = ""


_PLAIN = CallTraits()


@dataclass(slots=True)
class FaultEffect:
    """What one call meets.

    Attributes:
        answer: The fault that answers with an error, or None.
        delay_ms: How long the answer is held back.
        damage: What happens to the answer on the wire, or None.
        stale: The fault by which the page token is stale, or None.
        expires: The fault by which the access tokens end now, or None.
        malformed: What breaks the tool calls of a model's reply, once there are some; or None.
        late: How late recent changes are seen.
    """

    answer: Fault | None = None
    delay_ms: float = 0.0
    damage: Damage | None = None
    stale: Fault | None = None
    expires: Fault | None = None
    malformed: "FaultScript | None" = None
    late: tuple[ChangeDelay, ...] = ()


class SessionFaults:
    """Holds every fault of one session, in order; the first that fits and is not used up answers.

    A fault that does not answer (it delays, or damages what is answered) lets the next one meet the
    same call.

    Args:
        faults: The faults.
        now: Session time, for rates.
        seed: Where latencies come from.
    """

    __slots__ = ("_by_method", "_ids", "_now", "_scripts")

    def __init__(
        self, faults: Iterable[Fault] = (), *, now: Callable[[], datetime] | None = None,
        seed: int = 0,
    ) -> None:  # fmt: skip
        self._scripts = [FaultScript(fault) for fault in faults]
        self._by_method: dict[str, tuple[FaultScript, ...]] = {}
        self._now = now or (lambda: _START)
        self._ids = Ids(seed)

    def __len__(self) -> int:
        return len(self._scripts)

    @property
    def delays_changes(self) -> bool:
        """Whether some changes are to be seen later than they are made."""
        return any(script.lag is not None for script in self._scripts)

    def next_effect(self, method_id: str, traits: CallTraits = _PLAIN) -> FaultEffect:
        """What this call meets; whatever meets it is counted."""
        meeting = FaultEffect()
        now = self._now()
        for script in self._matching_scripts(method_id, traits.group):
            if not script.wants(traits, now, self._ids):
                continue
            if script.lag is not None:
                meeting.late += (script.lag,)  # it is met when there is something not to be seen
                continue
            if script.fault.kind == "malformed_tool_call":
                meeting.malformed = meeting.malformed or script  # met when there is a call to break
                continue
            script.met += 1
            if self._is_end(script.fault, meeting):
                break
        return meeting

    def _is_end(self, fault: Fault, meeting: FaultEffect) -> bool:
        """Note what a fault does; whether no other can do more."""
        latency_ms = fault.latency_ms
        if fault.latency is not None:
            latency_ms += draw_latency_ms(fault.latency, self._ids)
        if fault.kind in _PACED:
            meeting.damage = meeting.damage or _damage(fault, latency_ms)
            return False
        meeting.delay_ms += latency_ms
        if fault.kind in WIRE:
            meeting.damage = meeting.damage or _damage(fault, 0)
            return meeting.damage.at_once
        if fault.kind == "stale_page_token":
            meeting.stale = fault
        elif fault.kind == "expire_token":
            meeting.expires = fault
        elif fault.answers:
            meeting.answer = fault
        return meeting.answer is not None

    def _matching_scripts(self, method_id: str, group: str) -> tuple[FaultScript, ...]:
        found = self._by_method.get(method_id)
        if found is None:
            found = self._by_method[method_id] = tuple(
                script for script in self._scripts if script.applies_to(method_id, group)
            )
        return found

    def add(self, fault: Fault) -> None:
        """Add a fault, after those that are there."""
        self._scripts.append(FaultScript(fault))
        self._by_method.clear()

    def clear(self) -> None:
        """Forget every fault and its count."""
        self._scripts.clear()
        self._by_method.clear()

    def report(self) -> tuple[FaultReport, ...]:
        """Every fault with how often it was met; zero means it never was."""
        return tuple(
            FaultReport(fault=one.fault, met=one.met, asked=one.asked) for one in self._scripts
        )


def _damage(fault: Fault, pause_ms: float) -> Damage:
    origin = fault.origin or fault.method
    return Damage(
        fault.kind, origin, pause_ms, fault.after_bytes, fault.chunk_bytes, fault.after_events
    )


def _range(text: int | str) -> tuple[int, float]:
    """Bounds of call numbers, both included.

    >>> _range(2), _range("4-6"), _range("9-")
    ((2, 2), (4, 6), (9, inf))
    """
    low, dash, high = str(text).partition("-")
    if not dash:
        return int(low), int(low)
    return int(low), int(high) if high else float("inf")

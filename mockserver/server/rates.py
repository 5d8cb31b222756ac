"""Token buckets: how many calls are let through in session time."""

from datetime import datetime

from mockserver.model import Rate

_MINUTE_S = 60


class Bucket:
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

    def lets_through(self, user: str, now: datetime) -> bool:
        """Whether a call may pass now; if so, it is counted."""
        owner = user if self._rate.per == "user" else ""
        left, since = self._filled.get(owner, (self._size, now))
        new = (now - since).total_seconds() * self._rate.per_minute / _MINUTE_S
        left = min(self._size, left + max(0.0, new))
        passes = left >= 1
        self._filled[owner] = (left - passes, now)
        return passes

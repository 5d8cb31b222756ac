"""Which of several processes a session belongs to: the one that others lead its requests to."""

from functools import lru_cache, partial
from hashlib import blake2s


@lru_cache(maxsize=65_536)
def slot_of(session_id: str, slots: int) -> int:
    """The slot of a session, by rendezvous hashing: one slot more moves few sessions.

    >>> {slot_of(f"s{number}", 3) for number in range(20)} == {0, 1, 2}
    True
    """
    return max(range(slots), key=partial(_weight, session_id))


def _weight(session_id: str, slot: int) -> bytes:
    return blake2s(f"{slot}/{session_id}".encode(), digest_size=8).digest()

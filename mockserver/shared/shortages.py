"""When the processes of a server last had no descriptors left, in memory that they share.

A connection is refused by whichever process took it, and the session that it was for may be
another one's.
"""

import mmap
import struct
from datetime import datetime

_TIME = struct.Struct("d")


class Shortages:
    """The moment of the latest shortage, known to this process and all that it forks."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _TIME.size)

    def note(self, at: datetime) -> None:
        """Nothing could be opened at a moment."""
        self._memory[:] = _TIME.pack(at.timestamp())

    def came_since(self, moment: datetime) -> bool:
        """Whether there was one at a moment or later."""
        latest: float = _TIME.unpack(self._memory)[0]
        return latest >= moment.timestamp() > 0

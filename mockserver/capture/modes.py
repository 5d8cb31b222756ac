"""Record modes: what is played from a cassette that is there, and what is recorded into it."""

from enum import StrEnum


class RecordMode(StrEnum):
    """Which requests are answered by the cassette, and which by the live API.

    NONE plays what is there and refuses the rest; nothing live is ever asked. ONCE records where
    there is no cassette yet, and is NONE where there is one. NEW_EPISODES plays what is there and
    records the rest behind it. ALL records everything into a cassette that takes the place of the
    old one. REFRESH records everything; what is asked again takes the place of its old recordings,
    what is not asked again stays.
    """

    NONE = "none"
    ONCE = "once"
    NEW_EPISODES = "new_episodes"
    ALL = "all"
    REFRESH = "refresh"

    def plays(self, *, there: bool) -> bool:
        """Whether requests are answered by the cassette first.

        Args:
            there: Whether there is a cassette.
        """
        return there and self in {RecordMode.NONE, RecordMode.ONCE, RecordMode.NEW_EPISODES}

    def records(self, *, there: bool) -> bool:
        """Whether live answers are recorded.

        Args:
            there: Whether there is a cassette.

        >>> RecordMode.ONCE.records(there=False), RecordMode.ONCE.records(there=True)
        (True, False)
        """
        return self is not RecordMode.NONE and not (there and self is RecordMode.ONCE)

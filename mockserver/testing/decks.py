"""Cassettes that are played inside a test: what was asked, what was missing, what is left."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from mockserver.apis import APIS
from mockserver.errors import ReplayMissError
from mockserver.model import Cassette, RecordedRequest, Repeats
from mockserver.replay import Played, Player, Tape, Unmatched, Unused
from mockserver.server.redacting import redactor_of
from mockserver.server.settings import Settings
from mockserver.storage.cassettes import read_cassette


class Deck:
    """Plays cassettes for one test, or one client.

    Args:
        cassettes: Files, or cassettes that are in memory.
        repeats: What a request gets whose recordings were all played.
        redaction: The file of redaction rules that they were captured with beside the common ones.

    Attributes:
        misses: Why requests had no recording, in order.

    Raises:
        FormatError: A file cannot be read.
    """

    def __init__(
        self,
        *cassettes: str | Path | Cassette,
        repeats: Repeats = "once",
        redaction: Path | None = None,
    ) -> None:
        self._redactor = redactor_of(Settings(redaction=redaction), APIS)
        self._tapes = tuple(
            Tape.of(each if isinstance(each, Cassette) else read_cassette(Path(each)),
                    redactor=self._redactor)
            for each in cassettes
        )  # fmt: skip
        self._player = Player(self._tapes, repeats=repeats)
        self._lock = Lock()
        self.misses: list[Unmatched] = []

    @property
    def tapes(self) -> Sequence[Tape]:
        """The cassettes, in order."""
        return self._tapes

    def find(self, request: RecordedRequest) -> Played | Unmatched:
        """The recording for a request, which is then played; or why there is none."""
        keyed = self._tapes[0].keyer.of(request)
        with self._lock:
            return self._player.play(keyed)

    def play(self, request: RecordedRequest) -> Played:
        """The recording for a request, which is then played.

        Raises:
            ReplayMissError: There is none.
        """
        found = self.find(request)
        if isinstance(found, Played):
            return found
        self.misses.append(found)
        raise ReplayMissError(found.reason, nearest=found.nearest, differs=found.differs)

    def unused(self) -> tuple[Unused, ...]:
        """The recordings that nobody asked for."""
        return self._player.unused()

    def leftovers(self) -> str:
        """What went unanswered and unused, a line each; empty where there is nothing."""
        lines = [f"no recording: {miss.reason}; nearest {miss.nearest}" for miss in self.misses]
        lines += [f"unused: {one.method} {one.url} (#{one.number} of {one.tape})"
                  for one in self.unused()]  # fmt: skip
        return "\n".join(lines)

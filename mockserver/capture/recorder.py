"""The one road to disk: redacted, gated, appended whole; then the whole file is gated and named."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Self

from mockserver import __version__
from mockserver.capture.finishing import Gated, saved
from mockserver.capture.modes import RecordMode
from mockserver.capture.recordings import RecordingFile, recording_of
from mockserver.errors import LeakError, MockServerError
from mockserver.model import Cassette, CassetteInfo, Interaction, RecordedRequest
from mockserver.redaction import Gate, Redactor
from mockserver.replay import Tape
from mockserver.storage.cassettes import header_block, interaction_block, read_cassette

Clock = Callable[[], datetime]


class Recorder:
    """Records interactions into a cassette; threads that use it wait for each other.

    Nothing that was not redacted and gated is ever written. Memory does not grow with what is
    recorded, but for the secrets that were replaced.

    Attributes:
        path: The cassette.
        mode: What is recorded.
        existing: The cassette as it was, where there was one.
        recorded: How many interactions were recorded.
        redactor: Replaces what is secret; for one thread at a time.
    """

    def __init__(
        self, path: Path, mode: RecordMode, existing: Cassette | None, redactor: Redactor
    ) -> None:
        self.path = path
        self.mode = mode
        self.existing = existing
        self.recorded = 0
        self.redactor = redactor
        self._lock = Lock()
        self._gate = Gate(redactor.rules, unknown=False)  # those are looked for at the end
        self._known = 0
        self._withheld: list[str] = []
        self._file: RecordingFile | None = None

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        redactor: Redactor,
        clock: Clock,
        mode: RecordMode = RecordMode.ONCE,
        info: CassetteInfo | None = None,
    ) -> Self:
        """Begin a capture.

        Args:
            path: The cassette, `.yaml`, `.yml` or `.json`; its folder is there.
            redactor: Replaces what is secret.
            clock: Real time.
            mode: What is recorded.
            info: What the cassette is to say of itself; the time, the tool and the key are added.

        Raises:
            MockServerError: A capture of the same cassette is running or was killed, the file
                cannot be written or read, or it was redacted with another key and is to be added
                to.
        """
        existing = read_cassette(path) if path.exists() else None
        if existing is None and mode is RecordMode.NONE:
            raise MockServerError(
                f"{path} is not there, and mode `none` records nothing",
                hint="record it first, with mode `once`",
            )
        made = cls(path, mode, existing, redactor)
        if made.records:
            made._check_key()
            made._begin(info or CassetteInfo(), clock)
        return made

    @property
    def records(self) -> bool:
        """Whether anything is recorded."""
        return self.mode.records(there=self.existing is not None)

    @property
    def recording(self) -> Path:
        """Where interactions are until the capture is finished."""
        return recording_of(self.path)

    def _check_key(self) -> None:
        kept = self.mode in {RecordMode.NEW_EPISODES, RecordMode.REFRESH}
        if self.existing is None or not kept:
            return
        its = self.existing.info.key_id
        if its and its != self.redactor.key_id:
            raise MockServerError(
                f"{self.path} was redacted with key {its}, and this is key"
                f" {self.redactor.key_id}: equal values would no longer be equal",
                hint="set MOCKSERVER_REDACTION_KEY to that key, or record it anew with --mode all",
            )

    def _begin(self, info: CassetteInfo, clock: Clock) -> None:
        stated = replace(
            info,
            recorded_at=info.recorded_at or clock().isoformat(timespec="milliseconds"),
            recorded_by=f"mockserver {__version__}",
            key_id=self.redactor.key_id,
            upstream=self.redactor.target(info.upstream) if info.upstream else "",
        )
        self._file = RecordingFile.create(self.recording)
        self._file.append(header_block(stated))

    def record(self, interaction: Interaction) -> Interaction:
        """Record one interaction.

        Returns:
            It, redacted.

        Raises:
            LeakError: A secret would be left in it; it is not written, and the capture will not be
                saved.
            CaptureError: It could not be written; what was recorded before is there.
        """
        with self._lock:
            return self._recorded(interaction)

    def request(self, request: RecordedRequest) -> RecordedRequest:
        """A request, redacted as it would be recorded."""
        with self._lock:
            return self.redactor.request(request)

    def line(self, text: str) -> str:
        """A line for the user, redacted."""
        with self._lock:
            return self.redactor.text(text)

    def tape(self) -> Tape | None:
        """What answers first: the cassette as it was, where the mode says so."""
        played = self.existing if self.mode.plays(there=self.existing is not None) else None
        return None if played is None else Tape.of(played, redactor=self.redactor)

    def _recorded(self, interaction: Interaction) -> Interaction:
        redacted = self.redactor.interaction(interaction)
        if self._file is None:
            return redacted
        block = interaction_block(redacted)
        self._learn()
        leaks = self._gate.scan(block, f"interaction {self.recorded + len(self._withheld) + 1}")
        if leaks:
            places = [str(leak) for leak in leaks]
            self._withheld += places
            raise LeakError("an interaction was not recorded, secrets are left in it", places)
        self._file.append(block)
        self.recorded += 1
        return redacted

    def _learn(self) -> None:
        seen = len(self.redactor.seen)
        if seen > self._known:
            self._gate.learn(self.redactor.seen.secrets(self._known))
            self._known = seen

    def replaced(self) -> Counter[str]:
        """How many secrets were replaced, by kind."""
        return Counter(secret.kind for secret in self.redactor.seen.secrets())

    def finish(self) -> Path:
        """Hold the whole recording against every secret that was seen, and give it its name.

        Where nothing was recorded no file is written or changed.

        Raises:
            LeakError: A secret is left; the recording stays where it is, under its own name.
            CaptureError: The cassette cannot be written.
        """
        file, self._file = self._file, None
        if file is None:
            return self.path
        try:
            if self._withheld:
                raise LeakError(
                    f"{self.path} is not saved, interactions were withheld",
                    self._withheld,
                    hint=f"add rules for them and record anew; what is clean is in {file.path}",
                )
            if not self.recorded:
                file.path.unlink()
                return self.path
            gated = Gated(self.redactor.rules, tuple(self.redactor.seen.secrets()))
            return saved(file.path, self.path, self.mode, gated)
        finally:
            file.close()

    def abandon(self) -> None:
        """Let go of the recording, and leave it for `mockserver capture finish`."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

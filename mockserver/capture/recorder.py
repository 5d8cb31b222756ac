"""The one road to disk: redacted, screened, appended whole; then the whole file once more."""

import mmap
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Self

from mockserver import __version__
from mockserver.capture.bodies import move_bodies_to_files, publish_bodies
from mockserver.capture.recordings import (
    RecordingFile,
    RecordMode,
    recording_path,
    review_path,
    save_cassette,
)
from mockserver.capture.redaction_process import (
    KeptBody,
    RedactedInteraction,
    RedactionProcess,
    RefusedBody,
)
from mockserver.cassettes.files import header_block, interaction_block, read_cassette
from mockserver.cassettes.files.body_files import bodies_folder
from mockserver.cassettes.files.reader import cassette_from
from mockserver.cassettes.replay import IndexedCassette
from mockserver.errors import CaptureError, LeakError, MockServerError
from mockserver.model import Cassette, CassetteInfo, Header, Interaction, RecordedRequest
from mockserver.redaction import (
    InteractionSanitizer,
    Question,
    Redactor,
    Secret,
    find_leaks,
    questions_of,
)

_WORD = re.compile(rb"\\+(?:u[0-9A-Fa-f]{4}|.)|%[0-9A-Fa-f]{2}|([0-9A-Za-z]{3,})", re.DOTALL)
"""A word, past what codings write before it: `\\n`, `\\u00fc`, `%2F`."""
_BITS = 1 << 25
_FREE = 64 * 1024 * 1024
_AGAIN = 8
"""A recording of some size is written anew that many times, and 64 MiB besides: what is learned
while nothing of that is left waits until the recording has grown."""


class WordFilter:
    """The words of a text of any length, in bounded memory; some that are not there are."""

    def __init__(self) -> None:
        self._bits = bytearray(_BITS // 8)

    def add(self, content: bytes) -> None:
        """Remember every word of a content."""
        bits = self._bits
        for word in words_of(content):
            for place in _bit_positions(word):
                bits[place >> 3] |= 1 << (place & 7)

    def may_have(self, words: Iterable[bytes]) -> bool:
        """Whether all words may have been there; never False where they were."""
        bits = self._bits
        return all(bits[at >> 3] >> (at & 7) & 1 for word in words for at in _bit_positions(word))


def words_of(content: bytes) -> set[bytes]:
    """The runs of three or more letters and digits in a content.

    >>> sorted(words_of(b"/users/usr_8Ye%2Fab?x"))
    [b'8Ye', b'users', b'usr']
    """
    found = set(_WORD.findall(content))
    found.discard(b"")
    return found


def _bit_positions(word: bytes) -> tuple[int, int]:
    number = hash(word)
    return number % _BITS, (number >> 32) % _BITS


class LateSecrets:
    """Replaces in a recording what was learned after it was written.

    Args:
        file: The recording, with its head.
        redactor: Knows what was learned.
        sanitizer: Replaces it in an interaction.
    """

    def __init__(
        self, file: RecordingFile, redactor: Redactor, sanitizer: InteractionSanitizer
    ) -> None:
        self._file = file
        self._redactor = redactor
        self._sanitizer = sanitizer
        self._words = WordFilter()
        self._starts = [file.size]
        self._known = len(redactor.seen)
        self._waiting: list[bytes] = []
        self._written = 0

    def append(self, block: bytes) -> None:
        """Write an interaction behind the others, once these are without what it taught.

        Raises:
            CaptureError: It could not be written; what was recorded before is there.
        """
        self._replace_learned()
        self._file.append(block)
        self._starts.append(self._file.size)
        self._words.add(block)

    def _replace_learned(self) -> None:
        seen = self._redactor.seen
        if len(seen) > self._known:
            self._waiting += filter(None, map(self._search_word, seen.secrets(self._known)))
            self._known = len(seen)
        left = _FREE + _AGAIN * self._file.size - self._written
        if not self._waiting or self._file.size > left:
            return
        sought, self._waiting = self._waiting, []
        made = dict(self._rewritten_blocks(self._blocks_containing(sought)))
        if made:
            self._write_blocks(made)

    def _search_word(self, secret: Secret) -> bytes:
        """The longest word of a secret that may stand in the recording; empty where none does."""
        words = words_of(secret.value.encode("utf-8", "surrogateescape"))
        if not words or not self._words.may_have(words):
            return b""
        return max(words, key=lambda word: (len(word), word))

    def _blocks_containing(self, words: Iterable[bytes]) -> set[int]:
        """Which interactions have one of these words in them, by number."""
        found: set[int] = set()
        if len(self._starts) == 1:
            return found
        with (
            self._file.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            for word in words:
                at = content.find(word, self._starts[0])
                while at >= 0:
                    number = bisect_right(self._starts, at) - 1
                    found.add(number)
                    at = content.find(word, self._starts[number + 1])
        return found

    def _rewritten_blocks(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        path = self._file.path
        with path.open("rb") as file:
            head = file.read(self._starts[0])
            for number in sorted(numbers):
                start, end = self._starts[number : number + 2]
                file.seek(start)
                block = file.read(end - start)
                with suppress(MockServerError):  # the whole file is looked through at the end
                    (interaction,) = cassette_from(head + block, path).interactions
                    again = self._sanitizer.sanitize_again(interaction)
                    if again != interaction:
                        yield number, interaction_block(again)

    def _write_blocks(self, blocks: dict[int, bytes]) -> None:
        """Write the recording with other blocks in the place of some."""
        starts = [self._starts[0]]
        for number in range(len(self._starts) - 1):
            size = self._starts[number + 1] - self._starts[number]
            starts.append(starts[-1] + len(blocks.get(number, b"")) if number in blocks
                          else starts[-1] + size)  # fmt: skip
        try:
            self._file.write_anew(self._pieces(blocks))
        except OSError as error:
            raise CaptureError(
                f"cannot write {self._file.path}: {error.strerror or error}",
                hint="what was recorded before is there; make room, then"
                " `understudy capture finish`",
            ) from error
        self._starts = starts
        self._written += self._file.size
        for block in blocks.values():
            self._words.add(block)

    def _pieces(self, blocks: dict[int, bytes]) -> Iterator[bytes]:
        with self._file.path.open("rb") as file:
            last = 0
            for number in sorted(blocks):
                yield from _copy_range(file.fileno(), last, self._starts[number])
                yield blocks[number]
                last = self._starts[number + 1]
            yield from _copy_range(file.fileno(), last, self._starts[-1])


def _copy_range(descriptor: int, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        piece = os.pread(descriptor, min(end - start, 1 << 20), start)
        if not piece:
            return
        yield piece
        start += len(piece)


Clock = Callable[[], datetime]


class Recorder:
    """Records interactions into a cassette; threads that use it wait for each other.

    Nothing that was not redacted and screened is ever written. Memory does not grow with what is
    recorded, but for the secrets that were replaced. What is in question about an interaction is
    written with it, a pseudonym in the place of each value; it costs no other one.

    Attributes:
        path: The cassette.
        mode: What is recorded.
        existing: The cassette as it was, where there was one.
        recorded: How many interactions were recorded, those in question included.
        questioned: How many of them are in question.
        asked: What is in question: method and URL of each request, redacted, and the question.
        redactor: Replaces what is secret; for one thread at a time.
        dropped: Recorded requests that were left out at the end, and why.
    """

    def __init__(
        self, path: Path, mode: RecordMode, existing: Cassette | None, redactor: Redactor
    ) -> None:
        self.path = path
        self.mode = mode
        self.existing = existing
        self.recorded = 0
        self.questioned = 0
        self.redactor = redactor
        self._lock = Lock()
        self.questions: list[tuple[str, Question]] = []
        self._sanitizer = InteractionSanitizer(redactor)
        self._process = RedactionProcess(redactor)
        self._passed_on = 0
        self.dropped: tuple[str, ...] = ()
        self._file: RecordingFile | None = None
        self._late: LateSecrets | None = None

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
            made._create_recording(info or CassetteInfo(), clock)
        return made

    @property
    def records(self) -> bool:
        """Whether anything is recorded."""
        return self.mode.records(there=self.existing is not None)

    @property
    def recording(self) -> Path:
        """Where interactions are until the capture is finished."""
        return recording_path(self.path)

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

    def _create_recording(self, info: CassetteInfo, clock: Clock) -> None:
        stated = replace(
            info,
            recorded_at=info.recorded_at or clock().isoformat(timespec="milliseconds"),
            recorded_by=f"mockserver {__version__}",
            key_id=self.redactor.key_id,
            upstream=self.redactor.redact_target(info.upstream) if info.upstream else "",
        )
        head = header_block(stated)
        leaks = [leak for leak in find_leaks(head, rules=self.redactor.rules) if leak.is_certain]
        if leaks:
            raise LeakError(
                "what the cassette is to say of itself holds secrets",
                [str(leak) for leak in leaks],
                hint="take them out of the plan",
            )
        self._file = RecordingFile.create(self.recording)
        self._file.append(head)
        self._late = LateSecrets(self._file, self.redactor, self._sanitizer)

    def record(self, interaction: Interaction) -> Interaction:
        """Record one interaction.

        Returns:
            It, redacted; its `review` lists what is in question about it.

        Raises:
            CaptureError: It could not be written; what was recorded before is there.
        """
        with self._lock:
            redacted = self._sanitizer.sanitize(interaction)
            block = b"" if self._file is None else interaction_block(redacted)
            return self._append(redacted, block)

    def record_beside(self, interaction: Interaction) -> Interaction | RefusedBody:
        """Record a large interaction: others may be recorded meanwhile.

        For one thread; returns and raises the same as `record`, or why it is not recorded.

        Raises:
            CaptureError: It could not be written; what was recorded before is there.
        """
        self._send_secrets()
        found: RedactedInteraction | RefusedBody = self._process.ask("interaction", interaction)
        if isinstance(found, RefusedBody):
            return found
        redacted = found.interaction
        if self._file is not None:
            redacted = move_bodies_to_files(redacted, bodies_folder(self.path))
        block = b"" if self._file is None else interaction_block(redacted)
        with self._lock:
            self._learn_secrets(found.secrets)
            return self._append(redacted, block)

    def begin_body(
        self, number: int, headers: tuple[Header, ...], part: str, largest: int
    ) -> RefusedBody | None:
        """Begin a body that is redacted as it comes, into a file of its own.

        Like all that has to do with such bodies for the thread of `record_beside`.

        Args:
            number: Which one; not that of another one under way.
            headers: Those beside it, as they came.
            part: `request body` or `response body`.
            largest: Bytes without content coding; a larger one is refused.
        """
        folder = bodies_folder(self.path)
        refused: RefusedBody | None = self._process.ask(
            "begin", number, headers, part, folder, largest
        )
        return refused

    def feed_body(self, number: int, content: bytes) -> RefusedBody | None:
        """What comes next of a body, as it is on the wire; None while it can be kept."""
        self._send_secrets()
        refused: RefusedBody | None = self._process.ask("feed", number, content)
        return refused

    def end_body(self, number: int) -> KeptBody | RefusedBody:
        """The file of a body that has come to its end."""
        self._send_secrets()
        found: KeptBody | RefusedBody = self._process.ask("end", number)
        if isinstance(found, KeptBody):
            with self._lock:
                self._learn_secrets(found.secrets)
        return found

    def drop_body(self, number: int) -> None:
        """Leave nothing of a body that was begun."""
        self._process.ask("drop", number)

    def _send_secrets(self) -> None:
        """Tell the process what was replaced here."""
        with self._lock:
            seen = tuple(self.redactor.seen.secrets(self._passed_on))
            self._passed_on = len(self.redactor.seen)
        if seen:
            self._process.ask("learn", seen)

    def _learn_secrets(self, secrets: Iterable[Secret]) -> None:
        """Remember what was replaced in the process; the lock is held."""
        for secret in secrets:
            self.redactor.stand_in(secret.kind, secret.value)

    def close(self) -> None:
        """End the process, once nothing more is recorded."""
        self._process.stop()

    def redact_request(self, request: RecordedRequest) -> RecordedRequest:
        """A request, redacted as it would be recorded."""
        with self._lock:
            return self.redactor.redact_request(request)

    def redact_url(self, url: str) -> str:
        """A URL, redacted."""
        with self._lock:
            return self.redactor.redact_target(url)

    def redact_line(self, text: str) -> str:
        """A line for the user, redacted."""
        with self._lock:
            return self.redactor.redact_text(text)

    def indexed_cassette(self) -> IndexedCassette | None:
        """What answers first: the cassette as it was, where the mode says so."""
        played = self.existing if self.mode.plays(there=self.existing is not None) else None
        return None if played is None else IndexedCassette.of(played, redactor=self.redactor)

    def _append(self, redacted: Interaction, block: bytes) -> Interaction:
        """Append what was redacted; the lock is held."""
        if self._late is None:
            return redacted
        self._late.append(block)
        self.recorded += 1
        self.questioned += bool(redacted.review)
        line = f"{redacted.request.method} {redacted.request.url}"
        self.questions += [(line, question) for question in questions_of(redacted)]
        return redacted

    def count_replaced(self) -> Counter[str]:
        """How many secrets were replaced, by kind."""
        return Counter(secret.kind for secret in self.redactor.seen.secrets())

    @property
    def review(self) -> Path:
        """Where interactions in question are kept once the capture is finished."""
        return review_path(self.path)

    def finish(self) -> Path:
        """Hold the whole recording against every secret that was seen, and give it its name.

        Where nothing was recorded no file is written or changed. Interactions in question are kept
        in the review file.

        Raises:
            LeakError: A secret is left in the recording's head; it stays, under its own name.
            CaptureError: The cassette cannot be written.
        """
        self.close()
        file, self._file, self._late = self._file, None, None
        if file is None:
            return self.path
        try:
            if not self.recorded:
                file.path.unlink()
                publish_bodies(self.path)
                return self.path
            self.dropped = save_cassette(file.path, self.path, self.mode, self._sanitizer).dropped
            return self.path
        finally:
            file.close()

    def discard(self) -> None:
        """Leave nothing of the recording, and the cassette as it was."""
        file = self._file
        self.abandon()
        if file is not None:
            file.path.unlink()
            publish_bodies(self.path)

    def abandon(self) -> None:
        """Let go of the recording, and leave it for `understudy capture finish`."""
        self.close()
        file, self._file, self._late = self._file, None, None
        if file is not None:
            file.close()

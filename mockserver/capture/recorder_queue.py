"""Records what the proxy saw, beside its event loop, and reports what was not recorded."""

import asyncio
import contextlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, Self

from mockserver.capture.bodies import messages_of, with_body_file
from mockserver.capture.recorder import Recorder
from mockserver.capture.recordings import RecordMode
from mockserver.capture.redaction_process import UNREADABLE, KeptBody, RefusedBody, too_large
from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.files.body_files import LARGEST_FILE as LARGEST
from mockserver.cassettes.files.comparison import compare_cassettes
from mockserver.cassettes.matching import canonical_key, is_model_path
from mockserver.cassettes.replay import IndexedCassette, PlayedMatch, Player
from mockserver.errors import CaptureError, MockServerError
from mockserver.messages import decode_body, header, is_event_stream, is_json_lines, media_type
from mockserver.messages.content_coding import codings_of
from mockserver.model import (
    LARGEST_BYTES,
    Chunk,
    Header,
    Interaction,
    Json,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.redaction.large_bodies import FRAGMENT, WHOLE
from mockserver.redaction.sanitizer import is_opaque

if TYPE_CHECKING:
    from mockserver.models.reply_defects import ReplyDefect

Report = Callable[[str], None]


class LogLine(str):
    """A line of a capture's log, which also has its facts.

    Attributes:
        facts: The same by name, for programs.
    """

    facts: Mapping[str, Json]

    def __new__(cls, text: str, facts: Mapping[str, Json]) -> Self:
        """A line with its facts."""
        made = super().__new__(cls, text)
        made.facts = facts
        return made


"""Takes one line for the user; nothing in it is secret."""

_LARGE = 256 * 1024
"""Bytes of bodies; a larger interaction lets others pass while it is redacted."""
_MOST = 100
"""Requests that are named one by one."""


_TOGETHER_MS = 5.0
"""Pieces of what is no stream by its type, and that come this close, came at once."""

_GZIP_OR_ZLIB = 47
_STREAMS = frozenset({"multipart/x-mixed-replace", "application/grpc-web", "application/grpc"})


def is_stream(headers: Iterable[Header]) -> bool:
    """Whether a response is sent piece by piece on purpose, by its media type."""
    media = media_type(headers)
    return is_event_stream(media) or is_json_lines(media) or media in _STREAMS


class Pieces:
    """Gathers a body as it comes.

    Attributes:
        size: How many bytes have come.
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._at_ms: list[float] = []
        self.size = 0

    def add(self, piece: bytes, at_ms: float) -> None:
        """One piece, so many milliseconds after the head."""
        self.size += len(piece)
        self._pieces.append(piece)
        self._at_ms.append(at_ms)

    def body(self) -> bytes:
        """All of it, as it came."""
        return b"".join(self._pieces)

    def chunks(self, headers: tuple[Header, ...]) -> tuple[Chunk, ...]:
        """The pieces, sized as they are without content coding.

        Returns:
            Empty where the body came at once, where its length was told before it, or where a
            coding hides what belongs to which piece.
        """
        streamed = is_stream(headers)
        if len(self._pieces) < 2 or (header(headers, "content-length") and not streamed):
            return ()
        size = len(decode_body(headers, self.body())[1])
        sizes = self._sizes(plain=self.size == size and not _is_coded(headers))
        if sum(sizes) != size:
            return ()
        found = _merge_chunks(
            zip(self._at_ms, sizes, strict=True), 0.0 if streamed else _TOGETHER_MS
        )
        return found if len(found) > 1 else ()

    def _sizes(self, *, plain: bool) -> list[int]:
        if plain:
            return [len(piece) for piece in self._pieces]
        opener = zlib.decompressobj(_GZIP_OR_ZLIB)
        try:
            return [len(opener.decompress(piece)) for piece in self._pieces]
        except zlib.error:
            return []


def _is_coded(headers: tuple[Header, ...]) -> bool:
    return header(headers, "content-encoding").lower() not in {"", "identity"}


def _merge_chunks(pieces: Iterable[tuple[float, int]], together_ms: float) -> tuple[Chunk, ...]:
    found: list[Chunk] = []
    last_ms = 0.0
    for at_ms, size in pieces:
        if found and at_ms - last_ms < together_ms:
            found[-1] = found[-1]._replace(size=found[-1].size + size)
        elif size or not found:
            found.append(Chunk(round(at_ms, 3), size))
        last_ms = at_ms
    return tuple(found)


class Unrecorded(NamedTuple):
    """A request that the cassette does not have.

    Attributes:
        request: Method and URL, redacted.
        reason: Why it does not.
    """

    request: str
    reason: str


class PreviousCassette:
    """The cassette of a capture as it was before.

    Args:
        tape: What is played.
    """

    def __init__(self, tape: IndexedCassette) -> None:
        self._player = Player([tape], repeats="once", barriers="strict")

    def find(self, request: RecordedRequest) -> Interaction | str:
        """The recording that answers a redacted request, or why there is none."""
        found = self._player.play(request)
        if isinstance(found, PlayedMatch):
            return found.interaction
        near = f"; nearest: {found.nearest}" if found.nearest else ""
        differs = f", differs in {', '.join(found.differs)}" if found.differs else ""
        return f"{found.reason}{near}{differs}"


class RecorderQueue:
    """The recorder of a proxy; one interaction at a time, in the order they ended.

    Attributes:
        failed: Why the capture cannot go on, once it cannot.
        played: How many requests the cassette answered.
        telemetry: How often SDKs told their makers how they are used, by host; never recorded.
        refused: Requests that were neither played nor asked.
        unrecorded: Requests that were asked, and not recorded.
        partly: Requests that were recorded without a part, and which.
        defective: Calls of models that were recorded with an answer that clients cannot use.
        defects: What was wrong with answers of models, recorded or not.

    Args:
        recorder: Where interactions go.
        report: Told of each interaction, and of what is wrong; in the recorder's thread.
        stop: Called when the capture cannot go on.
    """

    def __init__(self, recorder: Recorder, report: Report, stop: Callable[[], None]) -> None:
        self.failed: MockServerError | None = None
        self.played = 0
        self.telemetry: Counter[str] = Counter()
        self.refused: list[Unrecorded] = []
        self.unrecorded: list[Unrecorded] = []
        self.partly: list[Unrecorded] = []
        self.defective: list[Unrecorded] = []
        self.defects: list[ReplyDefect] = []
        self._recorder = recorder
        self._report = report
        self._stop = stop
        tape = recorder.indexed_cassette()
        self._plays = None if tape is None else PreviousCassette(tape)
        self._bodies = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recorder")
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="recorder of large ones")

    @property
    def records(self) -> bool:
        """Whether live answers are recorded."""
        return self._recorder.records

    @property
    def plays(self) -> bool:
        """Whether the cassette as it was answers first."""
        return self._plays is not None

    async def find(self, request: RecordedRequest) -> Interaction | str:
        """The recording that answers a request, or why there is none."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._find, decode_request(request))

    def _find(self, request: RecordedRequest) -> Interaction | str:
        if self._plays is None:
            return "there is no cassette"
        return self._plays.find(self._recorder.redact_request(request))

    async def record(self, interaction: Interaction) -> None:
        """Record one interaction, its bodies as they came; what goes wrong is reported."""
        loop = asyncio.get_running_loop()
        large = _size(interaction) >= _LARGE
        if not large:
            large = not await loop.run_in_executor(self._thread, self._record_small, interaction)
        if large:
            await loop.run_in_executor(self._beside, self._record_large, interaction)
        if self.failed is not None:
            self._stop()

    def new_body(self) -> int:
        """A number for a body that is redacted as it comes."""
        self._bodies += 1
        return self._bodies

    def begin_body(
        self, number: int, headers: tuple[Header, ...], part: str, largest: int
    ) -> "asyncio.Future[RefusedBody | None]":
        """Begin a body that is redacted as it comes, see `Recorder.begin_body`."""
        loop = asyncio.get_running_loop()
        begin = self._recorder.begin_body
        return loop.run_in_executor(self._beside, begin, number, headers, part, largest)

    def feed_body(self, number: int, content: bytes) -> "asyncio.Future[RefusedBody | None]":
        """What comes next of a body; done once it is redacted, with why it is not."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._beside, self._recorder.feed_body, number, content)

    async def end_body(self, number: int) -> KeptBody | RefusedBody:
        """The file of a body that has come to its end, or why there is none."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._beside, self._recorder.end_body, number)

    def drop_body(self, number: int) -> None:
        """Leave nothing of a body."""
        self._beside.submit(self._recorder.drop_body, number)

    def tell(self, line: str) -> None:
        """Report a line, redacted, once the interactions before it are recorded."""
        with contextlib.suppress(RuntimeError):  # closed: nobody reads lines any more
            self._thread.submit(lambda: self._report(self._recorder.redact_line(line)))

    async def report_unrecorded(self, method: str, url: str, reason: str) -> None:
        """Report that a request is not recorded, and why."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(
            self._thread, self._add_note, self.unrecorded, method, url, reason
        )

    async def report_refused(self, method: str, url: str, reason: str) -> None:
        """Report that a request was neither played nor asked."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._add_note, self.refused, method, url, reason)

    async def report_partial(self, method: str, url: str, reason: str) -> None:
        """Report that a request is recorded without a part of it."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._add_note, self.partly, method, url, reason)

    def close(self) -> None:
        """Wait for what is being recorded."""
        self._beside.shutdown()
        self._recorder.close()
        self._thread.shutdown()

    def _add_note(self, notes: list[Unrecorded], method: str, url: str, reason: str) -> None:
        note = Unrecorded(f"{method} {self._recorder.redact_url(url)}", reason)
        notes.append(note)
        kept = notes is self.partly or notes is self.defective
        told = reason if kept else f"not recorded: {reason}"
        self._report(f"{note.request}: {told}")

    def _record_large(self, interaction: Interaction) -> None:
        filed = self._with_body_files(interaction)
        if isinstance(filed, RefusedBody):
            asked = interaction.request.method, interaction.request.url
            self._add_note(self.unrecorded, *asked, filed.reason)
            return
        self._write(filed, decode_interaction(filed), self._recorder.record_beside)

    def _with_body_files(self, interaction: Interaction) -> Interaction | RefusedBody:
        """An interaction whose bodies that are too large to be redacted whole are in files."""
        for part, message in messages_of(interaction):
            headers, body, coding = _decode(message.headers, message.body)
            if len(body) <= WHOLE and not _is_still_coded(headers, body, coding):
                continue  # what is closed is too large, or damaged: that is told on the way
            number = self.new_body()
            refused = self._recorder.begin_body(number, message.headers, part, LARGEST)
            for start in range(0, len(message.body), FRAGMENT):
                piece = message.body[start : start + FRAGMENT]
                refused = refused or self._recorder.feed_body(number, piece)
            kept = refused or self._recorder.end_body(number)
            if isinstance(kept, RefusedBody):
                self._recorder.drop_body(number)
                return kept
            interaction = with_body_file(interaction, message, kept)
        return interaction

    def _record_small(self, interaction: Interaction) -> bool:
        """Record an interaction, unless it is large without its content coding."""
        both = decode_interaction(interaction)
        if both is None or _size(both) >= _LARGE:
            return False
        self._write(interaction, both, self._recorder.record)
        return True

    def _write(
        self,
        interaction: Interaction,
        both: Interaction | None,
        record: Callable[[Interaction], Interaction | RefusedBody],
    ) -> None:
        asked = interaction.request.method, interaction.request.url
        if self.failed is not None:
            self._add_note(self.unrecorded, *asked, "the capture has ended")
            return
        if both is None:
            self._add_note(self.unrecorded, *asked, UNREADABLE)
            return
        defect = _defect_of(both)
        if defect is not None:
            self.defects.append(defect)
            if defect.kind == "key":
                self._add_note(self.unrecorded, *asked, defect.reason)
                return
        try:
            made = record(both)
            if isinstance(made, RefusedBody):
                self._add_note(self.unrecorded, *asked, made.reason)
            else:
                self._report(_interaction_line(made))
                if defect is not None:
                    self._add_note(self.defective, *asked, defect.reason)
        except CaptureError as error:
            self.failed = error
        except Exception as error:  # noqa: BLE001  (its text may hold what was to be redacted)
            self.failed = CaptureError(
                f"an interaction could not be redacted ({type(error).__name__})",
                hint="what was recorded before is there; this is a defect of mockserver",
            )
        if self.failed is not None:
            self._report(f"not recorded: {self.failed}")


def _defect_of(interaction: Interaction) -> "ReplyDefect | None":
    if not is_model_path(interaction.request):
        return None
    from mockserver.models.reply_defects import find_defect  # loads every provider

    return find_defect(interaction.request, interaction.response)


def _size(interaction: Interaction) -> int:
    return len(interaction.request.body) + len(interaction.response.body)


def decode_request(request: RecordedRequest) -> RecordedRequest:
    """A request without content coding, where it can be opened."""
    if request.file is not None:
        return request
    return RecordedRequest(request.method, request.url, *_decode(request.headers, request.body))


def _decode(headers: tuple[Header, ...], body: bytes) -> tuple[tuple[Header, ...], bytes, str]:
    return decode_body(headers, body, largest=max(WHOLE, len(body)))


def decode_interaction(interaction: Interaction) -> Interaction | None:
    """With its bodies without content coding, or None where one cannot be opened."""
    request, answered = decode_request(interaction.request), interaction.response
    response = _decode(answered.headers, answered.body)
    if answered.file is not None:
        response = answered.headers, b"", answered.coding
    if _is_still_coded(request.headers, request.body, request.coding) or _is_still_coded(*response):
        return None
    return Interaction(
        request,
        RecordedResponse(
            answered.status,
            answered.reason,
            *response,
            answered.chunks,
            answered.ended,
            answered.file,
        ),
        interaction.recorded_at,
        interaction.duration_ms,
        interaction.method_id,
        interaction.review,
    )


def _is_still_coded(headers: tuple[Header, ...], body: bytes, coding: str) -> bool:
    named = header(headers, "content-encoding").strip().lower()
    return bool(body) and not coding and named not in {"", "identity"}


def _interaction_line(recorded: Interaction) -> LogLine:
    request, response = recorded.request, recorded.response
    how = "" if response.ended == "complete" else f", {response.ended}"
    pieces = f" in {len(response.chunks)} pieces" if response.chunks else ""
    size = response.file.size if response.file else len(response.body)
    asked = ", in question" if recorded.review else ""
    return LogLine(
        f"{request.method} {request.url} {response.status}"
        f" {size} bytes{pieces}{how} ({recorded.duration_ms:.0f} ms){asked}",
        {
            "http_method": request.method,
            "url": request.url,
            "status": response.status,
            "bytes": size,
            "ended": response.ended,
            "duration_ms": round(recorded.duration_ms, 3),
            "in_question": bool(recorded.review),
        },
    )


LARGEST_BODY = 1024 * 1024 * 1024
"""Bytes of a body; a larger one is passed on, and not recorded."""


class IncomingBody:
    """A body as it comes.

    Args:
        queue: Has it redacted.
        headers: Those beside it, as they came.
        part: `request body` or `response body`.
        largest: Bytes; a larger body is not kept.

    Attributes:
        kept: What became of it, where it has a file of its own.
    """

    def __init__(
        self, queue: RecorderQueue, headers: tuple[Header, ...], part: str, largest: int
    ) -> None:
        self.kept: KeptBody | None = None
        self._queue = queue
        self._headers = headers
        self._part = part
        self._largest = largest
        self._pieces = Pieces()
        self._size = 0
        self._number: int | None = None
        self._waiting = bytearray()
        self._turn: asyncio.Future[RefusedBody | None] | None = None
        self._refused: RefusedBody | None = None

    async def add(self, piece: bytes, at_ms: float) -> None:
        """One piece, so many milliseconds after the head."""
        self._size += len(piece)
        if self._refused is not None:
            return
        if self._size > self._largest:
            self._refuse(RefusedBody(too_large(self._largest)))
        elif self._number is None:
            self._pieces.add(piece, at_ms)
            if self._is_large():
                self._number = self._queue.new_body()
                self._waiting += self._pieces.body()
                self._pieces = Pieces()
                self._begin()
        else:
            self._waiting += piece
        if self._number is not None and len(self._waiting) >= FRAGMENT:
            await self._feed()

    def _is_large(self) -> bool:
        if self._size <= LARGEST_BYTES:
            return False
        coded = bool(codings_of(self._headers))
        return coded or self._size > WHOLE or is_opaque(self._headers, self._pieces.body())

    def _refuse(self, refused: RefusedBody) -> None:
        self._refused = refused
        self._pieces = Pieces()
        self._waiting.clear()
        if self._number is not None:
            self._queue.drop_body(self._number)

    def _begin(self) -> None:
        begin = self._queue.begin_body
        self._turn = begin(self._number or 0, self._headers, self._part, self._largest)

    async def _feed(self) -> None:
        """Hand on what waits once what was handed on before is done: who sends has to wait."""
        if self._turn is not None:
            await asyncio.wait({self._turn})
            refused = self._turn.result()
            if refused is not None:
                self._refuse(refused)
                return
        content = bytes(self._waiting)
        self._waiting.clear()
        self._turn = self._queue.feed_body(self._number or 0, content)

    def drop(self) -> None:
        """Keep nothing of it: nobody answered."""
        if self._refused is None:
            self._refuse(RefusedBody("nobody answered"))

    async def end(self) -> str:
        """Wait until it is kept.

        Returns:
            Why it is not, or an empty string.
        """
        if self._number is not None and self._refused is None:
            await self._feed()
        if self._number is not None and self._refused is None:
            found = await self._queue.end_body(self._number)
            if isinstance(found, RefusedBody):
                self._refused = found
            else:
                self.kept = found
        return "" if self._refused is None else self._refused.reason

    def body(self) -> bytes:
        """All of it as it came, when it is in memory."""
        return self._pieces.body()

    def chunks(self) -> tuple[Chunk, ...]:
        """The pieces that it came in, when it is in memory."""
        return self._pieces.chunks(self._headers)


def summary_lines(recorder: Recorder, queue: RecorderQueue) -> Iterator[str]:
    """Lines about a capture that was finished.

    Yields:
        How much was recorded and replaced, and what was not recorded.
    """
    if recorder.records:
        sound = recorder.recorded - recorder.questioned - len(recorder.dropped)
        place = f" into {recorder.path}" if sound else f"; {recorder.path} is not written"
        yield f"{counted(sound, 'interaction')} recorded{place}"
        replaced = recorder.count_replaced()
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(replaced.items()))
        yield f"{counted(replaced.total(), 'secret')} replaced" + (f": {kinds}" if kinds else "")
        yield from _refresh_lines(recorder)
    if queue.played:
        yield f"{counted(queue.played, 'request')} answered by the cassette"
    yield from _note_lines(queue.refused, "request", "refused, not in the cassette")
    yield from _note_lines(queue.unrecorded, "request", "not recorded")
    if queue.telemetry:
        told = ", ".join(f"{host} {count}" for host, count in sorted(queue.telemetry.items()))
        yield f"telemetry of SDKs, passed on and not recorded: {told}"
    for line in recorder.dropped:
        yield f"left out at the end: {line}"
    yield from _note_lines(queue.partly, "request", "recorded in part")
    yield from _note_lines(queue.defective, "answer", "of models recorded with a defect")


def _note_lines(notes: Sequence[Unrecorded], noun: str, problem: str) -> Iterator[str]:
    if not notes:
        return
    yield f"{counted(len(notes), noun)} {problem}:"
    for note in notes[:_MOST]:
        yield f"  {note.request}: {note.reason}"
    if len(notes) > _MOST:
        yield f"  and {len(notes) - _MOST} more"


def _refresh_lines(recorder: Recorder) -> Iterator[str]:
    """Lines about what a refreshed cassette says otherwise than before.

    Yields:
        Counts, then each difference.
    """
    if recorder.existing is None or recorder.mode is not RecordMode.REFRESH:
        return
    found = compare_cassettes(recorder.existing, read_cassette(recorder.path), key=canonical_key)
    yield (
        f"refreshed: {found.same} as before, {len(found.changed)} changed,"
        f" {len(found.added)} added, {len(found.removed)} gone"
    )
    for each in found.changed:
        request = each.interaction.request
        for change in each.changes:
            yield f"  {request.method} {request.url}: {change}"
    for sign, items in (("added", found.added), ("gone", found.removed)):
        for _, item in items:
            yield f"  {sign}: {item.request.method} {item.request.url}"


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "secret"), counted(0, "secret")
    ('1 secret', '0 secrets')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

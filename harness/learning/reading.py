"""Traces of files, folders and streams, read line by line in bounded memory.

The spans of a trace may stand in several lines and files. Those of the traces that were begun last
are held; a trace that nothing was told of for long is complete.
"""

import gzip
import io
import struct
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic_core import from_json

from harness.errors import HarnessError, reason_of
from harness.model import Case, Json, JsonObject, TrialRecord
from mockserver.model import did_you_mean
from mockserver.traces import Span, SpanError, read_protobuf_spans
from mockserver.traces.agent_traces import AgentTrace, TracedCall, TracedTurn, agent_trace
from mockserver.traces.foreign import FORMATS, format_of, records_in

LARGEST_VALUE = 512 << 20
"""Bytes of a file that is one JSON value, or of one line."""

_PIECE = 1 << 20
_MOST_OPEN = 1_000
_MOST_HELD = 96 << 20
_MOST_PROBLEMS = 1_000
_GZIP = b"\x1f\x8b"
_SIZE = struct.Struct(">I")
_PROTOBUF = "otlp-protobuf"
_ENDINGS = frozenset({
    ".json", ".jsonl", ".ndjson", ".log", ".txt", ".pb", ".bin", ".binpb", ".gz", "",
})  # fmt: skip
STDIN = Path("-")


class _Open(NamedTuple):
    """A trace whose spans are still coming."""

    spans: list[Span]
    place: str


class TraceReader:
    """Reads traces; what cannot be read is noted, and the rest goes on.

    Args:
        paths: Files and folders; `-` is standard input.
        stdin: Standard input.

    Attributes:
        formats: How many records are in each format.
        problems: What was left out: where, and why; the first of them.
        unread: How many were.
        spans: How many spans there were.
    """

    def __init__(self, paths: Sequence[Path], stdin: BinaryIO) -> None:
        self._paths = paths
        self._stdin = stdin
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._held = 0
        self._done: set[int] = set()
        self._format = ""
        self.formats: Counter[str] = Counter()
        self.problems: list[str] = []
        self.unread = 0
        self.spans = 0

    def traces(self) -> Iterator[AgentTrace]:
        """The traces in which an agent is seen.

        Yields:
            Each once its spans have come.

        Raises:
            HarnessError: A file is not there, or cannot be opened.
        """
        for path in self._paths:
            for file in self._files(path):
                with _opened(file, self._stdin) as content:
                    for place, record, size in self._records(content, str(file)):
                        self._add(place, record, size)
                        yield from self._complete()
        while self._open:
            yield from self._close()

    def _files(self, path: Path) -> Iterator[Path]:
        if path.is_dir():
            found = sorted(
                each for each in path.rglob("*") if each.is_file() and each.suffix in _ENDINGS
            )
            if not found:
                raise HarnessError(f"no file in {str(path)!r} can hold traces")
            yield from found
        else:
            yield path

    def note(self, problem: str) -> None:
        """Note what was left out, and why."""
        self.unread += 1
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)

    def _records(
        self, content: BinaryIO, file: str
    ) -> Iterator[tuple[str, JsonObject | list[Span], int]]:
        """The records of a file.

        Yields:
            Place, record, bytes.
        """
        before, first = b"", content.readline(LARGEST_VALUE)
        while first and not first.strip():
            before += first
            first = content.readline(LARGEST_VALUE)
        if not first and not before.strip(b"\r\n \t"):
            self.note(f"{file}: is empty")
            return
        start = first.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        value = _json(first.removeprefix(b"\xef\xbb\xbf"))
        if start not in {b"{", b"["} or (value is None and before):  # a message begins with \n
            yield from self._protobuf(before + first + _rest_of(content), file)
            return
        rest = content.read(1)
        if value is None or not rest or isinstance(value, list):
            yield from self._whole(first + rest + _rest_of(content), file)
            return
        number = before.count(b"\n") + 1
        yield from self._line(value, f"{file}:{number}", len(first))
        line, number = rest + content.readline(LARGEST_VALUE), number + 1
        while line:
            if line.strip():
                held = _json(line)
                if held is None:
                    cut = "" if line.endswith(b"\n") else " (was the file cut?)"
                    self.note(f"{file}:{number}: is no JSON{cut}")
                else:
                    yield from self._line(held, f"{file}:{number}", len(line))
            line, number = content.readline(LARGEST_VALUE), number + 1

    def _line(
        self, value: Json, place: str, size: int
    ) -> Iterator[tuple[str, JsonObject | list[Span], int]]:
        found = list(records_in(value))
        if not found:
            self.note(f"{place}: is in no format of traces that is known")
        for each in found:
            yield place, each, size // len(found)

    def _whole(
        self, content: bytes, file: str
    ) -> Iterator[tuple[str, JsonObject | list[Span], int]]:
        if len(content) >= LARGEST_VALUE:
            self.note(f"{file}: is one JSON value of more than {LARGEST_VALUE >> 20} MiB")
            return
        try:
            value: Json = from_json(content.removeprefix(b"\xef\xbb\xbf"), cache_strings="keys")
        except ValueError as error:
            self.note(f"{file}: is no JSON: {error}; was it written to its end?")
            return
        found = list(records_in(value))
        if not found:
            self.note(f"{file}: is in no format of traces that is known")
        for number, each in enumerate(found):
            where = f"{file}#{number + 1}" if len(found) > 1 else file
            yield where, each, len(content) // len(found)

    def _protobuf(
        self, content: bytes, file: str
    ) -> Iterator[tuple[str, JsonObject | list[Span], int]]:
        """Export requests in Protocol Buffers: one, or several with their sizes before them.

        Yields:
            Place, spans, bytes.
        """
        with suppress(SpanError):
            spans = [each.span for each in read_protobuf_spans(content)]
            yield file, spans, len(content)
            return
        at, number = 0, 1
        while at < len(content):
            size = _SIZE.unpack_from(content, at)[0] if at + 4 <= len(content) else -1
            body = content[at + 4 : at + 4 + max(size, 0)]
            where = f"{file}, request {number}"
            if size < 0 or len(body) < size:
                known = "neither JSON nor OTLP" if number == 1 else "cut"
                self.note(f"{where}: is {known}")
                return
            try:
                yield where, [each.span for each in read_protobuf_spans(body)], size
            except SpanError as error:
                self.note(f"{where}: is no OTLP: {error}")
                return
            at, number = at + 4 + size, number + 1

    def _add(self, place: str, record: JsonObject | list[Span], size: int) -> None:
        """Take in the spans of a record."""
        if isinstance(record, list):
            name, spans = _PROTOBUF, record
        else:
            name = self._format = format_of(record, self._format)
            try:
                spans = list(FORMATS[name].read(record))
            except (SpanError, ValueError, TypeError, AttributeError, RecursionError) as error:
                self.note(f"{place}: is no {FORMATS[name].about}: {error}")
                return
        self.formats[name] += 1
        self.spans += len(spans)
        for span in spans:
            key = span.trace or place
            if hash(key) in self._done and key not in self._open:
                self.note(f"{place}: span {span.id} came after its trace {key} was complete")
                continue
            held = self._open.setdefault(key, _Open([], place))
            held.spans.append(span)
            self._open.move_to_end(key)
            share = size // len(spans)
            self._sizes[key] = self._sizes.get(key, 0) + share
            self._held += share

    def _complete(self) -> Iterator[AgentTrace]:
        """The traces that nothing was told of for the longest, where there are too many.

        Yields:
            Each.
        """
        while len(self._open) > _MOST_OPEN or (self._held > _MOST_HELD and len(self._open) > 1):
            yield from self._close()

    def _close(self) -> Iterator[AgentTrace]:
        key, held = self._open.popitem(last=False)
        self._held -= self._sizes.pop(key, 0)
        self._done.add(hash(key))
        try:
            found = agent_trace(held.spans, place=held.place)
        except RecursionError:
            self.note(f"{held.place}: trace {key}: is nested too deeply")
            return
        if found is not None:
            yield found


def _rest_of(content: BinaryIO) -> bytes:
    """What is left of a file, up to the limit; a read of the limit would take its memory."""
    pieces, size = [], 0
    while size < LARGEST_VALUE and (piece := content.read(_PIECE)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _json(line: bytes) -> Json:
    """The value of a line; None where it is none."""
    try:
        return from_json(line, cache_strings="keys")
    except ValueError:
        return None


@contextmanager
def _opened(path: Path, stdin: BinaryIO) -> Iterator[BinaryIO]:
    if path == STDIN:
        yield stdin
        return
    try:
        with path.open("rb") as file:
            is_packed = file.read(2) == _GZIP
            file.seek(0)
            if not is_packed:
                yield file
                return
            with gzip.open(file) as unpacked:
                yield unpacked  # type: ignore[misc]  # it has what is used of a file
    except (OSError, EOFError) as error:
        raise HarnessError(f"cannot read {str(path)!r}: {reason_of(error)}") from None


_SHOWN = 10


def trace_in(file: Path, id: str = "") -> AgentTrace | None:
    """The trace that a file holds, or the one of its traces that is named; None where it has none.

    Raises:
        HarnessError: It holds several and none is named, none of that id, or what was asked was
            not captured.
    """
    found = list(TraceReader([file], io.BytesIO()).traces())
    if not found:
        return None
    named = [trace for trace in found if trace.id == id] if id else found
    if len(named) != 1:
        ids = [trace.id for trace in found]
        shown = ", ".join(ids[:_SHOWN]) + (", ..." if len(ids) > _SHOWN else "")
        hint = (id and did_you_mean(id, ids)) or f"promote {file} TRACE, one of {shown}"
        what = f"no trace {id!r}" if id else f"{len(found)} traces"
        raise HarnessError(f"{file} holds {what}", hint=hint)
    (trace,) = named
    if not trace.turns or not trace.turns[0].user:
        raise HarnessError(f"{file}: trace {trace.id}: {'; '.join(trace.missing)}")
    return trace


def trace_of_trial(case: Case, record: TrialRecord) -> AgentTrace:
    """A trial as the trace of an agent, as far as its record tells.

    Raises:
        HarnessError: It does not tell what was asked.
    """
    if not case.turns:
        raise HarnessError(f"{case.id}: what the user said was not recorded")
    replies = {reply.turn: reply for reply in record.replies}
    turns = []
    for number, turn in enumerate(case.turns, start=1):
        reply = replies.get(number)
        calls = tuple(
            TracedCall(
                each.name,
                each.args,
                each.id,
                each.result,
                has_result=each.result is not None,
                error=_error_of(each.result) if each.status == "error" else None,
            )
            for each in (reply.tool_calls if reply is not None else ())
        )
        turns.append(TracedTurn(turn.user, calls, reply.text if reply is not None else ""))
    return AgentTrace(
        id=f"{case.id}/{record.number}",
        turns=tuple(turns),
        error=record.error,
        duration_ms=record.duration_ms,
        place=f"run {record.run}" if record.run else "",
    )


def _error_of(result: object) -> str:
    return result if isinstance(result, str) and result else "the call failed"

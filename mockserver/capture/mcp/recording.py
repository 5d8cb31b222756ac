"""Records what clients and servers of MCP say to each other, redacted, one request a recording."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from time import perf_counter

from typing_extensions import override

from mockserver.capture.mcp.conversation import Conversation, FinishedCall, parse_message
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import RecorderQueue, Report, decode_interaction
from mockserver.messages import header, is_event_stream, media_type, split_url
from mockserver.messages.mcp_calls import mcp_interaction
from mockserver.model import Interaction, Json, RecordedResponse

_SESSION = "mcp-session-id"
_MOST_SESSIONS = 1000
_TOO_LARGE = "a message of MCP has more than 4 MiB, or more than 1 MiB and a content coding"


def server_name(cassette: Path) -> str:
    """What stands for the host of a server in its recordings: the name of their cassette.

    >>> server_name(Path("tapes/Weather v2.yaml"))
    'weather-v2'
    """
    return re.sub(r"[^a-z0-9]+", "-", cassette.stem.lower()).strip("-") or "server"


class McpRecorder(RecorderQueue):
    """The recorder of MCP; it takes exchanges of HTTP apart into requests of the protocol.

    Args:
        recorder: Where recordings go.
        report: Told of each, and of what is wrong.
        stop: Called when the capture cannot go on.
        path: Where the server's endpoint is; exchanges with other paths are not recorded.
        clock: Real time.
    """

    def __init__(
        self,
        recorder: Recorder,
        report: Report,
        stop: Callable[[], None],
        *,
        path: str = "",
        clock: Callable[[], datetime],
    ) -> None:
        super().__init__(recorder, report, stop)
        self._server = server_name(recorder.path)
        self._path = path
        self._clock = clock
        self._read_only: set[str] = set()
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()

    def new_conversation(self) -> Conversation:
        """A conversation of one client; what one learns of the server's tools, all know."""
        return Conversation(self._read_only)

    @override
    async def record(self, interaction: Interaction) -> None:
        """Record the requests of one exchange of HTTP."""
        request = interaction.request
        if split_url(request.url).path != self._path or request.method != "POST":
            return
        both = decode_interaction(interaction)
        if both is None or both.request.file is not None or both.response.file is not None:
            await self.report_unrecorded(request.method, request.url, _TOO_LARGE)
            return
        # without a pause, so that exchanges of one session do not get into each other
        conversation = self._conversation(interaction)
        conversation.hear_client(parse_message(both.request.body), 0.0)
        calls = [
            finished
            for message, at_ms in response_messages(both.response, interaction.duration_ms)
            for finished in conversation.hear_server(message, at_ms)
        ]
        why = "its answer broke off" if both.response.ended != "complete" else "it was not answered"
        status = both.response.status
        conversation.end(why if status < 400 else f"the server answered HTTP {status}")
        for finished in calls:
            await self.record_call(finished, interaction.recorded_at)
        await self.tell_unanswered(conversation)

    async def record_call(self, finished: FinishedCall, recorded_at: str = "") -> None:
        """Record one request of the protocol."""
        interaction = mcp_interaction(
            self._server,
            finished.call,
            reads=finished.reads,
            recorded_at=recorded_at or self._clock().isoformat(timespec="milliseconds"),
            duration_ms=round(max(0.0, finished.ended_ms - finished.began_ms), 3),
        )
        await super().record(interaction)

    async def tell_unanswered(self, conversation: Conversation) -> None:
        """Report the requests of a conversation that ended without an answer."""
        noted, conversation.unanswered = conversation.unanswered, []
        for method, why in noted:
            await self.report_unrecorded("MCP", method, why)

    def _conversation(self, interaction: Interaction) -> Conversation:
        """The conversation that an exchange is of; without a session each is of its own."""
        named = header(interaction.request.headers, _SESSION)
        if not named:
            return self.new_conversation()
        if named not in self._conversations and len(self._conversations) >= _MOST_SESSIONS:
            self._conversations.popitem(last=False)
        return self._conversations.setdefault(named, self.new_conversation())


def response_messages(response: RecordedResponse, took_ms: float) -> Iterator[tuple[Json, float]]:
    """The messages in a response of HTTP, each with the milliseconds after the request.

    Args:
        response: Without content coding: one message of JSON, or an event stream of them.
        took_ms: When it was whole.

    Yields:
        The messages in order.
    """
    if not is_event_stream(media_type(response.headers)):
        found = parse_message(response.body)
        if found is not None:
            yield found, took_ms
        return
    sizes = [(chunk.at_ms, chunk.size) for chunk in response.chunks]
    end, data = 0, list[bytes]()
    for line in response.body.splitlines(keepends=True):
        end += len(line)
        text = line.strip()
        if text.startswith(b"data:"):
            data.append(text[5:].strip())
        elif not text and data:
            found = parse_message(b"\n".join(data))
            data.clear()
            if found is not None:
                yield found, _time_at(end, sizes, took_ms)


def _time_at(offset: int, sizes: list[tuple[float, int]], took_ms: float) -> float:
    """When the byte before an offset came."""
    for at_ms, size in sizes:
        offset -= size
        if offset <= 0:
            return at_ms
    return took_ms


def now_ms() -> float:
    """Milliseconds on a clock that only runs forward."""
    return perf_counter() * 1000

"""Records what the proxy saw, beside its event loop, and keeps count of what came of it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from mockserver.capture.playing import Plays
from mockserver.capture.recorder import Recorder
from mockserver.errors import CaptureError, LeakError, MockServerError
from mockserver.messages import decoded, header
from mockserver.model import Header, Interaction, RecordedRequest, RecordedResponse

Report = Callable[[str], None]
"""Takes one line for the user; nothing in it is secret."""


class Taking:
    """The recorder of a proxy; one interaction at a time, in the order they ended.

    Attributes:
        failed: Why the capture cannot go on, once it cannot.
        unanswered: How many requests the upstream gave no answer to.
        played: How many requests the cassette answered.
        refused: How many requests were neither played nor asked.
        unreadable: How many answers could not be opened, and so not be recorded.

    Args:
        recorder: Where interactions go.
        report: Told of each interaction, and of what is wrong.
        stop: Called when the capture cannot go on.
    """

    def __init__(self, recorder: Recorder, report: Report, stop: Callable[[], None]) -> None:
        self.failed: MockServerError | None = None
        self.unanswered = 0
        self.played = 0
        self.refused = 0
        self.unreadable = 0
        self._recorder = recorder
        self._report = report
        self._stop = stop
        tape = recorder.tape()
        self._plays = None if tape is None else Plays(tape)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recorder")

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
        return await loop.run_in_executor(self._thread, self._find, opened(request))

    def _find(self, request: RecordedRequest) -> Interaction | str:
        if self._plays is None:
            return "there is no cassette"
        return self._plays.find(self._recorder.request(request))

    async def take(self, interaction: Interaction) -> None:
        """Record one interaction, its bodies as they came; what goes wrong is reported."""
        loop = asyncio.get_running_loop()
        line = await loop.run_in_executor(self._thread, self._taken, interaction)
        self._report(line)
        if self.failed is not None:
            self._stop()

    def close(self) -> None:
        """Wait for what is being recorded."""
        self._thread.shutdown()

    def _taken(self, interaction: Interaction) -> str:
        if self.failed is not None:
            return "not recorded: the capture has ended"
        both = _both_opened(interaction)
        if both is None:
            self.unreadable += 1
            return "not recorded: a content coding that cannot be opened, and so not be redacted"
        return self._recorded(both)

    def _recorded(self, interaction: Interaction) -> str:
        try:
            return _line(self._recorder.record(interaction))
        except LeakError as error:
            return str(error)
        except CaptureError as error:
            self.failed = error
        except Exception as error:  # noqa: BLE001  (its text may hold what was to be redacted)
            self.failed = CaptureError(
                f"an interaction could not be redacted ({type(error).__name__})",
                hint="what was recorded before is there; this is a defect of mockserver",
            )
        return f"not recorded: {self.failed}"


def opened(request: RecordedRequest) -> RecordedRequest:
    """A request without content coding, where it can be opened."""
    return RecordedRequest(request.method, request.url, *decoded(request.headers, request.body))


def _both_opened(interaction: Interaction) -> Interaction | None:
    """With its bodies without content coding, or None where one cannot be opened."""
    request, answered = opened(interaction.request), interaction.response
    response = decoded(answered.headers, answered.body)
    if _is_closed(request.headers, request.body, request.coding) or _is_closed(*response):
        return None
    return Interaction(
        request,
        RecordedResponse(
            answered.status, answered.reason, *response, answered.chunks, answered.ended
        ),
        interaction.recorded_at,
        interaction.duration_ms,
        interaction.method_id,
    )


def _is_closed(headers: tuple[Header, ...], body: bytes, coding: str) -> bool:
    named = header(headers, "content-encoding").strip().lower()
    return bool(body) and not coding and named not in {"", "identity"}


def _line(recorded: Interaction) -> str:
    request, response = recorded.request, recorded.response
    how = "" if response.ended == "complete" else f", {response.ended}"
    pieces = f" in {len(response.chunks)} pieces" if response.chunks else ""
    return (
        f"{request.method} {request.url} {response.status}"
        f" {len(response.body)} bytes{pieces}{how} ({recorded.duration_ms:.0f} ms)"
    )

"""Records what one program asks of models, beside a program that goes on."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread

import orjson
from typing_extensions import override

from mockserver.asgi.addresses import url_of
from mockserver.capture.programs import base_urls
from mockserver.capture.recorder import Recorder
from mockserver.capture.recorder_queue import RecorderQueue, Report, decode_interaction
from mockserver.capture.review import question_lines
from mockserver.capture.server import CaptureProxy, ReverseListener
from mockserver.capture.setup import open_recorder, upstream_options
from mockserver.capture.upstream import ProgramRoute
from mockserver.cassettes.files import write_cassette
from mockserver.errors import CaptureError, require_extra
from mockserver.http.server import bind, real_time
from mockserver.messages import header, split_url
from mockserver.model import (
    STATED_VALUES,
    Cassette,
    CassetteInfo,
    Header,
    Interaction,
    Json,
    RecordedRequest,
    RecordedResponse,
)
from mockserver.models.providers import PROVIDERS
from mockserver.redaction import StatedValues, texts_of
from mockserver.redaction.journal_redaction import redact_journal_body, redact_journal_path

_HOST = "127.0.0.1"


def model_bases(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of base URLs of models, with what they lead to.

    Args:
        environ: Where models are, as their clients would find them.
    """
    names = {name for provider in PROVIDERS for name in provider.variables}
    return {name: url for name, url in base_urls(environ).items() if name in names}


def model_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of keys that are set, with the keys."""
    names = {key for provider in PROVIDERS for key in provider.keys}
    return {name: environ[name] for name in names if name in environ}


def for_journal(interaction: Interaction) -> Interaction | None:
    """An interaction as it is kept with a trial: as much of it as journals hold.

    Credentials are replaced, and of headers only the type of the content stays; names and addresses
    stay as they are in the record of the trial.

    Returns:
        It; None where a body cannot be opened, or has a file of its own.
    """
    opened = decode_interaction(interaction)
    if opened is None or opened.request.file is not None or opened.response.file is not None:
        return None
    request, response = opened.request, opened.response
    url = split_url(request.url)
    plain = f"{url.scheme}{url.host}{url.port}{redact_journal_path(url.path)}"
    return replace(
        opened,
        request=RecordedRequest(
            request.method, plain, _content_type(request.headers), _redact_body(request.body)
        ),
        response=RecordedResponse(
            response.status,
            response.reason,
            _content_type(response.headers),
            _redact_body(response.body),
            chunks=response.chunks if _redact_body(response.body) == response.body else (),
            ended=response.ended,
        ),
    )


def _content_type(headers: tuple[Header, ...]) -> tuple[Header, ...]:
    named = header(headers, "content-type")
    return (("content-type", named),) if named else ()


def _redact_body(body: bytes) -> bytes:
    """A body without credentials; as it is where it holds none."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body
    plain = redact_journal_body(value)
    return body if plain == value else orjson.dumps(plain)


class TrialQueue(RecorderQueue):
    """The recorder of a trial, which also keeps what passed for the run.

    Args:
        recorder: Where interactions go.
        report: Told of each interaction.
        stop: Called when the recording cannot go on.
        calls: What is kept is added here, in the order in which it ended.
    """

    def __init__(
        self,
        recorder: Recorder,
        report: Report,
        stop: Callable[[], None],
        *,
        calls: list[Interaction],
    ) -> None:
        super().__init__(recorder, report, stop)
        self.calls = calls

    @override
    async def record(self, interaction: Interaction) -> None:
        self.keep(interaction)
        await super().record(interaction)

    def keep(self, interaction: Interaction) -> Interaction | None:
        """Keep an interaction for the run; as it is kept, or None where it cannot be."""
        found = for_journal(interaction)
        if found is not None:
            self.calls.append(found)
        return found


class ModelListener:
    """Base URLs for the clients of models, in a thread of its own; what passes is recorded.

    Args:
        recorder: Where interactions go.
        bases: The variables of base URLs, with what they lead to.
        keys: The variables of keys, with those that the clients are to send.
        queue_of: Makes what records, and what answers from recordings.
        change: What becomes of a request before it is asked; recorded it is as it came.

    Attributes:
        block: The variables that lead the clients of a program here, with the keys that they send.

    Raises:
        MockServerError: The cassette or the redaction key cannot be used, or there is no port.
    """

    def __init__(
        self,
        recorder: Recorder,
        bases: Mapping[str, str],
        keys: Mapping[str, str],
        *,
        queue_of: Callable[[Recorder, Report, Callable[[], None]], RecorderQueue],
        change: Callable[[RecordedRequest], RecordedRequest] | None = None,
    ) -> None:
        require_extra("capture", "captures need", {"brotli": "brotli", "zstandard": "zstandard"})
        self._recorder = recorder
        options = replace(upstream_options(600.0, None), change=change)
        self._capturing = CaptureProxy(
            self._recorder, options, clock=real_time, report=_ignore_line, queue_of=queue_of
        )
        listener = bind(_HOST, 0)
        url = url_of(_HOST, listener.getsockname()[1])
        route = ProgramRoute(own=frozenset({url.partition("://")[2]}), bases=bases)
        self.block = {name: f"{url}/{name}" for name in bases} | dict(keys)
        ready = Event()
        entrance = ReverseListener(listener, ready.set)
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._serve, args=(route, entrance, ready), daemon=True)
        self._thread.start()
        ready.wait()
        self._check()

    def stop(self) -> int:
        """End it, and write the cassette; how many interactions it holds.

        Raises:
            MockServerError: The recording could not go on, or cannot be written; or a model gave
                an answer that is no good recording: the cassette is left as it was.
        """
        self._capturing.stop()
        self._thread.join()
        self._check()
        for defect in self._capturing.queue.defects:
            self._recorder.discard()
            raise CaptureError(
                f"nothing is recorded into {self._recorder.path}: {defect.reason}",
                hint="a cassette of before is as it was; run it again once this is mended",
            )
        self._recorder.finish()
        return self._recorder.recorded

    def _check(self) -> None:
        failed = self._capturing.queue.failed
        if failed is None and self._failure is not None:
            kind = type(self._failure).__name__
            failed = CaptureError(f"the recorder of models has ended ({kind})")
        if failed is not None:
            self._recorder.abandon()
            raise failed

    def _serve(self, route: ProgramRoute, entrance: ReverseListener, ready: Event) -> None:
        try:
            asyncio.run(self._capturing.serve(route, entrance))
        except Exception as error:  # noqa: BLE001  (is raised where the recorder is stopped)
            self._failure = error
        finally:
            self._capturing.queue.close()
            ready.set()


def write_calls(calls: list[Interaction], path: Path) -> None:
    """Write what was kept of a trial; no file where there is nothing.

    Raises:
        MockServerError: It cannot be written.
    """
    if not calls:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaptureError(f"cannot make {path.parent}: {error.strerror or error}") from error
    stated = CassetteInfo(recorded_at=calls[0].recorded_at, recorded_by="mockserver")
    write_cassette(Cassette(path.name, tuple(calls), stated), path)


class ModelRecorder(ModelListener):
    """A recorder at base URLs for the clients of models.

    Args:
        cassette: What is recorded into; replaced once something was recorded.
        environ: Where live models are, and their keys, as their clients would find them.
        copy: Where the run keeps the same for itself, see `for_journal`; None keeps nothing.
        stated: What a suite states beside the cassette: names and addresses in it stay in clear,
            so that an agent that says them again is answered; what opens something never does.

    Attributes:
        held_back: Lines about what was asked and is not in the cassette, once it is stopped.

    Raises:
        MockServerError: The cassette or the redaction key cannot be used, or there is no port.
    """

    def __init__(
        self,
        cassette: Path,
        environ: Mapping[str, str],
        copy: Path | None = None,
        stated: Iterable[Json] = (),
    ) -> None:
        self._calls: list[Interaction] = []
        self._copy = copy
        self.held_back: tuple[str, ...] = ()
        super().__init__(
            open_recorder(
                cassette,
                "all",
                None,
                info=CassetteInfo(extra={STATED_VALUES: "clear"}),
                stated=StatedValues(text for each in stated for text in texts_of(each)),
            ),
            model_bases(environ),
            model_keys(environ),
            queue_of=partial(TrialQueue, calls=self._calls),
        )

    @override
    def stop(self) -> int:
        recorded = super().stop()
        self.held_back = tuple(_held_back_lines(self._recorder))
        if self._copy is not None:
            write_calls(self._calls, self._copy)
        return recorded


def _held_back_lines(recorder: Recorder) -> Iterator[str]:
    """What a replay will miss: what is in question, and what the search for leaks left out.

    Yields:
        The questions with the commands that answer them, then what was left out.
    """
    if recorder.questioned:
        yield f"{recorder.questioned} in question, kept redacted in {recorder.review}:"
        yield from question_lines(recorder.path, recorder.questions)
    for request in recorder.dropped:
        yield f"left out: {request}"


def _ignore_line(line: str) -> None:
    """The cassette tells all that matters."""

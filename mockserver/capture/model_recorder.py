"""Records what one program asks of models, beside a program that goes on."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread

from mockserver.asgi.addresses import url_of
from mockserver.capture.programs import base_urls
from mockserver.capture.server import ReverseListener
from mockserver.capture.setup import capture_proxy, open_recorder, upstream_options
from mockserver.capture.upstream import ProgramRoute
from mockserver.errors import CaptureError, require_extra
from mockserver.http.server import bind
from mockserver.models.providers import PROVIDERS

_HOST = "127.0.0.1"


class ModelRecorder:
    """A recorder at base URLs for the clients of models, in a thread of its own.

    Args:
        cassette: What is recorded into; replaced once something was recorded.
        environ: Where live models are, and their keys, as their clients would find them.

    Attributes:
        block: The variables that lead the clients of a program here, with the keys that they send.

    Raises:
        MockServerError: The cassette or the redaction key cannot be used, or there is no port.
    """

    def __init__(self, cassette: Path, environ: Mapping[str, str]) -> None:
        require_extra("capture", "captures need", {"brotli": "brotli", "zstandard": "zstandard"})
        names = {name for provider in PROVIDERS for name in provider.variables}
        bases = {name: url for name, url in base_urls(environ).items() if name in names}
        keys = {key for provider in PROVIDERS for key in provider.keys}
        self._recorder = open_recorder(cassette, "all", None)
        self._capturing = capture_proxy(self._recorder, _ignore_line, upstream_options(600.0, None))
        listener = bind(_HOST, 0)
        url = url_of(_HOST, listener.getsockname()[1])
        route = ProgramRoute(own=frozenset({url.partition("://")[2]}), bases=bases)
        self.block = {name: f"{url}/{name}" for name in bases}
        self.block |= {key: environ[key] for key in keys if key in environ}
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


def _ignore_line(line: str) -> None:
    """The cassette tells all that matters."""

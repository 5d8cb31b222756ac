"""Runs the application under uvicorn: binds, announces itself, stops quickly."""

import asyncio
import contextlib
import errno
import gc
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import uvicorn
from typing_extensions import override

from mockserver.asgi.addresses import listen, url_of
from mockserver.asgi.server import HttpServer
from mockserver.errors import MockServerError, ServerUnavailableError
from mockserver.http.application import Application
from mockserver.http.fast_protocol import FastProtocol
from mockserver.http.hermetic import forbid_connections
from mockserver.settings import Settings

if TYPE_CHECKING:
    from mockserver.redaction import Redactor


_KEY = b"a log is no recording: its pseudonyms join nothing"
_ATTEMPTS = 50
"""To load what redacts, while no file can be opened."""
_PAUSE_S = 0.1


class SafeFormatter(logging.Formatter):
    """Formats a record, exception and all, and redacts the whole text.

    The redactor is loaded for the first record: a server that runs well says nothing.
    """

    def __init__(self) -> None:
        super().__init__("%(levelname)s: %(message)s")
        self._lock = threading.Lock()

    @cached_property
    def _redactor(self) -> "Redactor":
        from mockserver.redaction import Redactor, RuleSet

        return Redactor(RuleSet.default(), _KEY)

    @property
    def is_loaded(self) -> bool:
        """Whether the next record is formatted at once."""
        return "_redactor" in self.__dict__

    def load(self) -> None:
        """Load what redacts: that opens files, and what is told may be that none can be opened."""
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(OSError), self._lock:
                _ = self._redactor
                return
            time.sleep(_PAUSE_S)

    @override
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        with self._lock:
            return self._redactor.redact_text(text)


class StderrHandler(logging.Handler):
    """Writes to standard error as it is now; what is logged when that is closed is left out.

    A stream that is kept outlives whoever put it there, such as a test runner that captures output,
    and a program that ends would complain of it.
    """

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; before the first one, an event loop goes on while all is loaded."""
        formatter = self.formatter
        if isinstance(formatter, SafeFormatter) and not formatter.is_loaded:
            with contextlib.suppress(RuntimeError):  # no event loop here
                loop = asyncio.get_running_loop()
                loop.run_in_executor(None, self._write_first, formatter, record)
                return
        self._write(record)

    def _write_first(self, formatter: SafeFormatter, record: logging.LogRecord) -> None:
        formatter.load()
        self._write(record)

    def _write(self, record: logging.LogRecord) -> None:
        stream = sys.stderr
        if stream is None or stream.closed:
            return
        try:
            stream.write(f"{self.format(record)}\n")
            stream.flush()
        except Exception:  # noqa: BLE001  (as handlers of the standard library do)
            self.handleError(record)


def log_safely() -> None:
    """Send warnings and errors of everything in this process to stderr, redacted.

    Leaves a process alone that has a handler of its own.
    """
    handler = StderrHandler()
    handler.setFormatter(SafeFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


COLLECT_AFTER = (20_000, 20, 50)
"""Journals are long-lived and hold no cycles: looking through them often finds nothing."""


def allow_more_files() -> None:
    """Raise the number of files and connections to what this process is allowed at most.

    Shells often start programs with 1,024; the loop closes connections beyond that without an
    answer, and an agent would be blamed for it.
    """
    with contextlib.suppress(ImportError, OSError, ValueError):  # none on Windows
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def real_time() -> datetime:
    """Real time, UTC; the one place where it comes in."""
    return datetime.now(UTC)  # noqa: TID251  (everything else is handed a clock)


class Front(Protocol):
    """What lives on the server's event loop beside it, from before it is ready to its end.

    Mostly another way in.
    """

    async def start(self, application: Application, server: uvicorn.Server) -> None:
        """Begin to accept; raises MockServerError."""
        ...

    async def stop(self) -> None:
        """Accept no more, and let go of what is open; also after a start that failed."""
        ...


def serve(
    settings: Settings,
    *,
    ready: Callable[[str], None],
    until_eof: bool = False,
    fronts: Sequence[Front] = (),
) -> Application:
    """Serve until a signal comes, or until standard input ends.

    Args:
        settings: What to serve, and where.
        ready: Called with the URL once requests are answered.
        until_eof: Whether the end of standard input stops the server.
        fronts: Other ways in, started in this order and stopped in the opposite one.

    Returns:
        What was served, as it was at the end.

    Raises:
        ServerUnavailableError: The address cannot be bound.
        MockServerError: The suite, a cassette or the default session cannot be served.
    """
    log_safely()
    listener = bind(settings.host, settings.port)
    with contextlib.closing(listener):
        port = listener.getsockname()[1]
        application = Application(replace(settings, port=port), real=real_time)
        # what is loaded by now stays: the collector need not look at it again
        gc.freeze()
        gc.enable()
        gc.set_threshold(*COLLECT_AFTER)
        allow_more_files()
        server = _Server(application, lambda: ready(url_of(settings.host, port)), fronts)
        if until_eof:
            threading.Thread(target=server.stop_at_eof, daemon=True).start()
        if settings.hermetic or settings.cassettes:
            forbid_connections()
        server.run(sockets=[listener])
        if server.failed is not None:
            raise server.failed
        return application


class _Server(HttpServer):
    """One that says when it is ready."""

    def __init__(
        self, application: Application, ready: Callable[[], None], fronts: Sequence[Front] = ()
    ) -> None:
        # what it says goes where everything goes: redacted to stderr
        super().__init__(application, protocol=FastProtocol, log_config=None, log_level="warning")
        self._application = application
        self._ready = ready
        self._fronts = fronts
        self.failed: MockServerError | None = None

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        try:
            for front in self._fronts:
                await front.start(self._application, self)
        except MockServerError as error:
            self.failed = error
            self.should_exit = True
            return
        self._application.descriptors.keep_spare()
        if self.started:
            self._ready()

    @override
    async def on_tick(self, counter: int) -> bool:
        self._application.descriptors.look()
        return await super().on_tick(counter)

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._application.end_streams()
        for front in reversed(self._fronts):
            await front.stop()
        await super().shutdown(sockets)

    def stop_at_eof(self) -> None:
        """Wait for the end of standard input, then stop."""
        # not through the buffer: its lock would hold up the end of the interpreter for a second
        source = sys.__stdin__
        while source is not None and os.read(source.fileno(), 4096):
            pass
        self.should_exit = True


def bind(host: str, port: int, option: str = "--port") -> socket.socket:
    """A listening socket.

    Args:
        host: An address of this machine.
        port: 0 takes a free one.
        option: What chooses the port on the command line, for the error.

    Raises:
        ServerUnavailableError: The address cannot be bound.
    """
    try:
        return listen(host, port)
    except OSError as error:
        raise _unbound(host, port, option, error) from error


def reserve(host: str, port: int, option: str) -> socket.socket:
    """A socket that keeps a port for those that share it (`SO_REUSEPORT`), and takes nothing.

    Args:
        host: An address of this machine.
        port: 0 takes a free one.
        option: What chooses the port on the command line, for the error.

    Raises:
        ServerUnavailableError: The address cannot be bound.
    """
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise _unbound(host, port, option, error) from error
    return made


def _unbound(host: str, port: int, option: str, error: OSError) -> ServerUnavailableError:
    if error.errno == errno.EADDRINUSE:
        return ServerUnavailableError(
            f"port {port} on {host} is in use",
            hint=f"stop what listens there, or choose another with {option} (0 takes a free one)",
        )
    return ServerUnavailableError(f"cannot listen on {host}:{port}: {error.strerror or error}")

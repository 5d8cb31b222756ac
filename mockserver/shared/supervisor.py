"""Several workers behind one port: started, watched, started again when they die, stopped."""

import contextlib
import logging
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import monotonic, sleep
from typing import NoReturn

import orjson

from mockserver.asgi.addresses import url_of
from mockserver.errors import MockServerError, ServerUnavailableError
from mockserver.googleapi import signing_key
from mockserver.http.server import Front, bind, log_safely
from mockserver.settings import Settings
from mockserver.shared.shortages import Shortages
from mockserver.shared.worker import Sharing, Worker, run_worker

STOP_S = 8.0
"""How long workers may take to stop."""

START_S = 60.0
"""How long they may take to come up."""

_LOOK_S = 0.1
_SOON_S = 2.0
_MOST_PAUSE_S = 2.0
_MOST_READ = 64 * 1024
_READY = b"ready\n"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_log = logging.getLogger(__name__)


class _Child:
    """A worker as its parent sees it.

    Attributes:
        number: Its number.
        pid: Its process.
        since: When it was started.
        reports: What it says: that it is ready, or why it is not.
        is_ready: Whether it answers.
    """

    def __init__(self, number: int, pid: int, reports: int) -> None:
        self.number = number
        self.pid = pid
        self.since = monotonic()
        self.reports = reports
        self.is_ready = False
        self._said = b""

    def read(self) -> None:
        """Read what it says.

        Raises:
            MockServerError: It did not come up, for a reason that it says.
        """
        with contextlib.suppress(BlockingIOError):
            self._said += os.read(self.reports, _MOST_READ)
        self.is_ready = self.is_ready or self._said.startswith(_READY)
        if self._said and not self.is_ready and self._said.endswith(b"\n"):
            message, hint, code = orjson.loads(self._said)
            self._said = b""
            error = ServerUnavailableError if code == ServerUnavailableError.exit_code else (
                MockServerError
            )  # fmt: skip
            raise error(message, hint=hint)


class Supervisor:
    """Keeps some workers running.

    Args:
        settings: What they serve; the port is that of the listener.
        sharing: How they share sessions.
        listener: The common socket.
        fronts: Makes what lives beside each.
    """

    def __init__(
        self,
        settings: Settings,
        sharing: Sharing,
        listener: socket.socket,
        fronts: Callable[[], Sequence[Front]] = tuple,
    ) -> None:
        self._settings = settings
        self._sharing = sharing
        self._listener = listener
        self._fronts = fronts
        self._children: dict[int, _Child] = {}
        self._waiting: list[tuple[float, int]] = []
        self._deaths = [0] * sharing.workers
        self._is_stopping = False
        self._signing_key = signing_key().pem.encode()
        self._lifeline, self._life = os.pipe()
        self._shortages = Shortages()

    def run(self, ready: Callable[[], None], *, until_eof: bool = False) -> None:
        """Keep the workers running until a signal comes, or standard input ends.

        Args:
            ready: Called once all of them answer.
            until_eof: Whether the end of standard input stops them.

        Raises:
            MockServerError: One of them did not come up.
        """
        with self._signals(), selectors.DefaultSelector() as input_ends:
            if until_eof and sys.__stdin__ is not None:
                with contextlib.suppress(PermissionError):  # a file is there as a whole
                    input_ends.register(sys.__stdin__.fileno(), selectors.EVENT_READ)
            try:
                for number in range(self._sharing.workers):
                    self._start(number)
                started, is_told = monotonic(), False
                while not self._is_stopping:
                    self._wait(input_ends)
                    self._look(is_told=is_told)
                    if not is_told and self._all_ready():
                        is_told = True
                        ready()
                    elif not is_told and monotonic() - started > START_S:
                        raise ServerUnavailableError(f"not ready within {START_S:g} s")
            finally:
                self._stop()

    def _wait(self, input_ends: selectors.BaseSelector) -> None:
        for key, _ in input_ends.select(_LOOK_S):
            if not os.read(key.fd, 4096):
                self._is_stopping = True

    def _all_ready(self) -> bool:
        children = self._children.values()
        return len(children) == self._sharing.workers and all(one.is_ready for one in children)

    def _look(self, *, is_told: bool) -> None:
        """See who is ready, who died, and who is to be started again."""
        for child in tuple(self._children.values()):
            if not child.is_ready:
                self._hear(child, is_told=is_told)
            pid, status = os.waitpid(child.pid, os.WNOHANG)
            if pid:
                self._hear(child, is_told=is_told)
                self._bury(child, status, is_told=is_told)
        now = monotonic()
        for due, number in tuple(self._waiting):
            if due <= now:
                self._waiting.remove((due, number))
                self._start(number)

    def _hear(self, child: _Child, *, is_told: bool) -> None:
        """Read what a worker says; one that does not come up anew is begun again later."""
        try:
            child.read()
        except MockServerError as error:
            if not is_told:
                raise
            _log.warning("worker %d does not come up: %s", child.number, error.message)

    def _bury(self, child: _Child, status: int, *, is_told: bool) -> None:
        os.close(child.reports)
        del self._children[child.pid]
        if self._is_stopping:
            return
        how = _how_it_ended(status)
        if not is_told:
            raise ServerUnavailableError(f"worker {child.number} did not come up: {how}")
        soon = monotonic() - child.since < _SOON_S
        self._deaths[child.number] = self._deaths[child.number] + 1 if soon else 0
        pause = min(_MOST_PAUSE_S, 0.1 * 2 ** self._deaths[child.number] - 0.1)
        _log.warning(
            "worker %d (pid %d) %s; another goes on with its sessions", child.number, child.pid, how
        )
        self._waiting.append((monotonic() + pause, child.number))

    def _start(self, number: int) -> None:
        reports, report = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        pid = os.fork()
        if not pid:
            os.close(reports)
            self._become_worker(number, report)
        os.close(report)
        os.set_blocking(reports, False)
        self._children[pid] = _Child(number, pid, reports)

    def _become_worker(self, number: int, report: int) -> NoReturn:
        """Be a worker from now on; never returns."""
        code = 1
        try:
            for each in _SIGNALS:
                signal.signal(each, signal.SIG_DFL)
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # until it can tell what it waits for
            os.close(self._life)
            worker = Worker(
                number,
                self._settings,
                self._sharing,
                self._signing_key,
                shortages=self._shortages,
                lifeline=self._lifeline,
                ready=lambda: _report(report, _READY),
                fronts=self._fronts(),
            )
            run_worker(worker, self._listener, self._settings, self._sharing)
            code = 0
        except MockServerError as error:
            code = error.exit_code
            _report(report, orjson.dumps([error.message, error.hint, code]) + b"\n")
        except BaseException:  # noqa: BLE001  (whatever it is, this process must not go on)
            _log.exception("worker %d ends", number)
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _stop(self) -> None:
        """Stop all of them, with force what does not stop in time."""
        self._is_stopping = True
        os.close(self._life)
        os.close(self._lifeline)
        self._signal_all(signal.SIGTERM)
        until = monotonic() + STOP_S
        while self._children:
            for pid, child in tuple(self._children.items()):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    os.close(child.reports)
                    del self._children[pid]
            if self._children:
                if monotonic() > until:
                    self._signal_all(signal.SIGKILL)
                sleep(_LOOK_S)

    def _signal_all(self, number: signal.Signals) -> None:
        for pid in self._children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        def stop(_number: int, _frame: object) -> None:
            self._is_stopping = True

        def tell_waits(_number: int, _frame: object) -> None:
            self._signal_all(signal.SIGUSR1)

        before = {each: signal.signal(each, stop) for each in _SIGNALS}
        before[signal.SIGUSR1] = signal.signal(signal.SIGUSR1, tell_waits)
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def serve_workers(
    settings: Settings,
    sharing: Sharing,
    *,
    ready: Callable[[str], None],
    until_eof: bool = False,
    fronts: Callable[[], Sequence[Front]] = tuple,
) -> None:
    """Serve with several processes until a signal comes, or until standard input ends.

    Args:
        settings: What to serve, and where.
        sharing: How sessions are shared.
        ready: Called with the URL once requests are answered.
        until_eof: Whether the end of standard input stops them.
        fronts: Makes what lives beside each worker.

    Raises:
        ServerUnavailableError: The address cannot be bound, or the log cannot be used.
        MockServerError: The suite, a cassette or the default session cannot be served.
    """
    if not hasattr(os, "fork"):
        raise MockServerError(
            "several processes behind one port need a system that can fork",
            hint="leave out --workers, --redis and --state-dir, or use Linux, macOS or WSL",
        )
    log_safely()
    with contextlib.closing(bind(settings.host, settings.port)) as listener:
        port = listener.getsockname()[1]
        served = replace(settings, port=port)
        supervisor = Supervisor(served, sharing, listener, fronts)
        supervisor.run(lambda: ready(url_of(settings.host, port)), until_eof=until_eof)


def _report(descriptor: int, content: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, content)


def _how_it_ended(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with status {code}"

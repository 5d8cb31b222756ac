"""One worker: the application on the common port, with connections that others send it."""

import asyncio
import contextlib
import gc
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from typing_extensions import override

from mockserver import __version__
from mockserver.asgi.server import HttpServer
from mockserver.errors import MockServerError
from mockserver.googleapi import share_signing_key
from mockserver.http.control_responses import problem
from mockserver.http.hermetic import forbid_connections
from mockserver.http.server import COLLECT_AFTER, Front, real_time
from mockserver.settings import Settings
from mockserver.shared.application import DEFAULT_LOG_BYTES, SharedApplication
from mockserver.shared.file_log import FileLog
from mockserver.shared.handover import Handover, PlacedProtocol
from mockserver.shared.log import SessionLog
from mockserver.shared.redis_log import DEFAULT_PREFIX, DEFAULT_TTL_S, RedisLog
from mockserver.shared.shortages import Shortages

if TYPE_CHECKING:
    from mockserver.asgi.requests import Receive, Request, Scope, Send
    from mockserver.sessions.session import Session

FORMAT = 1
"""Of the records; servers of another one cannot read them."""

_NOT_SHARED = (b"/mcp",)


@dataclass(frozen=True)
class Sharing:
    """How sessions are shared.

    Attributes:
        workers: How many processes answer at the port.
        redis: The URL of a Redis that has the logs; an empty string for files of this machine.
        prefix: What the names of all keys in Redis begin with.
        ttl_s: How long a session that nobody asks is in Redis, in seconds.
        sockets: The folder of the sockets between the workers.
        state: The folder of the logs.
        log_bytes: What the log of one session may hold.
    """

    workers: int
    sockets: Path
    state: Path
    redis: str = ""
    prefix: str = DEFAULT_PREFIX
    ttl_s: int = DEFAULT_TTL_S
    log_bytes: int = DEFAULT_LOG_BYTES

    def log(self) -> SessionLog:
        """Where the logs are.

        Raises:
            MockServerError: The URL is none of Redis.
        """
        if self.redis:
            return RedisLog(self.redis, prefix=self.prefix, ttl_s=self.ttl_s)
        return FileLog(self.state, slots=self.workers)


async def agree(log: SessionLog, settings: Settings, signing_key: bytes) -> None:
    """Make sure that all processes make the same sessions of the same logs.

    Args:
        log: Where the logs are.
        settings: What this process is started with.
        signing_key: What this one would sign with, PEM; that of the first one is used.

    Raises:
        MockServerError: They are of different versions, or serve different files.
        LogUnavailableError: The log cannot be used.
    """
    own = f"{__version__} (format {FORMAT})"
    first = (await log.agree("version", own.encode())).decode("utf-8", "replace")
    if first != own:
        raise MockServerError(
            f"the sessions there are of servers of version {first}, and this one is {own}",
            hint="stop those and wait until their sessions expire, or choose another"
            " --redis-prefix or --state-dir",
        )
    digest = served_digest(settings).encode()
    if await log.agree("files", digest) != digest:
        raise MockServerError(
            "the sessions there were opened on a suite or cassettes with other content",
            hint="start all servers on the same files, or choose another --redis-prefix or"
            " --state-dir",
        )
    share_signing_key(await log.agree("signing-key", signing_key))


def served_digest(settings: Settings) -> str:
    """A digest of all that answers depend on beside requests: files, and how they are served."""
    digest = sha256()
    digest.update(repr((settings.default, settings.journal_bytes, settings.trusted)).encode())
    roots = (settings.fixtures, settings.redaction, *settings.cassettes)
    for root in roots:
        for name, path in _files(root):
            digest.update(f"\0{name}\0".encode())
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _files(root: Path | None) -> Iterable[tuple[str, Path]]:
    if root is None:
        return
    if root.is_file():
        yield root.name, root
        return
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in parts):
            yield "/".join(parts), path


async def _refuse_unshared(
    _session: "Session", _request: "Request", scope: "Scope", receive: "Receive", send: "Send"
) -> None:
    await problem(
        501,
        "MCP is not answered by a server of several processes",
        "start one without --workers, --redis and --state-dir",
    )(scope, receive, send)


class Worker(HttpServer):
    """The server of one worker.

    Args:
        number: Its number, from 0.
        settings: What is served; its port is known.
        sharing: How sessions are shared.
        signing_key: What all of this machine would sign with, PEM.
        shortages: What all workers know of times without descriptors.
        lifeline: A pipe that ends when whoever started this is gone.
        ready: Called once requests are answered.
        fronts: What lives beside it.
    """

    def __init__(
        self,
        number: int,
        settings: Settings,
        sharing: Sharing,
        signing_key: bytes,
        *,
        shortages: Shortages,
        lifeline: int,
        ready: Callable[[], None],
        fronts: Iterable[Front] = (),
    ) -> None:
        self._handover = Handover(sharing.sockets, number, sharing.workers)
        self._log = sharing.log()
        self._settings = settings
        self._signing_key = signing_key
        self._lifeline = lifeline
        self._ready = ready
        self._fronts = tuple(fronts)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.failed: MockServerError | None = None
        self.shared = SharedApplication(
            settings,
            self._log,
            real=real_time,
            is_own=self._handover.is_own,
            shortages=shortages,
            log_bytes=sharing.log_bytes,
        )
        for path in _NOT_SHARED:
            self.shared.application.mount(path, _refuse_unshared)
        super().__init__(self.shared, log_config=None, log_level="warning")
        self._descriptors = self.shared.application.descriptors
        self.shared.application.placement = self._handover
        self.config.http = partial(PlacedProtocol, self._handover, self._descriptors)  # type: ignore[assignment]

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await self._log.start()
            await agree(self._log, self._settings, self._signing_key)
            await self.shared.start()
            for front in self._fronts:
                await front.start(self.shared.application, self)
        except MockServerError as error:
            self.failed = error
            self.should_exit = True
            self.servers = []
            return
        await super().startup(sockets)
        self._handover.start(self._adopt, self._descriptors.tell)
        self._descriptors.keep_spare()
        asyncio.get_running_loop().add_reader(self._lifeline, self._end)
        if self.started:
            self._ready()

    @override
    async def on_tick(self, counter: int) -> bool:
        self._descriptors.look()
        return await super().on_tick(counter)

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._handover.stop()
        self.shared.application.end_streams()
        for front in reversed(self._fronts):
            await front.stop()
        await super().shutdown(sockets)
        with contextlib.suppress(MockServerError, AttributeError):
            await self._log.stop()

    def _adopt(self, connection: socket.socket, early: bytes) -> None:
        """Go on with a connection that another worker sent."""
        loop = asyncio.get_running_loop()
        connection.setblocking(False)  # noqa: FBT003

        def make() -> PlacedProtocol:
            return PlacedProtocol(
                self._handover, self._descriptors, self.config, self.server_state,
                self.lifespan.state, loop, early=early,
            )  # fmt: skip

        task = loop.create_task(loop.connect_accepted_socket(make, connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._lifeline)
        self.should_exit = True


def run_worker(
    worker: Worker, listener: socket.socket, settings: Settings, sharing: Sharing
) -> None:
    """Serve until a signal comes.

    Args:
        worker: The worker.
        listener: The common socket.
        settings: What is served.
        sharing: How sessions are shared.

    Raises:
        MockServerError: It did not come up.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(*COLLECT_AFTER)
    if settings.hermetic or settings.cassettes:
        forbid_connections(*_addresses_of(sharing.redis))
    worker.run(sockets=[listener])
    if worker.failed is not None:
        raise worker.failed


def _addresses_of(redis: str) -> tuple[str, ...]:
    """Where a hermetic server must reach its Redis."""
    host = urlsplit(redis).hostname
    if not host:
        return ()
    with contextlib.suppress(OSError):
        return (host, *{str(found[4][0]) for found in socket.getaddrinfo(host, None)})
    return (host,)

"""Runs a program with all that it asks led through a recorder, and says of it in the cassette."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from typing_extensions import override

from mockserver.asgi.addresses import url_of
from mockserver.capture.recorder import Recorder
from mockserver.capture.server import CaptureProxy, CaptureServer, ForwardListener
from mockserver.capture.setup import client_environment
from mockserver.capture.upstream import ProgramRoute, parse_upstream
from mockserver.cassettes.files import read_cassette, write_cassette
from mockserver.errors import MockServerError
from mockserver.fronts.interception import prepare_interception
from mockserver.http.server import bind, real_time
from mockserver.messages import split_url
from mockserver.model import RecordedProgram
from mockserver.model.programs import MEMBER
from mockserver.models.providers import PROVIDERS
from mockserver.sessions.environment import TOOLS_OF_AGENT

Outcome = TypeVar("Outcome")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "0.0.0.0"})  # noqa: S104  (is compared)
_NAMES_OF_URLS = ("_URL", "_URI", "_ENDPOINT", "_BASE", "_HOST")
_HTTP = ("http://", "https://")


def base_urls(environ: Mapping[str, str], named: Iterable[str] = ()) -> dict[str, str]:
    """The environment variables that clients find base URLs in, with what they lead to.

    Those of the providers of models, at their own address where they are not set; those that lead
    to this machine, where no proxy is asked; and those that are named.

    Raises:
        MockServerError: A variable that is named holds no URL.

    >>> base_urls({"SHOP_URL": "http://localhost:80/a/"})["SHOP_URL"]
    'http://localhost:80/a'
    """
    found: dict[str, str] = {}
    for provider in PROVIDERS:
        for number, (name, path) in enumerate(provider.variables.items()):
            if environ.get(name):
                value = environ[name]
                found[name] = value if "://" in value else f"http://{value}"
            elif not number and provider.address:
                found[name] = f"{provider.address}{path}"
    for name, value in environ.items():
        is_url = name.endswith(_NAMES_OF_URLS) and value.startswith(_HTTP)
        if is_url and name not in found and split_url(value).host.lower() in _LOOPBACK:
            found[name] = value
    for name in named:
        if not environ.get(name, "").startswith(_HTTP):
            raise MockServerError(
                f"the environment variable {name} holds no http or https URL",
                hint=f"set it to the base URL that the program is to ask: {name}=https://...",
            )
        found[name] = environ[name]
    return {name: url for name, value in found.items() if (url := _usable(value))}


def _usable(value: str) -> str:
    """A base URL as requests can be led to it, or an empty string."""
    url = split_url(value)
    host = "127.0.0.1" if url.host == "0.0.0.0" else url.host  # noqa: S104  (nobody listens)
    with suppress(MockServerError):
        return parse_upstream(f"{url.scheme}{host}{url.port}{url.path}{url.query}")
    return ""


class ProgramListener(ForwardListener):
    """Where one program comes in: through a proxy, and at base URLs.

    Args:
        direct: Where base URLs lead.
        forward: Where it comes in that was told of a proxy.
    """

    def __init__(self, direct: socket.socket, forward: ForwardListener) -> None:
        self._direct = direct
        self._forward = forward
        self.ready = asyncio.Event()

    @override
    def sockets(self) -> list[socket.socket]:
        """That of base URLs; connections to the proxy reach the server once they are decrypted."""
        return [self._direct]

    @override
    async def open(self, server: CaptureServer) -> None:
        """Listen, and say that it is ready."""
        await self._forward.open(server)
        self.ready.set()

    @override
    async def close(self) -> None:
        """Accept no more."""
        await self._forward.close()


class ProgramEntrance(NamedTuple):
    """How a program gets to its recorder.

    Attributes:
        route: Where its requests lead.
        listener: Where it comes in.
        block: The environment that leads it there.
    """

    route: ProgramRoute
    listener: ProgramListener
    block: dict[str, str]


def program_entrance(capturing: CaptureProxy, bases: Mapping[str, str]) -> ProgramEntrance:
    """Where one program comes in, on free ports of this machine; on the running loop.

    Args:
        capturing: What records.
        bases: The variables of base URLs, with what they lead to.

    Raises:
        MockServerError: There is no place for the certificate authority, or no port.
    """
    authority, files = prepare_interception(real_time)
    host = "127.0.0.1"
    direct, through = bind(host, 0), bind(host, 0)
    url, port = url_of(host, direct.getsockname()[1]), through.getsockname()[1]
    forward = ForwardListener(
        through, authority, capturing.grpc(), ready=_nobody_waits, report=capturing.queue.tell
    )
    own = {url.partition("://")[2], f"localhost:{url.rpartition(':')[2]}", f"{host}:{port}"}
    block = client_environment(url_of(host, port), port, files)
    block |= {name: f"{url}/{name}" for name in (*bases, TOOLS_OF_AGENT)}
    capturing.tools_at = f"/{TOOLS_OF_AGENT}/"
    route = ProgramRoute(own=frozenset(own), bases=dict(bases))
    return ProgramEntrance(route, ProgramListener(direct, forward), block)


def _nobody_waits() -> None:
    """The listener says itself when it is ready."""


async def serve_while(
    capturing: CaptureProxy, entrance: ProgramEntrance, work: Callable[[], Awaitable[Outcome]]
) -> Outcome:
    """Let a recorder run while something is done.

    Args:
        capturing: What records.
        entrance: Where the program comes in.
        work: What is done once it is ready; cancelled when the recorder stops.

    Raises:
        MockServerError: The recorder was stopped, or cannot go on.
    """
    serving = asyncio.create_task(capturing.serve(entrance.route, entrance.listener))
    working = asyncio.create_task(_work_once_ready(entrance.listener.ready, work))
    try:
        await asyncio.wait([serving, working], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        await serving
        raise MockServerError("the recorder was stopped before the program had ended")
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError, MockServerError):
            await working
        capturing.stop()
        await serving


async def _work_once_ready(ready: asyncio.Event, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
    await ready.wait()
    return await work()


def describe_program(path: Path, recorder: Recorder, program: RecordedProgram) -> RecordedProgram:
    """Say in a finished cassette how its program was run, without secrets; what is said.

    Raises:
        MockServerError: The cassette cannot be read or written.
    """
    redactor = recorder.redactor
    clean = RecordedProgram.model_validate(redactor.redact_json(program.model_dump(mode="json")))
    cassette = read_cassette(path)
    urls = tuple(each.request.url for each in cassette.interactions)
    bases = {name: redactor.redact_target(url) for name, url in program.variables.items()}
    used = {name: url for name, url in bases.items() if any(one.startswith(url) for one in urls)}
    clean = clean.model_copy(update={"variables": used})
    extra = {**cassette.info.extra, MEMBER: clean.model_dump(mode="json", exclude_none=True)}
    write_cassette(replace(cassette, info=replace(cassette.info, extra=extra)), path)
    return clean

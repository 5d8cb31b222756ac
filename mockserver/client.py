"""The door to a running server: start or attach, open sessions, read their reports."""

import re
import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from shutil import copyfile, copytree
from types import TracebackType
from typing import TYPE_CHECKING, Self

import httpx
import orjson

from mockserver.children import child_command
from mockserver.errors import (
    FormatError,
    MockServerError,
    Problem,
    ServerUnavailableError,
    SessionError,
)
from mockserver.keepalive import Answer, KeepAlive
from mockserver.model import (
    Cassette,
    CredentialKind,
    Journal,
    JsonObject,
    RecordedProgram,
    SessionInfo,
    SessionReport,
    SessionSpec,
    Tampering,
    program_of,
)
from mockserver.process import ServerProcess, forbid_inspection

if TYPE_CHECKING:
    from mockserver.snapshots.vocabulary import Vocabulary as Vocabulary  # for those that annotate

__all__ = [
    "MockServer",
    "copy_cassette",
    "declared_hosts",
    "forbid_inspection",
    "merged_snapshot",
    "merged_snapshots",
    "names",
    "recorded_program",
    "snapshot_problems",
]

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_PATIENT = httpx.Timeout(None, connect=5.0)
"""For what takes as long as the suite is large; a server that is gone ends the connection."""

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./?=&,:~-]+")
"""Paths that are sent as they are; httpx writes others so that they may be sent."""

_TOKEN_BYTES = 32
_LIMITS = httpx.Limits(max_connections=64, max_keepalive_connections=64)


class MockServer:
    """A server to open sessions on; closing it stops the process if it was started here.

    Attributes:
        url: `http://host:port`.
        health: What the server said about itself when it was attached to.
    """

    def __init__(
        self, client: httpx.AsyncClient, health: JsonObject, process: ServerProcess | None = None
    ) -> None:
        self.url = str(client.base_url).rstrip("/")
        self.health = health
        self._client = client
        self._process = process
        self._plain = _plain_requests(client)

    @classmethod
    async def attach(cls, url: str, *, token: str = "") -> Self:
        """Use a server that is running.

        Raises:
            ServerUnavailableError: No mock server answers there.
        """
        client = _client(url, token)
        try:
            return cls(client, await _health(client))
        except ServerUnavailableError:
            await client.aclose()
            raise

    @classmethod
    async def start(
        cls,
        fixtures: Path | None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        log: Path | None = None,
        options: Sequence[str] = ("--no-proxy",),
    ) -> Self:
        """Start a server in a process group of its own, and wait until it answers.

        It stops when this process ends, however it ends. Its control token is made here and told
        through its standard input: it is in no command line and in no environment.

        Args:
            fixtures: The suite to serve.
            host: The address to listen on.
            port: The port; 0 takes a free one.
            log: Where the server's messages go; a temporary file when None.
            options: Further options of `understudy serve`. Without `--no-proxy`, the environment of
                its sessions leads clients through its proxy.

        Raises:
            ServerUnavailableError: It did not come up; the message holds the end of its log.
        """
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        process = await ServerProcess.spawn(
            [*_arguments(fixtures, host, port), *options], log, stdin=f"{token}\n".encode()
        )
        try:
            client = _client(await process.ready_url(), token)
        except ServerUnavailableError:
            await process.stop()
            raise
        try:
            return cls(client, await _health(client), process)
        except ServerUnavailableError:
            await client.aclose()
            await process.stop()
            raise

    @property
    def token(self) -> str:
        """The control token, for programs that are no agents; an empty string where it has none."""
        return str(self._client.headers.get("authorization", "")).removeprefix("Bearer ")

    async def __aenter__(self) -> Self:
        """The server itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        await self.close()

    async def open(self, spec: SessionSpec) -> SessionInfo:
        """Open a session.

        Raises:
            SessionError: The server refuses it; `status` says why.
            ServerUnavailableError: The server does not answer.
        """
        content = spec.model_dump_json(exclude_defaults=True).encode()
        answer = await self._ask("POST", "/_mock/sessions", content)
        return SessionInfo.model_construct(**orjson.loads(answer))

    async def close_session(
        self, session_id: str, collections: Sequence[str] = ()
    ) -> SessionReport:
        """Close a session and take its report, with the state of some collections.

        Raises:
            SessionError: Unknown (404) or closed already (410).
            ServerUnavailableError: The server does not answer.
        """
        query = f"?collections={','.join(collections)}" if collections else ""
        answer = await self._ask("DELETE", f"/_mock/sessions/{session_id}{query}")
        return SessionReport.model_validate_json(answer)

    async def session(self, session_id: str) -> SessionInfo:
        """What an open or closed session is known by.

        Raises:
            SessionError: Unknown (404).
            ServerUnavailableError: The server does not answer.
        """
        answer = await self._ask("GET", f"/_mock/sessions/{session_id}")
        return SessionInfo.model_validate_json(answer)

    async def journal(self, session_id: str, *, bodies: bool = False) -> Journal:
        """What a session was asked so far.

        Args:
            session_id: The session.
            bodies: Whether the bodies of its responses are wanted, too.

        Raises:
            SessionError: Unknown (404).
            ServerUnavailableError: The server does not answer.
        """
        answer = await self._ask(
            "GET", f"/_mock/sessions/{session_id}/journal?bodies={int(bodies)}"
        )
        return Journal.model_validate_json(answer)

    async def merged(self, session_id: str) -> JsonObject:
        """The raw snapshot that a session started from.

        Raises:
            SessionError: Unknown (404) or closed (410).
            ServerUnavailableError: The server does not answer.
        """
        found: JsonObject = orjson.loads(
            await self._ask("GET", f"/_mock/sessions/{session_id}/merged")
        )
        return found

    async def tools(self, session_id: str) -> tuple[str, ...]:
        """The names of the tools that a session answers for; asking is journalled there.

        Raises:
            SessionError: There is no such session.
            ServerUnavailableError: The server does not answer.
        """
        listing = orjson.loads(await self._ask("GET", f"/s/{session_id}/tools"))
        return tuple(str(tool["name"]) for tool in listing["tools"])

    async def credentials(
        self, session_id: str, kind: CredentialKind, *, endpoint: str = "server"
    ) -> JsonObject:
        """Credentials of a session: the content of their file, or variables for `metadata`.

        Args:
            session_id: The session.
            kind: Which credentials.
            endpoint: Where clients ask: `server`, or `google` for those that come through a proxy.

        Raises:
            SessionError: Unknown (404) or closed (410).
            ServerUnavailableError: The server does not answer.
        """
        path = f"/_mock/sessions/{session_id}/credentials?kind={kind}&endpoint={endpoint}"
        found: JsonObject = orjson.loads(await self._ask("GET", path))
        return found

    async def tampering(self) -> tuple[Tampering, ...]:
        """What was tried and refused, of callers that are of no open session; since its start.

        Raises:
            ServerUnavailableError: The server does not answer.
            SessionError: The server is of an earlier version.
        """
        found = orjson.loads(await self._ask("GET", "/_mock/tampering"))
        return tuple(Tampering.model_validate(each) for each in found["attempts"])

    async def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the snapshots that the server serves, base and every case.

        It takes as long as reading them takes; the server keeps them for its sessions.

        Raises:
            ServerUnavailableError: The server does not answer.
            SessionError: The server is of an earlier version.
        """
        found = orjson.loads(await self._ask("GET", "/_mock/problems", patient=True))
        return tuple(Problem(**each) for each in found["problems"])

    async def connections(self) -> dict[str, int]:
        """What a hermetic server tried to reach: `opened` here, `refused` elsewhere.

        Empty for a server that may reach what it likes.

        Raises:
            ServerUnavailableError: The server does not answer.
        """
        return dict((await _health(self._client)).get("connections") or {})

    async def waits(self) -> JsonObject:
        """What the server waits for: `waits`, `overdue`, and where its `tasks` stand.

        Raises:
            ServerUnavailableError: The server does not answer.
        """
        return await _health(self._client, "?tasks")

    def log(self) -> str:
        """What a server that was started here wrote to its log: tracebacks of its defects."""
        return self._process.log_text() if self._process else ""

    def last_line(self) -> str:
        """The last line of that log, to be put behind a message, or an empty string."""
        return self._process.last_line() if self._process else ""

    async def close(self) -> None:
        """Let go of the server; a process that was started here is stopped."""
        await self._client.aclose()
        if self._process is not None:
            await self._process.stop()

    async def _ask(
        self,
        verb: str,
        path: str,
        content: bytes | None = None,
        *,
        patient: bool = False,
    ) -> bytes:
        try:
            plain = None if self._client.is_closed else self._plain
            if plain is not None and _PLAIN_PATH.fullmatch(path):
                status, _, body = await plain.ask(verb, path, content, patient=patient)
            else:
                typed = {"content-type": "application/json"} if content is not None else None
                answer = await self._client.request(
                    verb,
                    path,
                    content=content,
                    headers=typed,
                    timeout=_PATIENT if patient else _TIMEOUT,
                )
                status, body = answer.status_code, answer.content
        except httpx.HTTPError as error:
            raise self._unavailable(error) from error
        if status >= 400:
            raise _refusal(status, body, self.last_line() if status >= 500 else "")
        return body

    def _unavailable(self, error: httpx.HTTPError) -> ServerUnavailableError:
        reason = str(error) or type(error).__name__
        return ServerUnavailableError(f"no answer from {self.url}: {reason}{self.last_line()}")


class _PlainRequests:
    """Small requests to a server without TLS, written as they are sent.

    A run asks thousands, and making values of each for httpx takes longer than to send it.
    """

    def __init__(self, client: httpx.AsyncClient, transport: KeepAlive) -> None:
        url = client.base_url
        self._place = url.host, url.port or 80
        self._prefix = url.raw_path.rstrip(b"/")
        self._transport = transport
        sent = [(b"Host", url.netloc), *client.headers.raw]
        self._head = b"".join(
            b"%s: %s\r\n" % pair for pair in sent if pair[0].lower() != b"accept-encoding"
        )

    async def ask(self, verb: str, path: str, content: bytes | None, *, patient: bool) -> Answer:
        """Status, headers and body of the answer to a request; raises HTTPError."""
        line = b"%s %s%s HTTP/1.1\r\n" % (verb.encode(), self._prefix, path.encode())
        body = b""
        if content is not None:
            body = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
                len(content),
                content,
            )
        data = line + self._head + (body or b"\r\n")
        return await self._transport.exchange(*self._place, data, patient=patient)


def _plain_requests(client: httpx.AsyncClient) -> _PlainRequests | None:
    """Over the connections of a client of ours; None for any other, and where its URL says more."""
    transport = client._transport  # noqa: SLF001  (httpx does not tell what it was made with)
    if not isinstance(transport, KeepAlive) or client.base_url.userinfo:
        return None
    return _PlainRequests(client, transport)


def merged_snapshot(fixtures: Path, spec: SessionSpec) -> JsonObject:
    """The raw snapshot that a session of a suite would start from, without a server.

    Raises:
        MockServerError: An unknown case or override, or a file that cannot be read.
    """
    from mockserver.snapshots.resolver import SnapshotResolver

    return SnapshotResolver(fixtures).merged_snapshot(spec)


def declared_hosts(fixtures: Path) -> frozenset[str]:
    """The hosts of the APIs that a suite declares, and of providers where it scripts models.

    No Python function of the suite is run. Hosts of providers may be patterns.

    Raises:
        InvalidFilesError: A declaration or a script cannot be served.
    """
    from mockserver.models.catalog import suite_models
    from mockserver.snapshots.resolver import suite_apis

    return suite_apis(fixtures).hosts | suite_models(fixtures).hosts


def merged_snapshots(fixtures: Path, specs: Sequence[SessionSpec]) -> list[JsonObject | None]:
    """The raw snapshots that sessions of a suite would start from; None where one cannot be read.

    Raises:
        FormatError: There is no such folder.
    """
    from mockserver.snapshots.resolver import SnapshotResolver

    worlds = SnapshotResolver(fixtures)
    found: list[JsonObject | None] = []
    for spec in specs:
        try:
            found.append(worlds.merged_snapshot(spec))
        except MockServerError:
            found.append(None)
    return found


@cache
def names() -> "Vocabulary":
    """What the emulated APIs can tell apart: methods, collections, tools, and what is in them."""
    from mockserver.snapshots.vocabulary import Vocabulary

    return Vocabulary()


def snapshot_problems(
    fixtures: Path, *, content: bool = True, hints: bool = False, now: datetime | None = None
) -> tuple[Problem, ...]:
    """Everything that is wrong with the snapshots of a suite, base and every case.

    Args:
        fixtures: The suite.
        content: Also hold what can be served against the Discovery documents, as warnings.
        hints: Also tell values that no person can read.
        now: What no snapshot was taken after; None: that is not looked at.

    Raises:
        FormatError: There is no such folder.
    """
    from mockserver.snapshots.lint import lint_suite

    return lint_suite(fixtures, content=content, hints=hints, now=now).problems


def _client(url: str, token: str) -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    transport = KeepAlive() if url.startswith("http://") else None
    # a proxy of the environment must never come between a harness and its own server
    try:
        return httpx.AsyncClient(
            base_url=url,
            headers=headers,
            timeout=_TIMEOUT,
            limits=_LIMITS,
            transport=transport,
            trust_env=False,
        )
    except httpx.InvalidURL as error:
        raise ServerUnavailableError(f"{url!r} is no URL: {error}") from error


async def _health(client: httpx.AsyncClient, query: str = "") -> JsonObject:
    url = str(client.base_url).rstrip("/")
    try:
        answer = await client.get(f"/_mock/health{query}")
        health = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        raise ServerUnavailableError(
            f"no mock server answers at {url}", hint="start one with `understudy serve`"
        ) from error
    if answer.status_code != 200 or not isinstance(health, dict) or health.get("status") != "ok":
        raise ServerUnavailableError(f"what answers at {url} is not a mock server")
    if health.get("protected") and "pid" not in health:
        raise ServerUnavailableError(f"{url} needs its token", hint="pass the server's --token")
    return health


def _refusal(status: int, body: bytes, last_line: str) -> MockServerError:
    try:
        error = orjson.loads(body)["error"]
        message, hint = str(error["message"]), str(error.get("hint", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        message, hint = f"the server answered {status}", ""
    message += last_line
    if status == 401:
        return ServerUnavailableError(message, hint=hint)
    return SessionError(message, status=status, hint=hint)


def _arguments(fixtures: Path | None, host: str, port: int) -> list[str]:
    served = [] if fixtures is None else ["--fixtures", str(fixtures)]
    fixed = ["--host", host, "--port", str(port), "--no-default", "--until-eof", "--quiet"]
    token = ["--token-file", "-"]
    return child_command("mockserver.cli.main:main", "serve", *served, *fixed, *token)


def recorded_program(path: Path) -> RecordedProgram | None:
    """The program whose traffic a cassette holds; None where it tells of none.

    Raises:
        MockServerError: The cassette is not there, or cannot be read.
    """
    from mockserver.cassettes.foreign import read_foreign
    from mockserver.sessions.cassette_library import NOWHERE

    if not path.exists():
        raise MockServerError(f"{path}: no such cassette")
    info = read_foreign(path, upstream=NOWHERE)[0].info
    try:
        return program_of(info.extra)
    except ValueError as error:
        raise FormatError(str(path), str(error)) from error


def recorded_cassette(path: Path) -> Cassette:
    """A cassette that was recorded here.

    Raises:
        MockServerError: It is not there, or cannot be read.
    """
    from mockserver.cassettes.files import read_cassette

    if not path.exists():
        raise MockServerError(f"{path}: no such cassette")
    return read_cassette(path)


def journal_difference(recorded: Journal, now: Journal, *, with_answers: bool) -> str:
    """The first request in which a session is not what another one was at the same moment.

    Calls of models are left out, and dates, times and the ids of the sessions do not count. Where
    the same requests came in another order, as they may from an agent that asks several things at
    once, there is no difference.

    Args:
        recorded: The journal of the other session, to its end.
        now: The journal of the session, so far.
        with_answers: Whether answers are compared beside their status: those of sessions whose
            clocks go may differ in what follows from the time.

    Returns:
        One sentence, or an empty string.
    """
    from mockserver.inspection.journal_comparison import journal_difference

    return journal_difference(recorded, now, with_answers=with_answers)


def copy_cassette(path: Path, to: Path) -> None:
    """Copy a cassette with the files of its bodies.

    Raises:
        MockServerError: It cannot be written.
    """
    from mockserver.cassettes.files.body_files import bodies_folder

    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        copyfile(path, to)
        if bodies_folder(path).is_dir():
            copytree(bodies_folder(path), bodies_folder(to), dirs_exist_ok=True)
    except OSError as error:
        raise MockServerError(f"cannot write {to}: {error.strerror or error}") from error

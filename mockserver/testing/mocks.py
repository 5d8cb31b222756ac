"""A session of the mock inside this process, to which unchanged clients are led while it is open.

with mock("fixtures/chrome-enterprise", case="EC-001") as world:
    agent.run()
assert world.diff

@mock("fixtures/travel")
def test_booking(): ...
"""

import functools
import inspect
import os
import tempfile
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, ClassVar, Self, TypedDict, TypeVar, cast

import orjson
from pydantic import ValidationError
from typing_extensions import Unpack

from mockserver.errors import MockServerError, plain_reason
from mockserver.model import (
    Fault,
    FaultReport,
    Journal,
    JournalEntry,
    Json,
    JsonObject,
    SessionReport,
    SessionSpec,
    did_you_mean,
)
from mockserver.settings import Settings
from mockserver.storage import APIS, MODELS
from mockserver.testing.transports import lead_clients

__all__ = ["Mock", "MockOptions", "current_mock", "mock", "requests_summary"]

Decorated = TypeVar("Decorated")


class MockOptions(TypedDict, total=False):
    """What `mock` takes beside a suite; also the fields of `mockserver.model.SessionSpec`.

    Attributes:
        case: A case of the suite: its override, faults and clock.
        overrides: Names of overrides of the suite, or layers as JSON objects.
        base: Whether the base snapshot is loaded.
        faults: What the session fails with, as `Fault` or as objects with its fields.
        clock: `shift`, `real`, `frozen` or `frozen:<RFC 3339>`.
        seed: Where ids come from.
        cassette: A file of recordings; hosts that it has recordings of are answered from it.
        record: What is recorded into the cassette: `none`, `once`, `new_episodes`, `all`,
            `refresh`. While it records, clients meet the live APIs.
        redaction: The file of redaction rules beside the common ones.
        tunnel: Hosts that clients reach themselves, as globs.
        listen: Whether the session can also be reached by a proxy on a port, by programs that this
            process starts and by gRPC.
        environment: Whether the variables of the session are set in `os.environ`.
        trusted: Whether Python functions that the suite names are run.
    """

    case: str | None
    overrides: Iterable[str | JsonObject]
    base: bool
    faults: Iterable[Fault | JsonObject]
    clock: str
    seed: int
    profile: str
    auth: str
    sources: Iterable[str]
    cassettes: Iterable[str]
    repeats: str
    barriers: str
    match: Iterable[str]
    exact: bool
    pace: float
    tools: JsonObject
    cassette: str | Path | None
    record: str
    redaction: Path | None
    tunnel: Iterable[str]
    listen: bool
    environment: bool
    trusted: bool


MODES = ("none", "once", "new_episodes", "all", "refresh")
_OWN = frozenset({"cassette", "record", "redaction", "tunnel", "listen", "environment", "trusted"})
_KNOWN = frozenset(MockOptions.__annotations__)
_MOST_LINES = 50
_MOST_SERVERS = 8

_open: list["Mock"] = []
_servers: dict[object, Any] = {}
_lock = Lock()


def mock(suite: str | Path | None = None, **options: Unpack[MockOptions]) -> "Mock":
    """A session that unchanged HTTP clients meet: as a context manager or as a decorator.

    As a decorator of a function, async or not, each call has a session of its own; of a
    `unittest.TestCase`, each test with its `setUp`; of another class, each method `test*`.

    Args:
        suite: The suite's folder; None starts from an empty world.
        options: What the session starts from, see `MockOptions`.

    Raises:
        MockServerError: An option is unknown, or has a value that no session can have.
    """
    return Mock(suite, options)


def current_mock() -> "Mock":
    """The mock that was opened last and is still open.

    Raises:
        MockServerError: None is open.
    """
    if not _open:
        raise MockServerError(
            "no mock is open here", hint="with mockserver.testing.mock(...), or its decorator"
        )
    return _open[-1]


class Mock:
    """A session of the mock, see `mock`.

    Attributes:
        spec: What its session starts from.
        env: The variables of the session while it is open.
    """

    def __init__(self, suite: str | Path | None, options: MockOptions) -> None:
        self._suite = None if suite is None else Path(suite)
        self._options = options
        self.spec = _session_spec(options)
        self.env: dict[str, str] = {}
        self._record = str(options.get("record", "none"))
        if self._record not in MODES:
            raise MockServerError(f"record={self._record!r}: known are {', '.join(MODES)}")
        if self._record != "none" and not options.get("cassette"):
            raise MockServerError("record says how a cassette is recorded", hint="cassette=FILE")
        self._server: Any = None
        self._session: Any = None
        self._recording: Any = None
        self._report: SessionReport | None = None
        self._exits = ExitStack()

    def start(self) -> Self:
        """Open the session and lead the clients to it, until `stop`.

        Raises:
            MockServerError: The suite, a cassette or the session cannot be served.
        """
        if self._server is not None:
            raise MockServerError("this mock is open already", hint="make another one")
        with ExitStack() as exits:
            if self._record != "none":
                self._open_recording(exits)
            if self._recording is None:
                self._open_session(exits)
            _open.append(self)
            exits.callback(_open.remove, self)
            self._exits = exits.pop_all()
        return self

    def stop(self) -> None:
        """Leave the clients alone, and close the session; what it knows can still be read.

        Raises:
            MockServerError: What was recorded cannot be saved, or some of it is in question.
        """
        self._exits.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._session is not None:
            error.add_note(self.summary())
        self.stop()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, trace)

    def __call__(self, decorated: Decorated) -> Decorated:
        """A function or class whose tests each have a session of their own."""
        if isinstance(decorated, type):
            return cast("Decorated", self._decorate_class(decorated))
        return cast("Decorated", self._decorate(cast("Callable[..., Any]", decorated)))

    @property
    def id(self) -> str:
        """The session's id."""
        return str(self._open_session_or_error().id)

    @property
    def token(self) -> str:
        """An access token of the session."""
        return str(self._open_session_or_error().token)

    @property
    def base_url(self) -> str:
        """Where clients that are told an address ask: an API is at `<base_url>/<host>/`."""
        return f"{self._server.url}/s/{self.id}"

    @property
    def journal(self) -> Journal:
        """What was asked so far, with the bodies of the answers."""
        if self._report is not None:
            return self._report.journal
        session = self._open_session_or_error()
        return Journal.model_validate(self._ask(lambda: session.journal.as_json(session.id)))

    @property
    def requests(self) -> tuple[JournalEntry, ...]:
        """What was asked so far, in order."""
        return self.journal.entries

    @property
    def misses(self) -> tuple[JournalEntry, ...]:
        """What was asked and nothing could answer."""
        return tuple(each for each in self.requests if each.miss is not None)

    @property
    def diff(self) -> dict[str, JsonObject]:
        """What was changed: per collection `added`, `removed` and `changed`."""
        return self._report.diff if self._report is not None else self.report().diff

    def state(self, *collections: str) -> dict[str, Json]:
        """Collections as they are now, name to rows by key; all of them when none is named.

        Raises:
            MockServerError: There is no such collection, or the session is closed.
        """
        session = self._open_session_or_error()
        found: dict[str, Json] = self._ask(lambda: session.state(collections or None))
        return found

    def report(self, *collections: str) -> SessionReport:
        """All that the session knows, with the state of some collections.

        Raises:
            MockServerError: There is no such collection.
        """
        if self._report is not None and not collections:
            return self._report
        session = self._open_session_or_error()
        return SessionReport.model_validate(self._ask(lambda: session.report(collections)))

    @property
    def faults(self) -> tuple[FaultReport, ...]:
        """Every fault, with how often it was met."""
        return self._report.faults if self._report is not None else self.report().faults

    def add_fault(self, **fault: Json) -> None:
        """Fail from now on.

        Args:
            fault: The fields of a fault: `method="directory.users.*"`, `status=503`, ...

        Raises:
            MockServerError: There is no such fault.
        """
        session, made = self._open_session_or_error(), _fault(fault)
        self._ask(lambda: session.add_fault(made))

    def clear_faults(self) -> None:
        """Fail with nothing any more."""
        self._ask(self._open_session_or_error().clear_faults)

    @property
    def now(self) -> Any:
        """The session's time, a datetime."""
        session = self._open_session_or_error()
        return self._ask(session.clock.now)

    def advance(self, seconds: float) -> None:
        """Let time pass in the session.

        Raises:
            MockServerError: The step is negative or too long.
        """
        session = self._open_session_or_error()
        self._ask(lambda: session.advance(seconds))

    def reset(self) -> None:
        """Return to the moment after opening; the journal goes on."""
        self._ask(self._open_session_or_error().reset)

    def summary(self) -> str:
        """What was asked, a line each, and what nothing could answer."""
        if self._session is None and self._report is None:
            return "mock: live answers were recorded"
        unused = self.report().unused
        left = [f"  not played: {one.method} {one.url} (#{one.number} of {one.tape})"
                for one in unused[:_MOST_LINES]]  # fmt: skip
        return "\n".join([requests_summary(self.requests), *left])

    def _open_session(self, exits: ExitStack) -> None:
        from mockserver.testing.server import SessionRoute

        server = self._server = _server_of(self._settings(), self._options)
        exits.callback(self._forget_server)
        spec = self._played_spec()

        async def open_it() -> Any:
            return server.application.sessions.open(spec)

        session = self._session = server.loop.run(open_it())
        exits.callback(self._close_session)
        self.env = _variables(server, session, exits)
        if self._options.get("environment", True):
            exits.enter_context(_environment(self.env))
        exits.enter_context(lead_clients(SessionRoute(server, session)))

    def _open_recording(self, exits: ExitStack) -> None:
        from mockserver.testing.live import LiveServer

        live = LiveServer(
            Path(self._options["cassette"] or ""), self._record, self._options.get("redaction")
        )
        if live.records:
            self._recording = self._server = live
            exits.callback(self._forget_server)
            exits.callback(live.finish)
            exits.enter_context(lead_clients(live.route(tuple(self._options.get("tunnel", ())))))

    def _settings(self) -> Settings:
        if self._suite is not None and not self._suite.exists():
            raise MockServerError(f"{self._suite}: no such suite", hint="give the suite's folder")
        cassette = self._options.get("cassette")
        return Settings(
            fixtures=self._suite,
            cassettes=(Path(cassette),) if cassette else (),
            redaction=self._options.get("redaction"),
            trusted=self._options.get("trusted", False),
        )

    def _played_spec(self) -> SessionSpec:
        cassette = self._options.get("cassette")
        if not cassette:
            return self.spec
        named = (*self.spec.cassettes, Path(cassette).stem)
        return self.spec.model_copy(update={"cassettes": named})

    def _close_session(self) -> None:
        session = self._session
        self._report = SessionReport.model_validate(
            self._ask(lambda: self._server.application.sessions.close(session.id))
        )
        self._session = None

    def _forget_server(self) -> None:
        server, self._server, self._recording = self._server, None, None
        if self._options.get("listen") or server not in _servers.values():
            server.close()

    def _open_session_or_error(self) -> Any:
        if self._session is not None:
            return self._session
        if self._recording is not None:
            raise MockServerError("live answers are recorded: there is no session")
        raise MockServerError("the session is not open", hint="use the mock in a `with` block")

    def _ask(self, read: Callable[[], Any]) -> Any:
        async def answer() -> Any:
            return read()

        return self._server.loop.run(answer())

    def _again(self) -> "Mock":
        return Mock(self._suite, self._options)

    def _decorate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*args: Any, **kwargs: Any) -> Any:
                with self._again():
                    return await cast("Coroutine[Any, Any, Any]", function(*args, **kwargs))

            return call_async

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return call

    def _decorate_class(self, decorated: type) -> type:
        import unittest

        if issubclass(decorated, unittest.TestCase):
            decorated.run = self._decorate(decorated.run)  # type: ignore[method-assign]
            return decorated
        for name, value in list(vars(decorated).items()):
            if name.startswith("test") and callable(value):
                setattr(decorated, name, self._decorate(value))
        return decorated


def _session_spec(options: MockOptions) -> SessionSpec:
    odd = sorted(options.keys() - _KNOWN)
    if odd:
        raise MockServerError(
            f"mock takes no {odd[0]!r}", hint=did_you_mean(odd[0], sorted(_KNOWN))
        )
    fields = {name: value for name, value in options.items() if name not in _OWN}
    for name in ("overrides", "cassettes", "sources", "match", "faults"):
        if isinstance(fields.get(name), str | Mapping):
            raise MockServerError(f"{name}={fields[name]!r}: give a list")
    try:
        return SessionSpec.model_validate(fields)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        raise MockServerError(f"{place}={wrong['input']!r}: {plain_reason(wrong['msg'])}") from None


def _fault(fields: Mapping[str, Json]) -> Fault:
    try:
        return Fault.model_validate(fields)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        raise MockServerError(f"fault: {place}: {plain_reason(wrong['msg'])}") from None


def requests_summary(entries: Sequence[JournalEntry]) -> str:
    """Requests as people read them, a line each, the last fifty; with why one had no answer."""
    missed = sum(each.miss is not None for each in entries)
    noun = "request" if len(entries) == 1 else "requests"
    head = f"mock: {len(entries)} {noun}, {missed} without an answer"
    lines = [_line(*each) for each in _runs_of_equals(entries)]
    left_out = len(lines) - _MOST_LINES
    more = [f"  ... {left_out} lines before"] if left_out > 0 else []
    return "\n".join([head, *more, *lines[-_MOST_LINES:]])


def _runs_of_equals(entries: Iterable[JournalEntry]) -> list[tuple[JournalEntry, int]]:
    """The requests; those that came again at once, with the same answer, as one."""

    def line_of(entry: JournalEntry) -> object:
        return entry.http_method, entry.host, entry.path, entry.status, entry.fault, entry.miss

    runs = [tuple(equal) for _, equal in groupby(entries, key=line_of)]
    return [(run[0], len(run)) for run in runs]


def _line(entry: JournalEntry, times: int) -> str:
    asked = entry.path if entry.http_method == "CONNECT" else f"{entry.host}{entry.path}"
    by = f"fault {entry.fault}" if entry.fault else entry.source
    often = f", {times} times" if times > 1 else ""
    line = (
        f"  {entry.seq}. {entry.http_method} {asked} -> {entry.status}"
        f" ({entry.method_id or 'no method'}, {by}{often})"
    )
    if entry.miss is None:
        return line
    return f"{line}\n     {entry.miss.blame}: {entry.miss.reason}{entry.miss.near}"


def _server_of(settings: Settings, options: MockOptions) -> Any:
    """A server for such settings: shared by the mocks of this process, unless it listens."""
    from mockserver.testing.server import EmulatorServer

    tunnel, listen = tuple(options.get("tunnel", ())), bool(options.get("listen"))
    if listen:
        return EmulatorServer(settings, tunnel=tunnel, listen=True)
    folder = settings.fixtures.resolve() if settings.fixtures is not None else None
    cassettes = tuple(path.resolve() for path in settings.cassettes)
    key = (os.getpid(), folder, _stamps(folder), cassettes, settings.redaction, settings.trusted,
           tunnel)  # fmt: skip
    with _lock:
        found = _servers.pop(key, None) or EmulatorServer(settings, tunnel=tunnel)
        _servers[key] = found
        idle = [each for each, server in _servers.items() if not len(server.application.sessions)]
        for each in idle[: max(0, len(_servers) - _MOST_SERVERS)]:
            if _servers[each] is not found:
                _servers.pop(each).close()
        return found


def _stamps(folder: Path | None) -> tuple[tuple[str, int], ...]:
    """When declarations and scripts were written; all else is read again by each session."""
    if folder is None:
        return ()
    paths = sorted(path for name in (APIS, MODELS) for path in (folder / name).rglob("*"))
    return tuple((str(path), path.stat().st_mtime_ns) for path in paths)


def _variables(server: Any, session: Any, exits: ExitStack) -> dict[str, str]:
    """The variables that lead agents to a session, with a file of its credentials."""
    from mockserver.http.control import session_info
    from mockserver.sessions.credential_files import credential_urls, make_credentials

    settings = server.application.settings
    info = session_info(session, server.url, settings)
    block: dict[str, str] = info["env"]
    for api in server.application.dispatcher.routes.declared.apis:
        block |= api.environment(info["base_url"], session.token)
    models = server.application.dispatcher.routes.models
    block |= models.environment(info["base_url"], session.token)
    places = credential_urls(session, server.url, "google")

    async def make() -> JsonObject:
        return make_credentials(session, "authorized_user", places)

    made = server.loop.run(make())
    folder = exits.enter_context(tempfile.TemporaryDirectory(prefix="understudy-"))
    file = Path(folder) / "credentials.json"
    file.write_bytes(orjson.dumps(made))
    return {
        **block,
        "GOOGLE_APPLICATION_CREDENTIALS": str(file),
        "GOOGLE_CLOUD_PROJECT": str(made["quota_project_id"]),
    }


class _environment:  # noqa: N801  (used like a function)
    """Sets variables for a while; several may overlap, in threads, and end in any order."""

    _open: ClassVar[list["_environment"]] = []
    _lock: ClassVar[Lock] = Lock()

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self.before: dict[str, str | None] = {}

    def __enter__(self) -> None:
        with self._lock:
            self.before = {name: os.environ.get(name) for name in self._variables}
            os.environ.update(self._variables)
            self._open.append(self)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            place = self._open.index(self)
            later = self._open[place + 1 :]
            del self._open[place]
            for name, value in self.before.items():
                heir = next((each for each in later if name in each.before), None)
                if heir is not None:
                    heir.before[name] = value  # what it found was ours
                elif value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

"""Open sessions, and the memory of closed ones."""

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from hmac import compare_digest
from itertools import islice
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

from mockserver.apis import tools
from mockserver.errors import SessionError
from mockserver.googleapi import Caller
from mockserver.model import (
    Auth,
    Fault,
    Json,
    JsonObject,
    Profile,
    SessionSpec,
    Tampering,
    did_you_mean,
    shortened,
)
from mockserver.models.conversations import Conversations
from mockserver.sessions.faults import SessionFaults
from mockserver.sessions.journal import Entry, ObservedJournal, SessionJournal
from mockserver.sessions.media import MediaStore
from mockserver.sessions.scheduling import Queue
from mockserver.sessions.spans import SessionSpans
from mockserver.state import (
    TOKENS,
    UNGUARDED,
    Base,
    Change,
    Clock,
    Ids,
    RealTime,
    World,
    find_token,
    first_token,
    long_scope,
    rfc3339,
)

if TYPE_CHECKING:
    from mockserver.routing import Route
    from mockserver.sessions.recordings import Replay


SOURCES = ("stub", "cassette", "state", "document")
"""Who answers in a session with cassettes that does not say."""


Observer = Callable[[str, Entry], None]
"""Who is handed the id of a session and each entry of its journal."""


class Bases(Protocol):
    """Where sessions get what they start from."""

    def base(self, spec: SessionSpec) -> Base:
        """The resolved snapshot of a session; raises MockServerError."""
        ...

    def is_at_hand(self, spec: SessionSpec) -> bool:
        """Whether that takes no time, because it was asked for before."""
        ...

    def cases(self) -> tuple[str, ...]:
        """The cases that a session may be opened on."""
        ...

    def merged_snapshot(self, spec: SessionSpec) -> JsonObject:
        """The resolved snapshot as written."""
        ...


class Cassettes(Protocol):
    """Where sessions get their recordings."""

    def replay(self, spec: SessionSpec) -> "Replay | None":
        """The recordings of a session, or None for one without; raises MockServerError."""
        ...


def with_sources(spec: SessionSpec) -> SessionSpec:
    """A spec whose sources include its cassettes, where it does not say which there are."""
    if spec.cassettes and "sources" not in spec.model_fields_set:
        return spec.model_copy(update={"sources": SOURCES})
    return spec


DEFAULT_ID = "default"
_REMEMBERED = 20_000
"""Closed sessions that are still answered with 410; older ones are unknown."""

_LATE_BYTES = 64 * 1024
"""What the journal of a closed session may hold."""

_ROOM = timedelta(days=366)
"""What dates must have left after a session's time: what is made in it may expire later."""

_COMPARED = 500
"""Open sessions, the latest first, among which the nearest id is looked for."""

_FEW_ROWS = 200
"""Looking through so many takes no longer than other requests do."""

_MANY_ROWS = 5000
_LONG_JOURNAL = 1024 * 1024
"""From so much on a session is large."""

_MOST_ATTEMPTS = 100
"""Attempts of one session that are kept; its journal has the later ones, while it has room."""

_MOST_STRANGERS = 1000
"""Attempts of unknown callers that are kept."""

random_secret = partial(token_hex, 16)
"""128 random bits as text."""

_CLOSED_SPEC = SessionSpec()
_NOTHING = Base(tables={}, times={}, captured_at=datetime.fromtimestamp(0, UTC))


class Session:
    """One isolated world with its journal and faults; each is made on first use.

    What is made is kept in the dictionary of the instance, the rest in slots: most sessions are
    opened long before they are asked anything.

    Attributes:
        id: The session's id.
        spec: What it was opened with.
        sources: Who answers in it, in order.
        profile: How strictly it holds requests to the documents.
        auth: What it asks of credentials.
        base: The snapshot it started from.
        clock: Its clock.
        token: The bearer token that names it.
        replay: Its recordings, or None.
        closed: Whether it was closed; then only its journal of late requests is left.
        queue: The requests that wait for a long one of this session; None where there is none.
        has_faults: Whether any fault is set.
        reset_at: The number of the journal entry of its latest reset; 0 before the first.
        tampering: What its agent tried and may not do; only ever added to.
        observer: Who is handed its id and each journal entry, or None.
        problem: Why what it saw is no evidence, or an empty string.
        next_base: The snapshot that it starts from at its next reset, where that is another.
        base_before_stubs: The snapshot that it started from, where stubs were added to it.
        is_slow: Whether each request is a long one: an answer may have its body in a file.
        answered_by: Its sources, whether it has stubs, whether it has recordings.
        names_calls: Whether the id of a stub or a tool may name a call that no document describes.
    """

    __slots__ = (
        "__dict__", "_caller", "_earlier", "_earlier_writes", "_journal_bytes", "_real", "_secret",
        "answered_by", "auth", "base", "clock", "closed", "has_faults", "id", "is_slow",
        "names_calls", "observer", "profile", "queue", "replay", "reset_at", "sources", "spec",
        "tampering", "token",
    )  # fmt: skip

    problem = ""
    next_base: Base | None = None
    base_before_stubs: Base | None = None

    def __init__(
        self,
        session_id: str,
        spec: SessionSpec,
        base: Base,
        *,
        real: RealTime,
        journal_bytes: int,
        secret: str = UNGUARDED,
    ) -> None:
        self.id = session_id
        self._take(spec)
        self.base = base
        self.observer: Observer | None = None
        self.token = first_token(session_id, secret)
        self.closed = False
        self.queue: Queue | None = None
        self.replay: Replay | None = None
        self.is_slow = False
        self.reset_at = 0
        self.tampering: list[Tampering] = []
        self._secret = secret
        self._real = real
        self._journal_bytes = journal_bytes
        self._earlier: dict[str, JsonObject] = {}
        self._earlier_writes: set[str] = set()
        self._begin()

    def _take(self, spec: SessionSpec) -> None:
        """Go by a spec; what each request asks of it is at hand."""
        self.spec = spec
        self.sources = spec.sources
        self.profile: Profile = spec.profile
        is_scoped = spec.profile == "strict" or spec.scopes
        self.auth: Auth = spec.auth or ("scopes" if is_scoped else "off")

    def reset(self, client: bytes = b"") -> None:
        """Return to the moment after opening: state, clock, ids, faults, recordings.

        The journal goes on, with an entry that says so, and the report still holds what was
        changed before: a trial cannot be made undone.

        Args:
            client: What the caller says it is.
        """
        self.reset_at = self._record_control("POST", "reset", client)
        if self._world is not None:
            self._keep_changes(self._world)
        if self.replay is not None:
            self.replay.reset()
        if self.next_base is not None:
            self.base, self.next_base = self.next_base, None
        elif self.base_before_stubs is not None:
            self.base = self.base_before_stubs
        self.base_before_stubs = None
        self._begin()

    def undo(self, since: int | None, client: bytes = b"") -> list[Change]:
        """Take changes back, with an entry in the journal; the report still holds them.

        Args:
            since: The number of the last change that stays; None takes back what the latest
                request that changed something did.
            client: What the caller says it is.

        Returns:
            What was taken back, the latest first.

        Raises:
            SessionError: 410: some of them are forgotten; 400: there is no such change.
        """
        world, history = self.world, self.world.history
        latest = history.latest
        since = history.before_latest_request() if since is None else since
        if not 0 <= since <= latest:
            raise SessionError(f"there is no change {since}: the latest is {latest}")
        self._record_control("POST", "undo", client)
        self._keep_changes(world)
        try:
            return world.undo(since)
        except LookupError as error:
            raise SessionError(str(error), status=410, hint="reset the session") from error

    def _keep_changes(self, world: World) -> None:
        """Keep for the report what was changed and will not be."""
        self._earlier = _join_changes(self._earlier, world.diff())
        self._earlier_writes.update(world.written_collections())

    def add_stub(self, stub: JsonObject, client: bytes = b"") -> None:
        """Answer with a further literal answer from now on, until the session is reset.

        The journal has an entry that says so.

        Args:
            stub: As a snapshot's `http` has it, valid.
            client: What the caller says it is.

        Raises:
            SessionError: 409: stubs do not answer in this session.
        """
        if "stub" not in self.sources:
            raise SessionError(
                f"no stub answers in session {self.id!r}: its sources are"
                f" {', '.join(self.sources)}",
                status=409,
                hint="open one with `stub` among its sources",
            )
        self._record_control("POST", "stubs", client)
        if self.base_before_stubs is None:
            self.base_before_stubs = self.base
        self.base = replace(self.base, stubs=(*self.base.stubs, stub))
        self.answered_by = (self.sources, True, self.replay is not None)
        self.names_calls = self.base.names_stubs or self.spec.tools is not None

    def _record_control(self, verb: str, what: str, client: bytes) -> int:
        """Note in the journal what the control API did here; the number of the entry."""
        entry = Entry()
        entry.seq = self.journal.take_number()
        entry.at = self.clock.now()
        entry.http_method, entry.path = verb, f"/_mock/sessions/{self.id}/{what}"
        entry.source, entry.client = "control", client
        self.journal.record(entry)
        return entry.seq

    def _begin(self) -> None:
        self.clock = Clock(self.spec.clock, captured_at=self.base.captured_at, real=self._real)
        self.has_faults = bool(self.base.faults or self.spec.faults)
        has_stubs = bool(self.base.stubs)
        self.answered_by = (self.sources, has_stubs, self.replay is not None)
        self.names_calls = self.base.names_stubs or self.spec.tools is not None
        self._caller: Caller | None = None
        for name in ("world", "faults", "media", "conversations"):
            self.__dict__.pop(name, None)

    def play(self, replay: "Replay") -> None:
        """Answer from recordings from now on."""
        self.replay = replay
        self.is_slow = replay.has_bodies
        self.answered_by = (*self.answered_by[:2], True)

    @cached_property
    def at_close(self) -> list[Callable[[], None]]:
        """What is done when the session is closed."""
        return []

    @property
    def _world(self) -> World | None:
        """The session's state, if anything asked for it."""
        return self.__dict__.get("world")

    @cached_property
    def world(self) -> World:
        """The session's state."""
        found = World(
            self.base,
            clock=self.clock,
            ids=Ids(self.spec.seed),
            session=self.id,
            secret=self._secret,
        )
        found.account = self.spec.acting_as or ""
        found.scopes = tuple(map(long_scope, self.spec.scopes))
        return found

    @cached_property
    def journal(self) -> SessionJournal:
        """What the session was asked."""
        if self.observer is None:
            return SessionJournal(self._journal_bytes)
        return ObservedJournal(self._journal_bytes, partial(self.observer, self.id))

    @cached_property
    def faults(self) -> SessionFaults:
        """What the session is told to fail with: the snapshot's faults, then its own."""
        return SessionFaults(
            (*self.base.faults, *self.spec.faults), now=self.clock.now, seed=self.spec.seed
        )

    @cached_property
    def spans(self) -> SessionSpans:
        """What frameworks told of it by OpenTelemetry."""
        return SessionSpans()

    @cached_property
    def telemetry(self) -> Counter[str]:
        """How often SDKs told their makers how they are used, by host."""
        return Counter()

    @cached_property
    def media(self) -> MediaStore:
        """What was uploaded."""
        return MediaStore()

    @cached_property
    def conversations(self) -> Conversations:
        """What providers of models store for their clients."""
        return Conversations()

    def add_fault(self, fault: Fault) -> None:
        """Fail with a further fault."""
        self.faults.add(fault)
        self.has_faults = True

    def clear_faults(self) -> None:
        """Fail with nothing any more."""
        self.faults.clear()
        self.has_faults = False

    def caller(self, token: str) -> Caller | None:
        """The account that the session's own token stands for; None for another token.

        It is None, too, where the token is not as it was at first: expired, revoked, of another
        account than the administrator's.
        """
        if token != self.token or self.world.tokens.get(token) is not None or self.world.account:
            return None
        if self._caller is None:
            account = find_token(self.world, token) or {}
            self._caller = Caller(token, account["email"], tuple(account["scopes"]))
        return self._caller

    def has_issued(self, token: str) -> bool:
        """Whether a token is one that this session gave out, which who knows its id cannot make."""
        if compare_digest(token.encode(), self.token.encode()):
            return True
        return self._world is not None and self._world.table(TOKENS).get(token) is not None

    def state(self, collections: tuple[str, ...] | None = None) -> dict[str, Json]:
        """Collections as they are now: name to rows by key; all of them for None.

        Raises:
            SessionError: A name that no collection has.
        """
        known = [name for name in self.world.names() if name != TOKENS]
        names = known if collections is None else collections
        for name in names:
            if name not in known:
                raise SessionError(
                    f"no collection {shortened(name)!r}", hint=did_you_mean(name, known)
                )
        return {name: dict(self.world.table(name).rows()) for name in names}

    def advance(self, seconds: float) -> None:
        """Let time pass in this session.

        Raises:
            SessionError: The step is negative or longer than a datetime can hold.
        """
        try:
            step = timedelta(seconds=seconds)
            _ = self.clock.now() + step + _ROOM
        except OverflowError as error:
            raise SessionError(f"cannot advance a clock by {seconds} seconds") from error
        self.clock.advance(step)

    def is_long(self, route: "Route") -> bool:
        """Whether a request takes so long here that others are not to wait for it."""
        if not route.long or not route.searched:
            return route.long
        rows = 0
        for each in route.searched:
            rows += len(self.world.stored_table(each)[0])
        return rows > _FEW_ROWS

    @property
    def is_large(self) -> bool:
        """Whether telling all of it takes so long that others are not to wait for it."""
        rows = sum(len(table.rows()) for table in self.base.tables.values())
        if self._world is not None:
            rows += self._world.rows_written
        held = self.journal.held_bytes if "journal" in self.__dict__ else 0
        return rows > _MANY_ROWS or held > _LONG_JOURNAL

    def report(self, collections: tuple[str, ...] = ()) -> JsonObject:
        """All that the session knows, in the shape of `mockserver.model.SessionReport`."""
        touched = self._world is not None
        journal = self.journal if "journal" in self.__dict__ else SessionJournal(0)
        report: JsonObject = {
            "id": self.id,
            "journal": journal.as_json(self.id),
            "diff": _join_changes(self._earlier, self.world.diff() if touched else {}),
            "written": sorted(
                self._earlier_writes.union(self.world.written_collections() if touched else ())
            ),
            "faults": [report.model_dump() for report in self.faults.report()],
            "state": self.state(collections) if collections else {},
            "unused": [] if self.replay is None else self.replay.unused(),
            "tampering": [attempt.model_dump() for attempt in self.tampering],
            "traced": self._traced(),
            "telemetry": dict(sorted(self.__dict__.get("telemetry", {}).items())),
        }
        return report | ({"problem": self.problem} if self.problem else {})

    def _traced(self) -> JsonObject:
        """The spans that mean something of an agent."""
        if "spans" not in self.__dict__:
            return {}
        telling = [span for span in self.spans.ordered() if span.kind != "other"]
        return self.spans.as_json(telling)

    def close(self) -> None:
        """Let go of everything; what is asked from now on is journalled as `after_close`."""
        self.closed = True
        for each in self.__dict__.pop("at_close", ()):
            each()
        for name in ("world", "faults", "media", "journal", "spans"):
            self.__dict__.pop(name, None)
        self._caller = self.replay = None
        self.is_slow = False
        self.has_faults = False
        self._earlier, self._earlier_writes = {}, set()
        self._journal_bytes = _LATE_BYTES
        self._take(_CLOSED_SPEC)
        self.base, self.next_base = _NOTHING, None
        self.base_before_stubs = None
        self.answered_by, self.names_calls = (self.sources, False, False), False


class Sessions:
    """Every session of a server, by id.

    Args:
        bases: Where sessions get what they start from.
        real: Real time.
        journal_bytes: How much each journal may hold.
        limit: How many sessions may be open at once.
        cassettes: Where they get their recordings.
        secret: Makes up what nobody can guess: at least 128 random bits as hexadecimal digits.

    Attributes:
        strangers: Attempts that no open session could be told to have made.
        stub_hosts: The hosts that stubs of sessions name, of closed ones too.
        observer: Hands the requests of all sessions to those who watch; None where nobody does.
        look: Looks for problems of the server before a report is made.
    """

    def __init__(
        self,
        bases: Bases,
        *,
        real: RealTime,
        journal_bytes: int,
        limit: int,
        cassettes: Cassettes | None = None,
        secret: Callable[[], str] = random_secret,
    ) -> None:
        self.strangers: list[Tampering] = []
        self.stub_hosts: set[str] = set()
        self.look: Callable[[], None] = _look_at_nothing
        self.observer: Observer | None = None
        self._observers: tuple[Observer, ...] = ()
        self._secret = secret
        self._bases = bases
        self._cassettes = cassettes
        self._real = real
        self._journal_bytes = journal_bytes
        self._limit = limit
        self._open: dict[str, Session] = {}
        self._closed: OrderedDict[str, Session] = OrderedDict()
        self._made_up = 0

    def __len__(self) -> int:
        return len(self._open)

    def all(self) -> tuple[Session, ...]:
        """The open sessions, oldest first."""
        return tuple(self._open.values())

    def observe(self, observer: Observer) -> None:
        """Hand every journal entry to somebody else who watches; said before the first request."""
        self._observers = (*self._observers, observer)
        self.observer = observer if len(self._observers) == 1 else self._tell_observers
        for session in self._open.values():
            session.observer = self.observer

    def _tell_observers(self, session: str, entry: Entry) -> None:
        for observe in self._observers:
            observe(session, entry)

    def open(self, spec: SessionSpec) -> Session:
        """Open a session.

        Raises:
            SessionError: The id is taken (409), too many sessions are open (429), or the case or a
                cassette is unknown (404).
            FormatError: A cassette cannot be read.
            InvalidFilesError: The snapshot cannot be served.
        """
        if len(self._open) >= self._limit:
            raise SessionError(
                f"{self._limit} sessions are open",
                status=429,
                hint="close some with DELETE /_mock/sessions/<id>, or raise --max-sessions",
            )
        if spec.id is not None and self.find(spec.id) is not None:
            state = "open" if spec.id in self._open else "closed"
            raise SessionError(
                f"session {spec.id!r} is there already ({state})",
                status=409,
                hint="choose another id, or leave it out",
            )
        spec = with_sources(spec)
        replay = None if self._cassettes is None else self._cassettes.replay(spec)
        base = self._bases.base(spec)
        if spec.tools is not None:
            base = replace(base, tools=tools.perturbed_tools(base, spec.tools, spec.seed))
        session_id = spec.id
        if not session_id:
            self._made_up += 1
            session_id = f"s{self._made_up}-{self._secret()}"
        session = Session(
            session_id,
            spec,
            base,
            real=self._real,
            journal_bytes=self._journal_bytes,
            secret=spec.secret or self._secret(),
        )
        if replay is not None:
            session.play(replay)
        session.observer = self.observer
        if base.stubs:
            self.stub_hosts |= base.stub_hosts
        self._open[session_id] = session
        return session

    def is_prepared(self, spec: SessionSpec) -> bool:
        """Whether what a session would start from is at hand."""
        return self._bases.is_at_hand(with_sources(spec))

    def prepare(self, spec: SessionSpec) -> None:
        """Make what a session will start from, so that it opens at once; changes nothing else.

        Raises:
            MockServerError: Like `open`.
        """
        self._bases.base(with_sources(spec))

    def record_tampering(
        self, caller: Session | None, attempt: str, reason: str, *, by: str, status: int
    ) -> None:
        """Keep what somebody tried and may not do.

        Args:
            caller: The open session whose agent it was, or None.
            attempt: Verb and path.
            reason: Why it was refused.
            by: What the caller was recognised by.
            status: What refused it.
        """
        kept, most = (self.strangers, _MOST_STRANGERS)
        if caller is not None:
            kept, most = (caller.tampering, _MOST_ATTEMPTS)
        if len(kept) < most:
            at = rfc3339(self._real() if caller is None else caller.clock.now())
            session = "" if caller is None else caller.id
            kept.append(
                Tampering(
                    at=at, attempt=attempt, reason=reason, by=by, session=session, status=status
                )
            )

    def find(self, session_id: str) -> Session | None:
        """An open or closed session, or None when no session ever had this id."""
        return self._open.get(session_id) or self._closed.get(session_id)

    def get(self, session_id: str) -> Session:
        """An open session.

        Raises:
            SessionError: Unknown (404) or closed (410).
        """
        session = self.find(session_id)
        if session is None:
            near = did_you_mean(session_id, islice(reversed(self._open), _COMPARED))
            raise unknown_session(session_id, near)
        if session.closed:
            raise SessionError(f"session {session_id!r} is closed", status=410)
        return session

    def close(self, session_id: str, collections: tuple[str, ...] = ()) -> JsonObject:
        """Close a session and hand out its report.

        Raises:
            SessionError: Unknown (404) or closed already (410), or one of the collections is
                unknown (400), which leaves the session open.
        """
        session = self.get(session_id)
        self.look()
        report = session.report(collections)
        self.end(session)
        return report

    def note_problem(self, problem: str) -> None:
        """Something went wrong in the server: what open sessions see is no evidence any more."""
        for session in self._open.values():
            session.problem = session.problem or problem

    def end(self, session: Session) -> None:
        """Close an open session whose report is made."""
        session.close()
        del self._open[session.id]
        self._closed[session.id] = session
        if len(self._closed) > _REMEMBERED:
            self._closed.popitem(last=False)

    def merged_snapshot(self, session: Session) -> JsonObject:
        """The raw snapshot that a session started from."""
        return self._bases.merged_snapshot(session.spec)


def _look_at_nothing() -> None:
    """Nothing can go wrong."""


def _join_changes(
    earlier: dict[str, JsonObject], later: dict[str, JsonObject]
) -> dict[str, JsonObject]:
    """Changes of before a reset and after it; of a resource that both changed, the later one."""
    joined: dict[str, JsonObject] = {}
    for name in sorted({*earlier, *later}):
        before, after = earlier.get(name, {}), later.get(name, {})
        again = {key for rows in after.values() for key in rows}
        kept = {
            kind: {key: row for key, row in rows.items() if key not in again}
            for kind, rows in before.items()
        }
        kinds = [kind for kind in ("added", "removed", "changed") if kind in {*before, *after}]
        joined[name] = {kind: {**kept.get(kind, {}), **after.get(kind, {})} for kind in kinds}
    return joined


def unknown_session(session_id: str, near: str = "") -> SessionError:
    """404: no session has this id; `near` says which ids there are."""
    hint = "open one with POST /_mock/sessions"
    hint = f"{near} Or {hint}" if near.endswith("?") else hint
    return SessionError(f"no session {shortened(session_id)!r}", status=404, hint=hint)

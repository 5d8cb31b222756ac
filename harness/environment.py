"""The mocked world of trials: the only door to the mock server."""

import asyncio
import hashlib
import re
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.errors import CaseProblem, HarnessError, InfrastructureError
from harness.model import Case, Json, JsonObject, model_cassette
from mockserver.errors import MockServerError, Problem, SessionError
from mockserver.model import (
    Barriers,
    Cassette,
    ForkTerms,
    Interaction,
    Journal,
    MatchPart,
    RecordedProgram,
    SessionInfo,
    SessionReport,
    SessionSpec,
    SourceName,
    Tampering,
)

if TYPE_CHECKING:
    from mockserver.capture.learned import Learned, Redaction
    from mockserver.capture.model_fork import ModelFork
    from mockserver.capture.model_recorder import ModelRecorder
    from mockserver.client import MockServer, Vocabulary
    from mockserver.verify.tool_state import LearnedTools

DEFAULT_URL = "http://127.0.0.1:8765"
"""Where `understudy serve` listens when it is not told otherwise."""

Noise = Callable[[str], str]
"""128 bits as hexadecimal digits, for what a name stands for."""

_LONGEST_ID = 64
_NOISE_BYTES = 16
_TAKEN = {409, 410}


def random_noise(name: str) -> str:
    """128 random bits, whatever the name."""
    return secrets.token_hex(_NOISE_BYTES)


class PlaybackOptions(NamedTuple):
    """How recordings are played in the sessions of a run.

    Attributes:
        strict: Nothing is played twice or with a warning, unless a case or the run says so.
        barriers: What a read gets that was recorded after a write that was not made; as `strict`
            says when None.
        match: The parts of requests that are compared; as each cassette says when empty.
        exact: Recordings answer the same requests alone, none with other times or ids.
    """

    strict: bool = False
    barriers: Barriers | None = None
    match: tuple[MatchPart, ...] = ()
    exact: bool = False


_LENIENT = PlaybackOptions()


def seeded_noise(seed: str) -> Noise:
    """The same 128 bits for the same name in every replay of a run.

    >>> seeded_noise("replay-1")("a") == seeded_noise("replay-1")("a")
    True
    """

    def draw(name: str) -> str:
        return hashlib.sha256(f"{seed}/{name}".encode()).hexdigest()[: 2 * _NOISE_BYTES]

    return draw


class Environment:
    """A mock server, started for this run or found running, that gives each trial a session.

    Args:
        server: The server.
        noise: What makes ids and tokens of sessions impossible to guess.
    """

    def __init__(self, server: "MockServer", noise: Noise = random_noise) -> None:
        self._server = server
        self._noise = noise
        self._tools: dict[str, tuple[str, ...]] = {}

    @property
    def url(self) -> str:
        """The server's URL."""
        return self._server.url

    @property
    def protected(self) -> bool:
        """Whether the server's control API asks for a token, which no agent is given."""
        return bool(self._server.health.get("protected"))

    def repeatable(self, seed: str) -> "Environment":
        """The same server, with ids and tokens of sessions that come from a seed, for replays."""
        return Environment(self._server, seeded_noise(seed))

    async def strangers(self) -> tuple[Tampering, ...]:
        """What was tried and refused by callers that are of no trial; none where nobody answers."""
        try:
            return await self._server.tampering()
        except MockServerError:
            return ()

    def serves(self, suite: Path) -> bool:
        """Whether the server's fixtures bear the suite's name; it may see them at another path."""
        served = self._server.health.get("fixtures")
        return bool(served) and Path(str(served)).name == suite.resolve().name

    @property
    def block(self) -> dict[str, str]:
        """The environment of an agent that serves many sessions; a token names each of them."""
        return {
            "MOCK_SERVER_URL": self.url,
            "GOOGLE_API_BASE_URL": self.url,
            "TOOLS_BASE_URL": f"{self.url}/tools",
            "MCP_SERVER_URL": f"{self.url}/mcp",
        }

    async def server_block(self) -> dict[str, str]:
        """The same with the variables of the APIs that the suite declares, such as their addresses.

        What is of one session alone, its token and what holds its id, is left out.

        Raises:
            InfrastructureError: The server does not answer.
        """
        async with self.session(SessionSpec()) as session:
            info = session.info
        shared = {
            name: value.replace(info.base_url, self.url)
            for name, value in info.env.items()
            if info.token not in value
        }
        return {name: value for name, value in shared.items() if info.id not in value} | self.block

    @asynccontextmanager
    async def session(self, spec: SessionSpec) -> AsyncIterator["Session"]:
        """Open a session; it is closed at the end of the block, whatever happens in it.

        Its id and its token hold 128 bits each that nobody can guess; an id that the server has
        already seen gets a suffix.

        Yields:
            The session.

        Raises:
            InfrastructureError: The server does not answer or refuses the session.
        """
        session = Session(self._server, await self._open(spec))
        try:
            yield session
        finally:
            await session.close()

    async def tools(self, spec: SessionSpec) -> tuple[str, ...]:
        """The tools that sessions of a spec answer for; asked in a session of its own, once.

        A tool counts under the name that the suite gives it, however the spec changes it.

        Raises:
            InfrastructureError: The server does not answer or refuses the session.
        """
        known = spec.model_dump_json(include={"overrides", "base"})
        if known not in self._tools:
            plain = spec.model_copy(update={"id": None, "tools": None})
            async with self.session(plain) as session:
                try:
                    self._tools[known] = await self._server.tools(session.info.id)
                except MockServerError as error:
                    raise InfrastructureError(str(error)) from None
        return self._tools[known]

    async def fixture_problems(self, suite: Path) -> tuple[CaseProblem, ...]:
        """What is wrong in the snapshots that the server serves, each with its place.

        Args:
            suite: The folder that the server serves, as places begin with it.

        Raises:
            InfrastructureError: The server does not answer.
        """
        try:
            return _below_suite(await self._server.problems(), suite)
        except MockServerError as error:
            raise InfrastructureError(str(error)) from None

    async def connections(self) -> dict[str, int]:
        """What a hermetic server tried to reach: `opened` on this machine, `refused` elsewhere.

        Raises:
            InfrastructureError: The server does not answer.
        """
        try:
            return await self._server.connections()
        except MockServerError as error:
            raise InfrastructureError(str(error)) from None

    def server_log(self) -> str:
        """What the server of this run wrote to its log; an empty string where all went well."""
        return self._server.log()

    def server_last_line(self) -> str:
        """The last line of that log, to be put behind a message, or an empty string."""
        return self._server.last_line()

    async def close(self) -> None:
        """Stop the server if it was started for this run."""
        await self._server.close()

    async def _open(self, spec: SessionSpec) -> SessionInfo:
        if spec.id is not None:
            # the noise comes from the readable name, which is the same in every replay
            told = {"id": f"{spec.id}-{self._noise(spec.id)}"}
            told["secret"] = self._noise(f"{spec.id}/token")
            spec = spec.model_copy(update=told)
        for again in range(1, 10):
            wanted = spec if again == 1 else _with_new_id(spec, again)
            try:
                return await self._server.open(wanted)
            except SessionError as error:
                if error.status not in _TAKEN:
                    raise InfrastructureError(str(error)) from None
            except MockServerError as error:
                raise InfrastructureError(str(error)) from None
        raise InfrastructureError(f"the mock server has seen session {spec.id!r} too often")


class Session:
    """One trial's world.

    Attributes:
        info: Its id, token, URLs and environment block.
    """

    def __init__(self, server: "MockServer", info: SessionInfo) -> None:
        self.info = info
        self._server = server
        self._open = True

    async def merged(self) -> JsonObject:
        """The merged raw snapshot, as injection mode hands it over.

        Raises:
            InfrastructureError: The server does not answer.
        """
        try:
            return await self._server.merged(self.info.id)
        except MockServerError as error:
            raise InfrastructureError(str(error)) from None

    async def journal(self) -> Journal:
        """What it was asked so far, with the answers.

        Raises:
            InfrastructureError: The server does not answer.
        """
        try:
            return await self._server.journal(self.info.id, bodies=True)
        except MockServerError as error:
            raise InfrastructureError(str(error)) from None

    async def report(self, collections: tuple[str, ...] = ()) -> SessionReport:
        """Close the session and return everything it knows.

        Raises:
            InfrastructureError: The server does not answer.
        """
        self._open = False
        try:
            return await self._server.close_session(self.info.id, collections)
        except MockServerError as error:
            raise InfrastructureError(str(error)) from None

    async def close(self) -> None:
        """Close the session if nobody asked for its report; a server that is gone is no matter."""
        if self._open:
            self._open = False
            with suppress(MockServerError):
                await self._server.close_session(self.info.id)


async def start_environment(
    fixtures: Path,
    *,
    log: Path | None = None,
    hermetic: bool = False,
    intercept: bool = False,
    tunnel: Sequence[str] = (),
) -> Environment:
    """Start a mock server of our own on a free port; only this process knows its control token.

    Args:
        fixtures: The suite.
        log: Where its messages go.
        hermetic: It reaches nothing outside this machine, and counts what it tried.
        intercept: It also is the proxy of each session, with certificates in Google's name.
        tunnel: Globs of hosts that the proxy lets through.

    Raises:
        InfrastructureError: It did not come up.
    """
    from mockserver.client import MockServer, forbid_inspection

    forbid_inspection()
    try:
        through = [part for host in tunnel for part in ("--tunnel", host)]
        options = (*(["--no-proxy"] * (not intercept)), *(["--hermetic"] * hermetic), *through)
        return Environment(await MockServer.start(fixtures, log=log, options=options))
    except MockServerError as error:
        raise InfrastructureError(str(error)) from None


async def attach_environment(url: str, *, token: str = "") -> Environment:
    """Use a mock server that is already running.

    Raises:
        InfrastructureError: Nothing answers at `url`.
    """
    from mockserver.client import MockServer, forbid_inspection

    if token:
        forbid_inspection()
    try:
        return Environment(await MockServer.attach(url, token=token))
    except MockServerError as error:
        hint = "start one with: understudy serve --fixtures DIR"
        raise InfrastructureError(error.message, hint=error.hint or hint) from None


def session_id(run: str, case: str, number: int) -> str:
    """The name of a trial's session: readable, and short; its id is that with noise.

    >>> session_id("20261120-101500-ab12cd", "EC-001", 2)
    '20261120-101500-ab12cd-EC-001-2'
    """
    text = re.sub(r"[^A-Za-z0-9_.-]", "-", f"{run}-{case}-{number}").lstrip("_.-")
    if len(text) <= _LONGEST_ID:
        return text
    return f"{text[: _LONGEST_ID - 9]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def session_spec(
    case: Case,
    number: int,
    *,
    id: str,
    use_base: bool = True,
    use_overrides: bool = True,
    replay: bool = False,
    made_up: bool = True,
    playing: PlaybackOptions = _LENIENT,
) -> SessionSpec:
    """The world of one trial; each trial has its own seed, and the same one when it is repeated.

    Args:
        case: The case.
        number: The trial's number.
        id: The session's id.
        use_base: Load the base.
        use_overrides: Load the case's overrides.
        replay: Nothing may differ from one run to the next: the clock stands still, recorded
            streams do not wait.
        made_up: Operations that only an OpenAPI document describes get made-up answers; otherwise
            they are refused with 501.
        playing: How recordings are played.
    """
    fixtures = case.fixtures
    moving = fixtures.clock in {"shift", "real"}
    played: tuple[SourceName, ...] = ("cassette",) if fixtures.cassettes else ()
    documents: tuple[SourceName, ...] = ("document",) if made_up else ()
    return SessionSpec(
        id=id,
        overrides=fixtures.overrides if use_overrides else (),
        base=fixtures.base and use_base,
        clock="frozen" if replay and moving else fixtures.clock,
        seed=fixtures.seed + number,
        sources=("stub", *played, "state", *documents),
        cassettes=fixtures.cassettes,
        repeats="once" if playing.strict and fixtures.repeats == "reads" else fixtures.repeats,
        barriers=playing.barriers or ("strict" if playing.strict else "warn"),
        match=playing.match,
        exact=playing.exact,
        pace=0 if replay else 1,
        faults=fixtures.faults,
        auth=fixtures.auth,
        acting_as=fixtures.acting_as,
        scopes=fixtures.scopes,
        agent_tools=fixtures.tools,
    )


def frozen_time_environment(spec: SessionSpec, merged: JsonObject) -> dict[str, str]:
    """The environment that tells an agent at what time its session stands still.

    `SOURCE_DATE_EPOCH` is what programs read that are to give the same result every time; an agent
    that asks for "the last seven days" needs it. Empty for a clock that goes.
    """
    clock, _, moment = spec.clock.partition(":")
    moment = moment or str(merged.get("capturedAt", ""))
    if clock != "frozen" or not moment:
        return {}
    return {"SOURCE_DATE_EPOCH": str(int(datetime.fromisoformat(moment).timestamp()))}


def declared_hosts(suite: Path) -> frozenset[str]:
    """The hosts that the declarations of a suite name; none where they cannot be served."""
    from mockserver.client import declared_hosts

    try:
        return declared_hosts(suite)
    except MockServerError:
        return frozenset()  # its run says what is wrong


def merged_fixtures(suite: Path, case: Case) -> JsonObject:
    """The merged raw snapshot of a case, read from its files without a server.

    Raises:
        HarnessError: A file cannot be read, or an override is unknown.
    """
    from mockserver.client import merged_snapshot

    try:
        return merged_snapshot(suite, session_spec(case, 1, id=session_id("show", case.id, 1)))
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None


def merged_worlds(
    suite: Path, cases: Sequence[Case], *, overridden: bool = True
) -> dict[str, JsonObject]:
    """The merged raw snapshots of cases that can be read, by case.

    Args:
        suite: The suite.
        cases: Its cases.
        overridden: False: without what the cases put over the base.

    Raises:
        HarnessError: The folder cannot be read at all.
    """
    from mockserver.client import merged_snapshots

    specs = [
        session_spec(each, 1, id=session_id("lint", each.id, 1), use_overrides=overridden)
        for each in cases
    ]
    try:
        found = merged_snapshots(suite, specs)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None
    return {case.id: world for case, world in zip(cases, found, strict=True) if world is not None}


def model_cassette_path(suite: Path, case: Case, number: int = 1) -> Path:
    """The file of a suite with what an agent asked of models in a trial of a case."""
    return suite / "cassettes" / f"{model_cassette(case.id, number)}.yaml"


def remove_model_cassettes(suite: Path, case: Case, above: int) -> None:
    """Remove what was recorded of a case's trials that have a higher number than any has now.

    Args:
        suite: The suite's folder.
        case: The case.
        above: The number of the last trial whose recording stays.
    """
    first = model_cassette_path(suite, case)
    for path in [*first.parent.iterdir()] if first.parent.is_dir() else ():
        number = path.stem.removeprefix(f"{first.stem}.")
        if path.suffix != first.suffix or not (number.isascii() and number.isdecimal()):
            continue
        if int(number) > above and path.stem == model_cassette(case.id, int(number)):
            path.unlink()
            path.with_suffix(".review.yaml").unlink(missing_ok=True)
            shutil.rmtree(path.with_suffix(".bodies"), ignore_errors=True)


def model_recording_path(folder: Path, case: Case, number: int) -> Path:
    """The file of what an agent asked of models in a trial, below a folder of its run."""
    return folder / case.id / f"{number}.yaml"


def _ignore(line: str) -> None:
    """Nobody reads it."""


def _model_recorder(
    cassette: Path, environ: Mapping[str, str], copy: Path | None, stated: Iterable[Json]
) -> "ModelRecorder":
    """A recorder of models; imports all that captures need, so that no event loop has to wait."""
    from mockserver.capture.model_recorder import ModelRecorder

    return ModelRecorder(cassette, environ, copy, stated)


@asynccontextmanager
async def record_models(
    cassette: Path,
    environ: Mapping[str, str],
    copy: Path | None = None,
    stated: Iterable[Json] = (),
    warn: Callable[[str], None] = _ignore,
) -> AsyncIterator[dict[str, str]]:
    """Record what an agent asks of live models while a block runs.

    Args:
        cassette: What is recorded into; as it was where nothing is recorded.
        environ: Where the models are, and their keys, as the agent would find them.
        copy: Where it is kept with the run, too, if something was recorded.
        stated: What the suite states: what personal data is in it stays in clear in the cassette.
        warn: Told of what was asked and is not in the cassette, line by line.

    Yields:
        The variables that lead the agent's clients to the recorder.

    Raises:
        InfrastructureError: It cannot be recorded.
    """
    try:
        recorder = await asyncio.to_thread(_model_recorder, cassette, environ, copy, stated)
    except MockServerError as error:
        raise InfrastructureError(str(error)) from None
    try:
        yield recorder.block
    finally:
        try:
            await asyncio.to_thread(recorder.stop)
        except MockServerError as error:
            raise InfrastructureError(str(error)) from None
        for line in recorder.held_back:
            warn(line)


@asynccontextmanager
async def fork_models(
    cassette: Path, terms: ForkTerms, arrive: Callable[[], Awaitable[str]]
) -> AsyncIterator["ModelFork"]:
    """Play what models said up to a turn, and ask from there on, while a block runs.

    Args:
        cassette: Where all of it is recorded.
        terms: What is played, and what changes.
        arrive: Asked before the first turn that is asked live: what is not as it was at that
            moment, or an empty string.

    Yields:
        Its `block` leads the agent's clients here.

    Raises:
        InfrastructureError: It cannot be played or recorded.
    """
    from mockserver.capture.model_fork import ModelFork

    loop = asyncio.get_running_loop()

    def wait_for_arrival() -> str:
        return asyncio.run_coroutine_threadsafe(_failure_of(arrive), loop).result()

    try:
        fork = await asyncio.to_thread(ModelFork, cassette, terms, wait_for_arrival)
    except MockServerError as error:
        raise InfrastructureError(str(error)) from None
    try:
        yield fork
    finally:
        try:
            await asyncio.to_thread(fork.stop)
        except MockServerError as error:
            raise InfrastructureError(str(error)) from None


async def _failure_of(arrive: Callable[[], Awaitable[str]]) -> str:
    try:
        return await arrive()
    except InfrastructureError as error:
        return str(error)


def live_models(environ: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Where live models are: the variables of their base URLs, and those of the keys that are set.

    Args:
        environ: As the clients of models would find them.
    """
    from mockserver.capture.model_recorder import model_bases, model_keys

    return model_bases(environ), model_keys(environ)


def recorded_cassette(cassette: Path) -> Cassette:
    """A cassette that was recorded here.

    Raises:
        HarnessError: It is not there, or cannot be read.
    """
    from mockserver.client import recorded_cassette

    try:
        return recorded_cassette(cassette)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None


def recorded_results(suite: Path, case: Case) -> JsonObject:
    """What tools returned in the recordings that a case plays: `tools.NAME` to its results.

    Raises:
        HarnessError: A recording cannot be read.
    """
    from mockserver.messages.read_fields import recorded_results

    files = [
        file
        for name in case.fixtures.cassettes
        for file in sorted((suite / "cassettes").glob(f"{name}.*"))
        if file.stem == name and file.is_file()
    ]
    return recorded_results(each for file in files for each in recorded_cassette(file).interactions)


def journal_difference(recorded: Journal, now: Journal, *, with_answers: bool) -> str:
    """What a session was asked differently up to a moment than another one was.

    See `mockserver.client`.
    """
    from mockserver.client import journal_difference

    return journal_difference(recorded, now, with_answers=with_answers)


def recorded_program(cassette: Path) -> RecordedProgram | None:
    """The program whose traffic a cassette holds; None where it tells of none.

    Raises:
        HarnessError: The cassette cannot be read.
    """
    from mockserver.client import recorded_program

    try:
        return recorded_program(cassette)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None


def copy_cassette(cassette: Path, to: Path) -> None:
    """Copy a cassette with the files of its bodies.

    Raises:
        HarnessError: It cannot be written.
    """
    from mockserver.client import copy_cassette

    try:
        copy_cassette(cassette, to)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None


def redact_learned(several: "Sequence[Learned]", rules: Path | None = None) -> "Redaction":
    """What was learned of traces without secrets; see `mockserver.capture.learned`.

    Raises:
        HarnessError: Something secret is left, or the rules or the key cannot be read.
    """
    from mockserver.capture.learned import redact_learned

    try:
        return redact_learned(several, rules)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None


def learn_tools(traces: "Sequence[Sequence[Interaction]]", api: str) -> "LearnedTools | None":
    """The state behind the tools of traces; see `mockserver.verify.tool_state`.

    Raises:
        HarnessError: What was learned cannot be served.
    """
    from mockserver.verify.tool_state import learn_tools

    try:
        return learn_tools(traces, api)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None


def redact_records(
    several: Iterable[JsonObject], rules: Path | None = None
) -> tuple[list[JsonObject], int]:
    """Records of other tools without secrets, and how many different values were replaced.

    Raises:
        HarnessError: Something secret is left, or the rules or the key cannot be read.
    """
    from mockserver.capture.learned import Learned

    told = redact_learned([Learned(each, (), ()) for each in several], rules)
    return [each.facts for each in told.traces], told.replaced


def write_learned(interactions: Iterable[Interaction], path: Path, key_id: str) -> None:
    """Write the calls of a trace as a cassette.

    Raises:
        HarnessError: It cannot be written.
    """
    from mockserver.capture.learned import write_learned

    try:
        write_learned(interactions, path, key_id)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None


def known_names() -> "Vocabulary":
    """What the mock server can tell apart: methods, collections, its own tools, what they take."""
    from mockserver.client import names

    return names()


def fixture_problems(
    suite: Path, *, content: bool = True, hints: bool = False, now: datetime | None = None
) -> tuple[CaseProblem, ...]:
    """Everything that is wrong in a suite's snapshots, each with its place.

    Args:
        suite: The suite.
        content: Also warn of what can be served and is not as the live APIs have it.
        hints: Also tell values that no person can read.
        now: What no snapshot was taken after; None: that is not looked at.

    Raises:
        HarnessError: The folder cannot be read at all.
    """
    from mockserver.client import snapshot_problems

    try:
        problems = snapshot_problems(suite, content=content, hints=hints, now=now)
    except MockServerError as error:
        raise HarnessError(error.message, hint=error.hint) from None
    return _below_suite(problems, suite)


def _below_suite(problems: Iterable[Problem], suite: Path) -> tuple[CaseProblem, ...]:
    return tuple(
        CaseProblem(f"{suite}/{item.where.lstrip('/')}", item.message, item.hint, item.level)
        for item in problems
    )


def _with_new_id(spec: SessionSpec, again: int) -> SessionSpec:
    name = spec.id or "trial"
    return spec.model_copy(update={"id": f"{name}-r{again}"})

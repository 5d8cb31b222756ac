"""The seams of an executor: what a run asks of it, and what it asks of its workers.

A run hands out trials and writes their records; an executor performs a trial, here or elsewhere.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, Self

from pydantic import Field
from typing_extensions import override

from harness.agents import DriverOptions
from harness.model import Canary, Case, Frozen, TrialRecord, UserRecord
from harness.runner.canary import When, ask_canary
from harness.runner.plan import PlannedTrial
from harness.runner.settings import RunSettings
from harness.runner.trial import RunContext, run_trial
from mockserver.model import Tampering


class TrialExecutor(Protocol):
    """Performs the trials of a run; several are asked for at a time."""

    @property
    def places(self) -> int:
        """How many trials may be asked for at a time."""
        ...

    @property
    def protected(self) -> bool:
        """Whether the control API of every mock server asks for a token (see `Environment`)."""
        ...

    async def run(self, trial: PlannedTrial) -> TrialRecord:
        """Perform one trial. Cancelling stops its agent, and leaves no record.

        Raises:
            InfrastructureError: Nobody is left who could perform it.
        """
        ...

    async def canary(self, when: When) -> Canary:
        """Ask every mock server a canary question; the error tells which of them failed."""
        ...

    async def strangers(self) -> tuple[Tampering, ...]:
        """What callers of no trial tried on the mock servers, since they were started."""
        ...

    async def connections(self) -> dict[str, int]:
        """What hermetic mock servers tried to reach, together (see `Environment`).

        Raises:
            InfrastructureError: A mock server does not answer.
        """
        ...


class AgentSettings(Frozen):
    """What is said about an agent beside its spec, as workers are sent it (see `DriverOptions`)."""

    profile: str
    headers: Mapping[str, str]
    token: str
    retries: int
    input: str
    agent_cwd: str
    isolate: bool
    python: str
    env: Mapping[str, str]
    tunnel: tuple[str, ...]
    sandbox: str
    sandbox_read: tuple[Path, ...]
    sandbox_hidden: tuple[Path, ...]

    @classmethod
    def of(cls, options: DriverOptions) -> Self:
        """Those of a run; paths are absolute, as workers may start elsewhere."""
        settings = {name: getattr(options, name) for name in cls.model_fields}
        for name in ("sandbox_read", "sandbox_hidden"):
            settings[name] = tuple(path.absolute() for path in settings[name])
        return cls(**settings)

    def driver_options(self, folder: Path) -> DriverOptions:
        """The same for a driver, whose relative paths start in a folder."""
        return DriverOptions(**dict(self), folder=folder)


class WorkerSetup(Frozen):
    """What a worker is told before its first trial. It holds secrets, so it is never written down.

    Attributes:
        suite: The suite's folder as the worker sees it; relative to where the worker was started.
        settings: What shapes the trials.
        agent: The agent spec, with its secrets.
        driver: What is said about the agent beside its spec.
        folder: Where relative paths of the agent start, as `suite`.
        live: The agent's environment may name live hosts.
        intercept: The mock server is also the proxy of each session.
        keys: Keys and endpoints of the models that play simulated users.
    """

    suite: str
    settings: RunSettings
    agent: str
    driver: AgentSettings
    folder: str
    live: bool = False
    intercept: bool = False
    keys: Mapping[str, str] = {}

    def place(self, path: str) -> Path:
        """One of the paths as the worker that was started here sees it."""
        return Path(path).absolute()


class TrialOrder(Frozen):
    """One trial as it is sent to a worker.

    Attributes:
        kind: What tells it from other requests.
        key: By which it is cancelled.
        run: The run's id.
        sessions: What the ids of its sessions come from in a replay, or an empty string.
        case: The case.
        hash: The case's hash.
        number: The trial's number, from 1.
        said: What the simulated user said in an earlier run, and the id of that run; or None.
    """

    kind: Literal["trial"] = "trial"
    key: int
    run: str
    sessions: str = ""
    case: Case
    hash: str
    number: int = Field(ge=1)
    said: tuple[UserRecord, str] | None = None


class CanaryOrder(Frozen):
    """A canary question to the worker's mock server."""

    kind: Literal["canary"] = "canary"
    run: str
    when: When


class CancelOrder(Frozen):
    """The trial with a key is to be stopped; answered once it has ended."""

    kind: Literal["cancel"] = "cancel"
    key: int


class TellOrder(Frozen):
    """What the worker's mock server knows beside the trials."""

    kind: Literal["tell"] = "tell"


class PingOrder(Frozen):
    """The worker is to show that it goes on; answered at once, whatever else is under way."""

    kind: Literal["ping"] = "ping"


class ServerKnowledge(Frozen):
    """What a worker's mock server knows beside the trials.

    Attributes:
        protected: Whether its control API asks for a token.
        strangers: What callers of no trial tried, since its start.
        connections: What a hermetic server tried to reach (see `Environment.connections`).
    """

    protected: bool
    strangers: tuple[Tampering, ...] = ()
    connections: dict[str, int] = {}


class WorkerLostError(Exception):
    """A worker does not answer any more: it was killed or stands still, or its server is gone.

    What its trials were doing is unknown, and says nothing about the agent.
    """


class Worker(Protocol):
    """A worker as the run sees it.

    Attributes:
        name: What tells it from others, for people.
    """

    name: str

    async def ask(self, request: bytes) -> bytes:
        """Send a request (one of the orders above as JSON) and wait for its answer.

        Cancelling gives the answer up; the worker goes on.

        Raises:
            WorkerLostError: The worker is gone.
        """
        ...

    async def stop(self) -> None:
        """End it with its mock server; nothing happens where it is gone already."""
        ...


class WorkerPlace(Protocol):
    """Where workers run. To add one: write its module, add its line to `PLACES`.

    Attributes:
        name: As `--on` has it, for messages.
    """

    name: str

    async def open(self, trials: int) -> int:
        """Get ready, and tell how many workers there should be.

        Args:
            trials: How many trials there are; more workers than that are of no use.

        Raises:
            HarnessError: It cannot be used.
        """
        ...

    async def start(self) -> Worker:
        """Start one worker; it has its mock server when this returns.

        Raises:
            InfrastructureError: It did not come up.
        """
        ...

    async def close(self) -> None:
        """Let go of it, once its workers are stopped."""
        ...


class LocalExecutor(TrialExecutor):
    """Performs trials here.

    Args:
        context: What the trials share.
    """

    def __init__(self, context: RunContext) -> None:
        self._context = context

    @property
    @override
    def places(self) -> int:
        return self._context.settings.concurrency

    @property
    @override
    def protected(self) -> bool:
        return self._context.environment.protected

    @override
    async def run(self, trial: PlannedTrial) -> TrialRecord:
        return await run_trial(self._context, trial)

    @override
    async def canary(self, when: When) -> Canary:
        return await ask_canary(self._context, when)

    @override
    async def strangers(self) -> tuple[Tampering, ...]:
        return await self._context.environment.strangers()

    @override
    async def connections(self) -> dict[str, int]:
        return await self._context.environment.connections()

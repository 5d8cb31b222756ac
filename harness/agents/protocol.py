"""The seam between the runner and an agent: one protocol, what it is given, what it leaves behind.

A driver writes into a transcript as it goes, so that the turns an agent finished before it failed,
hung or was interrupted are kept.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.agents.addresses import Destinations
from harness.model import Attempt, Case, JsonObject, Reply
from harness.trials.records import Price
from harness.trials.tracing import PRICES

LONGEST_ERROR = 1000
"""Characters of what an agent's failure may say."""


def well_formed(text: str) -> str:
    r"""Text as UTF-8 can hold it: the halves of a character joined, those that are alone replaced.

    >>> well_formed("\ud83e\uddff, \ud83e")
    '\U0001f9ff, \ufffd'
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def shorten(text: str) -> str:
    """What went wrong, in a length that can be read.

    >>> shorten("x" * 2000)[-4:]
    'x...'
    """
    text = well_formed(text)
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]}..."


STDERR_TAIL = 4096
MAX_REPLY_BYTES = 8 * 1024 * 1024
ANY_TOOLS = ("*",)


class AgentFailedError(Exception):
    """The agent was reached and did not do its part: it crashed, or its reply cannot be read."""

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message))


class AgentUnreachableError(Exception):
    """The agent was not reached, or it said that it cannot work now: nothing about its quality."""

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message))


class ConversationPartner(Protocol):
    """Goes on with a conversation once the turns of the case are said."""

    async def reply_to(self, replies: Sequence[Reply]) -> str | None:
        """What it says to the agent's last answer; None ends the conversation."""
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent is asked to do in one trial.

    Attributes:
        case: The case; drivers that play a part (`oracle`, `scripted`) look into it.
        prompts: The exact text of each turn.
        env: The environment block of the mock session (`GOOGLE_API_BASE_URL`, ...); empty without
            one.
        session: The mock session's id, or an empty string.
        token: The session's bearer token, or an empty string.
        folder: Where the folder of this trial alone is; it is made when it is first asked for.
        fixtures: The merged raw snapshot in injection mode, or None.
        user: Who goes on after the prompts, or None.
    """

    case: Case
    prompts: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    session: str = ""
    token: str = ""
    folder: Callable[[], Path] = Path
    fixtures: JsonObject | None = None
    user: ConversationPartner | None = None

    @property
    def workspace(self) -> Path:
        """The folder of this trial alone, made unless it is there.

        An agent without files does not ask for it: making and removing it takes longer than an
        echo does.

        Raises:
            InfrastructureError: It cannot be made, or the trial is over.
        """
        return self.folder()

    async def turns(self, transcript: "Transcript") -> AsyncIterator[tuple[int, str]]:
        """The turns of the conversation, as they come.

        Args:
            transcript: Where the reply to each turn is noted before the next is asked for.

        Yields:
            The number of each, from 1, and its exact text.
        """
        for turn, prompt in enumerate(self.prompts, start=1):
            yield turn, prompt
        while self.user is not None:
            prompt_or_end = await self.user.reply_to(transcript.replies)
            if prompt_or_end is None:
                return
            yield len(transcript.replies) + 1, prompt_or_end


@dataclass(slots=True)
class Transcript:
    """What has happened so far in one trial.

    Attributes:
        replies: One for each turn that was answered.
        attempts: Every try at a turn.
        exit_code: Of the agent's process, or None.
        stderr_tail: The last 4 KiB of its stderr.
        startup_ms: Before the agent could be asked: imports and connections, milliseconds.
    """

    replies: list[Reply] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    exit_code: int | None = None
    stderr_tail: str = ""
    startup_ms: float = 0

    def messages(self, prompt: str) -> list[dict[str, str]]:
        """The conversation up to a prompt, as `role` and `content`, earlier replies included."""
        said: list[dict[str, str]] = []
        for reply in self.replies:
            said.append({"role": "user", "content": reply.prompt})
            said.append({"role": "assistant", "content": reply.text})
        return [*said, {"role": "user", "content": prompt}]

    def note_reply(self, reply: Reply) -> None:
        """Note the reply of a turn that needed one attempt."""
        self.replies.append(reply)
        self.attempts.append(Attempt(turn=reply.turn, number=1, duration_ms=reply.duration_ms))


class AgentDriver(Protocol):
    """A way to reach an agent. One driver serves all trials of a run, several at a time.

    Attributes:
        tools: Globs of the tools that the agent has beside those of the mock server, as far as the
            driver knows them; what plays a part has any. What the user says wins.
        holds_conversations: Whether it asks the agent turn by turn (`Task.turns`), so that a
            simulated user can go on.
    """

    tools: tuple[str, ...] = ()
    holds_conversations: bool = False

    async def converse(self, task: Task, transcript: Transcript) -> None:
        """Put the agent through every turn of a task; cancelling stops the agent.

        Raises:
            AgentFailedError: The agent did not do its part.
            AgentUnreachableError: It was not reached.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...


HERE = "here"
WORKING_FOLDERS = ("workspace", HERE)
"""Where an agent that is started may work."""


@dataclass(frozen=True, slots=True)
class DriverOptions:
    """What the user may say about an agent beside its spec.

    Attributes:
        profile: `ai-sdk` or `json`: the request body of `http:` agents.
        headers: Further request headers of `http:` agents.
        token: Bearer token for `http:` agents; empty takes the session's.
        retries: Further attempts after a transport error, each turn.
        input: `text` or `json`: what `command:` agents read from stdin.
        agent_cwd: Where an agent that is started works: in the `workspace` of the trial, or `here`,
            where the run was started.
        isolate: `python:` agents run in processes of their own, one for each trial.
        python: The interpreter of `python:` agents and those of frameworks; this one when empty.
        env: Further environment variables of `command:` and `python:` agents.
        grace_s: Seconds between SIGTERM and SIGKILL.
        max_reply_bytes: A longer reply fails the agent.
        folder: Where relative paths in a spec start.
        destinations: Where `http:` and `service:` agents may be reached; None allows any place.
        tunnel: Globs of hosts that intercepted agents reach live.
        sandbox: The sandbox of `command:` agents, `bubblewrap` or `docker:IMAGE`; empty for none.
        sandbox_read: Further files and folders that they may read in it.
        sandbox_hidden: What they may not read there: the suite, and where runs are kept.
        prices: What models cost, for `model:` agents.
    """

    profile: str = "ai-sdk"
    headers: Mapping[str, str] = field(default_factory=dict)
    token: str = ""
    retries: int = 2
    input: str = "text"
    agent_cwd: str = "workspace"
    isolate: bool = True
    python: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    grace_s: float = 2.0
    max_reply_bytes: int = MAX_REPLY_BYTES
    folder: Path = field(default_factory=Path)
    destinations: Destinations | None = None
    tunnel: tuple[str, ...] = ()
    sandbox: str = ""
    sandbox_read: tuple[Path, ...] = ()
    sandbox_hidden: tuple[Path, ...] = ()
    prices: Mapping[str, Price] = field(default_factory=lambda: PRICES)

    def working_folder(self, task: Task) -> Path:
        """Where an agent that is started works in a trial."""
        return self.folder.absolute() if self.agent_cwd == HERE else task.workspace


@dataclass(frozen=True, slots=True)
class DriverKind:
    """What a spec of one kind, `command:python agent.py`, means.

    Attributes:
        build: Makes the driver, of what follows the colon and the options.
        has_target: Whether something follows the colon; else the kind is the whole spec.
        url: From what follows the colon to the URL of the agent; None where it has none.
        takes_fixtures: Whether merged fixtures can be injected with such options.
        environment: From the options and the environment of this process to what the agent would
            see of it before a session adds to it; None: the agent stands elsewhere.
        starts_program: Whether the harness starts what the spec names, in the environment of a
            session.
    """

    build: Callable[[str, DriverOptions], AgentDriver]
    has_target: bool = True
    url: Callable[[str], str] | None = None
    takes_fixtures: Callable[[DriverOptions], bool] = lambda _options: False
    environment: Callable[[DriverOptions, Mapping[str, str]], dict[str, str]] | None = None
    starts_program: bool = False

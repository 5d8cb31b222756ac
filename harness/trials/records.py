"""What happened in a trial, as recorded facts."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from harness.trials.values import Frozen, Json, JsonObject
from mockserver.model import FaultReport, Journal, Tampering, UnusedRecording

_MILLION = 1_000_000


class Opinion(Frozen):
    """What a judge said, once.

    Attributes:
        asked: The hash of the question (`Judge.asked`).
        sample: Which of its answers, from 1.
        verdict: One of the menu, or an empty string.
        reason: In its own words, shortened.
        error: Why there is no verdict that counts, one line; empty when there is one.
        model: The judge's spec, `openai:NAME`.
        prompt: The hash of its instructions.
        temperature: What it was asked with, or None.
        duration_ms: Milliseconds.
        input_tokens: Or None.
        output_tokens: Or None.
    """

    asked: str
    sample: int = Field(ge=1)
    verdict: str = ""
    reason: str = ""
    error: str = ""
    model: str
    prompt: str
    temperature: float | None = None
    duration_ms: float = 0
    input_tokens: int | None = None
    output_tokens: int | None = None


class Score(Frozen):
    """What another tool found of a trial: a verdict, a figure, or both.

    Attributes:
        name: Of its scorer, assertion or test.
        passed: Its verdict, or None where it gave none.
        value: Its figure or label, or None.
        reason: In its own words.
    """

    name: str = Field(min_length=1)
    passed: bool | None = None
    value: float | str | None = None
    reason: str = ""


Outcome = Literal["replied", "agent_error", "infra_error", "replay_miss", "skipped"]


class ToolCall(Frozen):
    """A call as the agent reports it; `mockserver.model.JournalEntry` is what the server saw.

    Attributes:
        name: The tool's name.
        args: Its arguments; a string when what the agent sent is not a JSON object.
        id: The agent's id for the call, or an empty string.
        turn: The turn, from 1.
        step: The model round within the turn, from 0.
        status: `ok`, `error` or `unknown` (the agent does not say).
        result: What the tool answered, as the agent reports it; None when it does not.
        witness: Who reports it: the agent's `reply`, the server's `journal`, the `spans` of the
            agent's framework, or a `model` that asks for it.
    """

    name: str
    args: JsonObject | str = {}
    id: str = ""
    turn: int = 1
    step: int = 0
    status: Literal["ok", "error", "unknown"] = "unknown"
    result: Json = None
    witness: Literal["reply", "journal", "spans", "model"] = "reply"


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs.

    Attributes:
        input: US dollars for a million tokens that go in.
        output: The same for those that come out.
    """

    input: float
    output: float

    def cost_usd(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars for so many tokens.

        >>> Price(2, 8).cost_usd(1_000_000, 500_000)
        6.0
        """
        return (input_tokens * self.input + output_tokens * self.output) / _MILLION


class ModelCall(Frozen):
    """A call of a model, as a span tells it.

    Attributes:
        model: The model's name, or an empty string.
        provider: Whose it is, or an empty string.
        turn: The turn, from 1.
        at_ms: When it began, milliseconds after the first turn did.
        duration_ms: Milliseconds.
        status: `ok` or `error`.
        input_tokens: Or None.
        output_tokens: Or None.
        cost_usd: US dollars: what the span says, else by the price of the model; None where neither
            is known.
        requested: The tool calls that it asks for.
        text: What it answers, as far as it is told.
    """

    model: str = ""
    provider: str = ""
    turn: int = 1
    at_ms: float = 0
    duration_ms: float = 0
    status: Literal["ok", "error"] = "ok"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    requested: tuple[ToolCall, ...] = ()
    text: str = ""


class Trace(Frozen):
    """What the spans of OpenTelemetry say that the agent's framework sent in a trial.

    Attributes:
        tool_calls: The tool calls that ran, by the time at which they began.
        model_calls: The calls of models, likewise.
        received: How many spans came.
        rejected: How many there was no room for.
    """

    tool_calls: tuple[ToolCall, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    received: int = 0
    rejected: int = 0


_MOST_TOKENS = 2**53
"""What a number holds to the last digit: means are taken of them."""


class Usage(Frozen):
    """Tokens, None where nobody says; `total_tokens` where only the sum is known."""

    input_tokens: int | None = Field(default=None, le=_MOST_TOKENS)
    output_tokens: int | None = Field(default=None, le=_MOST_TOKENS)
    cost_usd: float | None = None
    total_tokens: int | None = Field(default=None, le=_MOST_TOKENS)


class Reply(Frozen):
    """The agent's answer to one turn.

    Attributes:
        turn: From 1.
        prompt: The text as sent.
        text: The answer's text.
        http_status: The status of a service's answer, or None of other agents.
        data: The whole structured answer of a service, or None.
        metadata: Structured answer (`diagnosis`, `evidence`, `hypotheses`, `nextSteps`, ...), or
            None.
        tool_calls: In order.
        reports_calls: False for a reply that has no place for tool calls (a plain text): that none
            stands there says nothing.
        rounds: Model rounds; those of the spans where the agent does not say, or None.
        finish: Why it stopped, in its own words, or an empty string.
        usage: Tokens and cost; those of the spans where the agent does not say.
        duration_ms: From the request to the end of the answer, milliseconds.
        first_byte_ms: To the first byte of the answer, milliseconds, or None.
    """

    turn: int = Field(ge=1)
    prompt: str
    text: str = ""
    http_status: int | None = None
    data: Json = None
    metadata: JsonObject | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    reports_calls: bool = True
    rounds: int | None = None
    finish: str = ""
    usage: Usage = Usage()
    duration_ms: float = 0
    first_byte_ms: float | None = None


class Attempt(Frozen):
    """One try at a turn; more than one means that transport errors were retried.

    Attributes:
        turn: From 1.
        number: From 1.
        error: What went wrong, or an empty string.
        duration_ms: Milliseconds.
        waited_ms: Pause before the next attempt, milliseconds.
    """

    turn: int
    number: int
    error: str = ""
    duration_ms: float = 0
    waited_ms: float = 0


class WorkspaceFile(Frozen):
    """A file of the workspace at the end: size in bytes, and its text (up to 64 KiB, else None)."""

    size: int
    text: str | None = None


ConversationEnd = Literal["goal", "stop", "patience", "silent"]
"""Why a simulated user ended a conversation: it had what it wanted, it gave up because of what the
agent said (or the model that plays it did), it had said enough, or it had nothing to say."""


class UserLine(Frozen):
    """What a simulated user said.

    Attributes:
        turn: In which turn, from 1.
        text: The text.
        by: Which reply of the case it is (`replies[0]`), or `model`.
        input_tokens: What the model read for it, or None.
        output_tokens: What it wrote, or None.
    """

    turn: int = Field(ge=1)
    text: str
    by: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class UserRecord(Frozen):
    """What a simulated user did in a trial.

    Attributes:
        ended: Why it ended the conversation; None where something else did.
        lines: What it said, beside the turns of the case.
        model: The model that played it, `openai:NAME`, or an empty string.
        recorded_in: The run whose recording it said, or an empty string.
    """

    ended: ConversationEnd | None = None
    lines: tuple[UserLine, ...] = ()
    model: str = ""
    recorded_in: str = ""


class ForkOrigin(Frozen):
    """The trial that a trial was forked from, and what was changed.

    Attributes:
        run: The id of its run.
        case: The case's id.
        number: Its number.
        turn: The turn of the model, from 1, from which on the fork goes its own way.
        model: The model that is asked from there on, as it was named; empty for the agent's own.
        prompt: The system prompt from there on; None for the agent's own.
    """

    run: str
    case: str
    number: int = Field(ge=1)
    turn: int = Field(ge=1)
    model: str = ""
    prompt: str | None = None


class ForkPoint(Frozen):
    """Where a trial left the recording of its origin.

    Attributes:
        origin: The trial that it was forked from.
        played: How many turns of the model were answered from the recording.
        entry: The last entry of the journal before the fork, 0 where there was none; None where the
            fork was not reached.
        at_ms: When it came to the fork, milliseconds after its first turn began; None likewise.
    """

    origin: ForkOrigin
    played: int = 0
    entry: int | None = None
    at_ms: float | None = None


class TrialRecord(Frozen):
    """Everything that is known about one trial; written once, never changed.

    Attributes:
        version: Of this file format.
        run: The run's id.
        case: The case's id.
        case_hash: Hash of the case as it was.
        number: The trial's number, from 1.
        outcome: What the driver can say; checks decide whether a reply passes.
        error: What went wrong, one line, or an empty string.
        started_at: RFC 3339.
        duration_ms: The whole trial, milliseconds, but for the import of an agent's framework.
        agent_ms: Inside the agent, milliseconds.
        time_limit_ms: The limit that the agent ran into, milliseconds, or None.
        replies: One for each turn that was answered.
        attempts: Every try.
        exit_code: Of the agent's process, or None.
        stderr_tail: The last 4 KiB of the agent's stderr.
        files: The workspace at the end, by relative path.
        session: The mock session's id.
        journal: What the server saw.
        state_diff: What the agent changed on the server (see
            `mockserver.model.SessionReport.diff`).
        written: Collections that the agent wrote to, also where nothing is left of it.
        state: Collections that the case's expectations ask about: name to resources by key.
        faults: Faults with how often they were met.
        synthetic: True when the reply was made up without asking the agent (`EVAL_TEST_MODE`).
        unused: Recordings of the session's cassettes that nobody asked for.
        tampering: What the agent tried on the evidence, or on the sessions of other trials.
        opinions: What judges said of the replies.
        scores: What another tool found, where the trial was imported from its results.
        trace: What the spans of the agent's framework say.
        user: What the simulated user of the case did, or None.
        fork: Where it left the trial that it was forked from; None of any other trial.
        prices: What the suite itself says that models of the trial cost, by their names.
    """

    version: Literal[1] = 1
    run: str
    case: str
    case_hash: str
    number: int = Field(ge=1)
    outcome: Outcome
    error: str = ""
    started_at: str
    duration_ms: float = 0
    agent_ms: float = 0
    time_limit_ms: float | None = None
    replies: tuple[Reply, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    exit_code: int | None = None
    stderr_tail: str = ""
    files: dict[str, WorkspaceFile] = {}
    session: str = ""
    journal: Journal = Journal()
    state_diff: dict[str, JsonObject] = {}
    written: tuple[str, ...] = ()
    state: dict[str, Json] = {}
    faults: tuple[FaultReport, ...] = ()
    synthetic: bool = False
    unused: tuple[UnusedRecording, ...] = ()
    tampering: tuple[Tampering, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    scores: tuple[Score, ...] = ()
    trace: Trace = Trace()
    user: UserRecord | None = None
    fork: ForkPoint | None = None
    prices: dict[str, Price] = {}

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The trajectory: all tool calls of all turns, in order."""
        return tuple(call for reply in self.replies for call in reply.tool_calls)

    @property
    def text(self) -> str:
        """The texts of all turns."""
        return "\n\n".join(reply.text for reply in self.replies)

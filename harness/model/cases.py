"""One scenario: turns, fixtures, expectations."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from harness.checks.registry import Expectation
from harness.trials.regexes import PatternError, search_pattern
from harness.trials.values import Frozen, Json, JsonObject
from mockserver.model import Auth, Fault, Repeats, ToolAnswer


class HeardPattern(Frozen):
    """A text in which a regular expression (RE2) occurs, in any case."""

    regex: str = Field(min_length=1)

    @field_validator("regex")
    @classmethod
    def _is_pattern(cls, text: str) -> str:
        try:
            search_pattern(text)
        except PatternError as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return text


Heard = str | HeardPattern
"""What the agent must have said: a text that occurs in its answer, in any case, or a pattern."""


def is_heard(wanted: Heard, text: str) -> bool:
    """Whether an answer says it.

    >>> is_heard("order number", "Your Order Number, please."), is_heard("no", "Yes.")
    (True, False)
    """
    if isinstance(wanted, str):
        return wanted.casefold() in text.casefold()
    return search_pattern(wanted.regex).search(text)


class UserReply(Frozen):
    """What a simulated user says when the agent said something.

    Attributes:
        agent: What the agent's last answer must say; anything when None.
        say: What the user says.
        times: How often it says so; None for always.
    """

    agent: Heard | None = None
    say: str = Field(min_length=1, pattern=r"\S")
    times: int | None = Field(default=None, ge=1)


class SimulatedUser(Frozen):
    """A user who goes on after the turns of a case, until it has what it wants or gives up.

    Attributes:
        goal: What it wants, for a model that plays it and for readers.
        persona: Who it is and how it speaks, likewise.
        reached: What the agent must have said for the goal to be reached, each in any answer.
        stop: What the agent says when the user gives up.
        patience: Turns after which it gives up, those of the case included.
        replies: What it says; the first that fits is said. Where none fits, it falls silent.
        model: The model that plays it, `openai:NAME` or `anthropic:NAME`; the replies when empty.
    """

    goal: str = ""
    persona: str = ""
    reached: tuple[Heard, ...] = ()
    stop: tuple[Heard, ...] = ()
    patience: int = Field(default=8, ge=1, le=100)
    replies: tuple[UserReply, ...] = ()
    model: str = ""

    @field_validator("reached", "stop", mode="before")
    @classmethod
    def _one_or_more(cls, value: object) -> object:
        return (value,) if isinstance(value, str | dict) else value

    @field_validator("reached", "stop")
    @classmethod
    def _says_something(cls, value: tuple[Heard, ...]) -> tuple[Heard, ...]:
        if any(isinstance(each, str) and not each.strip() for each in value):
            raise ValueError("an empty text is in every answer")
        return value

    @model_validator(mode="after")
    def _can_speak(self) -> "SimulatedUser":
        if not self.replies and not self.model and not self.goal:
            raise ValueError("it has nothing to say: give replies, or a goal and a model")
        if self.model and not self.goal:
            raise ValueError("a model that plays a user needs a goal")
        return self


Mode = Literal["deterministic", "rubric", "multi-turn", "how-to", "reference", "comparison"]


class Turn(Frozen):
    """What the user says in one turn.

    Attributes:
        user: The exact text that is sent.
    """

    user: str = Field(min_length=1)


def model_cassette(case: str, number: int = 1) -> str:
    """The name of the cassette that holds what an agent asked of models in a trial of a case.

    Args:
        case: The case's id.
        number: The trial's.

    >>> model_cassette("EC-001"), model_cassette("EC-001", 2)
    ('EC-001.models', 'EC-001.models.2')
    """
    return f"{case}.models" if number == 1 else f"{case}.models.{number}"


class Fixtures(Frozen):
    """The world a case runs in.

    Attributes:
        overrides: Names of override folders of the suite, in order.
        base: False: an empty base.
        faults: Faults beside those of the snapshot.
        clock: `shift`, `real`, `frozen` or `frozen:<RFC 3339>`.
        seed: The session's seed.
        auth: What is asked of the agent's credentials: `off`, `token`, `scopes` or `permissions`;
            by the profile when None.
        acting_as: The account that the agent's tokens stand for; the customer's administrator when
            None.
        scopes: What these tokens are good for; every API when empty.
        files: Plain-text fixtures, relative to the suite: put into the agent's workspace, and into
            the prompt on request.
        workspace: Files that the agent's workspace starts with: path in it to text.
        cassettes: Names of the suite's cassettes: the hosts that they know are answered by them
            alone.
        repeats: What a call gets whose recordings were all played: the latest again if it only
            reads (`reads`), a miss (`once`), the latest again (`last`), or the first again
            (`cycle`).
        tools: Who answers the agent's own tools, by globs of their names: the session (`mocked`),
            the tool itself (`real`), or nobody (`refused`). None: they are left alone.
    """

    overrides: tuple[str, ...] = ()
    base: bool = True
    faults: tuple[Fault, ...] = ()
    clock: str = "shift"
    seed: int = 0
    auth: Auth | None = None
    acting_as: str | None = None
    scopes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    workspace: dict[str, str] = {}
    cassettes: tuple[str, ...] = ()
    repeats: Repeats = "reads"
    tools: dict[str, ToolAnswer] | None = None


class ReferenceCall(Frozen):
    """A tool call that the oracle makes: `POST <tools>/<name>` with these arguments."""

    name: str = Field(min_length=1)
    args: JsonObject = {}


class ReferenceRequest(Frozen):
    """A request that the oracle makes against the emulated API.

    Attributes:
        http_method: `GET`, `POST`, ...
        url: Below the session's base URL: `admin.googleapis.com/admin/directory/v1/...`.
        body: JSON body, or None.
    """

    http_method: str = "GET"
    url: str = Field(min_length=1)
    body: Json = None


class ReferenceTurn(Frozen):
    """What a perfect agent does in one turn.

    Attributes:
        calls: Tool calls, in order.
        reports: Calls of tools of the agent's own, which the mock server does not have: they are
            only told, after `calls`.
        requests: Requests, in order, after the calls.
        answer: Its reply.
        metadata: Its structured reply.
        http_status: The status that a perfect service answers with, or None of other agents.
        data: Its whole structured answer, or None.
        files: Files that it writes into its workspace: path to content.
        exit_code: What its process exits with, or None of agents that are none.
    """

    calls: tuple[ReferenceCall, ...] = ()
    reports: tuple[ReferenceCall, ...] = ()
    requests: tuple[ReferenceRequest, ...] = ()
    answer: str = ""
    metadata: JsonObject | None = None
    http_status: int | None = None
    data: Json = None
    files: dict[str, str] = {}
    exit_code: int | None = None


class Policy(Frozen):
    """When a case passes, by its valid trials; exactly one rule.

    Attributes:
        pass_: `all` or `majority`.
        rate: At least this share of the trials, 0 < rate <= 1.
        pass_hat: So many trials in a row must be likely to pass: pass^k, estimated without bias.
        min: How likely at least, 0 < min <= 1; with `pass_hat`. At 0 nothing could fail.
    """

    pass_: Literal["all", "majority"] | None = Field(default=None, alias="pass")
    rate: float | None = Field(default=None, gt=0, le=1)
    pass_hat: int | None = Field(default=None, ge=1)
    min: float | None = Field(default=None, gt=0, le=1)

    @model_validator(mode="after")
    def _one_rule(self) -> "Policy":
        if sum(rule is not None for rule in (self.pass_, self.rate, self.pass_hat)) != 1:
            raise ValueError("give either pass (all, majority) or rate, or pass_hat with min")
        if (self.pass_hat is None) != (self.min is None):
            raise ValueError("pass_hat and min go together: {pass_hat: 3, min: 0.7}")
        return self


class Case(Frozen):
    """One scenario.

    Attributes:
        id: Unique in its suite.
        title: One line.
        category: The failure domain.
        tags: Labels to select by.
        mode: What the case is; `multi-turn` needs several turns.
        turns: What the user says; only a case of imported results may lack it.
        user: Who goes on after these turns, or None.
        request: What a service is sent, in the place of a conversation; None for all others.
        fixtures: The world.
        expect: What must hold.
        repeat: Trials, when the command line names no number.
        policy: When the case passes; None takes the run's.
        reference: What a perfect agent does, turn by turn; empty when the case has none.
        variables: Values that its texts name as `{{NAME}}`, filled in when the case is read; an ADK
            agent finds them in its session's state.
        required_tools: Tools that an agent must have to be asked at all; else the trial is skipped.
        weights: Kind of expectation to what a check of it weighs in the score; 1 when left out.
        deterministic: Its agent answers the same every time, so that any change is a regression.
        timeout_s: Seconds an agent may take for the whole trial; None takes the run's.
        source: File (and pointer) it was read from, relative to the suite.
        source_refs: Where the scenario comes from.
        notes: Text for readers: summary, reproduction, expected result, cleanup.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")
    title: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    mode: Mode = "deterministic"
    turns: tuple[Turn, ...]
    user: SimulatedUser | None = None
    request: JsonObject | None = None
    fixtures: Fixtures = Fixtures()
    expect: tuple[Expectation, ...] = ()
    repeat: int = Field(default=1, ge=1)
    policy: Policy | None = None
    reference: tuple[ReferenceTurn, ...] = ()
    variables: JsonObject = {}
    required_tools: tuple[str, ...] = ()
    weights: dict[str, float] = {}
    deterministic: bool = False
    timeout_s: float | None = Field(default=None, gt=0)
    source: str = ""
    source_refs: tuple[str, ...] = ()
    notes: dict[str, str] = {}

    @model_validator(mode="after")
    def _says_something(self) -> "Case":
        if not self.turns and not all(each.of_other_tools for each in self.expect):
            raise ValueError("a case whose reply is checked needs a turn")
        return self


def inspected_collections(case: Case) -> tuple[str, ...]:
    """The collections that a case's expectations look into at the end, each once."""
    asked = (name for item in case.expect for name in item.final_collections)
    return tuple(dict.fromkeys(asked))

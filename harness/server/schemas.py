"""The models of request and response bodies; in JSON their names are in camel case."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, RootModel, model_validator
from pydantic.alias_generators import to_camel

from harness.model import CaseVerdict, Comparison, ExitReason, JsonObject
from harness.storage import CaseSummary, RunSummary


class ApiModel(BaseModel):
    """A model of this API: camel case outside, nothing unknown inside."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class NewSuite(ApiModel):
    """A suite of tasks that is to be kept.

    Attributes:
        name: Letters, digits, `.`, `_`, `-`; it becomes a folder's name.
        description: What it is for.
        tasks: The tasks, as in `suite.json`.
    """

    name: str
    description: str = ""
    tasks: Annotated[list[JsonObject], FailFast()] = Field(min_length=1)


class TaskResponse(ApiModel):
    """A task of a suite, or a case of another format in the same words.

    Attributes:
        id: Its id.
        category: Its category.
        description: Its title.
        prompt: What the agent is asked first.
    """

    id: str
    category: str = ""
    description: str = ""
    prompt: str = ""


class SuiteResponse(ApiModel):
    """A suite that can be run.

    Attributes:
        id: The same as its name.
        name: What it is called here.
        path: Where it lies.
        format: The case format it is written in.
        description: What it is for.
        registered: Whether it was registered by name; otherwise it was found.
        cases: How many valid cases it has.
        categories: How many of them each category has.
        errors: How many things are wrong with it; with any it cannot be run.
        baseline: The run that its runs are held against, or an empty string.
        tasks: Its valid cases.
    """

    id: str
    name: str
    path: str
    format: str = ""
    description: str = ""
    registered: bool = False
    cases: int = 0
    categories: dict[str, int] = {}
    errors: int = 0
    baseline: str = ""
    tasks: list[TaskResponse] = []


class SuitesResponse(RootModel[list[SuiteResponse]]):
    """The suites that can be run, by name."""


class HarnessResponse(ApiModel):
    """A pre-built harness: a bundled suite, with what can be put through it at once.

    Attributes:
        name: The suite's name.
        format: The case format it is written in.
        cases: How many cases it has.
        categories: How many of them each category has.
        agents: Agents that need nothing else: what must pass, and what must fail.
    """

    name: str
    format: str
    cases: int
    categories: dict[str, int]
    agents: dict[str, str]


class HarnessesResponse(ApiModel):
    """The pre-built harnesses.

    Attributes:
        harnesses: By name.
    """

    harnesses: list[HarnessResponse]


class RagQuery(ApiModel):
    """What one query brought.

    Attributes:
        query: The query, for the reader.
        relevant: The ids that should be found; at least one.
        retrieved: The ids that were found, best first.
    """

    query: str = ""
    relevant: Annotated[list[str], FailFast()] = Field(min_length=1)
    retrieved: Annotated[list[str], FailFast()]


class RagOrder(ApiModel):
    """Queries to judge a retriever by: several in `queries`, or one in `query` and what follows.

    Attributes:
        queries: What each of them brought.
        k: Look at the first so many results alone.
        query: One query.
        retrieved_docs: What it brought, best first.
        expected_doc: What it should bring; without it there is no figure.
    """

    queries: Annotated[list[RagQuery], FailFast()] = []
    k: int | None = Field(default=None, ge=1)
    query: str = ""
    retrieved_docs: Annotated[list[str], FailFast()] = []
    expected_doc: str = ""

    @model_validator(mode="after")
    def _check_queries(self) -> "RagOrder":
        if bool(self.queries) == bool(self.query):
            raise ValueError("needs 'queries', or 'query', one of them")
        return self


class RagResponse(ApiModel):
    """How well a retriever finds what is relevant; each figure is a mean, 0 to 1.

    Attributes:
        queries: How many.
        query: The query, where there was one alone.
        retrieved_count: How many ids it brought, in that case.
        hit_at_1: Share of queries whose first result is relevant; of one query, whether it is.
        recall: Share of the relevant ids that were found; None where nothing was expected.
        mrr: One divided by the rank of the first relevant result.
    """

    queries: int
    query: str | None = None
    retrieved_count: int | None = None
    hit_at_1: bool | float | None = Field(alias="hitAt1")
    recall: float | None
    mrr: float


class BenchmarkResponse(ApiModel):
    """How a suite went over time.

    Attributes:
        suite: Its name.
        runs: Finished runs with a verdict, at most the last 50.
        latest: The rate of the last one.
        best: The best rate.
        trend: Those runs, the oldest first.
    """

    suite: str
    runs: int
    latest: float
    best: float
    trend: list[RunSummary]


class BenchmarksResponse(ApiModel):
    """How the suites went over time.

    Attributes:
        benchmarks: By name, those with a run.
    """

    benchmarks: list[BenchmarkResponse]


class HealthResponse(ApiModel):
    """Whether the server works.

    Attributes:
        status: `ok`, or `degraded` without its index.
        version: Of understudy.
        running: Runs that go on.
        queued: Runs that wait.
        index: The database without its password, and what is wrong with it, where something is.
    """

    status: Literal["ok", "degraded"]
    version: str
    running: int
    queued: int
    index: str


LiveState = Literal["queued", "running", "finished", "unfinished", "cancelled", "failed"]
Names = Annotated[list[str], FailFast()]
Fraction = Annotated[float, Field(ge=0, le=1)]


class RunOrder(ApiModel):
    """What a run is asked for.

    Only some options of `understudy run` are fields: which cases, how many trials and how long, how
    the agent is reached, and the baseline. Files, programs, variables and keys of the server's
    machine belong to whoever started the server, so options that name them are not among these;
    `serve` needs a server that was started with `--allow-subprocess`.

    Attributes:
        agent: The agent spec, as for `understudy run --agent`.
        ids: Case ids; all when empty.
        category: Categories.
        tags: Tags.
        limit: At most so many cases.
        trials: Trials for each case; else each case's own.
        concurrency: Trials at a time.
        timeout: Seconds an agent may take for a trial.
        retries: Further attempts after a transport error.
        policy: `all`, `majority`, or a share such as `0.8`.
        note: Why this run is made.
        profile: Request body of `http:` agents.
        input: What `command:` agents read: `text` or `json`.
        headers: Further request headers of `http:` agents; their values are kept nowhere.
        token: Bearer token for `http:` agents; kept nowhere.
        serve: A command that serves the agent for this run.
        baseline: A run that this one is held against: an id, or `current` for the suite's baseline.
        margin: How much lower the mean rate may be and still count as not worse.
        threshold: Also name every case whose rate fell by more.
    """

    agent: str = Field(min_length=1)
    ids: Names = []
    category: Names = []
    tags: Names = []
    limit: int | None = Field(default=None, ge=1)
    trials: int | None = Field(default=None, ge=1, le=10_000)
    concurrency: int = Field(default=4, ge=1, le=64)
    timeout: float = Field(default=180.0, gt=0, le=86_400)
    retries: int = Field(default=2, ge=0, le=10)
    policy: str = "all"
    note: str = ""
    profile: str = "ai-sdk"
    input: Literal["text", "json"] = "text"
    headers: dict[str, str] = {}
    token: str = ""
    serve: str = ""
    baseline: str = ""
    margin: Fraction = 0.05
    threshold: Fraction | None = None


class NamedRunOrder(ApiModel):
    """What a run is asked for, in few words.

    Attributes:
        suite_id: The suite's name.
        provider: The agent spec; else the one that the server was started with.
        model: The model behind the agent, for the note of the run; the agent chooses its model.
        baseline_id: A run that this one is held against, or `current`.
        timeout: Seconds an agent may take for a trial.
    """

    suite_id: str
    provider: str = ""
    model: str = ""
    baseline_id: str = ""
    timeout: float = Field(default=180.0, gt=0, le=86_400)


class RunAccepted(ApiModel):
    """A run that will be made.

    Attributes:
        id: The same as `run_id`.
        run_id: Its id.
        suite: The suite's name.
        state: `queued`, or `running` at once.
        cases: How many cases it has.
        trials: How many trials it has.
        url: Where to ask for it.
        events: Where to listen to it.
    """

    id: str
    run_id: str
    suite: str
    state: LiveState
    cases: int
    trials: int
    url: str
    events: str


class TaskResultResponse(ApiModel):
    """What came of a task, or of a case of another format, over all its trials.

    Attributes:
        task_id: Its id.
        task_category: Its category.
        passed: Whether its policy holds; None without a verdict.
        score: The mean over its trials, 0 to 1; None where no trial has one.
        error: The first reason of its first failure, or None.
    """

    task_id: str
    task_category: str = ""
    passed: bool | None = None
    score: float | None = None
    error: str | None = None


class RunResponse(ApiModel):
    """A run with its cases.

    Attributes:
        id: The same as `run_id`.
        run_id: Its id.
        suite_name: The short name of its suite.
        timestamp: When it began, RFC 3339.
        total_tasks: How many cases it has.
        passed: How many of them passed.
        failed: How many of them did not, whether failed or flaky.
        results: What came of each of them, in run order.
        state: How it stands.
        error: Why it failed, where it did.
        done: Trials that are over.
        summary: Its figures; None before its first decision.
        cases: Its cases.
        exit_reasons: Everything that speaks against it, the gravest first.
        comparison: What it is against its baseline, where one was named.
    """

    id: str
    run_id: str
    suite_name: str = ""
    timestamp: str = ""
    total_tasks: int = 0
    passed: int = 0
    failed: int = 0
    results: list[TaskResultResponse] = []
    state: LiveState
    error: str = ""
    done: int = 0
    summary: RunSummary | None = None
    cases: list[CaseSummary] = []
    exit_reasons: list[ExitReason] = []
    comparison: Comparison | None = None


class TaskRowResponse(ApiModel):
    """A case of a run in the list of runs.

    Attributes:
        id: Its id.
        category: Its category.
        verdict: None where nothing was decided yet.
        valid: How many of its trials say something of the agent.
        passed: How many of those passed.
    """

    id: str
    category: str = ""
    verdict: CaseVerdict | None = None
    valid: int = 0
    passed: int = 0


class RunRow(RunSummary):
    """A run in the list of runs.

    Attributes:
        id: The same as `run`.
        suite_name: The same as `suite`.
        timestamp: The same as `started_at`.
        total_tasks: The same as `cases`.
        passed: How many of its cases passed.
        failed: How many of them did not, whether failed or flaky.
        tasks: What came of each of them, in run order.
    """

    id: str
    suite_name: str
    timestamp: str
    total_tasks: int
    failed: int
    tasks: list[TaskRowResponse]


class RunsResponse(RootModel[list[RunRow]]):
    """Runs, the newest first."""


class BaselineResponse(ApiModel):
    """A run that later ones are held against.

    Attributes:
        id: The run's id.
        name: The same as `suite`.
        timestamp: The same as `set_at`.
        suite: The suite's name.
        agent: The agent spec.
        set_at: RFC 3339.
        note: Why.
        current: Whether it is the one that counts for its suite.
    """

    id: str
    name: str
    timestamp: str
    suite: str
    agent: str = ""
    set_at: str = ""
    note: str = ""
    current: bool = False


class BaselinesResponse(RootModel[list[BaselineResponse]]):
    """The baselines, the one set first first."""


class NewBaseline(ApiModel):
    """How a run is made a baseline.

    Attributes:
        note: Why.
    """

    note: str = ""


class RegressionRow(ApiModel):
    """One case in two runs, in the words of coding suites.

    Attributes:
        task_id: The case's id.
        previous_score: Its mean score in the baseline; its pass rate where one has no scores.
        current_score: The same in the newer run.
        degraded: Whether score or rate fell by more than the threshold.
        delta: Of the scores, previous minus current: positive is worse.
        previous_rate: Its pass rate in the baseline.
        current_rate: Its pass rate in the newer run.
        rate_delta: Of the rates, previous minus current.
    """

    task_id: str
    previous_score: float
    current_score: float
    degraded: bool
    delta: float
    previous_rate: float
    current_rate: float
    rate_delta: float


class RegressionsResponse(ApiModel):
    """A run of a suite against its baseline.

    Attributes:
        suite: The suite's name.
        baseline: The baseline's run id.
        run: The newer run's id.
        threshold: Of `degraded`.
        regressions: Every case that both have.
        degraded: How many of them fell by more than the threshold.
        missing: Cases of the baseline that the newer run does not have, or has changed.
        comparison: What statistics say: with few trials, a fall of one case says little.
    """

    suite: str
    baseline: str
    run: str
    threshold: float
    regressions: list[RegressionRow]
    degraded: int
    missing: list[str]
    comparison: Comparison

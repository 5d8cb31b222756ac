"""What requests and answers say, as models; in JSON their names are in camel case."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, RootModel, model_validator
from pydantic.alias_generators import to_camel

from harness.model import JsonObject
from harness.storage import RunSummary


class Said(BaseModel):
    """A model of this API: camel case outside, nothing unknown inside."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class NewSuite(Said):
    """A suite of tasks that is to be kept.

    Attributes:
        name: Letters, digits, `.`, `_`, `-`; it becomes a folder's name.
        description: What it is for.
        tasks: The tasks, as in `suite.json`.
    """

    name: str
    description: str = ""
    tasks: Annotated[list[JsonObject], FailFast()] = Field(min_length=1)


class TaskSaid(Said):
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


class SuiteSaid(Said):
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
    tasks: list[TaskSaid] = []


class SuitesSaid(RootModel[list[SuiteSaid]]):
    """The suites that can be run, by name."""


class HarnessSaid(Said):
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


class HarnessesSaid(Said):
    """The pre-built harnesses.

    Attributes:
        harnesses: By name.
    """

    harnesses: list[HarnessSaid]


class RagQuery(Said):
    """What one query brought.

    Attributes:
        query: The query, for the reader.
        relevant: The ids that should be found; at least one.
        retrieved: The ids that were found, best first.
    """

    query: str = ""
    relevant: Annotated[list[str], FailFast()] = Field(min_length=1)
    retrieved: Annotated[list[str], FailFast()]


class RagOrder(Said):
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
    def _asks_one_way(self) -> "RagOrder":
        if bool(self.queries) == bool(self.query):
            raise ValueError("needs 'queries', or 'query', one of them")
        return self


class RagSaid(Said):
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


class BenchmarkSaid(Said):
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


class BenchmarksSaid(Said):
    """How the suites went over time.

    Attributes:
        benchmarks: By name, those with a run.
    """

    benchmarks: list[BenchmarkSaid]


class HealthSaid(Said):
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

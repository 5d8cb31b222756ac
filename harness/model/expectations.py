"""What a case expects, as data: a union told apart by `kind`; each kind has one pure check."""

from typing import Annotated, Literal

from pydantic import Field

from harness.model.limits import Budget, Phases, Stop
from harness.model.milestones import ChangeEvent, Loops, Milestones, Minefields, Routing
from harness.model.needles import AnyExpectation, Needle
from harness.model.opinions import Judge
from harness.model.patterns import Patterns
from harness.model.reviews import (
    ObservationCount,
    ObservationRef,
    ObservationSeverity,
    ServiceStatus,
)
from harness.model.trajectories import ForbiddenTools, MinCalls, ToolCalls
from harness.model.values import Frozen, JsonObject
from harness.model.witnesses import Grounding, Witnesses

Match = Literal["all", "any"]


class TextContains(AnyExpectation):
    """The reply holds these phrases (case and Unicode folded, as whole words).

    Attributes:
        needles: The phrases.
        match: `all` of them or `any` one.
        exact: True: the last word of a phrase may not be inflected.
    """

    kind: Literal["text_contains"] = "text_contains"
    needles: tuple[Needle, ...] = Field(min_length=1)
    match: Match = "all"
    exact: bool = False


class TextLacks(AnyExpectation):
    """The reply holds none of these phrases, which are found as by `TextContains`."""

    kind: Literal["text_lacks"] = "text_lacks"
    needles: tuple[Needle, ...] = Field(min_length=1)
    exact: bool = False


class TextMatches(AnyExpectation):
    """The reply matches these regular expressions (searched, letter case aside)."""

    kind: Literal["text_matches"] = "text_matches"
    patterns: tuple[Needle, ...] = Field(min_length=1)
    match: Match = "all"


class Evidence(AnyExpectation):
    """The reply shows these markers: it found what the fixtures hold.

    Attributes:
        markers: Phrases, found as by `TextContains`.
        exact: True: the last word of a marker may not be inflected.
    """

    kind: Literal["evidence"] = "evidence"
    markers: tuple[Needle, ...] = Field(min_length=1)
    exact: bool = False


class ForbiddenEvidence(AnyExpectation):
    """The reply shows none of these, but in sentences that hold an `unless` word."""

    kind: Literal["forbidden_evidence"] = "forbidden_evidence"
    markers: tuple[Needle, ...] = Field(min_length=1)
    unless: tuple[Needle, ...] = ()
    exact: bool = False


class ReplySchema(AnyExpectation):
    """The reply is structured: fields in its metadata or headings in its text; or valid JSON.

    Attributes:
        fields: Names (`diagnosis`, `next_steps`); spelling variants and aliases count as the same.
        json_schema: A JSON Schema for the metadata or the JSON in the text.
        model: A Pydantic model, `python:package.module:Model`.
    """

    kind: Literal["reply_schema"] = "reply_schema"
    fields: tuple[Needle, ...] = ()
    json_schema: JsonObject | None = None
    model: str | None = None


class Signals(AnyExpectation):
    """The reply is an answer and not a mere word: it is long enough and says some of these.

    A structured answer (an object in its metadata) is one whatever it says.

    Attributes:
        words: Pieces of words (`configur`), looked for anywhere in the text, letter case aside.
        min_words: How many of them must be there.
        min_length: How long the text is at least, in characters as UTF-16 counts them.
    """

    kind: Literal["signals"] = "signals"
    words: tuple[Needle, ...] = Field(min_length=1)
    min_words: int = Field(default=2, ge=1)
    min_length: int = Field(default=50, ge=0)


class Rubric(AnyExpectation):
    """At least `min_score` of the criteria are met by the reply.

    Attributes:
        min_score: How many criteria must be met, at least 1.
        criteria: Short cues (`diagnosis`, `evidence`, `next`).
        synonyms: Criterion to further phrases that meet it.
    """

    kind: Literal["rubric"] = "rubric"
    min_score: int = Field(ge=1)
    criteria: tuple[Needle, ...] = Field(min_length=1)
    synonyms: dict[str, tuple[Needle, ...]] = {}


class ExpectedRequest(Frozen):
    """A request that the server must have seen.

    Attributes:
        method: Method id or glob (`chromepolicy.customers.policies.resolve`, `directory.*`,
            `tools.*`).
        params: Parameters or body fields it must have had, as a subset.
        status: The status it was answered with; None for any below 400.
        min: At least so many.
        max: At most so many; None for any number.
    """

    method: Needle
    params: JsonObject = {}
    status: int | None = None
    min: int = Field(default=1, ge=0)
    max: int | None = Field(default=None, ge=0)


class ServerRequests(AnyExpectation):
    """What the server's journal must show; with `allow_others` false nothing else."""

    kind: Literal["server_requests"] = "server_requests"
    requests: tuple[ExpectedRequest, ...] = Field(min_length=1)
    allow_others: bool = True


class ExpectedRow(Frozen):
    """A resource that must be there (or not) at the end of the trial.

    Attributes:
        collection: `orgUnits`, `policies`, `users`, ...
        where: Fields that pick the resources, as a subset.
        has: Fields that each picked resource must have, as a subset.
        count: How many must be picked; None for at least one.
    """

    collection: Needle
    where: JsonObject = {}
    has: JsonObject = {}
    count: int | None = Field(default=None, ge=0)


class ServerState(AnyExpectation):
    """What the server must hold at the end.

    Attributes:
        rows: What must be there.
        unchanged: Collections (or globs) that the agent must not have written to.
        allow: Changes that do not matter; when given, whatever else the agent changed, and `rows`
            does not speak of, is collateral damage.
    """

    kind: Literal["server_state"] = "server_state"
    rows: tuple[ExpectedRow, ...] = ()
    unchanged: tuple[Needle, ...] = ()
    allow: tuple[ChangeEvent, ...] | None = None


class ExpectedFile(Frozen):
    """A file in the trial's workspace.

    Attributes:
        path: Relative to the workspace; it may not leave it.
        contains: Texts it must hold.
        exact_case: False: letter case does not matter.
        absent: True: it must not be there.
    """

    path: Needle
    contains: tuple[Needle, ...] = ()
    exact_case: bool = True
    absent: bool = False


class Files(AnyExpectation):
    """Files in the trial's workspace at its end."""

    kind: Literal["files"] = "files"
    files: tuple[ExpectedFile, ...] = Field(min_length=1)


class ExitCode(AnyExpectation):
    """What the agent's process exited with."""

    kind: Literal["exit_code"] = "exit_code"
    code: int


class Reference(AnyExpectation):
    """The reply is like a reference text: its F1 from 0 to 1 is at least `min_similarity`.

    Attributes:
        text: What it should be like.
        min_similarity: The least F1.
        measure: What is counted: `words` as they are, or their stems, as ROUGE-1 does (`rouge1`).
    """

    kind: Literal["reference"] = "reference"
    text: Needle
    min_similarity: float = Field(default=0.3, gt=0, le=1)
    measure: Literal["words", "rouge1"] = "words"


Expectation = Annotated[
    TextContains
    | TextLacks
    | TextMatches
    | Evidence
    | ForbiddenEvidence
    | ReplySchema
    | Signals
    | Rubric
    | ToolCalls
    | ForbiddenTools
    | MinCalls
    | ServerRequests
    | ServerState
    | Files
    | ExitCode
    | Budget
    | Stop
    | Phases
    | Reference
    | Milestones
    | Minefields
    | Witnesses
    | Grounding
    | Routing
    | Loops
    | ServiceStatus
    | ObservationCount
    | ObservationSeverity
    | ObservationRef
    | Patterns
    | Judge,
    Field(discriminator="kind"),
]

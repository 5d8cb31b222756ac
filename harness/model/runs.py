"""What a run was asked for, what came of it, and whether its evidence can be trusted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import ConfigDict, Field, WrapValidator, field_validator, model_validator

from harness.model.cases import Case, Policy
from harness.model.comparison import Comparison
from harness.model.facts import FactTable, TrialFacts
from harness.model.records import HeldBack
from harness.model.statistics import RunStatistics
from harness.trials.decisions import CaseDecision, Cluster
from harness.trials.records import ForkOrigin
from harness.trials.values import Frozen, JsonObject
from mockserver.model import Tampering


class FixtureCoverage(Frozen):
    """What of one collection of the fixtures was ever sent to an agent, and what a case names.

    Attributes:
        collection: Its name in the snapshot.
        fields: How many fields its resources have, counted by path.
        never_read: Those of which no answer held a value.
        never_asserted: Those that no expectation of a case names, nor a value of them.
        read: Those of which an answer held a value.
    """

    collection: str
    fields: int
    never_read: tuple[str, ...] = ()
    never_asserted: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    @property
    def untouched(self) -> tuple[str, ...]:
        """The fields that were never read and that no case names."""
        loose = set(self.never_asserted)
        return tuple(path for path in self.never_read if path in loose)


class RunCoverage(Frozen):
    """What the trials of a run touched of their worlds.

    Attributes:
        version: Of this file format.
        fixtures: By collection, those with the most untouched fields first.
        tools: The tools that the worlds have.
        never_called: Those that no trial called.
        unknown_in: The runs that this one was merged of and of which nothing is known; where there
            are any, all else is empty, as they may have touched what the others did not.
    """

    version: Literal[1] = 1
    fixtures: tuple[FixtureCoverage, ...] = ()
    tools: tuple[str, ...] = ()
    never_called: tuple[str, ...] = ()
    unknown_in: tuple[str, ...] = ()


def untouched_first(fixtures: Iterable[FixtureCoverage]) -> tuple[FixtureCoverage, ...]:
    """Collections in the order in which they are looked at."""
    return tuple(sorted(fixtures, key=lambda each: (-len(each.untouched), each.collection)))


def joined_coverage(runs: Mapping[str, RunCoverage | None]) -> RunCoverage:
    """What several runs touched together: a field is read where one of them read it.

    Args:
        runs: The id of each run, and what it touched; None where that was not looked at.
    """
    parts = [part for part in runs.values() if part is not None]
    unknown = [(run,) if part is None else part.unknown_in for run, part in runs.items()]
    if any(unknown):
        return RunCoverage(unknown_in=tuple(chain.from_iterable(unknown)))
    by_name: dict[str, list[FixtureCoverage]] = {}
    for each in chain.from_iterable(part.fixtures for part in parts):
        by_name.setdefault(each.collection, []).append(each)
    return RunCoverage(
        fixtures=untouched_first(_joined(name, several) for name, several in by_name.items()),
        tools=tuple(dict.fromkeys(chain.from_iterable(part.tools for part in parts))),
        never_called=_everywhere([(part.tools, part.never_called) for part in parts]),
    )


def _joined(name: str, several: Sequence[FixtureCoverage]) -> FixtureCoverage:
    every = [(*each.read, *each.never_read) for each in several]
    paths = dict.fromkeys(chain.from_iterable(every))
    unread = _everywhere(
        [(all_of_it, each.never_read) for all_of_it, each in zip(every, several, strict=True)]
    )
    loose = _everywhere(
        [(all_of_it, each.never_asserted) for all_of_it, each in zip(every, several, strict=True)]
    )
    return FixtureCoverage(
        collection=name,
        fields=len(paths),
        never_read=unread,
        never_asserted=loose,
        read=tuple(path for path in paths if path not in set(unread)),
    )


def _everywhere(parts: Sequence[tuple[Sequence[str], Sequence[str]]]) -> tuple[str, ...]:
    """What is lacking in each part that has it at all."""
    touched = {name for known, lacking in parts for name in set(known) - set(lacking)}
    return tuple(
        dict.fromkeys(name for _, lacking in parts for name in lacking if name not in touched)
    )


class ForkNode(Frozen):
    """A trial at the root of a tree, or the run of a fork.

    Attributes:
        run: The run's id.
        case: The case's id.
        number: The trial's number, of the root; None of a fork, which counts with all its trials.
        fork: Where it leaves the trial above it, and what is other from there on; None of the root.
        passed: Trials that passed.
        valid: Trials that say something of the agent.
        verdict: The status of the root's trial, or the verdict of the fork's case; empty where
            nothing was decided yet.
        tokens: What its trials took, the sum; None where nobody says.
        cost_usd: US dollars, likewise.
        forks: What was forked from it, in the order in which that was made.
    """

    run: str
    case: str
    number: int | None = None
    fork: ForkOrigin | None = None
    passed: int = 0
    valid: int = 0
    verdict: str = ""
    tokens: float | None = None
    cost_usd: float | None = None
    forks: tuple["ForkNode", ...] = ()


class Calibration(Frozen):
    """How a judge agrees with people, on labels that they gave without knowing its verdicts.

    Attributes:
        model: The judge's spec.
        prompt: The hash of its instructions: it holds for these alone.
        questions: The hashes of the questions (`Judge.asked`) that were labelled.
        positives: Items that people accepted.
        negatives: Items that they did not.
        true_positive: Of the positives, those that the judge accepted too.
        true_negative: Of the negatives, those that it did not accept either.
        tpr: Their share, with its 95 % Wilson interval.
        tnr: Likewise.
        kappa: Agreement beyond chance, with its 95 % bootstrap interval; 1 is all of it.
        measured: The share of all judged trials that the judge accepted.
        corrected: That share, corrected for its errors, with its 95 % bootstrap interval; None
            where the judge does no better than chance.
        noise: The share of items about which its samples differ, or None with one sample each.
        run: The run whose opinions were labelled.
    """

    model: str
    prompt: str
    questions: tuple[str, ...]
    positives: int
    negatives: int
    true_positive: int
    true_negative: int
    tpr: tuple[float, float, float]
    tnr: tuple[float, float, float]
    kappa: tuple[float, float, float]
    measured: float
    corrected: tuple[float, float, float] | None
    noise: float | None = None
    run: str = ""


class Custody(Frozen):
    """The custody of the evidence, one time that trials were run.

    Attributes:
        protected: Whether its control API asked for a token that no agent was given.
        attempts: What was tried and refused, by callers that are of no trial.
        planted: Files that lay in the place of a trial's record before the trial was over, or of
            trials that nobody planned, by where they were set aside.
        changed: Records that are not what was written any more, or gone.
    """

    protected: bool
    attempts: tuple[Tampering, ...] = ()
    planted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class Canary(Frozen):
    """One question to the mock server whose answer is known.

    Attributes:
        when: Before the trials, when half of them were done, or after them.
        at: RFC 3339.
        error: What was wrong, or an empty string.
        unanswered: Whether there was no answer at all, which says nothing about earlier trials.
        duration_ms: From the opening of its session to the end of the answer, milliseconds.
    """

    when: Literal["before", "middle", "after"]
    at: str
    error: str = ""
    unanswered: bool = False
    duration_ms: float = 0


class Origin(Frozen):
    """Where an imported run comes from.

    Attributes:
        format: `inspect`, `promptfoo`, `otel`, `traces`, `junit`, `csv` or `parquet`.
        file: The file's name.
        digest: SHA-256 of its content, hexadecimal.
        tool: What wrote it, with its version where the file says so.
    """

    format: str
    file: str
    digest: str
    tool: str = ""


_Count = Annotated[int, Field(ge=0, le=1_000_000_000)]


class RunManifest(Frozen):
    """What a run was asked for.

    A new field has a default, so that runs of earlier versions can be read; `version` stays, then.
    A version of understudy that lacks the field refuses such files, which name every field.

    Attributes:
        version: Of this file format.
        run: Its id.
        suite: The suite's path as given.
        agent: The agent spec, secrets replaced.
        cases: Case id to case hash, in order.
        trials: Trials per case id.
        policy: The run's default policy.
        options: Options that shape the trials (`concurrency`, `timeout_s`, `retries`, ...).
        versions: Of understudy, Python, and the agent where it says so.
        started_at: RFC 3339.
        note: The user's note on why this run was made.
        left_out: Cases and files that were invalid and were not run.
        merged: The runs that it was made of.
        suite_cases: How many cases its suite had; 0 in runs of earlier versions.
        origin: The results of another tool that it was imported from; None for a run of our own.
        fork: The trial that its trials were forked from; None of any other run.
    """

    version: Literal[1] = 1
    run: str
    suite: str
    agent: str
    cases: dict[str, str]
    trials: dict[str, _Count]
    policy: JsonObject = {"pass": "all"}
    options: JsonObject = {}
    versions: dict[str, str] = {}
    started_at: str = ""
    note: str = ""
    left_out: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    suite_cases: _Count = 0
    origin: Origin | None = None
    fork: ForkOrigin | None = None

    @field_validator("policy")
    @classmethod
    def _is_policy(cls, value: JsonObject) -> JsonObject:
        Policy.model_validate(value)
        return value

    @field_validator("options")
    @classmethod
    def _can_be_written(cls, value: JsonObject) -> JsonObject:
        try:
            orjson.dumps(value)
        except orjson.JSONEncodeError as error:
            raise ValueError(f"cannot be written again: {error}") from error
        return value

    @model_validator(mode="after")
    def _plans_its_own_cases(self) -> Self:
        if unknown := self.trials.keys() - self.cases.keys():
            raise ValueError(f"trials of {min(unknown)!r}, which is no case of the run")
        return self


class ExitReason(Frozen):
    """Why a run may not exit with 0.

    Attributes:
        code: The exit code that it asks for.
        reason: One sentence.
    """

    code: int
    reason: str


def _as_facts(value: Any, validate: Callable[[Any], Sequence[TrialFacts]]) -> Any:
    return value if isinstance(value, FactTable) else tuple(validate(value))


class RunResult(Frozen):
    """A finished (or interrupted) run and its decisions; reports are made of this alone.

    Attributes:
        manifest: What was asked for.
        cases: The cases, in run order.
        decisions: One for each case.
        records: Every trial record, by case in run order, then by number; read when asked for.
        facts: The figures of each of them, in the same order.
        statistics: What they come to; None where nobody asked.
        clusters: What failures of several cases have in common, the most frequent first.
        comparison: What the run is against its baseline; None without one.
        interrupted: True when trials are missing.
        faults_not_met: `case: method` of faults that no call met.
        recordings_unused: Recordings that no trial asked for, `cassette 3: GET https://...`.
        recordings_doubtful: Recordings that answered with a warning, `case: cassette 3: ...`.
        addresses_refused: Addresses outside the mocked world that agents tried, `case: host:443`.
        canaries: Whether the machinery around the agent worked, in order.
        custody: Who could have touched the evidence and who tried, of each time that trials ran.
        calibrations: What is known of judges.
        folder: The run directory, as text.
        place: What people are told of where it is: its URL in a store, else the directory.
        exit_reasons: Everything that speaks against exit code 0, the code that wins first.
        forks: What was forked from its trials; of a fork, the tree that it is in.
        coverage: What its trials touched of the fixtures; None where that was not looked at.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)  # records are behind a protocol

    manifest: RunManifest
    cases: tuple[Case, ...]
    decisions: tuple[CaseDecision, ...]
    records: HeldBack
    facts: Annotated[Sequence[TrialFacts], WrapValidator(_as_facts)] = ()
    statistics: RunStatistics | None = None
    clusters: tuple[Cluster, ...] = ()
    comparison: Comparison | None = None
    interrupted: bool = False
    faults_not_met: tuple[str, ...] = ()
    recordings_unused: tuple[str, ...] = ()
    recordings_doubtful: tuple[str, ...] = ()
    addresses_refused: tuple[str, ...] = ()
    canaries: tuple[Canary, ...] = ()
    custody: tuple[Custody, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    folder: str = ""
    place: str = ""
    exit_reasons: tuple[ExitReason, ...] = ()
    forks: tuple[ForkNode, ...] = ()
    coverage: RunCoverage | None = None

"""What every format of results is read into, and the run that is made of it."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from harness.checks.scores import VERDICT
from harness.errors import HarnessError
from harness.foreign.source import SourceFile
from harness.model import (
    Case,
    ExpectedScore,
    Json,
    JsonObject,
    Outcome,
    Policy,
    Reply,
    Score,
    TrialRecord,
    Turn,
)
from mockserver.traces import finite

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.]+")
_LONGEST_STEM = 50
_LONGEST_TITLE = 200
_OUTCOMES: Mapping[str, Outcome] = {
    "agent_error": "agent_error",
    "infra_error": "infra_error",
    "replay_miss": "replay_miss",
    "skipped": "skipped",
}
MEANINGS: Mapping[str, tuple[str, ...]] = {
    "case": ("case", "case_id", "caseid", "test", "test_id", "task", "task_id", "id", "name"),
    "trial": ("trial", "epoch", "repeat", "attempt", "iteration"),
    "status": ("status", "result", "outcome", "verdict", "passed", "pass", "success"),
    "score": ("score", "value"),
    "reason": ("reason", "explanation", "message", "comment"),
    "error": ("error",),
    "prompt": ("prompt", "input", "question", "user"),
    "answer": ("answer", "output", "response", "reply", "completion"),
    "category": ("category", "group", "classname", "topic"),
    "duration_ms": ("duration_ms", "latency_ms", "latencyms", "durationms"),
    "duration_s": ("duration_s", "duration", "seconds", "time", "latency", "total_time"),
    "agent_ms": ("agent_ms",),
    "first_byte_ms": ("first_byte_ms",),
    "tokens": ("tokens", "total_tokens"),
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cost_usd": ("cost_usd", "cost"),
    "started_at": ("started_at", "timestamp", "start_time", "created"),
    "agent": ("agent", "model", "provider"),
    "run": ("run", "run_id"),
}
"""What a column of a table may mean, and the headers by which it is known, lower case."""
_VERDICTS = {"pass": True, "fail": False, "not_evaluated": None}


@dataclass(frozen=True, kw_only=True)
class ImportedTrial:
    """One trial as another tool tells it.

    Attributes:
        case: What the tool calls the case.
        number: Which trial of the case it is; None counts them in order.
        title: Of the case, where it has more than its name.
        category: Of the case.
        tags: Of the case.
        turns: What was asked, turn by turn; empty where the tool does not say.
        outcome: What became of it.
        error: Why there is no reply.
        started_at: RFC 3339, or an empty string.
        duration_ms: The whole trial, milliseconds; 0 where the tool does not say.
        agent_ms: Inside the agent, milliseconds.
        replies: What was answered.
        scores: What the tool found.
        deciding: Names of the scores that decide, whether it has them or not.
        policy: Of the case, where it has its own.
    """

    case: str
    number: int | None = None
    title: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    outcome: Outcome = "replied"
    error: str = ""
    started_at: str = ""
    duration_ms: float = 0
    agent_ms: float = 0
    replies: tuple[Reply, ...] = ()
    scores: tuple[Score, ...] = ()
    deciding: frozenset[str] = frozenset({VERDICT})
    policy: Policy | None = None


@dataclass(frozen=True, kw_only=True)
class ImportedResults:
    """A file of results.

    Attributes:
        suite: What was run.
        agent: What was tested, or an empty string.
        tool: What wrote the file, with its version where it says so.
        started_at: RFC 3339, or an empty string.
        note: Why it was run.
        policy: The policy that the file names, or None.
        trials: Every trial, in the order of the file.
    """

    suite: str
    agent: str = ""
    tool: str = ""
    started_at: str = ""
    note: str = ""
    policy: Policy | None = None
    trials: Sequence[ImportedTrial] = ()


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """What the user says about a file.

    Attributes:
        agent: Which agent's results are read, of a file with several.
        scores: Names of the scores that decide; empty takes what the file says, or all.
        min_score: The least figure that passes, where a score is a figure.
        columns: Of a table: what a column means to its header.
    """

    agent: str = ""
    scores: tuple[str, ...] = ()
    min_score: float | None = None
    columns: Mapping[str, str] = field(default_factory=dict)


def columns_of(texts: Iterable[str]) -> dict[str, str]:
    """What `MEANING=HEADER` texts say.

    Raises:
        HarnessError: One is none, or means nothing that is known.

    >>> columns_of(["case=test id"])
    {'case': 'test id'}
    """
    found = {}
    for text in texts:
        meaning, _, header = text.partition("=")
        if not header or meaning not in MEANINGS:
            hint = f"MEANING=HEADER, where MEANING is one of {', '.join(MEANINGS)}"
            raise HarnessError(f"--column is {text!r}", hint=hint)
        found[meaning] = header
    return found


def assemble_run(
    results: ImportedResults, options: ReadOptions
) -> tuple[tuple[Case, ...], tuple[TrialRecord, ...]]:
    """The cases and the records of a run; the run's id and the cases' hashes are still empty.

    A case expects every score that one of its trials has. Those that decide are required.
    """
    of_case: dict[str, list[ImportedTrial]] = defaultdict(list)
    for trial in results.trials:
        of_case[trial.case].append(trial)
    cases, records = [], []
    for name, trials in of_case.items():
        id = case_id(name)
        cases.append(_case(id, name, trials, options))
        records += [
            _record(id, number, trial)
            for number, trial in zip(_numbers(trials), trials, strict=True)
        ]
    return tuple(cases), tuple(records)


def case_id(name: str) -> str:
    """A case's id: its name, or where that cannot be one, what is left of it and a hash.

    >>> case_id("EC-001"), case_id("tests/test_a.py::test_b[1]")
    ('EC-001', 'tests-test_a.py-test_b-1-a55857')
    """
    if _ID.fullmatch(name):
        return name
    stem = _NOT_IN_IDS.sub("-", name).strip("-._")[:_LONGEST_STEM].rstrip("-._")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{stem}-{digest}" if stem else digest


def _numbers(trials: Sequence[ImportedTrial]) -> Sequence[int]:
    """The numbers that the tool gave, where they are whole and apart; else 1, 2, ..."""
    given = [trial.number or 0 for trial in trials]
    return given if len(set(given)) == len(given) and min(given) > 0 else range(1, len(given) + 1)


def _case(id: str, name: str, trials: Sequence[ImportedTrial], options: ReadOptions) -> Case:
    first = trials[0]
    required = frozenset(options.scores) or frozenset[str]().union(
        *(trial.deciding for trial in trials)
    )
    found = (score.name for trial in trials for score in trial.scores)
    names = dict.fromkeys((*sorted(required), *found))
    title = next((trial.title for trial in trials if trial.title), "")
    return Case(
        id=id,
        title=title or ("" if name == id else " ".join(name.split())[:_LONGEST_TITLE]),
        category=first.category,
        tags=first.tags,
        turns=tuple(Turn(user=text) for text in first.turns if text),
        expect=tuple(
            ExpectedScore(name=each, min=options.min_score, required=each in required)
            for each in names
        ),
        repeat=len(trials),
        policy=first.policy,
    )


def _record(id: str, number: int, trial: ImportedTrial) -> TrialRecord:
    return TrialRecord(
        run="",
        case=id,
        case_hash="",
        number=number,
        outcome=trial.outcome,
        error=trial.error,
        started_at=trial.started_at,
        duration_ms=trial.duration_ms,
        agent_ms=trial.agent_ms,
        replies=trial.replies,
        scores=trial.scores,
    )


def status_facts(status: str, reason: str) -> tuple[Outcome, str, tuple[Score, ...]]:
    """The outcome, the error and the verdict of a trial whose status another run told.

    Raises:
        KeyError: It is no status.

    >>> status_facts("fail", "too short")[2][0].passed
    False
    """
    if status in _OUTCOMES:
        return _OUTCOMES[status], reason, ()
    return "replied", "", (Score(name=VERDICT, passed=_VERDICTS[status], reason=reason),)


OWN = "understudy"
"""Under this key reports of this harness say in the formats of others what these have no word
for."""


def own_run(metadata: JsonObject) -> dict[str, Any]:
    """What a file that this harness wrote says of its run; empty for all others."""
    own = object_of(metadata.get(OWN))
    if not own:
        return {}
    return {
        "suite": str(own.get("suite") or ""),
        "agent": str(own.get("agent") or ""),
        "note": str(own.get("note") or ""),
        "started_at": rfc3339(own.get("startedAt")),
        "policy": read_policy_text(own.get("policy")),
        "tool": f"{OWN} {own.get('version', '')}".rstrip(),
    }


def own_facts(metadata: JsonObject, scores: Sequence[Score]) -> dict[str, Any]:
    """What a file that this harness wrote says of a trial; empty for all others.

    The status decides: it becomes the verdict, and the scores of checks stand beside it.
    """
    own = object_of(metadata.get(OWN))
    try:
        outcome, error, verdict = status_facts(str(own.get("status")), str(own.get("reason") or ""))
    except KeyError:
        return {}
    return {
        "case": str(own.get("case") or ""),
        "number": count_of(own.get("trial")),
        "title": str(own.get("title") or ""),
        "category": str(own.get("category") or ""),
        "tags": tuple(map(str, list_of(own.get("tags")))),
        "policy": read_policy_text(own.get("policy")),
        "outcome": outcome,
        "error": error,
        "duration_ms": finite(own.get("durationMs")) or 0,
        "agent_ms": finite(own.get("agentMs")) or 0,
        "scores": (*verdict, *(each for each in scores if each.name != VERDICT)),
        "deciding": frozenset({VERDICT}),
    }


def chosen_agent(source: SourceFile, found: Iterable[str], wanted: str) -> str:
    """The agent whose results are read.

    Args:
        source: The file.
        found: The agents of its results, in any order.
        wanted: The one that was asked for, or an empty string.

    Raises:
        HarnessError: The file has several, and the one that was asked for is none of them.
    """
    agents = [each for each in dict.fromkeys(found) if each]
    if len(agents) < 2:
        return next(iter(agents), "")
    if wanted not in agents:
        names = ", ".join(map(repr, agents[:10]))
        raise source.error(f"has results of {len(agents)} agents", f"--agent, one of {names}")
    return wanted


def unique_scores(scores: Iterable[Score]) -> tuple[Score, ...]:
    """The scores with names of their own: a second `contains` is `contains 2`."""
    found: dict[str, Score] = {}
    for score in scores:
        name, again = score.name, 1
        while name in found:
            again += 1
            name = f"{score.name} {again}"
        found[name] = score if again == 1 else score.model_copy(update={"name": name})
    return tuple(found.values())


def read_policy_text(value: Json) -> Policy | None:
    """A policy that this harness wrote as JSON; None for all else."""
    try:
        return Policy.model_validate_json(value) if isinstance(value, str) else None
    except ValidationError:
        return None


def rfc3339(value: Json) -> str:
    """A moment as RFC 3339 in UTC, milliseconds; empty where the value tells none.

    A moment without a zone is taken to be in UTC.

    >>> rfc3339("2026-11-20T11:15:00+01:00"), rfc3339("yesterday")
    ('2026-11-20T10:15:00.000Z', '')
    """
    if not isinstance(value, str):
        return ""
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return ""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except OverflowError:
        return ""


def count_of(value: Json) -> int | None:
    """A count; None for all else."""
    found = finite(value)
    return int(found) if found is not None and found >= 0 and found == int(found) else None


def object_of(value: Json) -> JsonObject:
    """An object; an empty one in the place of all else."""
    return value if isinstance(value, dict) else {}


def list_of(value: Json) -> list[Json]:
    """A list; an empty one in the place of all else."""
    return value if isinstance(value, list) else []


def text_of(value: Json) -> str:
    """A text, or what stands for it: the parts of a message, or JSON.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "image"}]), text_of({"b": 1})
    ('a', '{"b":1}')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, dict) and "type" in each for each in value):
        return "\n".join(
            str(each["text"]) for each in value if each["type"] == "text" and "text" in each
        )
    from pydantic_core import to_json

    return to_json(value, inf_nan_mode="constants").decode()
